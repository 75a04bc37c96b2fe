//! Which call a piece belongs to.

use crate::framing::body::Nesting;

/// What identifies a call.
#[derive(Debug, Default)]
pub(crate) struct Identity {
    /// The provider's number for it.
    pub(crate) index: Option<u64>,
    /// The provider's id for it.
    pub(crate) id: Option<String>,
    nesting: Nesting,
    /// Its arguments are a whole JSON object, as far as its brackets show.
    pub(crate) is_closed: bool,
}

/// What a piece says of its call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hint<'a> {
    pub(crate) index: Option<u64>,
    pub(crate) id: Option<&'a str>,
    pub(crate) is_named: bool,
}

impl Identity {
    /// Reads on in the arguments.
    pub(crate) fn read(&mut self, arguments: &str) {
        if !arguments.is_empty() {
            let closes = self.nesting.closes(arguments.as_bytes());
            self.is_closed = closes || (self.is_closed && arguments.trim_ascii().is_empty());
        }
    }

    /// Whether a piece with this call's index is of another call all the same.
    ///
    /// Another id says so. With no ids at all, a name says so that comes when all arguments are
    /// there: some servers number all calls alike.
    fn is_another(&self, hint: Hint<'_>) -> bool {
        match (&self.id, hint.id) {
            (Some(id), Some(other)) => id != other,
            (None, None) => hint.is_named && self.is_closed,
            _ => false,
        }
    }
}

/// The place of the call that a piece belongs to.
pub(crate) fn find<'c>(
    mut calls: impl DoubleEndedIterator<Item = &'c Identity> + ExactSizeIterator + Clone,
    hint: Hint<'_>,
) -> Option<usize> {
    let all = calls.clone();
    let at = match hint {
        Hint { index: Some(_), .. } => calls.rposition(|call| call.index == hint.index),
        Hint { id: Some(id), .. } => calls.rposition(|call| call.id.as_deref() == Some(id)),
        _ => calls.len().checked_sub(1),
    };
    at.filter(|at| {
        all.clone()
            .nth(*at)
            .is_some_and(|call| !call.is_another(hint))
    })
}
