//! The chunks of a file.

use terrace_engine::bytes::{Cursor, FormatError};

use super::*;

/// Most warnings that a model keeps; one more entry counts the rest.
pub const MAX_WARNINGS: usize = 64;

/// Collects warnings up to [`MAX_WARNINGS`].
#[derive(Default)]
pub(super) struct Warnings {
    list: Vec<FormatError>,
    more: usize,
}

impl Warnings {
    pub(super) fn push(&mut self, warning: FormatError) {
        if self.list.len() < MAX_WARNINGS {
            self.list.push(warning);
        } else {
            self.more += 1;
        }
    }

    pub(super) fn add(&mut self, offset: u64, field: &str, what: impl Into<String>) {
        self.push(FormatError::new(offset, field, what));
    }

    /// The list; `end` is the place of the entry that counts the rest.
    fn finish(mut self, end: u64) -> Vec<FormatError> {
        if self.more > 0 {
            self.list.push(FormatError::new(end, "warnings", format!("{} more faults", self.more)));
        }
        self.list
    }
}

const KNOWN_TAGS: [&[u8; 4]; 21] = [
    b"VERS", b"MODL", b"SEQS", b"GLBS", b"TEXS", b"MTLS", b"TXAN", b"GEOS", b"GEOA", b"BONE", b"HELP", b"LITE",
    b"ATCH", b"PIVT", b"PREM", b"PRE2", b"RIBB", b"CORN", b"EVTS", b"CAMS", b"CLID",
];

fn is_known(tag: &[u8; 4]) -> bool {
    KNOWN_TAGS.contains(&tag) || matches!(tag, b"BPOS" | b"FAFX")
}

pub(super) fn read(bytes: &[u8]) -> Result<Model, FormatError> {
    let mut c = Cursor::new(bytes);
    c.magic(b"MDLX", "magic")?;
    let mut warnings = Warnings::default();
    let mut model = Model { version: find_version(c.clone(), &mut warnings)?, ..Model::default() };
    while !c.is_empty() {
        let Some(chunk) = next_chunk(&mut c, bytes, &mut warnings) else { break };
        let Chunk { tag, at, mut body } = chunk;
        if !is_known(&tag) {
            let tag = tag.escape_ascii().to_string();
            model.unknown_chunks.push(UnknownChunk { tag, offset: at, size: body.remaining() as u32 });
            continue;
        }
        if let Err(e) = read_chunk(&mut model, &tag, &mut body, &mut warnings) {
            warnings.push(e);
        }
    }
    validate::validate(&mut model, &mut warnings);
    model.warnings = warnings.finish(bytes.len() as u64);
    Ok(model)
}

struct Chunk<'a> {
    tag: [u8; 4],
    at: u64,
    body: Cursor<'a>,
}

/// The next chunk. Where a chunk says a wrong size, what follows it is no chunk: the reading goes on at the next
/// known tag whose size fits.
fn next_chunk<'a>(c: &mut Cursor<'a>, bytes: &'a [u8], warnings: &mut Warnings) -> Option<Chunk<'a>> {
    let at = c.offset();
    let header = |c: &mut Cursor<'a>| -> Result<Chunk<'a>, FormatError> {
        let tag = c.array::<4>("chunk.tag")?;
        let size = c.u32("chunk.size")? as usize;
        Ok(Chunk { tag, at, body: c.sub(size, &tag.escape_ascii().to_string())? })
    };
    let mut ahead = c.clone();
    let why = match header(&mut ahead) {
        Ok(chunk) if is_known(&chunk.tag) || follows_chunk(&ahead) => {
            *c = ahead;
            return Some(chunk);
        }
        Ok(chunk) => FormatError::new(at, "chunk.tag", format!("\"{}\" is no chunk", chunk.tag.escape_ascii())),
        Err(e) => FormatError::new(at, e.field, e.what),
    };
    let start = at as usize + 1;
    let found = (start..bytes.len().saturating_sub(7)).find(|&i| {
        let word = |i: usize| [bytes[i], bytes[i + 1], bytes[i + 2], bytes[i + 3]];
        is_known(&word(i)) && u32::from_le_bytes(word(i + 4)) as usize <= bytes.len() - i - 8
    });
    let next = match found {
        Some(i) => format!("the reading goes on at byte {i}"),
        None => "nothing after it is read".to_owned(),
    };
    warnings.add(why.offset, &why.field, format!("{}; {next}", why.what));
    let i = found?;
    *c = Cursor::at(&bytes[i..], i as u64);
    next_chunk_at(c)
}

