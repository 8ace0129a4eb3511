//! SPIR-V to what a stage wants, through spirq.

use spirq::ReflectConfig;
use spirq::entry_point::EntryPoint;
use spirq::ty::{AccessType, DescriptorType, ScalarType, Type, VectorType};
use spirq::var::Variable;

use super::interface::{BindingKind, Block, Member, ShaderBinding, SpecConstant, Stage};
use crate::graph::SampledKind;
use crate::scene::ValueType;

/// A variable at the border of a stage.
#[derive(Clone, Debug)]
pub(super) struct Port {
    pub(super) name: String,
    pub(super) location: u32,
    pub(super) components: u32,
    pub(super) integer: bool,
}

/// What one stage wants.
#[derive(Debug, Default)]
pub(super) struct StageInterface {
    pub(super) inputs: Vec<Port>,
    pub(super) outputs: Vec<Port>,
    pub(super) bindings: Vec<ShaderBinding>,
    pub(super) blocks: Vec<(String, Block)>,
    pub(super) push_bytes: u32,
    pub(super) constants: Vec<SpecConstant>,
    pub(super) workgroup: [u32; 3],
}

/// Reflects one stage. The error is a sentence that names the variable.
pub(super) fn stage(words: &[u32], stage: Stage) -> Result<StageInterface, String> {
    let entries = ReflectConfig::new()
        .spv(words.to_vec())
        // A texture that is only handed to a function counts too; glslang leaves unused ones out itself.
        .ref_all_rscs(true)
        .reflect()
        .map_err(|e| format!("the compiled shader cannot be reflected: {e}"))?;
    let entry: &EntryPoint = entries.first().ok_or("the shader has no entry point")?;
    let mut out = StageInterface::default();
    for variable in &entry.vars {
        add(&mut out, variable, stage)?;
    }
    out.workgroup = super::spirv::local_size(words);
    out.inputs.sort_by_key(|p| p.location);
    out.outputs.sort_by_key(|p| p.location);
    Ok(out)
}

fn add(out: &mut StageInterface, variable: &Variable, stage: Stage) -> Result<(), String> {
    let name = variable.name().unwrap_or("").to_owned();
    match variable {
        Variable::Input { location, ty, .. } => out.inputs.push(port(name, location.loc(), ty)?),
        Variable::Output { location, ty, .. } => out.outputs.push(port(name, location.loc(), ty)?),
        Variable::Descriptor { desc_bind, desc_ty, ty, nbind, .. } => {
            if *nbind != 1 {
                return Err(format!("\"{name}\" is an array of descriptors; use a texture array"));
            }
            let (kind, name) = descriptor(desc_ty, ty, name)?;
            if let (BindingKind::Uniform, Type::Struct(s)) = (kind, ty) {
                out.blocks.push((name.clone(), block(&name, s)?));
            }
            let (set, binding) = desc_bind.into_inner();
            out.bindings.push(ShaderBinding { set, binding, name, kind, stages: vec![stage] });
        }
        Variable::PushConstant { ty, .. } => out.push_bytes = out.push_bytes.max(ty.nbyte().unwrap_or(0) as u32),
        Variable::SpecConstant { spec_id, ty, .. } => {
            let kind = value_type(ty).ok_or_else(|| format!("specialization constant \"{name}\" has no plain type"))?;
            out.constants.push(SpecConstant { name, id: *spec_id, kind });
        }
    }
    Ok(())
}

fn port(name: String, location: u32, ty: &Type) -> Result<Port, String> {
    let (scalar, components) = match ty {
        Type::Scalar(s) => (s, 1),
        Type::Vector(v) => (&v.scalar_ty, v.nscalar),
        _ => return Err(format!("\"{name}\" goes from stage to stage and must be a scalar or a vector")),
    };
    Ok(Port { name, location, components, integer: matches!(scalar, ScalarType::Integer { .. }) })
}

