//! Code in Markdown text: fences, and spans between runs of backticks.
//!
//! Text in a possible span is text either way, so nothing here delays it. What is kept is just
//! enough to say, of any place, whether markup there counts, does not count, or may yet turn out
//! either way.

use crate::line::is_space;

/// What is known of code at one place in text.
#[derive(Clone, Debug)]
pub(crate) struct Code {
    /// How far a partner may be, and how long the run that opens a span.
    limit: usize,
    /// The fence that is open.
    pub(crate) fence: Option<Fence>,
    /// The runs of this paragraph that have no partner yet.
    runs: Runs,
    /// The run that is being read.
    run: Option<Run>,
    /// The run that opens a fence if its line ends soon.
    maybe: Option<Maybe>,
    /// Everything before this place has been read.
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
    /// A line that has nothing but a run of this length.
    Run(usize),
    /// A line that has nothing but a run that is long enough, and white space behind it.
    Closing,
}

/// A run of backticks or tildes that is being read.
#[derive(Clone, Copy, Debug)]
struct Run {
    mark: u8,
    start: u64,
    len: usize,
    /// Only white space stands before it in its line.
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
    BehindFirst,
}

/// What a byte has settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Settled {
    Nothing,
    /// What lies between these places is code, whatever follows.
    Span {
        from: u64,
        to: u64,
    },
    /// The paragraph is over: no earlier run has a partner.
    Paragraph,
    /// A fence has been opened by the run at this place, which ends the paragraph before it.
    Fence {
        from: u64,
    },
    /// Some run has turned out to be plain.
    Plain,
}

/// Where the span ends that `text` begins with, in the plain case that the same line closes it and
/// more text follows. Whatever such a run could be otherwise, here it is a span.
pub(crate) fn whole_span(text: &[u8], limit: usize) -> Option<usize> {
    let run = |from: usize| text[from..].iter().take_while(|b| **b == b'`').count();
    let len = run(0);
    let next = memchr::memchr2(b'`', b'\n', &text[len..])?;
    let end = len + next + run(len + next);
    let near = len.max(next) <= limit;
    let closes = len > 0 && end == 2 * len + next && near && end < text.len();
    closes.then_some(end)
}

