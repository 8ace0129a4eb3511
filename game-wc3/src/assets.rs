//! Textures and models out of the layered files, with fallbacks: a missing asset costs that asset only.

use std::sync::Arc;

use rayon::prelude::*;
use serde::Serialize;
use terrace_engine::asset::image::{self, Image};
use terrace_engine::asset::{Vfs, image::Mip};
use terrace_engine::diag::Diagnostic;
use terrace_engine::graph::Format;
use terrace_engine::scene::{Dirty, SamplerDesc, Texture, TextureKind};

use crate::formats::ini::Ini;
use crate::formats::mdx::Model;
use crate::formats::slk::Table;
use crate::formats::tables::{TableRow, TypedTable};
use crate::terrain::models::{CliffModel, CliffModels, MAX_VARIATIONS, Request};
use crate::terrain::tables::{CLIFF_TYPES_SLK, TERRAIN_SLK, Tables, WATER_SLK};

/// Where blight textures of tilesets are named.
const EDITOR_DATA: &str = "UI\\WorldEditData.txt";
/// Least side of a sheet's cell in its smallest mip: below that, cells bleed into each other.
const LEAST_CELL: u32 = 8;
/// Texels along one side of a cell of the generated sheet.
const FALLBACK_CELL: u32 = 32;

/// Where a texture came from, for `info`.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct TextureOrigin {
    /// Path that was asked for; empty when no table names one.
    pub path: String,
    /// Layer that had it; `None` for a fallback.
    pub layer: Option<String>,
    /// Width and height.
    pub size: [u32; 2],
}

/// A texture, its origin, and what went wrong.
pub(crate) struct Loaded {
    /// Ready for the scene.
    pub texture: Texture,
    /// Where from.
    pub origin: TextureOrigin,
    /// Why it is a fallback.
    pub diagnostic: Option<Diagnostic>,
}

/// How a sheet is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SheetUse {
    /// Sixteen blend cells, maybe sixteen variations beside them.
    Ground,
    /// The skin of cliff pieces.
    Cliff,
}

fn decode(vfs: &Vfs, path: &str) -> Result<(Image, String), Diagnostic> {
    let asset = vfs.read_texture(path).map_err(|e| e.diagnostic())?;
    let name = format!("{}:{}", asset.layer, asset.path);
    let image = image::decode(&asset.bytes, asset.path.as_str()).map_err(|e| {
        Diagnostic::warning("asset.image", format!("{path} cannot be decoded: {}", e.what))
            .at_bytes(name, e.offset, e.field)
    })?;
    Ok((image, asset.layer.to_string()))
}

/// Loads sheets in parallel, in the order of the paths; `None` is a fallback without a diagnostic of its own.
pub(crate) fn sheets(vfs: &Vfs, paths: &[Option<String>], used: SheetUse) -> Vec<Loaded> {
    paths.par_iter().map(|path| sheet(vfs, path.as_deref(), used)).collect()
}

fn sheet(vfs: &Vfs, path: Option<&str>, used: SheetUse) -> Loaded {
    let name = path.unwrap_or_default().to_owned();
    let (image, layer, diagnostic) = match path.map(|p| decode(vfs, p)) {
        Some(Ok((image, layer))) => (Some(image), Some(layer), None),
        Some(Err(diagnostic)) => {
            (None, None, Some(diagnostic.help("a neutral checker is shown; give the game's data with --data")))
        }
        None => (None, None, None),
    };
    let mut mips = image.map_or_else(|| vec![fallback_sheet(used)], |image| all_mips(image, used));
    mips.truncate(match used {
        SheetUse::Ground => ground_mips(mips[0].width, mips[0].height),
        SheetUse::Cliff => mips.len(),
    });
    let sampler = if used == SheetUse::Ground { SamplerDesc::CLAMP } else { SamplerDesc::REPEAT };
    let texture = texture(if path.is_some() { &name } else { "missing" }, vec![mips], sampler, TextureKind::D2);
    let origin = TextureOrigin { path: name, layer, size: texture.size };
    Loaded { texture, origin, diagnostic }
}

/// The mip chain of a picture, completed where the file ends early. The alpha of a cliff's skin has no meaning.
fn all_mips(mut image: Image, used: SheetUse) -> Vec<Mip> {
    image.mipmaps();
    if used == SheetUse::Cliff {
        image.mips.iter_mut().flat_map(|m| m.rgba.chunks_exact_mut(4)).for_each(|texel| texel[3] = 255);
    }
    image.mips
}

/// Mips of a ground sheet whose cells (a quarter of the height; a quarter or an eighth of the width) stay apart.
fn ground_mips(width: u32, height: u32) -> usize {
    let cell = (height / 4).min(if width > height { width / 8 } else { width / 4 });
    (cell / LEAST_CELL).max(1).ilog2() as usize + 1
}

