//! Draw lists: attributes, instances, materials, data, culling and merging.

use glam::{Mat4, Vec3};

use super::support::*;
use crate::graph::*;
use crate::scene::*;
use crate::shader::{BindingKind, Stage};

const VERTEX: &str = "layout(location = 0) in vec2 in_position; layout(location = 2) in vec4 in_tint;
    layout(set = 3, binding = 4) readonly buffer Offsets { vec2 offsets[]; };
    layout(location = 0) out vec4 tint;
    void main() { tint = in_tint; gl_Position = view.view_projection * vec4(in_position + offsets[push.index.y], 0.5, 1.0); }";
const FRAGMENT: &str = "layout(location = 0) in vec4 tint; layout(location = 0) out vec4 color;
    layout(set = 2, binding = 1) uniform sampler2D diffuse;
    layout(set = 2, binding = 2) uniform sampler2DArray absent;
    void main() { color = tint * texture(diffuse, vec2(0.5)) * texture(absent, vec3(0.0)); }";

pub(super) fn list_registry() -> Registry {
    let attribute = |name: &str, format, offset| Attribute { name: name.into(), format, offset };
    let list = ListDecl {
        name: "quads".into(),
        doc: String::new(),
        streams: vec![
            Stream {
                stride: 8,
                per_instance: false,
                attributes: vec![attribute("position", AttributeFormat::F32x2, 0)],
            },
            Stream { stride: 4, per_instance: true, attributes: vec![attribute("tint", AttributeFormat::Unorm8x4, 0)] },
        ],
        material: vec![MaterialSlot { name: "diffuse".into(), kind: SampledKind::D2 }],
        presets: vec![
            PresetDecl { name: "plain".into(), state: MaterialState::default() },
            PresetDecl { name: "red only".into(), state: MaterialState::default() },
        ],
        storage: vec!["Offsets".into()],
    };
    Registry { lists: vec![list], ..registry() }
}

fn list_maker(gpu: &TestGpu) -> (Maker, u32) {
    let mut maker = Maker::new();
    let image = maker.image(&gpu.gpu, "scene", Format::Rgba8, [8, 8], Usage::COLOR);
    let bindings = [
        (0, 1, "view", BindingKind::Uniform),
        (2, 1, "diffuse", BindingKind::Sampled(SampledKind::D2)),
        (2, 2, "absent", BindingKind::Sampled(SampledKind::D2Array)),
        (3, 4, "Offsets", BindingKind::StorageBuffer { written: false }),
    ];
    let shader = maker.shader(shader("quads", &[(Stage::Vertex, VERTEX), (Stage::Fragment, FRAGMENT)], &bindings));
    let attribute = |location, format, stream| PlanAttribute { location, format, stream, offset: 0 };
    let kind = |color_mask| PipelineKind::Graphics {
        colors: vec![Format::Rgba8],
        depth: None,
        samples: 1,
        state: RasterState { color_mask, cull: Cull::Back, ..state() },
        attributes: vec![attribute(0, AttributeFormat::F32x2, 0), attribute(2, AttributeFormat::Unorm8x4, 1)],
        streams: vec![(0, 8, false), (1, 4, true)],
    };
    let all = maker.pipeline(shader, kind([true; 4]));
    let red = maker.pipeline(shader, kind([true, false, false, false]));
    let bindings = maker.bindings(shader, &[]);
    maker.barrier(image, Layout::ColorAttachment, COLOR_RW);
    let pass = maker.begin_pass("quads", [8, 8]);
    let color = maker.color(now(image), Load::Clear([0.0; 4]));
    maker.begin_rendering(&[color], None);
    maker.plan.draws.push(PlanDraw { list: ListId(0), pipelines: vec![all, red], bindings, shader });
    maker.plan.instructions.push(Instruction::Draw(0));
    maker.end_rendering();
    maker.end_pass(pass);
    (maker, image)
}

/// A quad of half the picture's width and height around the offset, as two triangles, counter-clockwise.
pub(super) fn content(scene: &mut Scene) {
    let corners: [[f32; 2]; 4] = [[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]];
    let positions = scene.add_buffer("positions", BufferUse::Vertex, bytemuck::cast_slice(&corners).to_vec());
    let tints = vec![255, 0, 0, 255, 0, 255, 0, 255, 255, 255, 255, 255];
    let tints = scene.add_buffer("tints", BufferUse::Vertex, tints);
    let indices: [u16; 6] = [0, 1, 2, 0, 2, 3];
    let indices = scene.add_buffer("indices", BufferUse::Index, bytemuck::cast_slice(&indices).to_vec());
    let offsets: [[f32; 2]; 4] = [[-0.5, 0.5], [0.5, 0.5], [0.5, -0.5], [-0.5, -0.5]];
    let offsets = scene.add_buffer("offsets", BufferUse::Storage, bytemuck::cast_slice(&offsets).to_vec());
    let texture = |texels: &[u8]| Texture {
        name: "texel".into(),
        kind: SampledKind::D2,
        format: Format::Rgba8,
        size: [1, 1],
        layers: 1,
        mips: 1,
        texels: texels.to_vec(),
        sampler: SamplerDesc::CLAMP,
        dirty: Dirty::All,
    };
    let white = scene.add_texture(texture(&[255; 4]));
    let broken = scene.add_texture(texture(&[255; 3]));
    let grey = scene.add_texture(texture(&[128, 128, 128, 255]));
    for (texture, preset) in [(white, 0), (grey, 0), (white, 1), (broken, 0)] {
        scene.add_material(Material { name: "m".into(), textures: vec![texture], preset });
    }
    let stream = |buffer| StreamData { buffer, offset: 0 };
    let list = scene.list_mut(ListId(0));
    list.streams = vec![stream(positions), stream(tints)];
    list.indices = Some((indices, IndexType::U16));
    list.storage = vec![offsets];
}

