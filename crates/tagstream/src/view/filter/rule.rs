//! What is shown of the sections of one tag.

use serde::{Deserialize, Serialize};

/// What is shown of the sections of a tag.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TagRule {
    /// Everything, with the tags.
    Show,
    /// Nothing.
    Hide,
    /// The content, without the tags.
    Content,
    /// The first line of the content that is not blank, without the tags.
    FirstLine,
    /// This text, in place of the section.
    Replace(String),
}

/// A rule for the sections of a tag, as an entry of `filter` in a profile's file.
///
/// ```
/// use tagstream::profile::{CallOptions, parse_with};
/// use tagstream::view::{ContentFilter, FilterOptions};
///
/// let profile = "filter = [{ tag = 'note', show = 'content' }, { tag = 'tool', replace = '[tool]' }]";
/// let loaded = parse_with(profile, &CallOptions::default())?;
/// let options = FilterOptions::new(loaded.profile).rules(loaded.filter);
/// let mut filter = ContentFilter::new(&options)?;
/// assert_eq!(filter.process_text("a<note>b</note>c<tool>d</tool>e"), "abc[tool]e");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Entry")]
#[non_exhaustive]
pub struct FilterRule {
    /// The name of the tag.
    pub tag: String,
    /// What is shown of its sections.
    pub rule: TagRule,
}

impl FilterRule {
    /// A rule for the tag with this name.
    pub fn new(tag: impl Into<String>, rule: TagRule) -> Self {
        let tag = tag.into();
        FilterRule { tag, rule }
    }
}

/// A rule as it is written.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    tag: String,
    #[serde(default)]
    show: Option<Shown>,
    #[serde(default)]
    replace: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Shown {
    All,
    None,
    Content,
    FirstLine,
}

impl TryFrom<Entry> for FilterRule {
    type Error = &'static str;

    fn try_from(entry: Entry) -> Result<Self, &'static str> {
        let rule = match (entry.show, entry.replace) {
            (Some(Shown::All), None) => TagRule::Show,
            (Some(Shown::None), None) => TagRule::Hide,
            (Some(Shown::Content), None) => TagRule::Content,
            (Some(Shown::FirstLine), None) => TagRule::FirstLine,
            (None, Some(text)) => TagRule::Replace(text),
            _ => return Err("a rule has either `show` or `replace`"),
        };
        let tag = entry.tag;
        Ok(FilterRule { tag, rule })
    }
}

/// How much of the first line has been shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FirstLine {
    /// Only white space has come.
    Before,
    Inside,
    Over,
}

impl FirstLine {
    /// The part of the text that is in the first line.
    pub(super) fn part<'t>(&mut self, text: &'t str) -> &'t str {
        let mut text = text;
        if *self == FirstLine::Before {
            text = text.trim_start();
        }
        if *self == FirstLine::Over || text.is_empty() {
            return "";
        }
        *self = FirstLine::Inside;
        match text.split_once(['\r', '\n']) {
            Some((line, _)) => {
                *self = FirstLine::Over;
                line
            }
            None => text,
        }
    }
}
