//! The camera of StarCraft II, its angles, and the views that follow from it.
//!
//! Three conventions meet here. The map's own: pitch is degrees down from the horizon, yaw 180 looks north. Euler angles
//! of a camera that looks down -Z when all are zero: pitch - 90, 0, yaw - 180. The engine's orbit: pitch as the map's,
//! yaw is the compass direction of the look, 90 is north.

use glam::camera::rh::proj::directx::orthographic;
use glam::camera::rh::view::look_to_mat4;
use glam::{Vec2, Vec3};
use terrace_engine::scene::{OrbitCamera, View};

use crate::formats::CameraObject;

/// Distance from the target, world units.
pub(crate) const DISTANCE: f32 = 34.07;
/// Degrees down from the horizon.
pub(crate) const PITCH: f32 = 56.0;
/// The map's yaw in degrees: nearly north.
pub(crate) const YAW: f32 = 179.9584;
/// Vertical field of view in degrees.
pub(crate) const FIELD_OF_VIEW: f32 = 27.7998;
/// Near plane, world units.
pub(crate) const NEAR: f32 = 0.0998;
/// Far plane, world units.
pub(crate) const FAR: f32 = 400.0;
/// What the names of cameras that replace the default begin with.
const START_CAMERA: &str = "StartGame";
/// Nearest that a person can zoom, world units.
const LEAST_DISTANCE: f32 = 2.0;
/// Half the side of what the light's view shows at least, world units.
const LIGHT_HALF: f32 = 12.0;
/// Texels along one side of the depth map that the light's view is snapped to.
const LIGHT_TEXELS: f32 = 2048.0;
/// How far the light's view reaches above and below what the camera sees, world units.
const LIGHT_DEPTH: f32 = 40.0;

/// Pitch and yaw of the engine's orbit from the map's.
pub(crate) fn orbit_from_map(pitch: f32, yaw: f32) -> (f32, f32) {
    (pitch, (yaw - 180.0 + 90.0).rem_euclid(360.0))
}

/// Pitch and yaw of the map from the engine's orbit.
pub(crate) fn map_from_orbit(pitch: f32, yaw: f32) -> (f32, f32) {
    (pitch, (yaw - 90.0 + 180.0).rem_euclid(360.0))
}

/// Euler angles about X, Y, Z in degrees from the map's pitch and yaw. A map's pitch as an Euler angle would aim nearly
/// straight down.
pub(crate) fn euler_from_map(pitch: f32, yaw: f32) -> [f32; 3] {
    [pitch - 90.0, 0.0, yaw - 180.0]
}

/// The map's pitch and yaw from Euler angles in degrees.
#[cfg(test)]
pub(crate) fn map_from_euler([x, _, z]: [f32; 3]) -> (f32, f32) {
    (x + 90.0, z + 180.0)
}

/// The gameplay camera over a target in world space.
pub(crate) fn default_camera(target: Vec3) -> OrbitCamera {
    let (pitch, yaw) = orbit_from_map(PITCH, YAW);
    OrbitCamera { target, distance: DISTANCE, pitch, yaw, roll: 0.0, fov: FIELD_OF_VIEW, near: NEAR, far: FAR }
}

/// The camera that replaces the default: only one whose name begins with `StartGame`. Others, also the first, may be
/// close-ups of a cinematic that aim along the ground.
pub(crate) fn start_camera(cameras: &[CameraObject]) -> Option<&CameraObject> {
    cameras.iter().find(|c| c.name.starts_with(START_CAMERA))
}

/// The camera of a new game. `middle` is looked at when no object says otherwise. The target's z is the height above
/// the blurred ground.
pub(crate) fn start(cameras: &[CameraObject], middle: Vec2) -> OrbitCamera {
    let Some(object) = start_camera(cameras) else { return default_camera(middle.extend(0.0)) };
    let [x, y, _] = object.target;
    let (pitch, yaw) = orbit_from_map(object.pitch.unwrap_or(PITCH), object.yaw.unwrap_or(YAW));
    let mut camera = OrbitCamera {
        target: Vec3::new(x, y, object.height_offset.unwrap_or(0.0)),
        distance: object.distance.unwrap_or(DISTANCE),
        pitch,
        yaw,
        roll: object.roll.unwrap_or(0.0),
        fov: object.fov.unwrap_or(FIELD_OF_VIEW),
        near: object.near.unwrap_or(NEAR),
        far: object.far.unwrap_or(FAR),
    };
    fit(&mut camera, f32::MAX);
    camera
}

