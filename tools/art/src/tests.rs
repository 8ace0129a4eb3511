//! What the generated files promise to those who load them.

use std::collections::{BTreeMap, BTreeSet};

use crate::catalog::{CLIFFS, TILES, TILESETS, tile, tile_path};
use crate::material::{CELL as TEXELS, Edge};
use crate::piece::{self, CELL, Style, configurations, profile, ramp_forms, ramp_place};
use crate::preview::read::{self, Model};
use crate::{builtin, sheet};

fn model(style: Style, ramp: bool, letters: &str, variation: u32) -> Model {
    let piece = piece::build(style, ramp, letters, variation);
    read::mdx(&crate::mdx::write_static("x", "y.blp", &piece.mesh)).unwrap()
}

/// Positions in 1/16 units, so that equal corners compare equal.
fn key(p: [f32; 3]) -> [i32; 3] {
    p.map(|v| (v * 16.0).round() as i32)
}

/// Mesh edges that only one triangle has, by position.
fn open_edges(m: &Model) -> Vec<[[i32; 3]; 2]> {
    let mut balance: BTreeMap<[[i32; 3]; 2], i32> = BTreeMap::new();
    for t in &m.triangles {
        for k in 0..3 {
            let (a, b) = (key(m.positions[t[k]]), key(m.positions[t[(k + 1) % 3]]));
            if a < b {
                *balance.entry([a, b]).or_default() += 1;
            } else if b < a {
                *balance.entry([b, a]).or_default() -= 1;
            }
        }
    }
    balance.into_iter().filter(|(_, n)| *n != 0).map(|(e, _)| e).collect()
}

/// The polyline that a side must show: from corner `a` to corner `b`, whose heights are levels.
fn side_line(style: Style, a: ([f32; 2], f32), b: ([f32; 2], f32)) -> Vec<[i32; 3]> {
    let level = |z: f32| (z / CELL).round() as u8;
    let (low, high) = if a.1 <= b.1 { (a, b) } else { (b, a) };
    let mut line = vec![[low.0[0], low.0[1], low.1]];
    if low.1 < high.1 {
        for p in profile::whole(style, level(high.1) - level(low.1)).points {
            let t = (CELL / 2.0 + p[0]) / CELL;
            line.push([low.0[0] + (high.0[0] - low.0[0]) * t, low.0[1] + (high.0[1] - low.0[1]) * t, low.1 + p[1]]);
        }
    }
    line.push([high.0[0], high.0[1], high.1]);
    line.into_iter().map(key).collect()
}

fn segments(lines: &[Vec<[i32; 3]>]) -> BTreeSet<[[i32; 3]; 2]> {
    lines
        .iter()
        .flat_map(|l| l.windows(2).map(|w| if w[0] < w[1] { [w[0], w[1]] } else { [w[1], w[0]] }))
        .filter(|s| s[0] != s[1])
        .collect()
}

#[test]
fn cliff_pieces_are_closed_and_show_the_shared_outline_on_every_side() {
    for style in [Style::Rock, Style::City] {
        for letters in configurations() {
            for variation in 0..=piece::last_variation(style, &letters) {
                let m = model(style, false, &letters, variation);
                let z = |i: usize| f32::from(letters.as_bytes()[i] - b'A') * CELL;
                let corners = [([0.0, CELL], z(0)), ([CELL, CELL], z(1)), ([CELL, 0.0], z(2)), ([0.0, 0.0], z(3))];
                let lines: Vec<_> = (0..4).map(|i| side_line(style, corners[i], corners[(i + 1) % 4])).collect();
                let open: BTreeSet<_> = open_edges(&m).into_iter().collect();
                assert_eq!(open, segments(&lines), "{style:?} {letters}{variation}");
            }
        }
    }
}