fn texture(name: &str, layers: Vec<Vec<Mip>>, sampler: SamplerDesc, kind: TextureKind) -> Texture {
    let size = [layers[0][0].width, layers[0][0].height];
    let mips = layers[0].len() as u32;
    let count = layers.len() as u32;
    let mut texels = Vec::with_capacity(layers.iter().flatten().map(|m| m.rgba.len()).sum());
    layers.iter().flatten().for_each(|mip| texels.extend_from_slice(&mip.rgba));
    Texture {
        name: name.to_owned(),
        kind,
        format: Format::Rgba8,
        size,
        layers: count,
        mips,
        texels,
        sampler,
        dirty: Dirty::All,
    }
}

/// Grey squares. As a ground sheet it has the sixteen blend shapes: a cell's corner is covered when its bit is set.
fn fallback_sheet(used: SheetUse) -> Mip {
    let side = FALLBACK_CELL * 4;
    let mut rgba = Vec::with_capacity((side * side * 4) as usize);
    for y in 0..side {
        for x in 0..side {
            let grey = if (x / 16 + y / 16) % 2 == 0 { 0x70 } else { 0x88 };
            let cell = y / FALLBACK_CELL * 4 + x / FALLBACK_CELL;
            let at = |v: u32| (v % FALLBACK_CELL) as f32 / (FALLBACK_CELL - 1) as f32;
            let alpha = if used == SheetUse::Cliff || cell == 0 { 255 } else { blend_shape(cell, at(x), at(y)) };
            rgba.extend([grey, grey, grey, alpha]);
        }
    }
    Mip { width: side, height: side, rgba }
}

/// Coverage at a point of a blend cell, from the top left: south-east 1, south-west 2, north-east 4, north-west 8.
fn blend_shape(mask: u32, u: f32, v: f32) -> u8 {
    let bit = |b: u32| if mask & b != 0 { 1.0 } else { 0.0 };
    let top = bit(8) * (1.0 - u) + bit(4) * u;
    let bottom = bit(2) * (1.0 - u) + bit(1) * u;
    let share = top * (1.0 - v) + bottom * v;
    (((share - 0.4) / 0.2).clamp(0.0, 1.0) * 255.0) as u8
}

/// The frames of the water animation as one array texture. A frame that is missing or of another size than the first
/// is replaced by the one before it; without any, one white frame is used.
pub(crate) fn water_frames(vfs: &Vfs, paths: &[String]) -> Loaded {
    let decoded: Vec<_> = paths.par_iter().map(|path| decode(vfs, path)).collect();
    let mut frames: Vec<Vec<Mip>> = Vec::new();
    let (mut layer, mut diagnostic) = (None, None);
    for (path, result) in paths.iter().zip(decoded) {
        let frame = result.map(|(mut image, from)| {
            image.mipmaps();
            layer.get_or_insert(from);
            image.mips
        });
        match frame {
            Ok(mips) if frames.first().is_none_or(|f| f[0].width == mips[0].width && f[0].height == mips[0].height) => {
                frames.push(mips);
            }
            Ok(mips) => {
                let what = format!("{path} has {}x{} texels, not those of the first", mips[0].width, mips[0].height);
                diagnostic.get_or_insert(Diagnostic::warning("wc3.water-frame", what).in_file(path));
                frames.extend(frames.last().cloned());
            }
            Err(e) => {
                diagnostic.get_or_insert(e.help("the frame before it, or plain water, is shown"));
                frames.extend(frames.last().cloned());
            }
        }
    }
    if frames.is_empty() {
        frames.push(vec![Mip { width: 1, height: 1, rgba: vec![255; 4] }]);
    }
    let texture = texture("water", frames, SamplerDesc::REPEAT, TextureKind::D2Array);
    let path = paths.first().cloned().unwrap_or_default();
    let origin = TextureOrigin { path, layer, size: texture.size };
    Loaded { texture, origin, diagnostic }
}

/// Reads the terrain tables of all layers, the last first, so that rows of earlier layers win.
pub(crate) fn tables(vfs: &Vfs, diagnostics: &mut Vec<Diagnostic>) -> Tables {
    Tables {
        terrain: table(vfs, TERRAIN_SLK, diagnostics),
        cliffs: table(vfs, CLIFF_TYPES_SLK, diagnostics),
        water: table(vfs, WATER_SLK, diagnostics),
    }
}

