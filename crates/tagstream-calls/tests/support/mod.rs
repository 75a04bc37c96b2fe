//! What the tests of the dialects share.

// Each test file uses a part of this.
#![allow(dead_code, unreachable_pub)]

pub mod files;
