//! A minimal PNG writer: 8-bit RGB, no filter.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;

/// Encodes rows of RGB bytes.
pub(super) fn encode(width: usize, height: usize, rgb: &[u8]) -> Vec<u8> {
    let mut raw = Vec::with_capacity((width * 3 + 1) * height);
    for row in rgb.chunks_exact((width * 3).max(1)) {
        raw.push(0);
        raw.extend_from_slice(row);
    }
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    // writing into memory does not fail
    let body = encoder.write_all(&raw).and_then(|()| encoder.finish()).unwrap_or_default();
    let mut out = b"\x89PNG\r\n\x1a\n".to_vec();
    let mut head = (width as u32).to_be_bytes().to_vec();
    head.extend((height as u32).to_be_bytes());
    head.extend([8, 2, 0, 0, 0]);
    chunk(&mut out, b"IHDR", &head);
    chunk(&mut out, b"IDAT", &body);
    chunk(&mut out, b"IEND", &[]);
    out
}

fn chunk(out: &mut Vec<u8>, tag: &[u8; 4], body: &[u8]) {
    out.extend((body.len() as u32).to_be_bytes());
    out.extend_from_slice(tag);
    out.extend_from_slice(body);
    let mut crc = flate2::Crc::new();
    crc.update(tag);
    crc.update(body);
    out.extend(crc.sum().to_be_bytes());
}
