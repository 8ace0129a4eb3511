//! The game module.

use std::path::Path;

use terrace_engine::asset::Profile;
use terrace_engine::scene::{Game, MapSource, OpenContext, OpenError, Registry, World};

use crate::map_files::PROFILE;
use crate::registry::registry;
use crate::world;

/// Files of which a folder has at least one if it holds a map.
const MAP_FILES: [&str; 4] = ["mapinfo", "t3terrain.xml", "t3heightmap", "t3syncclifflevel"];

/// The StarCraft II module.
pub fn game() -> impl Game {
    StarCraft2 { registry: registry() }
}

struct StarCraft2 {
    registry: Registry,
}

impl Game for StarCraft2 {
    fn name(&self) -> &str {
        "sc2"
    }

    fn doc(&self) -> &str {
        "StarCraft II: .SC2Map archives, .SC2Components and other folders"
    }

    fn registry(&self) -> &Registry {
        &self.registry
    }

    fn default_graph(&self) -> &str {
        "sc2.toml"
    }

    fn archive_profile(&self) -> Profile {
        PROFILE
    }

    fn accepts(&self, source: &MapSource, _head: &[u8]) -> bool {
        let MapSource::Path(path) = source else { return false };
        let ending = path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
        matches!(ending.as_str(), "sc2map" | "sc2components") || is_map_folder(path)
    }

    fn open(&self, source: &MapSource, context: &mut OpenContext<'_>) -> Result<Box<dyn World>, OpenError> {
        Ok(Box::new(world::open(&self.registry, source, context)?))
    }
}

/// Names in folders are compared without case, as in archives.
fn is_map_folder(path: &Path) -> bool {
    let Ok(entries) = std::fs::read_dir(path) else { return false };
    let mut names = entries.flatten().map(|entry| entry.file_name().to_string_lossy().to_lowercase());
    names.any(|name| MAP_FILES.contains(&name.as_str()))
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    #[test]
    fn maps_are_recognized_by_their_name_before_their_content() {
        let game = game();
        // Protected StarCraft II maps carry a false Warcraft III header.
        assert!(game.accepts(&MapSource::Path(PathBuf::from("a/b.SC2Map")), b"HM3W"));
        assert!(!game.accepts(&MapSource::Path(PathBuf::from("a/b.w3x")), b"HM3W"));
        assert!(!game.accepts(&MapSource::BuiltIn, b""));
    }

    #[test]
    fn a_folder_is_a_map_whatever_the_case_of_its_names() {
        let folder = tempfile::tempdir().unwrap();
        let source = MapSource::Path(folder.path().to_path_buf());
        assert!(!game().accepts(&source, b""));
        std::fs::write(folder.path().join("mapINFO"), b"").unwrap();
        assert!(game().accepts(&source, b""));
    }
}
