//! The names that a game module declares and that graph files, scripts and the overlay use.

use serde::Serialize;

use super::params::ParamDecl;
use crate::graph::{MaterialState, SampledKind};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
        pub struct $name(pub u32);

        impl $name {
            /// The id as an index.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

id!(
    /// Index of a draw list in [`Registry::lists`] and in [`super::Scene::lists`].
    ListId
);
id!(
    /// Index of a view in [`Registry::views`] and in [`super::Scene::views`].
    ViewId
);
id!(
    /// Index of an imported image in [`Registry::imports`] and in [`super::Scene::imports`].
    ImportId
);
id!(
    /// Index of a named size in [`Registry::sizes`] and in [`super::Scene::sizes`].
    SizeId
);

/// What a game offers to graph files. Built once when the game is registered; its order gives the ids.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Registry {
    /// Draw lists.
    pub lists: Vec<ListDecl>,
    /// Views; [`Registry::with_standard_views`] gives the four that always exist.
    pub views: Vec<ViewDecl>,
    /// Images that the game owns and a graph may sample.
    pub imports: Vec<ImportDecl>,
    /// Params that the game reads or sets.
    pub params: Vec<ParamDecl>,
    /// Truth values that `when` may read.
    pub flags: Vec<FlagDecl>,
    /// Named sizes in cells or texels that image sizes may refer to (`{ of = "map_cells", scale = 4 }`).
    pub sizes: Vec<SizeDecl>,
}

impl Registry {
    /// A registry with the views `main`, `light`, `map` and `screen`, in that order.
    pub fn with_standard_views() -> Self {
        let view = |name: &str, doc: &str| ViewDecl { name: name.into(), doc: doc.into() };
        Self {
            views: vec![
                view("main", "the camera"),
                view("light", "orthographic, along the key light, over what the camera sees"),
                view("map", "orthographic from above, over the whole map"),
                view("screen", "identity: positions are clip space"),
            ],
            ..Self::default()
        }
    }

    /// Finds a draw list.
    pub fn list(&self, name: &str) -> Option<ListId> {
        self.lists.iter().position(|l| l.name == name).map(|i| ListId(i as u32))
    }

    /// Finds a view.
    pub fn view(&self, name: &str) -> Option<ViewId> {
        self.views.iter().position(|l| l.name == name).map(|i| ViewId(i as u32))
    }

    /// Finds an imported image.
    pub fn import(&self, name: &str) -> Option<ImportId> {
        self.imports.iter().position(|l| l.name == name).map(|i| ImportId(i as u32))
    }

    /// Finds a named size.
    pub fn size(&self, name: &str) -> Option<SizeId> {
        self.sizes.iter().position(|l| l.name == name).map(|i| SizeId(i as u32))
    }
}

/// A draw list: which vertices it has and what its materials bring along.
#[derive(Clone, Debug, Serialize)]
pub struct ListDecl {
    /// Name in graph files.
    pub name: String,
    /// One sentence for `terrace list`.
    pub doc: String,
    /// Vertex streams; a pipeline takes the attributes that its shader names.
    pub streams: Vec<Stream>,
    /// Textures of a material, bound in descriptor set 2 by name. Empty: the list has no set 2.
    pub material: Vec<MaterialSlot>,
    /// Material states; a material names one by index. There is at least one. Pipelines are built for all of them.
    pub presets: Vec<PresetDecl>,
    /// Storage buffers of the whole list, bound in descriptor set 3 by name.
    pub storage: Vec<String>,
}

/// One vertex buffer of a draw list.
#[derive(Clone, Debug, Serialize)]
pub struct Stream {
    /// Bytes from one vertex (or instance) to the next.
    pub stride: u32,
    /// True when the stream advances once an instance.
    pub per_instance: bool,
    /// Named attributes.
    pub attributes: Vec<Attribute>,
}

/// A named vertex attribute; shaders read it as `in_<name>`.
#[derive(Clone, Debug, Serialize)]
pub struct Attribute {
    /// Name without the `in_` of shaders.
    pub name: String,
    /// Format in the buffer.
    pub format: AttributeFormat,
    /// Bytes from the start of the vertex.
    pub offset: u32,
}

/// Vertex attribute formats; all are mandatory for vertex buffers in Vulkan 1.3.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum AttributeFormat {
    /// One 32-bit float.
    F32,
    /// Two 32-bit floats.
    F32x2,
    /// Three 32-bit floats.
    F32x3,
    /// Four 32-bit floats.
    F32x4,
    /// Four bytes, 0 to 1.
    Unorm8x4,
    /// Four bytes, -1 to 1.
    Snorm8x4,
    /// Two 16-bit numbers, 0 to 1.
    Unorm16x2,
    /// Two 16-bit numbers, -1 to 1.
    Snorm16x2,
    /// Four 16-bit numbers, -1 to 1.
    Snorm16x4,
    /// Two 16-bit floats.
    F16x2,
    /// Four 16-bit floats.
    F16x4,
    /// Four bytes as unsigned integers (`uvec4`).
    Uint8x4,
    /// A 32-bit unsigned integer (`uint`).
    Uint32,
    /// Two 16-bit unsigned integers (`uvec2`).
    Uint16x2,
    /// Four 16-bit unsigned integers (`uvec4`).
    Uint16x4,
}

impl AttributeFormat {
    /// Bytes in the buffer.
    pub fn size(self) -> u32 {
        match self {
            Self::F32 | Self::Unorm8x4 | Self::Snorm8x4 | Self::Unorm16x2 | Self::Snorm16x2 | Self::F16x2 => 4,
            Self::Uint8x4 | Self::Uint32 | Self::Uint16x2 => 4,
            Self::F32x2 | Self::Snorm16x4 | Self::F16x4 | Self::Uint16x4 => 8,
            Self::F32x3 => 12,
            Self::F32x4 => 16,
        }
    }

    /// True when a shader reads it as unsigned integers.
    pub fn is_integer(self) -> bool {
        matches!(self, Self::Uint8x4 | Self::Uint32 | Self::Uint16x2 | Self::Uint16x4)
    }
}

/// A texture that every material of a list has.
#[derive(Clone, Debug, Serialize)]
pub struct MaterialSlot {
    /// Name of the sampler in shaders.
    pub name: String,
    /// Its kind.
    pub kind: SampledKind,
}

/// A named material state. The pass decides first; this fills only what the pass leaves open.
#[derive(Clone, Debug, Serialize)]
pub struct PresetDecl {
    /// Name for `terrace list`.
    pub name: String,
    /// What the material sets.
    pub state: MaterialState,
}

/// A view.
#[derive(Clone, Debug, Serialize)]
pub struct ViewDecl {
    /// Name in graph files.
    pub name: String,
    /// One sentence.
    pub doc: String,
}

/// An image that the game owns.
#[derive(Clone, Debug, Serialize)]
pub struct ImportDecl {
    /// Name in graph files.
    pub name: String,
    /// One sentence.
    pub doc: String,
    /// Its kind.
    pub kind: SampledKind,
}

/// A truth value for `when`.
#[derive(Clone, Debug, Serialize)]
pub struct FlagDecl {
    /// Name in conditions.
    pub name: String,
    /// One sentence.
    pub doc: String,
    /// Value before the game sets it.
    pub default: bool,
}

/// A named two-dimensional size.
#[derive(Clone, Debug, Serialize)]
pub struct SizeDecl {
    /// Name in `size = { of = "…" }`.
    pub name: String,
    /// One sentence.
    pub doc: String,
}