#[test]
fn ramp_pieces_are_closed_and_meet_slope_cliff_and_ground() {
    for style in [Style::Rock, Style::City] {
        for letters in ramp_forms() {
            let m = model(style, true, &letters, 0);
            let place = ramp_place(&letters).unwrap();
            let corner = |c: [i32; 2]| -> ([f32; 2], f32) {
                // letters north-west, north-east, south-east, south-west
                let i = [[0, 1], [1, 1], [1, 0], [0, 0]].iter().position(|o| *o == c).unwrap();
                let z = match letters.as_bytes()[i] {
                    b'A' => 0.0,
                    b'B' | b'H' => CELL,
                    b'C' | b'X' => 2.0 * CELL,
                    // the low ramp corner is the raised middle of the slope
                    _ => CELL / 2.0,
                };
                ([c[0] as f32 * CELL - place.shift[0], c[1] as f32 * CELL - place.shift[1]], z)
            };
            let find = |wanted: &str| letters.find(|c| wanted.contains(c)).unwrap();
            let offsets = [[0, 1], [1, 1], [1, 0], [0, 0]];
            let (high, low) = (offsets[find("HX")], offsets[find("L")]);
            let down = [low[0] - high[0], low[1] - high[1]];
            let beside = offsets
                .into_iter()
                .find(|o| *o != low && (o[0] - high[0]) * down[0] + (o[1] - high[1]) * down[1] == 0 && *o != high)
                .unwrap();
            let opposite = [beside[0] + down[0], beside[1] + down[1]];
            let beyond = |c: [i32; 2]| {
                let (p, _) = corner(c);
                ([p[0] + down[0] as f32 * CELL, p[1] + down[1] as f32 * CELL], 0.0)
            };
            let straight =
                |a: ([f32; 2], f32), b: ([f32; 2], f32)| vec![key([a.0[0], a.0[1], a.1]), key([b.0[0], b.0[1], b.1])];
            let lines = [
                straight(corner(high), corner(low)),
                straight(corner(low), beyond(low)),
                straight(beyond(low), beyond(opposite)),
                straight(beyond(opposite), corner(opposite)),
                side_line(style, corner(opposite), corner(beside)),
                side_line(style, corner(beside), corner(high)),
            ];
            let open: BTreeSet<_> = open_edges(&m).into_iter().collect();
            assert_eq!(open, segments(&lines), "{style:?} {letters}");
        }
    }
}

#[test]
fn neighbouring_rock_pieces_agree_on_normals() {
    // every normal on an outline point is the outline's own, whatever the piece, so welding has nothing to mend
    let mut seen: BTreeMap<(u8, [i32; 2], usize), BTreeSet<[i32; 3]>> = BTreeMap::new();
    for letters in configurations() {
        let m = model(Style::Rock, false, &letters, 0);
        let z = |i: usize| letters.as_bytes()[i] - b'A';
        // the west side: letters 0 (north) and 3 (south)
        let (north, south) = (z(0), z(3));
        for (p, n) in m.positions.iter().zip(&m.normals) {
            let steep = n[2] < 0.95;
            if p[0].abs() < 0.01 && north != south && steep {
                let base = f32::from(north.min(south)) * CELL;
                let spot = key([p[1], p[2] - base, 0.0]);
                let sides = usize::from(north > south) * 4 + usize::from(north.abs_diff(south));
                seen.entry((0, [spot[0], spot[1]], sides)).or_default().insert(n.map(|v| (v * 1000.0).round() as i32));
            }
        }
    }
    assert!(!seen.is_empty());
    for (spot, normals) in seen {
        assert_eq!(normals.len(), 1, "{spot:?}: {normals:?}");
    }
}

