//! Phase 3: names to ids.

use std::collections::BTreeMap;

use super::ast::{
    BufferAst, BufferSizeAst, DispatchAst, FileAst, ImageAst, Mips, PartAst, PassAst, PassKind, SampleAst, SizeAst,
    StorageAst,
};
use super::condition::{Condition, Names, Read, compile, pass_variable};
use super::ir::{
    Base, Buffer, BufferSize, Color, Depth, Dispatch, Image, Part, Pass, Sample, Size, Source, Storage, Target,
};
use super::limits::{MAX_HISTORY, MAX_IMAGES, MAX_PARTS, MAX_PASSES};
use super::parse::limit;
use super::parse_pass::expand_pass;
use super::plan::Stages;
use super::source::{Log, Place, Sp, suggest};
use crate::diag::{Diagnostic, Severity};
use crate::scene::{ParamDecl, Registry, ViewId};

/// What resolving needs besides the file.
pub(crate) struct Context<'a> {
    pub(crate) registry: &'a Registry,
    pub(crate) engine: &'a rhai::Engine,
}

/// Everything by id.
#[derive(Default)]
pub(crate) struct Resolved {
    pub(crate) images: Vec<Image>,
    pub(crate) buffers: Vec<Buffer>,
    pub(crate) passes: Vec<Pass>,
    /// The file's passes that [`Resolved::passes`] came from, in the same order.
    pub(crate) asts: Vec<PassAst>,
    pub(crate) conditions: Vec<Condition>,
    pub(crate) files: Vec<String>,
    pub(crate) output: Option<Sp<u32>>,
}

/// Where names of images, buffers and passes stand.
struct Tables<'a> {
    images: BTreeMap<&'a str, u32>,
    buffers: BTreeMap<&'a str, u32>,
    registry: &'a Registry,
}

/// Resolves all names. `params` are the graph's, the shaders' and the game's, in this order.
pub(crate) fn resolve(
    log: &mut Log,
    ast: &FileAst,
    params: &[ParamDecl],
    asts: Vec<PassAst>,
    cx: &Context<'_>,
) -> Resolved {
    let mut out = Resolved::default();
    limit(log, ast.images.len(), MAX_IMAGES, "images", ast.images.last().map_or(Place::default(), |i| i.name.at));
    let mut tables = Tables { images: BTreeMap::new(), buffers: BTreeMap::new(), registry: cx.registry };
    for (i, image) in ast.images.iter().enumerate() {
        tables.images.insert(&image.name.value, i as u32);
    }
    for (i, buffer) in ast.buffers.iter().enumerate() {
        tables.buffers.insert(&buffer.name.value, i as u32);
        if let Some(other) = tables.images.get(buffer.name.value.as_str()) {
            let message = format!("\"{}\" is an image and a buffer", buffer.name.value);
            let second = log.label(ast.images[*other as usize].name.at, "the image");
            log.error("graph.duplicate", message, buffer.name.at, "the buffer").labels.push(second);
        }
    }
    for image in &ast.images {
        if cx.registry.import(&image.name.value).is_some() {
            let message = format!("\"{}\" is also an image of the game", image.name.value);
            log.error("graph.duplicate", message, image.name.at, "declared here").help =
                Some("give the graph's image another name".into());
        }
        let image = resolve_image(log, &mut out.files, &tables, image);
        out.images.push(image);
    }
    size_cycles(log, &mut out.images);
    out.buffers = ast.buffers.iter().map(|b| resolve_buffer(log, &tables, b)).collect();
    if let Some(name) = &ast.output {
        let id = tables.image(log, name);
        if let Some(image) = id.map(|i| &out.images[i as usize]).filter(|i| i.samples > 1) {
            let message = format!("the output \"{}\" is multisampled", image.name.value);
            log.error("graph.image-shape", message, name.at, "cannot be shown").help =
                Some("show the image that it is resolved to".into());
        }
        out.output = id.map(|value| Sp { value, at: name.at });
    }
    let names = names(params, cx.registry, &asts);
    for ast in &asts {
        let pass = resolve_pass(log, ast, &tables, &names, &mut out, cx);
        out.passes.push(pass);
    }
    out.asts = asts;
    check_parts(log, &out.images);
    out
}

