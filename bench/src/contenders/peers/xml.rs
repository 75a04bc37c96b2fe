//! `quick-xml`: it pulls its input and cannot be pushed to, so each chunk is a document of its own.
//! What is cut between two chunks is lost to it, and so is the rest of a chunk after an error. It
//! shows the least that a tokenizer of tags costs.

use quick_xml::Reader as XmlReader;
use quick_xml::events::Event;

use crate::contenders::{Reader, Sink};

pub struct QuickXml;

impl Reader for QuickXml {
    fn read<S: Sink>(&self, chunks: &[&str], sink: &mut S) {
        let mut inside = false;
        for chunk in chunks {
            let mut reader = XmlReader::from_str(chunk);
            let config = reader.config_mut();
            config.check_end_names = false;
            config.allow_unmatched_ends = true;
            config.allow_dangling_amp = true;
            while let Ok(event) = reader.read_event() {
                match event {
                    Event::Start(tag) if tag.name().as_ref() == "think" => inside = true,
                    Event::End(tag) if tag.name().as_ref() == "think" => inside = false,
                    Event::Text(text) if inside => sink.thought(text.as_bytes()),
                    Event::Text(text) => sink.text(text.as_bytes()),
                    Event::Eof => break,
                    other => sink.markup(other.as_bytes()),
                }
            }
        }
    }
}
