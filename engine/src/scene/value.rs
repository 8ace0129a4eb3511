//! Typed values of params, flags and shader uniforms.

use serde::{Deserialize, Serialize};

/// The type of a param or of a member of a shader's `Params` block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ValueType {
    /// `bool`; 0 or 1 as a 32-bit word in a uniform block.
    Bool,
    /// `int`, 32 bits.
    Int,
    /// `float`, 32 bits.
    Float,
    /// `vec2`.
    Vec2,
    /// `vec3`.
    Vec3,
    /// `vec4`; colours are `Vec4` too (RGBA, 0 to 1).
    Vec4,
    /// One name of a list; an `int` (its index) in a uniform block.
    Enum,
}

impl ValueType {
    /// The name in graph files and messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::Int => "int",
            Self::Float => "float",
            Self::Vec2 => "vec2",
            Self::Vec3 => "vec3",
            Self::Vec4 => "vec4",
            Self::Enum => "enum",
        }
    }

    /// Bytes in a std140 uniform block (without padding).
    pub fn size(self) -> usize {
        match self {
            Self::Bool | Self::Int | Self::Float | Self::Enum => 4,
            Self::Vec2 => 8,
            Self::Vec3 => 12,
            Self::Vec4 => 16,
        }
    }
}

/// A value of a [`ValueType`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Value {
    /// A truth value.
    Bool(bool),
    /// An integer; also the index of an enum's name.
    Int(i32),
    /// A float.
    Float(f32),
    /// Two floats.
    Vec2([f32; 2]),
    /// Three floats.
    Vec3([f32; 3]),
    /// Four floats.
    Vec4([f32; 4]),
}

impl Value {
    /// The value's own type; an enum's index reports [`ValueType::Int`].
    pub fn value_type(&self) -> ValueType {
        match self {
            Self::Bool(_) => ValueType::Bool,
            Self::Int(_) => ValueType::Int,
            Self::Float(_) => ValueType::Float,
            Self::Vec2(_) => ValueType::Vec2,
            Self::Vec3(_) => ValueType::Vec3,
            Self::Vec4(_) => ValueType::Vec4,
        }
    }

    /// The components as floats; booleans are 0 or 1.
    pub fn components(&self) -> ([f32; 4], usize) {
        match *self {
            Self::Bool(b) => ([f32::from(u8::from(b)), 0.0, 0.0, 0.0], 1),
            Self::Int(i) => ([i as f32, 0.0, 0.0, 0.0], 1),
            Self::Float(x) => ([x, 0.0, 0.0, 0.0], 1),
            Self::Vec2([x, y]) => ([x, y, 0.0, 0.0], 2),
            Self::Vec3([x, y, z]) => ([x, y, z, 0.0], 3),
            Self::Vec4(v) => (v, 4),
        }
    }

    /// Writes the value as a uniform block stores it; `out` is at least [`ValueType::size`] bytes.
    pub fn write(&self, out: &mut [u8]) {
        match *self {
            Self::Bool(b) => out[..4].copy_from_slice(&u32::from(b).to_le_bytes()),
            Self::Int(i) => out[..4].copy_from_slice(&i.to_le_bytes()),
            _ => {
                let (v, n) = self.components();
                out[..4 * n].copy_from_slice(&bytemuck::cast_slice::<f32, u8>(&v)[..4 * n]);
            }
        }
    }
}
