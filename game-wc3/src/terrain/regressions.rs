//! Faults of earlier engines that must never come back, by their names.

use std::sync::Arc;

use glam::{Vec2, Vec3};

use super::cliffs::{self, CliffOptions, CliffVertex};
use super::ground::{self, GroundInput, GroundVertex};
use super::models::{CliffModel, CliffModels, PieceKey, cliff_letters, requests};
use super::ownership::{Owner, Ownership};
use super::ramps::{RampForm, cliff_letter};
use super::slots::slot;
use super::testing::{edit, flat, open};
use super::{Terrain, fallback, paint, shadow, tiles, water};
use crate::formats::mdx::{Model, StaticGeoset, StaticModel, write_static};
use crate::formats::shd::Shd;
use crate::formats::w3e::W3e;

const FORMS: [&[u8; 4]; 16] = [
    b"AAHL", b"AALH", b"ABHL", b"AHLA", b"ALHA", b"ALHB", b"BALH", b"BHLA", b"HAAL", b"HBAL", b"HLAA", b"HLAB",
    b"LAAH", b"LABH", b"LHAA", b"LHBA",
];

fn form_of(letters: &[u8; 4]) -> RampForm {
    RampForm::of(letters.map(|l| u8::from(matches!(l, b'B' | b'H'))), letters.map(|l| l >= b'H')).unwrap()
}

/// Generated ramps of all forms, so that ownership knows them.
fn ramps(dirs: &[&str]) -> CliffModels {
    let mut models = CliffModels::default();
    for dir in dirs {
        for letters in FORMS {
            models.insert(PieceKey::new(dir, *letters), vec![Arc::new(fallback::ramp(form_of(letters)))]);
        }
    }
    models
}

fn natural() -> CliffModels {
    ramps(&["CliffTrans"])
}

fn ground_vertices(terrain: &Terrain, ownership: &Ownership) -> Vec<GroundVertex> {
    let painted = paint::paint(terrain, ownership, None);
    let wide = vec![false; terrain.ground_types.len()];
    let batch = ground::bake(GroundInput { terrain, ownership, paint: &painted, wide: &wide });
    bytemuck::pod_collect_to_vec(&batch.vertices)
}

fn cliff_vertices(terrain: &Terrain, ownership: &Ownership, models: &CliffModels) -> Vec<CliffVertex> {
    bytemuck::pod_collect_to_vec(&cliffs::bake(terrain, ownership, models, CliffOptions::default()).vertices)
}

/// Heights of the vertices that lie on a grid point.
fn heights_at(vertices: &[CliffVertex], terrain: &Terrain, x: u32, y: u32) -> Vec<f32> {
    let at = terrain.origin + Vec2::new(x as f32, y as f32) * 128.0;
    let on = |p: &[f32; 3]| (p[0] - at.x).abs() < 0.01 && (p[1] - at.y).abs() < 0.01;
    vertices.iter().filter(|v| on(&v.position)).map(|v| v.position[2]).collect()
}

/// A ramp that climbs to the east over the north edge of cell (2, 2), and beyond it bends: the high end has ramps on
/// both sides. Raw height and layer of the end as at Human03 (19,23).
fn bend() -> W3e {
    let mut w3e = flat(6, 6, &["Ldrt", "Lgrs"], &["CLgr"]);
    for y in 0..6 {
        for x in 3..6 {
            edit(&mut w3e, x, y, |v| (v.layer, v.cliff_texture) = (3, 0));
        }
    }
    for y in 3..5 {
        for x in 1..5 {
            edit(&mut w3e, x, y, |v| v.ramp = true);
        }
    }
    edit(&mut w3e, 3, 3, |v| v.raw_height = 8268);
    edit(&mut w3e, 2, 3, |v| v.raw_height = 8268);
    // At the bend the neighbour behind the end is one layer higher again.
    edit(&mut w3e, 4, 3, |v| v.layer = 4);
    // Authored bits on ramp vertices mean nothing.
    edit(&mut w3e, 3, 3, |v| v.cliff_variation = 7);
    w3e
}

fn transposed(w3e: &W3e) -> W3e {
    let mut out = w3e.clone();
    for y in 0..w3e.height {
        for x in 0..w3e.width {
            out.vertices[(x * w3e.width + y) as usize] = w3e.vertices[(y * w3e.width + x) as usize];
        }
    }
    out
}

