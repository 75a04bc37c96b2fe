//! The meaning of a message, read from the whole of it.
//!
//! This is the contract's text turned into code as directly as possible, with indexes into a
//! message that is all there: it may look ahead, look back and start over as it likes. It shares
//! nothing with the engine, so that a mistake in either shows as a difference.

mod code;
mod tags;

use crate::ev::{Attrs, Element as EvElement, Ev, Part, add};
use code::{Code, start_of_line};
use std::ops::Range;
use tags::{Found, Names, Tag, is_any_name, is_space, tag_at};
use tagstream::{
    CodeNotices, CodeStyle, Element, NoticeCode, OrphanClose, Profile, ThinkingAnchor,
    ThinkingMode, ThinkingNesting, ThinkingTrim, UnclosedThinking,
};

/// The events of a whole message, in normal form.
pub fn meaning(profile: &Profile, message: &str) -> Vec<Ev> {
    let mut profile = profile.clone();
    if profile.thinking.mode == ThinkingMode::Show && profile.elements.is_empty() {
        // Shown thinking is text, if there is nothing that would not count in it.
        profile.thinking.tags.clear();
        profile.thinking.delimiters.clear();
        profile.thinking.starts_open = false;
    }
    let profile = &profile;
    let mut oracle = Oracle::new(profile, message);
    let mut at = 0;
    if profile.thinking.starts_open {
        at = oracle.prompt_section();
    }
    while at < message.len() {
        at = oracle.text_at(at);
    }
    oracle.out
}

struct Oracle<'a> {
    p: &'a Profile,
    msg: &'a str,
    code: Code<'a>,
    /// What counts in text, early and late.
    names: [Names<'a>; 2],
    literals: [Vec<(&'a str, Role<'a>)>; 2],
    out: Vec<Ev>,
    /// Something was shown, or an element began (`anchor`).
    visible: bool,
    /// Something was shown (`trim`).
    shown: bool,
    ids: u64,
}

/// What a literal is for.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Role<'a> {
    Opens(&'a [String; 2]),
    Closes,
    Marker,
}

/// What ends a section.
#[derive(Clone, Copy, Debug)]
enum Ender<'a> {
    /// The closer of this name.
    Tag(&'a str),
    Literal(&'a str),
    /// Any closer: the prompt opened the section.
    Any,
}

/// A section as it is in the message.
struct Section<'a> {
    opener: Range<usize>,
    tag: Option<&'a str>,
    attributes: Attrs,
    ender: Ender<'a>,
    /// It is listed under `hide`.
    hidden: bool,
}

/// What is in a section.
struct Body {
    pieces: Vec<Piece>,
    closer: Option<Range<usize>>,
    end: usize,
}

impl Body {
    fn closed(pieces: Vec<Piece>, closer: Range<usize>) -> Self {
        let end = closer.end;
        Body {
            pieces,
            closer: Some(closer),
            end,
        }
    }
}

/// What is at a place in a section.
enum Inside {
    /// A literal that closes it.
    Closer(Range<usize>),
    /// A marker.
    Drop(Range<usize>),
    /// A repeated opening literal.
    Repeated(Range<usize>),
    /// A tag that counts there.
    Tag(Tag),
    Text(Range<usize>),
}

impl Inside {
    fn end(&self) -> usize {
        match self {
            Inside::Closer(range)
            | Inside::Drop(range)
            | Inside::Repeated(range)
            | Inside::Text(range) => range.end,
            Inside::Tag(tag) => tag.end,
        }
    }
}

enum Piece {
    Text(Range<usize>),
    /// A marker, a repeated opener, white space at the ends.
    Drop(Range<usize>),
    /// A section listed under `hide`, inside thinking.
    Hidden(Range<usize>),
    Notice(NoticeCode),
}