fn table<T: TableRow>(vfs: &Vfs, path: &str, diagnostics: &mut Vec<Diagnostic>) -> TypedTable<T> {
    let mut out = TypedTable::default();
    let Ok(normal) = terrace_engine::asset::VirtualPath::new(path) else { return out };
    for layer in vfs.layers().iter().rev().filter(|layer| layer.contains(&normal)) {
        let name = format!("{}:{path}", layer.name());
        let bytes = match layer.read(&normal) {
            Ok(bytes) => bytes,
            Err(error) => {
                diagnostics.push(error.diagnostic());
                continue;
            }
        };
        let read = Table::parse(&bytes, &name).map_err(|e| e.in_file(&name)).and_then(|table| out.layer(&table));
        match read {
            Ok(warnings) => diagnostics.extend(warnings),
            Err(mut error) => {
                // A table less is not the end of the load: rows of other layers and fallbacks remain.
                error.severity = terrace_engine::diag::Severity::Warning;
                diagnostics.push(error);
            }
        }
    }
    if out.is_empty() {
        diagnostics.push(
            Diagnostic::warning("wc3.no-table", format!("no layer has a usable {path}"))
                .in_file(path)
                .help("give the game's data with --data"),
        );
    }
    out
}

/// Path of a tileset's blight sheet, as the editor's data names it.
pub(crate) fn blight_path(vfs: &Vfs, tileset: u8) -> Option<String> {
    let data = Ini::parse(&vfs.read(EDITOR_DATA).ok()?.bytes);
    let row = data.list("TileSets", &(tileset as char).to_string());
    row.get(1).filter(|path| !path.is_empty()).map(|path| format!("{path}.blp"))
}

/// Loads pieces in parallel. A cliff piece that is missing or broken is left out (its cells get generated geometry), a
/// ramp piece too (its cells become cliffs); each path is reported once.
pub(crate) fn cliff_models(vfs: &Vfs, requests: impl IntoIterator<Item = Request>) -> (CliffModels, Vec<Diagnostic>) {
    let requests: Vec<Request> = requests.into_iter().collect();
    let loaded: Vec<_> = requests.par_iter().map(|request| variations(vfs, request)).collect();
    let (mut models, mut diagnostics) = (CliffModels::default(), Vec::new());
    for (request, (found, problem)) in requests.into_iter().zip(loaded) {
        models.insert(request.key, found);
        diagnostics.extend(problem);
    }
    (models, diagnostics)
}

fn variations(vfs: &Vfs, request: &Request) -> (Vec<Arc<CliffModel>>, Option<Diagnostic>) {
    let mut found = Vec::new();
    let count = if request.ramp { 1 } else { MAX_VARIATIONS };
    for variation in 0..count {
        let path = request.key.path(variation);
        if variation > 0 && !vfs.exists(&path) {
            break;
        }
        match cliff_model(vfs, &path) {
            Ok(model) => found.push(Arc::new(model)),
            Err(diagnostic) => {
                let help = if request.ramp { "a cliff is shown instead" } else { "a plain wall is shown instead" };
                return (found, Some(diagnostic.help(help)));
            }
        }
    }
    (found, None)
}

fn cliff_model(vfs: &Vfs, path: &str) -> Result<CliffModel, Diagnostic> {
    let asset = vfs.read(path).map_err(|e| e.diagnostic())?;
    let name = format!("{}:{}", asset.layer, asset.path);
    let broken = |e: terrace_engine::bytes::FormatError| {
        Diagnostic::warning("wc3.model", format!("{path} cannot be read: {}", e.what))
            .at_bytes(&name, e.offset, e.field)
    };
    let model = Model::parse(&asset.bytes).map_err(broken)?;
    CliffModel::from_mdx(&model, name.clone())
        .ok_or_else(|| Diagnostic::warning("wc3.model", format!("{path} has no triangles")).in_file(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fallback_sheet_has_the_blend_shapes() {
        let sheet = fallback_sheet(SheetUse::Ground);
        let alpha = |cell: u32, x: u32, y: u32| {
            let (cx, cy) = (cell % 4 * FALLBACK_CELL + x, cell / 4 * FALLBACK_CELL + y);
            sheet.rgba[((cy * sheet.width + cx) * 4 + 3) as usize]
        };
        let last = FALLBACK_CELL - 1;
        for cell in 1..16 {
            let corners = [(last, last, 1), (0, last, 2), (last, 0, 4), (0, 0, 8)];
            for (x, y, bit) in corners {
                assert_eq!(alpha(cell, x, y), if cell & bit != 0 { 255 } else { 0 }, "{cell} {bit}");
            }
        }
        assert_eq!(alpha(0, 0, 0), 255);
    }

    #[test]
    fn mips_of_sheets_stop_before_cells_mix() {
        // Cells of 64, 32, 16 and 8 texels; the 5 % inset of 8 is 0.4 of a texel, of 4 the neighbour would show.
        assert_eq!(ground_mips(512, 256), 4);
        assert_eq!(ground_mips(256, 256), 4);
        assert_eq!(ground_mips(2, 2), 1);
    }
}