#[test]
fn high_ramp_endpoint_is_not_a_midpoint() {
    for (w3e, swap) in [(bend(), false), (transposed(&bend()), true)] {
        let (terrain, _) = open(&w3e);
        let at = |x: i32, y: i32| if swap { (y, x) } else { (x, y) };
        let z = |x: i32, y: i32| {
            let (x, y) = at(x, y);
            terrain.surface().at(x, y)
        };
        // (8268 - 8192) / 4 = 19 above its layer; the rule without the last condition gives 211 here.
        assert_eq!(z(3, 3), 147.0);
        assert_eq!(z(2, 3), 19.0 + 64.0, "the lower midpoint");
        let ownership = Ownership::new(&terrain, &natural());
        let (x, y) = at(2, 2);
        let Some(Owner::Ramp(form)) = ownership.owner(x, y) else { panic!("{:?}", ownership.owner(x, y)) };
        let letters = if swap { b"BHLA" } else { b"LHBA" };
        assert_eq!(&form.letters, letters, "{:?}", form.letters.map(char::from));
        let (x, y) = at(1, 2);
        assert!(matches!(ownership.owner(x, y), Some(Owner::RampLow(_))));
        assert!(!ownership.has_ground(x, y));
        // The piece meets the ground at both ends.
        let vertices = cliff_vertices(&terrain, &ownership, &natural());
        for (x, y) in [at(3, 3), at(2, 3)] {
            let ground = terrain.surface().at(x, y);
            assert!(heights_at(&vertices, &terrain, x as u32, y as u32).contains(&ground), "({x}, {y})");
        }
    }
}

#[test]
fn authored_ramp_variation_is_ignored() {
    let plain = bend();
    let mut noisy = plain.clone();
    noisy.vertices.iter_mut().filter(|v| v.ramp).for_each(|v| v.cliff_variation = 5);
    let (a, b) = (open(&plain).0, open(&noisy).0);
    assert_eq!(a.surface(), b.surface());
}

#[test]
fn uncovered_ramp_corner_keeps_its_ground() {
    // A flat cell with two ramp corners of which one is a midpoint, and no piece beside it that reaches it.
    let mut w3e = flat(8, 6, &["Ldrt", "Lgrs"], &["CLgr"]);
    for (x, y, layer) in [(2, 3, 2), (3, 3, 2), (4, 3, 3)] {
        edit(&mut w3e, x, y, |v| (v.ramp, v.layer, v.cliff_texture) = (true, layer, 0));
    }
    edit(&mut w3e, 6, 4, |v| (v.raw_height, v.layer) = (8723, 7));
    let (terrain, _) = open(&w3e);
    assert!(terrain.mid_ramp(3, 3));
    // (2,2) is the low side of the LHAA at (3,2); (2,3) of the AAHL form at (3,3).
    let ownership = Ownership::new(&terrain, &natural());
    assert!(!ownership.has_ground(2, 2) && !ownership.has_ground(2, 3));
    // Without a piece for the form, the same cells are ground.
    let none = Ownership::new(&terrain, &CliffModels::default());
    assert!(none.has_ground(2, 2) && none.has_ground(2, 3));
    assert_eq!(terrain.surface().at(6, 4), 772.75, "raw 8723 on layer 7");
}

#[test]
fn all_sixteen_ramp_forms() {
    let mut found = std::collections::BTreeSet::new();
    for levels in 0..81u32 {
        for flags in 0..16u32 {
            let levels = [0, 1, 2, 3].map(|i| (levels / 3u32.pow(i) % 3) as u8);
            let ramps = [0, 1, 2, 3].map(|i| flags >> i & 1 == 1);
            if levels.contains(&0)
                && let Some(form) = RampForm::of(levels, ramps)
            {
                found.insert(form.letters);
            }
        }
    }
    assert_eq!(found.into_iter().collect::<Vec<_>>(), FORMS.map(|f| *f));
    assert_eq!([0, 1, 2, 3].map(|l| cliff_letter(l, true)), *b"LHXX");
}