impl<'a> Oracle<'a> {
    fn new(p: &'a Profile, msg: &'a str) -> Self {
        // A run of backticks is visible text, so what it asks about is after visible text.
        let late = p.thinking.anchor == ThinkingAnchor::Start;
        let names = text_names(p, late);
        let literals = text_literals(p, late);
        let (any_names, all_literals) = (names.clone(), literals.clone());
        let end_of_markup_at =
            move |at: usize| match longest(&all_literals, msg.get(at..).unwrap_or("")) {
                Some((literal, _)) => Some(at + literal.len()),
                None if !msg.as_bytes()[at..].starts_with(b"<") => None,
                None => match tag_at(msg, at, &any_names, p.limits.tag) {
                    Found::Nothing => None,
                    Found::Text(end) => Some(end),
                    Found::Tag(tag) => Some(tag.end),
                },
            };
        let opener_at = move |at: usize| match longest(&literals, &msg[at..]) {
            Some((_, role)) => matches!(role, Role::Opens(_)),
            None => {
                let names = Names {
                    any_but: None,
                    ..names.clone()
                };
                let counts = |tag: &Tag| {
                    !is_kept(p, late, &tag.name) && listed(&p.unwrap, &tag.name).is_none()
                };
                let opens = |tag: &Tag| !tag.closing && counts(tag);
                msg[at..].starts_with('<')
                    && matches!(tag_at(msg, at, &names, p.limits.tag), Found::Tag(tag) if opens(&tag))
            }
        };
        Oracle {
            p,
            msg,
            code: Code::new(
                msg,
                p.limits.span,
                Box::new(opener_at),
                Box::new(end_of_markup_at),
            ),
            names: [text_names(p, false), text_names(p, true)],
            literals: [text_literals(p, false), text_literals(p, true)],
            out: Vec::new(),
            visible: false,
            shown: false,
            ids: 0,
        }
    }

    // Text

    /// Reads what is at this place of the text, and says where to go on: code first, then
    /// the longest literal, then tags.
    fn text_at(&mut self, at: usize) -> usize {
        if self.p.code == CodeStyle::Markdown
            && let Some(end) = self.code.end_of_code_at(at)
        {
            self.text(at..end);
            self.notice_fence(at, end);
            return end;
        }
        let late = self.p.thinking.anchor == ThinkingAnchor::Start && self.visible;
        let (names, literals) = (
            &self.names[usize::from(late)],
            &self.literals[usize::from(late)],
        );
        if let Some((literal, role)) = longest(literals, &self.msg[at..]) {
            return self.literal(at..at + literal.len(), role);
        }
        match self.tag_at(at, names) {
            Found::Nothing => self.text(at..self.next(at)),
            Found::Text(end) => self.text(at..self.after_run(end)),
            Found::Tag(tag) if is_kept(self.p, late, &tag.name) => self.text(tag.start..tag.end),
            Found::Tag(tag) if self.is_unwrapped(&tag) => self.skip(tag.start..tag.end),
            Found::Tag(tag) if tag.closing && self.is_section(&tag.name) => {
                let is_hidden = listed(&self.p.hide, &tag.name).is_some();
                self.orphan(tag.start..tag.end, is_hidden)
            }
            Found::Tag(tag) if tag.closing => self.drop_orphan(tag.start..tag.end),
            Found::Tag(tag) => self.opener(tag),
        }
    }

    /// A notice, if this is a fence with a whole opening tag of an element in it.
    fn notice_fence(&mut self, start: usize, end: usize) {
        let Some((mut at, closed)) = self.code.fence_at(start) else {
            return;
        };
        let elements = self.p.elements.iter().map(|e| e.name.as_str());
        let names = Names {
            open: elements.filter(|name| *name != "*").collect(),
            ..Names::default()
        };
        let is_reported = match self.p.code_notices {
            CodeNotices::All => true,
            CodeNotices::Unclosed => !closed,
            _ => false,
        };
        while is_reported && at < end {
            at = match self.tag_at(at, &names) {
                Found::Nothing => self.next(at),
                Found::Text(end) => end,
                Found::Tag(tag) if tag.end > end => return,
                Found::Tag(_) => {
                    return self.emit(Ev::Notice(if closed {
                        NoticeCode::InCode
                    } else {
                        NoticeCode::UnclosedFence
                    }));
                }
            };
        }
    }

    fn literal(&mut self, range: Range<usize>, role: Role<'a>) -> usize {
        match role {
            Role::Marker => self.skip(range),
            Role::Closes => self.orphan(range, false),
            Role::Opens(pair) => self.section(Section {
                opener: range,
                tag: Some(&pair[0]),
                attributes: Vec::new(),
                ender: Ender::Literal(&pair[1]),
                hidden: false,
            }),
        }
    }

    /// A closer of thinking, or of a hidden section, that closes nothing.
    fn orphan(&mut self, range: Range<usize>, is_hidden: bool) -> usize {
        let thinking = &self.p.thinking;
        // A shown section keeps its tags, also those that have lost their partner.
        let shown = thinking.mode == ThinkingMode::Show && !is_hidden;
        if shown || thinking.orphan_close == OrphanClose::Keep {
            return self.text(range);
        }
        self.drop_orphan(range)
    }

    fn drop_orphan(&mut self, range: Range<usize>) -> usize {
        self.emit(Ev::Notice(NoticeCode::OrphanClose));
        self.skip(range)
    }

