//! One file: read, worked on, and written under a hidden name.

use crate::block::Block;
use crate::codec::Format;
use crate::error::{At, BatchError};
use crate::journal::Journal;
use crate::partial::{self, Partial};
use crate::pipeline::Pipeline;
use crate::plan::Job;
use crate::run::Batch;
use crate::source::{Extent, Source};
use crate::summary::Summary;
use crate::table;
use std::fs;

/// How many blocks of text make a row group.
const GROUP_BLOCKS: usize = 8;

/// What a block had.
pub(crate) struct Report<'a> {
    /// The errors of its bad records.
    pub(crate) bad: &'a [String],
    /// How far the file has been read, in bytes as they are on disk.
    pub(crate) position: u64,
    /// Records of the file so far.
    pub(crate) records: u64,
}

/// Receives the reports of a file; an error ends the run.
pub(crate) type Reporter<'a> = dyn FnMut(&Report<'_>) -> Result<(), BatchError> + 'a;

/// A file whose records have all been dealt with.
#[derive(Default)]
pub(crate) struct Done {
    pub(crate) summary: Summary,
    /// What is left to do, unless the output is complete.
    pub(crate) rest: Option<Rest>,
}

/// An output that is not on disk yet, or does not have its name.
pub(crate) struct Rest {
    job: Job,
    /// What was written, if it was this run.
    written: Option<(Partial, Journal)>,
}

impl Rest {
    /// Completes the output.
    pub(crate) fn complete(self) -> Result<(), BatchError> {
        if let Some((mut partial, mut journal)) = self.written {
            partial.sync()?;
            (journal.written, journal.is_done) = (partial.len(), true);
            journal.write(&self.job.output)?;
        }
        partial::publish(&self.job)
    }

    /// The file that is not complete.
    pub(crate) fn job(&self) -> &Job {
        &self.job
    }
}

/// Deals with the records of a file that an interrupted run has not dealt with.
pub(crate) fn read(
    batch: &Batch,
    job: &Job,
    pipeline: &Pipeline,
    report: &mut Reporter<'_>,
) -> Result<Done, BatchError> {
    let folder = job.output.parent();
    if let Some(folder) = folder.filter(|folder| !folder.as_os_str().is_empty()) {
        fs::create_dir_all(folder).at(folder)?;
    }
    let fingerprint = batch.settings.fingerprint();
    let left = if batch.settings.resume {
        Journal::left(job, fingerprint)?
    } else {
        None
    };
    // Somebody may have removed what an interrupted run wrote.
    match left.filter(|journal| !journal.is_done || journal.has_output(&job.output)) {
        Some(journal) if journal.is_done => Ok(Done {
            summary: journal.summary,
            rest: Some(Rest {
                job: job.clone(),
                written: None,
            }),
        }),
        None if batch.settings.resume && job.output.exists() => Ok(Done {
            // It is whole, or it would not be there.
            summary: Summary {
                uncounted: 1,
                ..Summary::default()
            },
            rest: None,
        }),
        Some(journal) => records(batch, job, journal, pipeline, report),
        None => {
            let journal = Journal::new(job, fingerprint)?;
            records(batch, job, journal, pipeline, report)
        }
    }
}

/// Deals with the records of a file that the journal does not have yet.
fn records(
    batch: &Batch,
    job: &Job,
    mut journal: Journal,
    pipeline: &Pipeline,
    report: &mut Reporter<'_>,
) -> Result<Done, BatchError> {
    let name = job.input.display().to_string();
    let mut source = open(batch, job, journal.read)?;
    let mut partial = Partial::open(&job.output, journal.written)?;
    // A file without records is written, too: as the empty file of its format.
    let mut is_empty = journal.written == 0;
    let mut since_commit = 0;
    pipeline.run(
        |spare| {
            let mut block: Block = spare.unwrap_or_default();
            let more = source.next(&mut block.input).at(&job.input)? || is_empty;
            is_empty = false;
            block.position = source.position();
            Ok(more.then_some(block))
        },
        |block| block.work(batch, &name, job.from, job.to),
        |block| {
            let bytes = std::mem::replace(&mut block.output, Ok(Vec::new())).at(&job.input)?;
            partial.write(&bytes)?;
            since_commit += bytes.len() as u64;
            block.output = Ok(bytes);
            journal.read.add(block.input.extent());
            journal.summary.add(&block.summary);
            if since_commit >= batch.settings.commit_bytes {
                since_commit = 0;
                partial.sync()?;
                journal.written = partial.len();
                journal.write(&job.output)?;
            }
            report(&Report {
                bad: &block.bad,
                position: block.position,
                records: journal.summary.records,
            })
        },
    )?;
    Ok(Done {
        summary: journal.summary.clone(),
        rest: Some(Rest {
            job: job.clone(),
            written: Some((partial, journal)),
        }),
    })
}

/// Opens the input where it is to be read on. In Parquet, a block becomes a row group: such is large.
fn open(batch: &Batch, job: &Job, done: Extent) -> Result<Source, BatchError> {
    let settings = &batch.settings;
    let has_groups = job.from == Format::Parquet || job.to == Format::Parquet;
    let block_bytes = settings.block_bytes * if has_groups { GROUP_BLOCKS } else { 1 };
    let source = Source::open(&job.input, job.from, block_bytes, done).at(&job.input)?;
    if let Source::Rows(reader) = &source {
        let fits = table::check(reader.schema(), settings);
        fits.map_err(|text| BatchError::settings(&job.input, text))?;
    }
    Ok(source)
}
