//! The WebAssembly module of the npm package: a thin layer over `tagstream`.
//!
//! * [`options`] reads what a caller sets, and words its errors for JavaScript.
//! * [`profile`] is compiled from them; it also reads whole messages.
//! * [`parser`] reads one message in chunks.
//! * [`packed`] hands over the events of a chunk without JSON for text.
//! * [`filter`] shows one message in chunks.
//! * `wire` reads and rewrites provider streams, with the feature `full`.

mod filter;
mod options;
mod packed;
mod parser;
mod profile;
#[cfg(feature = "full")]
mod wire;

use tagstream::dialect;
use tagstream::profile::{Preset, presets as all_presets};
use wasm_bindgen::prelude::*;

/// The names, descriptions and sources of all presets, as JSON.
#[wasm_bindgen]
pub fn presets() -> String {
    let one = |preset: &Preset| {
        serde_json::json!({
            "name": preset.name(),
            "description": preset.description(),
            "source": preset.source(),
        })
    };
    let all: Vec<_> = all_presets().iter().map(one).collect();
    serde_json::Value::from(all).to_string()
}

/// The names and sources of all dialects, as JSON.
#[wasm_bindgen]
pub fn dialects() -> String {
    let one = |dialect: &dialect::BuiltIn| serde_json::json!({"name": dialect.name(), "source": dialect.source()});
    let all: Vec<_> = dialect::built_in().iter().map(one).collect();
    serde_json::Value::from(all).to_string()
}