/// The number of parts that barriers tell apart stays bounded, whatever shapes a file asks for.
fn check_parts(log: &mut Log, images: &[Image]) {
    let parts = |image: &Image| {
        let mips = match image.mips.value {
            Mips::Count(n) => n,
            Mips::Full => 16,
        };
        u64::from(mips) * u64::from(image.layers) * u64::from(image.history + 1)
    };
    let total: u64 = images.iter().map(parts).sum();
    if let Some(largest) = images.iter().max_by_key(|i| parts(i)).filter(|_| total > MAX_PARTS) {
        let message = format!("{total} mips and layers of all images are more than the limit of {MAX_PARTS}");
        let label = format!("{} of them are here", parts(largest));
        log.error("graph.limit", message, largest.name.at, label);
    }
}

/// Writes `repeat` out and checks names and numbers of passes.
pub(crate) fn expand(log: &mut Log, ast: &FileAst) -> Vec<PassAst> {
    let mut out: Vec<PassAst> = Vec::new();
    for raw in &ast.passes {
        expand_pass(log, raw, &mut out);
        if out.len() > MAX_PASSES {
            limit(log, out.len(), MAX_PASSES, "passes", raw.name.at);
            out.truncate(MAX_PASSES);
            break;
        }
    }
    let mut seen: BTreeMap<&str, Place> = BTreeMap::new();
    for pass in &out {
        if let Some(first) = seen.insert(&pass.name.value, pass.name.at) {
            let message = format!("two passes are called \"{}\"", pass.name.value);
            let second = log.label(first, "the first");
            let error = log.error("graph.duplicate", message, pass.name.at, "the second");
            error.labels.push(second);
            error.help = Some("give one of them another name; with `extends`, say replace = true".into());
        }
    }
    out
}

fn names(params: &[ParamDecl], registry: &Registry, passes: &[PassAst]) -> Names {
    let mut names = Names::new();
    for (i, pass) in passes.iter().enumerate() {
        names.entry(pass_variable(&pass.name.value)).or_insert(Read::Pass(i as u32));
    }
    for (i, flag) in registry.flags.iter().enumerate() {
        names.insert(flag.name.clone(), Read::Flag(i as u32));
    }
    for (i, param) in params.iter().enumerate().rev() {
        names.insert(param.name.clone(), Read::Param(i as u32));
    }
    names
}

impl Tables<'_> {
    fn image(&self, log: &mut Log, name: &Sp<String>) -> Option<u32> {
        let found = self.images.get(name.value.as_str()).copied();
        if found.is_none() {
            let message = format!("no image is called \"{}\"", name.value);
            let mut help = suggest(&name.value, self.images.keys().copied());
            if self.registry.import(&name.value).is_some() {
                help = Some(format!("\"{}\" is an image of the game, which passes can only sample", name.value));
            } else if self.buffers.contains_key(name.value.as_str()) {
                help = Some(format!("\"{}\" is a buffer", name.value));
            }
            log.error("graph.unknown-image", message, name.at, "not declared").help = help;
        }
        found
    }

    fn base(&self, log: &mut Log, of: &Sp<String>) -> Option<Base> {
        if of.value == "view" {
            return Some(Base::View);
        }
        if let Some(size) = self.registry.size(&of.value) {
            return Some(Base::Named(size));
        }
        if let Some(image) = self.images.get(of.value.as_str()) {
            return Some(Base::Image(*image));
        }
        let sizes = self.registry.sizes.iter().map(|s| s.name.as_str());
        let help = suggest(&of.value, sizes.chain(["view"]).chain(self.images.keys().copied()));
        let message = format!("no size is called \"{}\"", of.value);
        log.error("graph.unknown-size", message, of.at, "unknown size").help = help;
        None
    }
}

