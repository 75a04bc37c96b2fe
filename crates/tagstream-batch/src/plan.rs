//! Which file becomes which.

use crate::codec::{ENDINGS, Format};
use crate::error::{At, BatchError};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// One file to read, and the one to write.
#[derive(Clone, Debug)]
pub(crate) struct Job {
    pub(crate) input: PathBuf,
    pub(crate) output: PathBuf,
    pub(crate) from: Format,
    pub(crate) to: Format,
}

/// The jobs of a run, in the order of the inputs; in a directory, by name.
pub(crate) fn jobs(inputs: &[PathBuf], output: &Path) -> Result<Vec<Job>, BatchError> {
    let one_file = matches!(inputs, [input] if !input.is_dir());
    if one_file && !output.is_dir() && output.extension().is_some() {
        return Ok(vec![job(&inputs[0], output.to_owned())?]);
    }
    if output.as_os_str() == "-" {
        let text = "is not a file; the output appears as a whole, under its own name";
        return Err(BatchError::settings(output, text));
    }
    if output.is_file() || !output.is_dir() && Format::of(output).is_some() {
        let text = "is the name of a file; several inputs, or a directory, need a directory";
        return Err(BatchError::settings(output, text));
    }
    let mut jobs = Vec::new();
    for input in inputs {
        if input.is_dir() {
            let before = jobs.len();
            let mut seen = BTreeSet::from_iter(fs::canonicalize(output));
            directory(input, input, output, &mut seen, &mut jobs)?;
            if jobs.len() == before {
                let text = format!("no file in it ends in {ENDINGS}");
                return Err(BatchError::settings(input, text));
            }
        } else {
            let name = input.file_name().unwrap_or_default();
            jobs.push(job(input, output.join(name))?);
        }
    }
    distinct(&jobs)?;
    Ok(jobs)
}

/// Adds all files in a directory that have a format. Folders that were `seen` are passed over: the output,
/// and what a link leads back to.
fn directory(
    root: &Path,
    folder: &Path,
    output: &Path,
    seen: &mut BTreeSet<PathBuf>,
    jobs: &mut Vec<Job>,
) -> Result<(), BatchError> {
    seen.insert(fs::canonicalize(folder).at(folder)?);
    let entries: Result<Vec<_>, _> = fs::read_dir(folder).at(folder)?.collect();
    let mut paths: Vec<_> = entries.at(folder)?.iter().map(fs::DirEntry::path).collect();
    paths.sort();
    for path in paths {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        // What begins with a dot is hidden: of an interrupted run, or of another program.
        if name.starts_with('.') {
            continue;
        }
        if path.is_dir() {
            if !seen.contains(&fs::canonicalize(&path).at(&path)?) {
                directory(root, &path, output, seen, jobs)?;
            }
        } else if Format::of(&path).is_some() {
            let inside = path.strip_prefix(root).unwrap_or(&path);
            jobs.push(job(&path, output.join(inside))?);
        }
    }
    Ok(())
}

fn job(input: &Path, output: PathBuf) -> Result<Job, BatchError> {
    if !input.exists() {
        return Err(BatchError::settings(input, "does not exist"));
    }
    let format = |path: &Path| {
        let text = format!("its name must end in {ENDINGS}");
        Format::of(path).ok_or_else(|| BatchError::settings(path, text))
    };
    let (from, to) = (format(input)?, format(&output)?);
    if fs::canonicalize(&output)
        .is_ok_and(|output| fs::canonicalize(input).is_ok_and(|i| i == output))
    {
        return Err(BatchError::settings(&output, "is the input itself"));
    }
    Ok(Job {
        input: input.to_owned(),
        output,
        from,
        to,
    })
}

/// Two inputs must not have the same output.
fn distinct(jobs: &[Job]) -> Result<(), BatchError> {
    let mut seen = BTreeMap::new();
    for job in jobs {
        if let Some(other) = seen.insert(&job.output, &job.input) {
            let text = format!(
                "would be written from both {} and {}; give their directory, or run them apart",
                other.display(),
                job.input.display()
            );
            return Err(BatchError::settings(&job.output, text));
        }
    }
    Ok(())
}
