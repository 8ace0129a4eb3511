//! An orbit camera: a target on the ground, a distance and two angles.

use glam::camera::rh::proj::directx::perspective;
use glam::camera::rh::view::look_to_mat4;
use glam::{Mat4, Vec2, Vec3};

use super::view::View;

/// Where the target of a camera may be, in world units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CameraBounds {
    /// South-west corner.
    pub min: Vec2,
    /// North-east corner.
    pub max: Vec2,
}

/// A camera that looks at a target from a distance. Z is up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OrbitCamera {
    /// The point that is looked at, world units.
    pub target: Vec3,
    /// Distance from the target to the eye, world units.
    pub distance: f32,
    /// Degrees below the horizon that the camera looks down: 0 is level, 90 straight down.
    pub pitch: f32,
    /// Compass direction of the look in degrees, counter-clockwise from east: 90 looks north.
    pub yaw: f32,
    /// Rotation about the look direction in degrees.
    pub roll: f32,
    /// Vertical field of view in degrees.
    pub fov: f32,
    /// Near plane, world units.
    pub near: f32,
    /// Far plane, world units.
    pub far: f32,
}

impl OrbitCamera {
    /// The direction of the look, of length 1.
    pub fn forward(&self) -> Vec3 {
        let (pitch, yaw) = (self.pitch.to_radians(), self.yaw.to_radians());
        Vec3::new(pitch.cos() * yaw.cos(), pitch.cos() * yaw.sin(), -pitch.sin())
    }

    /// The eye in world space.
    pub fn eye(&self) -> Vec3 {
        self.target - self.forward() * self.distance
    }

    /// The view for a picture of this width over height.
    pub fn view(&self, aspect: f32) -> View {
        let eye = self.eye();
        let yaw = self.yaw.to_radians();
        // Up comes from the yaw alone, so that a camera that looks straight down still has one.
        let side = Vec3::new(yaw.sin(), -yaw.cos(), 0.0);
        let up = side.cross(self.forward());
        let view = Mat4::from_rotation_z(self.roll.to_radians()) * look_to_mat4(eye, self.forward(), up);
        let projection = perspective(self.fov.to_radians(), aspect.max(1e-3), self.near, self.far);
        View { view, projection, eye, range: [self.near, self.far], layers: !0 }
    }

    /// A ray through a point of the picture (0,0 top left to 1,1 bottom right): origin and direction of length 1.
    pub fn ray(&self, aspect: f32, at: Vec2) -> (Vec3, Vec3) {
        let inverse = self.view(aspect).view_projection().inverse();
        let ndc = Vec3::new(at.x * 2.0 - 1.0, 1.0 - at.y * 2.0, 1.0);
        let eye = self.eye();
        (eye, (inverse.project_point3(ndc) - eye).normalize_or(self.forward()))
    }

    /// Where a ray of [`Self::ray`] meets the horizontal plane through the target, if ahead of the eye.
    pub fn on_target_plane(&self, aspect: f32, at: Vec2) -> Option<Vec3> {
        let (origin, direction) = self.ray(aspect, at);
        let t = (self.target.z - origin.z) / direction.z;
        (t.is_finite() && t > 0.0).then(|| origin + direction * t)
    }

    /// Keeps the target inside the bounds.
    pub fn clamp(&mut self, bounds: &CameraBounds) {
        let max = bounds.max.max(bounds.min);
        let xy = self.target.truncate().clamp(bounds.min, max);
        self.target = xy.extend(self.target.z);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn camera() -> OrbitCamera {
        OrbitCamera {
            target: Vec3::new(10.0, 20.0, 5.0),
            distance: 100.0,
            pitch: 56.0,
            yaw: 90.0,
            roll: 0.0,
            fov: 50.0,
            near: 1.0,
            far: 1000.0,
        }
    }

    #[test]
    fn the_target_is_the_middle_of_the_picture_and_north_is_up() {
        let c = camera();
        let m = c.view(1.5).view_projection();
        assert!(m.project_point3(c.target).truncate().length() < 1e-4);
        assert!(m.project_point3(c.target + Vec3::Y).y > 0.0);
        assert!(m.project_point3(c.target + Vec3::X).x > 0.0);
        let straight_down = OrbitCamera { pitch: 90.0, ..c };
        assert!(straight_down.view(1.0).view_projection().project_point3(c.target + Vec3::Y).y > 0.0);
    }

    #[test]
    fn a_ray_through_the_middle_meets_the_target() {
        let c = camera();
        let hit = c.on_target_plane(1.5, Vec2::splat(0.5)).unwrap();
        assert!(hit.distance(c.target) < 1e-2, "{hit}");
    }
}
