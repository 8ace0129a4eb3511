//! Ground materials: each paints one seamless patch from a base colour, an accent colour and a seed.

mod built;
mod natural;

use crate::canvas::{Patch, Rgb, blend, scale};

/// What a ground type looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Grass,
    ThickGrass,
    Dirt,
    RoughDirt,
    /// Dirt with tufts of the accent colour.
    Tufts,
    Rock,
    Pebbles,
    /// Turf with fallen leaves of the accent colour.
    Leaves,
    Vines,
    /// Dirt with glowing pools of the accent colour.
    Pools,
    Sand,
    Snow,
    /// Rock with patches of the accent colour lying on it.
    Capped,
    Ice,
    Lava,
    /// Dark rock with glowing cracks of the accent colour.
    LavaCracks,
    Abyss,
    Blight,
    Crops,
    Cobble,
    Flagstone,
    SmallBricks,
    LargeBricks,
    RuneBricks,
    SquareTiles,
    RoundTiles,
    Marble,
    Hedge,
}

/// How the edge of a ground type against a lower one looks in the blend cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Edge {
    /// Earth: wide and soft.
    Soft,
    /// Turf: ragged tongues.
    Ragged,
    /// Masonry: narrow, broken in blocks.
    Broken,
    /// Snow: round lobes.
    Lobed,
}

impl Kind {
    /// The sheet has a right half with 16 full-tile variations. Laid stone repeats on purpose and has none.
    pub(crate) fn extended(self) -> bool {
        !matches!(
            self,
            Self::SmallBricks
                | Self::LargeBricks
                | Self::SquareTiles
                | Self::RoundTiles
                | Self::Marble
                | Self::RuneBricks
        )
    }

    pub(crate) fn edge(self) -> Edge {
        match self {
            Self::Grass | Self::ThickGrass | Self::Leaves | Self::Hedge | Self::Crops | Self::Vines => Edge::Ragged,
            Self::Snow | Self::Sand | Self::Ice | Self::Capped => Edge::Lobed,
            Self::Cobble
            | Self::Flagstone
            | Self::SmallBricks
            | Self::LargeBricks
            | Self::RuneBricks
            | Self::SquareTiles
            | Self::RoundTiles
            | Self::Marble => Edge::Broken,
            _ => Edge::Soft,
        }
    }

    /// How much the relief darkens and lights the colour.
    fn relief_strength(self) -> f32 {
        match self {
            Self::Snow | Self::Ice | Self::Lava | Self::Abyss => 0.55,
            Self::Grass | Self::ThickGrass | Self::Leaves | Self::Sand => 0.75,
            _ => 1.0,
        }
    }
}

/// The colours of one ground type.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Colours {
    pub(crate) mid: Rgb,
    pub(crate) accent: Rgb,
}

impl Colours {
    /// The shaded side: darker and a little cooler.
    pub(crate) fn dark(&self) -> Rgb {
        [self.mid[0] * 0.66, self.mid[1] * 0.68, self.mid[2] * 0.76]
    }

    /// The sunny side: lighter and a little warmer.
    pub(crate) fn light(&self) -> Rgb {
        blend(scale(self.mid, 1.22), [1.0, 0.95, 0.80], 0.07)
    }

    /// From dark over mid to light for t in 0..1.
    pub(crate) fn ramp(&self, t: f32) -> Rgb {
        if t < 0.5 {
            blend(self.dark(), self.mid, t * 2.0)
        } else {
            blend(self.mid, self.light(), (t * 2.0 - 1.0).min(1.0))
        }
    }
}

/// Side of a ground cell in texels.
pub(crate) const CELL: usize = 64;

/// Paints the seamless patch of a kind.
pub(crate) fn paint(kind: Kind, colours: &Colours, seed: u32) -> Patch {
    match kind {
        Kind::Grass => natural::grass(colours, seed, 430, 4.2),
        Kind::ThickGrass => natural::grass(colours, seed, 620, 6.5),
        Kind::Dirt => natural::dirt(colours, seed, 9),
        Kind::RoughDirt => natural::rough_dirt(colours, seed),
        Kind::Tufts => natural::tufts(colours, seed),
        Kind::Rock => natural::rock(colours, seed),
        Kind::Pebbles => natural::pebbles(colours, seed),
        Kind::Leaves => natural::leaves(colours, seed),
        Kind::Vines => natural::vines(colours, seed),
        Kind::Pools => natural::pools(colours, seed),
        Kind::Sand => natural::sand(colours, seed),
        Kind::Snow => natural::snow(colours, seed),
        Kind::Capped => natural::capped(colours, seed),
        Kind::Ice => natural::ice(colours, seed),
        Kind::Lava => natural::lava(colours, seed),
        Kind::LavaCracks => natural::lava_cracks(colours, seed),
        Kind::Abyss => natural::abyss(colours, seed),
        Kind::Blight => natural::blight(colours, seed),
        Kind::Crops => natural::crops(colours, seed),
        Kind::Cobble => built::cobble(colours, seed),
        Kind::Flagstone => built::flagstone(colours, seed),
        Kind::SmallBricks => built::bricks(colours, seed, 4, 8),
        Kind::LargeBricks => built::bricks(colours, seed, 2, 4),
        Kind::RuneBricks => built::runes(colours, seed),
        Kind::SquareTiles => built::squares(colours, seed, 4),
        Kind::RoundTiles => built::rounds(colours, seed),
        Kind::Marble => built::marble(colours, seed),
        Kind::Hedge => built::hedge(colours, seed),
    }
}

/// Paints and lights the plain cell of a kind.
pub(crate) fn cell(kind: Kind, colours: &Colours, seed: u32) -> Vec<Rgb> {
    paint(kind, colours, seed).lit(kind.relief_strength())
}

/// The plain cell and 16 variations that all meet each other at every border.
///
/// Each row of four shows one base, its first cell plain and the others with something small on it: the usual weights give the plain
/// ones to nearly every tile, and bytes that repeat along a row pack well.
pub(crate) fn variations(kind: Kind, colours: &Colours, seed: u32) -> (Vec<Rgb>, Vec<Vec<Rgb>>) {
    let base = paint(kind, colours, seed);
    let strength = kind.relief_strength();
    let rows: Vec<Patch> = (0..4u32)
        .map(|row| {
            let mut patch = base.clone();
            if row > 0 {
                patch.inset(&paint(kind, colours, seed.wrapping_add(row * 7919)), 1.0);
            }
            patch
        })
        .collect();
    let cells = (0..16u32)
        .map(|v| {
            let mut patch = rows[v as usize / 4].clone();
            if v % 4 != 0 {
                natural::decorate(&mut patch, kind, colours, seed.wrapping_add(v * 31), v);
            }
            patch.lit(strength)
        })
        .collect();
    (base.lit(strength), cells)
}
