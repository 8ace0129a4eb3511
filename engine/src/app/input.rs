//! Mouse and keys to camera commands. Pure: fed with what happened, asked once a frame.

use glam::Vec2;

use crate::scene::{Command, OrbitCamera};

/// Share of the camera's distance that a held key pans in a second.
const PAN_PER_SECOND: f32 = 0.9;
/// Distance factor of one wheel notch.
const ZOOM_PER_NOTCH: f32 = 0.88;
/// Degrees of a turn by one pixel of a drag.
const TURN_PER_PIXEL: f32 = 0.25;
/// Pixels at the window's edge that scroll.
const EDGE_PIXELS: f64 = 4.0;

/// A direction key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PanKey {
    /// To the left.
    Left,
    /// To the right.
    Right,
    /// Ahead.
    Ahead,
    /// Back.
    Back,
}

/// What a drag does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Drag {
    /// The point under the pointer stays under it.
    Pan,
    /// Yaw and pitch.
    Turn,
}

/// State of the camera's controls between frames.
#[derive(Debug, Default)]
pub struct CameraInput {
    keys: [bool; 4],
    pointer: Option<[f64; 2]>,
    drag: Option<Drag>,
    moved: [f64; 2],
    notches: f32,
    reset: bool,
    /// Scrolls while the pointer is at the window's edge.
    pub edge_scroll: bool,
}

impl CameraInput {
    /// Nothing is held.
    pub fn new(edge_scroll: bool) -> Self {
        Self { edge_scroll, ..Self::default() }
    }

    /// A direction key went down or up.
    pub fn key(&mut self, key: PanKey, down: bool) {
        self.keys[key as usize] = down;
    }

    /// The reset key was pressed.
    pub fn reset(&mut self) {
        self.reset = true;
    }

    /// The pointer moved, in pixels from the top left.
    pub fn pointer(&mut self, x: f64, y: f64) {
        if let (Some([px, py]), Some(_)) = (self.pointer, self.drag) {
            self.moved[0] += x - px;
            self.moved[1] += y - py;
        }
        self.pointer = Some([x, y]);
    }

    /// The pointer left the window, or the window lost the focus: nothing is held any more.
    pub fn release_all(&mut self) {
        *self = Self::new(self.edge_scroll);
    }

    /// A drag began or ended.
    pub fn drag(&mut self, drag: Option<Drag>) {
        self.drag = drag;
        self.moved = [0.0; 2];
    }

    /// The wheel turned; positive zooms in.
    pub fn wheel(&mut self, notches: f32) {
        self.notches += notches;
    }

    /// The commands of a frame that took `dt` seconds in a window of `size` pixels.
    pub fn commands(&mut self, camera: &OrbitCamera, size: [u32; 2], dt: f32) -> Vec<Command> {
        let mut out = Vec::new();
        if std::mem::take(&mut self.reset) {
            out.push(Command::ResetCamera);
        }
        let held = self.held_direction(size);
        if held != Vec2::ZERO {
            out.push(Command::PanCamera(held.normalize() * camera.distance * PAN_PER_SECOND * dt.min(0.1)));
        }
        let moved = std::mem::take(&mut self.moved);
        if moved != [0.0; 2] {
            let moved = Vec2::new(moved[0] as f32, moved[1] as f32);
            match self.drag {
                Some(Drag::Pan) => out.push(Command::PanCamera(self.pan_of_drag(camera, size, moved))),
                Some(Drag::Turn) => {
                    out.push(Command::TurnCamera { yaw: -moved.x * TURN_PER_PIXEL, pitch: moved.y * TURN_PER_PIXEL })
                }
                None => {}
            }
        }
        let notches = std::mem::take(&mut self.notches);
        if notches != 0.0 {
            out.push(Command::ZoomCamera(ZOOM_PER_NOTCH.powf(notches)));
        }
        out
    }

