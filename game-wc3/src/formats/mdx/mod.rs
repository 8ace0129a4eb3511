//! MDX models, versions 800 (classic) to 1200 (Reforged).
//!
//! "MDLX", then chunks of a tag and a size. Chunks come in any order, may repeat, and unknown ones are skipped and
//! named in [`Model::unknown_chunks`]. A model with faults is still a model: what cannot be used is dropped or
//! replaced, and [`Model::warnings`] says what and where. Only a file that is no MDX at all is an error.
//!
//! Units: world units, Z up, milliseconds, radians where nothing else is said. Colours are red, green, blue.

mod geoset;
mod material;
mod node;
mod particle;
mod reader;
mod track;
mod validate;
mod write;

#[cfg(test)]
mod tests;

pub use geoset::{Geoset, GeosetAnimation, MAX_UV_SETS, Skin, UNSELECTABLE};
pub use material::*;
pub use node::*;
pub use particle::*;
pub use reader::MAX_WARNINGS;
pub use track::{Interpolation, Key, Track, TrackValue};
pub use write::{StaticGeoset, StaticMaterial, StaticModel, StaticSequence, write_static};

use terrace_engine::bytes::{Cursor, FormatError};
use terrace_engine::diag::Diagnostic;

/// Oldest version that is read.
pub const OLDEST_VERSION: u32 = 800;
/// Newest version with a known layout; newer ones are read as this one, with a warning.
pub const NEWEST_VERSION: u32 = 1200;
/// From this version on, geosets may carry skin weights and a level of detail, materials a shader.
pub const SKIN_VERSION: u32 = 900;
/// From this version on, layers carry a fresnel colour.
pub const FRESNEL_VERSION: u32 = 1000;
/// From this version on, layers name several textures.
pub const LAYER_TEXTURES_VERSION: u32 = 1100;

/// Static and animated colours of geosets, lights and ribbons are stored blue first.
pub fn bgr_to_rgb([b, g, r]: [f32; 3]) -> [f32; 3] {
    [r, g, b]
}

/// Bounds: a sphere about the origin and a box.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Extent {
    /// Radius of the sphere.
    pub radius: f32,
    /// Least corner of the box.
    pub min: [f32; 3],
    /// Greatest corner of the box.
    pub max: [f32; 3],
}

/// A named piece of the timeline (SEQS).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sequence {
    /// Name such as "Stand - 1".
    pub name: String,
    /// First millisecond.
    pub start: u32,
    /// Last millisecond, not before the first.
    pub end: u32,
    /// World units a second that the walk was made for.
    pub move_speed: f32,
    /// Plays once instead of over and over.
    pub non_looping: bool,
    /// Chance to be skipped among variants.
    pub rarity: f32,
    /// Unused by the game.
    pub sync_point: u32,
    /// Bounds while it plays.
    pub extent: Extent,
}

/// An effect that lies over a face (FAFX).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FaceEffect {
    /// Name.
    pub name: String,
    /// File.
    pub path: String,
}

/// A chunk that was skipped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownChunk {
    /// Tag, bytes that do not print escaped.
    pub tag: String,
    /// Byte offset of the tag.
    pub offset: u64,
    /// Bytes of its content.
    pub size: u32,
}

/// A model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Model {
    /// Format version.
    pub version: u32,
    /// Name (MODL).
    pub name: String,
    /// File with further sequences (MODL), empty in nearly every model.
    pub animation_file: String,
    /// Bounds (MODL).
    pub extent: Extent,
    /// Milliseconds over which sequences are blended (MODL).
    pub blend_time: u32,
    /// Sequences (SEQS).
    pub sequences: Vec<Sequence>,
    /// Lengths of the global sequences in milliseconds (GLBS). 0 occurs: such a track stands at time 0.
    pub global_sequences: Vec<u32>,
    /// Textures (TEXS).
    pub textures: Vec<Texture>,
    /// Materials (MTLS).
    pub materials: Vec<Material>,
    /// Texture animations (TXAN).
    pub texture_animations: Vec<TextureAnimation>,
    /// Geometry (GEOS).
    pub geosets: Vec<Geoset>,
    /// Colour and visibility of geosets (GEOA).
    pub geoset_animations: Vec<GeosetAnimation>,
    /// Bones (BONE).
    pub bones: Vec<Bone>,
    /// Helpers (HELP): nodes without geometry.
    pub helpers: Vec<Node>,
    /// Lights (LITE).
    pub lights: Vec<Light>,
    /// Attachment points (ATCH).
    pub attachments: Vec<Attachment>,
    /// Emitters of models (PREM).
    pub particle_emitters: Vec<ParticleEmitter>,
    /// Emitters of textured particles (PRE2).
    pub particle_emitters2: Vec<ParticleEmitter2>,
    /// Ribbon emitters (RIBB).
    pub ribbons: Vec<Ribbon>,
    /// Emitters of the Reforged particle engine (CORN).
    pub popcorn_emitters: Vec<PopcornEmitter>,
    /// Event objects (EVTS).
    pub events: Vec<EventObject>,
    /// Cameras (CAMS).
    pub cameras: Vec<Camera>,
    /// Collision shapes (CLID).
    pub collision_shapes: Vec<CollisionShape>,
    /// Pivot of every node by object id (PIVT); [`Model::pivot`] knows what to do past its end.
    pub pivots: Vec<[f32; 3]>,
    /// Bind pose (BPOS): a matrix of three columns and a translation a node, as stored.
    pub bind_pose: Vec<[f32; 12]>,
    /// Face effects (FAFX).
    pub face_effects: Vec<FaceEffect>,
    /// Chunks that were skipped.
    pub unknown_chunks: Vec<UnknownChunk>,
    /// What was dropped or replaced, at most [`MAX_WARNINGS`] entries and one that counts the rest.
    pub warnings: Vec<FormatError>,
}

