//! Reads one message.

use crate::packed::Packed;
use crate::profile::RawProfile;
use tagstream::{Engine, Event, EventKind};
use wasm_bindgen::prelude::*;

/// Reads one message.
#[wasm_bindgen]
pub struct RawParser {
    engine: Option<Engine>,
    packed: Packed,
    /// Where `packed` is: the addresses and lengths of its words and of its text. Boxed, so that
    /// JavaScript asks for its address once.
    place: Box<[u32; 4]>,
}

/// What `push` returns if the whole chunk is one event of text or of a thought; its length in bytes
/// is in the higher bits.
const TEXT: u32 = 1;
const THOUGHT: u32 = 2;
/// What it returns if the events are in memory.
const PACKED: u32 = 3;

#[wasm_bindgen]
impl RawParser {
    #[wasm_bindgen(constructor)]
    pub fn new(profile: &RawProfile) -> RawParser {
        RawParser {
            engine: Some(Engine::new(&profile.policy)),
            packed: Packed::default(),
            place: Box::default(),
        }
    }

    /// The address of four numbers: the addresses and lengths of the words and of the text.
    pub fn place(&self) -> u32 {
        self.place.as_ptr() as u32
    }

    /// Reads text. Returns 0 if there are no events; otherwise what the constants above describe.
    pub fn push(&mut self, chunk: &str) -> u32 {
        self.packed.clear();
        let (packed, mut whole, mut count) = (&mut self.packed, 0, 0_u32);
        let Some(engine) = &mut self.engine else {
            return 0;
        };
        engine.push(chunk, |event| {
            count += 1;
            if count == 1 {
                whole = whole_chunk(&event, chunk);
            }
            if whole == 0 {
                packed.event(&event);
            } else if count > 1 {
                // The first event was not packed, because it seemed to be the only one.
                let first = if whole & 3 == TEXT {
                    EventKind::Text(chunk)
                } else {
                    EventKind::Thought(chunk)
                };
                let span =
                    tagstream::Span::new(event.span.start - chunk.len() as u64, event.span.start);
                packed.event(&Event::new(span, chunk, first));
                packed.event(&event);
                whole = 0;
            }
        });
        if whole != 0 { whole } else { self.packed() }
    }

    /// As `push`, for bytes that may be cut inside a character.
    pub fn push_bytes(&mut self, chunk: &[u8]) -> u32 {
        self.packed.clear();
        let packed = &mut self.packed;
        if let Some(engine) = &mut self.engine {
            engine.push_bytes(chunk, |event| packed.event(&event));
        }
        self.packed()
    }

    /// Ends the message.
    pub fn finish(&mut self) -> u32 {
        self.packed.clear();
        let packed = &mut self.packed;
        if let Some(engine) = self.engine.take() {
            engine.finish(|event| packed.event(&event));
        }
        self.packed()
    }

    /// What is held back now.
    pub fn held(&self) -> String {
        self.engine.as_ref().map_or("", Engine::held).to_owned()
    }

    /// The elements that are open now, as JSON.
    pub fn open_elements(&self) -> String {
        let open: Vec<_> = self.engine.iter().flat_map(Engine::open_elements).collect();
        serde_json::to_string(&open).unwrap_or_default()
    }

    fn packed(&mut self) -> u32 {
        let Packed { words, text } = &self.packed;
        if words.is_empty() {
            return 0;
        }
        *self.place = [
            words.as_ptr() as u32,
            words.len() as u32,
            text.as_ptr() as u32,
            text.len() as u32,
        ];
        PACKED
    }
}

/// What `push` returns for this event if it is the whole chunk; otherwise 0.
fn whole_chunk(event: &Event<'_>, chunk: &str) -> u32 {
    // The length has to fit beside the two bits of the kind.
    let is_whole = |text: &str| {
        text.len() == chunk.len() && event.raw == chunk && text == chunk && chunk.len() < 1 << 24
    };
    let length = (chunk.len() as u32) << 2;
    match event.kind {
        EventKind::Text(text) if is_whole(text) => length | TEXT,
        EventKind::Thought(text) if is_whole(text) => length | THOUGHT,
        _ => 0,
    }
}