    fn held_direction(&self, size: [u32; 2]) -> Vec2 {
        let key = |k: PanKey| f32::from(u8::from(self.keys[k as usize]));
        let mut held = Vec2::new(key(PanKey::Right) - key(PanKey::Left), key(PanKey::Ahead) - key(PanKey::Back));
        if let Some([x, y]) = self.pointer.filter(|_| self.edge_scroll && self.drag.is_none()) {
            let side = |at: f64, length: u32| {
                f32::from(u8::from(at >= f64::from(length) - EDGE_PIXELS)) - f32::from(u8::from(at < EDGE_PIXELS))
            };
            held += Vec2::new(side(x, size[0]), -side(y, size[1]));
        }
        held
    }

    /// How far the ground under the pointer moved, on the horizontal plane through the camera's target, so that the
    /// anchor does not jump when the pointer crosses a cliff.
    fn pan_of_drag(&self, camera: &OrbitCamera, size: [u32; 2], moved: Vec2) -> Vec2 {
        let size_px = Vec2::new(size[0].max(1) as f32, size[1].max(1) as f32);
        let aspect = size_px.x / size_px.y;
        let now = self.pointer.map_or(size_px * 0.5, |[x, y]| Vec2::new(x as f32, y as f32));
        let at = |pixel: Vec2| camera.on_target_plane(aspect, pixel / size_px);
        match (at(now - moved), at(now)) {
            (Some(from), Some(to)) => {
                let world = (from - to).truncate().clamp_length_max(camera.distance);
                let (sin, cos) = camera.yaw.to_radians().sin_cos();
                Vec2::new(world.x * sin - world.y * cos, world.x * cos + world.y * sin)
            }
            // Above the horizon there is no ground: fall back to the middle's scale.
            _ => Vec2::new(-moved.x, moved.y) * camera.distance / size_px.y,
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;

    fn camera(yaw: f32) -> OrbitCamera {
        OrbitCamera {
            target: Vec3::ZERO,
            distance: 1000.0,
            pitch: 56.0,
            yaw,
            roll: 0.0,
            fov: 50.0,
            near: 10.0,
            far: 5000.0,
        }
    }

    #[test]
    fn a_held_key_pans_and_a_released_one_stops() {
        let mut input = CameraInput::default();
        input.key(PanKey::Right, true);
        let commands = input.commands(&camera(90.0), [100, 100], 0.05);
        assert_eq!(commands, [Command::PanCamera(Vec2::new(1000.0 * PAN_PER_SECOND * 0.05, 0.0))]);
        input.key(PanKey::Right, false);
        assert!(input.commands(&camera(90.0), [100, 100], 0.05).is_empty());
    }

    #[test]
    fn a_pan_drag_keeps_the_ground_under_the_pointer() {
        for yaw in [90.0, 20.0] {
            let camera = camera(yaw);
            let mut input = CameraInput::default();
            input.pointer(50.0, 50.0);
            input.drag(Some(Drag::Pan));
            input.pointer(60.0, 45.0);
            let [Command::PanCamera(by)] = input.commands(&camera, [100, 100], 0.016)[..] else { panic!() };
            let (sin, cos) = camera.yaw.to_radians().sin_cos();
            let moved = Vec3::new(by.x * sin + by.y * cos, -by.x * cos + by.y * sin, 0.0);
            let before = camera.on_target_plane(1.0, Vec2::new(0.5, 0.5)).unwrap();
            let after = OrbitCamera { target: moved, ..camera }.on_target_plane(1.0, Vec2::new(0.6, 0.45)).unwrap();
            assert!(before.distance(after) < 0.5, "yaw {yaw}: {before} {after}");
        }
    }

    #[test]
    fn edges_scroll_only_when_asked_and_never_after_the_pointer_left() {
        let mut input = CameraInput::default();
        input.pointer(0.0, 50.0);
        assert!(input.commands(&camera(90.0), [100, 100], 0.05).is_empty());
        input.edge_scroll = true;
        assert_eq!(input.commands(&camera(90.0), [100, 100], 0.05).len(), 1);
        input.release_all();
        assert!(input.commands(&camera(90.0), [100, 100], 0.05).is_empty());
        assert!(input.edge_scroll);
    }
}