/// A chunk whose header is known to fit.
fn next_chunk_at<'a>(c: &mut Cursor<'a>) -> Option<Chunk<'a>> {
    let at = c.offset();
    let tag = c.array::<4>("chunk.tag").ok()?;
    let size = c.u32("chunk.size").ok()? as usize;
    Some(Chunk { tag, at, body: c.sub(size, "chunk").ok()? })
}

/// True at the end of the file and in front of what looks like a tag: how a chunk of a tool is told from garbage.
fn follows_chunk(c: &Cursor<'_>) -> bool {
    c.is_empty()
        || c.clone().array::<4>("").is_ok_and(|tag| tag.iter().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit()))
}

/// Versions decide layouts and chunks may come in any order, so that the version is looked up first.
fn find_version(mut c: Cursor<'_>, warnings: &mut Warnings) -> Result<u32, FormatError> {
    while let Some(Chunk { tag, mut body, .. }) = next_chunk_at(&mut c) {
        if &tag != b"VERS" {
            continue;
        }
        let at = body.offset();
        let version = body.u32("VERS")?;
        if version < OLDEST_VERSION {
            return Err(FormatError::new(
                at,
                "VERS",
                format!("version {version} is too old; {OLDEST_VERSION} and later are read"),
            ));
        }
        if version > NEWEST_VERSION {
            warnings.add(at, "VERS", format!("version {version} is unknown and read as {NEWEST_VERSION}"));
        }
        return Ok(version.min(NEWEST_VERSION));
    }
    warnings.add(4, "VERS", format!("there is no version, {OLDEST_VERSION} is assumed"));
    Ok(OLDEST_VERSION)
}

fn read_chunk(m: &mut Model, tag: &[u8; 4], c: &mut Cursor<'_>, w: &mut Warnings) -> Result<(), FormatError> {
    let version = m.version;
    match tag {
        b"MODL" => {
            m.name = c.fixed_string(80, "MODL.name")?;
            m.animation_file = c.fixed_string(260, "MODL.animationFile")?;
            m.extent = read_extent(c, "MODL.extent")?;
            m.blend_time = c.u32("MODL.blendTime")?;
        }
        b"SEQS" => fixed(c, &mut m.sequences, read_sequence)?,
        b"GLBS" => fixed(c, &mut m.global_sequences, |c| c.u32("GLBS"))?,
        b"PIVT" => fixed(c, &mut m.pivots, |c| c.f32s("PIVT"))?,
        b"TEXS" => fixed(c, &mut m.textures, material::read_texture)?,
        b"FAFX" => fixed(c, &mut m.face_effects, |c| {
            Ok(FaceEffect { name: c.fixed_string(80, "FAFX.name")?, path: c.fixed_string(260, "FAFX.path")? })
        })?,
        b"BPOS" => {
            for _ in 0..c.count(48, "BPOS.count")? {
                m.bind_pose.push(c.f32s("BPOS.matrix")?);
            }
        }
        b"MTLS" => records(c, "MTLS", &mut m.materials, w, |c, w| material::read_material(c, version, w)),
        b"TXAN" => records(c, "TXAN", &mut m.texture_animations, w, material::read_texture_animation),
        b"GEOS" => records(c, "GEOS", &mut m.geosets, w, |c, w| geoset::read_geoset(c, version, w)),
        b"GEOA" => records(c, "GEOA", &mut m.geoset_animations, w, geoset::read_geoset_animation),
        b"BONE" => fixed(c, &mut m.bones, |c| node::read_bone(c, w))?,
        b"HELP" => fixed(c, &mut m.helpers, |c| node::read_node(c, w))?,
        b"LITE" => records(c, "LITE", &mut m.lights, w, |c, w| node::read_light(c, version, w)),
        b"ATCH" => records(c, "ATCH", &mut m.attachments, w, node::read_attachment),
        b"PREM" => records(c, "PREM", &mut m.particle_emitters, w, particle::read_particle_emitter),
        b"PRE2" => records(c, "PRE2", &mut m.particle_emitters2, w, particle::read_particle_emitter2),
        b"RIBB" => records(c, "RIBB", &mut m.ribbons, w, particle::read_ribbon),
        b"CORN" => records(c, "CORN", &mut m.popcorn_emitters, w, particle::read_popcorn),
        b"EVTS" => fixed(c, &mut m.events, |c| node::read_event(c, w))?,
        b"CAMS" => records(c, "CAMS", &mut m.cameras, w, node::read_camera),
        b"CLID" => fixed(c, &mut m.collision_shapes, |c| node::read_collision_shape(c, w))?,
        _ => {}
    }
    Ok(())
}

