//! Directives: a message as a list of text, tools and log messages, each shown while it grows.
//!
//! | in the message | becomes |
//! |---|---|
//! | text | [`Text`](DirectiveKind::Text) |
//! | `<read_file><path>a</path></read_file>`, for a tool of the profile | [`ToolUse`](DirectiveKind::ToolUse) |
//! | `<log_message><message>m</message><level>warn</level></log_message>` | [`LogMessage`](DirectiveKind::LogMessage) |
//! | any other element of the profile | [`Own`](DirectiveKind::Own) |
//! | a thinking section, if the profile lists such | [`Thought`](DirectiveKind::Thought) |
//!
//! A [`Registry`] lists the kinds of directives. [`Directives`] reads one message, in chunks of any
//! size. The list can be read at any time: updating it takes time in proportion to the new text,
//! and reading it borrows.
//!
//! ```
//! use tagstream::ToolSignature;
//! use tagstream::view::directives::{DirectiveKind, Directives, Level, Registry};
//!
//! let tools = [ToolSignature::new("write_to_file", ["path", "content"])];
//! let registry = Registry::new(&Directives::profile(tools))?;
//!
//! let mut directives = Directives::new(&registry);
//! directives.push("I write it:\n<write_to_file><path> a.rs </path><content>\n  fn ma");
//! let [text, tool] = directives.directives() else { panic!() };
//! assert_eq!((text.content(), text.partial()), ("I write it:", false));
//! assert_eq!(tool.params().get("path"), Some("a.rs"));
//! assert_eq!(tool.params().get("content"), Some("  fn ma"));
//! assert!(tool.partial());
//!
//! directives.push("in() {}\n</content></write_to_file>");
//! directives.push("<log_message><message>done</message><level>warn</level></log_message>");
//! directives.finish();
//! let [_, tool, log] = directives.directives() else { panic!() };
//! assert_eq!(tool.params().get("content"), Some("  fn main() {}"));
//! assert!(!tool.partial());
//! assert_eq!(log.kind(), DirectiveKind::LogMessage { message: "done", level: Level::Warn });
//! # Ok::<(), tagstream::ProfileError>(())
//! ```
//!
//! # Kinds
//!
//! A kind is a line or two of the profile: a tool with its parameters is one, an element with its
//! children is another. The preset `roo` has 18 tools of Roo Code and `log_message`; copy it and
//! add your own.
//!
//! ```
//! use tagstream::Element;
//! use tagstream::view::directives::{Directives, Registry};
//!
//! let question = Element::named("question").children(["text", "choice"]);
//! let registry = Registry::new(&Directives::profile([]).element(question))?;
//! assert_eq!(registry.kinds(), ["text", "log_message", "question"]);
//! let message = "Well. <question to='all'><text> Now? </text></question>";
//! let list = Directives::parse(&registry, message);
//! assert_eq!(list[1].type_name(), "question");
//! assert_eq!(list[1].params().get("text"), Some("Now?"));
//! # Ok::<(), tagstream::ProfileError>(())
//! ```
//!
//! # White space
//!
//! Text and parameters are trimmed, and white space alone is not a directive. The parameters
//! `content` and `diff`, or those listed with [`Registry::verbatim`], keep their white space,
//! except for one newline at each end.
//!
//! # Partial
//!
//! The last text is partial until something else follows or the message ends. All others are
//! partial until their own closing tag, whatever follows them. One that was cut off stays partial.
//! So does a tool that was refused (too long, malformed, one too many): it stays in the list with
//! its [`refusals`](Directive::refusals), so that it can be shown and answered. Code that acts only
//! on directives that are not partial never acts on it.
//!
//! The text of an open element omits what may be the start of a tag at its end, such as `</no`. As
//! soon as anything else follows, it is text again.
//!
//! Values are strings as written; schemas are not checked. In dialects with JSON arguments, there
//! are no parameters before the end of the call, and values other than strings are JSON.
//!
//! # Code
//!
//! Directives in Markdown code or in a parameter are text. `code = "none"` in the profile makes
//! those in code count. If the message ends in a fence that turned directives into text, there is
//! a notice.
//!
//! # Thinking
//!
//! Nothing inside thinking is a directive. The preset `roo` lists `thinking` and `think`; the
//! profile of [`Directives::profile`] has no thinking.

mod grown;
mod list;
mod model;
mod serialize;

pub use list::DirectiveList;
pub use model::{Directive, DirectiveKind, Level, Notice, Params, Refusal};

use crate::Dialect;
use crate::check::Checker;
use crate::{
    CallSettings, CodeNotices, Element, Engine, Policy, Profile, ProfileError, ToolSignature,
};
use std::sync::Arc;

/// Another name for [`Directives`].
pub type DirectiveStreamingParser = Directives;

