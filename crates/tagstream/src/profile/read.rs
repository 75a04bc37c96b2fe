//! Reading a profile from TOML or JSON.

use crate::Profile;
use crate::file::{FileError, Source};
use crate::profile::LoadError;
use crate::profile::document::Document;
use crate::profile::options::CallOptions;
use crate::tools::{Tools, ToolsWarning};
use crate::view::filter::FilterRule;
use std::{fs, path::Path};

/// A profile that was read, and warnings about it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Loaded {
    /// The profile.
    pub profile: Profile,
    /// What the content filter shows of the sections of some tags, for
    /// [`FilterOptions::rules`](crate::view::FilterOptions::rules).
    pub filter: Vec<FilterRule>,
    /// The declared tools, if a list of them is given.
    pub tools: Option<Tools>,
    /// Defects in the schemas of the profile's own tools, which can be used nevertheless.
    pub warnings: Vec<ToolsWarning>,
    /// Whether the profile itself sets `thinking.orphan_close`, rather than leaving the default.
    pub sets_orphan_close: bool,
}

/// Reads a profile from TOML, or from JSON if the first character is a `{`, and checks that it
/// can work. Files that it names are looked for in the current folder. [`parse_with`] also returns
/// warnings.
///
/// # Errors
/// An unknown key or value, a wrong type or a profile that cannot work: with the key, the line and
/// what is allowed.
pub fn parse(text: &str) -> Result<Profile, FileError> {
    Ok(parse_with(text, &CallOptions::default())?.profile)
}

/// As [`parse`], with options that override the calls of the profile, and with warnings.
///
/// # Errors
/// As [`parse`]. A dialect of the options that does not exist is reported as `calls.dialect`.
pub fn parse_with(text: &str, options: &CallOptions) -> Result<Loaded, FileError> {
    parse_in(text, None, options)
}

/// Reads a profile from a file, as [`parse`] does. Files that it names are looked for in its own
/// folder.
///
/// # Errors
/// The file cannot be read, or it is not a profile.
pub fn load(path: impl AsRef<Path>) -> Result<Profile, LoadError> {
    Ok(load_with(path, &CallOptions::default())?.profile)
}

/// Reads a profile from a file, as [`parse_with`] does.
///
/// # Errors
/// As [`load`] and [`parse_with`].
pub fn load_with(path: impl AsRef<Path>, options: &CallOptions) -> Result<Loaded, LoadError> {
    let path = path.as_ref();
    let text = fs::read_to_string(path).map_err(|source| LoadError::Read {
        path: path.to_owned(),
        source,
    })?;
    parse_in(&text, path.parent(), options).map_err(|source| {
        let path = path.to_owned();
        if is_json(&path) && !is_object(&text) {
            LoadError::NoObject { path }
        } else {
            LoadError::Invalid { path, source }
        }
    })
}

/// Whether the name of the file says so. A text that does not begin like an object is read as TOML.
fn is_json(path: &Path) -> bool {
    let extension = path.extension();
    extension.is_some_and(|extension| extension.eq_ignore_ascii_case("json"))
}

fn is_object(text: &str) -> bool {
    let text = text.trim_start_matches('\u{feff}');
    text.trim_start().starts_with('{')
}

fn parse_in(text: &str, base: Option<&Path>, options: &CallOptions) -> Result<Loaded, FileError> {
    let source = Source::new(text);
    let document = source.read();
    let mut document: Document = document.map_err(|error| in_range(&source, error))?;
    let resolved = options.resolve(document.calls.take(), base);
    let resolved =
        resolved.map_err(|error| source.unusable(error.key(), error.problem(), error.clone()))?;
    let keys: serde_json::Value = source.read().unwrap_or_default();
    let sets_orphan_close = !keys["thinking"]["orphan_close"].is_null();
    let filter = std::mem::take(&mut document.filter);
    for (i, rule) in filter.iter().enumerate() {
        let name = Profile::new().hide(&rule.tag).compile();
        name.map_err(|error| source.error(&format!("filter[{i}].tag"), error.problem()))?;
    }
    let mut profile = Profile::from(document);
    profile.calls = resolved.calls;
    match profile.compile() {
        Ok(_) => Ok(Loaded {
            profile,
            filter,
            tools: resolved.tools,
            warnings: resolved.warnings,
            sets_orphan_close,
        }),
        Err(error) => Err(source.unusable(error.key(), error.problem(), error.clone())),
    }
}

/// An error about a number that is out of range names the range, not the type.
fn in_range(source: &Source<'_>, error: FileError) -> FileError {
    match (error.key(), out_of_range(error.problem())) {
        (Some(key), Some(problem)) => source.error(key, &problem),
        _ => error,
    }
}

fn out_of_range(problem: &str) -> Option<String> {
    let (what, allowed) = problem
        .strip_prefix("wrong type: ")?
        .split_once("; allowed: ")?;
    let number = what.split('`').nth(1)?;
    // A wide integer is read as what is nearest.
    let is_huge = number
        .parse()
        .is_ok_and(|number: f64| number.abs() >= 2_f64.powi(63));
    (allowed.starts_with("a whole number") && is_huge).then(|| {
        format!(
            "wrong value: {number} is out of range; allowed: a whole number from 0 to {}",
            u64::MAX
        )
    })
}
