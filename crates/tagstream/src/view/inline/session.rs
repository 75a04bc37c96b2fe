//! From a provider's stream to the events of a chat completion.

use super::{Chat, ChatEvent, InlineSplitter};
use crate::{Profile, ProfileError, Whitespace};
use std::collections::BTreeMap;
use tagstream_wire::{Format, Session, WireEvent, WireKind};

/// Reads a provider's stream and gives the events of its chat completions: content, thoughts and
/// tags as they come, then for each choice its tool calls and its end.
///
/// Tool calls are merged from their pieces, in any of the ways in which providers send them, and
/// checked by the profile. Thoughts that the provider reports separately are thoughts too.
///
/// ```
/// use tagstream::view::inline::{ChatEvent, ChatSession};
/// use tagstream::wire::Format;
/// use tagstream::Profile;
///
/// let mut kinds = Vec::new();
/// let mut sink = |event: ChatEvent<'_>| kinds.push(event.kind());
/// let mut session = ChatSession::new(&Profile::new(), Format::OpenAi)?;
/// for frame in [
///     r#"{"choices":[{"delta":{"content":"<thinking>hm</thi"}}]}"#,
///     r#"{"choices":[{"delta":{"content":"nking>Hello"},"finish_reason":"stop"}]}"#,
///     "[DONE]",
/// ] {
///     session.push(format!("data: {frame}\n\n").as_bytes(), &mut sink);
/// }
/// session.finish(&mut sink);
/// assert_eq!(kinds, ["thought-stream", "content-delta", "content-complete"]);
/// # Ok::<(), tagstream::ProfileError>(())
/// ```
#[derive(Debug)]
pub struct ChatSession {
    session: Session,
    chats: Chats,
}

impl ChatSession {
    /// A session for one stream in this format. Every tag counts, besides what the profile lists:
    /// see [`InlineSplitter::extend`].
    ///
    /// # Errors
    /// The profile cannot work.
    pub fn new(profile: &Profile, format: Format) -> Result<Self, ProfileError> {
        let profile = InlineSplitter::extend(profile.clone());
        Ok(ChatSession {
            session: Session::new(&profile, format)?,
            chats: Chats::default(),
        })
    }

    /// Sets what becomes of white space where tags were: see [`Chat`].
    #[must_use]
    pub fn whitespace(mut self, whitespace: Whitespace) -> Self {
        self.chats = self.chats.whitespace(whitespace);
        self
    }

    /// Reads the next piece of the stream.
    pub fn push(&mut self, chunk: &[u8], mut sink: impl FnMut(ChatEvent<'_>)) {
        let chats = &mut self.chats;
        self.session.push(chunk, &mut |event: WireEvent<'_>| {
            chats.event(&event, &mut sink);
        });
    }

    /// Ends the stream.
    pub fn finish(self, mut sink: impl FnMut(ChatEvent<'_>)) {
        let mut chats = self.chats;
        self.session
            .finish(&mut |event: WireEvent<'_>| chats.event(&event, &mut sink));
        chats.finish(sink);
    }
}

/// A [`Chat`] for each choice of a stream: made from the events of a [`Session`].
///
/// [`ChatSession`] is one with a session of its own.
#[derive(Debug, Default)]
pub struct Chats {
    whitespace: Whitespace,
    open: BTreeMap<u64, Open>,
}

#[derive(Debug)]
struct Open {
    chat: Chat,
    finish_reason: Option<String>,
}

impl Chats {
    /// Sets what becomes of white space where tags were: see [`Chat`].
    #[must_use]
    pub fn whitespace(mut self, whitespace: Whitespace) -> Self {
        self.whitespace = whitespace;
        self
    }

    /// Takes the next event of the stream.
    pub fn event(&mut self, event: &WireEvent<'_>, sink: impl FnMut(ChatEvent<'_>)) {
        if let WireKind::Usage { .. } = event.event {
            return;
        }
        let (index, whitespace) = (event.choice, self.whitespace);
        let open = self.open.entry(index).or_insert_with(|| Open {
            chat: Chat::new(index).whitespace(whitespace),
            finish_reason: None,
        });
        if let WireKind::Finish { reason } = event.event {
            open.finish_reason = Some(reason.to_owned());
        } else if let Some(message) = event.message() {
            open.chat.event(&message, sink);
        }
    }

    /// Ends all choices.
    pub fn finish(self, mut sink: impl FnMut(ChatEvent<'_>)) {
        for open in self.open.into_values() {
            open.chat.finish(open.finish_reason.as_deref(), &mut sink);
        }
    }
}