    /// Whether this is the name of a thinking section or a hidden one.
    fn is_section(&self, name: &str) -> bool {
        let thinking = listed(&self.p.thinking.tags, name);
        thinking.or(listed(&self.p.hide, name)).is_some()
    }

    fn opener(&mut self, tag: Tag) -> usize {
        let p = self.p;
        let thinking = listed(&p.thinking.tags, &tag.name);
        if let Some(name) = thinking.or(listed(&p.hide, &tag.name)) {
            let hidden = thinking.is_none();
            if tag.self_closing {
                let shown = !hidden && p.thinking.mode == ThinkingMode::Show;
                let range = tag.start..tag.end;
                return if shown {
                    self.text(range)
                } else {
                    self.skip(range)
                };
            }
            return self.section(Section {
                opener: tag.start..tag.end,
                tag: Some(name),
                attributes: tag.attributes,
                ender: Ender::Tag(name),
                hidden,
            });
        }
        self.visible_element(&tag)
    }

    /// Text, from which `trim` may take the white space before the first visible of it.
    fn text(&mut self, range: Range<usize>) -> usize {
        let thinking = &self.p.thinking;
        let text = &self.msg[range.clone()];
        let blank = text.bytes().take_while(|&b| is_space(b)).count();
        let trims = matches!(thinking.trim, ThinkingTrim::Answer | ThinkingTrim::Both)
            && thinking.mode != ThinkingMode::Show;
        let dropped = if trims && !self.shown { blank } else { 0 };
        self.emit(Ev::Skip(text[..dropped].into()));
        self.emit(Ev::Text(text[dropped..].into()));
        self.shown |= blank < text.len();
        self.visible |= blank < text.len();
        range.end
    }

    fn skip(&mut self, range: Range<usize>) -> usize {
        self.emit(Ev::Skip(self.msg[range.clone()].into()));
        range.end
    }

    // Sections

    fn prompt_section(&mut self) -> usize {
        self.section(Section {
            opener: 0..0,
            tag: None,
            attributes: Vec::new(),
            ender: Ender::Any,
            hidden: false,
        })
    }

    /// Reads a section to its end and emits what the settings make of it.
    fn section(&mut self, section: Section<'a>) -> usize {
        let p = self.p;
        let mode = if section.hidden {
            ThinkingMode::Hide
        } else {
            p.thinking.mode
        };
        let unclosed = if section.hidden {
            UnclosedThinking::Thought
        } else {
            p.thinking.unclosed
        };
        let body = self.body(&section);
        let end = body.end;
        let content_end = body.closer.as_ref().map_or(end, |closer| closer.start);
        let near = content_end - section.opener.end <= p.limits.lookahead;
        let lost = body.closer.is_none() && near;
        let blank = self.is_blank(&body);
        match (mode, unclosed) {
            (ThinkingMode::Show, _) => self.show(&section, body),
            (ThinkingMode::Extract, _) if blank && near => _ = self.skip(section.opener.start..end),
            (ThinkingMode::Hide, _) if blank => _ = self.skip(section.opener.start..end),
            (_, UnclosedThinking::Reveal) if lost => self.reveal(&section, body),
            (ThinkingMode::Hide, _) => self.drop_section(&section, &body),
            (ThinkingMode::Extract, UnclosedThinking::Hide) if lost => {
                self.drop_section(&section, &body);
            }
            _ => self.thought(section, body),
        }
        end
    }

    fn show(&mut self, section: &Section<'a>, body: Body) {
        self.text(section.opener.clone());
        self.pieces(body.pieces, Self::text);
        if let Some(closer) = body.closer {
            self.text(closer);
        }
    }

    fn reveal(&mut self, section: &Section<'a>, body: Body) {
        self.skip(section.opener.clone());
        let pieces = self.trimmed(body.pieces);
        self.pieces(pieces, Self::text);
        self.emit(Ev::Notice(NoticeCode::UnclosedThought));
    }

    fn drop_section(&mut self, section: &Section<'a>, body: &Body) {
        self.skip(section.opener.start..body.end);
        for piece in &body.pieces {
            if let Piece::Notice(code) = piece {
                self.emit(Ev::Notice(*code));
            }
        }
        if body.closer.is_none() {
            self.emit(Ev::Notice(NoticeCode::UnclosedThought));
        }
    }

