//! The content filter: the text that a user should see, live.
//!
//! A chat client shows what the model writes as it arrives, except for sections that are not meant
//! for the user. [`FilterOptions`] selects these sections, and [`ContentFilter`] reads the text.
//!
//! ```
//! use tagstream::view::{ContentFilter, FilterOptions};
//!
//! let mut filter = ContentFilter::new(&FilterOptions::default())?;
//! let mut seen = String::new();
//! for chunk in ["before<thin", "king>hidden</thi", "nking>after, a < b"] {
//!     seen.push_str(filter.process_text(chunk));
//! }
//! seen.push_str(filter.finish());
//! assert_eq!(seen, "beforeafter, a < b");
//!
//! let mut filter = ContentFilter::new(&FilterOptions::default().show_thinking())?;
//! assert_eq!(filter.process_text("a<thinking>b</thinking>"), "a<thinking>b</thinking>");
//! # Ok::<(), tagstream::ProfileError>(())
//! ```
//!
//! | section | shown by |
//! |---|---|
//! | thinking: the profile's `thinking.tags` | [`show_thinking`](FilterOptions::show_thinking) |
//! | `attempt_completion` | [`show_completion`](FilterOptions::show_completion) |
//! | `use_mcp_tool` | [`show_mcp_use`](FilterOptions::show_mcp_use) |
//! | `tool_call`, where the profile hides it | [`show_tools`](FilterOptions::show_tools) |
//! | `system`, where the profile hides it | [`show_system`](FilterOptions::show_system) |
//! | any other in the profile's `hide` | [`show`](FilterOptions::show) |
//!
//! A [rule](FilterOptions::rule) shows the content of a tag's sections without the tags, only its
//! first line, or another text in its place. In a profile's file rules are a line:
//! `filter = [{ tag = "note", show = "first_line" }]`.
//!
//! Other tags are passed on as they are, with their content. A hidden section inside a shown one is
//! hidden. An unclosed hidden section shows nothing. A closing tag without an opening tag is
//! dropped, unless its sections are shown.
//!
//! # Simple and verbose
//!
//! Simple output is the visible text, with the tags of shown sections as they arrived. Verbose
//! output labels each piece: [`process`](ContentFilter::process) emits [`Piece`]s, and every
//! section is named when it opens, shown or not.
//!
//! ```
//! use tagstream::view::{ContentFilter, FilterOptions};
//! use tagstream::view::filter::Piece;
//!
//! let options = FilterOptions::default().show_completion().verbose();
//! let mut filter = ContentFilter::new(&options)?;
//! let mut seen = Vec::new();
//! let message = "<thinking>x</thinking>a<attempt_completion>b</attempt_completion>";
//! filter.process(message, |piece| match piece {
//!     Piece::Text(text) => seen.push(format!("text {text}")),
//!     Piece::Open(section) => seen.push(format!("{} {}", section.name, section.shown)),
//!     Piece::Inside(text) => seen.push(format!("inside {text}")),
//!     _ => {}
//! });
//! assert_eq!(seen, ["thinking false", "text a", "attempt_completion true", "inside b"]);
//! # Ok::<(), tagstream::ProfileError>(())
//! ```

mod data;
mod pieces;
mod rule;

pub use data::text_at;
pub use pieces::{Piece, Pieces, Section, SectionKind};
pub use rule::{FilterRule, TagRule};

use crate::{Dialect, Engine, ProfileError};
use crate::{
    Profile, Thinking, ThinkingAnchor, ThinkingMode, ThinkingNesting, ThinkingTrim,
    UnclosedThinking,
};
use serde_json::Value;

/// The name that the document has for [`ContentFilter`].
pub type ClientContentFilter = ContentFilter;

/// What is shown and what is hidden.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilterOptions {
    profile: Profile,
    show_thinking: bool,
    show: Vec<String>,
    hide: Vec<String>,
    rules: Vec<FilterRule>,
    text_key: Option<String>,
    verbose: bool,
}

impl Default for FilterOptions {
    /// Hides thinking, `attempt_completion` and `use_mcp_tool`, as the preset `filter` does.
    fn default() -> Self {
        let thinking = Thinking::tags(["think", "thinking"]).trim(ThinkingTrim::Answer);
        let profile = Profile::new().thinking(thinking);
        Self::new(profile.hide("attempt_completion").hide("use_mcp_tool"))
    }
}

