//! Rows of a Parquet file, in blocks.

use crate::arrow::Texts;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, SchemaRef};
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader,
    ParquetRecordBatchReaderBuilder,
};
use parquet::file::metadata::ParquetMetaData;
use std::fs::File;
use std::io;
use std::path::Path;

/// Rows that one worker reads at once.
#[derive(Default)]
pub(crate) struct Rows {
    pub(crate) batches: Vec<RecordBatch>,
    /// The number of the first row, counted from 1.
    pub(crate) first: u64,
}

impl Rows {
    /// How many there are.
    pub(crate) fn count(&self) -> u64 {
        self.batches
            .iter()
            .map(|batch| batch.num_rows() as u64)
            .sum()
    }
}

/// Reads a Parquet file from a row on.
///
/// A file says how many bytes its rows have as they are encoded. A text that many rows share may be there
/// once, so how many rows are decoded at once follows from what the last ones had.
pub(crate) struct RowReader {
    file: File,
    metadata: ArrowReaderMetadata,
    source: ParquetRecordBatchReader,
    block_bytes: usize,
    /// How many rows are decoded at once.
    batch_rows: usize,
    /// Whether that may still become more. It does not after it had to become less, so that a file is not
    /// opened again and again.
    grows: bool,
    row: u64,
    rows: u64,
    file_bytes: u64,
}

/// Short rows say nothing about the next ones, so that there are never many. A dictionary rarely has more
/// than 1 MiB: so many rows have less text than an array can hold.
const MAX_BATCH_ROWS: usize = 256;
const FIRST_BATCH_ROWS: usize = 16;

impl RowReader {
    pub(crate) fn open(path: &Path, block_bytes: usize, row: u64) -> io::Result<Self> {
        let file = File::open(path)?;
        let metadata = ArrowReaderMetadata::load(&file, ArrowReaderOptions::new());
        let metadata = metadata.map_err(io::Error::other)?;
        let batch_rows = batch_rows(metadata.metadata(), block_bytes / 8).min(FIRST_BATCH_ROWS);
        let rows = metadata.metadata().file_metadata().num_rows();
        Ok(RowReader {
            source: source(&file, &metadata, batch_rows, row)?,
            block_bytes,
            batch_rows,
            grows: true,
            row,
            rows: rows.unsigned_abs(),
            file_bytes: file.metadata()?.len(),
            file,
            metadata,
        })
    }

    pub(crate) fn schema(&self) -> &SchemaRef {
        self.metadata.schema()
    }

    /// Reads the next block; false at the end, where the block has columns and no rows.
    pub(crate) fn next(&mut self, block: &mut Rows) -> io::Result<bool> {
        block.batches.clear();
        block.first = self.row + 1;
        let mut bytes = 0;
        while bytes < self.block_bytes
            && let Some((batch, batch_bytes)) = self.batch()?
        {
            bytes += batch_bytes;
            // The reader's own batches lack the metadata of the file.
            let batch = batch.with_schema(self.schema().clone());
            block.batches.push(batch.map_err(io::Error::other)?);
        }
        if block.batches.is_empty() {
            let empty = RecordBatch::new_empty(self.schema().clone());
            block.batches.push(empty);
            return Ok(false);
        }
        Ok(true)
    }

    /// The next rows, and the bytes they have.
    fn batch(&mut self) -> io::Result<Option<(RecordBatch, usize)>> {
        loop {
            let batch = match self.source.next() {
                None => return Ok(None),
                Some(Ok(batch)) => batch,
                // Their text may be more than an array can hold.
                Some(Err(_)) if self.batch_rows > 1 => {
                    self.decode_at_once(self.batch_rows / 2)?;
                    continue;
                }
                Some(Err(error)) => return Err(io::Error::other(error)),
            };
            let bytes = decoded_bytes(&batch);
            let row_bytes = (bytes / batch.num_rows().max(1)).max(1);
            let rows = (self.wanted_bytes() / row_bytes).clamp(1, MAX_BATCH_ROWS);
            if bytes > self.block_bytes && rows < batch.num_rows() {
                self.decode_at_once(rows)?;
                continue;
            }
            self.row += batch.num_rows() as u64;
            if rows < self.batch_rows / 2 || self.grows && rows > self.batch_rows * 2 {
                self.decode_at_once(rows.min(self.batch_rows * 8))?;
            }
            return Ok(Some((batch, bytes)));
        }
    }

    /// Reads on with this many rows in each batch.
    fn decode_at_once(&mut self, rows: usize) -> io::Result<()> {
        self.grows &= rows > self.batch_rows;
        self.batch_rows = rows;
        self.source = source(&self.file, &self.metadata, rows, self.row)?;
        Ok(())
    }

    /// What a batch should have: an eighth of a block, so that a block does not become much larger than it
    /// should.
    fn wanted_bytes(&self) -> usize {
        self.block_bytes / 8
    }

    /// About how much of the file has been read.
    pub(crate) fn position(&self) -> u64 {
        let share = self.row as f64 / self.rows.max(1) as f64;
        (share * self.file_bytes as f64) as u64
    }
}

fn source(
    file: &File,
    metadata: &ArrowReaderMetadata,
    batch_rows: usize,
    row: u64,
) -> io::Result<ParquetRecordBatchReader> {
    let file = file.try_clone()?;
    ParquetRecordBatchReaderBuilder::new_with_metadata(file, metadata.clone())
        .with_batch_size(batch_rows)
        .with_offset(row as usize)
        .build()
        .map_err(io::Error::other)
}

/// How many rows have the bytes of a batch as they are encoded, in the row group with the longest rows: of
/// very long ones, not even the first few are decoded at once.
fn batch_rows(metadata: &ParquetMetaData, wanted_bytes: usize) -> usize {
    let longest = metadata
        .row_groups()
        .iter()
        .map(|group| group.total_byte_size().max(0) as usize / group.num_rows().max(1) as usize);
    let row_bytes = longest.max().unwrap_or(0).max(1);
    (wanted_bytes / row_bytes).max(1)
}

/// The bytes of a batch, and of the texts in it where rows share them: what is made of them has each text
/// as often as there are rows.
fn decoded_bytes(batch: &RecordBatch) -> usize {
    let is_shared = |column: &&ArrayRef| {
        use DataType::{BinaryView, Dictionary, Utf8View};
        matches!(column.data_type(), BinaryView | Dictionary(..) | Utf8View)
    };
    let texts = batch.columns().iter().filter(is_shared).map(|column| {
        let texts = Texts::of(column.as_ref()).ok();
        texts.map_or(0, |texts| texts.total_bytes(column.len()))
    });
    batch.get_array_memory_size() + texts.sum::<usize>()
}
