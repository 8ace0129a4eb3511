//! Phase 5: extents, mips and sizes for one set of sizes, and the first format of each list that the device has.

use super::Format;
use super::ast::Mips;
use super::checked::{Graph, Sizes};
use super::ir::{Base, BufferSize, Image, Size};
use super::limits::MAX_BUFFER_BYTES;
use super::plan::{DeviceModel, Usage};
use super::source::{Log, quoted};

/// Extent and mips of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) extent: [u32; 2],
    pub(crate) mips: u32,
    pub(crate) layers: u32,
}

impl Shape {
    /// Extent of a mip level.
    pub(crate) fn mip(&self, mip: u32) -> [u32; 2] {
        self.extent.map(|e| (e >> mip.min(31)).max(1))
    }
}

/// Shapes of all images; too large ones are errors and get the smallest shape.
pub(crate) fn shapes(log: &mut Log, graph: &Graph, sizes: &Sizes, max_extent: u32) -> Vec<Shape> {
    let mut known: Vec<Option<[u32; 2]>> = vec![None; graph.images.len()];
    for i in 0..graph.images.len() {
        extent_of(graph, sizes, i as u32, &mut known);
    }
    graph
        .images
        .iter()
        .zip(known)
        .map(|(image, extent)| shape(log, image, extent.unwrap_or([1, 1]), max_extent))
        .collect()
}

fn shape(log: &mut Log, image: &Image, extent: [u32; 2], max_extent: u32) -> Shape {
    let one = Shape { extent: [1, 1], mips: 1, layers: image.layers };
    if extent.iter().any(|e| *e > max_extent) && image.file.is_none() {
        let (Size::Fixed(_, at) | Size::Of { at, .. }) = image.size;
        let message = format!("\"{}\" would have {}x{} texels", image.name.value, extent[0], extent[1]);
        log.error("graph.image-size", message, at, format!("the device has at most {max_extent} a side"));
        return one;
    }
    let full = 32 - extent[0].max(extent[1]).leading_zeros();
    let mips = match image.mips.value {
        Mips::Full => full,
        Mips::Count(n) => {
            if n > full && matches!(image.size, Size::Fixed(..)) {
                let message =
                    format!("\"{}\" of {}x{} texels has {full} mip levels", image.name.value, extent[0], extent[1]);
                log.error("graph.image-shape", message, image.mips.at, "more than that");
            }
            n.min(full)
        }
    };
    Shape { extent, mips, layers: image.layers }
}

/// Extents with the followed image first; follows chains without recursion.
fn extent_of(graph: &Graph, sizes: &Sizes, start: u32, known: &mut [Option<[u32; 2]>]) {
    let mut chain = vec![start];
    while let Some(&top) = chain.last() {
        let image = &graph.images[top as usize];
        let value = match image.size {
            Size::Fixed(size, _) => size,
            Size::Of { base: Base::Image(next), scale, .. } => match known[next as usize] {
                Some(base) => scaled(base, scale),
                None if chain.len() <= graph.images.len() => {
                    chain.push(next);
                    continue;
                }
                None => [1, 1],
            },
            Size::Of { base, scale, .. } => scaled(base_size(base, sizes), scale),
        };
        known[top as usize] = Some(value);
        chain.pop();
    }
}

fn base_size(base: Base, sizes: &Sizes) -> [u32; 2] {
    match base {
        Base::View => sizes.view,
        Base::Named(id) => sizes.named.get(id.index()).copied().unwrap_or([1, 1]),
        Base::Image(_) => [1, 1],
    }
}

/// Relative sizes round down and clamp to at least 1; the cast saturates.
fn scaled(base: [u32; 2], scale: [f32; 2]) -> [u32; 2] {
    [0, 1].map(|i| ((f64::from(base[i]) * f64::from(scale[i])).floor() as u32).max(1))
}

/// Bytes of all buffers, multiples of 4.
pub(crate) fn buffer_sizes(log: &mut Log, graph: &Graph, sizes: &Sizes, shapes: &[Shape]) -> Vec<u64> {
    let mut out = Vec::new();
    for buffer in &graph.buffers {
        let bytes = match buffer.size {
            BufferSize::Bytes(bytes) => bytes,
            BufferSize::Of { base, scale, stride } => {
                let base = match base {
                    Base::Image(i) => shapes[i as usize].extent,
                    other => base_size(other, sizes),
                };
                let [w, h] = scaled(base, scale);
                u64::from(w).saturating_mul(u64::from(h)).saturating_mul(stride)
            }
        };
        if bytes > MAX_BUFFER_BYTES {
            let message = format!("\"{}\" would have {bytes} bytes", buffer.name.value);
            let label = format!("the limit is {MAX_BUFFER_BYTES}");
            log.error("graph.limit", message, buffer.name.at, label);
        }
        out.push(bytes.clamp(4, MAX_BUFFER_BYTES).next_multiple_of(4));
    }
    out
}

/// The first format of the list that the device can use like this.
pub(crate) fn choose_format(log: &mut Log, image: &Image, usage: Usage, device: &dyn DeviceModel) -> Format {
    let found = image.formats.iter().find(|f| device.supports(f.value, usage, image.samples));
    if let Some(format) = found {
        return format.value;
    }
    let names: Vec<&str> = image.formats.iter().map(|f| f.value.name()).collect();
    let uses: Vec<String> =
        Usage::BITS.iter().filter(|b| usage.contains(b.1)).map(|b| b.0.to_lowercase().replace('_', " ")).collect();
    let message = format!("the device has none of the formats of \"{}\"", image.name.value);
    let at = image.formats.first().map_or(image.name.at, |f| f.at);
    let samples = if image.samples > 1 { format!(" with {} samples", image.samples) } else { String::new() };
    let error = log.error("graph.format-unsupported", message, at, format!("used as {}{samples}", uses.join(", ")));
    error.help = Some(format!("add another format behind {}", quoted(&names)));
    image.formats.first().map_or(Format::Rgba8, |f| f.value)
}
