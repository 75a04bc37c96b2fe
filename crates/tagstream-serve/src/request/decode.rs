//! Compressed requests, read with a limit.

use std::io::Read;

/// Why a body cannot be read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum DecodeError {
    /// It is longer than allowed.
    TooLong,
    /// It is not in its encoding.
    Invalid,
    /// The encoding is not known.
    Unknown,
}

/// A body with more encodings is not read: each of them may make it as long as the limit again.
const MAX_ENCODINGS: usize = 4;

/// The body without its encodings, which are in the order in which they were applied, and after each of
/// them of at most this many bytes.
pub(super) fn decode_all(
    body: &[u8],
    encodings: &[String],
    limit: usize,
) -> Result<Vec<u8>, DecodeError> {
    if encodings.len() > MAX_ENCODINGS {
        return Err(DecodeError::Unknown);
    }
    let mut encodings = encodings.iter().rev();
    let Some(last) = encodings.next() else {
        return Ok(body.to_vec());
    };
    let decoded = decode(body, last, limit)?;
    encodings.try_fold(decoded, |body, encoding| decode(&body, encoding, limit))
}

/// The body without an encoding, which is in lower case.
fn decode(body: &[u8], encoding: &str, limit: usize) -> Result<Vec<u8>, DecodeError> {
    match encoding {
        "gzip" | "x-gzip" => read(flate2::read::MultiGzDecoder::new(body), limit),
        "deflate" => match read(flate2::read::ZlibDecoder::new(body), limit) {
            // Some clients send it without the header that it should have.
            Err(DecodeError::Invalid) => read(flate2::read::DeflateDecoder::new(body), limit),
            decoded => decoded,
        },
        "br" => read(brotli_decompressor::Decompressor::new(body, 4096), limit),
        "zstd" => match ruzstd::decoding::StreamingDecoder::new(body) {
            Ok(decoder) => read(decoder, limit),
            Err(_) => Err(DecodeError::Invalid),
        },
        _ => Err(DecodeError::Unknown),
    }
}

fn read(decoder: impl Read, limit: usize) -> Result<Vec<u8>, DecodeError> {
    let mut out = Vec::new();
    let most = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
    let read = decoder.take(most).read_to_end(&mut out);
    read.map_err(|_| DecodeError::Invalid)?;
    if out.len() > limit {
        return Err(DecodeError::TooLong);
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::{Compression, write};
    use std::io::Write;

    #[test]
    fn a_bomb_is_refused_and_a_body_is_read() {
        let mut gzip = write::GzEncoder::new(Vec::new(), Compression::best());
        gzip.write_all(&vec![0; 1 << 20]).unwrap();
        let bomb = gzip.finish().unwrap();
        assert!(bomb.len() < 4096);
        assert_eq!(decode(&bomb, "gzip", 4096), Err(DecodeError::TooLong));
        assert_eq!(decode(&bomb, "gzip", 1 << 20).unwrap().len(), 1 << 20);
        let mut zlib = write::ZlibEncoder::new(Vec::new(), Compression::fast());
        zlib.write_all(b"{}").unwrap();
        assert_eq!(
            decode(&zlib.finish().unwrap(), "deflate", 9).unwrap(),
            b"{}"
        );
        let mut raw = write::DeflateEncoder::new(Vec::new(), Compression::fast());
        raw.write_all(b"{}").unwrap();
        assert_eq!(decode(&raw.finish().unwrap(), "deflate", 9).unwrap(), b"{}");
        // `{}` as `zstd` and `brotli` write it.
        let zstd = [
            0x28, 0xb5, 0x2f, 0xfd, 0x20, 0x02, 0x11, 0x00, 0x00, 0x7b, 0x7d,
        ];
        assert_eq!(decode(&zstd, "zstd", 9).unwrap(), b"{}");
        assert_eq!(
            decode(&[0x8b, 0x00, 0x80, b'{', b'}', 0x03], "br", 9).unwrap(),
            b"{}"
        );
        assert_eq!(decode(b"x", "gzip", 9), Err(DecodeError::Invalid));
        assert_eq!(decode(b"x", "snappy", 9), Err(DecodeError::Unknown));
        let many = vec!["gzip".to_owned(); MAX_ENCODINGS + 1];
        assert_eq!(decode_all(b"x", &many, 9), Err(DecodeError::Unknown));
    }
}
