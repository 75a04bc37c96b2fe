//! Where chunks come from.

use crate::args::Common;
use crate::chunk::ChunkReader;
use crate::failure::Failure;
use std::{
    collections::VecDeque,
    fs::File,
    io::{self, BufRead, BufReader, Read},
    path::Path,
};

/// A message in chunks, as they arrive.
pub(crate) struct Input {
    name: String,
    source: Source,
    buffer: Vec<u8>,
    /// Chunks that have been looked at, with their lines.
    pending: VecDeque<(usize, Vec<u8>)>,
    /// The chunk that was returned last, if it had been looked at.
    current: Vec<u8>,
    /// The line of the chunk that was returned last.
    line: usize,
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

impl Source {
    fn lines(reader: Box<dyn Read>, chunks: Option<ChunkReader>) -> Self {
        Source::Lines {
            reader: BufReader::new(reader),
            number: 0,
            chunks,
        }
    }
}

/// How much is read at once, at most: files fill it, pipes return what they have.
const READ_BYTES: usize = 64 * 1024;

impl Input {
    pub(crate) fn open(common: &Common) -> Result<Self, Failure> {
        let chunks = common.chunks.then(ChunkReader::default);
        Self::open_with(common, chunks)
    }

    fn open_with(common: &Common, chunks: Option<ChunkReader>) -> Result<Self, Failure> {
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
        let source = match chunks {
            Some(chunks) => Source::lines(reader, Some(chunks)),
            None => Source::Bytes(reader),
        };
        Ok(Input {
            name,
            source,
            buffer: vec![0; READ_BYTES],
            pending: VecDeque::new(),
            current: Vec::new(),
            line: 0,
        })
    }

    /// The same input in lines, as they are. What has been looked at is read again.
    pub(crate) fn into_lines(mut self) -> Self {
        if let Source::Bytes(reader) = self.source {
            let pending = self.pending.drain(..).flat_map(|(_, chunk)| chunk);
            let start = io::Cursor::new(pending.collect::<Vec<u8>>());
            self.source = Source::lines(Box::new(start.chain(reader)), None);
        }
        self
    }

    /// The next chunk; `None` at the end.
    pub(crate) fn next(&mut self) -> Result<Option<&[u8]>, Failure> {
        if let Some((line, chunk)) = self.pending.pop_front() {
            (self.line, self.current) = (line, chunk);
            return Ok(Some(&self.current));
        }
        self.read()
    }

    /// The chunk after all that have been looked at; [`next`](Self::next) returns it too.
    pub(crate) fn look(&mut self) -> Result<Option<&[u8]>, Failure> {
        let Some(chunk) = self.read()?.map(<[u8]>::to_vec) else {
            return Ok(None);
        };
        self.pending.push_back((self.line, chunk));
        Ok(self.pending.back().map(|(_, chunk)| chunk.as_slice()))
    }

    fn read(&mut self) -> Result<Option<&[u8]>, Failure> {
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
                    self.line = *number;
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
            Source::Lines { .. } => format!("{}: line {}", self.name, self.line),
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
