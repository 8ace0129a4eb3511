//! The camera of Warcraft III and the views that follow from it.

use glam::camera::rh::proj::directx::orthographic;
use glam::camera::rh::view::look_to_mat4;
use glam::{Vec2, Vec3};
use terrace_engine::scene::{OrbitCamera, View};
use terrace_engine::terrain::HeightField;

use crate::formats::w3e::TILE_SIZE;

/// Distance from the target of a new game, world units.
pub(crate) const DISTANCE: f32 = 1650.0;
/// Angle of attack of a new game in the game's degrees; 360 looks level.
pub(crate) const ANGLE_OF_ATTACK: f32 = 304.0;
/// Degrees: north is up.
pub(crate) const YAW: f32 = 90.0;
/// Vertical field of view in degrees.
pub(crate) const FIELD_OF_VIEW: f32 = 50.0;
/// Near plane at [`DISTANCE`].
const NEAR: f32 = 100.0;
/// Far plane at [`DISTANCE`].
const FAR: f32 = 5000.0;
/// Nearest that a camera can come.
const LEAST_DISTANCE: f32 = 200.0;
/// Least near plane.
const LEAST_NEAR: f32 = 8.0;
/// Cells at which the ground's height is taken for the camera, on each axis.
const BLUR_TAPS: [f32; 4] = [-4.0, -1.0, 1.0, 4.0];
/// Half the side of what the light's view shows at least.
const LIGHT_HALF: f32 = 1500.0;
/// Texels along one side of the depth map that the light's view is snapped to.
const LIGHT_TEXELS: f32 = 1024.0;
/// How far the light's view reaches above and below what the camera sees.
const LIGHT_DEPTH: f32 = 2500.0;

/// The camera of a new game over a point.
pub(crate) fn default_camera(target: Vec3) -> OrbitCamera {
    let mut camera = OrbitCamera {
        target,
        distance: DISTANCE,
        pitch: 360.0 - ANGLE_OF_ATTACK,
        yaw: YAW,
        roll: 0.0,
        fov: FIELD_OF_VIEW,
        near: NEAR,
        far: FAR,
    };
    fit(&mut camera, DISTANCE);
    camera
}

/// Keeps angles and distance in their ranges and fits near and far plane to the distance. `most` is the greatest
/// distance.
pub(crate) fn fit(camera: &mut OrbitCamera, most: f32) {
    let ok = |v: f32, or: f32| if v.is_finite() { v } else { or };
    camera.distance = ok(camera.distance, DISTANCE).clamp(LEAST_DISTANCE, most.max(LEAST_DISTANCE));
    camera.pitch = ok(camera.pitch, 56.0).clamp(1.0, 90.0);
    camera.yaw = ok(camera.yaw, YAW).rem_euclid(360.0);
    camera.fov = ok(camera.fov, FIELD_OF_VIEW).clamp(5.0, 120.0);
    let share = camera.distance / DISTANCE;
    camera.near = (NEAR * share).max(LEAST_NEAR);
    camera.far = FAR * share.max(1.0);
}

/// Height that the camera's target follows: the mean of sixteen heights around it, so that it does not hop over cliffs.
pub(crate) fn blurred_height(surface: &HeightField, at: Vec2) -> f32 {
    let taps = BLUR_TAPS.iter().flat_map(|y| BLUR_TAPS.iter().map(move |x| Vec2::new(*x, *y) * TILE_SIZE));
    taps.map(|offset| surface.height(at + offset)).sum::<f32>() / (BLUR_TAPS.len() * BLUR_TAPS.len()) as f32
}

/// What of the ground plane through the target the picture shows: a circle, cut where the view goes to the horizon.
fn seen_circle(camera: &OrbitCamera, aspect: f32) -> (Vec3, f32) {
    let reach = camera.far;
    let corners = [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)].map(|(x, y)| {
        let at = Vec2::new(x, y);
        let (eye, direction) = camera.ray(aspect, at);
        let hit = camera.on_target_plane(aspect, at).filter(|p| p.distance(eye) < reach);
        let point = hit.unwrap_or(eye + direction * reach);
        point.truncate().extend(camera.target.z)
    });
    let centre = corners.iter().sum::<Vec3>() / 4.0;
    (centre, corners.iter().map(|c| c.distance(centre)).fold(0.0, f32::max))
}

