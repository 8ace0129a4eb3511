//! Emitters (PREM, PRE2, RIBB, CORN).

use terrace_engine::bytes::{Cursor, FormatError};

use super::bgr_to_rgb;
use super::material::index;
use super::node::{Node, read_node};
use super::reader::{Warnings, tracks};
use super::track::Track;

/// An emitter of models.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ParticleEmitter {
    /// The node.
    pub node: Node,
    /// Models a second.
    pub emission_rate: f32,
    /// World units a second squared, downwards.
    pub gravity: f32,
    /// Degrees about Z.
    pub longitude: f32,
    /// Degrees from Z.
    pub latitude: f32,
    /// Model file.
    pub path: String,
    /// Seconds.
    pub life_span: f32,
    /// World units a second.
    pub speed: f32,
    /// Animated rate (KPEE).
    pub emission_rate_track: Option<Track<f32>>,
    /// Animated gravity (KPEG).
    pub gravity_track: Option<Track<f32>>,
    /// Animated longitude (KPLN).
    pub longitude_track: Option<Track<f32>>,
    /// Animated latitude (KPLT).
    pub latitude_track: Option<Track<f32>>,
    /// Animated life span (KPEL).
    pub life_span_track: Option<Track<f32>>,
    /// Animated speed (KPES).
    pub speed_track: Option<Track<f32>>,
    /// Animated visibility (KPEV).
    pub visibility_track: Option<Track<f32>>,
}

/// How particles are put over what lies under them; other numbers than a layer's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ParticleFilter {
    /// 0: source alpha, one minus source alpha.
    #[default]
    Blend,
    /// 1: source alpha, one.
    Additive,
    /// 2: zero, source colour.
    Modulate,
    /// 3: destination colour, source colour.
    Modulate2x,
    /// 4: opaque where alpha is at least [`super::ALPHA_KEY`] (not "add alpha", as one text says).
    AlphaKey,
}

/// Which quads a particle has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HeadOrTail {
    /// 0: a quad that faces the camera.
    #[default]
    Head,
    /// 1: a quad along its way.
    Tail,
    /// 2: both.
    Both,
}

/// Cells of the texture over a part of a particle's life.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CellInterval {
    /// First cell.
    pub start: u32,
    /// Last cell; before the first for a reversed order.
    pub end: u32,
    /// Times they are played; 0 means once.
    pub repeat: u32,
}

/// An emitter of textured particles. Motion: p = p0 + v t + a t^2 / 2 with a = (0, 0, -gravity).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ParticleEmitter2 {
    /// The node.
    pub node: Node,
    /// World units a second.
    pub speed: f32,
    /// Share of the speed that varies.
    pub variation: f32,
    /// Degrees from Z.
    pub latitude: f32,
    /// World units a second squared, downwards.
    pub gravity: f32,
    /// Seconds.
    pub life_span: f32,
    /// Particles a second.
    pub emission_rate: f32,
    /// Extent of the area along local X: the first of the two stored floats.
    pub length: f32,
    /// Extent of the area along local Y: the second of the two stored floats.
    pub width: f32,
    /// How particles are put over what lies under them.
    pub filter: ParticleFilter,
    /// Rows of cells in the texture, at least 1.
    pub rows: u32,
    /// Columns of cells in the texture, at least 1.
    pub columns: u32,
    /// Which quads a particle has.
    pub head_or_tail: HeadOrTail,
    /// Seconds of its way that a tail shows.
    pub tail_length: f32,
    /// Share of the life at which the second of three values is reached, 0..=1; guard against 0 and 1.
    pub time_middle: f32,
    /// Colours at start, middle and end; stored red first, unlike other colours of the format.
    pub segment_colors: [[f32; 3]; 3],
    /// Alpha at start, middle and end, 0..=255.
    pub segment_alphas: [u8; 3],
    /// Scale at start, middle and end.
    pub segment_scales: [f32; 3],
    /// Cells of the head from start to middle and from middle to end.
    pub head_cells: [CellInterval; 2],
    /// Cells of the tail from start to middle and from middle to end.
    pub tail_cells: [CellInterval; 2],
    /// Index into the model's textures; `None` where the stored one is out of range.
    pub texture: Option<usize>,
    /// Emits in bursts.
    pub squirt: bool,
    /// Higher planes are drawn later.
    pub priority_plane: i32,
    /// Replaceable id of the texture, 0 for none.
    pub replaceable_id: u32,
    /// Animated speed (KP2S).
    pub speed_track: Option<Track<f32>>,
    /// Animated variation (KP2R).
    pub variation_track: Option<Track<f32>>,
    /// Animated latitude (KP2L).
    pub latitude_track: Option<Track<f32>>,
    /// Animated gravity (KP2G).
    pub gravity_track: Option<Track<f32>>,
    /// Animated rate (KP2E).
    pub emission_rate_track: Option<Track<f32>>,
    /// Animated length (KP2N).
    pub length_track: Option<Track<f32>>,
    /// Animated width (KP2W).
    pub width_track: Option<Track<f32>>,
    /// Animated visibility (KP2V).
    pub visibility_track: Option<Track<f32>>,
}