#[test]
fn meshes_are_sane() {
    for (style, ramp, letters, variation) in piece::orders() {
        let m = model(style, ramp, &letters, variation);
        assert!(m.triangles.len() >= 8 && m.triangles.len() <= 400, "{letters}: {}", m.triangles.len());
        for n in &m.normals {
            let l = n.iter().map(|v| v * v).sum::<f32>().sqrt();
            assert!((l - 1.0).abs() < 1e-3, "{letters}: normal of length {l}");
        }
        assert!(m.uvs.iter().flatten().all(|v| (-0.001..=1.001).contains(v)), "{letters}: uv outside the texture");
        for t in &m.triangles {
            let [a, b, c] = t.map(|i| m.positions[i]);
            let (e, f) = ([0, 1, 2].map(|k| b[k] - a[k]), [0, 1, 2].map(|k| c[k] - a[k]));
            let face = [e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2], e[0] * f[1] - e[1] * f[0]];
            let length = face.iter().map(|v| v * v).sum::<f32>().sqrt();
            for i in t {
                let facing = (0..3).map(|k| face[k] * m.normals[*i][k]).sum::<f32>() / length;
                assert!(facing > -0.35, "{style:?} {letters}{variation}: a face turned from its normal, {facing}");
            }
        }
        let reach = if ramp { 2.0 * CELL } else { CELL };
        assert!(m.positions.iter().all(|p| p[0] > -0.01 && p[1] > -0.01 && p[0] < reach + 0.01 && p[1] < reach + 0.01));
    }
}

#[test]
fn native_corners_carry_their_letters() {
    // letters north-west, north-east, south-east, south-west stand at these native corners
    let corners = [[-CELL, 0.0], [-CELL, CELL], [0.0, CELL], [0.0, 0.0]];
    for letters in ["BAAA", "ABAA", "AABA", "AAAB", "ACBA"] {
        let mesh = piece::build(Style::City, false, letters, 0).mesh;
        for (corner, letter) in corners.iter().zip(letters.bytes()) {
            let z = f32::from(letter - b'A') * CELL;
            assert!(mesh.positions.contains(&[corner[0], corner[1], z]), "{letters}: {corner:?}");
        }
    }
    // a ramp to the east is long in native y, one to the south in native x
    let extent = |letters: &str, axis: usize| {
        let mesh = piece::build(Style::Rock, true, letters, 0).mesh;
        mesh.positions.iter().map(|p| p[axis]).fold(f32::MIN, f32::max)
            - mesh.positions.iter().map(|p| p[axis]).fold(f32::MAX, f32::min)
    };
    assert_eq!([extent("BALH", 0), extent("BALH", 1)], [CELL, 2.0 * CELL]);
    assert_eq!([extent("BHLA", 0), extent("BHLA", 1)], [2.0 * CELL, CELL]);
}

#[test]
fn variations_of_a_piece_differ() {
    let [a, b] = [0, 1].map(|v| model(Style::Rock, false, "AABB", v));
    assert_ne!(a.positions, b.positions);
}

#[test]
fn every_configuration_and_ramp_form_has_a_file() {
    let paths: BTreeSet<String> =
        piece::orders().into_iter().map(|(s, r, l, v)| piece::build(s, r, &l, v).path()).collect();
    assert_eq!(configurations().len(), 64);
    assert_eq!(ramp_forms().len(), 32);
    for letters in configurations() {
        for dir in ["Cliffs", "CityCliffs"] {
            assert!(paths.contains(&format!("Doodads\\Terrain\\{dir}\\{dir}{letters}0.mdx")), "{dir} {letters}");
        }
    }
    for letters in ["AAHL", "LHBA", "AAXL", "LXCA"] {
        for dir in ["CliffTrans", "CityCliffTrans"] {
            assert!(paths.contains(&format!("Doodads\\Terrain\\{dir}\\{dir}{letters}0.mdx")), "{dir} {letters}");
        }
    }
    assert!(paths.contains("Doodads\\Terrain\\CityCliffs\\CityCliffsABBA3.mdx"));
}

#[test]
fn blend_cells_meet_wherever_their_shared_corners_agree() {
    for edge in [Edge::Soft, Edge::Ragged, Edge::Broken, Edge::Lobed] {
        for left in 1..15u32 {
            for right in 1..15u32 {
                for i in 0..TEXELS {
                    let t = (i as f32 + 0.5) / TEXELS as f32;
                    // left cell's east corners (4, 1) against the right cell's west corners (8, 2)
                    if (left & 4 != 0) == (right & 8 != 0) && (left & 1 != 0) == (right & 2 != 0) {
                        let d = sheet::alpha(edge, left, 1.0, t) - sheet::alpha(edge, right, 0.0, t);
                        assert!(d.abs() < 1e-4, "{edge:?} {left} beside {right} at {t}: {d}");
                    }
                    // upper cell's south corners (1, 2) against the lower cell's north corners (4, 8)
                    if (left & 1 != 0) == (right & 4 != 0) && (left & 2 != 0) == (right & 8 != 0) {
                        let d = sheet::alpha(edge, left, t, 1.0) - sheet::alpha(edge, right, t, 0.0);
                        assert!(d.abs() < 1e-4, "{edge:?} {left} over {right} at {t}: {d}");
                    }
                }
            }
        }
    }
}

