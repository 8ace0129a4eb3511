//! The built-in map: a summer valley with a river, two lakes, plateaus of both cliff types and ramps in all four directions.

mod info;
mod land;
mod shadow;

pub(crate) use land::Land;

/// Vertices a side.
pub(crate) const SIDE: usize = 97;

/// World units between two vertices.
pub(crate) const TILE: f32 = 128.0;

/// Ground types of the map, lowest first.
const GROUND: [&[u8; 4]; 6] = [b"Ldrt", b"Ldro", b"Ldrg", b"Lrok", b"Lgrs", b"Lgrd"];

/// Cliff types of the map.
const CLIFF: [&[u8; 4]; 2] = [b"CLdi", b"CLgr"];

/// The map's files: names inside the map and their bytes.
pub(crate) fn files() -> Vec<(String, Vec<u8>)> {
    let land = Land::new();
    vec![
        ("war3map.w3e".to_owned(), environment(&land)),
        ("war3map.w3i".to_owned(), info::write()),
        ("war3map.shd".to_owned(), shadow::bake(&land)),
    ]
}

/// `war3map.w3e`, version 11.
fn environment(land: &Land) -> Vec<u8> {
    let mut out = b"W3E!".to_vec();
    let word = |out: &mut Vec<u8>, v: u32| out.extend(v.to_le_bytes());
    word(&mut out, 11);
    out.push(b'L');
    word(&mut out, 0);
    word(&mut out, GROUND.len() as u32);
    GROUND.iter().for_each(|id| out.extend_from_slice(*id));
    word(&mut out, CLIFF.len() as u32);
    CLIFF.iter().for_each(|id| out.extend_from_slice(*id));
    word(&mut out, SIDE as u32);
    word(&mut out, SIDE as u32);
    let half = (SIDE - 1) as f32 * TILE / 2.0;
    out.extend((-half).to_le_bytes());
    out.extend((-half).to_le_bytes());
    for v in &land.vertices {
        // 0x2000 is height 0, four steps a world unit
        let raw = (0x2000 + (v.height * 4.0).round() as i32).clamp(0, 0xFFFF) as u16;
        out.extend(raw.to_le_bytes());
        let level = (0x2000 + (v.water_level * 4.0).round() as i32).clamp(0, 0x3FFF) as u16;
        out.extend((level | if v.edge { 0x4000 } else { 0 }).to_le_bytes());
        let flag = |on: bool, bit: u8| if on { bit } else { 0 };
        out.push(v.ground | flag(v.ramp, 0x10) | flag(v.blight, 0x20) | flag(v.water, 0x40) | flag(v.edge, 0x80));
        out.push((v.variation & 31) | (v.cliff_variation << 5));
        out.push((v.cliff << 4) | (v.layer & 15));
    }
    out
}
