//! Code in Markdown text: fences, and spans between runs of backticks.
//!
//! Text in a possible span is text in either case, so nothing here delays it. The state is just
//! enough to decide for any position whether markup there counts, does not count, or is undecided.

use crate::line::{Line, is_space};

/// What is known about code at one position in text.
#[derive(Clone, Debug)]
pub(crate) struct Code {
    /// How far away a partner may be, and how long a run that opens a span.
    limit: usize,
    /// The fence that is open.
    pub(crate) fence: Option<Fence>,
    /// The runs of this paragraph that have no partner yet, in order. No two have the same length:
    /// the second would be the partner. So there are few.
    runs: Vec<Unpaired>,
    /// The run that is being read.
    run: Option<Run>,
    /// The run that opens a fence if its line ends within the limit.
    maybe: Option<Maybe>,
    /// Everything before this position has been read.
    pub(crate) read: u64,
}

/// A fence that is open.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fence {
    pub(crate) mark: u8,
    len: usize,
    line: FenceLine,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FenceLine {
    /// The run that opens the fence is still being read.
    Opening,
    /// The rest of the opening line.
    Info,
    /// A line of code that does not close the fence.
    Body,
    /// A line with only a run of this length.
    Run(usize),
    /// A line with only a run that is long enough, and white space after it.
    Closing,
}

/// A run of backticks or tildes that is being read.
#[derive(Clone, Copy, Debug)]
struct Run {
    mark: u8,
    start: u64,
    len: usize,
    /// Only spaces and tabs precede it in its line.
    leads: bool,
    /// It may open code.
    opens: bool,
}

/// A run of backticks that has no partner yet.
#[derive(Clone, Copy, Debug, Default)]
struct Unpaired {
    len: usize,
    end: u64,
}

/// A run of three or more backticks whose line is still being read.
#[derive(Clone, Copy, Debug)]
struct Maybe {
    start: u64,
    run: Unpaired,
    leads: bool,
    words: Words,
}

/// What follows such a run in its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Words {
    None,
    InFirst,
    AfterFirst,
}

/// What a byte has settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Settled {
    Nothing,
    /// What is between these positions is code, whatever follows.
    Span {
        from: u64,
        to: u64,
    },
    /// The paragraph is over: no earlier run has a partner.
    Paragraph,
    /// The run at this position has opened a fence, which ends the paragraph before it.
    Fence {
        from: u64,
    },
    /// A run has turned out to be plain text.
    Plain,
}

/// The end of the span that `text` begins with, in the simple case that the same line closes it and
/// more text follows. Whatever such a run could be elsewhere, here it is a span.
pub(crate) fn whole_span(text: &[u8], limit: usize) -> Option<usize> {
    let run = |from: usize| text[from..].iter().take_while(|b| **b == b'`').count();
    let len = run(0);
    let next = memchr::memchr2(b'`', b'\n', &text[len..])?;
    let end = len + next + run(len + next);
    let near = len.max(next) <= limit;
    let closes = len > 0 && end == 2 * len + next && near && end < text.len();
    closes.then_some(end)
}

/// The start of the block after the opening line of a fence of backticks that `text` begins with,
/// and the length of its run, in the simple case that the text has the whole line.
pub(crate) fn whole_opening_line(text: &[u8], limit: usize) -> Option<(usize, usize)> {
    let len = text.iter().take_while(|b| **b == b'`').count();
    let next = memchr::memchr2(b'`', b'\n', &text[len..])?;
    let opens = len >= 3 && text[len + next] == b'\n' && next <= limit;
    opens.then_some((len + next + 1, len))
}

impl Code {
    pub(crate) fn new(limit: usize) -> Self {
        Code {
            limit,
            fence: None,
            runs: Vec::new(),
            run: None,
            maybe: None,
            read: 0,
        }
    }

    /// Whether nothing is undecided: no byte but a backtick or a tilde could change anything.
    pub(crate) fn is_decided(&self) -> bool {
        self.run.is_none() && self.maybe.is_none() && self.runs.is_empty()
    }

    /// Whether nothing is undecided besides runs without a partner.
    pub(crate) fn only_lacks_partners(&self) -> bool {
        self.run.is_none() && self.maybe.is_none()
    }

    /// Whether it is undecided if markup at `position` is in code.
    pub(crate) fn is_open_before(&self, position: u64) -> bool {
        let maybe = self.maybe.is_some_and(|maybe| maybe.run.end <= position);
        maybe || self.runs.first().is_some_and(|run| run.end <= position)
    }

    /// Forgets all runs, as at the end of a paragraph.
    pub(crate) fn end_paragraph(&mut self) {
        self.runs.clear();
        self.run = None;
        self.maybe = None;
    }

