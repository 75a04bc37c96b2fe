//! What the tests of the dialects share.

// Each test file uses a part of this.
#![allow(dead_code, unreachable_pub)]

pub mod differences;
pub mod files;
pub mod json_writer;
pub mod nasty;
pub mod prompt_worlds;
pub mod raw_writer;
pub mod representable;
pub mod rng;
pub mod run;
pub mod seen;
pub mod writer;
