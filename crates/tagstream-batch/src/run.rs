//! A run over all files.

use crate::error::{At, BatchError, Problem};
use crate::file::{self, Done};
use crate::finisher::Finisher;
use crate::journal::Journal;
use crate::observer::{BadRecord, Observer, Progress};
use crate::partial;
use crate::pipeline::Pipeline;
use crate::plan::{self, Job};
use crate::settings::Settings;
use crate::summary::Summary;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use tagstream::Policy;

/// Reads files and writes them with the added columns.
#[derive(Debug)]
pub struct Batch {
    pub(crate) policy: Policy,
    pub(crate) settings: Settings,
}

/// A file to read.
struct Input<'j> {
    job: &'j Job,
    bytes: u64,
}

/// What is shared by the files of a run.
struct Run<'b> {
    batch: &'b Batch,
    observer: &'b mut dyn Observer,
    finisher: Finisher,
    /// How many files there are.
    files: usize,
    /// Bytes of the files before this one, and of all.
    done_bytes: u64,
    total_bytes: u64,
    /// What the files before this one had.
    summary: Summary,
    /// The outputs that will not be, because their inputs cannot be read.
    failed: BTreeSet<PathBuf>,
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
    /// If a file cannot be read or written, or does not fit the settings. Bad records are not errors, and
    /// among several inputs one that cannot be read is not: it is reported and counted, and the others are
    /// dealt with.
    pub fn run(
        &self,
        inputs: &[PathBuf],
        output: &Path,
        observer: &mut dyn Observer,
    ) -> Result<Summary, BatchError> {
        let jobs = plan::jobs(inputs, output)?;
        self.refuse_existing(&jobs)?;
        let inputs: Result<Vec<_>, _> = jobs.iter().map(Input::of).collect();
        let inputs = inputs?;
        let mut run = Run {
            batch: self,
            observer,
            finisher: Finisher::default(),
            files: jobs.len(),
            done_bytes: 0,
            total_bytes: inputs.iter().map(|input| input.bytes).sum(),
            summary: Summary::default(),
            failed: BTreeSet::new(),
        };
        self.forget_existing(&jobs)?;
        let pipeline = Pipeline::new(self.settings.threads);
        let is_small = |input: &Input<'_>| input.bytes <= self.settings.block_bytes as u64;
        for inputs in inputs.chunk_by(|a, b| is_small(a) && is_small(b)) {
            match inputs {
                [input] => run.file(input, &pipeline)?,
                inputs => run.small_files(inputs, &pipeline)?,
            }
        }
        run.finisher.finish()?;
        // Until here a resumed run finds out from them which files are complete.
        jobs.iter()
            .filter(|job| !run.failed.contains(&job.output))
            .for_each(|job| Journal::remove(&job.output));
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
        jobs.iter().try_for_each(|job| self.forget(job))
    }

    fn forget(&self, job: &Job) -> Result<(), BatchError> {
        if !job.output.exists() {
            return Ok(());
        }
        let journal = Journal::new(job, self.settings.fingerprint())?;
        journal.write(&job.output)
    }
}

impl<'j> Input<'j> {
    fn of(job: &'j Job) -> Result<Self, BatchError> {
        let bytes = fs::metadata(&job.input).at(&job.input)?.len();
        Ok(Input { job, bytes })
    }
}

/// A file that one worker deals with.
struct SmallFile<'j> {
    input: &'j Input<'j>,
    bad: Vec<String>,
    done: Result<Done, BatchError>,
}

impl Run<'_> {
    /// Deals with one file, on all cores.
    fn file(&mut self, input: &Input<'_>, pipeline: &Pipeline) -> Result<(), BatchError> {
        let done = file::read(self.batch, input.job, pipeline, &mut |report| {
            self.report(report.bad);
            self.progress(input.job, report.position, report.records)
        });
        self.end(input, done)
    }

    /// Deals with files of about one block each: as many at once as there are cores.
    fn small_files(&mut self, inputs: &[Input<'_>], pipeline: &Pipeline) -> Result<(), BatchError> {
        let batch = self.batch;
        let mut inputs = inputs.iter();
        pipeline.run(
            |_| Ok(inputs.next().map(SmallFile::new)),
            |file| file.work(batch),
            |file| {
                self.report(&file.bad);
                let none = Ok(Done::default());
                self.end(file.input, std::mem::replace(&mut file.done, none))?;
                self.progress(file.input.job, 0, 0)
            },
        )
    }

    /// Has a file completed, or passes over one that cannot be read if there are others.
    fn end(&mut self, input: &Input<'_>, done: Result<Done, BatchError>) -> Result<(), BatchError> {
        match done {
            Ok(done) => {
                self.summary.add(&done.summary);
                self.summary.files += 1;
                done.rest.map_or(Ok(()), |rest| self.finisher.add(rest))?;
            }
            Err(error) if self.files > 1 && error.is_about_input(&input.job.input) => {
                self.observer.bad_file(&error);
                self.summary.failed += 1;
                self.failed.insert(input.job.output.clone());
                partial::remove(&input.job.output);
                Journal::remove(&input.job.output);
                self.batch.forget(input.job)?;
            }
            Err(error) => return Err(error),
        }
        self.done_bytes += input.bytes;
        Ok(())
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

impl<'j> SmallFile<'j> {
    fn new(input: &'j Input<'j>) -> Self {
        SmallFile {
            input,
            bad: Vec::new(),
            done: Ok(Done::default()),
        }
    }

    /// Deals with the file, on the thread that this is called on.
    fn work(&mut self, batch: &Batch) {
        let bad = &mut self.bad;
        self.done = file::read(batch, self.input.job, &Pipeline::none(), &mut |report| {
            bad.extend_from_slice(report.bad);
            Ok(())
        });
    }
}
