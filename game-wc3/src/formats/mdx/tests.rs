use super::*;
use proptest::prelude::*;

/// A square of two triangles.
fn quad() -> StaticModel {
    StaticModel {
        name: "Quad".into(),
        sequences: vec![StaticSequence { name: "Stand".into(), start: 0, end: 1000 }],
        textures: vec![Texture { replaceable_id: 0, path: "a\\b.blp".into(), wrap_width: true, wrap_height: false }],
        materials: vec![StaticMaterial {
            filter: FilterMode::Blend,
            layer_flags: LAYER_TWO_SIDED,
            ..Default::default()
        }],
        geosets: vec![StaticGeoset {
            positions: vec![[0.0, 0.0, 0.0], [64.0, 0.0, 0.0], [64.0, 64.0, 0.0], [0.0, 64.0, 32.0]],
            normals: vec![[0.0, 0.0, 1.0]; 4],
            uvs: vec![[0.0, 1.0], [1.0, 1.0], [1.0, 0.0], [0.0, 0.0]],
            faces: vec![[0, 1, 2], [0, 2, 3]],
            material: 0,
        }],
    }
}

/// A file of chunks.
fn file(version: u32, chunks: &[(&[u8; 4], Vec<u8>)]) -> Vec<u8> {
    let mut out = b"MDLXVERS\x04\0\0\0".to_vec();
    out.extend(version.to_le_bytes());
    for (tag, body) in chunks {
        out.extend(*tag);
        out.extend((body.len() as u32).to_le_bytes());
        out.extend(body);
    }
    out
}

