//! What is at hand while an event is dealt with.

use super::event::{Event, Writer};
use super::made::Made;
use crate::rewrite::out::Out;
use crate::rewrite::reading::Setup;
use crate::session::policies::Course;

/// What is at hand while an event is dealt with.
pub(super) struct Desk<'d, 'o> {
    pub(super) setup: &'d mut Setup,
    pub(super) writer: &'d mut Writer,
    pub(super) made: &'d mut Made,
    pub(super) course: &'d mut Course,
    pub(super) out: &'d mut Out<'o>,
}

impl Desk<'_, '_> {
    pub(super) fn event(&mut self, event: Event<'_>) {
        self.writer.event(event, self.out);
    }

    pub(super) fn made(&mut self, kind: &str, fields: &[(&str, &str)]) {
        self.writer.made(kind, fields, self.out);
    }
}