#[test]
fn blend_cells_cover_their_own_corners_only() {
    for edge in [Edge::Soft, Edge::Ragged, Edge::Broken, Edge::Lobed] {
        for mask in 1..15u32 {
            for (bit, x, y) in [(4, 1.0, 0.0), (8, 0.0, 0.0), (1, 1.0, 1.0), (2, 0.0, 1.0)] {
                let a = sheet::alpha(edge, mask, x, y);
                assert_eq!(a, if mask & bit != 0 { 1.0 } else { 0.0 }, "{edge:?} mask {mask} corner {bit}");
            }
        }
        assert_eq!(sheet::alpha(edge, 0, 0.3, 0.3), 1.0);
        assert_eq!(sheet::alpha(edge, 15, 0.3, 0.3), 1.0);
    }
}

/// Mean colour step between two columns of texels.
fn step(a: &[[f32; 4]], b: &[[f32; 4]]) -> f32 {
    a.iter().zip(b).map(|(p, q)| (0..3).map(|k| (p[k] - q[k]).abs()).sum::<f32>()).sum::<f32>() / a.len() as f32
}

#[test]
fn ground_cells_and_variations_tile_without_a_seam() {
    for t in TILES {
        let canvas = sheet::ground_canvas(t);
        assert_eq!((canvas.width, canvas.height), (if t.extended() { 512 } else { 256 }, 256), "{}", t.id);
        let column = |cx: usize, cy: usize, x: usize| -> Vec<[f32; 4]> {
            (0..TEXELS).map(|y| canvas.at(cx * TEXELS + x, cy * TEXELS + y)).collect()
        };
        let cells: Vec<(usize, usize)> =
            if t.extended() { vec![(0, 0), (4, 0), (4, 1), (5, 2), (7, 3)] } else { vec![(0, 0)] };
        // the largest step inside a cell bounds what a border may do: laid stone has joints
        let inner = (0..TEXELS - 1).map(|x| step(&column(0, 0, x), &column(0, 0, x + 1))).fold(0.0, f32::max);
        for a in &cells {
            for b in &cells {
                let border = step(&column(a.0, a.1, TEXELS - 1), &column(b.0, b.1, 0));
                assert!(border <= inner * 1.35 + 0.02, "{}: {a:?} beside {b:?}: {border} against {inner}", t.id);
            }
        }
    }
}

/// Reads a table back: rows of cells by column name.
fn table(bytes: &[u8]) -> Vec<BTreeMap<String, String>> {
    let text = String::from_utf8(bytes.to_vec()).unwrap();
    let (mut y, mut cells) = (0usize, BTreeMap::new());
    for line in text.lines().filter(|l| l.starts_with("C;")) {
        let mut x = 0usize;
        for field in line[2..].split(';') {
            match field.split_at(1) {
                ("X", v) => x = v.parse().unwrap(),
                ("Y", v) => y = v.parse().unwrap(),
                ("K", v) => drop(cells.insert((y, x), v.trim_matches('"').to_owned())),
                _ => panic!("field {field}"),
            }
        }
    }
    let rows = cells.keys().map(|k| k.0).max().unwrap();
    (2..=rows)
        .map(|y| {
            (1..)
                .map_while(|x| Some((cells.get(&(1, x))?.clone(), cells.get(&(y, x)).cloned().unwrap_or_default())))
                .collect()
        })
        .collect()
}

fn tables() -> BTreeMap<String, Vec<u8>> {
    crate::tables().into_iter().collect()
}

