//! Ground textures: from the catalogs' pictures, or made from the id.

use rayon::prelude::*;
use terrace_engine::asset::{Image, Mip, Vfs, image};
use terrace_engine::diag::Diagnostic;
use terrace_engine::graph::Format;
use terrace_engine::scene::{Dirty, SamplerDesc, Texture, TextureKind};

use crate::art;
use crate::catalog::Catalogs;
use crate::formats::MASK_LAYERS;
use crate::map_files::Sources;

/// Texels along one side of the layers where pictures of the game are there: 8 layers of this size have 11 MB with mips.
const LAYER_SIDE: u32 = 512;

/// Where a layer's texels came from.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Origin {
    /// A picture: layer of the file system and path.
    File(String),
    /// Made here from the id.
    Generated,
    /// The set has no texture in this layer.
    Unused,
}

/// The eight layers of a texture set as one array texture.
pub(crate) struct LayerSet {
    pub(crate) texture: Texture,
    pub(crate) origins: Vec<(String, Origin)>,
}

/// Loads the sets. Textures that are missing or broken are made from their ids; all that are missing are reported
/// together.
pub(crate) fn ground_layers(sets: &[[String; MASK_LAYERS]], sources: &Sources) -> (Vec<LayerSet>, Vec<Diagnostic>) {
    let ids: Vec<&String> = sets.iter().flatten().collect();
    let pictures: Vec<_> = ids.par_iter().map(|id| picture(id, sources)).collect();
    let side = if pictures.iter().any(|p| matches!(p, Ok(Some(_)))) { LAYER_SIDE } else { art::SIDE };
    let grey = Mip { width: 1, height: 1, rgba: vec![128, 128, 128, 255] };
    let layers: Vec<(Vec<Mip>, Origin)> = ids
        .par_iter()
        .zip(&pictures)
        .map(|(id, picture)| match picture {
            Ok(Some((image, from))) => (layer(&image.mips, side), Origin::File(from.clone())),
            _ if id.is_empty() => (layer(std::slice::from_ref(&grey), side), Origin::Unused),
            _ => (layer(&[art::ground(id)], side), Origin::Generated),
        })
        .collect();
    let mut diagnostics: Vec<_> = pictures.into_iter().filter_map(Result::err).collect();
    let mut made: Vec<&str> = Vec::new();
    for (id, (_, origin)) in ids.iter().zip(&layers) {
        if *origin == Origin::Generated && !made.contains(&id.as_str()) {
            made.push(id);
        }
    }
    if !made.is_empty() {
        let what =
            format!("{} ground textures are generated: no layer has a picture of {}", made.len(), made.join(", "));
        diagnostics.push(
            Diagnostic::warning("sc2.generated-texture", what).help("give the game's data with --data to see its art"),
        );
    }
    let sets = sets.iter().zip(layers.chunks(MASK_LAYERS)).map(|(ids, layers)| set(ids, layers)).collect();
    (sets, diagnostics)
}

fn set(ids: &[String; MASK_LAYERS], layers: &[(Vec<Mip>, Origin)]) -> LayerSet {
    let origins = ids.iter().cloned().zip(layers.iter().map(|(_, origin)| origin.clone())).collect();
    let name = ids.iter().find(|id| !id.is_empty()).map_or("no textures", String::as_str);
    let mips = layers.iter().map(|(mips, _)| mips.as_slice()).collect::<Vec<_>>();
    LayerSet { texture: texture(&format!("ground layers from {name} on"), &mips, TextureKind::D2Array), origins }
}

/// A texture of layers with equal mip chains.
pub(crate) fn texture(name: &str, layers: &[&[Mip]], kind: TextureKind) -> Texture {
    let first = layers.first().and_then(|mips| mips.first());
    Texture {
        name: name.to_owned(),
        kind,
        format: Format::Rgba8,
        size: first.map_or([1, 1], |mip| [mip.width, mip.height]),
        layers: layers.len() as u32,
        mips: layers.first().map_or(1, |mips| mips.len() as u32),
        texels: layers.iter().flat_map(|mips| mips.iter()).flat_map(|mip| mip.rgba.iter().copied()).collect(),
        sampler: SamplerDesc::REPEAT,
        dirty: Dirty::All,
    }
}

/// All mips of one picture.
pub(crate) fn mips(mip: Mip) -> Vec<Mip> {
    let side = mip.width;
    layer(&[mip], side)
}

/// The chain of a layer of `side` texels.
fn layer(mips: &[Mip], side: u32) -> Vec<Mip> {
    let mip = resample(mips, side);
    match Image::from_rgba(mip.width, mip.height, mip.rgba.clone()) {
        Ok(mut image) => {
            image.mipmaps();
            image.mips
        }
        Err(_) => vec![mip],
    }
}

