//! Views: events in the shape that a kind of application needs, each a thin layer over the engine.
//!
//! | view | for | page |
//! |---|---|---|
//! | [`Nodes`] | a canvas that a model draws: nodes, groups and edges, while they stream | [`nodes`] |
//! | [`InlineSplitter`] | tags of any name, separated from the content; the events of a chat completion | [`inline`] |
//! | [`ContentFilter`] | the text that a user should see, live; simple or verbose | [`filter`] |
//! | [`Directives`] | a message as a list of text, tools and log messages, each while it grows | [`directives`] |
//! | [`ToolCallBuffer`](buffer::ToolCallBuffer) | whole calls from content blocks that come in pieces | [`buffer`] |
//! | [`strip_inline_xml_tags_with`] | a message without any tags | [`strip_profile`] |
//!
//! A view turns the engine's events into another shape. It does not look for markup itself. Two
//! functions on whole strings do not use the engine: [`sanitize_content`] and
//! [`strip_inline_xml_tags`].

pub mod buffer;
mod collapse;
pub mod directives;
pub mod filter;
pub mod inline;
mod layout;
pub mod nodes;
mod sanitize;
mod strip;

pub use collapse::strip_inline_xml_tags;
pub use directives::{Directive, Directives};
pub use filter::{ContentFilter, FilterOptions};
pub use inline::{InlineChat, InlineSplitter, split_inline_xml};
pub use nodes::Nodes;
pub use sanitize::sanitize_content;
pub use strip::{strip_inline_xml_tags_with, strip_profile};