    /// What follows `position` will be read again.
    pub(crate) fn read_again(&mut self, position: u64) {
        self.run = None;
        self.maybe = None;
        self.read = position;
    }

    /// The rest of a run that opens nothing is at `position`.
    pub(crate) fn pass_run(&mut self, position: u64) {
        self.read = position;
        self.run = Some(Run {
            mark: b'`',
            start: position,
            len: 1,
            leads: false,
            opens: false,
        });
    }

    /// Reads on in text without markup up to `to`; returns whether that is in code, or may be. `window`
    /// begins at `base`, in `line`.
    pub(crate) fn may_cover(&mut self, to: u64, line: &Line, window: &[u8], base: u64) -> bool {
        for position in self.read..to {
            let index = (position - base) as usize;
            self.read_plain(window[index], position, line, &window[..index]);
        }
        self.end_run(window[(to - base) as usize], to);
        self.fence.is_some() || self.is_open_before(to)
    }

    fn read_plain(&mut self, byte: u8, position: u64, line: &Line, before: &[u8]) {
        self.end_run(byte, position);
        self.expire(position);
        let is_blank = || match byte {
            b'\n' => line.blank_before(before, before.len()),
            _ => line.indent_before(before, before.len()),
        };
        let Some(fence) = &mut self.fence else {
            self.step(byte, position, is_blank, true);
            return;
        };
        self.read = position + 1;
        if fence.step(byte, || line.blank_before(before, before.len())) {
            self.fence = None;
        }
    }

    /// Ends the run before `position`, unless the byte there continues it.
    pub(crate) fn end_run(&mut self, next: u8, position: u64) -> Settled {
        match self.run {
            Some(run) if run.mark != next => {
                self.run = None;
                if run.mark == b'~' {
                    Settled::Nothing
                } else {
                    self.take(run, position)
                }
            }
            _ => Settled::Nothing,
        }
    }

    /// A run of backticks has ended. At the start of a line a fence has precedence, elsewhere the
    /// partner of an earlier run.
    fn take(&mut self, run: Run, end: u64) -> Settled {
        let unpaired = Unpaired { len: run.len, end };
        let may_be_fence =
            run.opens && run.len >= 3 && (run.leads || self.partner(run.len).is_none());
        if may_be_fence {
            self.maybe = Some(Maybe {
                start: run.start,
                run: unpaired,
                leads: run.leads,
                words: Words::None,
            });
            return Settled::Nothing;
        }
        self.pair(unpaired, run.opens)
    }

    /// The index of the run that one of this length is the partner of.
    fn partner(&self, len: usize) -> Option<usize> {
        self.runs.iter().position(|run| run.len == len)
    }

    fn pair(&mut self, run: Unpaired, opens: bool) -> Settled {
        if let Some(i) = self.partner(run.len) {
            let from = self.runs[i].end;
            self.runs.truncate(i);
            return Settled::Span { from, to: run.end };
        }
        if opens && run.len <= self.limit {
            debug_assert!(self.runs.last().is_none_or(|last| last.end < run.end));
            self.runs.push(run);
        }
        Settled::Nothing
    }

    /// The run that might have opened a fence is a run like any other.
    fn no_fence(&mut self) -> Settled {
        let Some(maybe) = self.maybe.take() else {
            return Settled::Nothing;
        };
        match self.pair(maybe.run, true) {
            Settled::Nothing => Settled::Plain,
            settled => settled,
        }
    }

    fn open_fence(&mut self, mark: u8, len: usize, line: FenceLine, from: u64) -> Settled {
        self.end_paragraph();
        self.fence = Some(Fence { mark, len, line });
        Settled::Fence { from }
    }

    /// Opens a fence of backticks whose first line has ended.
    pub(crate) fn open_fence_block(&mut self, len: usize) {
        self.fence = Some(Fence {
            mark: b'`',
            len,
            line: FenceLine::Body,
        });
    }

    /// Gives up what had to be decided within the limit.
    pub(crate) fn expire(&mut self, position: u64) -> Settled {
        let limit = self.limit as u64;
        // law: span-limit
        let too_far = |end: u64| position - end > limit;
        if let Some(maybe) = self.maybe.filter(|maybe| too_far(maybe.run.end)) {
            return self.open_fence(b'`', maybe.run.len, FenceLine::Info, maybe.start);
        }
        let mut settled = Settled::Nothing;
        while let Some(first) = self
            .runs
            .first()
            .copied()
            .filter(|first| too_far(first.end))
        {
            // A run that began in time may still be its partner.
            let in_time = |start: u64| start - first.end <= limit;
            let may_close = |run: Run| in_time(run.start) && run.len <= first.len;
            let may_close_yet = |maybe: Maybe| in_time(maybe.start) && maybe.run.len == first.len;
            if self.run.is_some_and(may_close) || self.maybe.is_some_and(may_close_yet) {
                break;
            }
            self.runs.remove(0);
            settled = Settled::Plain;
        }
        settled
    }