fn resolve_image(log: &mut Log, files: &mut Vec<String>, tables: &Tables<'_>, ast: &ImageAst) -> Image {
    let size = match &ast.size {
        SizeAst::Fixed(size, at) => Size::Fixed(*size, *at),
        SizeAst::Of { of, scale } => {
            let base = tables.base(log, of).unwrap_or(Base::View);
            Size::Of { base, scale: *scale, at: of.at }
        }
    };
    let file = ast.file.as_ref().map(|path| {
        let known = files.iter().position(|f| *f == path.value);
        known.unwrap_or_else(|| {
            files.push(path.value.clone());
            files.len() - 1
        }) as u32
    });
    for format in &ast.formats {
        if format.value.is_compressed() {
            let message = format!("\"{}\" is for images from files and from the game", format.value.name());
            log.error("graph.format-class", message, format.at, "cannot be rendered to");
        }
    }
    if let [first, rest @ ..] = ast.formats.as_slice()
        && let Some(other) = rest.iter().find(|f| f.value.is_depth() != first.value.is_depth())
    {
        let message = "the formats of an image are all of depth or all of colour";
        let second = log.label(first.at, "the first");
        log.error("graph.format-class", message, other.at, "of the other class").labels.push(second);
    }
    if ast.samples.value > 1 && ast.mips.value != Mips::Count(1) {
        log.error("graph.image-shape", "a multisampled image has one mip level", ast.mips.at, "with samples above 1");
    }
    Image {
        name: ast.name.clone(),
        formats: ast.formats.clone(),
        size,
        layers: ast.layers.value,
        mips: ast.mips.clone(),
        samples: ast.samples.value,
        persistent: ast.persistent,
        file,
        history: 0,
    }
}

/// Images whose sizes follow each other in a circle.
fn size_cycles(log: &mut Log, images: &mut [Image]) {
    for start in 0..images.len() {
        let mut at = start;
        let mut steps = 0;
        while let Size::Of { base: Base::Image(next), .. } = images[at].size {
            at = next as usize;
            steps += 1;
            if at == start || steps > images.len() {
                break;
            }
        }
        if at == start
            && steps > 0
            && let Size::Of { scale, at, .. } = images[start].size
        {
            let message = format!("the size of \"{}\" follows itself", images[start].name.value);
            log.error("graph.size-cycle", message, at, "closes the circle");
            images[start].size = Size::Of { base: Base::View, scale, at };
        }
    }
}

fn resolve_buffer(log: &mut Log, tables: &Tables<'_>, ast: &BufferAst) -> Buffer {
    let size = match &ast.size {
        BufferSizeAst::Bytes(bytes) => BufferSize::Bytes(*bytes),
        BufferSizeAst::Of { of, scale, stride } => {
            let base = tables.base(log, of).unwrap_or(Base::View);
            BufferSize::Of { base, scale: *scale, stride: *stride }
        }
    };
    Buffer { name: ast.name.clone(), size, persistent: ast.persistent }
}

/// One pass while it is resolved.
struct PassCx<'a, 'b> {
    tables: &'a Tables<'b>,
    names: &'a Names,
    cx: &'a Context<'b>,
    optional: bool,
    /// Names that the game lacks, while the pass is optional.
    lacking: Vec<String>,
}

impl PassCx<'_, '_> {
    /// An unknown name of the game: an error, or the end of an optional pass.
    fn lacks(&mut self, log: &mut Log, code: &'static str, what: &str, name: &Sp<String>, known: Vec<&str>) {
        if self.optional {
            self.lacking.push(name.value.clone());
            return;
        }
        let help = suggest(&name.value, known);
        let message = format!("no {what} is called \"{}\"", name.value);
        log.error(code, message, name.at, format!("unknown {what}")).help = help;
    }
}

