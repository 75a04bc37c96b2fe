//! Parquet that is written in segments. A Parquet file has its table of contents at its end, so that it
//! cannot be continued if a run is interrupted. Each block is therefore a small Parquet file, and the
//! partial file a sequence of such. When all are there, their row groups are copied into the output as
//! they are.

use arrow_array::RecordBatch;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::column::writer::ColumnCloseResult;
use parquet::errors::Result;
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader};
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::SerializedFileWriter;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read};
use std::path::Path;
use std::sync::Arc;

/// A segment: its length, and a Parquet file with one row group.
pub(crate) fn encode(batches: &[RecordBatch]) -> Result<Vec<u8>> {
    let mut bytes = vec![0; size_of::<u64>()];
    let Some(first) = batches.first() else {
        return Ok(Vec::new());
    };
    let mut writer = ArrowWriter::try_new(&mut bytes, first.schema(), Some(properties()))?;
    batches.iter().try_for_each(|batch| writer.write(batch))?;
    writer.close()?;
    let len = (bytes.len() - size_of::<u64>()) as u64;
    bytes[..size_of::<u64>()].copy_from_slice(&len.to_le_bytes());
    Ok(bytes)
}

/// Texts hardly ever repeat, so that a dictionary of them costs time and saves nothing; an index of pages
/// would have offsets, which change when a row group is copied.
fn properties() -> WriterProperties {
    WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_dictionary_enabled(false)
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_offset_index_disabled(true)
        .set_max_row_group_row_count(None)
        .build()
}

/// Copies the row groups of all segments into one file, which is on disk when this returns.
pub(crate) fn join(segments: &Path, output: &Path) -> io::Result<()> {
    let mut source = BufReader::new(File::open(segments)?);
    let mut joined: Option<SerializedFileWriter<BufWriter<File>>> = None;
    while let Some(segment) = next(&mut source)? {
        let segment = bytes::Bytes::from(segment);
        let metadata = ParquetMetaDataReader::new().parse_and_finish(&segment)?;
        let writer = match &mut joined {
            Some(writer) => writer,
            none => none.insert(begin(output, &metadata)?),
        };
        copy(&segment, &metadata, writer)?;
    }
    if let Some(writer) = joined {
        let file = writer.into_inner()?.into_inner()?;
        file.sync_data()?;
    }
    Ok(())
}

fn next(source: &mut impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut len = [0; size_of::<u64>()];
    match source.read_exact(&mut len) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        read => read?,
    }
    let mut segment = vec![0; u64::from_le_bytes(len) as usize];
    source.read_exact(&mut segment)?;
    Ok(Some(segment))
}

/// A file with the schema of a segment; its metadata has the Arrow schema, too.
fn begin(
    output: &Path,
    segment: &ParquetMetaData,
) -> io::Result<SerializedFileWriter<BufWriter<File>>> {
    let file = BufWriter::with_capacity(1 << 20, File::create(output)?);
    let schema = segment.file_metadata().schema_descr().root_schema_ptr();
    let metadata = segment.file_metadata().key_value_metadata().cloned();
    let properties = properties().into_builder().set_key_value_metadata(metadata);
    Ok(SerializedFileWriter::new(
        file,
        schema,
        Arc::new(properties.build()),
    )?)
}

fn copy(
    segment: &bytes::Bytes,
    metadata: &ParquetMetaData,
    writer: &mut SerializedFileWriter<BufWriter<File>>,
) -> Result<()> {
    for group in metadata.row_groups() {
        let mut copy = writer.next_row_group()?;
        for column in group.columns() {
            let close = ColumnCloseResult {
                bytes_written: column.compressed_size().unsigned_abs(),
                rows_written: group.num_rows().unsigned_abs(),
                metadata: column.clone(),
                bloom_filter: None,
                column_index: None,
                offset_index: None,
            };
            copy.append_column(segment, close)?;
        }
        copy.close()?;
    }
    Ok(())
}
