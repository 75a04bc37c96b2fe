//! The tests of this crate from outside, as one program.

mod check;
mod common;
mod dialects;
mod nested;
mod own;
mod settings;
mod tools;
mod types;
