//! Rows of a Parquet file, in blocks.

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};
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
pub(crate) struct RowReader {
    source: ParquetRecordBatchReader,
    schema: SchemaRef,
    block_bytes: usize,
    row: u64,
    rows: u64,
    file_bytes: u64,
}

impl RowReader {
    pub(crate) fn open(path: &Path, block_bytes: usize, row: u64) -> io::Result<Self> {
        let file = File::open(path)?;
        let file_bytes = file.metadata()?.len();
        let builder = ParquetRecordBatchReaderBuilder::try_new(file).map_err(io::Error::other)?;
        let rows = builder.metadata().file_metadata().num_rows().unsigned_abs();
        let schema = builder.schema().clone();
        let batch_rows = batch_rows(builder.metadata(), block_bytes);
        let builder = builder
            .with_batch_size(batch_rows)
            .with_offset(row as usize);
        Ok(RowReader {
            source: builder.build().map_err(io::Error::other)?,
            schema,
            block_bytes,
            row,
            rows,
            file_bytes,
        })
    }

    pub(crate) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Reads the next block; false at the end, where the block has columns and no rows.
    pub(crate) fn next(&mut self, block: &mut Rows) -> io::Result<bool> {
        block.batches.clear();
        block.first = self.row + 1;
        let mut bytes = 0;
        while bytes < self.block_bytes
            && let Some(batch) = self.source.next().transpose().map_err(io::Error::other)?
        {
            bytes += batch.get_array_memory_size();
            // The reader's own batches lack the metadata of the file.
            let batch = batch.with_schema(self.schema.clone());
            block.batches.push(batch.map_err(io::Error::other)?);
        }
        self.row += block.count();
        if block.batches.is_empty() {
            block
                .batches
                .push(RecordBatch::new_empty(self.schema.clone()));
            return Ok(false);
        }
        Ok(true)
    }

    /// About how much of the file has been read.
    pub(crate) fn position(&self) -> u64 {
        let share = self.row as f64 / self.rows.max(1) as f64;
        (share * self.file_bytes as f64) as u64
    }
}

/// How many rows are decoded at once: about an eighth of a block in the row group with the longest rows,
/// so that a block does not become much larger than it should.
fn batch_rows(metadata: &ParquetMetaData, block_bytes: usize) -> usize {
    let longest = metadata
        .row_groups()
        .iter()
        .map(|group| group.total_byte_size().max(0) as usize / group.num_rows().max(1) as usize);
    let row_bytes = longest.max().unwrap_or(0).max(16);
    (block_bytes / 8 / row_bytes).clamp(1, 8192)
}
