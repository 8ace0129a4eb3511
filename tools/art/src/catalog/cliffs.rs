//! Cliff types: which pieces and which of the two cliff textures they use, and the ground at their feet.

use super::tile;
use crate::canvas::{Rgb, blend, rgb, scale};

/// One cliff type.
#[derive(Debug)]
pub(crate) struct Cliff {
    pub(crate) tileset: char,
    pub(crate) id: &'static str,
    /// 0 or 1: texture `Cliff0` or `Cliff1`.
    pub(crate) slot: u8,
    /// Masonry pieces instead of rock.
    pub(crate) city: bool,
    pub(crate) ground: &'static str,
    /// Ground on high corners, `_` = as `ground`.
    pub(crate) upper: &'static str,
}

const fn cliff(tileset: char, id: &'static str, slot: u8, city: bool, ground: &'static str) -> Cliff {
    Cliff { tileset, id, slot, city, ground, upper: "_" }
}

/// Every cliff type.
#[rustfmt::skip]
pub(crate) const CLIFFS: &[Cliff] = &[
    cliff('A', "CAdi", 0, false, "Adrt"), cliff('A', "CAgr", 1, false, "Agrs"),
    cliff('B', "CBde", 0, false, "Bdsr"), cliff('B', "CBgr", 1, false, "Bgrr"),
    cliff('C', "CCdi", 0, false, "Cdrt"), cliff('C', "CCgr", 1, false, "Cgrs"),
    cliff('D', "CDdi", 0, false, "Ddrt"), cliff('D', "CDsq", 1, true, "Dsqd"),
    cliff('F', "CFdi", 0, false, "Fdrt"), cliff('F', "CFgr", 1, false, "Fgrs"),
    cliff('G', "CGdi", 0, false, "Gdrt"), cliff('G', "CGsq", 1, true, "Gsqd"),
    cliff('I', "CIrb", 0, true, "Irbk"), cliff('I', "CIsn", 1, false, "Isnw"),
    cliff('J', "CJdi", 0, false, "Jdrt"), cliff('J', "CJsq", 1, true, "Jsqd"),
    cliff('K', "CKdi", 0, false, "Kdrt"), cliff('K', "CKsq", 1, true, "Ksqt"), cliff('K', "CKdk", 1, true, "Kdkt"),
    cliff('L', "CLdi", 0, false, "Ldrt"), cliff('L', "CLgr", 1, false, "Lgrs"),
    cliff('N', "CNdi", 0, false, "Ndrt"), cliff('N', "CNsn", 1, false, "Nsnw"),
    cliff('O', "COdi", 0, false, "Odrt"), cliff('O', "CObd", 0, false, "Odrt"),
    Cliff { tileset: 'O', id: "COrd", slot: 1, city: false, ground: "Oaby", upper: "Osmb" },
    cliff('Q', "CQdi", 0, false, "Qdrt"), cliff('Q', "CQgr", 1, false, "Qgrs"),
    cliff('V', "CVdi", 0, false, "Vdrt"), cliff('V', "CVgr", 1, false, "Vgrs"),
    cliff('W', "CWgr", 0, false, "Wgrs"), cliff('W', "CWsn", 1, false, "Wsnw"),
    cliff('X', "CXdi", 0, false, "Xdrt"), cliff('X', "CXsq", 1, true, "Xsqd"),
    cliff('Y', "CYdi", 0, false, "Ydrt"), cliff('Y', "CYsq", 1, true, "Ysqd"),
    cliff('Z', "CZdi", 0, false, "Zdrt"), cliff('Z', "CZlb", 1, true, "Zbkl"),
];

/// What a wall is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wall {
    Rock,
    Masonry,
}

/// How one cliff texture of a tileset looks.
#[derive(Debug)]
pub(crate) struct Look {
    pub(crate) slot: u8,
    pub(crate) wall: Wall,
    pub(crate) stone: Rgb,
    /// Ground type on top and ground type at the foot.
    pub(crate) upper: &'static str,
    pub(crate) lower: &'static str,
}

/// Rock colour of the two textures, by tileset.
#[rustfmt::skip]
const STONE: &[(char, u32, u32)] = &[
    ('A', 0x66605C, 0x666A6E), ('B', 0xA06A44, 0x94683F), ('C', 0x524A44, 0x504C4A), ('D', 0x54463E, 0x655B55),
    ('F', 0x84684C, 0x7D7062), ('G', 0x4A505A, 0x55606E), ('I', 0x5A6374, 0x7E90A6), ('J', 0x6A6058, 0x74708A),
    ('K', 0x5A433C, 0x50464E), ('L', 0x86694A, 0x7F7869), ('N', 0x70685F, 0x76808C), ('O', 0x834A38, 0x643F3A),
    ('Q', 0x826448, 0x7B6F60), ('V', 0x876B4C, 0x807A6A), ('W', 0x77695E, 0x79828C), ('X', 0x7A6654, 0x82789C),
    ('Y', 0x806C56, 0x8E867A), ('Z', 0x8A7C58, 0x88886F),
];

/// The two cliff textures of a tileset, `Cliff0` first.
pub(crate) fn cliff_looks(letter: char) -> Vec<Look> {
    let stones = STONE.iter().find(|s| s.0 == letter).map_or([0x807870; 2], |s| [s.1, s.2]);
    [0, 1]
        .into_iter()
        .filter_map(|slot| {
            let c = CLIFFS.iter().find(|c| c.tileset == letter && c.slot == slot)?;
            let upper = if c.upper == "_" { c.ground } else { c.upper };
            // a little of the ground's own colour ties the wall to it
            let ground = tile(c.ground).map_or([0.4; 3], |t| rgb(t.mid));
            let stone = scale(blend(rgb(stones[slot as usize]), ground, 0.12), 1.18);
            let wall = if c.city { Wall::Masonry } else { Wall::Rock };
            Some(Look { slot, wall, stone, upper, lower: c.ground })
        })
        .collect()
}

/// Which of its tileset's cliff textures a ground type belongs to, or -1.
pub(super) fn slot_of_ground(id: &str) -> f64 {
    CLIFFS.iter().find(|c| c.ground == id).map_or(-1.0, |c| f64::from(c.slot))
}
