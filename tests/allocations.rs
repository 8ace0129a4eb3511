//! A steady frame asks the heap for nothing.

#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr, reason = "a test may end at a wrong value")]

mod common;

use terrace_engine::app::{Session, SessionConfig};
use terrace_engine::asset::{Layer, Vfs};
use terrace_engine::scene::{Game, MapSource, OpenContext};
use terrace_engine::vulkan::{Gpu, GpuOptions};

fn session() -> Session {
    let gpu = Gpu::new(&GpuOptions::default()).unwrap();
    let game = terrace_wc3::game(terrace_art::builtin_map);
    let art = Layer::memory("art", terrace_art::files()).unwrap();
    let mut context = OpenContext { vfs: Vfs::new(vec![art]), progress: &mut |_, _| {} };
    let world = game.open(&MapSource::BuiltIn, &mut context).unwrap();
    let root = common::root();
    let config = SessionConfig {
        graph: root.join("graphs").join(game.default_graph()),
        shaders: root.join("shaders"),
        size: [160, 90],
        ..SessionConfig::default()
    };
    Session::new(gpu, &game, world, config).unwrap()
}

#[test]
fn a_steady_frame_allocates_nothing() {
    let mut session = session();
    for _ in 0..16 {
        session.step(16, &[], None, None).unwrap();
    }
    // The counter sees what it should: otherwise 0 would mean nothing.
    assert_eq!(allocation_counter::measure(|| drop(std::hint::black_box(vec![1u8; 64]))).count_total, 1);
    let frames = 32;
    let info = allocation_counter::measure(|| {
        for _ in 0..frames {
            session.step(16, &[], None, None).unwrap();
        }
    });
    println!("{} allocations in {frames} frames", info.count_total);
    assert_eq!(info.count_total, 0, "{} bytes in {frames} frames", info.bytes_total);
}