fn resolve_pass(
    log: &mut Log,
    ast: &PassAst,
    tables: &Tables<'_>,
    names: &Names,
    out: &mut Resolved,
    cx: &Context<'_>,
) -> Pass {
    let mut pcx = PassCx { tables, names, cx, optional: ast.optional, lacking: Vec::new() };
    let view = match &ast.view {
        Some(name) => cx.registry.view(&name.value).unwrap_or_else(|| {
            let known = cx.registry.views.iter().map(|v| v.name.as_str()).collect();
            pcx.lacks(log, "graph.unknown-view", "view", name, known);
            ViewId(0)
        }),
        None => ViewId(0),
    };
    let lists: Vec<&str> = cx.registry.lists.iter().map(|l| l.name.as_str()).collect();
    for draw in &ast.draws {
        if cx.registry.list(&draw.list.value).is_none() {
            pcx.lacks(log, "graph.unknown-list", "draw list", &draw.list, lists.clone());
        }
    }
    let samples: Vec<Sample> = ast.samples.iter().filter_map(|s| resolve_sample(log, s, &mut pcx, out)).collect();
    let when = ast.when.as_ref().and_then(|text| add_condition(log, text, &mut pcx, &mut out.conditions));
    let depth = ast.depth.as_ref().and_then(|d| {
        let stencil = ast.state.stencil.flatten().is_some_and(|s| s.write_mask != 0);
        let keeps = matches!(d.load.as_ref().map(|l| l.value), None | Some(super::Load::Keep));
        Some(Depth {
            image: tables.image(log, &d.image)?,
            load: d.load.as_ref().map(|l| l.value),
            mip: d.mip,
            layer: d.layer,
            read_only: ast.state.depth_write == Some(false) && keeps && !stencil,
            at: d.image.at,
        })
    });
    let mut pass = Pass {
        name: ast.name.clone(),
        kind: ast.kind,
        view,
        viewport: ast.viewport.unwrap_or([0.0, 0.0, 1.0, 1.0]),
        when,
        colors: resolve_colors(log, ast, tables),
        depth,
        draws: Vec::new(),
        shaders: Vec::new(),
        samples,
        storage: ast.storage.iter().filter_map(|s| resolve_storage(log, s, tables)).collect(),
        state: ast.state,
        dispatch: ast.dispatch.as_ref().and_then(|d| resolve_dispatch(log, d, tables)),
        from: ast.from.as_ref().and_then(|p| resolve_part(log, p, tables)),
        to: ast.to.as_ref().and_then(|p| resolve_part(log, p, tables)),
        linear: ast.linear,
        bypass: ast.bypass.iter().filter_map(|b| Some((tables.image(log, &b.0)?, tables.image(log, &b.1)?))).collect(),
        dropped: None,
    };
    check_classes(log, ast, &pass, &out.images);
    check_mips(log, &pass, &out.images);
    if !pcx.lacking.is_empty() {
        let names = super::source::quoted(&pcx.lacking);
        let why = format!("it is optional and the game has no {names}");
        let mut note =
            Diagnostic::new(Severity::Note, "graph.optional", format!("\"{}\" is left out: {why}", pass.name.value));
        note.labels.push(log.label(pass.name.at, "this pass"));
        log.warnings.push(note);
        pass.dropped = Some(why);
    }
    pass
}

fn add_condition(
    log: &mut Log,
    text: &Sp<String>,
    pcx: &mut PassCx<'_, '_>,
    conditions: &mut Vec<Condition>,
) -> Option<u32> {
    let mut unknown = Vec::new();
    let wanted = pcx.optional.then_some(&mut unknown);
    let condition = compile(log, pcx.cx.engine, text, pcx.names, wanted);
    pcx.lacking.extend(unknown);
    conditions.push(condition?);
    Some(conditions.len() as u32 - 1)
}

fn resolve_colors(log: &mut Log, ast: &PassAst, tables: &Tables<'_>) -> Vec<Color> {
    let mut colors = Vec::new();
    for color in &ast.colors {
        // A slip in an option's name reads as the name of an output; say so when its value is no image.
        if let Some(key) = &color.output
            && !tables.images.contains_key(color.image.value.as_str())
            && let Some(near) = crate::diag::near_miss(&key.value, super::keys::COLOR.keys.iter().map(|k| k.key))
        {
            let message = format!("\"{}\" is no key of `color`, and \"{}\" is no image", key.value, color.image.value);
            log.error("graph.unknown-key", message, key.at, "unknown key").help =
                Some(format!("did you mean \"{near}\"?"));
            continue;
        }
        let Some(image) = tables.image(log, &color.image) else { continue };
        let resolve = color.resolve.as_ref().and_then(|r| tables.image(log, r));
        let load = color.load.as_ref().map(|l| l.value);
        colors.push(Color { image, load, mip: color.mip, layer: color.layer, resolve, at: color.image.at });
    }
    colors
}

