//! The formats of files, by their names, and the compression of JSON Lines.

use flate2::Compression;
use flate2::bufread::MultiGzDecoder;
use flate2::write::GzEncoder;
use std::io::{self, BufReader, Read, Write};
use std::path::Path;

/// What a file contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Lines(Codec),
    Parquet,
}

/// How JSON Lines are compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Codec {
    Plain,
    Gzip,
    Zstd,
}

/// The endings that count.
pub(crate) const ENDINGS: &str =
    ".parquet, or in .jsonl, .ndjson or .json, each also with .gz or .zst";

impl Format {
    /// The format of a file of this name.
    pub(crate) fn of(path: &Path) -> Option<Format> {
        let name = path.file_name()?.to_string_lossy().to_ascii_lowercase();
        if name.ends_with(".parquet") {
            return Some(Format::Parquet);
        }
        let (stem, codec) = match name.rsplit_once('.')? {
            (stem, "gz" | "gzip") => (stem, Codec::Gzip),
            (stem, "zst" | "zstd") => (stem, Codec::Zstd),
            _ => (name.as_str(), Codec::Plain),
        };
        let is_lines = [".jsonl", ".ndjson", ".json"]
            .iter()
            .any(|ending| stem.ends_with(ending));
        is_lines.then_some(Format::Lines(codec))
    }
}

impl Codec {
    /// Reads the text of a file; all members and frames, if it has several.
    pub(crate) fn reader(self, file: impl Read + 'static) -> io::Result<Box<dyn Read>> {
        Ok(match self {
            Codec::Plain => Box::new(file),
            Codec::Gzip => Box::new(MultiGzDecoder::new(BufReader::with_capacity(1 << 16, file))),
            Codec::Zstd => Box::new(zstd::Decoder::new(file)?),
        })
    }

    /// Compresses a block in place, as a member or frame of its own: so all workers can compress, and
    /// an interrupted file can be continued.
    pub(crate) fn compress(self, block: &mut Vec<u8>) -> io::Result<()> {
        *block = match self {
            Codec::Plain => return Ok(()),
            Codec::Gzip => {
                let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
                encoder.write_all(block)?;
                encoder.finish()?
            }
            Codec::Zstd => zstd::bulk::compress(block, zstd::DEFAULT_COMPRESSION_LEVEL)?,
        };
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_decides() {
        let of = |name: &str| Format::of(Path::new(name));
        assert_eq!(of("a/b.JSONL"), Some(Format::Lines(Codec::Plain)));
        assert_eq!(of("b.ndjson.gz"), Some(Format::Lines(Codec::Gzip)));
        assert_eq!(of("b.x.jsonl.zst"), Some(Format::Lines(Codec::Zstd)));
        assert_eq!(of("part-0.snappy.parquet"), Some(Format::Parquet));
        assert_eq!(of("b.txt"), None);
        assert_eq!(of("b.gz"), None);
        assert_eq!(of("jsonl"), None);
    }
}