#[test]
fn ramp_covers_its_low_neighbour() {
    // letters, shift, low neighbour
    let cases = [
        (b"LHBA", (-1, 0), (-1, 0)),
        (b"HLAB", (0, 0), (1, 0)),
        (b"HBAL", (0, -1), (0, -1)),
        (b"LABH", (0, 0), (0, 1)),
    ];
    for (letters, shift, low) in cases {
        let form = form_of(letters);
        assert_eq!((form.shift(), form.low_neighbour()), (shift, low), "{}", String::from_utf8_lossy(letters));
        let mut w3e = flat(8, 8, &["Ldrt", "Lgrs"], &["CLgr"]);
        for (i, (dx, dy)) in super::LETTER_CORNERS.into_iter().enumerate() {
            let high = u8::from(matches!(letters[i], b'B' | b'H'));
            let (x, y) = ((3 + dx) as u32, (3 + dy) as u32);
            edit(&mut w3e, x, y, |v| (v.layer, v.ramp, v.cliff_texture) = (2 + high, letters[i] >= b'H', 0));
            if letters[i] == b'L' {
                // The low end of the ramp, one further down.
                edit(&mut w3e, (3 + dx + low.0) as u32, (3 + dy + low.1) as u32, |v| v.ramp = true);
            }
        }
        let (terrain, _) = open(&w3e);
        let ownership = Ownership::new(&terrain, &natural());
        assert_eq!(ownership.owner(3, 3), Some(Owner::Ramp(form)));
        assert_eq!(ownership.owner(3 + low.0, 3 + low.1), Some(Owner::RampLow([3, 3])));
        // Six vertices are repainted to the cliff's ground.
        let painted = paint::paint(&terrain, &ownership, None);
        for (cx, cy) in [(0, 0), low] {
            for (dx, dy) in super::LETTER_CORNERS {
                let (x, y) = ((3 + cx + dx) as u32, (3 + cy + dy) as u32);
                assert_eq!(painted[terrain.index(x, y)], 1, "({x}, {y})");
            }
        }
        let piece = cliffs::piece(&terrain, 3, 3, Some(form));
        assert_eq!((piece.base, piece.letters), (2, *letters));
    }
}

#[test]
fn native_ramp_axes() {
    assert_eq!(cliffs::turn(Vec3::new(-20.0, 100.0, 7.0)), Vec3::new(100.0, 20.0, 7.0));
    let keys = [PieceKey::new("CityCliffTrans", *b"HBAL"), PieceKey::new("CityCliffTrans", *b"BALH")];
    assert_ne!(keys[0].path(0), keys[1].path(0));
    // An asymmetric piece through the model reader: position and normal turned, texture coordinates untouched.
    let mdx = write_static(&StaticModel {
        geosets: vec![StaticGeoset {
            positions: vec![[-20.0, 100.0, 30.0], [-100.0, 10.0, 40.0], [-60.0, 60.0, 50.0]],
            normals: vec![[1.0, 0.0, 0.0]; 3],
            uvs: vec![[0.25, 1.75], [0.5, 0.5], [-0.5, 0.125]],
            faces: vec![[0, 1, 2]],
            material: 0,
        }],
        ..StaticModel::default()
    });
    let model = CliffModel::from_mdx(&Model::parse(&mdx).unwrap(), "test".into()).unwrap();
    let mut w3e = flat(6, 6, &["Ldrt", "Lgrs"], &["CLgr"]);
    edit(&mut w3e, 3, 3, |v| (v.layer, v.cliff_texture) = (3, 0));
    let (terrain, _) = open(&w3e);
    let mut models = CliffModels::default();
    models.insert(PieceKey::new("Cliffs", *b"ABAA"), vec![Arc::new(model)]);
    let vertices = cliff_vertices(&terrain, &Ownership::new(&terrain, &models), &models);
    let placed = vertices.iter().find(|v| v.uv == [0.25, 1.75]).unwrap();
    assert_eq!(placed.position, [2.0 * 128.0 + 100.0, 2.0 * 128.0 + 20.0, 30.0]);
    assert_eq!(placed.normal, [0, -127, 0, 0]);
}