/// `name`, `name@prev` or `name@N`.
fn split_age(log: &mut Log, text: &Sp<String>) -> Option<(Sp<String>, u32)> {
    let Some((name, age)) = text.value.split_once('@') else { return Some((text.clone(), 0)) };
    let age = match age {
        "prev" => Some(1),
        n => n.parse::<u32>().ok().filter(|n| (1..=MAX_HISTORY).contains(n)),
    };
    let Some(age) = age else {
        let message = format!("\"{}\" is no frame of a history", text.value);
        log.error("graph.history", message, text.at, "here").help =
            Some(format!("write \"{name}@prev\" or \"{name}@1\" to \"{name}@{MAX_HISTORY}\""));
        return None;
    };
    Some((Sp { value: name.to_owned(), at: text.at }, age))
}

fn resolve_sample(log: &mut Log, ast: &SampleAst, pcx: &mut PassCx<'_, '_>, out: &mut Resolved) -> Option<Sample> {
    let when = match &ast.when {
        Some(text) => Some(add_condition(log, text, pcx, &mut out.conditions)?),
        None => None,
    };
    let (name, age) = split_age(log, &ast.image)?;
    let source = match pcx.tables.images.get(name.value.as_str()) {
        Some(&image) => match out.images[image as usize].file {
            Some(file) => Source::File(file),
            None => {
                let entry = &mut out.images[image as usize];
                if entry.samples > 1 && age > 0 {
                    log.error("graph.history", "a multisampled image has no history", ast.image.at, "here");
                }
                entry.history = entry.history.max(age);
                Source::Image { image, age }
            }
        },
        None => match pcx.cx.registry.import(&name.value) {
            Some(import) if age == 0 => Source::Import(import),
            Some(_) => {
                log.error("graph.history", "an image of the game has no history", ast.image.at, "here");
                return None;
            }
            None => {
                let imports = pcx.cx.registry.imports.iter().map(|i| i.name.as_str());
                let known = imports.chain(pcx.tables.images.keys().copied()).collect();
                pcx.lacks(log, "graph.unknown-image", "image", &name, known);
                return None;
            }
        },
    };
    Some(Sample {
        input: ast.input.clone(),
        source,
        linear: ast.linear,
        repeat: ast.repeat,
        compare: ast.compare.clone(),
        mip: ast.mip,
        layer: ast.layer,
        when,
        fallback: ast.fallback,
        at: ast.image.at,
        stages: Stages::NONE,
        kind: None,
    })
}

fn resolve_storage(log: &mut Log, ast: &StorageAst, tables: &Tables<'_>) -> Option<Storage> {
    let target = match tables.buffers.get(ast.target.value.as_str()) {
        Some(buffer) => Target::Buffer(*buffer),
        None => match tables.images.get(ast.target.value.as_str()) {
            Some(image) => Target::Image(*image),
            None => {
                let message = format!("no image or buffer is called \"{}\"", ast.target.value);
                let known = tables.images.keys().chain(tables.buffers.keys()).copied();
                let help = suggest(&ast.target.value, known);
                log.error("graph.unknown-image", message, ast.target.at, "not declared").help = help;
                return None;
            }
        },
    };
    Some(Storage {
        input: ast.input.clone(),
        target,
        mip: ast.mip,
        layer: ast.layer,
        at: ast.target.at,
        stages: Stages::NONE,
        written: false,
    })
}

fn resolve_dispatch(log: &mut Log, ast: &DispatchAst, tables: &Tables<'_>) -> Option<Dispatch> {
    Some(match ast {
        DispatchAst::Count(count) => Dispatch::Count(*count),
        DispatchAst::Of { image, mip } => Dispatch::Of { image: tables.image(log, image)?, mip: *mip },
        DispatchAst::Indirect { buffer, offset } => match tables.buffers.get(buffer.value.as_str()) {
            Some(id) => Dispatch::Indirect { buffer: *id, offset: *offset, at: buffer.at },
            None => {
                let help = suggest(&buffer.value, tables.buffers.keys().copied());
                let message = format!("no buffer is called \"{}\"", buffer.value);
                log.error("graph.unknown-buffer", message, buffer.at, "not declared").help = help;
                return None;
            }
        },
    })
}

fn resolve_part(log: &mut Log, ast: &PartAst, tables: &Tables<'_>) -> Option<Part> {
    let image = tables.image(log, &ast.image)?;
    Some(Part { image, mip: ast.mip, layer: ast.layer, at: ast.image.at })
}

