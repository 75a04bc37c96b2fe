//! Chunks: `str`, which may end in half a character of two, or bytes, cut anywhere.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use std::borrow::Cow;

/// From this size on, others run while a chunk is read.
pub(crate) const LARGE_BYTES: usize = 32_768;

/// The first half of a character that was written as two, at the end of a `str`.
#[derive(Default)]
pub(crate) struct Half(Option<u16>);

pub(crate) enum Chunk<'a> {
    Text(&'a str),
    Bytes(Cow<'a, [u8]>),
}

impl Chunk<'_> {
    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            Chunk::Text(text) => text.as_bytes(),
            Chunk::Bytes(bytes) => bytes,
        }
    }
}

impl Half {
    /// The text or the bytes of a Python object. A half that no other half follows becomes a byte that
    /// is not UTF-8: it is reported and replaced like any other.
    #[inline]
    pub(crate) fn read<'a>(&mut self, chunk: &'a Bound<'_, PyAny>) -> PyResult<Chunk<'a>> {
        if let Ok(text) = chunk.cast::<PyString>() {
            if self.0.is_none()
                && let Ok(text) = text.to_str()
            {
                return Ok(Chunk::Text(text));
            }
            return self.join(text);
        }
        let bytes = if let Ok(bytes) = chunk.cast::<PyBytes>() {
            Cow::Borrowed(bytes.as_bytes())
        } else {
            let copy = chunk
                .py()
                .import("builtins")?
                .getattr("memoryview")?
                .call1((chunk,));
            let copy = copy.and_then(|view| view.call_method0("tobytes"));
            let copy = copy.map_err(|_| PyTypeError::new_err("a chunk is str or bytes"))?;
            Cow::Owned(copy.extract::<Vec<u8>>()?)
        };
        Ok(Chunk::Bytes(match self.finish() {
            [] => bytes,
            half => Cow::Owned([half, &bytes[..]].concat()),
        }))
    }

    /// A text or bytes that nothing follows.
    pub(crate) fn read_whole<'a>(whole: &'a Bound<'_, PyAny>) -> PyResult<Cow<'a, [u8]>> {
        let mut half = Half::default();
        let bytes = match half.read(whole)? {
            Chunk::Text(text) => Cow::Borrowed(text.as_bytes()),
            Chunk::Bytes(bytes) => bytes,
        };
        Ok(match half.finish() {
            [] => bytes,
            rest => Cow::Owned([&bytes, rest].concat()),
        })
    }

    /// What is left at the end.
    pub(crate) fn finish(&mut self) -> &'static [u8] {
        if self.0.take().is_some() {
            b"\xff"
        } else {
            b""
        }
    }

    #[inline(never)]
    fn join<'a>(&mut self, text: &Bound<'_, PyString>) -> PyResult<Chunk<'a>> {
        let encoded = text.call_method1("encode", ("utf-16-le", "surrogatepass"))?;
        let encoded: Vec<u8> = encoded.extract()?;
        let units = encoded
            .chunks_exact(2)
            .map(|pair| u16::from_le_bytes([pair[0], pair[1]]));
        let mut units: Vec<u16> = self.0.take().into_iter().chain(units).collect();
        if units
            .last()
            .is_some_and(|last| (0xd800..0xdc00).contains(last))
        {
            self.0 = units.pop();
        }
        let mut bytes = Vec::new();
        for character in char::decode_utf16(units) {
            match character {
                Ok(character) => {
                    bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                }
                Err(_) => bytes.push(0xff),
            }
        }
        Ok(Chunk::Bytes(Cow::Owned(bytes)))
    }
}