#[test]
fn interlude_courtyard() {
    // The courtyard's columns 36 to 38 moved to 2 to 4: city ramps down to the east, in two pairs that share an edge.
    let mut w3e = flat(8, 12, &["Ldrt", "Lgrs", "Vdrt", "Lgrd", "Xsqd"], &["CXsq"]);
    for y in 0..12 {
        for x in 0..3 {
            edit(&mut w3e, x, y, |v| (v.layer, v.cliff_texture) = (3, 0));
        }
    }
    for x in 2..5 {
        for y in [3, 8] {
            edit(&mut w3e, x, y, |v| v.ramp = true);
        }
    }
    let (terrain, _) = open(&w3e);
    let models = ramps(&["CityCliffTrans"]);
    let ownership = Ownership::new(&terrain, &models);
    for (y, letters) in [(2, b"HLAB"), (3, b"BALH"), (7, b"HLAB"), (8, b"BALH")] {
        let Some(Owner::Ramp(form)) = ownership.owner(2, y) else { panic!("{y}: {:?}", ownership.owner(2, y)) };
        assert_eq!(&form.letters, letters);
        assert_eq!(ownership.owner(3, y), Some(Owner::RampLow([2, y as u32])));
        let path = PieceKey::new(terrain.cliff_types[0].ramp_dir.as_ref().unwrap(), form.letters).path(0);
        let expected = format!(r"Doodads\Terrain\cityclifftrans\cityclifftrans{}", String::from_utf8_lossy(letters));
        assert_eq!(path, format!("{expected}0.mdx"));
    }
    let painted = paint::paint(&terrain, &ownership, None);
    for y in 2..=4 {
        assert_eq!(painted[terrain.index(4, y)], 4, "the ramp's far end has the ramp's ground");
    }
    assert_eq!(painted[terrain.index(5, 3)], 0);
}

#[test]
fn four_ramp_corners_stay_ground() {
    let mut w3e = flat(4, 4, &["Ldrt"], &["CLgr"]);
    for (x, y) in [(1, 1), (2, 1), (1, 2), (2, 2)] {
        edit(&mut w3e, x, y, |v| (v.ramp, v.layer) = (true, 2 + (x % 2) as u8));
    }
    let (terrain, _) = open(&w3e);
    let ownership = Ownership::new(&terrain, &natural());
    assert_eq!(ownership.owner(1, 1), Some(Owner::Ground));
    edit(&mut w3e, 2, 2, |v| v.ramp = false);
    let (terrain, _) = open(&w3e);
    assert_ne!(Ownership::new(&terrain, &natural()).owner(1, 1), Some(Owner::Ground));
}

#[test]
fn cliff_letters_count_from_the_base_and_steep_ones_are_cut() {
    let mut w3e = flat(4, 4, &["Ldrt"], &["CLgr"]);
    // Undead04 (93,54): north-west and north-east on 4, south-east and south-west on 6.
    for (x, layer) in [(1, 4), (2, 4)] {
        edit(&mut w3e, x, 2, |v| v.layer = layer);
    }
    for x in [1, 2] {
        edit(&mut w3e, x, 1, |v| v.layer = 6);
    }
    let (terrain, diagnostics) = open(&w3e);
    assert_eq!(&cliff_letters(&terrain, 1, 1), b"AACC");
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let mut steep = Vec::new();
    super::ownership::report_steep(&terrain, &mut steep);
    assert_eq!(steep.len(), 1, "(1,0) climbs four layers");
    assert_eq!(&cliff_letters(&terrain, 1, 0), b"CCAA");
}

#[test]
fn one_ownership_function() {
    let (terrain, _) = open(&bend());
    let models = natural();
    let ownership = Ownership::new(&terrain, &models);
    let [w, h] = terrain.cells();
    let quads = ground_vertices(&terrain, &ownership).len() / 4;
    let cells = (0..h as i32).flat_map(|y| (0..w as i32).map(move |x| (x, y)));
    let ground: Vec<_> = cells.filter(|&(x, y)| ownership.has_ground(x, y)).collect();
    assert!(quads >= ground.len());
    // A join exists exactly on the borders of cells with ground.
    for &(x, y) in &ground {
        let edge = Vec2::new(x as f32, y as f32 + 0.5);
        assert!(cliffs::ground_edge(&terrain, &ownership, edge).is_some());
    }
    for (x, y, _) in ownership.pieces() {
        assert!(!ownership.has_ground(x as i32, y as i32));
        assert!(!ownership.vertex_is_ground(x as i32, y as i32));
    }
}

#[test]
fn cliff_slot_skips_15() {
    let mut w3e = flat(3, 3, &["Ldrt"], &["CLgr", "CVdi"]);
    edit(&mut w3e, 0, 1, |v| v.cliff_texture = 1);
    edit(&mut w3e, 1, 1, |v| v.cliff_texture = 0);
    assert_eq!(slot(&open(&w3e).0, 0, 0).index, 1, "north-west before north-east");
    edit(&mut w3e, 1, 0, |v| (v.cliff_texture, v.cliff_variation) = (0, 6));
    let found = slot(&open(&w3e).0, 0, 0);
    assert_eq!((found.index, found.variation, found.vertex), (0, 6, Some((1, 0))), "south-east before both");
    edit(&mut w3e, 0, 0, |v| v.cliff_texture = 1);
    assert_eq!(slot(&open(&w3e).0, 0, 0).index, 1, "south-west first");
}