    fn thought(&mut self, section: Section<'a>, body: Body) {
        let tag = section.tag.map(Into::into);
        self.emit(Ev::ThoughtStart {
            tag,
            attributes: section.attributes,
        });
        let pieces = self.trimmed(body.pieces);
        self.pieces(pieces, |oracle, range| {
            oracle.emit(Ev::Thought(oracle.msg[range.clone()].into()));
            range.end
        });
        let closed = body.closer.is_some();
        self.emit(Ev::ThoughtEnd { closed });
        if !closed {
            self.emit(Ev::Notice(NoticeCode::UnclosedThought));
        }
    }

    fn pieces(&mut self, pieces: Vec<Piece>, text: impl Fn(&mut Self, Range<usize>) -> usize) {
        for piece in pieces {
            match piece {
                Piece::Text(range) => _ = text(self, range),
                Piece::Drop(range) | Piece::Hidden(range) => _ = self.skip(range),
                Piece::Notice(code) => self.emit(Ev::Notice(code)),
            }
        }
    }

    fn is_blank(&self, body: &Body) -> bool {
        body.pieces.iter().all(|piece| match piece {
            Piece::Text(range) => self.msg[range.clone()].bytes().all(is_space),
            Piece::Hidden(_) => false,
            _ => true,
        })
    }

    /// With `trim`, the white space at both ends is dropped, unless there is too much of it.
    fn trimmed(&self, pieces: Vec<Piece>) -> Vec<Piece> {
        if !matches!(
            self.p.thinking.trim,
            ThinkingTrim::Thought | ThinkingTrim::Both
        ) {
            return pieces;
        }
        // One piece a character makes this easy to see through.
        let mut chars: Vec<Piece> = Vec::new();
        for piece in pieces {
            match piece {
                Piece::Text(range) => chars.extend(
                    self.msg[range.clone()]
                        .char_indices()
                        .map(|(k, c)| range.start + k..range.start + k + c.len_utf8())
                        .map(Piece::Text),
                ),
                other => chars.push(other),
            }
        }
        self.drop_white_space(chars.iter_mut().collect());
        if !chars.iter().any(|piece| self.is_dark(piece)) {
            return chars;
        }
        // What is dropped before the white space at the end has not waited for it.
        let mut tail: Vec<&mut Piece> = Vec::new();
        tail.extend(
            chars
                .iter_mut()
                .rev()
                .take_while(|piece| !self.is_dark(piece)),
        );
        while matches!(tail.last(), Some(Piece::Drop(_) | Piece::Notice(_))) {
            tail.pop();
        }
        self.drop_white_space(tail);
        chars
    }

    /// Whether this is more than white space.
    fn is_dark(&self, piece: &Piece) -> bool {
        match piece {
            Piece::Text(range) => !is_space(self.msg.as_bytes()[range.start]),
            Piece::Hidden(_) => true,
            _ => false,
        }
    }

    fn drop_white_space(&self, pieces: Vec<&mut Piece>) {
        let blank = pieces.into_iter().take_while(|piece| !self.is_dark(piece));
        let blank: Vec<&mut Piece> = blank.collect();
        let bytes: usize = blank
            .iter()
            .map(|piece| match piece {
                Piece::Text(range) | Piece::Drop(range) => range.len(),
                Piece::Hidden(_) | Piece::Notice(_) => 0,
            })
            .sum();
        if bytes > self.p.limits.lookahead {
            return;
        }
        for piece in blank {
            if let Piece::Text(range) = piece {
                *piece = Piece::Drop(range.clone());
            }
        }
    }

    /// What is in a section, and where it ends.
    fn body(&self, section: &Section<'a>) -> Body {
        let first = self.p.thinking.nesting == ThinkingNesting::First && !section.hidden;
        let mut pieces = Vec::new();
        let mut at = section.opener.end;
        let mut depth = 1;
        // Whether only white space lies between this place and the opener before it.
        let mut after_opener = true;
        while at < self.msg.len() {
            let names = self.section_names(section, after_opener);
            let inside = self.section_at(at, section, &names, after_opener);
            at = inside.end();
            match inside {
                Inside::Closer(range) => return Body::closed(pieces, range),
                Inside::Drop(range) => pieces.push(Piece::Drop(range)),
                Inside::Repeated(range) => pieces.push(self.repeated(section, range)),
                Inside::Text(range) => {
                    after_opener &= self.msg[range.clone()].bytes().all(is_space);
                    pieces.push(Piece::Text(range));
                }
                Inside::Tag(tag) if self.is_unwrapped(&tag) => {
                    pieces.push(Piece::Drop(tag.start..tag.end));
                }
                Inside::Tag(tag) if self.is_hidden_inside(section, &tag) => {
                    at = self.hidden_inside(&tag, &mut pieces);
                    after_opener = false;
                }
                Inside::Tag(tag) if tag.closing => {
                    depth -= 1;
                    if depth == 0 || first {
                        return Body::closed(pieces, tag.start..tag.end);
                    }
                    pieces.push(Piece::Text(tag.start..tag.end));
                    after_opener = false;
                }
                Inside::Tag(tag) if after_opener && !tag.self_closing => {
                    pieces.push(self.repeated(section, tag.start..tag.end));
                }
                Inside::Tag(tag) => {
                    // Where the prompt opened the section nothing nests.
                    let opens = !tag.self_closing && !matches!(section.ender, Ender::Any);
                    depth += usize::from(opens && depth < self.p.limits.depth);
                    pieces.push(Piece::Text(tag.start..tag.end));
                    after_opener = opens;
                }
            }
        }
        Body {
            pieces,
            closer: None,
            end: at,
        }
    }