#[test]
fn terrain_rows_name_files_that_exist() {
    let rows = table(&tables()["TerrainArt\\Terrain.slk"]);
    let paths: BTreeSet<String> = TILES.iter().map(tile_path).collect();
    assert_eq!(rows.len(), TILES.len());
    assert_eq!(paths.len(), TILES.len(), "two ground types share a file");
    for row in rows {
        assert!(paths.contains(&format!("{}\\{}.blp", row["dir"], row["file"])), "{row:?}");
    }
}

#[test]
fn maps_can_override_sheets_under_their_known_names() {
    for (id, path) in [
        ("Ldrt", "TerrainArt\\LordaeronSummer\\Lords_Dirt.blp"),
        ("Ybtl", "TerrainArt\\Cityscape\\City_BrickTiles.blp"),
        ("Yblm", "TerrainArt\\Cityscape\\City_BlackMarble.blp"),
        ("Cdrd", "TerrainArt\\Felwood\\Felwood_DirtRough.blp"),
        ("Wsnw", "TerrainArt\\LordaeronWinter\\Lordw_Snow.blp"),
        ("Ndrd", "TerrainArt\\Northrend\\North_dirtdark.blp"),
        ("Idki", "TerrainArt\\Icecrown\\Ice_DarkIce.blp"),
        ("Xdrt", "TerrainArt\\Dalaran\\Dalaran_Dirt.blp"),
        ("Xsqd", "TerrainArt\\Dalaran\\Dalaran_SquareTiles.blp"),
    ] {
        assert_eq!(tile_path(tile(id).unwrap()), path);
    }
}

#[test]
fn cliff_rows_follow_the_games() {
    let rows = table(&tables()["TerrainArt\\CliffTypes.slk"]);
    let row = |id: &str| rows.iter().find(|r| r["cliffID"] == id).unwrap();
    for (id, texture, ground, upper, ramps) in [
        ("CLgr", "Cliff1", "Lgrs", "_", "CliffTrans"),
        ("CVdi", "Cliff0", "Vdrt", "_", "CliffTrans"),
        ("CXsq", "Cliff1", "Xsqd", "_", "CityCliffTrans"),
        ("COrd", "Cliff1", "Oaby", "Osmb", "CliffTrans"),
    ] {
        let r = row(id);
        assert_eq!(
            [&r["texFile"], &r["groundTile"], &r["upperTile"], &r["rampModelDir"]],
            [texture, ground, upper, ramps]
        );
    }
    for c in CLIFFS {
        assert!(tile(c.ground).is_some(), "{}: ground {}", c.id, c.ground);
        assert!(c.upper == "_" || tile(c.upper).is_some(), "{}: upper {}", c.id, c.upper);
    }
}

#[test]
fn every_tileset_has_water_blight_and_two_cliff_textures() {
    let water = table(&tables()["TerrainArt\\Water.slk"]);
    for t in TILESETS {
        let row = water.iter().find(|r| r["waterID"] == format!("{}Sha", t.letter)).unwrap();
        for column in ["height", "numTex", "texRate", "Smin_R", "Smax_A", "Dmin_G", "Dmax_B"] {
            assert!(row[column].parse::<f64>().is_ok(), "{} {column}: {:?}", t.letter, row[column]);
        }
        let layer: Vec<String> = crate::tileset_files(t.letter).into_iter().map(|f| f.0).collect();
        assert_eq!(layer, ["ReplaceableTextures\\Cliff\\Cliff0.blp", "ReplaceableTextures\\Cliff\\Cliff1.blp"]);
    }
    assert!(crate::tileset_files('?').is_empty());
}