/// Keeps what people and files give in ranges that can be drawn. `most` is the greatest distance.
pub(crate) fn fit(camera: &mut OrbitCamera, most: f32) {
    let fitted = |v: f32, or: f32, least: f32, most: f32| if v.is_finite() { v.clamp(least, most) } else { or };
    camera.distance = fitted(camera.distance, DISTANCE, LEAST_DISTANCE, most.max(LEAST_DISTANCE));
    camera.pitch = fitted(camera.pitch, PITCH, 1.0, 90.0);
    camera.yaw = fitted(camera.yaw, 90.0, -1e6, 1e6).rem_euclid(360.0);
    camera.roll = fitted(camera.roll, 0.0, -360.0, 360.0);
    camera.fov = fitted(camera.fov, FIELD_OF_VIEW, 5.0, 120.0);
    camera.near = fitted(camera.near, NEAR, 0.01, 100.0);
    // Far enough for whatever distance a person zooms out to.
    camera.far = fitted(camera.far, FAR, camera.near + 1.0, 1e5).max(FAR).max(camera.distance * 3.0);
    if !camera.target.is_finite() {
        camera.target = Vec3::ZERO;
    }
}

/// The light's view: a square over what the camera sees on the plane through its target, along the light's ray. Its size
/// changes in steps and its middle moves in whole texels, so that shadow edges stand still while the camera moves.
pub(crate) fn light_view(camera: &OrbitCamera, aspect: f32, ray: Vec3) -> View {
    let ray = ray.try_normalize().filter(|r| r.z < -0.05).unwrap_or(-Vec3::Z);
    let reach = camera.distance * 3.0;
    let corners = [Vec2::ZERO, Vec2::X, Vec2::Y, Vec2::ONE].map(|at| {
        let (eye, direction) = camera.ray(aspect, at);
        let hit = camera.on_target_plane(aspect, at).filter(|p| p.distance(eye) < reach);
        hit.unwrap_or(eye + direction * reach).truncate()
    });
    let middle = corners.iter().sum::<Vec2>() / 4.0;
    let radius = corners.iter().map(|c| c.distance(middle)).fold(LIGHT_HALF, f32::max);
    // Steps of a factor of 1.25.
    let half = LIGHT_HALF * 1.25f32.powf(((radius / LIGHT_HALF).log(1.25) - 1e-3).ceil());
    let side = if ray.z < -0.999 { Vec3::X } else { ray.cross(Vec3::Z).normalize() };
    let above = side.cross(ray);
    let texel = 2.0 * half / LIGHT_TEXELS;
    let middle = middle.extend(camera.target.z);
    let [x, y] = [middle.dot(side), middle.dot(above)].map(|v| (v / texel).round() * texel);
    let depth = half + LIGHT_DEPTH;
    let eye = side * x + above * y + ray * (middle.dot(ray) - depth);
    View {
        view: look_to_mat4(eye, ray, above),
        projection: orthographic(-half, half, -half, half, 0.0, 2.0 * depth),
        eye,
        range: [0.0, 2.0 * depth],
        layers: !0,
    }
}

/// From above over the whole map, north up.
pub(crate) fn map_view(size: Vec2, heights: [f32; 2]) -> View {
    let (top, half) = (heights[1] + 10.0, size / 2.0);
    let depth = top - heights[0] + 20.0;
    let eye = half.extend(top);
    View {
        view: look_to_mat4(eye, -Vec3::Z, Vec3::Y),
        projection: orthographic(-half.x, half.x, -half.y, half.y, 0.0, depth),
        eye,
        range: [0.0, depth],
        layers: !0,
    }
}

#[cfg(test)]
mod tests {
    use glam::Quat;

    use super::*;

    fn object(name: &str) -> CameraObject {
        CameraObject {
            name: name.into(),
            target: [29.5, 29.0, 0.0],
            pitch: Some(8.6),
            distance: Some(4.95),
            ..CameraObject::default()
        }
    }

