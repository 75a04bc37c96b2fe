//! `lol_html`: an HTML rewriter, so that `Vec<T>` is a tag to it. All text goes to one handler; the
//! element `think` decides whether it is a thought.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use lol_html::{HtmlRewriter, Settings, doc_text, element, end_tag};

use crate::contenders::{Reader, Sink};

pub struct LolHtml;

impl Reader for LolHtml {
    fn read<S: Sink>(&self, chunks: &[&str], sink: &mut S) {
        let inside = Rc::new(Cell::new(false));
        let sink = RefCell::new(sink);
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
            .append_document_content_handler(doc_text!(|text| {
                if inside.get() {
                    sink.borrow_mut().thought(text.as_str().as_bytes());
                } else {
                    sink.borrow_mut().text(text.as_str().as_bytes());
                }
                Ok(())
            }));
        let mut rewriter = HtmlRewriter::new(settings, |_: &[u8]| {});
        for chunk in chunks {
            rewriter.write(chunk.as_bytes()).expect("no handler fails");
        }
        rewriter.end().expect("no handler fails");
    }
}