/// A ribbon: two points above and below the pivot along local Y, kept in world space.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ribbon {
    /// The node.
    pub node: Node,
    /// World units above the pivot.
    pub height_above: f32,
    /// World units below the pivot.
    pub height_below: f32,
    /// Static alpha.
    pub alpha: f32,
    /// Static colour.
    pub color: [f32; 3],
    /// Seconds.
    pub life_span: f32,
    /// Cell of the texture.
    pub texture_slot: u32,
    /// Point pairs a second.
    pub emission_rate: u32,
    /// Rows of cells in the texture, at least 1.
    pub rows: u32,
    /// Columns of cells in the texture, at least 1.
    pub columns: u32,
    /// Index into the model's materials; `None` where the stored one is out of range.
    pub material: Option<usize>,
    /// World units a second squared, downwards.
    pub gravity: f32,
    /// Animated height above (KRHA).
    pub height_above_track: Option<Track<f32>>,
    /// Animated height below (KRHB).
    pub height_below_track: Option<Track<f32>>,
    /// Animated alpha (KRAL).
    pub alpha_track: Option<Track<f32>>,
    /// Animated colour (KRCO).
    pub color_track: Option<Track<[f32; 3]>>,
    /// Animated cell (KRTX).
    pub texture_slot_track: Option<Track<u32>>,
    /// Animated visibility (KRVS).
    pub visibility_track: Option<Track<f32>>,
}

/// An emitter of the Reforged particle engine. The view names it and draws nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PopcornEmitter {
    /// The node.
    pub node: Node,
    /// Factor of the life span.
    pub life_span: f32,
    /// Factor of the rate.
    pub emission_rate: f32,
    /// Factor of the speed.
    pub speed: f32,
    /// Red, green, blue, alpha.
    pub color: [f32; 4],
    /// Replaceable id.
    pub replaceable_id: u32,
    /// Effect file.
    pub path: String,
    /// Sequences in which it is on.
    pub visibility_guide: String,
    /// Animated alpha (KPPA).
    pub alpha_track: Option<Track<f32>>,
    /// Animated colour (KPPC).
    pub color_track: Option<Track<[f32; 3]>>,
    /// Animated rate (KPPE).
    pub emission_rate_track: Option<Track<f32>>,
    /// Animated life span (KPPL).
    pub life_span_track: Option<Track<f32>>,
    /// Animated speed (KPPS).
    pub speed_track: Option<Track<f32>>,
    /// Animated visibility (KPPV).
    pub visibility_track: Option<Track<f32>>,
}

