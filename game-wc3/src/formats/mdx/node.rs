//! Nodes of the skeleton and what hangs on them (BONE, HELP, LITE, ATCH, EVTS, CLID), and cameras (CAMS).

use terrace_engine::bytes::{Cursor, FormatError};

use super::bgr_to_rgb;
use super::material::index;
use super::reader::{Warnings, sized, tracks};
use super::track::Track;

/// From this version on, lights carry a shadow intensity.
pub const LIGHT_SHADOW_VERSION: u32 = 1200;

/// Bit of [`Node::flags`]: the parent's translation is not inherited.
pub const NODE_DONT_INHERIT_TRANSLATION: u32 = 0x1;
/// Bit of [`Node::flags`]: the parent's scaling is not inherited. Sources disagree which of 0x2 and 0x4 is scaling;
/// this is the reading of those that corrected themselves after comparing with the game.
pub const NODE_DONT_INHERIT_SCALING: u32 = 0x2;
/// Bit of [`Node::flags`]: the parent's rotation is not inherited. See [`NODE_DONT_INHERIT_SCALING`].
pub const NODE_DONT_INHERIT_ROTATION: u32 = 0x4;
/// Bit of [`Node::flags`]: faces the camera.
pub const NODE_BILLBOARDED: u32 = 0x8;
/// Bit of [`Node::flags`]: faces the camera by turning about X.
pub const NODE_BILLBOARD_LOCK_X: u32 = 0x10;
/// Bit of [`Node::flags`]: faces the camera by turning about Y.
pub const NODE_BILLBOARD_LOCK_Y: u32 = 0x20;
/// Bit of [`Node::flags`]: faces the camera by turning about Z.
pub const NODE_BILLBOARD_LOCK_Z: u32 = 0x40;
/// Bit of [`Node::flags`]: moves with the camera.
pub const NODE_CAMERA_ANCHORED: u32 = 0x80;
/// Bit of an emitter's [`Node::flags`]: particles are not lit (PRE2); the file is an MDL (PREM).
pub const EMITTER_UNSHADED: u32 = 0x8000;
/// Bit of an emitter's [`Node::flags`]: particles are sorted far first (PRE2); the file is a TGA (PREM).
pub const EMITTER_SORT_FAR_FIRST: u32 = 0x10000;
/// Bit of an emitter's [`Node::flags`]: particles start in the plane of X and Z only.
pub const EMITTER_LINE: u32 = 0x20000;
/// Bit of an emitter's [`Node::flags`]: particles have no fog.
pub const EMITTER_UNFOGGED: u32 = 0x40000;
/// Bit of an emitter's [`Node::flags`]: particles move with the model.
pub const EMITTER_MODEL_SPACE: u32 = 0x80000;
/// Bit of an emitter's [`Node::flags`]: particles lie in the plane of X and Y.
pub const EMITTER_XY_QUAD: u32 = 0x100000;

/// A node of the skeleton.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Node {
    /// Byte offset of the record, for diagnostics.
    pub offset: u64,
    /// Name.
    pub name: String,
    /// Number among all nodes of the model; sparse and huge ones occur in broken models.
    pub object_id: u32,
    /// Object id of the parent; always of an existing node and never in a circle.
    pub parent: Option<u32>,
    /// Bits such as [`NODE_BILLBOARDED`].
    pub flags: u32,
    /// Animated translation (KGTR).
    pub translation: Option<Track<[f32; 3]>>,
    /// Animated rotation, a quaternion x, y, z, w (KGRT).
    pub rotation: Option<Track<[f32; 4]>>,
    /// Animated scaling (KGSC).
    pub scaling: Option<Track<[f32; 3]>>,
}

/// A bone.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bone {
    /// The node.
    pub node: Node,
    /// Index into the model's geosets, a hint of the exporter.
    pub geoset: Option<usize>,
    /// Index into the model's geoset animations; a hint of the exporter.
    pub geoset_animation: Option<usize>,
}

/// Kind of a light.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LightKind {
    /// 0: in all directions from its place.
    #[default]
    Omni,
    /// 1: along the node's negative Z.
    Directional,
    /// 2: everywhere.
    Ambient,
}

