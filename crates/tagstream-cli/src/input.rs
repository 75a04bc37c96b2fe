//! Where chunks come from.

use crate::args::Common;
use crate::failure::Failure;
use serde_json::Value;
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
    /// Each read is a chunk, so that what has arrived is shown before the rest comes.
    Bytes(Box<dyn Read>),
    /// Each line is a chunk, written as JSON.
    Lines(BufReader<Box<dyn Read>>, usize),
}

/// As much as a read may bring: large for files, and a pipe brings what it has.
const READ: usize = 64 * 1024;

impl Input {
    pub(crate) fn open(common: &Common) -> Result<Self, Failure> {
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
        let source = if common.chunks {
            Source::Lines(BufReader::new(reader), 0)
        } else {
            Source::Bytes(reader)
        };
        Ok(Input {
            name,
            source,
            buffer: vec![0; READ],
        })
    }

    /// The next chunk; `None` at the end.
    pub(crate) fn next(&mut self) -> Result<Option<&[u8]>, Failure> {
        match &mut self.source {
            Source::Bytes(reader) => {
                let read = read(reader, &mut self.buffer).map_err(|e| failed(&self.name, &e))?;
                Ok((read > 0).then(|| &self.buffer[..read]))
            }
            Source::Lines(reader, number) => {
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
                let chunk = decode(&self.buffer).map_err(|problem| {
                    Failure::because(format_args!("{}: line {number}: {problem}", self.name))
                })?;
                self.buffer = chunk;
                Ok(Some(&self.buffer))
            }
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

/// The chunk that a line of `--chunks` stands for.
pub(crate) fn decode(line: &[u8]) -> Result<Vec<u8>, String> {
    let wanted = r#"a chunk is a JSON string or {"hex":"…"}"#;
    match serde_json::from_slice(line) {
        Ok(Value::String(text)) => Ok(text.into_bytes()),
        Ok(Value::Object(object)) if object.len() == 1 => match object.get("hex") {
            Some(Value::String(digits)) => unhex(digits)
                .ok_or_else(|| format!("`{digits}` is not an even number of hex digits")),
            _ => Err(wanted.to_owned()),
        },
        Ok(_) => Err(wanted.to_owned()),
        Err(error) => Err(format!("{wanted}; {error}")),
    }
}

fn unhex(digits: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let pairs = digits.as_bytes().chunks(2);
    pairs
        .map(|pair| match *pair {
            [high, low] => u8::try_from(digit(high)? * 16 + digit(low)?).ok(),
            _ => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_string_or_hex() {
        assert_eq!(decode(br#""a\n""#).unwrap(), b"a\n");
        assert_eq!(decode(br#"{"hex":"00fFe2"}"#).unwrap(), [0, 0xff, 0xe2]);
        assert_eq!(decode(br#"{"hex":""}"#).unwrap(), b"");
    }

    #[test]
    fn anything_else_is_refused() {
        for line in [
            &br#"{"hex":"0"}"#[..],
            br#"{"hex":"0g"}"#,
            br#"{"hex":"\u00e9"}"#,
            br#"{"hex":1}"#,
            br#"{"hex":"00","x":1}"#,
            b"{}",
            b"1",
            b"null",
            b"hello",
            b"\"\xff\"",
            br#""\ud800""#,
        ] {
            assert!(decode(line).is_err(), "{}", String::from_utf8_lossy(line));
        }
    }
}