/// Where the block begins behind the opening line of a fence of backticks that `text` begins
/// with, and how long its run is, in the plain case that the text has that line.
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
            runs: Runs::default(),
            run: None,
            maybe: None,
            read: 0,
        }
    }

    /// Whether nothing is undecided: no byte but a backtick or a tilde could change anything.
    pub(crate) fn is_calm(&self) -> bool {
        self.run.is_none() && self.maybe.is_none() && self.runs.is_empty()
    }

    /// Whether runs without a partner are all that is undecided.
    pub(crate) fn only_lacks_partners(&self) -> bool {
        self.run.is_none() && self.maybe.is_none()
    }

    /// Whether it is undecided if markup at `place` is in code.
    pub(crate) fn is_open_before(&self, place: u64) -> bool {
        let maybe = self.maybe.is_some_and(|maybe| maybe.run.end <= place);
        maybe || self.runs.first().is_some_and(|run| run.end <= place)
    }

    /// Forgets all runs, as at the end of a paragraph.
    pub(crate) fn end_paragraph(&mut self) {
        self.runs.truncate(0);
        self.run = None;
        self.maybe = None;
    }

    /// What stands behind `place` is to be read once more.
    pub(crate) fn read_again(&mut self, place: u64) {
        self.run = None;
        self.maybe = None;
        self.read = place;
    }

    /// What goes on at `place` is the rest of a run that opens nothing.
    pub(crate) fn pass_run(&mut self, place: u64) {
        self.read = place;
        self.run = Some(Run {
            mark: b'`',
            start: place,
            len: 1,
            leads: false,
            opens: false,
        });
    }

    /// A byte that is no part of the run before it ends that run.
    pub(crate) fn end_run(&mut self, next: u8, place: u64) -> Settled {
        match self.run {
            Some(run) if run.mark != next => {
                self.run = None;
                if run.mark == b'~' {
                    Settled::Nothing
                } else {
                    self.take(run, place)
                }
            }
            _ => Settled::Nothing,
        }
    }

    /// A run of backticks has ended. At the start of a line a fence comes first, elsewhere the
    /// partner of an earlier run.
    fn take(&mut self, run: Run, end: u64) -> Settled {
        let unpaired = Unpaired { len: run.len, end };
        let may_be_fence =
            run.opens && run.len >= 3 && (run.leads || self.runs.find(run.len).is_none());
        if may_be_fence {
            let words = Words::None;
            self.maybe = Some(Maybe {
                start: run.start,
                run: unpaired,
                leads: run.leads,
                words,
            });
            return Settled::Nothing;
        }
        self.pair(unpaired, run.opens)
    }

    fn pair(&mut self, run: Unpaired, opens: bool) -> Settled {
        if let Some((i, opener)) = self.runs.find(run.len) {
            self.runs.truncate(i);
            return Settled::Span {
                from: opener.end,
                to: run.end,
            };
        }
        if opens && run.len <= self.limit {
            self.runs.push(run);
        }
        Settled::Nothing
    }

    /// The run that might have opened a fence does not: it is one like any other.
    fn no_fence(&mut self) -> Settled {
        match self.maybe.take() {
            Some(maybe) => match self.pair(maybe.run, true) {
                Settled::Nothing => Settled::Plain,
                settled => settled,
            },
            None => Settled::Nothing,
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

    /// Drops what has lost its chance because nothing came within the limit.
    pub(crate) fn expire(&mut self, place: u64) -> Settled {
        let limit = self.limit as u64;
        // law: span-limit
        let too_far = |end: u64| place - end > limit;
        if let Some(maybe) = self.maybe.filter(|maybe| too_far(maybe.run.end)) {
            return self.open_fence(b'`', maybe.run.len, FenceLine::Info, maybe.start);
        }
        let mut settled = Settled::Nothing;
        while let Some(first) = self.runs.first().filter(|first| too_far(first.end)) {
            // A run that began in time may still be its partner.
            let in_time = |start: u64| start - first.end <= limit;
            let may_close = |run: Run| in_time(run.start) && run.len <= first.len;
            let may_close_yet = |maybe: Maybe| in_time(maybe.start) && maybe.run.len == first.len;
            if self.run.is_some_and(may_close) || self.maybe.is_some_and(may_close_yet) {
                break;
            }
            self.runs.remove_first();
            settled = Settled::Plain;
        }
        settled
    }

    /// Reads one byte of text. `blank` says whether its line has only white space before it (for
    /// a backtick or a tilde: only spaces and tabs);
    /// `opens`, whether a run here may open code.
    pub(crate) fn step(
        &mut self,
        byte: u8,
        place: u64,
        blank: impl FnOnce() -> bool,
        opens: bool,
    ) -> Settled {
        self.read = place + 1;
        match byte {
            b'`' | b'~' => self.step_run(byte, place, blank, opens),
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
        place: u64,
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
                    start: place,
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
            (Words::InFirst, true) => maybe.words = Words::BehindFirst,
            (Words::BehindFirst, false) => return self.no_fence(),
            _ => {}
        }
        Settled::Nothing
    }

    /// What the end of the message settles.
    pub(crate) fn finish(&mut self, place: u64) -> Settled {
        let settled = self.end_run(0, place);
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

/// Unpaired runs in order. No two have the same length: the second would be the partner. So
/// there are few, and the first ones need no heap.
#[derive(Clone, Debug, Default)]
struct Runs {
    first: [Unpaired; Runs::INLINE],
    len: usize,
    more: Vec<Unpaired>,
}

impl Runs {
    const INLINE: usize = 3;

    fn is_empty(&self) -> bool {
        self.len == 0
    }

    fn get(&self, i: usize) -> Unpaired {
        if i < Self::INLINE {
            self.first[i]
        } else {
            self.more[i - Self::INLINE]
        }
    }

    fn first(&self) -> Option<Unpaired> {
        (self.len > 0).then(|| self.first[0])
    }

    fn find(&self, len: usize) -> Option<(usize, Unpaired)> {
        (0..self.len)
            .map(|i| (i, self.get(i)))
            .find(|(_, run)| run.len == len)
    }

    fn push(&mut self, run: Unpaired) {
        match self.first.get_mut(self.len) {
            Some(place) => *place = run,
            None => self.more.push(run),
        }
        self.len += 1;
    }

    fn truncate(&mut self, len: usize) {
        self.len = len;
        self.more.truncate(len.saturating_sub(Self::INLINE));
    }

    fn remove_first(&mut self) {
        self.first.rotate_left(1);
        if self.len > Self::INLINE {
            self.first[Self::INLINE - 1] = self.more.remove(0);
        }
        self.len -= 1;
    }
}
