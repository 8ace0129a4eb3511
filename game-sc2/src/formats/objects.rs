//! `Objects`: units, doodads, points and cameras that the editor placed.

use roxmltree::Node;
use terrace_engine::bytes::FormatError;

use super::xml::{Xml, attribute, numbers, parse, triple};

/// What was placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectKind {
    /// A unit (CUnit).
    Unit,
    /// A doodad (CActor).
    Doodad,
    /// A point or start location.
    Point,
}

/// A placed object.
#[derive(Clone, Debug, PartialEq)]
pub struct PlacedObject {
    /// What it is.
    pub kind: ObjectKind,
    /// Id of the CUnit or doodad type; a point's type.
    pub id: String,
    /// A point's name.
    pub name: String,
    /// Position in world units; z is above the ground.
    pub position: [f32; 3],
    /// Counter-clockwise turn in radians.
    pub rotation: f32,
    /// Scale along each axis.
    pub scale: [f32; 3],
    /// Owner; 0 is neutral.
    pub player: u32,
    /// Art variation.
    pub variation: u32,
}

/// A placed camera. Values that the file does not have are `None`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CameraObject {
    /// Name; the default camera's begins with `StartGame`.
    pub name: String,
    /// Where it looks, world units; z counts from the ground.
    pub target: [f32; 3],
    /// Vertical field of view in degrees.
    pub fov: Option<f32>,
    /// Near plane, world units.
    pub near: Option<f32>,
    /// Far plane, world units.
    pub far: Option<f32>,
    /// Distance, world units.
    pub distance: Option<f32>,
    /// Degrees down from the horizon.
    pub pitch: Option<f32>,
    /// Degrees.
    pub yaw: Option<f32>,
    /// Degrees.
    pub roll: Option<f32>,
    /// Height of the target above the ground, world units.
    pub height_offset: Option<f32>,
}

/// Everything that is placed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Objects {
    /// Units, doodads and points in the file's order.
    pub placed: Vec<PlacedObject>,
    /// Cameras in the file's order.
    pub cameras: Vec<CameraObject>,
}

impl Objects {
    /// Reads the file.
    ///
    /// # Errors
    /// Text that is no XML, or numbers that cannot be read.
    pub fn parse(bytes: &[u8]) -> Result<Self, FormatError> {
        let xml = Xml::new(bytes);
        let document = parse(&xml)?;
        let mut out = Self::default();
        for node in document.root_element().children().filter(Node::is_element) {
            match node.tag_name().name() {
                "ObjectUnit" => out.placed.push(object(node, ObjectKind::Unit, "UnitType")?),
                "ObjectDoodad" => out.placed.push(object(node, ObjectKind::Doodad, "Type")?),
                "ObjectPoint" => out.placed.push(object(node, ObjectKind::Point, "Type")?),
                "ObjectCamera" => out.cameras.push(camera(node)),
                _ => {}
            }
        }
        Ok(out)
    }
}

fn object(node: Node<'_, '_>, kind: ObjectKind, id: &str) -> Result<PlacedObject, FormatError> {
    let vector = |name: &str, default| node.attribute(name).and_then(triple).unwrap_or(default);
    Ok(PlacedObject {
        kind,
        id: node.attribute(id).unwrap_or("").to_owned(),
        name: node.attribute("Name").unwrap_or("").to_owned(),
        position: vector("Position", [0.0; 3]),
        rotation: attribute(node, "Rotation")?.filter(|v: &f32| v.is_finite()).unwrap_or(0.0),
        scale: vector("Scale", [1.0; 3]),
        player: attribute(node, "Player")?.unwrap_or(0),
        variation: attribute(node, "Variation")?.unwrap_or(0),
    })
}

fn camera(node: Node<'_, '_>) -> CameraObject {
    let mut out = CameraObject { name: node.attribute("Name").unwrap_or("").to_owned(), ..CameraObject::default() };
    let target = node.attribute("CameraTarget").or_else(|| node.attribute("Position")).unwrap_or("");
    out.target = triple(target).or_else(|| numbers(target).map(|[x, y]| [x, y, 0.0])).unwrap_or_default();
    for value in node.children().filter(|n| n.has_tag_name("CameraValue")) {
        let number = value.attribute("Value").and_then(|v| v.trim().parse().ok()).filter(|v: &f32| v.is_finite());
        // By name, or by the number that the script language's constants give the same value.
        let slot = match value.attribute("Index").unwrap_or("") {
            "FieldOfView" | "0" => &mut out.fov,
            "NearClip" | "1" => &mut out.near,
            "FarClip" | "2" => &mut out.far,
            "Distance" | "4" => &mut out.distance,
            "Pitch" | "5" => &mut out.pitch,
            "Yaw" | "6" => &mut out.yaw,
            "Roll" | "7" => &mut out.roll,
            "HeightOffset" | "8" => &mut out.height_offset,
            _ => continue,
        };
        *slot = number.or(*slot);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_and_cameras_are_read() {
        let text = r#"<PlacedObjects Version="27">
            <ObjectUnit Id="1" Variation="9" Position="23,28.5,1" Rotation="1.5" Scale="1,2,1" UnitType="MineralField" Player="2"><Flag Index="ForcePlacement" Value="1"/></ObjectUnit>
            <ObjectPoint Id="2" Position="2.5,61.5,0" Type="StartLoc" Name="Start Location 001"/>
            <ObjectCamera Id="3" Name="StartGame01" CameraTarget="29.5,29,0"><CameraValue Index="Distance" Value="30"/><CameraValue Index="5" Value="50"/></ObjectCamera>
            <ObjectNew/></PlacedObjects>"#;
        let objects = Objects::parse(text.as_bytes()).unwrap();
        assert_eq!(objects.placed.len(), 2);
        let unit = &objects.placed[0];
        assert_eq!(
            (unit.id.as_str(), unit.position, unit.player, unit.variation),
            ("MineralField", [23.0, 28.5, 1.0], 2, 9)
        );
        let camera = &objects.cameras[0];
        assert_eq!(
            (camera.target, camera.distance, camera.pitch, camera.yaw),
            ([29.5, 29.0, 0.0], Some(30.0), Some(50.0), None)
        );
        let error = Objects::parse(b"<a><ObjectUnit Rotation=\"x\"/></a>").unwrap_err();
        assert_eq!(error.field, "ObjectUnit/Rotation");
    }
}