#[test]
fn every_id_that_real_maps_use_has_a_row() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/manifest.tsv");
    let Ok(manifest) = std::fs::read_to_string(path) else {
        eprintln!("skipped: no ../shared/data/manifest.tsv");
        return;
    };
    let known: BTreeSet<&str> = crate::ground_ids().into_iter().chain(crate::cliff_ids()).collect();
    let lists = manifest.split_whitespace().filter(|w| w.starts_with("ground[") || w.starts_with("cliffs["));
    let mut count = 0;
    for id in lists.filter_map(|w| w.split_once('=')).flat_map(|(_, ids)| ids.split(',')).filter(|id| id.len() == 4) {
        assert!(known.contains(id), "no row for {id}");
        count += 1;
    }
    assert!(count > 400, "{count} ids read");
}

#[test]
fn the_same_bytes_come_out_of_every_run() {
    let (first, second) = (crate::files(), crate::files());
    assert!(first == second);
    assert!(crate::builtin_map() == crate::builtin_map());
    let paths: BTreeSet<String> = first.iter().map(|f| f.0.to_ascii_lowercase()).collect();
    assert_eq!(paths.len(), first.len(), "two files share a path");
    for (path, bytes) in &first {
        if path.ends_with(".blp") {
            assert!(read::blp(bytes).is_some(), "{path}");
        }
    }
}

#[test]
fn the_map_shows_every_rule_and_breaks_none() {
    let land = builtin::Land::new();
    let at = |x: usize, y: usize| &land.vertices[y * builtin::SIDE + x];
    let forms: BTreeSet<String> = configurations().into_iter().chain(ramp_forms()).collect();
    let (mut ramps, mut cliffs, mut triples) = (BTreeSet::new(), BTreeSet::new(), 0);
    for y in 0..builtin::SIDE - 1 {
        for x in 0..builtin::SIDE - 1 {
            let cell = [at(x, y + 1), at(x + 1, y + 1), at(x + 1, y), at(x, y)];
            let grounds: BTreeSet<u8> = cell.iter().map(|v| v.ground).collect();
            triples += usize::from(grounds.len() >= 3);
            let base = cell.iter().map(|v| v.layer).min().unwrap();
            if cell.iter().all(|v| v.layer == base) || cell.iter().all(|v| v.ramp) {
                continue;
            }
            let count = cell.iter().filter(|v| v.ramp).count();
            let letters: String = cell
                .iter()
                .map(|v| char::from(if v.ramp && count == 2 { b"LHX" } else { b"ABC" }[usize::from(v.layer - base)]))
                .collect();
            assert!(forms.contains(&letters), "cell {x},{y} needs {letters}");
            if let Some(place) = ramp_place(&letters) {
                // the low neighbour is level ground with no cliff of its own
                let (nx, ny) = (x.saturating_add_signed(place.low[0]), y.saturating_add_signed(place.low[1]));
                assert!(
                    [(0, 0), (1, 0), (0, 1), (1, 1)].iter().all(|(u, v)| at(nx + u, ny + v).layer == base),
                    "{x},{y}"
                );
                ramps.insert(place.low);
            } else {
                cliffs.insert(letters);
            }
        }
    }
    assert_eq!(ramps.len(), 4, "ramps lead down to {ramps:?}");
    assert!(cliffs.len() > 25 && cliffs.iter().any(|l| l.contains('C')), "{cliffs:?}");
    assert!(triples > 20, "{triples} tiles with three ground types");
    for (what, some) in [
        ("water", land.vertices.iter().any(|v| v.water)),
        ("blight", land.vertices.iter().any(|v| v.blight)),
        ("edge", land.vertices.iter().any(|v| v.edge)),
        ("both cliff types", land.vertices.iter().any(|v| v.cliff == 0) && land.vertices.iter().any(|v| v.cliff == 1)),
    ] {
        assert!(some, "{what}");
    }
    let files: BTreeMap<String, Vec<u8>> = crate::builtin_map().into_iter().collect();
    assert_eq!(files["war3map.w3e"].len(), 37 + 4 * 8 + 7 * 97 * 97);
    assert_eq!(files["war3map.shd"].len(), 96 * 4 * 96 * 4);
    let shadowed = files["war3map.shd"].iter().filter(|b| **b == 0xFF).count();
    assert!(shadowed > 1000 && files["war3map.shd"].iter().all(|b| *b == 0 || *b == 0xFF), "{shadowed}");
}
