//! An input file, in blocks of whole records.

use crate::codec::{Codec, Format};
use crate::lines::{LineReader, Lines};
use crate::rows::{RowReader, Rows};
use std::cell::Cell;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::rc::Rc;

/// Reads one file.
pub(crate) enum Source {
    Lines(LineReader, Position),
    Rows(RowReader),
}

/// Records that one worker reads at once: lines or rows, by what the file has.
#[derive(Default)]
pub(crate) struct Input {
    pub(crate) lines: Lines,
    pub(crate) rows: Rows,
}

/// How much of a file has been dealt with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Extent {
    /// Bytes of text, uncompressed.
    pub(crate) bytes: u64,
    /// The line breaks in them.
    pub(crate) lines: u64,
    /// Rows of a Parquet file.
    pub(crate) rows: u64,
}

impl Extent {
    pub(crate) fn add(&mut self, other: Extent) {
        self.bytes += other.bytes;
        self.lines += other.lines;
        self.rows += other.rows;
    }
}

impl Input {
    pub(crate) fn extent(&self) -> Extent {
        Extent {
            bytes: self.lines.bytes.len() as u64,
            lines: self.lines.breaks,
            rows: self.rows.count(),
        }
    }
}

impl Source {
    /// Opens a file where an earlier run has stopped.
    pub(crate) fn open(
        path: &Path,
        format: Format,
        block_bytes: usize,
        done: Extent,
    ) -> io::Result<Self> {
        match format {
            Format::Lines(codec) => {
                let (text, position) = text_from(path, codec, done.bytes)?;
                let reader = LineReader::new(text, block_bytes, done.lines + 1);
                Ok(Source::Lines(reader, position))
            }
            Format::Parquet => Ok(Source::Rows(RowReader::open(path, block_bytes, done.rows)?)),
        }
    }

    /// Reads the next block; false at the end.
    pub(crate) fn next(&mut self, input: &mut Input) -> io::Result<bool> {
        match self {
            Source::Lines(reader, _) => reader.next(&mut input.lines),
            Source::Rows(reader) => reader.next(&mut input.rows),
        }
    }

    /// How many bytes of the file have been read, as they are on disk.
    pub(crate) fn position(&self) -> u64 {
        match self {
            Source::Lines(_, position) => position.0.get(),
            Source::Rows(reader) => reader.position(),
        }
    }
}

/// Where a reader is in its file.
#[derive(Clone, Default)]
pub(crate) struct Position(Rc<Cell<u64>>);

/// A file that counts how much of it has been read.
struct Counted {
    file: File,
    position: Position,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buffer)?;
        let cell = &self.position.0;
        cell.set(cell.get() + read as u64);
        Ok(read)
    }
}

/// The text of a file from this byte on.
fn text_from(path: &Path, codec: Codec, at: u64) -> io::Result<(Box<dyn Read>, Position)> {
    let mut file = File::open(path)?;
    let position = Position::default();
    if codec == Codec::Plain {
        position.0.set(file.seek(SeekFrom::Start(at))?);
    }
    let counted = Counted {
        file,
        position: position.clone(),
    };
    let mut source = codec.reader(counted)?;
    if codec != Codec::Plain {
        // What is compressed can only be read from its start.
        io::copy(&mut source.by_ref().take(at), &mut io::sink())?;
    }
    Ok((source, position))
}
