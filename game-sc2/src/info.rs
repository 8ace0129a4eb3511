//! Facts about a map for `info`.

use serde_json::{Value, json};
use terrace_engine::scene::{CameraBounds, OrbitCamera, Scene};

use crate::assets::{LayerSet, Origin};
use crate::camera;
use crate::formats::{CELL_ACTIVE, CELL_RAMP, ObjectKind};
use crate::light::Light;
use crate::map_files::{MapFiles, Sources};
use crate::registry::ids;
use crate::terrain::{Terrain, water};
use crate::world::RoadTile;

/// What facts are taken from.
pub(crate) struct Facts<'a> {
    pub(crate) name: &'a str,
    pub(crate) files: &'a MapFiles,
    pub(crate) sources: &'a Sources,
    pub(crate) terrain: &'a Terrain,
    pub(crate) sets: &'a [LayerSet],
    pub(crate) roads: &'a [RoadTile],
    pub(crate) pools: &'a [water::Pool],
}

impl Facts<'_> {
    pub(crate) fn to_json(&self, scene: &Scene, start: &OrbitCamera, bounds: CameraBounds, light: &Light) -> Value {
        let Self { name, files, terrain, .. } = self;
        let [low, high] = terrain.surface.range();
        let (pitch, yaw) = camera::map_from_orbit(start.pitch, start.yaw);
        let q = terrain.quantization;
        json!({
            "file": name,
            "tileset": files.tileset(),
            "map_info_version": files.info.as_ref().map(|i| i.version),
            "cells": terrain.cells,
            "heights": [low, high],
            "quantization": { "bias": q.bias, "scale": q.scale, "standard": q.standard },
            "base_height": files.info.as_ref().map(|i| i.base_height),
            "uv_tiling": files.xml.as_ref().map(|x| x.uv_tiling),
            "cliff_sets": self.cliff_sets(),
            "textures": self.sets.iter().map(textures).collect::<Vec<_>>(),
            "counts": self.counts(scene),
            "roads": self.roads.iter().map(|r| json!({ "tile": r.id, "model": r.model })).collect::<Vec<_>>(),
            "water": self.pools.iter().map(|p| self.pool(p)).collect::<Vec<_>>(),
            "light": {
                "ray": light.ray().to_array(),
                "to_light": light.to_light().to_array(),
                "color": light.color.to_array(),
                "ambient": light.ambient.to_array(),
            },
            "camera": {
                "target": start.target.to_array(),
                "distance": start.distance,
                "pitch": pitch,
                "yaw": yaw,
                "euler": camera::euler_from_map(pitch, yaw),
                "fov": start.fov,
            },
            "camera_bounds": { "min": bounds.min.to_array(), "max": bounds.max.to_array() },
            "dependencies": files.dependencies,
            "catalog_entries": self.sources.catalogs.len(),
        })
    }

    fn cliff_sets(&self) -> Vec<Value> {
        let ids = self.files.xml.iter().flat_map(|x| &x.cliff_sets);
        ids.map(|id| json!({ "cliff": id, "mesh": self.sources.catalogs.cliff(id).map(|c| c.mesh) })).collect()
    }

    fn counts(&self, scene: &Scene) -> Value {
        let files = self.files;
        let cliff_cells = |flag: u32| {
            let cells = files.xml.iter().flat_map(|x| x.cliff_cells.iter().flatten());
            cells.filter(|c| c.flags & flag != 0).count()
        };
        let objects =
            |kind: ObjectKind| files.objects.iter().flat_map(|o| &o.placed).filter(|o| o.kind == kind).count();
        let [w, h] = self.terrain.cells.map(|c| c as i32);
        let under = |f: &crate::formats::CellFlags| {
            (0..h).flat_map(|y| (0..w).map(move |x| (x, y))).filter(|(x, y)| f.under_cliff(*x, *y)).count()
        };
        json!({
            "cliff_blocks": cliff_cells(CELL_ACTIVE),
            "ramp_blocks": cliff_cells(CELL_RAMP),
            "cells_flagged_as_cliff": files.flags.as_ref().map(under),
            "ramps": files.xml.as_ref().map(|x| x.ramps.len()),
            "road_points": files.tiles.iter().flat_map(|t| &t.tiles).map(|t| t.points.len()).sum::<usize>(),
            "fluff": files.fluff.as_ref().map(|f| f.doodads.len()),
            "units": objects(ObjectKind::Unit),
            "doodads": objects(ObjectKind::Doodad),
            "points": objects(ObjectKind::Point),
            "cameras": files.objects.as_ref().map(|o| o.cameras.len()),
            "sync_heights": files.sync_heights.as_ref().map(|s| s.points.values.len()),
            "pathing_cells": files.pathing.as_ref().map(|p| p.cells.values.len()),
            "ground_draws": scene.lists[ids::GROUND.index()].draws.len(),
            "water_draws": scene.lists[ids::WATER.index()].draws.len(),
        })
    }

    fn pool(&self, pool: &water::Pool) -> Value {
        let bounds = water::bounds(self.terrain, pool);
        json!({
            "water": pool.area.water,
            "min": bounds.min.to_array(),
            "max": bounds.max.to_array(),
            "color": pool.record.color,
        })
    }
}

fn textures(set: &LayerSet) -> Value {
    let used = set.origins.iter().filter(|(_, origin)| *origin != Origin::Unused);
    let from = |origin: &Origin| match origin {
        Origin::File(path) => path.clone(),
        Origin::Generated | Origin::Unused => "generated".to_owned(),
    };
    used.map(|(id, origin)| json!({ "texture": id, "from": from(origin) })).collect()
}