fn descriptor(desc: &DescriptorType, ty: &Type, name: String) -> Result<(BindingKind, String), String> {
    let block_name = |name: String| match ty {
        Type::Struct(s) if name.is_empty() => s.name.clone().unwrap_or_default(),
        _ => name,
    };
    Ok(match desc {
        DescriptorType::CombinedImageSampler() => (BindingKind::Sampled(sampled(ty, &name)?), name),
        DescriptorType::StorageImage(access) => {
            (BindingKind::StorageImage { written: *access != AccessType::ReadOnly }, name)
        }
        DescriptorType::StorageBuffer(access) => {
            (BindingKind::StorageBuffer { written: *access != AccessType::ReadOnly }, block_name(name))
        }
        DescriptorType::UniformBuffer() => {
            let block = match ty {
                Type::Struct(s) => s.name.clone().unwrap_or(name),
                _ => name,
            };
            (BindingKind::Uniform, block)
        }
        other => return Err(format!("\"{name}\" is a {other:?}; use sampler2D, image2D, buffer or uniform blocks")),
    })
}

fn sampled(ty: &Type, name: &str) -> Result<SampledKind, String> {
    let Type::CombinedImageSampler(combined) = ty else {
        return Err(format!("\"{name}\" is not a combined image and sampler"));
    };
    let image = &combined.sampled_image_ty;
    let unsigned = matches!(image.scalar_ty, ScalarType::Integer { .. });
    let depth = image.is_depth == Some(true);
    let shape = (format!("{:?}", image.dim), image.is_array, image.is_multisampled, depth, unsigned);
    match (shape.0.as_str(), shape.1, shape.2, shape.3, shape.4) {
        ("Dim2D", false, false, false, false) => Ok(SampledKind::D2),
        ("Dim2D", true, false, false, false) => Ok(SampledKind::D2Array),
        ("DimCube", false, false, false, false) => Ok(SampledKind::Cube),
        ("Dim2D", false, false, true, false) => Ok(SampledKind::D2Shadow),
        ("Dim2D", false, true, false, false) => Ok(SampledKind::D2Multisampled),
        ("Dim2D", false, false, false, true) => Ok(SampledKind::D2Uint),
        _ => Err(format!(
            "\"{name}\" has a sampler type that no image has; use sampler2D, sampler2DArray, samplerCube, \
             sampler2DShadow, sampler2DMS or usampler2D"
        )),
    }
}

fn block(name: &str, ty: &spirq::ty::StructType) -> Result<Block, String> {
    let mut members = Vec::new();
    for member in &ty.members {
        let member_name = member.name.clone().unwrap_or_default();
        // The engine's own blocks hold matrices; only `Params` is filled member by member.
        let Some(kind) = value_type(&member.ty) else {
            if name == "Params" {
                return Err(format!("member \"{member_name}\" of Params must be bool, int, float, vec2, vec3 or vec4"));
            }
            continue;
        };
        members.push(Member { name: member_name, offset: member.offset.unwrap_or(0) as u32, kind });
    }
    let end = members.iter().map(|m| m.offset + m.kind.size() as u32).max().unwrap_or(0);
    let size = (ty.members.iter().filter_map(|m| Some(m.offset? + m.ty.nbyte()?)).max().unwrap_or(0) as u32).max(end);
    Ok(Block { size: size.next_multiple_of(16), members })
}

fn value_type(ty: &Type) -> Option<ValueType> {
    match ty {
        Type::Scalar(ScalarType::Float { bits: 32 }) => Some(ValueType::Float),
        Type::Scalar(ScalarType::Integer { bits: 32, is_signed: true }) => Some(ValueType::Int),
        // GLSL's bool is stored as uint in a block.
        Type::Scalar(ScalarType::Integer { bits: 32, is_signed: false } | ScalarType::Boolean) => Some(ValueType::Bool),
        Type::Vector(VectorType { scalar_ty: ScalarType::Float { bits: 32 }, nscalar }) => match nscalar {
            2 => Some(ValueType::Vec2),
            3 => Some(ValueType::Vec3),
            4 => Some(ValueType::Vec4),
            _ => None,
        },
        _ => None,
    }
}