    /// What is at this place of a section: a literal, a tag of its own, or text.
    fn section_at(
        &self,
        at: usize,
        section: &Section<'a>,
        names: &Names<'_>,
        after_opener: bool,
    ) -> Inside {
        let literals = self.section_literals(section, after_opener);
        if let Some((literal, role)) = longest(&literals, &self.msg[at..]) {
            let range = at..at + literal.len();
            return match role {
                Role::Closes => Inside::Closer(range),
                Role::Opens(_) => Inside::Repeated(range),
                Role::Marker => Inside::Drop(range),
            };
        }
        match self.tag_at(at, names) {
            Found::Tag(tag) if !self.is_quoted(&tag) => Inside::Tag(tag),
            Found::Tag(Tag { end, .. }) | Found::Text(end) => Inside::Text(at..end),
            Found::Nothing => Inside::Text(at..self.next(at)),
        }
    }

    /// A repeated opener counts once, and is dropped. ThinkingMode `show` leaves it as it came.
    fn repeated(&self, section: &Section<'a>, range: Range<usize>) -> Piece {
        match self.p.thinking.mode {
            ThinkingMode::Show if !section.hidden => Piece::Text(range),
            _ => Piece::Drop(range),
        }
    }

    /// Sections listed under `hide` are hidden in a shown section too, and in any thinking if the
    /// profile asks for it.
    fn hides_inside(&self, section: &Section<'a>) -> bool {
        let shown = self.p.thinking.mode == ThinkingMode::Show;
        !section.hidden && (shown || self.p.hide_in_thinking)
    }

    fn is_unwrapped(&self, tag: &Tag) -> bool {
        listed(&self.p.unwrap, &tag.name).is_some()
    }

    fn is_hidden_inside(&self, section: &Section<'a>, tag: &Tag) -> bool {
        let is_listed = listed(&self.p.hide, &tag.name).is_some();
        is_listed && !tag.closing && self.hides_inside(section)
    }

    fn hidden_inside(&self, tag: &Tag, pieces: &mut Vec<Piece>) -> usize {
        let name = listed(&self.p.hide, &tag.name).expect("it was found there");
        if tag.self_closing {
            pieces.push(Piece::Hidden(tag.start..tag.end));
            return tag.end;
        }
        let body = self.body(&Section {
            opener: tag.start..tag.end,
            tag: Some(name),
            attributes: Vec::new(),
            ender: Ender::Tag(name),
            hidden: true,
        });
        pieces.push(Piece::Hidden(tag.start..body.end));
        if body.closer.is_none() && !self.is_blank(&body) {
            pieces.push(Piece::Notice(NoticeCode::UnclosedThought));
        }
        body.end
    }

