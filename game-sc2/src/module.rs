//! The game module.

use terrace_engine::asset::Profile;
use terrace_engine::diag::Diagnostic;
use terrace_engine::scene::{Game, MapSource, OpenContext, OpenError, Registry, World};

/// The StarCraft II module.
pub fn game() -> impl Game {
    StarCraft2 { registry: Registry::with_standard_views() }
}

struct StarCraft2 {
    registry: Registry,
}

impl Game for StarCraft2 {
    fn name(&self) -> &str {
        "sc2"
    }

    fn doc(&self) -> &str {
        "StarCraft II: recognizes .SC2Map archives and folders; cannot open them yet"
    }

    fn registry(&self) -> &Registry {
        &self.registry
    }

    fn default_graph(&self) -> &str {
        "sc2.toml"
    }

    fn archive_profile(&self) -> Profile {
        Profile::Versioned
    }

    fn accepts(&self, source: &MapSource, _head: &[u8]) -> bool {
        let MapSource::Path(path) = source else { return false };
        let ending = path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
        let folder_map = || ["MapInfo", "t3Terrain.xml", "t3HeightMap"].iter().any(|f| path.join(f).is_file());
        matches!(ending.as_str(), "sc2map" | "sc2components") || folder_map()
    }

    fn open(&self, source: &MapSource, _context: &mut OpenContext<'_>) -> Result<Box<dyn World>, OpenError> {
        let name = match source {
            MapSource::Path(path) => path.display().to_string(),
            MapSource::BuiltIn => "the built-in map".into(),
        };
        Err(Diagnostic::error("sc2.not-yet", format!("{name} is a StarCraft II map, which cannot be opened yet"))
            .in_file(name)
            .help("this version opens Warcraft III maps: .w3m, .w3x, their folders, war3map.w3e")
            .into())
    }
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
    fn opening_says_clearly_that_it_is_not_there_yet() {
        let mut context = OpenContext { vfs: terrace_engine::asset::Vfs::new(Vec::new()), progress: &mut |_, _| {} };
        let error = game().open(&MapSource::Path(PathBuf::from("x.SC2Map")), &mut context).err().unwrap();
        assert!(error.to_string().contains("cannot be opened yet"), "{error}");
    }
}
