//! The text that a user should see, live.

use crate::options;
use crate::profile::RawProfile;
use serde::Deserialize;
use tagstream::view::FilterOptions;
use tagstream::view::filter::{Piece, Pieces};
use tagstream::{Engine, Event};
use wasm_bindgen::prelude::*;

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Shown {
    show_thinking: bool,
    show: Vec<String>,
    hide: Vec<String>,
}

#[wasm_bindgen]
pub struct RawFilter {
    engine: Option<Engine>,
    pieces: Pieces,
}

#[wasm_bindgen]
impl RawFilter {
    #[wasm_bindgen(constructor)]
    pub fn new(profile: &RawProfile, shown: &str) -> Result<RawFilter, JsValue> {
        let shown: Shown = serde_json::from_str(shown)
            .map_err(|error| options::refuse("options", &error.to_string(), None, None))?;
        let loaded = &profile.loaded;
        let options = FilterOptions::new(loaded.profile.clone());
        let mut options = options.rules(loaded.filter.iter().cloned());
        if shown.show_thinking {
            options = options.show_thinking();
        }
        options = shown.show.into_iter().fold(options, FilterOptions::show);
        options = shown.hide.into_iter().fold(options, FilterOptions::hide);
        let policy = options.profile().compile();
        let policy = policy.map_err(|error| options::of_profile(&error))?;
        Ok(RawFilter {
            engine: Some(Engine::new(&policy)),
            pieces: Pieces::new(&options),
        })
    }

    /// Reads the next chunk and returns the text that it made visible.
    pub fn push(&mut self, chunk: &[u8]) -> String {
        let (pieces, mut visible) = (&mut self.pieces, String::new());
        if let Some(engine) = &mut self.engine {
            engine.push_bytes(chunk, |event| show(pieces, &event, &mut visible));
        }
        visible
    }

    /// Ends the message and returns the rest of the visible text.
    pub fn finish(&mut self) -> String {
        let (pieces, mut visible) = (&mut self.pieces, String::new());
        if let Some(engine) = self.engine.take() {
            engine.finish(|event| show(pieces, &event, &mut visible));
        }
        visible
    }
}

fn show(pieces: &mut Pieces, event: &Event<'_>, visible: &mut String) {
    pieces.event(event, &mut |piece: Piece<'_>| {
        visible.push_str(piece.visible())
    });
}