pub(super) fn draw(quadrant: u32, instance: u32, material: u32) -> Draw {
    Draw {
        indices: 0..6,
        base_vertex: 0,
        instances: instance..instance + 1,
        material: MaterialId(material),
        bounds: Aabb::EVERYWHERE,
        sort_key: 0,
        flags: DrawFlags::default(),
        push: [0, quadrant, 0, 0],
    }
}

#[test]
fn a_list_brings_vertices_instances_materials_data_and_push_indices() {
    let Some(gpu) = TestGpu::new() else { return };
    let (maker, image) = list_maker(&gpu);
    let mut rig = Rig::new(&gpu, maker.finish(image), &list_registry());
    rig.render();
    assert_eq!(rig.texel(1, 1), [0; 4], "a list without content draws nothing");
    content(&mut rig.scene);
    let list = rig.scene.list_mut(ListId(0));
    list.draws = vec![draw(0, 0, 0), draw(1, 1, 1), draw(2, 2, 2), draw(3, 2, 3)];
    list.generation += 1;
    let stats = rig.render();
    assert_eq!((stats.seen, stats.draws, stats.triangles), (4, 4, 8));
    assert_eq!(rig.texel(1, 1), [255, 0, 0, 255], "top left, first instance");
    assert_eq!(rig.texel(6, 1), [0, 128, 0, 255], "top right, grey material");
    assert_eq!(rig.texel(6, 6), [255, 0, 0, 0], "bottom right, preset that masks");
    assert_eq!(rig.texel(1, 6), [255; 4], "bottom left, a broken texture is white");
    assert_eq!(rig.renderer.plan().pipelines.len() as u32, rig.renderer.pipelines_built());
    rig.render();
    assert_eq!(rig.texel(6, 1), [0, 128, 0, 255]);
    rig.scene.materials[1].textures[0] = TextureId(0);
    rig.render();
    assert_eq!(rig.texel(6, 1), [0, 255, 0, 255], "a changed material is seen");
}

#[test]
fn draws_outside_a_view_are_culled_and_neighbours_merge() {
    let Some(gpu) = TestGpu::new() else { return };
    let (maker, image) = list_maker(&gpu);
    let mut rig = Rig::new(&gpu, maker.finish(image), &list_registry());
    content(&mut rig.scene);
    let part = |indices: std::ops::Range<u32>, x: f32| Draw {
        indices,
        bounds: Aabb { min: Vec3::new(x, 0.0, 0.5), max: Vec3::new(x + 0.1, 0.1, 0.5) },
        ..draw(0, 2, 0)
    };
    rig.scene.list_mut(ListId(0)).draws = vec![part(3..6, 0.0), part(0..3, 0.0), part(0..6, 3.0)];
    rig.scene.lists[0].draws[0].sort_key = 1;
    let stats = rig.render();
    assert_eq!((stats.seen, stats.draws, stats.triangles), (2, 1, 2));
    assert_eq!(rig.texel(1, 1), [255; 4]);
    let moved = View { view: Mat4::from_translation(Vec3::new(-3.0, 0.0, 0.0)), ..View::default() };
    rig.scene.set_view(ViewId(0), moved);
    let stats = rig.render();
    assert_eq!((stats.seen, stats.draws, stats.triangles), (1, 1, 2), "the view moved onto the third");
    assert_eq!(rig.texel(1, 1), [0; 4]);
    rig.scene.views[0].layers = 0;
    assert_eq!(rig.render().draws, 0);
}

#[test]
fn clockwise_faces_are_dropped_where_back_faces_are() {
    let Some(gpu) = TestGpu::new() else { return };
    let (maker, image) = list_maker(&gpu);
    let mut rig = Rig::new(&gpu, maker.finish(image), &list_registry());
    content(&mut rig.scene);
    rig.scene.list_mut(ListId(0)).draws = vec![draw(0, 2, 0)];
    let turned: [u16; 6] = [0, 2, 1, 0, 3, 2];
    rig.scene.write_buffer(BufferId(2), 0, bytemuck::cast_slice(&turned));
    rig.render();
    assert_eq!(rig.texel(1, 1), [0; 4]);
}