pub(super) fn read_particle_emitter(c: &mut Cursor<'_>, w: &mut Warnings) -> Result<ParticleEmitter, FormatError> {
    let mut p = ParticleEmitter {
        node: read_node(c, w)?,
        emission_rate: c.f32("PREM.emissionRate")?,
        gravity: c.f32("PREM.gravity")?,
        longitude: c.f32("PREM.longitude")?,
        latitude: c.f32("PREM.latitude")?,
        path: c.fixed_string(260, "PREM.path")?,
        life_span: c.f32("PREM.lifeSpan")?,
        speed: c.f32("PREM.speed")?,
        ..ParticleEmitter::default()
    };
    tracks(c, "PREM", w, |tag, c| {
        match tag {
            b"KPEE" => p.emission_rate_track = Some(Track::read(c, "KPEE")?),
            b"KPEG" => p.gravity_track = Some(Track::read(c, "KPEG")?),
            b"KPLN" => p.longitude_track = Some(Track::read(c, "KPLN")?),
            b"KPLT" => p.latitude_track = Some(Track::read(c, "KPLT")?),
            b"KPEL" => p.life_span_track = Some(Track::read(c, "KPEL")?),
            b"KPES" => p.speed_track = Some(Track::read(c, "KPES")?),
            b"KPEV" => p.visibility_track = Some(Track::read(c, "KPEV")?),
            _ => return Ok(false),
        }
        Ok(true)
    });
    Ok(p)
}

pub(super) fn read_particle_emitter2(c: &mut Cursor<'_>, w: &mut Warnings) -> Result<ParticleEmitter2, FormatError> {
    let mut p = ParticleEmitter2 {
        node: read_node(c, w)?,
        speed: c.f32("PRE2.speed")?,
        variation: c.f32("PRE2.variation")?,
        latitude: c.f32("PRE2.latitude")?,
        gravity: c.f32("PRE2.gravity")?,
        life_span: c.f32("PRE2.lifeSpan")?,
        emission_rate: c.f32("PRE2.emissionRate")?,
        length: c.f32("PRE2.length")?,
        width: c.f32("PRE2.width")?,
        filter: read_filter(c, w)?,
        rows: c.u32("PRE2.rows")?.max(1),
        columns: c.u32("PRE2.columns")?.max(1),
        head_or_tail: read_head_or_tail(c, w)?,
        tail_length: c.f32("PRE2.tailLength")?,
        time_middle: c.f32("PRE2.timeMiddle")?,
        ..ParticleEmitter2::default()
    };
    for color in &mut p.segment_colors {
        *color = c.f32s("PRE2.segmentColor")?;
    }
    p.segment_alphas = c.array("PRE2.segmentAlpha")?;
    p.segment_scales = c.f32s("PRE2.segmentScale")?;
    for cells in p.head_cells.iter_mut().chain(&mut p.tail_cells) {
        let mut number = || c.u32("PRE2.cellInterval");
        *cells = CellInterval { start: number()?, end: number()?, repeat: number()? };
    }
    p.texture = index(c.u32("PRE2.textureId")?);
    p.squirt = c.u32("PRE2.squirt")? != 0;
    p.priority_plane = c.i32("PRE2.priorityPlane")?;
    p.replaceable_id = c.u32("PRE2.replaceableId")?;
    tracks(c, "PRE2", w, |tag, c| {
        match tag {
            b"KP2S" => p.speed_track = Some(Track::read(c, "KP2S")?),
            b"KP2R" => p.variation_track = Some(Track::read(c, "KP2R")?),
            b"KP2L" => p.latitude_track = Some(Track::read(c, "KP2L")?),
            b"KP2G" => p.gravity_track = Some(Track::read(c, "KP2G")?),
            b"KP2E" => p.emission_rate_track = Some(Track::read(c, "KP2E")?),
            b"KP2N" => p.length_track = Some(Track::read(c, "KP2N")?),
            b"KP2W" => p.width_track = Some(Track::read(c, "KP2W")?),
            b"KP2V" => p.visibility_track = Some(Track::read(c, "KP2V")?),
            _ => return Ok(false),
        }
        Ok(true)
    });
    Ok(p)
}

