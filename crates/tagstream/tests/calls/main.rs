//! The tests of this crate from outside, as one program.

mod alternatives;
mod check;
mod common;
mod dialects;
mod endless;
mod envelope;
mod messages;
mod nested;
mod odd;
mod own;
mod settings;
mod tools;
mod types;