/// Mip levels that the image never has, at whatever size.
fn check_mips(log: &mut Log, pass: &Pass, images: &[Image]) {
    let colors = pass.colors.iter().map(|c| (c.image, c.mip, c.at));
    let depth = pass.depth.iter().map(|d| (d.image, d.mip, d.at));
    let parts = pass.from.iter().chain(&pass.to).map(|p| (p.image, p.mip, p.at));
    let samples = pass.samples.iter().filter_map(|s| match s.source {
        Source::Image { image, .. } => s.mip.map(|m| (image, m, s.at)),
        _ => None,
    });
    let storage = pass.storage.iter().filter_map(|s| match s.target {
        Target::Image(image) => Some((image, s.mip, s.at)),
        Target::Buffer(_) => None,
    });
    let layers = pass.samples.iter().filter_map(|s| match s.source {
        Source::Image { image, .. } => s.layer.map(|l| (image, l, s.at)),
        _ => None,
    });
    let all: Vec<(u32, u32, Place)> = colors.chain(depth).chain(parts).chain(samples).chain(storage).collect();
    for (image, mip, at) in all {
        let image = &images[image as usize];
        if let Mips::Count(count) = image.mips.value
            && mip >= count
        {
            let message = format!("\"{}\" has {count} mip levels and no mip {mip}", image.name.value);
            let second = log.label(image.mips.at, "declared here");
            log.error("graph.image-shape", message, at, "mips count from 0").labels.push(second);
        }
    }
    let layers: Vec<(u32, u32, Place)> = layers.collect();
    for (image, layer, at) in layers {
        let image = &images[image as usize];
        if layer >= image.layers {
            let message = format!("\"{}\" has {} layers and no layer {layer}", image.name.value, image.layers);
            log.error("graph.image-shape", message, at, "layers count from 0");
        }
    }
}

/// Depth formats as colour and the reverse, files that are written, images that are given twice.
fn check_classes(log: &mut Log, ast: &PassAst, pass: &Pass, images: &[Image]) {
    let is_depth = |i: u32| images[i as usize].formats.first().is_some_and(|f| f.value.is_depth());
    for color in &pass.colors {
        if is_depth(color.image) {
            let image = &images[color.image as usize];
            let second = log.label(image.formats[0].at, "its format");
            let message = format!("\"{}\" has a depth format and cannot be a colour attachment", image.name.value);
            let error = log.error("graph.format-class", message, color.at, "needs a colour format");
            error.labels.push(second);
            error.help = Some("write depth = { image = \"…\" } instead".into());
        }
    }
    if let Some(depth) = &pass.depth
        && !is_depth(depth.image)
        && !images[depth.image as usize].formats.is_empty()
    {
        let image = &images[depth.image as usize];
        let second = log.label(image.formats[0].at, "its format");
        let message = format!("\"{}\" has a colour format and cannot be the depth attachment", image.name.value);
        let error = log.error("graph.format-class", message, depth.at, "needs a depth format");
        error.labels.push(second);
        error.help = Some("use d16, d32, d24s8 or d32s8".into());
    }
    let colors = pass.colors.iter().flat_map(|c| [Some((c.image, c.at)), c.resolve.map(|r| (r, c.at))]).flatten();
    let storage = pass.storage.iter().filter_map(|s| match s.target {
        Target::Image(i) => Some((i, s.at)),
        Target::Buffer(_) => None,
    });
    let parts = pass.from.iter().chain(&pass.to).map(|p| (p.image, p.at));
    let depth = pass.depth.iter().map(|d| (d.image, d.at));
    let all: Vec<(u32, Place)> = colors.chain(depth).chain(storage).chain(parts).collect();
    for (image, at) in all {
        if images[image as usize].file.is_some() {
            let message =
                format!("\"{}\" comes from a file and can only be sampled", images[image as usize].name.value);
            log.error("graph.read-only-image", message, at, "here");
        }
    }
    if ast.kind == PassKind::Ui && pass.colors.len() > 1 {
        log.error("graph.ui", "a ui pass has one colour attachment", pass.name.at, "this pass");
    }
}
