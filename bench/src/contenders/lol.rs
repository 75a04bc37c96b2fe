//! `lol_html`: HTML, so that `Vec<T>` is a tag to it and no text. All text goes to one handler; the
//! element `think` says which kind it is.

use std::cell::Cell;
use std::rc::Rc;

use lol_html::{HtmlRewriter, Settings, doc_text, element, end_tag};

use super::Tally;

pub fn run(pieces: &[&str]) -> Tally {
    let inside = Rc::new(Cell::new(false));
    let tally = Rc::new(Cell::new(Tally::default()));
    let settings = Settings::new()
        .append_element_content_handler(element!("think", |element| {
            inside.set(true);
            let inside = Rc::clone(&inside);
            if let Some(handlers) = element.end_tag_handlers() {
                handlers.push(end_tag!(move |_| {
                    inside.set(false);
                    Ok(())
                }));
            }
            Ok(())
        }))
        .append_document_content_handler(doc_text!(|chunk| {
            let mut sum = tally.get();
            match inside.get() {
                true => sum.thought(chunk.as_str().as_bytes()),
                false => sum.text(chunk.as_str().as_bytes()),
            }
            tally.set(sum);
            Ok(())
        }));
    let mut rewriter = HtmlRewriter::new(settings, |_: &[u8]| {});
    for piece in pieces {
        rewriter.write(piece.as_bytes()).expect("no handler fails");
    }
    rewriter.end().expect("no handler fails");
    tally.get()
}