#[test]
fn cliff_slot_searches_5x5() {
    let mut w3e = flat(12, 12, &["Ldrt"], &["CLgr", "CVdi"]);
    edit(&mut w3e, 6, 5, |v| v.layer = 3);
    assert_eq!(slot(&open(&w3e).0, 5, 5).vertex, None);
    // Columns before rows: (4, 7) is in an earlier column than (5, 3).
    edit(&mut w3e, 5, 3, |v| v.cliff_texture = 0);
    edit(&mut w3e, 4, 7, |v| v.cliff_texture = 1);
    assert_eq!(slot(&open(&w3e).0, 5, 5).vertex, Some((4, 7)));
    edit(&mut w3e, 4, 7, |v| v.cliff_texture = 15);
    assert_eq!(slot(&open(&w3e).0, 5, 5).vertex, Some((5, 3)));
    // Radius two, and nothing wraps around the map's border.
    edit(&mut w3e, 5, 3, |v| v.cliff_texture = 15);
    edit(&mut w3e, 8, 5, |v| v.cliff_texture = 1);
    edit(&mut w3e, 11, 5, |v| v.cliff_texture = 1);
    let (terrain, _) = open(&w3e);
    assert_eq!((slot(&terrain, 5, 5).vertex, slot(&terrain, 0, 5).vertex), (None, None));
    assert_eq!(slot(&terrain, 5, 5).index, 0);
    let mut notes = Vec::new();
    cliffs::report_unresolved(&terrain, &Ownership::new(&terrain, &natural()), &mut notes);
    assert_eq!(notes.len(), 1);
}

#[test]
fn cliff_material_repaints_the_footprint() {
    for (slot, ground) in [(0, 1), (1, 2)] {
        let mut w3e = flat(6, 6, &["Ldrt", "Lgrs", "Vdrt"], &["CLgr", "CVdi"]);
        edit(&mut w3e, 2, 2, |v| (v.layer, v.cliff_texture) = (3, slot));
        let (terrain, _) = open(&w3e);
        let ownership = Ownership::new(&terrain, &natural());
        let painted = paint::paint(&terrain, &ownership, None);
        for y in 0..6 {
            for x in 0..6 {
                let near = (1..=3).contains(&x) && (1..=3).contains(&y);
                assert_eq!(painted[terrain.index(x, y)], if near { ground } else { 0 }, "({x}, {y})");
            }
        }
    }
}

#[test]
fn upper_tile_only_where_the_row_has_one() {
    let paint_of = |ground: &[&str], cliff: &str| {
        let mut w3e = flat(6, 6, ground, &[cliff]);
        edit(&mut w3e, 2, 2, |v| (v.layer, v.cliff_texture) = (3, 0));
        let (terrain, _) = open(&w3e);
        let painted = paint::paint(&terrain, &Ownership::new(&terrain, &natural()), None);
        (painted[terrain.index(2, 2)], painted[terrain.index(1, 1)])
    };
    assert_eq!(paint_of(&["Odrt", "Oaby", "Osmb"], "COrd"), (2, 1));
    assert_eq!(paint_of(&["Odrt", "Oaby"], "COrd"), (0, 1), "not in the list: the authored ground stays");
    assert_eq!(paint_of(&["Ldrt", "Lgrs"], "CLgr"), (1, 1), "no upper tile: the ground tile");
}

#[test]
fn cliff_cache_keeps_directories_apart() {
    let mut models = CliffModels::default();
    for (i, dir) in ["Cliffs", "CityCliffs", "CliffTrans", "CityCliffTrans"].iter().enumerate() {
        let mut model = fallback::cliff(*b"AABB");
        model.name = i.to_string();
        models.insert(PieceKey::new(dir, *b"AABB"), vec![Arc::new(model)]);
    }
    assert_eq!(models.len(), 4);
    assert_eq!(models.get("citycliffs", *b"AABB", 5).unwrap().name, "1");
    // Both sets are asked for where a map has both.
    let mut w3e = flat(12, 4, &["Ldrt"], &["CLgr", "CXsq"]);
    edit(&mut w3e, 2, 2, |v| (v.layer, v.cliff_texture) = (3, 0));
    edit(&mut w3e, 9, 2, |v| (v.layer, v.cliff_texture) = (3, 1));
    let dirs: std::collections::BTreeSet<_> = requests(&open(&w3e).0).into_iter().map(|r| r.key.dir).collect();
    assert_eq!(dirs.into_iter().collect::<Vec<_>>(), ["citycliffs", "cliffs"]);
}

