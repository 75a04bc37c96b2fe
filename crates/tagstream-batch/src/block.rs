//! A block of records on its way through the pipeline: what a worker gets, and what it makes of it.

use crate::codec::Format;
use crate::record::Records;
use crate::run::Batch;
use crate::segment;
use crate::source::Input;
use crate::summary::Summary;
use crate::table::{self, Table};
use std::io;

pub(crate) struct Block {
    pub(crate) input: Input,
    /// Bytes for the partial file.
    pub(crate) output: io::Result<Vec<u8>>,
    pub(crate) summary: Summary,
    /// The errors of bad records.
    pub(crate) bad: Vec<String>,
    /// How far the file had been read.
    pub(crate) position: u64,
}

impl Default for Block {
    fn default() -> Self {
        Block {
            input: Input::default(),
            output: Ok(Vec::new()),
            summary: Summary::default(),
            bad: Vec::new(),
            position: 0,
        }
    }
}

impl Block {
    /// Reads the records of a file called `name`, and writes them in another format or the same.
    pub(crate) fn work(&mut self, batch: &Batch, name: &str, from: Format, to: Format) {
        self.output = match (from, to) {
            (Format::Lines(_), Format::Lines(_)) => Ok(self.lines(batch, name)),
            (_, _) => self.table(batch, name, from, to),
        };
        if let (Format::Lines(codec), Ok(bytes)) = (to, &mut self.output)
            && let Err(error) = codec.compress(bytes)
        {
            self.output = Err(error);
        }
    }

    /// Lines from lines. Nearly always a line comes out as it came in, with more at its end.
    fn lines(&mut self, batch: &Batch, name: &str) -> Vec<u8> {
        let mut out = std::mem::replace(&mut self.output, Ok(Vec::new())).unwrap_or_default();
        out.clear();
        let mut out = String::from_utf8(out).unwrap_or_default();
        let mut records = Records::new(&batch.policy, &batch.settings);
        self.input.lines.each(|line, number| {
            records.line(line, || format!("{name}:{number}"), &mut out);
        });
        (self.summary, self.bad) = (records.summary, records.bad);
        out.into_bytes()
    }

    fn table(
        &mut self,
        batch: &Batch,
        name: &str,
        from: Format,
        to: Format,
    ) -> io::Result<Vec<u8>> {
        let mut table = Table::new(&batch.policy, &batch.settings);
        let rows = match from {
            Format::Lines(_) => table.lines(&self.input.lines, name).map(|rows| vec![rows]),
            Format::Parquet => table.rows(&self.input.rows, name),
        };
        let rows = rows.map_err(io::Error::other)?;
        (self.summary, self.bad) = (table.summary, table.bad);
        match to {
            Format::Lines(_) => table::json_lines(&rows).map_err(io::Error::other),
            Format::Parquet => segment::encode(&rows).map_err(io::Error::other),
        }
    }
}
