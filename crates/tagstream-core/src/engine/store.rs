//! What is collected of the elements and of the call that are open.
//!
//! It is written to through [`Context::store_mut`](super::context::Context::store_mut), and never while a
//! question is open. So a rewind has nothing to restore here.

pub(super) mod call;
pub(super) mod element;

use super::fenced::Fenced;
use call::OpenCall;
use element::OpenElement;

#[derive(Debug, Default)]
pub(super) struct Store {
    /// The elements that are open, the innermost last.
    pub(super) elements: Vec<OpenElement>,
    pub(super) call: OpenCall,
    /// What has been seen in the fence that is open, where that is reported.
    pub(super) fenced: Option<Box<Fenced>>,
    /// How many calls of the message are read elsewhere.
    pub(super) calls_elsewhere: u64,
    /// The provider says that the message was cut off.
    pub(super) is_cut_off: bool,
}

impl Store {
    pub(super) fn innermost(&mut self) -> &mut OpenElement {
        self.elements.last_mut().expect("an element is open")
    }

    pub(super) fn innermost_ref(&self) -> &OpenElement {
        self.elements.last().expect("an element is open")
    }
}
