//! `quick-xml`: it reads, and is not pushed to, so each piece is a document of its own. What is cut
//! between two pieces is lost to it, and so is the rest of a piece after an error. It stands for
//! the least that a tokenizer of tags costs.

use quick_xml::Reader;
use quick_xml::events::Event;

use super::Tally;

pub fn run(pieces: &[&str]) -> Tally {
    let mut tally = Tally::default();
    let mut inside = false;
    for piece in pieces {
        let mut reader = Reader::from_str(piece);
        let config = reader.config_mut();
        config.check_end_names = false;
        config.allow_unmatched_ends = true;
        config.allow_dangling_amp = true;
        while let Ok(event) = reader.read_event() {
            match event {
                Event::Start(tag) if tag.name().as_ref() == "think" => inside = true,
                Event::End(tag) if tag.name().as_ref() == "think" => inside = false,
                Event::Text(text) if inside => tally.thought(text.as_bytes()),
                Event::Text(text) => tally.text(text.as_bytes()),
                Event::Eof => break,
                other => tally.rest(other.as_bytes()),
            }
        }
    }
    tally
}
