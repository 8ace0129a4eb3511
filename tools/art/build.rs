//! Gives the generator a fingerprint of its own sources, so that art kept from an older generator is never shown.

use std::path::{Path, PathBuf};

fn main() {
    let mut files = Vec::new();
    let mut folders = vec![PathBuf::from("src")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            match entry.path() {
                path if path.is_dir() => folders.push(path),
                path => files.push(path),
            }
        }
    }
    files.sort();
    // FNV-1a over names and contents.
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut add = |bytes: &[u8]| {
        for &byte in bytes {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    };
    for file in &files {
        add(Path::new(file).to_string_lossy().as_bytes());
        add(&std::fs::read(file).unwrap_or_default());
    }
    println!("cargo::rerun-if-changed=src");
    println!("cargo::rustc-env=TERRACE_ART_FINGERPRINT={hash:016x}");
}