#[test]
fn ground_mask_bits() {
    for set in 0..16u8 {
        // north-east, north-west, south-east, south-west
        let corners = [0, 1, 2, 3].map(|i| set >> i & 1);
        let expected: u8 = corners.iter().zip([4, 8, 1, 2]).map(|(c, bit)| c * bit).sum();
        assert_eq!(tiles::mask(corners, 1), expected);
        assert_eq!(tiles::mask(corners, 0), 15);
    }
}

#[test]
fn three_textures_on_one_tile() {
    let layers: Vec<_> = tiles::layers([0, 1, 2, 2]).collect();
    assert_eq!(layers, [(0, 15), (1, 11), (2, 3)]);
    // Equality instead of "this layer or a later one" would give 8 and 3.
    assert_eq!(tiles::layers([1, 1, 4, 4]).collect::<Vec<_>>(), [(1, 15), (4, 3)], "absent layers are not drawn");
    assert_eq!(tiles::layers([3; 4]).collect::<Vec<_>>(), [(3, 15)]);
}

#[test]
fn tile_uv_pulls_in_5_percent() {
    let uv = tiles::tile_uv(5, 0, false);
    // Cell 5 spans 0.25 to 0.5 on both axes, its centre is 0.375.
    let expected = Vec2::new(0.25 + 0.125 * 0.05, 0.5 - 0.125 * 0.05);
    assert!(uv[0].distance(expected) < 1e-6, "{uv:?}");
    assert_eq!(tiles::sheet_cell(15, 7, true), (true, 7));
    assert_eq!([16, 17, 31].map(|v| tiles::sheet_cell(15, v, true)), [(false, 15), (false, 0), (false, 0)]);
    assert_eq!([0, 1, 16].map(|v| tiles::sheet_cell(15, v, false)), [(false, 0), (false, 15), (false, 15)]);
    assert!((tiles::tile_uv(15, 0, true)[2].x - (0.625 - 0.0625 * 0.05)).abs() < 1e-6);
}

#[test]
fn height_snap_and_join() {
    let mut w3e = flat(8, 8, &["Ldrt", "Lgrs"], &["CLgr"]);
    for y in 0..8 {
        for x in 4..8 {
            edit(&mut w3e, x, y, |v| (v.layer, v.cliff_texture) = (3, 0));
        }
    }
    // The rolling ground is 40 higher at one vertex of the wall's foot.
    edit(&mut w3e, 3, 3, |v| v.raw_height += 160);
    let (terrain, _) = open(&w3e);
    let models = CliffModels::default();
    let ownership = Ownership::new(&terrain, &models);
    let vertices = cliff_vertices(&terrain, &ownership, &models);
    // Inside the cell: model z (0) + base layer + bilinear height, a quarter of the way.
    let inside = vertices.iter().find(|v| v.position[..2] == [3.5 * 128.0, 3.0 * 128.0]).unwrap();
    assert!(inside.position[2] == 20.0 || inside.position[2] == 148.0, "{:?}", inside.position);
    // On the border to the ground: exactly its height, and its normal where the piece faces up.
    let foot = vertices.iter().filter(|v| v.position[..2] == [3.0 * 128.0, 3.0 * 128.0]);
    let foot: Vec<_> = foot.collect();
    assert!(!foot.is_empty() && foot.iter().all(|v| v.position[2] == 40.0));
    let ground = terrace_engine::terrain::snorm8x4(terrain.rolling().vertex_normal(3, 3));
    assert!(foot.iter().all(|v| v.normal == ground), "{:?} {ground:?}", foot[0].normal);
}

#[test]
fn join_keeps_what_is_more_than_half_a_layer_away() {
    let mut w3e = flat(4, 4, &["Ldrt"], &["CLgr"]);
    edit(&mut w3e, 2, 2, |v| (v.layer, v.cliff_texture) = (3, 0));
    let (terrain, _) = open(&w3e);
    let mut raised = fallback::cliff(*b"ABAA");
    raised.positions.iter_mut().for_each(|p| p.z += 70.0);
    let mut models = CliffModels::default();
    models.insert(PieceKey::new("Cliffs", *b"ABAA"), vec![Arc::new(raised)]);
    let ownership = Ownership::new(&terrain, &models);
    let vertices = cliff_vertices(&terrain, &ownership, &models);
    // (1,1) borders ground at 0; the raised piece is 70 above it and stays there.
    assert!(heights_at(&vertices, &terrain, 1, 1).iter().all(|&z| z == 70.0 || z == 0.0));
    assert!(heights_at(&vertices, &terrain, 1, 1).contains(&70.0));
}

