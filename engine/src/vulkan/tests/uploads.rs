//! Changes of the world's buffers and textures reach the device, and cost what changed.

use super::support::*;
use crate::graph::*;
use crate::scene::*;
use crate::shader::BindingKind;
use crate::vulkan::SceneGpu;

fn import_rig(gpu: &TestGpu) -> Rig {
    let show = "layout(location = 0) in vec2 uv; layout(location = 0) out vec4 color;
        layout(set = 1, binding = 0) uniform sampler2D map; void main() { color = textureLod(map, uv, 0.0); }";
    let mut maker = Maker::new();
    let image = maker.image(&gpu.gpu, "scene", Format::Rgba8, [4, 4], Usage::COLOR);
    let shader = fullscreen("show", show, &[(1, 0, "map", BindingKind::Sampled(SampledKind::D2))]);
    maker.fullscreen("show", image, Load::DontCare, shader, &[(0, BoundResource::Import { import: ImportId(0) })]);
    let import = ImportDecl { name: "map".into(), doc: String::new(), kind: SampledKind::D2 };
    Rig::new(gpu, maker.finish(image), &Registry { imports: vec![import], ..registry() })
}

fn texture(size: u32, texels: Vec<u8>, mips: u32) -> Texture {
    Texture {
        name: "map".into(),
        kind: SampledKind::D2,
        format: Format::R8,
        size: [size, size],
        layers: 1,
        mips,
        texels,
        sampler: SamplerDesc::NEAREST,
        dirty: Dirty::All,
    }
}

#[test]
fn an_imported_texture_is_white_until_it_is_set_and_follows_its_changes() {
    let Some(gpu) = TestGpu::new() else { return };
    let mut rig = import_rig(&gpu);
    rig.render();
    assert_eq!(rig.texel(0, 0), [255; 4]);
    let id = rig.scene.add_texture(texture(4, (0..21).collect(), 3));
    rig.scene.set_import(ImportId(0), id);
    assert_eq!(rig.render().uploaded, 21);
    assert_eq!(rig.texel(3, 3), [15, 0, 0, 255]);
    assert_eq!(rig.render().uploaded, 0);
    let map = &mut rig.scene.textures[0];
    map.texels[5] = 200;
    map.dirty.mark(5..6);
    assert_eq!(rig.render().uploaded, 16, "the mip that changed");
    assert_eq!(rig.texel(1, 1), [200, 0, 0, 255]);
    rig.scene.textures[0] = texture(2, vec![1, 2, 3, 4], 1);
    rig.render();
    assert_eq!(rig.texel(3, 0), [2, 0, 0, 255], "another size is another image");
    rig.scene.textures[0] = texture(0, vec![], 1);
    rig.render();
    assert_eq!(rig.texel(3, 0), [255; 4], "an impossible one is white");
}

#[test]
fn a_marked_range_costs_its_bytes_and_frames_in_flight_keep_theirs() {
    let Some(gpu) = TestGpu::new() else { return };
    let mut rig = import_rig(&gpu);
    let buffer = rig.scene.add_buffer("big", BufferUse::Storage, vec![0; 1 << 20]);
    assert_eq!(rig.render().uploaded, 1 << 20);
    for i in 0..10u8 {
        rig.scene.write_buffer(buffer, 1000, &[i; 64]);
        rig.scene.write_buffer(buffer, 1032, &[i; 64]);
        assert_eq!(rig.render().uploaded, 96, "overlapping marks are one copy");
    }
    rig.scene.buffers[0].bytes = vec![7; 3 << 20];
    rig.scene.buffers[0].dirty = Dirty::All;
    assert_eq!(rig.render().uploaded, 3 << 20);
    rig.scene.buffers[0].dirty.mark(5..usize::MAX);
    assert_eq!(rig.render().uploaded, (3 << 20) - 5, "a mark beyond the end is clipped");
}

#[test]
fn a_new_copy_of_a_world_is_whole_although_its_marks_are_clean() {
    let Some(gpu) = TestGpu::new() else { return };
    let mut rig = import_rig(&gpu);
    let id = rig.scene.add_texture(texture(4, vec![9; 16], 1));
    rig.scene.set_import(ImportId(0), id);
    rig.render();
    rig.world = SceneGpu::new(&gpu.gpu).unwrap();
    assert_eq!(rig.render().uploaded, 16);
}

#[test]
fn a_large_upload_gives_its_memory_back() {
    let Some(gpu) = TestGpu::new() else { return };
    let mut rig = import_rig(&gpu);
    rig.render();
    let before = gpu.gpu.memory_report().used;
    rig.scene.add_buffer("huge", BufferUse::Storage, vec![1; 40 << 20]);
    rig.render();
    rig.render();
    gpu.gpu.wait().unwrap();
    let grown = gpu.gpu.memory_report().used - before;
    assert!(grown < (42 << 20), "{grown}");
}