    /// Inside a section only tags of its own name count.
    fn section_names(&self, section: &Section<'a>, after_opener: bool) -> Names<'a> {
        let p = self.p;
        let mut names = Names::default();
        match section.ender {
            Ender::Tag(name) => {
                names.open.push(name);
                names.close.push(name);
            }
            Ender::Literal(_) => {}
            Ender::Any => {
                // Openers mean something only at its very start.
                names
                    .open
                    .extend(strs(&p.thinking.tags).filter(|_| after_opener));
                names.close.extend(strs(&p.thinking.tags));
            }
        }
        if self.hides_inside(section) {
            names.open.extend(strs(&p.hide));
            names.open.extend(strs(&p.unwrap));
            names.close.extend(strs(&p.unwrap));
        }
        names
    }

    /// Markers and what closes the section; at the start of one that the prompt opened, openers.
    fn section_literals(
        &self,
        section: &Section<'a>,
        after_opener: bool,
    ) -> Vec<(&'a str, Role<'a>)> {
        let p = self.p;
        let mut literals: Vec<(&str, Role<'_>)> = Vec::new();
        match section.ender {
            Ender::Tag(_) => {}
            Ender::Literal(close) => literals.push((close, Role::Closes)),
            Ender::Any => {
                let pairs = &p.thinking.delimiters;
                literals.extend(pairs.iter().map(|pair| (pair[1].as_str(), Role::Closes)));
                let openers = pairs.iter().filter(|_| after_opener);
                literals.extend(openers.map(|pair| (pair[0].as_str(), Role::Opens(pair))));
            }
        }
        literals.extend(strs(&p.markers).map(|marker| (marker, Role::Marker)));
        literals
    }

    /// In thinking, a tag is quoted between two backticks if those before it in its line are odd.
    fn is_quoted(&self, tag: &Tag) -> bool {
        let bytes = self.msg.as_bytes();
        let line = &bytes[start_of_line(self.msg, tag.start)..tag.start];
        self.p.code == CodeStyle::Markdown
            && line.last() == Some(&b'`')
            && bytes.get(tag.end) == Some(&b'`')
            && self.has_odd_backticks(tag.start)
    }

    // Elements

    /// An element in text. One of any name is text if its closer is not near.
    fn visible_element(&mut self, tag: &Tag) -> usize {
        if self.p.limits.depth == 0 {
            return self.text(tag.start..tag.end);
        }
        if let Some(element) = self.declared(&tag.name) {
            self.visible = true;
            return self.element(tag, element, None, 1);
        }
        let any = self.declared("*").expect("something took the name");
        let closer = if tag.self_closing {
            Some(tag.end..tag.end)
        } else {
            self.closer_of(tag)
        };
        let near = |closer: &Range<usize>| closer.start - tag.end <= self.p.limits.lookahead;
        let Some(closer) = closer.filter(near) else {
            return self.text(tag.start..tag.end);
        };
        self.visible = true;
        let mut open = Open::new(self.ids, None, any, tag, self.p.limits.value);
        self.ids += 1;
        self.emit(open.start());
        self.collect(&mut open, None, tag.end..closer.start);
        self.emit(open.end(!tag.self_closing, true));
        closer.end
    }

    /// The closer of an element of any name, by counting the tags of its name.
    fn closer_of(&self, opener: &Tag) -> Option<Range<usize>> {
        let names = Names {
            open: vec![&opener.name],
            close: vec![&opener.name],
            any_but: None,
            any_closes: false,
            strict: true,
        };
        let (mut at, mut same) = (opener.end, 1);
        while at < self.msg.len() {
            at = match self.tag_at(at, &names) {
                Found::Nothing => self.next(at),
                Found::Text(end) => end,
                Found::Tag(tag) if tag.closing && same == 1 => return Some(tag.start..tag.end),
                Found::Tag(tag) => {
                    match (tag.closing, tag.self_closing) {
                        (true, _) => same -= 1,
                        (false, false) => same += 1,
                        (false, true) => {}
                    }
                    tag.end
                }
            };
        }
        None
    }

    /// Reads an element; where to go on.
    fn element(
        &mut self,
        opener: &Tag,
        element: &'a Element,
        parent: Option<(u64, &str)>,
        depth: usize,
    ) -> usize {
        let (id, value) = (self.ids, self.p.limits.value);
        let mut open = Open::new(id, parent.map(|(id, _)| id), element, opener, value);
        self.ids += 1;
        self.emit(open.start());
        if opener.self_closing {
            self.emit(open.end(false, true));
            return opener.end;
        }
        let name = open.name.clone();
        let others = self.p.elements.iter().filter(|other| other.name != "*");
        let others = others.filter(|_| !element.nests).map(|other| &*other.name);
        let names = Names {
            open: strs(&element.children)
                .chain([name.as_str()])
                .chain(others)
                .collect(),
            close: [name.as_str()]
                .into_iter()
                .chain(parent.filter(|_| !element.nests).map(|(_, name)| name))
                .collect(),
            ..Names::default()
        };
        let mut same = 1;
        let mut at = opener.end;
        while at < self.msg.len() {
            at = match self.tag_at(at, &names) {
                Found::Nothing => self.collect(&mut open, None, at..self.next(at)),
                Found::Text(end) => self.collect(&mut open, None, at..end),
                // Its closing tag was forgotten.
                Found::Tag(tag) if !element.nests && self.ends_before(&tag, element, parent) => {
                    self.emit(Ev::Notice(NoticeCode::Repaired));
                    self.emit(open.end(true, true));
                    return tag.start;
                }
                Found::Tag(tag) if tag.closing && same == 1 => {
                    self.emit(open.end(true, true));
                    return tag.end;
                }
                Found::Tag(tag) if tag.closing => {
                    same -= 1;
                    self.collect(&mut open, None, tag.start..tag.end)
                }
                Found::Tag(tag) => match listed(&element.children, &tag.name) {
                    Some(child) => self.child(&mut open, child, &tag, depth),
                    None => {
                        let is_open = element.nests && !tag.self_closing;
                        same += usize::from(is_open && same < self.p.limits.depth);
                        self.collect(&mut open, None, tag.start..tag.end)
                    }
                },
            };
        }
        self.emit(open.end(true, false));
        at
    }

    /// Whether a tag in the body of an element that does not nest shows that its closing tag was forgotten.
    fn ends_before(&self, tag: &Tag, element: &Element, parent: Option<(u64, &str)>) -> bool {
        let is_own = tag.name.eq_ignore_ascii_case(&element.name);
        if tag.closing || listed(&element.children, &tag.name).is_some() {
            return tag.closing && !is_own;
        }
        let around = parent.and_then(|(_, parent)| self.declared(parent));
        let is_child = |around: &Element| listed(&around.children, &tag.name).is_some();
        let is_quoted = self.p.code == CodeStyle::Markdown && self.has_odd_backticks(tag.start);
        (is_own || around.is_none_or(is_child)) && !is_quoted
    }

    /// Whether the backticks before this place in its line are odd.
    fn has_odd_backticks(&self, at: usize) -> bool {
        let line = &self.msg.as_bytes()[start_of_line(self.msg, at)..at];
        line.iter().filter(|&&b| b == b'`').count() % 2 == 1
    }

    /// A child that is declared is an element of its own, unless it is too deep; else a part.
    fn child(&mut self, open: &mut Open, name: &'a str, tag: &Tag, depth: usize) -> usize {
        match self.declared(name) {
            None => self.part(open, name, tag),
            Some(_) if depth >= self.p.limits.depth => self.collect(open, None, tag.start..tag.end),
            Some(declared) => {
                let parent = Some((open.id, open.name.as_str()));
                self.element(tag, declared, parent, depth + 1)
            }
        }
    }

    /// A part: raw text to its closer or its element's.
    fn part(&mut self, open: &mut Open, name: &'a str, tag: &Tag) -> usize {
        self.skip(tag.start..tag.end);
        self.start_part(open, name, tag);
        if tag.self_closing {
            return tag.end;
        }
        let element = open.name.clone();
        let names = Names {
            close: vec![name, &element],
            ..Names::default()
        };
        let mut at = tag.end;
        while at < self.msg.len() {
            let end = match self.tag_at(at, &names) {
                Found::Tag(closer) if closer.name.eq_ignore_ascii_case(name) => {
                    return self.skip(closer.start..closer.end);
                }
                Found::Tag(_) => return at,
                Found::Text(end) => end,
                Found::Nothing => self.next(at),
            };
            at = self.collect(open, Some(name), at..end);
        }
        at
    }

    fn start_part(&mut self, open: &mut Open, name: &str, tag: &Tag) {
        let takes = if open.parts.len() < 1024 { 0 } else { 24 } + tag.attribute_bytes;
        if takes > open.left {
            return self.cut(open);
        }
        open.left -= takes;
        if !open.cut {
            open.parts.push(Part {
                name: name.into(),
                attributes: tag.attributes.clone(),
                text: String::new(),
            });
        }
    }

    /// Text of an element, as far as `limits.value` goes.
    fn collect(&mut self, open: &mut Open, part: Option<&str>, range: Range<usize>) -> usize {
        for (k, c) in self.msg[range.clone()].char_indices() {
            if open.cut || c.len_utf8() > open.left {
                self.cut(open);
                return self.skip(range.start + k..range.end);
            }
            open.left -= c.len_utf8();
            match part {
                None => open.body.push(c),
                Some(_) => open.parts.last_mut().expect("a part is open").text.push(c),
            }
            let part = part.map(Into::into);
            self.emit(Ev::ElementDelta {
                id: open.id,
                part,
                text: c.into(),
            });
        }
        range.end
    }

    fn cut(&mut self, open: &mut Open) {
        if !open.cut {
            self.emit(Ev::Notice(NoticeCode::Limit));
        }
        open.cut = true;
    }

    // Small things

    /// The end of the run of backticks that this place is in.
    fn after_run(&self, at: usize) -> usize {
        let code = self.p.code == CodeStyle::Markdown && self.msg[..at].ends_with('`');
        let rest = self.msg[at..].bytes().take_while(|b| code && *b == b'`');
        at + rest.count()
    }

    fn emit(&mut self, event: Ev) {
        add(&mut self.out, event);
    }

    fn declared(&self, name: &str) -> Option<&'a Element> {
        self.p
            .elements
            .iter()
            .find(|e| e.name.eq_ignore_ascii_case(name))
    }

    fn tag_at(&self, at: usize, names: &Names<'_>) -> Found {
        if self.msg[at..].starts_with('<') {
            tag_at(self.msg, at, names, self.p.limits.tag)
        } else {
            Found::Nothing
        }
    }

    /// Where the next character starts.
    fn next(&self, at: usize) -> usize {
        at + self.msg[at..].chars().next().map_or(1, char::len_utf8)
    }
}

/// An element that is being read.
struct Open {
    id: u64,
    parent: Option<u64>,
    name: String,
    attributes: Attrs,
    body: String,
    parts: Vec<Part>,
    /// How much more may be collected.
    left: usize,
    cut: bool,
}

impl Open {
    fn new(id: u64, parent: Option<u64>, element: &Element, tag: &Tag, left: usize) -> Self {
        let name = if element.name == "*" {
            tag.name.clone()
        } else {
            element.name.clone()
        };
        Open {
            id,
            parent,
            name,
            attributes: tag.attributes.clone(),
            body: String::new(),
            parts: Vec::new(),
            left,
            cut: false,
        }
    }

