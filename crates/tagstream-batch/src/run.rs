//! A run over all files.

use crate::block::Block;
use crate::codec::Format;
use crate::error::{At, BatchError, Problem};
use crate::journal::Journal;
use crate::observer::{BadRecord, Observer, Progress};
use crate::partial::{self, Partial};
use crate::pipeline::Pipeline;
use crate::plan::{self, Job};
use crate::settings::Settings;
use crate::source::{Extent, Source};
use crate::summary::Summary;
use crate::table;
use std::fs;
use std::path::{Path, PathBuf};
use tagstream::Policy;

/// Reads files and writes them with the added columns.
#[derive(Debug)]
pub struct Batch {
    pub(crate) policy: Policy,
    pub(crate) settings: Settings,
}

/// How many blocks of text make a row group.
const GROUP_BLOCKS: usize = 8;

/// What is shared by the files of a run.
struct Run<'b> {
    batch: &'b Batch,
    pipeline: Pipeline,
    observer: &'b mut dyn Observer,
    /// Bytes of the files before this one, and of all.
    done_bytes: u64,
    total_bytes: u64,
    /// What the files before this one had.
    summary: Summary,
}

impl Batch {
    /// A batch with this policy.
    #[must_use]
    pub fn new(policy: &Policy, settings: Settings) -> Self {
        Batch {
            policy: policy.clone(),
            settings,
        }
    }

    /// Reads the inputs, files or directories, and writes each to `output`: a file if there is one
    /// input file, or else a directory with the same names.
    ///
    /// # Errors
    ///
    /// If a file cannot be read or written, or does not fit the settings. Bad records are not errors.
    pub fn run(
        &self,
        inputs: &[PathBuf],
        output: &Path,
        observer: &mut dyn Observer,
    ) -> Result<Summary, BatchError> {
        let jobs = plan::jobs(inputs, output)?;
        self.refuse_existing(&jobs)?;
        let sizes: Result<Vec<u64>, _> = jobs.iter().map(|job| size(&job.input)).collect();
        let sizes = sizes?;
        let mut run = Run {
            batch: self,
            pipeline: Pipeline::new(self.settings.threads),
            observer,
            done_bytes: 0,
            total_bytes: sizes.iter().sum(),
            summary: Summary::default(),
        };
        self.forget_existing(&jobs)?;
        for (job, size) in jobs.iter().zip(sizes) {
            let summary = run.file(job)?;
            run.summary.add(&summary);
            run.summary.files += 1;
            run.done_bytes += size;
        }
        // Until here a resumed run finds out from them which files are complete.
        jobs.iter().for_each(|job| Journal::remove(&job.output));
        Ok(run.summary)
    }

    /// Output that exists is replaced only if the user says so.
    fn refuse_existing(&self, jobs: &[Job]) -> Result<(), BatchError> {
        let may_exist = self.settings.resume || self.settings.overwrite;
        match jobs.iter().find(|job| !may_exist && job.output.exists()) {
            Some(job) => Err(BatchError::settings(
                &job.output,
                "exists; --overwrite replaces it, --resume keeps it as a file that is complete",
            )),
            None => Ok(()),
        }
    }

    /// Notes that the outputs that exist are to be replaced: a run that resumes this one must not take them
    /// for complete.
    fn forget_existing(&self, jobs: &[Job]) -> Result<(), BatchError> {
        if self.settings.resume {
            return Ok(());
        }
        let fingerprint = self.settings.fingerprint();
        jobs.iter()
            .filter(|job| job.output.exists())
            .try_for_each(|job| Journal::new(job, fingerprint)?.write(&job.output))
    }
}

fn size(path: &Path) -> Result<u64, BatchError> {
    Ok(fs::metadata(path).at(path)?.len())
}

impl Run<'_> {
    /// Deals with one file; returns what is in it.
    fn file(&mut self, job: &Job) -> Result<Summary, BatchError> {
        if let Some(folder) = job
            .output
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty())
        {
            fs::create_dir_all(folder).at(folder)?;
        }
        let fingerprint = self.batch.settings.fingerprint();
        let left = if self.batch.settings.resume {
            Journal::left(job, fingerprint)?
        } else {
            None
        };
        // Somebody may have removed what an interrupted run wrote.
        let left = left.filter(|journal| !journal.is_done || journal.has_output(&job.output));
        if let Some(journal) = left.as_ref().filter(|journal| journal.is_done) {
            partial::publish(job)?;
            return Ok(journal.summary.clone());
        }
        if self.batch.settings.resume && left.is_none() && job.output.exists() {
            // It is whole, or it would not be there.
            return Ok(Summary {
                uncounted: 1,
                ..Summary::default()
            });
        }
        let journal = match left {
            Some(journal) => journal,
            None => Journal::new(job, fingerprint)?,
        };
        self.records(job, journal)
    }

    /// Deals with the records of a file that the journal does not have yet.
    fn records(&mut self, job: &Job, mut journal: Journal) -> Result<Summary, BatchError> {
        let (batch, name) = (self.batch, job.input.display().to_string());
        let mut source = self.open(job, journal.read)?;
        let mut partial = Partial::open(&job.output, journal.written)?;
        journal.write(&job.output)?;
        // A file without records is written, too: as the empty file of its format.
        let mut is_empty = journal.written == 0;
        let pipeline = std::mem::replace(&mut self.pipeline, Pipeline::none());
        let mut since_commit = 0;
        let done = pipeline.run(
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
                self.report(&block.bad);
                if since_commit >= batch.settings.commit_bytes {
                    since_commit = 0;
                    partial.sync()?;
                    journal.written = partial.len();
                    journal.write(&job.output)?;
                }
                self.progress(job, block.position, journal.summary.records)
            },
        );
        self.pipeline = pipeline;
        done?;
        partial.sync()?;
        (journal.written, journal.is_done) = (partial.len(), true);
        journal.write(&job.output)?;
        partial::publish(job)?;
        Ok(journal.summary)
    }

    /// Opens the input where it is to be read on. In Parquet, a block becomes a row group: such is large.
    fn open(&self, job: &Job, done: Extent) -> Result<Source, BatchError> {
        let settings = &self.batch.settings;
        let has_groups = job.from == Format::Parquet || job.to == Format::Parquet;
        let block_bytes = settings.block_bytes * if has_groups { GROUP_BLOCKS } else { 1 };
        let source = Source::open(&job.input, job.from, block_bytes, done).at(&job.input)?;
        if let Source::Rows(reader) = &source {
            let fits = table::check(reader.schema(), settings);
            fits.map_err(|text| BatchError::settings(&job.input, text))?;
        }
        Ok(source)
    }

    fn report(&mut self, bad: &[String]) {
        for error in bad {
            self.observer.bad_record(&BadRecord {
                error: error.clone(),
            });
        }
    }

    /// Says how far the run has come; an error if it is to end here.
    fn progress(&mut self, job: &Job, position: u64, records: u64) -> Result<(), BatchError> {
        let flow = self.observer.progress(&Progress {
            input: &job.input,
            bytes: self.done_bytes + position,
            total_bytes: self.total_bytes,
            records: self.summary.records + records,
        });
        if flow.is_break() {
            return Err(BatchError::new(&job.input, Problem::Interrupted));
        }
        Ok(())
    }
}
