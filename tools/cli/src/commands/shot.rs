//! `terrace shot`.

use std::path::Path;

use glam::Vec3;
use terrace_engine::app::{RawDisplayHandle, Session, SessionConfig, gpu_error, to_rgba8};
use terrace_engine::asset::image::encode_png;
use terrace_engine::diag::Diagnostic;
use terrace_engine::scene::{Game, OrbitCamera, World};
use terrace_engine::vulkan::{Gpu, GpuOptions};

use crate::args::{RenderArgs, Shot};
use crate::host;
use crate::report::{Failure, print};

/// Game time of frame `index` in milliseconds at 60 frames a second.
fn frame_time(index: u64) -> u64 {
    index * 1000 / 60
}

/// Renders without a window and writes a picture.
pub(crate) fn run(args: &Shot, quiet: bool) -> Result<(), Failure> {
    let (game, world) = host::open(&args.map, quiet)?;
    let gpu = open_gpu(&args.render, None)?;
    let keep = args.image.iter().cloned().collect();
    let mut session = open_session(gpu.clone(), game.as_ref(), world, &args.render, args.render.size, keep, false)?;
    for index in 0..args.frames {
        let dt = frame_time(index) - frame_time(index.saturating_sub(1));
        session.step(dt, &[], None, None)?;
    }
    let image = session.read_image(args.image.as_deref()).map_err(|e| gpu_error(&e))?;
    let mut rgba = to_rgba8(&image);
    if args.image.is_none() {
        // A window has no use for the output's alpha, and a picture of it has none either.
        rgba.iter_mut().skip(3).step_by(4).for_each(|alpha| *alpha = 255);
    }
    write_png(&args.output, image.width, image.height, &rgba)?;
    write_timings(&args.render, &mut session)?;
    finish_validation(&gpu)
}

/// Starts the GPU; `display` names the window system for a swapchain.
pub(crate) fn open_gpu(args: &RenderArgs, display: Option<RawDisplayHandle>) -> Result<Gpu, Failure> {
    let options = GpuOptions {
        device: args.device.clone(),
        validation: args.validation,
        cache_dir: Some(host::cache_dir()),
        display,
    };
    Gpu::new(&options).map_err(|e| gpu_error(&e).into())
}

/// Compiles the graph for a world and places the camera of the command line.
pub(crate) fn open_session(
    gpu: Gpu,
    game: &dyn Game,
    mut world: Box<dyn World>,
    args: &RenderArgs,
    size: [u32; 2],
    keep: Vec<String>,
    last_good: bool,
) -> Result<Session, Failure> {
    let root = host::project_root()?;
    if let Some([x, y, z, pitch, yaw, distance]) = args.camera {
        let target = Vec3::new(x, y, z);
        world.set_camera(OrbitCamera { target, pitch, yaw, distance, ..world.default_camera() });
    }
    let config = SessionConfig {
        graph: args.graph.clone().unwrap_or_else(|| root.join("graphs").join(game.default_graph())),
        shaders: root.join("shaders"),
        size,
        set: args.set.clone(),
        pin: args.pin.clone(),
        keep,
        seed: 0,
        last_good: last_good.then(|| host::cache_dir().join("last-good")),
    };
    let mut session = Session::new(gpu, game, world, config)?;
    if args.stats || args.csv.is_some() || args.trace.is_some() {
        session.record();
    }
    Ok(session)
}

/// Prints and writes the timings that the command line asks for.
pub(crate) fn write_timings(args: &RenderArgs, session: &mut Session) -> Result<(), Failure> {
    let Some(recording) = session.recording() else { return Ok(()) };
    if args.stats {
        print(&recording.to_table());
    }
    let write = |path: &Path, text: String| {
        let name = path.display().to_string();
        std::fs::write(path, text)
            .map_err(|e| Diagnostic::error("shot.write", format!("{name} cannot be written: {e}")).in_file(&name))
    };
    if let Some(path) = &args.csv {
        write(path, recording.to_csv())?;
    }
    if let Some(path) = &args.trace {
        write(path, recording.to_trace().to_string())?;
    }
    Ok(())
}

/// Fails when `--validation` saw a message.
pub(crate) fn finish_validation(gpu: &Gpu) -> Result<(), Failure> {
    match gpu.validation_messages() {
        0 => Ok(()),
        n => Err(Diagnostic::error("gpu.validation", format!("the validation layer reported {n} messages"))
            .help("the messages stand above in the log")
            .into()),
    }
}

/// Writes a picture through a temporary file, so that a failure leaves no half one.
pub(crate) fn write_png(path: &Path, width: u32, height: u32, rgba: &[u8]) -> Result<(), Failure> {
    let name = path.display().to_string();
    let failed = |what: String| {
        Diagnostic::error("shot.write", format!("{name} cannot be written: {what}"))
            .in_file(&name)
            .help("give a path in a folder that exists and may be written to, with -o")
    };
    // A link keeps leading where it leads, and what is not a file (a device, a pipe) is never replaced.
    let target = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    if std::fs::metadata(&target).is_ok_and(|m| !m.is_file()) {
        return Err(failed("it is there and is not a file".into()).into());
    }
    let png = encode_png(width, height, rgba).map_err(|e| failed(e.to_string()))?;
    let mut temporary = target.clone().into_os_string();
    temporary.push(format!(".{}.part", std::process::id()));
    std::fs::write(&temporary, png)
        .and_then(|()| std::fs::rename(&temporary, &target))
        .map_err(|e| failed(e.to_string()).into())
}