/// A light.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Light {
    /// The node.
    pub node: Node,
    /// Kind.
    pub kind: LightKind,
    /// Distance at which it begins to fade.
    pub attenuation_start: f32,
    /// Distance at which it has faded.
    pub attenuation_end: f32,
    /// Colour.
    pub color: [f32; 3],
    /// Strength of the colour.
    pub intensity: f32,
    /// Ambient colour.
    pub ambient_color: [f32; 3],
    /// Strength of the ambient colour.
    pub ambient_intensity: f32,
    /// Strength of its shadow, from version 1200.
    pub shadow_intensity: f32,
    /// Animated start of fading (KLAS).
    pub attenuation_start_track: Option<Track<f32>>,
    /// Animated end of fading (KLAE).
    pub attenuation_end_track: Option<Track<f32>>,
    /// Animated colour (KLAC).
    pub color_track: Option<Track<[f32; 3]>>,
    /// Animated strength (KLAI).
    pub intensity_track: Option<Track<f32>>,
    /// Animated ambient strength (KLBI).
    pub ambient_intensity_track: Option<Track<f32>>,
    /// Animated ambient colour (KLBC).
    pub ambient_color_track: Option<Track<[f32; 3]>>,
    /// Animated visibility (KLAV).
    pub visibility_track: Option<Track<f32>>,
}

/// An attachment point.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Attachment {
    /// The node.
    pub node: Node,
    /// Model that is attached; empty in most.
    pub path: String,
    /// Number of the point.
    pub attachment_id: i32,
    /// Animated visibility (KATV).
    pub visibility_track: Option<Track<f32>>,
}

/// An event object: sounds, footprints, splats and spawns by the four characters after its kind.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EventObject {
    /// The node; its name begins with SND, FPT, SPL, UBR or SPN, one more character, and a code.
    pub node: Node,
    /// Index into the model's global sequences.
    pub global_sequence: Option<usize>,
    /// Milliseconds at which it fires.
    pub times: Vec<i32>,
}

impl EventObject {
    /// Kind and code of a name such as `SNDxDHLB`: ("SND", "DHLB").
    pub fn kind_and_code(&self) -> Option<(&str, &str)> {
        Some((self.node.name.get(..3)?, self.node.name.get(4..8)?))
    }
}

/// A camera.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Camera {
    /// Name.
    pub name: String,
    /// Position.
    pub position: [f32; 3],
    /// Field of view, radians.
    pub field_of_view: f32,
    /// Far plane.
    pub far: f32,
    /// Near plane.
    pub near: f32,
    /// Point it looks at.
    pub target: [f32; 3],
    /// Animated offset of the position (KCTR).
    pub translation: Option<Track<[f32; 3]>>,
    /// Animated offset of the target (KTTR).
    pub target_translation: Option<Track<[f32; 3]>>,
    /// Animated roll, radians (KCRL).
    pub roll: Option<Track<f32>>,
}

/// Shape of a [`CollisionShape`], relative to its node's pivot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    /// 0: two opposite corners.
    Box([[f32; 3]; 2]),
    /// 1: two points of a plane.
    Plane([[f32; 3]; 2]),
    /// 2: centre and radius.
    Sphere([f32; 3], f32),
    /// 3: ends of the axis and radius.
    Cylinder([[f32; 3]; 2], f32),
}

/// A shape for picking with the mouse.
#[derive(Clone, Debug, PartialEq)]
pub struct CollisionShape {
    /// The node.
    pub node: Node,
    /// The shape.
    pub shape: Shape,
}

pub(super) fn read_node(c: &mut Cursor<'_>, w: &mut Warnings) -> Result<Node, FormatError> {
    let offset = c.offset();
    let mut c = sized(c, "NODE")?;
    let name = c.fixed_string(80, "NODE.name")?;
    let object_id = c.u32("NODE.objectId")?;
    let parent = Some(c.u32("NODE.parentId")?).filter(|&p| p != u32::MAX);
    let mut node = Node { offset, name, object_id, parent, flags: c.u32("NODE.flags")?, ..Node::default() };
    tracks(&mut c, "NODE", w, |tag, c| {
        match tag {
            b"KGTR" => node.translation = Some(Track::read(c, "KGTR")?),
            b"KGRT" => node.rotation = Some(Track::read(c, "KGRT")?),
            b"KGSC" => node.scaling = Some(Track::read(c, "KGSC")?),
            _ => return Ok(false),
        }
        Ok(true)
    });
    Ok(node)
}

pub(super) fn read_bone(c: &mut Cursor<'_>, w: &mut Warnings) -> Result<Bone, FormatError> {
    let node = read_node(c, w)?;
    Ok(Bone { node, geoset: index(c.u32("BONE.geosetId")?), geoset_animation: index(c.u32("BONE.geosetAnimId")?) })
}

