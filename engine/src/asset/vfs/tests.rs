use super::*;
use crate::asset::mpq::{self, Archive, Profile};

fn memory(name: &str, files: &[(&str, &[u8])]) -> Layer {
    Layer::memory(name, files.iter().map(|(path, data)| ((*path).to_owned(), data.to_vec()))).unwrap()
}

#[test]
fn paths_fold_case_and_slashes_and_never_leave_their_root() {
    let path = |p| VirtualPath::new(p).map(|p| p.to_string()).ok();
    assert_eq!(path("\\Units//.\\Human\\A.BLP"), Some("units/human/a.blp".to_owned()));
    for bad in ["", "/", "a/../b", "..\\x", "C:\\x", "a\0b", &"x".repeat(1025)] {
        assert_eq!(path(bad), None, "{bad:?}");
    }
    let p = VirtualPath::new("a.b/c.tga").unwrap();
    assert_eq!((p.extension(), p.with_extension("BLP").as_str()), ("tga", "a.b/c.blp"));
    assert_eq!(VirtualPath::new("a.b/c").unwrap().with_extension("blp").as_str(), "a.b/c.blp");
}

#[test]
fn first_layer_wins_and_every_answer_names_its_layer() {
    let mut vfs = Vfs::new(vec![memory("base", &[("A.txt", b"base"), ("b.txt", b"b")])]);
    assert_eq!(&*vfs.read("a.TXT").unwrap().bytes, b"base");
    vfs.push_front(memory("map", &[("a.txt", b"map")]));
    let asset = vfs.read("\\A.txt").unwrap();
    assert_eq!((&*asset.bytes, &*asset.layer, asset.path.as_str()), (&b"map"[..], "map", "a.txt"));
    assert_eq!(&**vfs.find("b.txt").unwrap().name(), "base");
    let error = vfs.read("c.txt").unwrap_err().diagnostic();
    assert_eq!((error.code, &error.notes[0][..]), ("asset.missing", "asked: map, base"));
}

#[test]
fn folder_is_found_in_any_case_and_sees_new_files_after_a_rescan() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(dir.path().join("TerrainArt/Sub")).unwrap();
    std::fs::write(dir.path().join("TerrainArt/Sub/Grass.BLP"), b"g").unwrap();
    let vfs = Vfs::new(vec![Layer::from_path(dir.path(), Profile::Classic).unwrap()]);
    assert_eq!(&*vfs.read("terrainart\\SUB\\grass.blp").unwrap().bytes, b"g");
    std::fs::write(dir.path().join("new.txt"), b"n").unwrap();
    assert!(!vfs.exists("new.txt"));
    vfs.rescan();
    assert_eq!(&*vfs.read("New.txt").unwrap().bytes, b"n");
    std::fs::remove_file(dir.path().join("new.txt")).unwrap();
    assert!(matches!(vfs.read("new.txt"), Err(AssetError::NotFound { .. })));
}

#[cfg(unix)]
#[test]
fn link_to_a_parent_folder_does_not_loop() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("a"), b"a").unwrap();
    std::os::unix::fs::symlink(dir.path(), dir.path().join("again")).unwrap();
    assert_eq!(Layer::from_path(dir.path(), Profile::Classic).unwrap().names().len(), 1);
}

#[test]
fn archive_and_nested_archive_are_layers() {
    let inner = mpq::write(&[("Cliff0.blp".to_owned(), b"tileset".to_vec())]);
    let outer = mpq::write(&[("L.mpq".to_owned(), inner), ("cliff0.blp".to_owned(), b"base".to_vec())]);
    let base = Layer::archive("War.mpq", Archive::open(outer, Profile::Classic).unwrap());
    let tileset = Layer::nested(&base, "l.MPQ", Profile::Classic).unwrap();
    assert!(Layer::nested(&base, "cliff0.blp", Profile::Classic).is_err());
    let vfs = Vfs::new(vec![tileset, base]);
    let asset = vfs.read("CLIFF0.BLP").unwrap();
    assert_eq!((&*asset.bytes, &*asset.layer), (&b"tileset"[..], "War.mpq:l.mpq"));
}

#[test]
fn layer_can_start_below_a_folder_of_its_store() {
    let base = memory("mod", &[("Base.Data/Game/x.xml", b"x"), ("Base.Data/y", b"y")]);
    let data = base.under("base.data").unwrap();
    assert_eq!(data.names().iter().map(VirtualPath::as_str).collect::<Vec<_>>(), ["game/x.xml", "y"]);
    let game = data.under("GAME").unwrap();
    assert_eq!(&*Vfs::new(vec![game]).read("x.xml").unwrap().bytes, b"x");
}

#[test]
fn texture_falls_back_to_other_endings_within_each_layer() {
    let vfs = Vfs::new(vec![
        memory("map", &[("t/a.dds", b"dds"), ("t/c.png", b"png"), ("t/c.tga", b"tga")]),
        memory("base", &[("t/a.tga", b"art"), ("t/a.blp", b"blp"), ("t/b.tga", b"tga")]),
    ]);
    let read = |p: &str| vfs.read_texture(p).map(|a| (a.path.to_string(), a.bytes.to_vec())).ok();
    assert_eq!(read("T\\A.tga"), Some(("t/a.dds".to_owned(), b"dds".to_vec())));
    assert_eq!(read("t/a.dds").unwrap().1, b"dds");
    assert_eq!(read("t/c.png").unwrap().1, b"png");
    assert_eq!(read("t/b.blp").unwrap().1, b"tga");
    assert_eq!(read("t/c").unwrap().1, b"tga");
    let error = vfs.read_texture("t/none.tga").unwrap_err();
    assert_eq!(error.to_string(), "no layer has \"t/none.tga\"");
}

#[test]
fn damaged_file_is_reported_and_not_hidden_by_a_lower_layer() {
    let mut bytes = mpq::write(&[("a.txt".to_owned(), vec![9; 9000])]);
    // The first sector's offset: past its end.
    bytes[32..36].copy_from_slice(&0x00FF_FFFFu32.to_le_bytes());
    let map = Layer::archive("map.w3x", Archive::open(bytes, Profile::Classic).unwrap());
    let vfs = Vfs::new(vec![map, memory("base", &[("a.txt", b"old")])]);
    let error = vfs.read("a.txt").unwrap_err().diagnostic();
    assert_eq!(error.code, "asset.archive");
    assert!(error.to_string().contains("map.w3x: byte 32"), "{error}");
}

#[test]
fn what_is_no_layer_is_refused_with_a_way_out() {
    let dir = tempfile::tempdir().unwrap();
    let open = |name: &str| Layer::from_path(&dir.path().join(name), Profile::Classic).unwrap_err();
    let missing = open("none.w3x");
    assert_eq!(missing.code, "asset.no-path");
    std::fs::write(dir.path().join("empty.w3x"), b"").unwrap();
    assert!(open("empty.w3x").message.contains("empty"));
    std::fs::write(dir.path().join("text.w3x"), vec![b'x'; 2000]).unwrap();
    let text = open("text.w3x");
    assert!(text.message.contains("no MPQ header") && text.help.is_some());
}

#[test]
fn reads_may_happen_on_several_threads() {
    let archive = Archive::open(mpq::write(&[("a".to_owned(), vec![3; 50_000])]), Profile::Classic).unwrap();
    let vfs = Vfs::new(vec![Layer::archive("a", archive)]);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| assert_eq!(vfs.read("A").unwrap().bytes.len(), 50_000));
        }
    });
}
