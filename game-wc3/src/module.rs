//! The game module.

use terrace_engine::asset::Profile;
use terrace_engine::scene::{Game, MapSource, OpenContext, OpenError, Registry, World};

use crate::open::{MapKind, PROFILE};
use crate::registry::registry;
use crate::world;

/// The built-in map's files: names as inside a map, and bytes.
pub type BuiltinMap = fn() -> Vec<(String, Vec<u8>)>;

/// The Warcraft III module. The host gives the built-in map, because art is made elsewhere.
pub fn game(builtin_map: BuiltinMap) -> impl Game {
    Wc3 { registry: registry(), builtin_map }
}

struct Wc3 {
    registry: Registry,
    builtin_map: BuiltinMap,
}

impl Game for Wc3 {
    fn name(&self) -> &str {
        "wc3"
    }

    fn doc(&self) -> &str {
        "Warcraft III: .w3m and .w3x archives, their folders, war3map.w3e"
    }

    fn registry(&self) -> &Registry {
        &self.registry
    }

    fn default_graph(&self) -> &str {
        "wc3.toml"
    }

    fn archive_profile(&self) -> Profile {
        PROFILE
    }

    fn accepts(&self, source: &MapSource, head: &[u8]) -> bool {
        match source {
            MapSource::BuiltIn => true,
            MapSource::Path(path) => MapKind::of(path, head).is_some(),
        }
    }

    fn open(&self, source: &MapSource, context: &mut OpenContext<'_>) -> Result<Box<dyn World>, OpenError> {
        Ok(Box::new(world::open(&self.registry, source, self.builtin_map, context)?))
    }
}