fn ints(values: &[u32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

fn floats(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

fn fixed_text(text: &str, len: usize) -> Vec<u8> {
    let mut out = text.as_bytes().to_vec();
    out.resize(len, 0);
    out
}

fn node(name: &str, id: u32, parent: u32, tracks: &[u8]) -> Vec<u8> {
    [ints(&[96 + tracks.len() as u32]), fixed_text(name, 80), ints(&[id, parent, 0]), tracks.to_vec()].concat()
}

fn fields(model: &Model) -> Vec<&str> {
    model.warnings.iter().map(|w| w.field.as_str()).collect()
}

/// A record with its inclusive size.
fn sized(body: Vec<u8>) -> Vec<u8> {
    [ints(&[body.len() as u32 + 4]), body].concat()
}

#[test]
fn a_written_model_is_read_back() {
    let written = quad();
    let m = Model::parse(&write_static(&written)).unwrap();
    assert_eq!(m.warnings, []);
    assert_eq!((m.version, m.name.as_str(), m.blend_time), (800, "Quad", 150));
    assert_eq!(m.extent.max, [64.0, 64.0, 32.0]);
    assert_eq!((m.sequences[0].name.as_str(), m.sequences[0].end), ("Stand", 1000));
    assert_eq!(m.textures, written.textures);
    let layer = &m.materials[0].layers[0];
    assert_eq!((layer.filter, layer.flags, layer.textures[0].texture), (FilterMode::Blend, LAYER_TWO_SIDED, Some(0)));
    let (g, w) = (&m.geosets[0], &written.geosets[0]);
    assert_eq!((&g.positions, &g.normals, &g.faces), (&w.positions, &w.normals, &w.faces));
    assert_eq!((g.uvs(0), g.uvs(7)), (&w.uvs[..], &w.uvs[..]));
    assert_eq!((&g.groups, g.material, g.sequence_extents.len()), (&vec![vec![0]], Some(0), 1));
    assert_eq!((m.bones.len(), m.pivots.len()), (1, 1));
}

#[test]
fn only_what_is_no_model_is_an_error() {
    assert_eq!(Model::parse(b"MDLY").unwrap_err().field, "magic");
    assert_eq!(Model::parse(&file(700, &[])).unwrap_err().field, "VERS");
    assert_eq!(fields(&Model::parse(b"MDLX").unwrap()), ["VERS"]);
    assert_eq!(Model::parse(&file(1300, &[])).unwrap().version, 1200);
}

#[test]
fn unknown_chunks_are_skipped_and_named() {
    let m = Model::parse(&file(800, &[(b"INFO", b"made by a tool".to_vec()), (b"PIVT", floats(&[1.0, 2.0, 3.0]))]))
        .unwrap();
    assert_eq!(m.warnings, []);
    assert_eq!(m.unknown_chunks, [UnknownChunk { tag: "INFO".into(), offset: 16, size: 14 }]);
    assert_eq!((m.pivot(0), m.pivot(9)), ([1.0, 2.0, 3.0], [0.0; 3]));
}

#[test]
fn a_chunk_with_a_wrong_size_loses_only_what_it_hides() {
    let mut bytes = file(800, &[(b"GLBS", ints(&[7, 8])), (b"PIVT", floats(&[1.0, 2.0, 3.0]))]);
    bytes[20] = 4;
    let m = Model::parse(&bytes).unwrap();
    assert_eq!(m.global_sequences, [7]);
    assert_eq!(m.pivots, [[1.0, 2.0, 3.0]]);
    assert_eq!(m.warnings.len(), 1);
    assert_eq!(m.warnings[0].offset, 28);
}

#[test]
fn colours_are_stored_blue_first_except_those_of_particles() {
    let track = [b"KGAC".to_vec(), ints(&[1, 1, u32::MAX, 0]), floats(&[0.4, 0.5, 0.6])].concat();
    let geoa = sized([floats(&[0.5]), ints(&[2]), floats(&[0.1, 0.2, 0.3]), ints(&[0]), track].concat());
    let m = Model::parse(&file(800, &[(b"GEOA", geoa)])).unwrap();
    assert_eq!(m.geoset_animations[0].color, [0.3, 0.2, 0.1]);
    assert_eq!(m.geoset_animations[0].color_track.as_ref().unwrap().keys[0].value, [0.6, 0.5, 0.4]);
    assert_eq!((m.geoset_animations[0].geoset, m.geoset_animations[0].use_color), (None, true));
    assert_eq!(fields(&m), ["GEOA.geosetId"]);
}

fn pre2(length: f32, width: f32) -> Vec<u8> {
    sized(
        [
            node("p", 0, u32::MAX, &[]),
            floats(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, length, width]),
            ints(&[4, 2, 0, 2]),
            floats(&[7.0, 0.5, 1.0, 0.5, 0.25, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
            vec![255, 128, 0],
            floats(&[8.0, 9.0, 10.0]),
            ints(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 5, 1, 3, 2]),
            b"KP2V".to_vec(),
            ints(&[1, 0, u32::MAX, 100]),
            floats(&[1.0]),
        ]
        .concat(),
    )
}

#[test]
fn particle_emitters_keep_length_first_and_colours_as_stored() {
    let m = Model::parse(&file(800, &[(b"PRE2", pre2(200.0, 0.0)), (b"PIVT", floats(&[0.0; 3]))])).unwrap();
    let p = &m.particle_emitters2[0];
    assert_eq!((p.length, p.width, p.filter), (200.0, 0.0, ParticleFilter::AlphaKey));
    assert_eq!((p.rows, p.columns, p.head_or_tail), (2, 1, HeadOrTail::Both));
    assert_eq!(p.segment_colors[0], [1.0, 0.5, 0.25]);
    assert_eq!((p.segment_alphas, p.segment_scales), ([255, 128, 0], [8.0, 9.0, 10.0]));
    assert_eq!(p.tail_cells[1], CellInterval { start: 9, end: 10, repeat: 11 });
    assert_eq!((p.squirt, p.priority_plane, p.replaceable_id), (true, 3, 2));
    assert_eq!(p.visibility_track.as_ref().unwrap().keys[0].time, 100);
    assert_eq!((p.texture, fields(&m)), (None, vec!["PRE2.textureId"]));
}

#[test]
fn parents_may_have_the_higher_id_and_circles_are_broken() {
    let helpers = [node("child", 0, 2, &[]), node("a", 3, 4, &[]), node("b", 4, 3, &[]), node("top", 2, u32::MAX, &[])];
    let m = Model::parse(&file(800, &[(b"HELP", helpers.concat()), (b"PIVT", floats(&[0.0; 12]))])).unwrap();
    let names: Vec<_> = m.hierarchy().iter().map(|j| (j.node.name.as_str(), j.parent)).collect();
    assert_eq!(names, [("a", None), ("b", Some(0)), ("top", None), ("child", Some(2))]);
    assert_eq!(fields(&m), ["NODE.parentId"]);
}

#[test]
fn missing_parents_and_repeated_ids_are_reported() {
    let helpers = [node("a", 0, 9, &[]), node("b", 0, u32::MAX, &[])];
    let m = Model::parse(&file(800, &[(b"HELP", helpers.concat()), (b"PIVT", floats(&[0.0; 6]))])).unwrap();
    assert_eq!(m.hierarchy().len(), 1);
    assert_eq!(fields(&m), ["NODE.objectId", "NODE.parentId"]);
}

#[test]
fn a_lying_track_count_costs_the_track_and_not_the_node() {
    let track = [b"KGTR".to_vec(), ints(&[0x4000_0000, 1, u32::MAX, 0, 0, 0, 0])].concat();
    let m =
        Model::parse(&file(800, &[(b"HELP", node("h", 0, u32::MAX, &track)), (b"PIVT", floats(&[0.0; 3]))])).unwrap();
    assert_eq!((m.helpers.len(), &m.helpers[0].translation), (1, &None));
    assert_eq!(fields(&m), ["KGTR"]);
}

#[test]
fn triangles_past_the_vertices_are_dropped_and_short_lists_filled() {
    let mut model = quad();
    let g = &mut model.geosets[0];
    g.faces.push([0, 1, 4]);
    g.normals.pop();
    g.uvs.clear();
    g.material = 5;
    let m = Model::parse(&write_static(&model)).unwrap();
    let g = &m.geosets[0];
    assert_eq!((g.faces.len(), g.normals.len(), g.uv_sets[0].len(), g.material), (2, 4, 4, Some(0)));
    assert_eq!(fields(&m), ["PVTX", "NRMS", "UVBS", "GEOS.materialId"]);
}

#[test]
fn layers_of_version_1100_name_several_textures() {
    let track = [b"KMTF".to_vec(), ints(&[2, 0, u32::MAX, 0, 1, 5, 7])].concat();
    let layer = [
        ints(&[0, 0, 0, u32::MAX, 0]),
        floats(&[1.0, 2.0, 0.1, 0.2, 0.3, 0.4, 0.5]),
        ints(&[1, 2, 1, 0]),
        track,
        ints(&[0, 1]),
    ]
    .concat();
    let material = sized([ints(&[0, 0]), b"LAYS".to_vec(), ints(&[1]), sized(layer)].concat());
    let texture = [ints(&[0]), fixed_text("t.dds", 260), ints(&[0])].concat();
    let m = Model::parse(&file(1100, &[(b"MTLS", material), (b"TEXS", [texture.clone(), texture].concat())])).unwrap();
    let layer = &m.materials[0].layers[0];
    assert!(m.materials[0].is_hd());
    assert_eq!((layer.emissive_gain, layer.fresnel_color, layer.fresnel_team_color), (2.0, [0.1, 0.2, 0.3], 0.5));
    assert_eq!((layer.textures[0].texture, layer.textures[1].texture, layer.textures[1].slot), (Some(1), Some(0), 1));
    assert_eq!(layer.textures[0].texture_track.as_ref().unwrap().keys.len(), 1);
    assert_eq!(fields(&m), ["KMTF"]);
}

#[test]
fn warnings_are_bounded() {
    let helpers: Vec<u8> = (0..500).flat_map(|_| node("a", 0, 9, &[])).collect();
    let m = Model::parse(&file(800, &[(b"HELP", helpers)])).unwrap();
    assert_eq!(m.warnings.len(), MAX_WARNINGS + 1);
    assert!(m.warnings[MAX_WARNINGS].what.ends_with("more faults"));
    assert_eq!(m.diagnostics("x.mdx").len(), MAX_WARNINGS + 1);
}

/// A model with most kinds of chunks.
fn rich() -> Vec<u8> {
    let mut bytes = write_static(&quad());
    let track = [b"KGTR".to_vec(), ints(&[1, 1, 0, 0, 0, 0, 0])].concat();
    let more = file(
        800,
        &[
            (b"HELP", node("h", 1, 0, &track)),
            (b"PRE2", pre2(1.0, 2.0)),
            (b"EVTS", [node("SNDxDHLB", 2, 1, &[]), b"KEVT".to_vec(), ints(&[1, u32::MAX, 5])].concat()),
            (b"CLID", [node("c", 3, 1, &[]), ints(&[2]), floats(&[0.0, 0.0, 0.0, 9.0])].concat()),
            (b"GLBS", ints(&[1000])),
        ],
    );
    bytes.extend(&more[16..]);
    bytes
}

/// Entries of everything whose number a file decides.
fn entries(m: &Model) -> usize {
    let geosets = m.geosets.iter().map(|g| {
        g.positions.len()
            + g.normals.len()
            + g.faces.len()
            + g.skin.len()
            + g.groups.iter().map(Vec::len).sum::<usize>()
            + g.uv_sets.iter().map(Vec::len).sum::<usize>()
    });
    geosets.sum::<usize>()
        + m.nodes().count()
        + m.textures.len()
        + m.pivots.len()
        + m.warnings.len()
        + m.unknown_chunks.len()
}

#[test]
fn flags_that_sources_swap_keep_the_decided_meaning() {
    assert_eq!((NODE_DONT_INHERIT_SCALING, NODE_DONT_INHERIT_ROTATION), (0x2, 0x4));
    assert_eq!(FilterMode::from_number(5), Some(FilterMode::Modulate));
    assert_eq!(FilterMode::from_number(7), None);
    assert!(FilterMode::Additive.is_translucent() && !FilterMode::AlphaKey.is_translucent());
}

#[test]
fn event_names_split_into_kind_and_code() {
    let m = Model::parse(&rich()).unwrap();
    assert_eq!(m.events[0].kind_and_code(), Some(("SND", "DHLB")));
    assert_eq!(m.collision_shapes[0].shape, Shape::Sphere([0.0; 3], 9.0));
    assert_eq!(EventObject::default().kind_and_code(), None);
}

#[test]
fn tracks_of_global_sequences_past_the_last_follow_the_sequence() {
    let track = [b"KGTR".to_vec(), ints(&[1, 1, 3, 0, 0, 0, 0])].concat();
    let chunks: [(&[u8; 4], Vec<u8>); 3] =
        [(b"HELP", node("h", 0, u32::MAX, &track)), (b"GLBS", ints(&[0, 500])), (b"PIVT", floats(&[0.0; 3]))];
    let m = Model::parse(&file(800, &chunks)).unwrap();
    assert_eq!(m.helpers[0].translation.as_ref().unwrap().global_sequence, None);
    assert_eq!(fields(&m), ["track.globalSequenceId"]);
    assert_eq!(m.warnings[0].offset, 24);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]
    #[test]
    fn damaged_models_do_not_panic_and_stay_small(
        damage in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..8),
        cut in any::<prop::sample::Index>(), truncate: bool,
    ) {
        let mut bytes = rich();
        for (at, value) in damage {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        if truncate {
            bytes.truncate(cut.index(bytes.len()));
        }
        if let Ok(m) = Model::parse(&bytes) {
            prop_assert!(entries(&m) <= bytes.len() * MAX_UV_SETS);
            prop_assert!(m.hierarchy().iter().enumerate().all(|(i, j)| j.parent.is_none_or(|p| p < i)));
            for g in &m.geosets {
                prop_assert!(g.faces.iter().flatten().all(|&i| usize::from(i) < g.positions.len()));
                prop_assert!(g.vertex_groups.iter().all(|&v| usize::from(v) < g.groups.len()));
                prop_assert_eq!(g.normals.len(), g.positions.len());
            }
        }
    }
}