#[test]
fn weld_crosses_segments_and_materials() {
    // A wall along y = 8, the border of two segments in x at 8, with another cliff type beyond it.
    let mut w3e = flat(18, 12, &["Ldrt"], &["CLgr", "CVdi"]);
    for y in 5..12 {
        for x in 0..18 {
            edit(&mut w3e, x, y, |v| (v.layer, v.cliff_texture) = (3, u8::from(x >= 8)));
        }
    }
    let (terrain, _) = open(&w3e);
    // Two pieces whose normals at the common edge differ: the weld makes them one.
    let mut models = CliffModels::default();
    let mut lean = fallback::cliff(*b"BBAA");
    for (p, n) in lean.positions.iter().zip(&mut lean.normals) {
        *n = if p.y > 64.0 { Vec3::new(-0.6, 0.0, 0.8) } else { Vec3::new(-0.8, 0.0, 0.6) };
    }
    models.insert(PieceKey::new("Cliffs", *b"BBAA"), vec![Arc::new(lean)]);
    let ownership = Ownership::new(&terrain, &models);
    let batch = cliffs::bake(&terrain, &ownership, &models, CliffOptions::default());
    let vertices: Vec<CliffVertex> = bytemuck::pod_collect_to_vec(&batch.vertices);
    assert!(batch.draws.iter().any(|d| d.material == 0) && batch.draws.iter().any(|d| d.material == 1));
    let at: Vec<_> = batch
        .draws
        .iter()
        .map(|d| {
            let range = d.vertices.start as usize..d.vertices.end as usize;
            let on = |v: &&CliffVertex| v.position[..2] == [8.0 * 128.0, 4.5 * 128.0] && v.position[2] == 0.0;
            ((d.material, d.segment), vertices[range].iter().filter(on).map(|v| v.normal).collect::<Vec<_>>())
        })
        .filter(|(_, normals)| !normals.is_empty())
        .collect();
    assert!(at.len() >= 2, "{at:?}");
    assert!(at.iter().all(|(_, normals)| normals[0] == at[0].1[0]), "{at:?}");
}

#[test]
fn blight_keeps_cliff_corners() {
    let mut w3e = bend();
    w3e.vertices.iter_mut().for_each(|v| v.blight = true);
    let (terrain, _) = open(&w3e);
    let ownership = Ownership::new(&terrain, &natural());
    let painted = paint::paint(&terrain, &ownership, Some(9));
    let mut low = 0;
    for y in 0..6i32 {
        for x in 0..6i32 {
            let blighted = painted[terrain.index(x as u32, y as u32)] == 9;
            assert_eq!(blighted, ownership.vertex_is_ground(x, y), "({x}, {y})");
            low += usize::from(matches!(ownership.owner(x, y), Some(Owner::RampLow(_))));
        }
    }
    assert!(low > 0 && painted.contains(&9));
}

#[test]
fn water_height_and_tint() {
    let mut w3e = flat(3, 3, &["Ldrt"], &["CLgr"]);
    edit(&mut w3e, 1, 1, |v| (v.water, v.raw_water, v.raw_height) = (true, 0x2000 + 400, 0x2000 - 400));
    let (terrain, _) = open(&w3e);
    // raw / 4 - 2048 + height * 128
    assert!((terrain.water_surface().at(1, 1) - (100.0 - 0.7 * 128.0)).abs() < 1e-3);
    assert_eq!(water::underwater(-5.0), [1.0; 4]);
    assert_eq!(water::underwater(125.0), [0.5, 0.625, 0.75, 1.0]);
    assert!((water::underwater(1e6)[0] - 0.05).abs() < 1e-6, "never darker than 0.05");
    // Bands: nothing changes up to 10 units, shallow to 64, deep to 72.
    let red = |depth| water::depth_color(&terrain.water, depth)[0];
    assert_eq!([red(0.0), red(10.0), red(64.0)], [0.0, 0.0, 1.0]);
    assert!((red(37.0) - 0.5).abs() < 1e-6);
    assert_eq!(water::depth_color(&terrain.water, 72.0), water::depth_color(&terrain.water, 1000.0));
    assert_eq!([water::water_uv(2, 1), water::water_uv(3, 0), water::water_uv(4, 0)], [1.0, 0.0, 1.0 / 3.0]);
}