impl FilterOptions {
    /// Hides what the profile lists as thinking or in `hide`.
    #[must_use]
    pub fn new(profile: Profile) -> Self {
        FilterOptions {
            profile,
            show_thinking: false,
            show: Vec::new(),
            hide: Vec::new(),
            rules: Vec::new(),
            text_key: None,
            verbose: false,
        }
    }

    /// Shows thinking.
    #[must_use]
    pub fn show_thinking(mut self) -> Self {
        self.show_thinking = true;
        self
    }

    /// Shows `attempt_completion` sections.
    #[must_use]
    pub fn show_completion(self) -> Self {
        self.show("attempt_completion")
    }

    /// Shows `use_mcp_tool` sections.
    #[must_use]
    pub fn show_mcp_use(self) -> Self {
        self.show("use_mcp_tool")
    }

    /// Shows `tool_call` sections.
    #[must_use]
    pub fn show_tools(self) -> Self {
        self.show("tool_call")
    }

    /// Shows `system` sections.
    #[must_use]
    pub fn show_system(self) -> Self {
        self.show("system")
    }

    /// Shows sections of this tag, whatever the profile declares for it. Calls of a tool of this
    /// name in the dialect `tags`, and calls with this tag as their wrapper, are then text.
    #[must_use]
    pub fn show(mut self, tag: impl Into<String>) -> Self {
        self.show.push(tag.into());
        self
    }

    /// Hides sections of this tag, even if another option shows them.
    #[must_use]
    pub fn hide(mut self, tag: impl Into<String>) -> Self {
        self.hide.push(tag.into());
        self
    }

    /// Sets what is shown of the sections of this tag, unless [`show`](Self::show) or
    /// [`hide`](Self::hide) name it. Of several rules for a tag the last one counts.
    #[must_use]
    pub fn rule(self, tag: impl Into<String>, rule: TagRule) -> Self {
        let tag = tag.into();
        self.rules([FilterRule { tag, rule }])
    }

    /// Adds the rules of a profile's file: see [`Loaded::filter`](crate::profile::Loaded::filter).
    #[must_use]
    pub fn rules(mut self, rules: impl IntoIterator<Item = FilterRule>) -> Self {
        self.rules.extend(rules);
        self
    }

    /// Labels each piece.
    #[must_use]
    pub fn verbose(mut self) -> Self {
        self.verbose = true;
        self
    }

    /// Sets where [`ContentFilter::process_data`] finds the text: see [`text_at`].
    #[must_use]
    pub fn text_key(mut self, key: impl Into<String>) -> Self {
        self.text_key = Some(key.into());
        self
    }

    /// Whether sections of this tag are shown. Those of unlisted tags are.
    #[must_use]
    pub fn should_show_tag(&self, tag: &str) -> bool {
        let profile = self.settled();
        let thinks = !self.show_thinking && has(&profile.thinking.tags, tag);
        let is_replaced = matches!(self.rule_of(tag), Some(TagRule::Replace(_)));
        !thinks && !has(&profile.hide, tag) && !is_replaced
    }

    /// Whether this tag has a section of its own that is hidden or shown by name: it is not thinking.
    #[must_use]
    pub fn is_listed(&self, tag: &str) -> bool {
        has(&self.profile.hide, tag) || self.rule_of(tag).is_some()
    }

    /// The profile for an engine whose events go into [`Pieces`].
    #[must_use]
    pub fn profile(&self) -> Profile {
        let mut profile = self.settled();
        profile.thinking.mode = match (self.verbose, self.show_thinking) {
            (true, _) => ThinkingMode::Extract,
            (false, true) => ThinkingMode::Show,
            (false, false) => ThinkingMode::Hide,
        };
        if self.verbose {
            self.label(&mut profile);
        }
        profile
    }

    /// Makes sections known by their tags: hidden ones as thoughts, and shown ones, which are read
    /// as text, by their tags.
    fn label(&self, profile: &mut Profile) {
        if self.show_thinking && !is_text_when_shown(profile) {
            profile.hide_in_thinking = true;
        } else if self.show_thinking {
            profile.unwrap.append(&mut profile.thinking.tags);
        }
        if hides_like_any(&profile.thinking) && !profile.hide_in_thinking {
            profile.thinking.tags.append(&mut profile.hide);
        }
        profile.unwrap.extend(self.shown());
    }

