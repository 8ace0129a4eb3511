//! Views: matrices, frustum, viewport and layers.

use glam::{Mat4, Vec3, Vec4};

/// A view as the game sets it every frame; several passes share one and its culling result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// World to view space (right-handed, looking down -Z).
    pub view: Mat4,
    /// View to clip space, Y up, depth 0 near to 1 far (the backend flips the viewport for Vulkan's Y down; a point at
    /// clip `p` lies at texture coordinate `(p.x * 0.5 + 0.5, 0.5 - p.y * 0.5)` of the image rendered with the view).
    pub projection: Mat4,
    /// The eye in world space.
    pub eye: Vec3,
    /// Near and far distance in world units.
    pub range: [f32; 2],
    /// Draws whose flags have one of these layers are drawn.
    pub layers: u32,
}

impl Default for View {
    fn default() -> Self {
        Self { view: Mat4::IDENTITY, projection: Mat4::IDENTITY, eye: Vec3::ZERO, range: [0.0, 1.0], layers: !0 }
    }
}

impl View {
    /// World to clip space.
    pub fn view_projection(&self) -> Mat4 {
        self.projection * self.view
    }

    /// The six planes.
    pub fn frustum(&self) -> Frustum {
        Frustum::new(self.view_projection())
    }
}

/// An axis-aligned box in world space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// Smallest corner.
    pub min: Vec3,
    /// Largest corner.
    pub max: Vec3,
}

impl Aabb {
    /// A box that holds nothing; growing it by a point gives that point.
    pub const EMPTY: Self = Self { min: Vec3::splat(f32::INFINITY), max: Vec3::splat(f32::NEG_INFINITY) };
    /// A box that is never culled.
    pub const EVERYWHERE: Self = Self { min: Vec3::splat(-1e30), max: Vec3::splat(1e30) };

    /// Grows the box to hold a point.
    pub fn grow(&mut self, point: Vec3) {
        self.min = self.min.min(point);
        self.max = self.max.max(point);
    }

    /// The box of both.
    pub fn union(&self, other: &Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }
}

/// Six planes (normal, distance) that point inwards, from the rows of a view-projection matrix.
#[derive(Clone, Copy, Debug)]
pub struct Frustum {
    planes: [Vec4; 6],
}

impl Frustum {
    /// Left, right, bottom, top, near, far for clip depth 0 to 1.
    pub fn new(m: Mat4) -> Self {
        let r = [m.row(0), m.row(1), m.row(2), m.row(3)];
        Self { planes: [r[3] + r[0], r[3] - r[0], r[3] + r[1], r[3] - r[1], r[2], r[3] - r[2]] }
    }

    /// False only when the box lies wholly outside one plane (conservative).
    pub fn sees(&self, b: &Aabb) -> bool {
        self.planes.iter().all(|p| {
            let n = p.truncate();
            let far = Vec3::select(n.cmpge(Vec3::ZERO), b.max, b.min);
            n.dot(far) + p.w >= 0.0
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frustum_keeps_what_is_ahead_and_drops_what_is_behind() {
        let view = glam::camera::rh::view::look_at_mat4(Vec3::ZERO, Vec3::X, Vec3::Z);
        let frustum = Frustum::new(glam::camera::rh::proj::directx::perspective(1.0, 1.0, 1.0, 100.0) * view);
        let at = |x: f32| Aabb { min: Vec3::new(x, -1.0, -1.0), max: Vec3::new(x + 1.0, 1.0, 1.0) };
        assert!(frustum.sees(&at(10.0)));
        assert!(!frustum.sees(&at(-10.0)));
        assert!(!frustum.sees(&at(200.0)));
        assert!(frustum.sees(&Aabb::EVERYWHERE));
    }
}
