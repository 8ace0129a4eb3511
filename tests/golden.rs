//! Pictures that must not change. They are exact on the pinned rasterizer (lavapipe of Mesa 25.0.7).

#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr, reason = "a test may end at a wrong value")]

mod common;

use common::{assert_golden, data, shot};

const SIZE: &str = "640x360";

/// The map's name here, its path below the real files, and where its camera stands.
const MAPS: &[(&str, &str, &str)] = &[
    // W3E 12 with cliffs, ramps and water.
    ("terrain_12", "w3e/stijnherfst__HiveWE", "0,0,0,50,90,7000"),
    // Four cliff types, six tilesets in one palette, cells that do not fill their segments.
    ("four_cliff_types", "w3e/DawningW__The-end-war", "0,0,0,50,90,7000"),
    // City cliffs, layers 0 to 10.
    ("city_cliffs", "w3e/travisby__tribute.alliance", "0,0,0,45,90,9000"),
    // 480x480 cells.
    ("largest_map", "w3e/bertman12__wc3-invasion-defense", "0,0,0,50,90,24000"),
    // A protected archive with imploded files.
    ("protected_archive", "w3x/inwc3__JMPQ3/implodedTest.w3x", "0,0,0,50,90,7000"),
];

#[test]
fn the_built_in_map_looks_as_it_did() {
    assert_golden("built_in", &shot(&["--size", SIZE]));
}

#[test]
fn the_light_sees_the_built_in_map_as_it_did() {
    assert_golden("built_in_depthmap", &shot(&["--size", SIZE, "--image", "depthmap"]));
}

#[test]
fn maps_by_others_look_as_they_did() {
    let Some(data) = data() else { return };
    for (name, path, camera) in MAPS {
        let path = data.join(path);
        let mut args = vec![path.to_str().unwrap(), "--size", SIZE];
        if !camera.is_empty() {
            args.extend(["--camera", camera]);
        }
        assert_golden(name, &shot(&args));
    }
}

#[test]
fn the_same_inputs_give_the_same_bytes() {
    let args = ["--size", "320x200", "--frames", "3"];
    assert_eq!(common::differing(&shot(&args), &shot(&args)), 0);
}