    /// The profile without the tags that are shown by name.
    fn settled(&self) -> Profile {
        let mut profile = self.profile.clone();
        let named = self.named(&TagRule::Hide);
        let ruled: Vec<String> = self.ruled().map(|rule| rule.tag.clone()).collect();
        for tag in self.shown().iter().chain(&named).chain(&ruled) {
            forget(&mut profile, tag);
        }
        for tag in self.shown().iter().chain(&ruled) {
            forget_calls(&mut profile, tag);
        }
        for tag in named {
            if !has(&profile.hide, &tag) {
                profile.hide.push(tag);
            }
        }
        profile.unwrap.extend(ruled);
        profile
    }

    /// The rule that counts for this tag, if there is one.
    fn rule_of(&self, tag: &str) -> Option<&TagRule> {
        if has(&self.hide, tag) {
            return Some(&TagRule::Hide);
        }
        let is_shown_thinking = self.show_thinking && has(&self.profile.thinking.tags, tag);
        if has(&self.show, tag) || is_shown_thinking {
            return has(&self.show, tag).then_some(&TagRule::Show);
        }
        let rules = self.rules.iter().rev();
        let mut named = rules.filter(|rule| rule.tag.eq_ignore_ascii_case(tag));
        let unwrapped = has(&self.profile.unwrap, tag).then_some(&TagRule::Content);
        named.next().map(|rule| &rule.rule).or(unwrapped)
    }

    /// The tags with this rule, each once.
    fn named(&self, wanted: &TagRule) -> Vec<String> {
        let tags = self.rules.iter().map(|rule| &rule.tag);
        let mut named: Vec<String> = Vec::new();
        for tag in self.show.iter().chain(&self.hide).chain(tags) {
            if self.rule_of(tag) == Some(wanted) && !has(&named, tag) {
                named.push(tag.clone());
            }
        }
        named
    }

    /// The rules that show a part of a section, or something else: each tag's once.
    fn ruled(&self) -> impl Iterator<Item = &FilterRule> {
        self.rules.iter().enumerate().filter_map(|(i, rule)| {
            let shows_all_or_nothing = matches!(rule.rule, TagRule::Show | TagRule::Hide);
            let is_repeated = self.rules[i + 1..]
                .iter()
                .any(|later| later.tag.eq_ignore_ascii_case(&rule.tag));
            let counts = self.rule_of(&rule.tag) == Some(&rule.rule);
            (counts && !is_repeated && !shows_all_or_nothing).then_some(rule)
        })
    }

    /// Whether a closing tag without an opening tag is kept, like all other tags of shown thinking.
    fn keeps_closer(&self, closer: &str) -> bool {
        let (thinking, name) = (&self.profile.thinking, tag_name(closer));
        let mut literals = thinking.delimiters.iter().map(|[_, close]| close);
        let thinks = has(&thinking.tags, name) || literals.any(|close| close == closer);
        self.show_thinking && thinks && !has(&self.hide, name)
    }

    /// The tags that are shown by name, each once.
    fn shown(&self) -> Vec<String> {
        self.named(&TagRule::Show)
    }
}

/// Removes the meaning of a tag, so that it is passed on with its content.
fn forget(profile: &mut Profile, tag: &str) {
    let other = |name: &String| !name.eq_ignore_ascii_case(tag);
    profile.hide.retain(other);
    profile.unwrap.retain(other);
    profile.thinking.tags.retain(other);
    profile.elements.retain(|element| other(&element.name));
}

/// Removes the meaning of calls that are written with this tag: calls of a tool of this name, where
/// names are tags, and calls in dialects with this tag as their wrapper.
fn forget_calls(profile: &mut Profile, tag: &str) {
    let Some(calls) = &mut profile.calls else {
        return;
    };
    calls
        .dialects
        .retain(|dialect| !is_written_with(dialect, tag));
    let had_tools = !calls.tools.is_empty();
    if calls
        .dialects
        .iter()
        .any(|dialect| is_written_with(dialect, "{name}"))
    {
        calls
            .tools
            .retain(|tool| !tool.name.eq_ignore_ascii_case(tag));
    }
    // Without any tools, every name would be accepted.
    if calls.dialects.is_empty() || (had_tools && calls.tools.is_empty()) {
        profile.calls = None;
    }
}

/// Whether calls of this dialect, or the wrapper around them, open with this tag.
fn is_written_with(dialect: &Dialect, tag: &str) -> bool {
    let wrappers = dialect.wrapper.iter().flat_map(|wrapper| &wrapper.open);
    let heads = dialect.call.iter().flat_map(|head| &head.open);
    dialect.brackets.is_none() && wrappers.chain(heads).any(|open| opens(open, tag))
}

fn opens(open: &str, tag: &str) -> bool {
    let name = open
        .strip_prefix('<')
        .and_then(|rest| rest.split(['>', ' ']).next());
    name.is_some_and(|name| name.eq_ignore_ascii_case(tag))
}

