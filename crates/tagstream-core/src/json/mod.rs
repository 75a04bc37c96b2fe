//! JSON text: scanned, escaped, and written into any serde format.

pub(crate) mod escapes;
pub(crate) mod literals;
pub(crate) mod relaxed;
mod scanner;
#[cfg(feature = "serde")]
mod value;

pub use escapes::escape_into;
pub use literals::{after_space, almost_json, almost_key};
pub use scanner::{Lexeme, Lexemes, lexemes};

pub(crate) use scanner::Scanner;
#[cfg(feature = "serde")]
pub(crate) use value::Json;
