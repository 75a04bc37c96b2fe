//! When to stop trying.

/// Counts calls that failed in a row, and calls that repeat the one before.
#[derive(Debug)]
pub(super) struct Attempts {
    most: u32,
    count: u32,
    /// The name and the arguments of the last valid call.
    last: Option<(String, String)>,
}

impl Attempts {
    pub(super) fn new(most: u32) -> Self {
        Attempts {
            most,
            count: 0,
            last: None,
        }
    }

    pub(super) fn failed(&mut self) {
        self.count = self.count.saturating_add(1);
    }

    /// Records a valid call. The same call again makes no progress; any other one does.
    pub(super) fn called(&mut self, name: &str, arguments: &str) {
        let call = (name.to_owned(), arguments.to_owned());
        if self.last.as_ref() == Some(&call) {
            return self.failed();
        }
        self.count = 0;
        self.last = Some(call);
    }

    pub(super) fn are_used_up(&self) -> bool {
        self.count >= self.most
    }

    pub(super) fn reset(&mut self) {
        self.count = 0;
        self.last = None;
    }
}