    fn start(&self) -> Ev {
        Ev::ElementStart {
            id: self.id,
            parent: self.parent,
            name: self.name.clone(),
            attributes: self.attributes.clone(),
        }
    }

    fn end(self, body: bool, closed: bool) -> Ev {
        Ev::ElementEnd(Box::new(EvElement {
            id: self.id,
            parent: self.parent,
            name: self.name,
            attributes: self.attributes,
            body: body.then_some(self.body),
            parts: self.parts,
            complete: closed && !self.cut,
        }))
    }
}

/// The names that count in text. After visible text (`late`) thinking no longer does, but where there
/// are elements of any name its tags are still read as tags.
fn text_names(p: &Profile, late: bool) -> Names<'_> {
    let thinking = || strs(&p.thinking.tags);
    let any = p.elements.iter().any(|e| e.name == "*");
    let counting = || thinking().filter(move |_| !late || any);
    let elements = || {
        p.elements
            .iter()
            .map(|e| e.name.as_str())
            .filter(|name| *name != "*")
    };
    let drops = |name: &str| {
        let mut dropped = p
            .elements
            .iter()
            .filter(|e| e.orphan_close == OrphanClose::Drop);
        dropped.any(|e| e.name == name)
    };
    let others = || strs(&p.hide).chain(strs(&p.unwrap));
    let is_dropped = |name: &str| drops(name) || drops("*") && is_any_name(name.as_bytes());
    let dropped = elements().filter(|name| is_dropped(name));
    Names {
        open: counting().chain(others()).chain(elements()).collect(),
        close: counting().chain(others()).chain(dropped).collect(),
        any_but: any.then(|| thinking().chain(others()).chain(elements()).collect()),
        any_closes: drops("*"),
        strict: false,
    }
}