    #[test]
    fn camera_pitch_and_yaw() {
        let [x, y, z] = euler_from_map(56.0, 179.9584);
        assert_eq!((x, y), (-34.0, 0.0));
        assert!((z + 0.0416).abs() < 1e-4, "{z}");
        let camera = default_camera(Vec3::ZERO);
        assert_eq!(camera.pitch, 56.0);
        assert!((camera.yaw - 89.9584).abs() < 1e-4, "{}", camera.yaw);
        // The eye is south of the target and above it.
        let eye = camera.eye();
        assert!(eye.y < -15.0 && eye.z > 25.0 && eye.x.abs() < 0.1, "{eye}");
        // The orbit looks where a camera with those Euler angles looks whose zero looks down -Z with north up; the angle
        // about X counts from straight down, so a pitch of 56 is 34 short of it.
        let euler = Quat::from_rotation_z(z.to_radians()) * Quat::from_rotation_x(-x.to_radians());
        assert!((euler * -Vec3::Z - camera.forward()).length() < 1e-4);
    }

    #[test]
    fn camera_euler_round_trip() {
        for (pitch, yaw) in [(56.0, 179.9584), (8.6, 12.0), (90.0, 270.0)] {
            let (p, y) = map_from_euler(euler_from_map(pitch, yaw));
            assert!((p - pitch).abs() < 1e-4 && (y - yaw).abs() < 1e-4);
            let (p, y) = orbit_from_map(pitch, yaw);
            let (p, y) = map_from_orbit(p, y);
            assert!((p - pitch).abs() < 1e-4 && (y - yaw).abs() < 1e-4);
        }
    }

    #[test]
    fn camera_default_unless_start_game_camera() {
        let middle = Vec2::new(64.0, 60.0);
        assert_eq!(start(&[], middle), default_camera(middle.extend(0.0)));
        let own = CameraObject { yaw: Some(90.0), height_offset: Some(1.5), ..object("StartGame01") };
        let camera = start(&[object("Camera 001"), own], middle);
        assert_eq!((camera.target, camera.distance, camera.pitch), (Vec3::new(29.5, 29.0, 1.5), 4.95, 8.6));
        assert!(camera.yaw.abs() < 1e-4);
        // What it leaves out is the default's.
        assert_eq!((camera.fov, camera.far), (FIELD_OF_VIEW, FAR));
    }

    #[test]
    fn first_camera_object_is_not_the_default() {
        let camera = start(&[object("Intro"), object("Camera StartGame")], Vec2::ONE);
        assert_eq!((camera.pitch, camera.distance), (56.0, 34.07));
    }

    #[test]
    fn the_light_sees_what_the_camera_sees_and_moves_in_whole_texels() {
        let ray = Vec3::new(0.724_693, -0.124_265, -0.677_775);
        for pitch in [20.0, 56.0, 90.0] {
            let camera = OrbitCamera { pitch, ..default_camera(Vec3::new(40.0, 50.0, 3.0)) };
            let light = light_view(&camera, 1.7, ray).view_projection();
            for at in [Vec2::new(0.0, 1.0), Vec2::ONE, Vec2::splat(0.5), Vec2::new(0.1, 0.6)] {
                let Some(p) = camera.on_target_plane(1.7, at) else { continue };
                let clip = light.project_point3(p);
                assert!(
                    clip.truncate().abs().max_element() <= 1.001 && (0.0..=1.0).contains(&clip.z),
                    "{pitch} {clip}"
                );
            }
        }
        let at = |x: f32| {
            let camera = default_camera(Vec3::new(x, 10.0, 0.0));
            light_view(&camera, 1.5, ray).view_projection().project_point3(Vec3::new(20.0, 20.0, 0.0))
        };
        for step in 1..10 {
            let moved = (at(step as f32 * 0.73) - at(0.0)) * LIGHT_TEXELS / 2.0;
            assert!((moved.x - moved.x.round()).abs() < 0.02 && (moved.y - moved.y.round()).abs() < 0.02, "{moved}");
        }
    }

    #[test]
    fn the_map_view_has_north_up_and_fits_the_map() {
        let view = map_view(Vec2::new(64.0, 32.0), [0.0, 9.0]).view_projection();
        assert!((view.project_point3(Vec3::ZERO).truncate() - Vec2::splat(-1.0)).length() < 1e-4);
        assert!((view.project_point3(Vec3::new(64.0, 32.0, 9.0)).truncate() - Vec2::ONE).length() < 1e-4);
    }
}
