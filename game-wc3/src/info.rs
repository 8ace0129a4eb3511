//! Facts about a map for `info`.

use serde_json::{Value, json};
use terrace_engine::scene::CameraBounds;

use crate::content::Content;
use crate::formats::w3e::W3e;
use crate::terrain::models::CliffModels;
use crate::terrain::ownership::Ownership;
use crate::terrain::{Terrain, water};
use crate::world::MapFiles;

/// What facts are taken from.
pub(crate) struct Facts<'a> {
    pub(crate) name: &'a str,
    pub(crate) w3e: &'a W3e,
    pub(crate) files: &'a MapFiles,
    pub(crate) terrain: &'a Terrain,
    pub(crate) ownership: &'a Ownership,
}

impl Facts<'_> {
    pub(crate) fn to_json(&self, content: &Content, models: &CliffModels, bounds: CameraBounds) -> Value {
        let Self { name, w3e, files, terrain, ownership } = self;
        let [cells_x, cells_y] = terrain.cells();
        let [cliffs, ramps, ramp_lows] = ownership.counts();
        let vertices = terrain.vertices();
        let count = |f: fn(&crate::formats::w3e::Vertex) -> bool| vertices.iter().filter(|v| f(v)).count();
        let cells = (0..cells_y).flat_map(|y| (0..cells_x).map(move |x| (x, y)));
        let water_cells = cells.filter(|&(x, y)| water::is_drawn(terrain, x, y)).count();
        let text = |field: fn(&crate::formats::w3i::W3i) -> &str| {
            files.properties.as_ref().map(|p| p.resolve(field(p), &files.strings).to_owned())
        };
        let [low, high] = terrain.surface().range();
        let ids = |list: &[crate::formats::TileId]| list.iter().map(ToString::to_string).collect::<Vec<_>>();
        json!({
            "file": name,
            "name": text(|p| &p.name),
            "author": text(|p| &p.author),
            "description": text(|p| &p.description),
            "players": files.properties.as_ref().map(|p| p.players.len()),
            "tileset": (w3e.tileset as char).to_string(),
            "w3e_version": w3e.version.number(),
            "w3i_version": files.properties.as_ref().map(|p| p.version),
            "cells": [cells_x, cells_y],
            "origin": w3e.center_offset,
            "ground_tiles": ids(&w3e.ground_tiles),
            "cliff_tiles": ids(&w3e.cliff_tiles),
            "heights": [low, high],
            "counts": {
                "cliff_cells": cliffs,
                "ramp_pieces": ramps,
                "ramp_low_cells": ramp_lows,
                "ramp_vertices": count(|v| v.ramp),
                "water_vertices": count(|v| v.water),
                "water_cells": water_cells,
                "blight_vertices": count(|v| v.blight),
                "cliff_models": models.len(),
            },
            "baked_shadow": files.shadow.as_ref().map(|s| s.texels.iter().filter(|&&t| t != 0).count()),
            "camera_bounds": { "min": bounds.min.to_array(), "max": bounds.max.to_array() },
            "textures": {
                "ground": content.ground_origins,
                "cliff": content.cliff_origins,
                "water": content.water_origin,
            },
            "trailing_bytes": w3e.trailing_bytes,
        })
    }
}
