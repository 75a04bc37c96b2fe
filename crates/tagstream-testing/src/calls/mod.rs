//! What the tests of the dialects share.

pub mod differences;
pub mod files;
mod formats;
pub mod json_writer;
pub mod nasty;
pub mod prompt_worlds;
pub mod raw_writer;
pub mod representable;
pub mod rng;
pub mod run;
pub mod seen;
pub mod writer;