/// A picture with `side` texels a side, bilinear from the smallest mip that is not smaller; it repeats at its edges.
fn resample(mips: &[Mip], side: u32) -> Mip {
    let big_enough = |m: &&Mip| m.width >= side && m.height >= side;
    let Some(from) = mips.iter().rfind(big_enough).or(mips.first()) else {
        return Mip { width: side, height: side, rgba: vec![128; (side * side * 4) as usize] };
    };
    if from.width == side && from.height == side {
        return from.clone();
    }
    let mut rgba = Vec::with_capacity((side * side * 4) as usize);
    for (y, x) in (0..side).flat_map(|y| (0..side).map(move |x| (y, x))) {
        let at = |v: u32, texels: u32| ((v as f32 + 0.5) * texels as f32 / side as f32 - 0.5).max(0.0);
        let (fx, fy) = (at(x, from.width), at(y, from.height));
        let texel = |dx: u32, dy: u32, c: usize| {
            let (x, y) = ((fx as u32 + dx) % from.width, (fy as u32 + dy) % from.height);
            f32::from(from.rgba[((y * from.width + x) * 4) as usize + c])
        };
        for c in 0..4 {
            let (tx, ty) = (fx.fract(), fy.fract());
            let top = texel(0, 0, c) * (1.0 - tx) + texel(1, 0, c) * tx;
            let bottom = texel(0, 1, c) * (1.0 - tx) + texel(1, 1, c) * tx;
            rgba.push((top * (1.0 - ty) + bottom * ty).round() as u8);
        }
    }
    Mip { width: side, height: side, rgba }
}

/// The picture of a CTerrainTex and where it was found; `None` where no layer has it.
fn picture(id: &str, sources: &Sources) -> Result<Option<(Image, String)>, Diagnostic> {
    let Some(asset) = find(&sources.vfs, &candidates(id, &sources.catalogs)) else { return Ok(None) };
    let asset = sources.vfs.read_texture(&asset).map_err(|e| e.diagnostic())?;
    let from = format!("{}:{}", asset.layer, asset.path);
    let image = image::decode(&asset.bytes, asset.path.as_str()).map_err(|e| {
        Diagnostic::warning("sc2.texture", format!("{from} cannot be read: {}", e.what))
            .at_bytes(&from, e.offset, e.field)
    })?;
    Ok(Some((image, from)))
}

/// Paths that may be the picture of an id: the catalog's, then the usual names.
fn candidates(id: &str, catalogs: &Catalogs) -> Vec<String> {
    if id.is_empty() {
        return Vec::new();
    }
    let usual = ["_diffuse", ""].map(|ending| format!("Assets/Textures/{id}{ending}.dds"));
    catalogs.terrain_texture(id).into_iter().chain(usual).collect()
}

fn find(vfs: &Vfs, paths: &[String]) -> Option<String> {
    let exists = |path: &&String| {
        let stem = path.rsplit_once('.').map_or(path.as_str(), |(stem, _)| stem);
        vfs.exists(path) || ["dds", "tga", "png"].iter().any(|ending| vfs.exists(&format!("{stem}.{ending}")))
    };
    paths.iter().find(exists).cloned()
}

#[cfg(test)]
mod tests {
    use terrace_engine::asset::Layer;

    use super::*;

    fn sources(files: Vec<(String, Vec<u8>)>) -> Sources {
        Sources::new(&Layer::memory("map", files).unwrap(), &Vfs::default(), &[], &mut Vec::new())
    }

    #[test]
    fn a_set_without_the_game_is_generated_and_reported_once() {
        let mut ids: [String; MASK_LAYERS] = Default::default();
        (ids[0], ids[1]) = ("BraxisAlphaMetal".into(), "BraxisAlphaMesh".into());
        let (sets, problems) = ground_layers(&[ids.clone(), ids], &sources(Vec::new()));
        assert_eq!(problems.len(), 1);
        assert!(problems[0].message.starts_with("2 ground textures"), "{}", problems[0]);
        let texture = &sets[0].texture;
        assert_eq!((texture.layers, texture.size, texture.mips), (8, [256, 256], 9));
        let bytes: usize = (0..9).map(|m| texture.mip_bytes(m)).sum();
        assert_eq!(texture.texels.len(), bytes * 8);
        assert_eq!(sets[0].origins[2].1, Origin::Unused);
    }

    #[test]
    fn a_picture_of_the_catalog_is_taken_and_resampled() {
        let png = image::encode_png(2, 1, &[255, 0, 0, 255, 0, 0, 255, 255]).unwrap();
        let catalog =
            "<Catalog><CTerrainTex id=\"A\"><Texture value=\"Assets\\Textures\\a.dds\"/></CTerrainTex></Catalog>";
        let files = vec![
            ("Assets/Textures/a.png".to_owned(), png),
            ("Base.SC2Data/GameData/TerrainTexData.xml".to_owned(), catalog.as_bytes().to_vec()),
            ("Assets/Textures/B_diffuse.dds".to_owned(), b"DDS broken".to_vec()),
        ];
        let mut ids: [String; MASK_LAYERS] = Default::default();
        (ids[0], ids[1]) = ("A".into(), "B".into());
        let (sets, problems) = ground_layers(&[ids], &sources(files));
        assert_eq!(sets[0].texture.size, [LAYER_SIDE, LAYER_SIDE]);
        assert_eq!(sets[0].origins[0].1, Origin::File("map:assets/textures/a.png".into()));
        assert_eq!(sets[0].texture.texels[..4], [255, 0, 0, 255]);
        // The broken picture is named with its place, and replaced.
        assert_eq!(problems.iter().map(|p| p.code).collect::<Vec<_>>(), ["sc2.texture", "sc2.generated-texture"]);
        assert_eq!(sets[0].origins[1].1, Origin::Generated);
    }
}