fn has(tags: &[String], tag: &str) -> bool {
    tags.iter().any(|other| other.eq_ignore_ascii_case(tag))
}

/// The name in a tag.
fn tag_name(tag: &str) -> &str {
    let name = tag.trim_start_matches(['<', '/']);
    let end = name.find(['>', '/', ' ', '\t', '\r', '\n']);
    &name[..end.unwrap_or(name.len())]
}

/// Whether shown thinking is read as text is, so that only its tags have to be found.
fn is_text_when_shown(profile: &Profile) -> bool {
    let thinking = &profile.thinking;
    let is_distinct = profile.calls.is_some() || !profile.elements.is_empty();
    hides_like_any(thinking) && thinking.delimiters.is_empty() && !is_distinct
}

/// Whether thinking is read by the same rules as hidden sections, so that these can be read as
/// thinking. The engine emits no events for the content of hidden sections.
fn hides_like_any(thinking: &Thinking) -> bool {
    thinking.anchor == ThinkingAnchor::Anywhere
        && thinking.unclosed == UnclosedThinking::Thought
        && thinking.nesting == ThinkingNesting::Count
        && !thinking.starts_open
}

/// Reads a message in chunks and returns what a user should see.
#[derive(Debug)]
pub struct ContentFilter {
    options: FilterOptions,
    /// None once the message is finished.
    engine: Option<Engine>,
    pieces: Pieces,
    /// What the last chunk made visible.
    visible: String,
}

impl ContentFilter {
    /// A filter for one message.
    ///
    /// # Errors
    /// The profile is invalid, or one of the tags is not a name.
    pub fn new(options: &FilterOptions) -> Result<Self, ProfileError> {
        Ok(ContentFilter {
            options: options.clone(),
            engine: Some(Engine::new(&options.profile().compile()?)),
            pieces: Pieces::new(options),
            visible: String::new(),
        })
    }

    /// Whether sections of this tag are shown. Those of unlisted tags are.
    #[must_use]
    pub fn should_show_tag(&self, tag: &str) -> bool {
        self.options.should_show_tag(tag)
    }

    /// Reads the next chunk and returns the text that it made visible.
    pub fn process_text(&mut self, text: &str) -> &str {
        let mut visible = self.cleared();
        self.process(text, |piece| visible.push_str(piece.visible()));
        self.visible = visible;
        &self.visible
    }

    /// Reads the data of the next event of a stream, such as the parsed JSON of a server-sent event;
    /// returns the text that is visible now, or `None` if the event has no text at the options'
    /// [key](FilterOptions::text_key).
    ///
    /// ```
    /// use serde_json::json;
    /// use tagstream::view::{ContentFilter, FilterOptions};
    ///
    /// let options = FilterOptions::default().text_key("message.content");
    /// let mut filter = ContentFilter::new(&options)?;
    /// let data = json!({"message": {"content": "a<thinking>b</thinking>c"}});
    /// assert_eq!(filter.process_data(&data), Some("ac"));
    /// assert_eq!(filter.process_data(&json!({"usage": {"tokens": 5}})), None);
    /// # Ok::<(), tagstream::ProfileError>(())
    /// ```
    pub fn process_data(&mut self, data: &Value) -> Option<&str> {
        let text = text_at(data, self.options.text_key.as_deref())?;
        Some(self.process_text(text))
    }

    /// Reads the next chunk and emits its pieces. Does nothing after the end of the message.
    pub fn process(&mut self, text: &str, mut sink: impl FnMut(Piece<'_>)) {
        let pieces = &mut self.pieces;
        if let Some(engine) = &mut self.engine {
            engine.push(text, |event| pieces.event(&event, &mut sink));
        }
    }

    /// Ends the message and returns the rest of the visible text.
    pub fn finish(&mut self) -> &str {
        let mut visible = self.cleared();
        self.finish_into(|piece| visible.push_str(piece.visible()));
        self.visible = visible;
        &self.visible
    }

    /// Ends the message and emits the remaining pieces.
    pub fn finish_into(&mut self, mut sink: impl FnMut(Piece<'_>)) {
        let pieces = &mut self.pieces;
        if let Some(engine) = self.engine.take() {
            engine.finish(|event| pieces.event(&event, &mut sink));
        }
    }

    fn cleared(&mut self) -> String {
        let mut visible = std::mem::take(&mut self.visible);
        visible.clear();
        visible
    }
}
