//! Every key that a graph file may have. The parser refuses all others, and the reference for graph authors is printed
//! from these tables, so that the two cannot differ.

/// A key of a section.
#[derive(Clone, Copy, Debug)]
pub struct KeyDoc {
    /// The key.
    pub key: &'static str,
    /// What its value may be.
    pub value: &'static str,
    /// What holds without it; empty where the key must be there.
    pub default: &'static str,
    /// What it does.
    pub doc: &'static str,
}

/// A section or an inline table of a graph file.
#[derive(Clone, Copy, Debug)]
pub struct SectionDoc {
    /// How it is written.
    pub name: &'static str,
    /// What it is for.
    pub doc: &'static str,
    /// Its keys.
    pub keys: &'static [KeyDoc],
}

const fn k(key: &'static str, value: &'static str, default: &'static str, doc: &'static str) -> KeyDoc {
    KeyDoc { key, value, default, doc }
}

/// `[graph]`
pub const GRAPH: SectionDoc = SectionDoc {
    name: "[graph]",
    doc: "the graph itself",
    keys: &[
        k("name", "string", "the file's name", "name in titles and in the identity of persistent images"),
        k("output", "image", "", "the image that is shown and saved (inherited through `extends`)"),
        k("extends", "path", "none", "the graph that this one changes, relative to this file"),
        k("remove", "array of pass names", "none", "passes of the extended graph that are left out"),
        k("doc", "string", "none", "one sentence for people"),
    ],
};
/// `[image.NAME]`
pub const IMAGE: SectionDoc = SectionDoc {
    name: "[image.NAME]",
    doc: "an image that the graph owns",
    keys: &[
        k("format", "format or array of formats", "", "the first that the device supports is taken"),
        k("size", "[w, h] | \"view\" | { of, scale }", "\"view\"", "extent of mip 0 in texels"),
        k("layers", "1..256", "1", "array layers"),
        k("mips", "1.. | \"full\"", "1", "mip levels"),
        k("samples", "1, 2, 4, 8", "1", "samples a texel"),
        k("persistent", "true | false", "false", "keeps its content from frame to frame; zero at the start"),
        k(
            "file",
            "path",
            "none",
            "a texture of the game's data, which passes may only sample; needs no format and size",
        ),
        k("doc", "string", "none", "one sentence for people"),
    ],
};
/// `size = { … }`
pub const SIZE: SectionDoc = SectionDoc {
    name: "size = { … }",
    doc: "a size that follows another; results are rounded down and are at least 1",
    keys: &[
        k("of", "\"view\", a named size of the game, or an image", "", "what it follows"),
        k("scale", "number | [x, y]", "1", "factor for each axis"),
    ],
};
/// `[buffer.NAME]`
pub const BUFFER: SectionDoc = SectionDoc {
    name: "[buffer.NAME]",
    doc: "a storage or indirect buffer that the graph owns",
    keys: &[
        k("size", "bytes | { of, stride, scale }", "", "bytes, or stride times the area of a size"),
        k("persistent", "true | false", "false", "keeps its content from frame to frame; zero at the start"),
        k("doc", "string", "none", "one sentence for people"),
    ],
};
/// `size = { … }` of a buffer.
pub const BUFFER_SIZE: SectionDoc = SectionDoc {
    name: "size = { … } of a buffer",
    doc: "bytes by a count",
    keys: &[
        k("of", "\"view\", a named size of the game, or an image", "", "what it follows"),
        k("stride", "bytes", "4", "bytes of one element"),
        k("scale", "number | [x, y]", "1", "factor for each axis"),
    ],
};
/// `[param.NAME]`
pub const PARAM: SectionDoc = SectionDoc {
    name: "[param.NAME]",
    doc: "a live value: slider, script variable, uniform",
    keys: &[
        k("value", "bool, number, [2..4 numbers], string", "", "default; its type is the param's type"),
        k(
            "type",
            "bool int float vec2 vec3 vec4 colour enum",
            "from the value",
            "needed for colours; `1` alone is an int",
        ),
        k("min", "number", "none", "smallest value of each component"),
        k("max", "number", "none", "largest value of each component"),
        k("choices", "array of strings", "none", "names of an enum's values"),
        k("unit", "string", "none", "unit for the overlay"),
        k("doc", "string", "none", "one sentence with the unit"),
    ],
};
/// `[[move]]`
pub const MOVE: SectionDoc = SectionDoc {
    name: "[[move]]",
    doc: "moves a pass of the extended graph",
    keys: &[
        k("pass", "pass name", "", "which"),
        k("before", "pass name", "none", "to before this one"),
        k("after", "pass name", "none", "to after this one"),
    ],
};
/// `[[pass]]`
pub const PASS: SectionDoc = SectionDoc {
    name: "[[pass]]",
    doc: "a pass; the order in the file is the order in the frame",
    keys: &[
        k("name", "string", "", "unique name for reports, labels and conditions"),
        k("kind", "raster fullscreen compute copy blit mips ui", "raster", "what it does"),
        k("view", "view", "\"main\"", "whose matrices and culling it uses"),
        k("viewport", "[x, y, w, h], 0 to 1", "[0, 0, 1, 1]", "part of the attachments that is drawn to"),
        k("color", "image | { output = image, … } | array", "none", "colour attachments"),
        k("depth", "image | { image, … }", "none", "depth attachment"),
        k("draw", "array of lists or { list, shader, define }", "none", "draw lists in order"),
        k(
            "sample",
            "{ input = image, … }",
            "none",
            "what the shader's samplers read: `image`, `image@prev`, an import",
        ),
        k("storage", "{ name = image or buffer, … }", "none", "storage images and buffers"),
        k("shader", "name", "none", "file below the shader folder without ending"),
        k("define", "{ NAME = value, … }", "none", "preprocessor definitions"),
        k("constants", "{ NAME = value or \"param\", … }", "params of the same name", "specialization constants"),
        k("state", "{ … }", "open", "fixed-function state; materials fill what is left open"),
        k("dispatch", "[x, y, z] | { of } | { indirect }", "none", "work groups, or invocations by an image's size"),
        k("from", "image | { image, mip, layer }", "none", "source of a copy or blit"),
        k("to", "image | { image, mip, layer }", "none", "destination of a copy or blit; the image of `mips`"),
        k("filter", "linear nearest", "linear", "filter of blit and mips"),
        k("when", "expression", "true", "runs only while it holds: params, flags, names of passes"),
        k("optional", "true | false", "false", "left out where the game lacks a name, instead of an error"),
        k("bypass", "{ image = image, … }", "none", "what stands for an output while the pass is off"),
        k("repeat", "{ over, from, to }", "none", "writes the pass once for each step; `{over}` stands for the step"),
        k("before", "pass name", "none", "only with extends: inserts before that pass"),
        k("after", "pass name", "none", "only with extends: inserts after that pass"),
        k("replace", "true | pass name", "none", "only with extends: stands for that pass"),
        k("doc", "string", "none", "one sentence for people"),
    ],
};
/// Options of a colour attachment; every other key is the name of a shader output.
pub const COLOR: SectionDoc = SectionDoc {
    name: "color = { … }",
    doc: "a colour attachment; `OUTPUT = \"image\"` says which output of the shader goes to which image",
    keys: &[
        k("image", "image", "none", "the image, matched to the only output or the output of its name"),
        k("load", "keep clear dont-care", "clear before the frame's first writer, else keep", "how it starts"),
        k("clear", "[r, g, b, a] | number", "0", "colour it starts with"),
        k("mip", "number", "0", "mip level"),
        k("layer", "number", "0", "array layer"),
        k("resolve", "image", "none", "single-sampled image that receives the resolved samples"),
    ],
};
/// `depth = { … }`
pub const DEPTH: SectionDoc = SectionDoc {
    name: "depth = { … }",
    doc: "the depth attachment",
    keys: &[
        k("image", "image", "", "the image"),
        k("load", "keep clear dont-care", "clear before the frame's first writer, else keep", "how it starts"),
        k("clear", "number", "1", "depth it starts with"),
        k("stencil", "0..255", "0", "stencil it starts with"),
        k(
            "write",
            "true | false",
            "open",
            "the same as `state.depth_write`; false also lets the pass sample the image",
        ),
        k("mip", "number", "0", "mip level"),
        k("layer", "number", "0", "array layer"),
    ],
};
/// `{ list = … }` in `draw`
pub const DRAW: SectionDoc = SectionDoc {
    name: "draw = [{ … }]",
    doc: "a draw list with a shader of its own",
    keys: &[
        k("list", "draw list", "", "the list"),
        k("shader", "name", "the pass's", "its shader"),
        k("define", "{ NAME = value, … }", "none", "definitions on top of the pass's"),
    ],
};
/// `sample = { input = { … } }`
pub const SAMPLE: SectionDoc = SectionDoc {
    name: "sample = { INPUT = { … } }",
    doc: "a sampled image with options",
    keys: &[
        k("image", "image, image@prev, image@N, import", "", "what is read"),
        k("filter", "linear nearest", "linear; nearest for depth and integers", "filter"),
        k("wrap", "clamp repeat", "clamp", "addressing"),
        k("compare", "true | false", "true for sampler2DShadow", "compares depth, less or equal"),
        k("mip", "number | \"all\"", "all", "mip level that is seen"),
        k("layer", "number | \"all\"", "all", "array layer that is seen"),
        k("when", "expression", "true", "the image is read only while it holds"),
        k("fallback", "white black transparent flat-normal", "black", "what is read otherwise"),
    ],
};
/// `storage = { name = { … } }`
pub const STORAGE: SectionDoc = SectionDoc {
    name: "storage = { NAME = { … } }",
    doc: "a storage image with options",
    keys: &[
        k("image", "image", "", "the image"),
        k("mip", "number", "0", "mip level"),
        k("layer", "number | \"all\"", "all", "array layer"),
    ],
};
/// `from = { … }`, `to = { … }`
pub const COPY: SectionDoc = SectionDoc {
    name: "from = { … }, to = { … }",
    doc: "one mip of one layer",
    keys: &[
        k("image", "image", "", "the image"),
        k("mip", "number", "0", "mip level"),
        k("layer", "number", "0", "array layer"),
    ],
};
/// `dispatch = { … }`
pub const DISPATCH: SectionDoc = SectionDoc {
    name: "dispatch = { … }",
    doc: "one invocation for each texel of an image, or a count that a buffer holds",
    keys: &[
        k("of", "image", "none", "the image"),
        k("mip", "number", "0", "its mip level"),
        k("indirect", "buffer", "none", "buffer with three 32-bit counts"),
        k("offset", "bytes", "0", "offset in the buffer, a multiple of 4"),
    ],
};
/// `repeat = { … }`
pub const REPEAT: SectionDoc = SectionDoc {
    name: "repeat = { … }",
    doc: "steps of a repeated pass, both ends included; from above to runs downwards",
    keys: &[
        k("over", "name", "", "what `{name}`, `{name+1}` and `{name-1}` stand for in the pass's strings"),
        k("from", "number", "0", "first step"),
        k("to", "number", "", "last step"),
    ],
};
/// `state = { … }`
pub const STATE: SectionDoc = SectionDoc {
    name: "state = { … }",
    doc: "what is set here holds for every draw; what is left open is the material's, then the default",
    keys: &[
        k("blend", "none alpha premultiplied additive add modulate modulate-2x max min | { … }", "none", "blending"),
        k("depth_test", "true | false", "true (fullscreen: false)", "depth test"),
        k("depth_write", "true | false", "true (fullscreen: false)", "depth writes"),
        k(
            "depth_compare",
            "never less equal less-or-equal greater not-equal greater-or-equal always",
            "less-or-equal",
            "comparison",
        ),
        k("depth_bias", "[constant, slope]", "[0, 0]", "positive pushes away"),
        k("cull", "none front back", "none", "faces that are dropped"),
        k("front", "ccw cw", "ccw", "winding of a front face"),
        k("color_write", "true | false", "true", "false writes no colour at all"),
        k("color_mask", "letters of rgba", "\"rgba\"", "channels that are written"),
        k("stencil", "false | { … }", "false", "stencil test"),
        k("polygon", "fill line", "fill", "lines where the device has them"),
        k("alpha_to_coverage", "true | false", "false", "on multisampled targets"),
    ],
};
/// `blend = { … }`
pub const BLEND: SectionDoc = SectionDoc {
    name: "blend = { … }",
    doc: "a full equation",
    keys: &[
        k(
            "color",
            "[src, dst] or [src, op, dst]",
            "",
            "factors zero one src-color one-minus-src-color dst-color one-minus-dst-color src-alpha one-minus-src-alpha dst-alpha one-minus-dst-alpha; op add subtract reverse-subtract min max",
        ),
        k("alpha", "[src, dst] or [src, op, dst]", "as color", "the same for alpha"),
    ],
};
/// `stencil = { … }`
pub const STENCIL: SectionDoc = SectionDoc {
    name: "stencil = { … }",
    doc: "stencil test of both faces",
    keys: &[
        k("compare", "as depth_compare", "always", "reference against stored value"),
        k("reference", "0..255", "0", "reference"),
        k("read_mask", "0..255", "255", "bits that are compared"),
        k("write_mask", "0..255", "255", "bits that are written"),
        k(
            "fail",
            "keep zero replace increment-clamp decrement-clamp invert increment-wrap decrement-wrap",
            "keep",
            "when the stencil test fails",
        ),
        k("depth_fail", "as fail", "keep", "when the depth test fails"),
        k("pass", "as fail", "keep", "when both pass"),
    ],
};
/// The top level of a graph file.
pub const TOP: SectionDoc = SectionDoc {
    name: "a graph file",
    doc: "its sections",
    keys: &[
        k("graph", "[graph]", "", "the graph itself"),
        k("image", "[image.NAME]", "none", "images"),
        k("buffer", "[buffer.NAME]", "none", "buffers"),
        k("param", "[param.NAME]", "none", "params"),
        k("pass", "[[pass]]", "none", "passes"),
        k("move", "[[move]]", "none", "moves of passes, with extends"),
    ],
};

/// All sections, in the order of the reference.
pub const REFERENCE: &[&SectionDoc] = &[
    &TOP,
    &GRAPH,
    &IMAGE,
    &SIZE,
    &BUFFER,
    &BUFFER_SIZE,
    &PARAM,
    &PASS,
    &COLOR,
    &DEPTH,
    &DRAW,
    &SAMPLE,
    &STORAGE,
    &COPY,
    &DISPATCH,
    &REPEAT,
    &STATE,
    &BLEND,
    &STENCIL,
    &MOVE,
];

/// The reference as Markdown.
pub fn reference_markdown() -> String {
    let mut out = String::new();
    for section in REFERENCE {
        out.push_str(&format!("### `{}`\n\n{}\n\n", section.name, section.doc));
        out.push_str("| key | value | default | meaning |\n| --- | --- | --- | --- |\n");
        for key in section.keys {
            let cell = |text: &str| text.replace('|', "\\|");
            let default = if key.default.is_empty() { "required" } else { key.default };
            let (value, default, doc) = (cell(key.value), cell(default), cell(key.doc));
            out.push_str(&format!("| `{}` | {value} | {default} | {doc} |\n", key.key));
        }
        out.push('\n');
    }
    out
}