impl Model {
    /// Reads a model.
    ///
    /// # Errors
    /// A magic other than "MDLX", or a version before 800. Everything else is a warning in the model.
    pub fn parse(bytes: &[u8]) -> Result<Self, FormatError> {
        reader::read(bytes)
    }

    /// The warnings as diagnostics that name the file.
    pub fn diagnostics(&self, file: &str) -> Vec<Diagnostic> {
        let one = |w: &FormatError| {
            Diagnostic::warning("wc3.model", format!("the model has a fault: {}", w.what)).at_bytes(
                file,
                w.offset,
                w.field.clone(),
            )
        };
        self.warnings.iter().map(one).collect()
    }

    /// The nodes of every kind in the order bones, helpers, lights, attachments, emitters, ribbons, events, shapes.
    pub fn nodes(&self) -> impl Iterator<Item = &Node> {
        self.bones
            .iter()
            .map(|b| &b.node)
            .chain(&self.helpers)
            .chain(self.lights.iter().map(|l| &l.node))
            .chain(self.attachments.iter().map(|a| &a.node))
            .chain(self.particle_emitters.iter().map(|p| &p.node))
            .chain(self.particle_emitters2.iter().map(|p| &p.node))
            .chain(self.ribbons.iter().map(|r| &r.node))
            .chain(self.popcorn_emitters.iter().map(|p| &p.node))
            .chain(self.events.iter().map(|e| &e.node))
            .chain(self.collision_shapes.iter().map(|s| &s.node))
    }

    fn nodes_mut(&mut self) -> impl Iterator<Item = &mut Node> {
        self.bones
            .iter_mut()
            .map(|b| &mut b.node)
            .chain(&mut self.helpers)
            .chain(self.lights.iter_mut().map(|l| &mut l.node))
            .chain(self.attachments.iter_mut().map(|a| &mut a.node))
            .chain(self.particle_emitters.iter_mut().map(|p| &mut p.node))
            .chain(self.particle_emitters2.iter_mut().map(|p| &mut p.node))
            .chain(self.ribbons.iter_mut().map(|r| &mut r.node))
            .chain(self.popcorn_emitters.iter_mut().map(|p| &mut p.node))
            .chain(self.events.iter_mut().map(|e| &mut e.node))
            .chain(self.collision_shapes.iter_mut().map(|s| &mut s.node))
    }

    /// The pivot of a node; the origin where the list is too short.
    pub fn pivot(&self, object_id: u32) -> [f32; 3] {
        self.pivots.get(object_id as usize).copied().unwrap_or_default()
    }

    /// All nodes with parents before their children, whatever the order of their ids (a parent may have the higher
    /// one). Of nodes with one id the first counts. Ids may be sparse and huge: use positions in this list.
    pub fn hierarchy(&self) -> Vec<Joint<'_>> {
        validate::hierarchy(self)
    }
}

/// A node in [`Model::hierarchy`].
#[derive(Clone, Copy, Debug)]
pub struct Joint<'a> {
    /// The node.
    pub node: &'a Node,
    /// Position of its parent in the list, always a smaller one.
    pub parent: Option<usize>,
}

fn read_extent(c: &mut Cursor<'_>, field: &str) -> Result<Extent, FormatError> {
    Ok(Extent { radius: c.f32(field)?, min: c.f32s(field)?, max: c.f32s(field)? })
}

fn read_sequence(c: &mut Cursor<'_>) -> Result<Sequence, FormatError> {
    Ok(Sequence {
        name: c.fixed_string(80, "SEQS.name")?,
        start: c.u32("SEQS.start")?,
        end: c.u32("SEQS.end")?,
        move_speed: c.f32("SEQS.moveSpeed")?,
        non_looping: c.u32("SEQS.flags")? & 1 != 0,
        rarity: c.f32("SEQS.rarity")?,
        sync_point: c.u32("SEQS.syncPoint")?,
        extent: read_extent(c, "SEQS.extent")?,
    })
}