fn read_filter(c: &mut Cursor<'_>, w: &mut Warnings) -> Result<ParticleFilter, FormatError> {
    let at = c.offset();
    Ok(match c.u32("PRE2.filterMode")? {
        0 => ParticleFilter::Blend,
        1 => ParticleFilter::Additive,
        2 => ParticleFilter::Modulate,
        3 => ParticleFilter::Modulate2x,
        4 => ParticleFilter::AlphaKey,
        other => {
            w.add(at, "PRE2.filterMode", format!("{other} is unknown, particles are blended"));
            ParticleFilter::Blend
        }
    })
}

fn read_head_or_tail(c: &mut Cursor<'_>, w: &mut Warnings) -> Result<HeadOrTail, FormatError> {
    let at = c.offset();
    Ok(match c.u32("PRE2.headOrTail")? {
        0 => HeadOrTail::Head,
        1 => HeadOrTail::Tail,
        2 => HeadOrTail::Both,
        other => {
            w.add(at, "PRE2.headOrTail", format!("{other} is unknown, particles are heads"));
            HeadOrTail::Head
        }
    })
}

pub(super) fn read_ribbon(c: &mut Cursor<'_>, w: &mut Warnings) -> Result<Ribbon, FormatError> {
    let mut r = Ribbon {
        node: read_node(c, w)?,
        height_above: c.f32("RIBB.heightAbove")?,
        height_below: c.f32("RIBB.heightBelow")?,
        alpha: c.f32("RIBB.alpha")?,
        color: bgr_to_rgb(c.f32s("RIBB.color")?),
        life_span: c.f32("RIBB.lifeSpan")?,
        texture_slot: c.u32("RIBB.textureSlot")?,
        emission_rate: c.u32("RIBB.emissionRate")?,
        rows: c.u32("RIBB.rows")?.max(1),
        columns: c.u32("RIBB.columns")?.max(1),
        material: index(c.u32("RIBB.materialId")?),
        gravity: c.f32("RIBB.gravity")?,
        ..Ribbon::default()
    };
    tracks(c, "RIBB", w, |tag, c| {
        match tag {
            b"KRHA" => r.height_above_track = Some(Track::read(c, "KRHA")?),
            b"KRHB" => r.height_below_track = Some(Track::read(c, "KRHB")?),
            b"KRAL" => r.alpha_track = Some(Track::read(c, "KRAL")?),
            b"KRCO" => r.color_track = Some(Track::read(c, "KRCO")?.map(bgr_to_rgb)),
            b"KRTX" => r.texture_slot_track = Some(Track::read(c, "KRTX")?),
            b"KRVS" => r.visibility_track = Some(Track::read(c, "KRVS")?),
            _ => return Ok(false),
        }
        Ok(true)
    });
    Ok(r)
}

pub(super) fn read_popcorn(c: &mut Cursor<'_>, w: &mut Warnings) -> Result<PopcornEmitter, FormatError> {
    let mut p = PopcornEmitter {
        node: read_node(c, w)?,
        life_span: c.f32("CORN.lifeSpan")?,
        emission_rate: c.f32("CORN.emissionRate")?,
        speed: c.f32("CORN.speed")?,
        color: c.f32s("CORN.color")?,
        replaceable_id: c.u32("CORN.replaceableId")?,
        path: c.fixed_string(260, "CORN.path")?,
        visibility_guide: c.fixed_string(260, "CORN.visibilityGuide")?,
        ..PopcornEmitter::default()
    };
    tracks(c, "CORN", w, |tag, c| {
        match tag {
            b"KPPA" => p.alpha_track = Some(Track::read(c, "KPPA")?),
            b"KPPC" => p.color_track = Some(Track::read(c, "KPPC")?),
            b"KPPE" => p.emission_rate_track = Some(Track::read(c, "KPPE")?),
            b"KPPL" => p.life_span_track = Some(Track::read(c, "KPPL")?),
            b"KPPS" => p.speed_track = Some(Track::read(c, "KPPS")?),
            b"KPPV" => p.visibility_track = Some(Track::read(c, "KPPV")?),
            _ => return Ok(false),
        }
        Ok(true)
    });
    Ok(p)
}