#[test]
fn water_skips_map_edge() {
    let mut w3e = flat(4, 4, &["Ldrt"], &["CLgr"]);
    edit(&mut w3e, 3, 3, |v| v.water = true);
    let (terrain, _) = open(&w3e);
    assert!(water::is_drawn(&terrain, 2, 2), "the last row and column are drawn");
    assert!(!water::is_drawn(&terrain, 1, 1));
    edit(&mut w3e, 2, 2, |v| v.map_edge = true);
    let (terrain, _) = open(&w3e);
    assert!(!water::is_drawn(&terrain, 2, 2));
    assert!(water::bake(&terrain).draws.is_empty());
}

#[test]
fn baked_shadow_polarity() {
    let mut shd = Shd::empty(2, 1);
    shd.texels[3] = 255;
    let texture = shadow::texture(&shd);
    assert_eq!((texture.size, texture.texels[3]), ([8, 4], 0), "dark where the file has 255");
    assert!(texture.texels.iter().enumerate().all(|(i, &t)| i == 3 || t == 255));
}

#[test]
fn duplicates_in_the_cliff_list_keep_their_indices() {
    let mut w3e = flat(4, 4, &["Ldrt", "Lgrs", "Vdrt"], &["CLgr", "CLgr", "Czzz", "CVdi"]);
    edit(&mut w3e, 1, 1, |v| (v.layer, v.cliff_texture) = (3, 3));
    let (terrain, diagnostics) = open(&w3e);
    assert_eq!(terrain.cliff_types[slot(&terrain, 1, 1).index].id.to_string(), "CVdi");
    assert_eq!(diagnostics.len(), 1, "the unknown id is reported and keeps its slot");
}

#[test]
fn a_slope_beside_a_cliff_has_no_gap_under_its_edge() {
    // Ground with four ramp corners rises from column 1 to 2; the cell south of it is a cliff that steps in the middle.
    let mut w3e = flat(4, 5, &["Ldrt"], &["CLgr"]);
    for y in 0..5 {
        for x in 2..4 {
            edit(&mut w3e, x, y, |v| (v.layer, v.cliff_texture) = (4, 0));
        }
    }
    for (x, y) in [(1, 2), (2, 2), (1, 3), (2, 3)] {
        edit(&mut w3e, x, y, |v| v.ramp = true);
    }
    let (terrain, _) = open(&w3e);
    let models = CliffModels::default();
    let ownership = Ownership::new(&terrain, &models);
    assert_eq!((ownership.owner(1, 2), ownership.owner(1, 1)), (Some(Owner::Ground), Some(Owner::Cliff)));
    let batch = cliffs::bake(&terrain, &ownership, &models, CliffOptions::default());
    let vertices: Vec<CliffVertex> = bytemuck::pod_collect_to_vec(&batch.vertices);
    // Both sides of a curtain from the slope's edge (0 to 256) down to the base hang on the border at y = 2.
    let curtains = batch.indices.chunks_exact(3).filter(|t| {
        let p = [0, 1, 2].map(|i| vertices[t[i] as usize].position);
        let ends = |x: f32, z: f32| p.contains(&[x, 256.0, z]);
        p.iter().all(|p| p[1] == 256.0) && ends(128.0, 0.0) && ends(256.0, 0.0) && ends(256.0, 256.0)
    });
    assert_eq!(curtains.count(), 2);
}

#[test]
fn a_ramp_that_ends_at_its_low_corner_is_a_cliff() {
    // As in the form LABH, but the vertex north of the low corner is no ramp: the ground there is not lifted.
    let mut w3e = flat(6, 6, &["Ldrt"], &["CLgr"]);
    for (x, y, layer, ramp) in [(2, 2, 3, true), (3, 2, 3, false), (2, 3, 2, true)] {
        edit(&mut w3e, x, y, |v| (v.layer, v.ramp, v.cliff_texture) = (layer, ramp, 0));
    }
    let owner = |w3e: &W3e| Ownership::new(&open(w3e).0, &natural()).owner(2, 2);
    assert_eq!(owner(&w3e), Some(Owner::Cliff));
    edit(&mut w3e, 2, 4, |v| v.ramp = true);
    assert_eq!(owner(&w3e), Some(Owner::Ramp(form_of(b"LABH"))));
}
