//! What a game hands over to the engine: declarations ([`Registry`]), plain data ([`Scene`]), views, params, camera.
//!
//! A game registers names once; a graph file may only use those names. The world then fills a [`Scene`] with plain
//! data on the CPU and marks what it changed; the renderer uploads ranges, culls per view and writes the commands.
//! World space is right-handed with Z up, in the game's units; clip depth runs from 0 (near) to 1 (far).

mod camera;
mod data;
mod game;
mod params;
mod registry;
mod value;
mod view;

pub use camera::{CameraBounds, OrbitCamera};
pub use data::{
    Buffer, BufferId, BufferUse, Dirty, Draw, DrawFlags, DrawListData, IndexType, Material, MaterialId, SamplerDesc,
    Scene, StreamData, Texture, TextureId, TextureKind, Wrap,
};
pub use game::{Command, FrameInput, Game, MapSource, OpenContext, OpenError, World};
pub use params::{ParamDecl, ParamError, ParamId, ParamSource, ParamTable, ParamValueState};
pub use registry::{
    Attribute, AttributeFormat, FlagDecl, ImportDecl, ImportId, ListDecl, ListId, MaterialSlot, PresetDecl, Registry,
    SizeDecl, SizeId, Stream, ViewDecl, ViewId,
};
pub use value::{Value, ValueType};
pub use view::{Aabb, Frustum, View};