    /// Reads one byte of text. `blank` is whether only white space precedes it in its line (for
    /// a backtick or a tilde: only spaces and tabs), `opens` whether a run here may open code.
    pub(crate) fn step(
        &mut self,
        byte: u8,
        position: u64,
        blank: impl FnOnce() -> bool,
        opens: bool,
    ) -> Settled {
        self.read = position + 1;
        match byte {
            b'`' | b'~' => self.step_run(byte, position, blank, opens),
            b'\n' => match self.maybe {
                Some(maybe) => self.open_fence(b'`', maybe.run.len, FenceLine::Body, maybe.start),
                None if !self.runs.is_empty() && blank() => {
                    self.end_paragraph();
                    Settled::Paragraph
                }
                None => Settled::Nothing,
            },
            _ => self.step_word(is_space(byte)),
        }
    }

    fn step_run(
        &mut self,
        mark: u8,
        position: u64,
        blank: impl FnOnce() -> bool,
        opens: bool,
    ) -> Settled {
        let Some(run) = &mut self.run else {
            let settled = if mark == b'`' {
                self.no_fence()
            } else {
                self.step_word(false)
            };
            let leads = blank();
            if mark == b'`' || (leads && opens) {
                self.run = Some(Run {
                    mark,
                    start: position,
                    len: 1,
                    leads,
                    opens,
                });
            }
            return settled;
        };
        run.len += 1;
        match *run {
            Run {
                mark: b'~',
                len: 3,
                start,
                ..
            } => self.open_fence(b'~', 3, FenceLine::Opening, start),
            _ => Settled::Nothing,
        }
    }

    /// At most one word may follow a run that opens a fence in the middle of a line.
    fn step_word(&mut self, space: bool) -> Settled {
        let Some(maybe) = self.maybe.as_mut().filter(|maybe| !maybe.leads) else {
            return Settled::Nothing;
        };
        match (maybe.words, space) {
            (Words::None, false) => maybe.words = Words::InFirst,
            (Words::InFirst, true) => maybe.words = Words::AfterFirst,
            (Words::AfterFirst, false) => return self.no_fence(),
            _ => {}
        }
        Settled::Nothing
    }

    /// What the end of the message settles.
    pub(crate) fn finish(&mut self, position: u64) -> Settled {
        let settled = self.end_run(0, position);
        if settled != Settled::Nothing {
            return settled;
        }
        if let Some(maybe) = self.maybe {
            return self.open_fence(b'`', maybe.run.len, FenceLine::Info, maybe.start);
        }
        self.end_paragraph();
        Settled::Paragraph
    }
}

impl Fence {
    /// Whether only its own mark at the start of a line, or a line break, could change anything.
    pub(crate) fn in_body(&self) -> bool {
        self.line == FenceLine::Body
    }

    /// Whether its opening line has not ended yet.
    pub(crate) fn is_opening(&self) -> bool {
        matches!(self.line, FenceLine::Opening | FenceLine::Info)
    }

    /// Whether the end of the message closes it: its last line is the closing one.
    pub(crate) fn is_closed_at_end(&self) -> bool {
        match self.line {
            FenceLine::Run(len) => len >= self.len,
            line => line == FenceLine::Closing,
        }
    }

    /// Reads one byte inside the fence; true if it has closed.
    pub(crate) fn step(&mut self, byte: u8, blank: impl FnOnce() -> bool) -> bool {
        // law: fence-length
        let long_enough = |len: usize| len >= self.len;
        self.line = match (self.line, byte) {
            (FenceLine::Opening, b) if b == self.mark => {
                self.len += 1;
                FenceLine::Opening
            }
            (FenceLine::Opening | FenceLine::Info, b'\n') => FenceLine::Body,
            (FenceLine::Opening | FenceLine::Info, _) => FenceLine::Info,
            (FenceLine::Run(len), b) if b == self.mark => FenceLine::Run(len + 1),
            (FenceLine::Run(len), b'\n') if long_enough(len) => return true,
            (FenceLine::Run(len), b) if long_enough(len) && is_space(b) => FenceLine::Closing,
            (FenceLine::Closing, b'\n') => return true,
            (FenceLine::Closing, b) if is_space(b) => FenceLine::Closing,
            (FenceLine::Body, b) if b == self.mark && blank() => FenceLine::Run(1),
            _ => FenceLine::Body,
        };
        false
    }
}