pub(super) fn read_light(c: &mut Cursor<'_>, version: u32, w: &mut Warnings) -> Result<Light, FormatError> {
    let node = read_node(c, w)?;
    let at = c.offset();
    let kind = match c.u32("LITE.type")? {
        0 => LightKind::Omni,
        1 => LightKind::Directional,
        2 => LightKind::Ambient,
        other => {
            w.add(at, "LITE.type", format!("{other} is unknown, the light is an omni light"));
            LightKind::Omni
        }
    };
    let mut light = Light {
        node,
        kind,
        attenuation_start: c.f32("LITE.attenuationStart")?,
        attenuation_end: c.f32("LITE.attenuationEnd")?,
        color: bgr_to_rgb(c.f32s("LITE.color")?),
        intensity: c.f32("LITE.intensity")?,
        ambient_color: bgr_to_rgb(c.f32s("LITE.ambientColor")?),
        ambient_intensity: c.f32("LITE.ambientIntensity")?,
        ..Light::default()
    };
    if version >= LIGHT_SHADOW_VERSION {
        light.shadow_intensity = c.f32("LITE.shadowIntensity")?;
    }
    tracks(c, "LITE", w, |tag, c| {
        match tag {
            b"KLAS" => light.attenuation_start_track = Some(Track::read(c, "KLAS")?),
            b"KLAE" => light.attenuation_end_track = Some(Track::read(c, "KLAE")?),
            b"KLAC" => light.color_track = Some(Track::read(c, "KLAC")?.map(bgr_to_rgb)),
            b"KLAI" => light.intensity_track = Some(Track::read(c, "KLAI")?),
            b"KLBI" => light.ambient_intensity_track = Some(Track::read(c, "KLBI")?),
            b"KLBC" => light.ambient_color_track = Some(Track::read(c, "KLBC")?.map(bgr_to_rgb)),
            b"KLAV" => light.visibility_track = Some(Track::read(c, "KLAV")?),
            _ => return Ok(false),
        }
        Ok(true)
    });
    Ok(light)
}

pub(super) fn read_attachment(c: &mut Cursor<'_>, w: &mut Warnings) -> Result<Attachment, FormatError> {
    let node = read_node(c, w)?;
    let path = c.fixed_string(260, "ATCH.path")?;
    let mut attachment = Attachment { node, path, attachment_id: c.i32("ATCH.attachmentId")?, visibility_track: None };
    tracks(c, "ATCH", w, |tag, c| {
        let known = tag == b"KATV";
        if known {
            attachment.visibility_track = Some(Track::read(c, "KATV")?);
        }
        Ok(known)
    });
    Ok(attachment)
}

pub(super) fn read_event(c: &mut Cursor<'_>, w: &mut Warnings) -> Result<EventObject, FormatError> {
    let node = read_node(c, w)?;
    c.magic(b"KEVT", "EVTS.keys")?;
    let count_at = c.offset();
    let count = c.u32("KEVT.count")? as usize;
    let global_sequence = index(c.u32("KEVT.globalSequenceId")?);
    if count > c.remaining() / 4 {
        let what = format!("counts {count} times, {} bytes are left", c.remaining());
        return Err(FormatError::new(count_at, "KEVT.count", what));
    }
    let mut times = (0..count).map(|_| c.i32("KEVT.time")).collect::<Result<Vec<_>, _>>()?;
    times.sort_unstable();
    Ok(EventObject { node, global_sequence, times })
}

pub(super) fn read_camera(c: &mut Cursor<'_>, w: &mut Warnings) -> Result<Camera, FormatError> {
    let mut camera = Camera {
        name: c.fixed_string(80, "CAMS.name")?,
        position: c.f32s("CAMS.position")?,
        field_of_view: c.f32("CAMS.fieldOfView")?,
        far: c.f32("CAMS.farClip")?,
        near: c.f32("CAMS.nearClip")?,
        target: c.f32s("CAMS.target")?,
        ..Camera::default()
    };
    tracks(c, "CAMS", w, |tag, c| {
        match tag {
            b"KCTR" => camera.translation = Some(Track::read(c, "KCTR")?),
            b"KTTR" => camera.target_translation = Some(Track::read(c, "KTTR")?),
            b"KCRL" => camera.roll = Some(Track::read(c, "KCRL")?),
            _ => return Ok(false),
        }
        Ok(true)
    });
    Ok(camera)
}

pub(super) fn read_collision_shape(c: &mut Cursor<'_>, w: &mut Warnings) -> Result<CollisionShape, FormatError> {
    let node = read_node(c, w)?;
    let at = c.offset();
    let kind = c.u32("CLID.type")?;
    let shape = match kind {
        0 => Shape::Box([c.f32s("CLID.vertices")?, c.f32s("CLID.vertices")?]),
        1 => Shape::Plane([c.f32s("CLID.vertices")?, c.f32s("CLID.vertices")?]),
        2 => Shape::Sphere(c.f32s("CLID.vertices")?, c.f32("CLID.radius")?),
        3 => Shape::Cylinder([c.f32s("CLID.vertices")?, c.f32s("CLID.vertices")?], c.f32("CLID.radius")?),
        other => return Err(FormatError::new(at, "CLID.type", format!("{other} is unknown, the chunk ends here"))),
    };
    Ok(CollisionShape { node, shape })
}
