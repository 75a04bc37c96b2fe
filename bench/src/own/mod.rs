//! This project. Apart from `wire`, only this module names its types, so that a change of its API
//! is a change of these files.

pub mod calls;
pub mod directives;
pub mod memory;
pub mod thinking;
