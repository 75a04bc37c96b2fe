//! The tests of this crate from outside, as one program.

mod check;
mod common;
mod dialects;
mod settings;
mod tools;
mod types;
