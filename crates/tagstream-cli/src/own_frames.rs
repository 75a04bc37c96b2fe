//! `--from sse`: the text in the frames of a server that has a format of its own.

use crate::problems::Problems;
use serde_json::Value;
use tagstream::view::filter::text_at;
use tagstream_wire::{Content, Frame, Framing};

/// Frames of server-sent events, or JSON, with text at a key.
pub(crate) struct OwnFrames {
    /// `None` once the stream has ended.
    framing: Option<Framing>,
    frames: Texts,
}

struct Texts {
    key: Option<String>,
    has_text: bool,
    problems: Vec<String>,
    /// What makes the command fail: errors of the server, and no text at all.
    failures: Vec<String>,
}

/// A longer frame is ignored, with a notice.
const MAX_FRAME_BYTES: usize = 16_777_216;

impl OwnFrames {
    /// Frames with text at this key; without a key, the data is the text.
    pub(crate) fn new(key: Option<String>) -> Self {
        OwnFrames {
            framing: Some(Framing::new(MAX_FRAME_BYTES)),
            frames: Texts {
                key,
                has_text: false,
                problems: Vec::new(),
                failures: Vec::new(),
            },
        }
    }

    /// Reads the next chunk; emits the text in it.
    pub(crate) fn push(&mut self, chunk: &[u8], mut sink: impl FnMut(&str)) {
        let frames = &mut self.frames;
        if let Some(framing) = &mut self.framing {
            framing.push(chunk, &mut |frame| frames.frame(&frame, &mut sink));
        }
    }

    /// Ends the stream; emits the text of an unfinished frame.
    pub(crate) fn finish(&mut self, mut sink: impl FnMut(&str)) {
        let frames = &mut self.frames;
        if let Some(framing) = self.framing.take() {
            framing.finish(&mut |frame| frames.frame(&frame, &mut sink));
        }
        if let (false, Some(key)) = (frames.has_text, &frames.key) {
            let line = format!("invalid_frame: no frame has text at the key `{key}`");
            frames.failures.push(line);
        }
    }

    /// What was wrong with frames since the last call.
    pub(crate) fn report(&mut self, problems: &mut Problems) {
        let lines = self.frames.problems.drain(..);
        lines.for_each(|line| problems.report_always(&line));
        let lines = self.frames.failures.drain(..);
        lines.for_each(|line| problems.fail(&line));
    }
}

impl Texts {
    fn frame(&mut self, frame: &Frame<'_>, sink: &mut impl FnMut(&str)) {
        let data = match &frame.content {
            Content::Message(message) => message.json(),
            Content::Nothing => return,
            Content::TooLong | Content::Unknown => {
                let problem = format!("invalid_frame: the frame at byte {} is not read", frame.at);
                return self.problems.push(problem);
            }
        };
        if data.is_empty() || data == "[DONE]" {
            return;
        }
        match serde_json::from_str::<Value>(data) {
            Ok(value) => {
                let text = text_at(&value, self.key.as_deref());
                self.has_text |= text.is_some();
                match (text, error(&value)) {
                    (Some(text), _) => sink(text),
                    (None, Some(error)) => self.failures.push(format!("stream_error: {error}")),
                    (None, None) => {}
                }
            }
            Err(_) if self.key.is_none() => {
                self.has_text = true;
                sink(data);
            }
            Err(error) => {
                let problem = format!("invalid_frame: the frame at byte {}: {error}", frame.at);
                self.problems.push(problem);
            }
        }
    }
}

/// What the server says went wrong, if this is an error: `{"error": …}`, in whatever words.
fn error(frame: &Value) -> Option<String> {
    let error = frame.get("error").filter(|error| !error.is_null())?;
    let message = error.get("message").unwrap_or(error);
    let text = message.as_str().map(str::to_owned);
    Some(text.unwrap_or_else(|| message.to_string()))
}
