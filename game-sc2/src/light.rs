//! The key light and its two directions.

use glam::Vec3;

use crate::catalog::{Catalogs, LightRecord};

/// Direction of a light that no catalog gives: that of Mar Sara.
const FALLBACK_RAY: [f32; 3] = [0.724_693, -0.124_265, -0.677_775];
/// Ambient colour of a light that no catalog gives.
const FALLBACK_AMBIENT: [f32; 3] = [0.35, 0.35, 0.40];
/// Colour of a light that no catalog gives.
const FALLBACK_COLOR: [f32; 3] = [0.85, 0.82, 0.75];

/// Light on the map.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Light {
    ray: Vec3,
    /// Key light, 0 to about 2.
    pub(crate) color: Vec3,
    /// Ambient light.
    pub(crate) ambient: Vec3,
}

impl Light {
    /// The light of a tileset: its CTerrain names one, or it has the tileset's own id.
    pub(crate) fn of(catalogs: &Catalogs, tileset: &str) -> Option<Self> {
        let named = catalogs.terrain(tileset).and_then(|t| t.lighting);
        let record = named.and_then(|id| catalogs.light(&id)).or_else(|| catalogs.light(tileset))?;
        Self::new(record)
    }

    fn new(record: LightRecord) -> Option<Self> {
        let ray = Vec3::from(record.direction).try_normalize()?;
        Some(Self { ray, color: record.color.into(), ambient: record.ambient.into() })
    }

    /// What lights a map whose light is not known.
    pub(crate) fn fallback() -> Self {
        Self { ray: FALLBACK_RAY.into(), color: FALLBACK_COLOR.into(), ambient: FALLBACK_AMBIENT.into() }
    }

    /// The direction in which the rays travel: shadows are cast along it.
    pub(crate) fn ray(self) -> Vec3 {
        self.ray
    }

    /// From a surface to the light: what a normal is multiplied with. The negation of the ray; the two must not be
    /// exchanged.
    pub(crate) fn to_light(self) -> Vec3 {
        -self.ray
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::camera;

    #[test]
    fn light_ray_and_its_negation() {
        let mut catalogs = Catalogs::default();
        let text = "<Catalog><CLight id=\"MarSara\"><ToDInfoArray index=\"0\" AmbientColor=\"0.5,0.5,0.5\" Colorize=\"1\">\
            <Param index=\"ColorizationBlend\" value=\"0.5\"/><DirectionalLight index=\"Key\" Color=\"1,0.5,0\" \
            ColorMultiplier=\"2\" Direction=\"0.724693,-0.124265,-0.677775\"/><DirectionalLight index=\"Fill\" \
            Color=\"9,9,9\" Direction=\"0,0,1\"/></ToDInfoArray></CLight></Catalog>";
        catalogs.add(text.as_bytes()).unwrap();
        let light = Light::of(&catalogs, "MarSara").unwrap();
        assert!((light.to_light() - Vec3::new(-0.724_693, 0.124_265, 0.677_775)).length() < 1e-5);
        assert_eq!((light.color, light.ambient), (Vec3::new(2.0, 1.0, 0.0), Vec3::splat(0.25)));
        // Shadows are cast along the ray itself: the light's view looks that way.
        let camera = camera::default_camera(Vec3::ZERO);
        let view = camera::light_view(&camera, 1.5, light.ray());
        let looks = view.view.inverse().transform_vector3(-Vec3::Z);
        assert!((looks - light.ray()).length() < 1e-4, "{looks}");
        assert_eq!(Light::of(&catalogs, "Other"), None);
    }
}
