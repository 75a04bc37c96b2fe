//! Where chunks come from.

use crate::args::Common;
use crate::chunk::ChunkReader;
use crate::failure::Failure;
use std::{
    fs::File,
    io::{self, BufRead, BufReader, Read},
    path::Path,
};

/// A message in chunks, as they arrive.
pub(crate) struct Input {
    name: String,
    source: Source,
    buffer: Vec<u8>,
}

enum Source {
    /// Each read is a chunk, so that what has arrived is shown before the rest arrives.
    Bytes(Box<dyn Read>),
    /// Each line is a chunk: written as JSON or, without a reader of chunks, as it is.
    Lines {
        reader: BufReader<Box<dyn Read>>,
        number: usize,
        chunks: Option<ChunkReader>,
    },
}

/// How much is read at once, at most: files fill it, pipes return what they have.
const READ_BYTES: usize = 64 * 1024;

impl Input {
    pub(crate) fn open(common: &Common) -> Result<Self, Failure> {
        let chunks = common.chunks.then(|| Some(ChunkReader::default()));
        Self::open_with(common, chunks)
    }

    /// The input in lines, as they are.
    pub(crate) fn open_lines(common: &Common) -> Result<Self, Failure> {
        Self::open_with(common, Some(None))
    }

    /// The input in lines, if these are given, otherwise in bytes.
    fn open_with(common: &Common, lines: Option<Option<ChunkReader>>) -> Result<Self, Failure> {
        let path = common
            .file
            .as_deref()
            .filter(|path| *path != Path::new("-"));
        let name = path.map_or("standard input".to_owned(), |path| {
            path.display().to_string()
        });
        let reader: Box<dyn Read> = match path {
            Some(path) => Box::new(File::open(path).map_err(|error| failed(&name, &error))?),
            None => Box::new(io::stdin().lock()),
        };
        let source = match lines {
            Some(chunks) => Source::Lines {
                reader: BufReader::new(reader),
                number: 0,
                chunks,
            },
            None => Source::Bytes(reader),
        };
        Ok(Input {
            name,
            source,
            buffer: vec![0; READ_BYTES],
        })
    }

    /// The next chunk; `None` at the end.
    pub(crate) fn next(&mut self) -> Result<Option<&[u8]>, Failure> {
        match &mut self.source {
            Source::Bytes(reader) => {
                let read = read(reader, &mut self.buffer).map_err(|e| failed(&self.name, &e))?;
                Ok((read > 0).then(|| &self.buffer[..read]))
            }
            Source::Lines {
                reader,
                number,
                chunks,
            } => {
                loop {
                    self.buffer.clear();
                    let read = reader.read_until(b'\n', &mut self.buffer);
                    if read.map_err(|error| failed(&self.name, &error))? == 0 {
                        return Ok(None);
                    }
                    *number += 1;
                    if !self.buffer.trim_ascii().is_empty() {
                        break;
                    }
                }
                if let Some(chunks) = chunks {
                    let chunk = chunks.read(&self.buffer);
                    self.buffer = chunk.map_err(|problem| {
                        Failure::because(format_args!("{}: line {number}: {problem}", self.name))
                    })?;
                }
                Ok(Some(&self.buffer))
            }
        }
    }

    /// The place of the last line, for messages.
    pub(crate) fn place(&self) -> String {
        match &self.source {
            Source::Bytes(_) => self.name.clone(),
            Source::Lines { number, .. } => format!("{}: line {number}", self.name),
        }
    }
}

fn read(reader: &mut dyn Read, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        match reader.read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}

fn failed(name: &str, error: &io::Error) -> Failure {
    Failure::because(format_args!("{name}: {error}"))
}
