//! Views: systems that users know, each a thin layer over the engine.
//!
//! | view | for | page |
//! |---|---|---|
//! | [`Nodes`] | an AI draws a canvas: nodes, groups and edges while they stream | [`nodes`] |
//!
//! A view takes the engine's events and gives them another shape. It looks for no markup itself,
//! and keeps no text that has not been read. What they share is small:
//! [`sanitize_content`] for strings from elsewhere.

mod layout;
pub mod nodes;
mod sanitize;

pub use nodes::Nodes;
pub use sanitize::sanitize_content;