/// The light's view over what the camera sees. Its size grows in steps and its middle moves in whole texels, so that
/// shadow edges do not swim while the camera moves.
pub(crate) fn light_view(camera: &OrbitCamera, aspect: f32, to_light: Vec3) -> View {
    let to_light = to_light.try_normalize().filter(|d| d.z > 0.05).unwrap_or(Vec3::Z);
    let (centre, radius) = seen_circle(camera, aspect);
    let steps = (radius / LIGHT_HALF).max(1.0).log2() * 2.0;
    let half = LIGHT_HALF * 2f32.powf((steps - 1e-3).ceil().max(0.0) / 2.0);
    let up = if to_light.z > 0.999 { Vec3::Y } else { Vec3::Z };
    let side = up.cross(to_light).normalize();
    let above = to_light.cross(side);
    let texel = 2.0 * half / LIGHT_TEXELS;
    let snap = |v: f32| (v / texel).round() * texel;
    let (x, y, z) = (snap(centre.dot(side)), snap(centre.dot(above)), centre.dot(to_light));
    let depth = half + LIGHT_DEPTH;
    let eye = side * x + above * y + to_light * (z + depth);
    View {
        view: look_to_mat4(eye, -to_light, above),
        projection: orthographic(-half, half, -half, half, 0.0, 2.0 * depth),
        eye,
        range: [0.0, 2.0 * depth],
        layers: !0,
    }
}

/// From above over the whole map, north up.
pub(crate) fn map_view(min: Vec2, size: Vec2, heights: [f32; 2]) -> View {
    let top = heights[1] + 1000.0;
    let depth = top - heights[0] + 2000.0;
    let half = size / 2.0;
    let eye = (min + half).extend(top);
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
    use super::*;

    const SUN: Vec3 = Vec3::new(-0.557, -0.321, 0.766);

    #[test]
    fn the_light_sees_everything_that_the_camera_sees_on_the_ground() {
        for (distance, pitch, yaw) in [(1650.0, 56.0, 90.0), (1650.0, 20.0, 10.0), (9000.0, 80.0, 200.0)] {
            let mut camera = OrbitCamera { distance, pitch, yaw, ..default_camera(Vec3::new(500.0, -900.0, 30.0)) };
            fit(&mut camera, 1e5);
            let light = light_view(&camera, 16.0 / 9.0, SUN).view_projection();
            for (x, y) in [(0.0, 1.0), (1.0, 1.0), (0.5, 0.5), (0.1, 0.6), (0.9, 0.6)] {
                let Some(p) = camera.on_target_plane(16.0 / 9.0, Vec2::new(x, y)) else { continue };
                if p.distance(camera.eye()) > camera.far {
                    continue;
                }
                let clip = light.project_point3(p);
                assert!(clip.truncate().abs().max_element() <= 1.001 && (0.0..=1.0).contains(&clip.z), "{p} {clip}");
            }
        }
    }

    #[test]
    fn the_light_moves_in_whole_texels() {
        let at = |x: f32| {
            let camera = default_camera(Vec3::new(x, 0.0, 0.0));
            light_view(&camera, 1.5, SUN).view_projection().project_point3(Vec3::new(77.0, 55.0, 0.0))
        };
        for step in 1..20 {
            let moved = (at(step as f32 * 7.3) - at(0.0)) * LIGHT_TEXELS / 2.0;
            assert!((moved.x - moved.x.round()).abs() < 0.01 && (moved.y - moved.y.round()).abs() < 0.01, "{moved}");
        }
    }

    #[test]
    fn the_map_view_has_north_up_and_fits_the_map() {
        let view = map_view(Vec2::new(-100.0, -50.0), Vec2::new(200.0, 300.0), [0.0, 90.0]).view_projection();
        let corner = view.project_point3(Vec3::new(-100.0, -50.0, 0.0));
        assert!((corner.truncate() - Vec2::new(-1.0, -1.0)).length() < 1e-4, "{corner}");
        assert!(view.project_point3(Vec3::new(0.0, 250.0, 0.0)).y > 0.999);
    }
}