/// Whether a tag of this name is text, because thinking no longer counts.
fn is_kept(p: &Profile, late: bool, name: &str) -> bool {
    late && listed(&p.thinking.tags, name).is_some()
}

fn text_literals(p: &Profile, late: bool) -> Vec<(&str, Role<'_>)> {
    let pairs = || p.thinking.delimiters.iter().filter(move |_| !late);
    let opens = pairs().map(|pair| (pair[0].as_str(), Role::Opens(pair)));
    let closes = pairs().map(|pair| (pair[1].as_str(), Role::Closes));
    let markers = strs(&p.markers).map(|marker| (marker, Role::Marker));
    opens.chain(closes).chain(markers).collect()
}

/// The longest literal that the text begins with; of equals the first.
fn longest<'a>(literals: &[(&'a str, Role<'a>)], text: &str) -> Option<(&'a str, Role<'a>)> {
    let matching = literals
        .iter()
        .filter(|(literal, _)| text.starts_with(literal));
    matching
        .rev()
        .max_by_key(|(literal, _)| literal.len())
        .copied()
}

fn strs(list: &[String]) -> impl Iterator<Item = &str> {
    list.iter().map(String::as_str)
}

/// The list's own spelling of a name.
fn listed<'a>(list: &'a [String], name: &str) -> Option<&'a str> {
    strs(list).find(|n| n.eq_ignore_ascii_case(name))
}