/// The parameters that keep their white space.
const VERBATIM: [&str; 2] = ["content", "diff"];

/// The kinds of directives, compiled from a profile.
#[derive(Clone, Debug)]
pub struct Registry {
    profile: Profile,
    policy: Policy,
    verbatim: Arc<[String]>,
}

impl Registry {
    /// The kinds of this profile: its tools and its elements.
    ///
    /// # Errors
    /// The profile is invalid.
    pub fn new(profile: &Profile) -> Result<Self, ProfileError> {
        let mut profile = profile.clone();
        if let Some(calls) = &mut profile.calls {
            calls.checker = Checker::default();
        }
        Ok(Registry {
            policy: profile.compile()?,
            profile,
            verbatim: VERBATIM.map(str::to_owned).into(),
        })
    }

    /// Sets which parameters keep their white space, in place of `content` and `diff`.
    #[must_use]
    pub fn verbatim<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.verbatim = names.into_iter().map(Into::into).collect();
        self
    }

    /// The profile for an engine or a stream whose events go into [`Registry::list`].
    #[must_use]
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// An empty list, for the events of the caller's own engine or stream.
    #[must_use]
    pub fn list(&self) -> DirectiveList {
        DirectiveList::new(Arc::clone(&self.verbatim))
    }

    /// The types of directives that a message may have.
    #[must_use]
    pub fn kinds(&self) -> Vec<&str> {
        let profile = &self.profile;
        let thinking = &profile.thinking;
        let mut kinds = vec!["text"];
        if !thinking.tags.is_empty() || !thinking.delimiters.is_empty() {
            kinds.push("thought");
        }
        if self.tools().next().is_some() {
            kinds.push("tool_use");
        }
        kinds.extend(profile.elements.iter().map(|element| element.name.as_str()));
        kinds
    }

    /// The declared tools.
    pub fn tools(&self) -> impl Iterator<Item = &ToolSignature> {
        let calls = self.profile.calls.iter();
        calls.flat_map(|calls| &calls.tools)
    }
}

/// Reads a message in chunks and collects the directives in it.
///
/// The [module](self) describes them.
#[derive(Debug)]
pub struct Directives {
    /// None once the message is finished.
    engine: Option<Engine>,
    list: DirectiveList,
}

impl Directives {
    /// A reader of one message with these kinds.
    #[must_use]
    pub fn new(registry: &Registry) -> Self {
        Directives {
            engine: Some(Engine::new(&registry.policy)),
            list: registry.list(),
        }
    }

    /// The profile of a message with log messages and with these tools, written with a tag for each
    /// tool and each parameter. The preset `roo` is the same for the tools of Roo Code, and has
    /// thinking too.
    #[must_use]
    pub fn profile(tools: impl IntoIterator<Item = ToolSignature>) -> Profile {
        let mut profile = Profile::new()
            .code_notices(CodeNotices::Unclosed)
            .element(Element::named("log_message").children(["message", "level"]));
        let mut calls = CallSettings::dialects([tags()]).tools(tools);
        calls.near_misses = true;
        profile.calls = (!calls.tools.is_empty()).then_some(calls);
        profile
    }

    /// The directives of a whole message.
    #[must_use]
    pub fn parse(registry: &Registry, message: &str) -> Vec<Directive> {
        let mut directives = Directives::new(registry);
        directives.push(message);
        directives.finish();
        directives.list.into_directives()
    }

    /// Reads the next chunk and returns all directives from the first one that it changed. Does
    /// nothing after the end of the message.
    pub fn push(&mut self, chunk: &str) -> &[Directive] {
        self.list.mark_read();
        if let Some(engine) = &mut self.engine {
            engine.push(chunk, |event| self.list.event(event));
            self.list.leave_off(engine.open_elements());
        }
        self.changed()
    }

    /// Ends the message and returns all directives from the first one that this changed.
    pub fn finish(&mut self) -> &[Directive] {
        self.list.mark_read();
        if let Some(engine) = self.engine.take() {
            engine.finish(|event| self.list.event(event));
            self.list.end();
        }
        self.changed()
    }

    /// All directives so far, in the order of the message.
    #[must_use]
    pub fn directives(&self) -> &[Directive] {
        self.list.directives()
    }

    /// The notices since the last call of this method.
    pub fn notices(&mut self) -> Vec<Notice> {
        self.list.notices()
    }

    /// How many bytes have been looked at, counting each time: for tests of linear work.
    #[doc(hidden)]
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.list.looked() as u64 + self.engine.as_ref().map_or(0, Engine::steps)
    }

    fn changed(&self) -> &[Directive] {
        &self.list.directives()[self.list.first_changed()..]
    }
}

/// The dialect `tags`, for profiles that are built in Rust.
fn tags() -> Dialect {
    let built_in = crate::dialect::find("tags").expect("it is built in");
    built_in.dialect().clone()
}