/// Records without a size, up to the end of the chunk.
fn fixed<T>(
    c: &mut Cursor<'_>,
    out: &mut Vec<T>,
    mut read: impl FnMut(&mut Cursor<'_>) -> Result<T, FormatError>,
) -> Result<(), FormatError> {
    while !c.is_empty() {
        out.push(read(c)?);
    }
    Ok(())
}

/// Records that begin with their size, which includes the four bytes of the size. A record that cannot be read is
/// dropped; a size that does not fit ends the chunk.
fn records<T>(
    c: &mut Cursor<'_>,
    tag: &str,
    out: &mut Vec<T>,
    w: &mut Warnings,
    mut read: impl FnMut(&mut Cursor<'_>, &mut Warnings) -> Result<T, FormatError>,
) {
    while !c.is_empty() {
        match sized(c, tag) {
            Ok(mut record) => match read(&mut record, w) {
                Ok(value) => out.push(value),
                Err(e) => w.push(e),
            },
            Err(e) => return w.push(e),
        }
    }
}

/// A part that begins with its inclusive size, without that size.
pub(super) fn sized<'a>(c: &mut Cursor<'a>, tag: &str) -> Result<Cursor<'a>, FormatError> {
    let at = c.offset();
    let field = format!("{tag}.inclusiveSize");
    let size = c.u32(&field)? as usize;
    match size.checked_sub(4) {
        Some(rest) if rest <= c.remaining() => c.sub(rest, &field),
        _ => Err(FormatError::new(
            at,
            field,
            format!("{size} bytes, {} are left with the size itself", c.remaining() + 4),
        )),
    }
}

/// The tracks at the end of a record. `read` returns false for a tag it does not know. A track that cannot be read
/// ends the record, which keeps what it has.
pub(super) fn tracks(
    c: &mut Cursor<'_>,
    record: &str,
    w: &mut Warnings,
    mut read: impl FnMut(&[u8; 4], &mut Cursor<'_>) -> Result<bool, FormatError>,
) {
    while !c.is_empty() {
        let at = c.offset();
        let known = c.array::<4>(record).and_then(|tag| Ok((tag, read(&tag, c)?)));
        match known {
            Ok((_, true)) => {}
            Ok((tag, false)) => {
                return w.add(
                    at,
                    record,
                    format!("track \"{}\" is unknown, the rest of the record is skipped", tag.escape_ascii()),
                );
            }
            Err(e) => return w.push(e),
        }
    }
}
