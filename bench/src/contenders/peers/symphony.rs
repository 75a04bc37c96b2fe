//! `smg-symphony`: the table for Qwen 3, without a prompt, because the message opens its own thought.
//! Its events are drained after each chunk, as its documentation describes. There is no tokenizer
//! here, so the deltas have no token spans and nothing counts tokens.

use symphony::formats::Table;
use symphony::{Declared, EngineFinish, Event, Events, Input, Parser};

use crate::contenders::{Reader, Sink};

pub struct Symphony;

impl Reader for Symphony {
    fn read<S: Sink>(&self, chunks: &[&str], sink: &mut S) {
        let mut engine = symphony::Engine::new(Table::Qwen3.format(), Declared::default());
        let mut events = Events::new();
        for chunk in chunks {
            let delta = Input::Delta {
                token_ids: &[],
                text: chunk,
                spans: &[],
            };
            engine.feed(delta, &mut events).expect("no limit is set");
            take(sink, &mut events);
        }
        let end = Input::End {
            finish: EngineFinish::Stop,
        };
        engine.feed(end, &mut events).expect("the stream is open");
        take(sink, &mut events);
    }
}

fn take(sink: &mut impl Sink, events: &mut Events) {
    for event in events.drain() {
        match event {
            // Its adapters show malformed text as content.
            Event::Content(text) | Event::Malformed { text, .. } => {
                sink.text(text.text.as_bytes());
            }
            Event::Reasoning(text) => sink.thought(text.text.as_bytes()),
            Event::Dropped { text, .. } => sink.markup(text.text.as_bytes()),
            _ => {}
        }
    }
}
