//! Test support for tagstream.

pub mod random;
