//! The kernel for columns: an array of texts becomes an array of messages.

use arrow_array::builder::{Int64Builder, StringBuilder};
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, ListArray, StringArray, StructArray};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{ArrowError, DataType, Field, Fields};
use std::sync::Arc;
use tagstream::message::{Message, MessageReader, Notice};

/// The most text that goes into one array: its offsets have 32 bits, and what is found in a text can be
/// longer than the text.
pub const MAX_TEXT_BYTES: usize = 256 << 20;

/// The type of a message: a struct of `content`, `thoughts`, `tool_calls` and `notices`.
///
/// The arguments of a call are a string, as OpenAI has them, so that every call has the same type.
#[must_use]
pub fn message_type() -> DataType {
    DataType::Struct(message_fields())
}

pub(crate) fn message_fields() -> Fields {
    Fields::from(vec![
        Field::new("content", DataType::Utf8, true),
        Field::new("thoughts", list_of(DataType::Utf8), true),
        Field::new("tool_calls", list_of(DataType::Struct(call_fields())), true),
        Field::new("notices", list_of(DataType::Struct(notice_fields())), true),
    ])
}

fn list_of(item: DataType) -> DataType {
    DataType::List(Arc::new(Field::new_list_field(item, true)))
}

fn strings<const N: usize>(names: [&str; N]) -> Vec<Field> {
    names
        .map(|name| Field::new(name, DataType::Utf8, true))
        .into()
}

fn call_fields() -> Fields {
    strings(["id", "name", "arguments"]).into()
}

fn notice_fields() -> Fields {
    let mut fields = strings(["code", "message"]);
    fields.push(Field::new("call", DataType::Int64, true));
    fields.into()
}

/// Texts in any of Arrow's forms of strings.
pub(crate) enum Texts<'a> {
    Small(&'a StringArray),
    Large(&'a arrow_array::LargeStringArray),
    View(&'a arrow_array::StringViewArray),
    Bytes(&'a arrow_array::BinaryArray),
    LargeBytes(&'a arrow_array::LargeBinaryArray),
    BytesView(&'a arrow_array::BinaryViewArray),
    Dictionary(Box<Texts<'a>>, Vec<usize>, Option<NullBuffer>),
    /// All of them are null.
    Null,
}

impl<'a> Texts<'a> {
    /// The texts of an array, if it has such.
    pub(crate) fn of(array: &'a dyn Array) -> Result<Self, ArrowError> {
        Ok(match array.data_type() {
            DataType::Utf8 => Texts::Small(array.as_string()),
            DataType::LargeUtf8 => Texts::Large(array.as_string()),
            DataType::Utf8View => Texts::View(array.as_string_view()),
            DataType::Binary => Texts::Bytes(array.as_binary()),
            DataType::LargeBinary => Texts::LargeBytes(array.as_binary()),
            DataType::BinaryView => Texts::BytesView(array.as_binary_view()),
            DataType::Null => Texts::Null,
            // Without values every text is null, and there are no keys that could be normalized.
            DataType::Dictionary(..) if array.as_any_dictionary().values().is_empty() => {
                let values = array.as_any_dictionary().values();
                Texts::of(values.as_ref()).map(|_| Texts::Null)?
            }
            DataType::Dictionary(..) => {
                let array = array.as_any_dictionary();
                let values = Texts::of(array.values().as_ref())?;
                let nulls = array.logical_nulls();
                Texts::Dictionary(Box::new(values), array.normalized_keys(), nulls)
            }
            other => {
                let text = format!("expected strings, got an array of type {other}");
                return Err(ArrowError::InvalidArgumentError(text));
            }
        })
    }

    /// The bytes of all texts, each as often as it is there.
    pub(crate) fn total_bytes(&self, len: usize) -> usize {
        let texts = (0..len).filter_map(|index| self.get(index).ok().flatten());
        texts.map(str::len).sum()
    }

    /// The text at an index; `None` for null, an error for what is not UTF-8.
    pub(crate) fn get(&self, index: usize) -> Result<Option<&'a str>, std::str::Utf8Error> {
        macro_rules! at {
            ($array:expr) => {
                $array.is_valid(index).then(|| $array.value(index))
            };
        }
        let bytes = match self {
            Texts::Small(array) => return Ok(at!(array)),
            Texts::Large(array) => return Ok(at!(array)),
            Texts::View(array) => return Ok(at!(array)),
            Texts::Bytes(array) => at!(array),
            Texts::LargeBytes(array) => at!(array),
            Texts::BytesView(array) => at!(array),
            Texts::Dictionary(values, keys, nulls) => {
                let is_null = nulls.as_ref().is_some_and(|nulls| nulls.is_null(index));
                return if is_null {
                    Ok(None)
                } else {
                    values.get(keys[index])
                };
            }
            Texts::Null => None,
        };
        bytes.map(str::from_utf8).transpose()
    }
}

/// Reads each text of an array: one array of messages of type [`message_type`], or several if there is
/// more text than one can hold. A text that is null has a content that is null, and empty lists.
///
/// # Errors
///
/// If the array is not one of strings, or of bytes that are UTF-8.
///
/// ```
/// use arrow_array::{Array, StringArray, cast::AsArray};
/// use tagstream::{Profile, Thinking, message::MessageReader};
///
/// let policy = Profile::new().thinking(Thinking::tags(["think"])).compile()?;
/// let texts = StringArray::from(vec![Some("<think>plan</think>5 < 6"), None]);
/// let messages = tagstream_batch::arrow::parse(&mut MessageReader::new(&policy), &texts)?;
/// assert_eq!(messages[0].column(0).as_string::<i32>().value(0), "5 < 6");
/// assert!(messages[0].column(0).is_null(1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn parse(
    reader: &mut MessageReader,
    texts: &dyn Array,
) -> Result<Vec<StructArray>, ArrowError> {
    let source = Texts::of(texts)?;
    let mut done = Vec::new();
    let mut open = Messages::default();
    for row in 0..texts.len() {
        let text = source.get(row);
        let text = text.map_err(|error| {
            ArrowError::InvalidArgumentError(format!("row {row} is not UTF-8: {error}"))
        })?;
        let len = text.map_or(0, str::len);
        if open.text_bytes + len > MAX_TEXT_BYTES && open.text_bytes > 0 {
            done.push(std::mem::take(&mut open).finish());
        }
        open.text_bytes += len;
        open.push(text.map(|text| reader.read(text)));
    }
    if done.is_empty() || open.len > 0 {
        done.push(open.finish());
    }
    Ok(done)
}

/// Messages as columns, while they are collected.
#[derive(Default)]
pub(crate) struct Messages {
    text_bytes: usize,
    len: usize,
    content: StringBuilder,
    thoughts: List<StringBuilder>,
    calls: List<[StringBuilder; 3]>,
    notices: List<([StringBuilder; 2], Int64Builder)>,
}

/// Lists while they are collected: all items, and where each list ends.
#[derive(Default)]
struct List<B> {
    items: B,
    lengths: Vec<usize>,
}

impl<B> List<B> {
    fn push<T>(&mut self, list: &[T], mut item: impl FnMut(&mut B, &T)) {
        list.iter().for_each(|each| item(&mut self.items, each));
        self.lengths.push(list.len());
    }

    fn finish(self, item: DataType, array: impl FnOnce(B) -> ArrayRef) -> ArrayRef {
        let offsets = OffsetBuffer::from_lengths(self.lengths);
        let field = Arc::new(Field::new_list_field(item, true));
        Arc::new(ListArray::new(field, offsets, array(self.items), None))
    }
}

impl Messages {
    /// Adds a message; without one, a content that is null.
    pub(crate) fn push(&mut self, message: Option<&Message>) {
        self.len += 1;
        self.content
            .append_option(message.map(|message| message.content.as_str()));
        let none = Message::default();
        let message = message.unwrap_or(&none);
        self.thoughts.push(&message.thoughts, |items, thought| {
            items.append_value(thought);
        });
        self.calls.push(&message.tool_calls, |items, call| {
            let values = [&call.id, &call.name, &call.arguments];
            items
                .iter_mut()
                .zip(values)
                .for_each(|(items, value)| items.append_value(value));
        });
        self.notices
            .push(&message.notices, |(texts, calls), notice: &Notice| {
                texts[0].append_value(notice.code);
                texts[1].append_value(&notice.message);
                calls.append_option(notice.call.map(|call| call as i64));
            });
    }

    /// The array of the messages so far.
    pub(crate) fn finish(mut self) -> StructArray {
        let columns: Vec<ArrayRef> = vec![
            Arc::new(self.content.finish()),
            self.thoughts
                .finish(DataType::Utf8, |mut items| Arc::new(items.finish())),
            self.calls.finish(DataType::Struct(call_fields()), |items| {
                let columns = items.map(|mut items| Arc::new(items.finish()) as ArrayRef);
                Arc::new(StructArray::new(call_fields(), columns.into(), None))
            }),
            self.notices
                .finish(DataType::Struct(notice_fields()), |(texts, mut calls)| {
                    let mut columns = texts
                        .map(|mut items| Arc::new(items.finish()) as ArrayRef)
                        .to_vec();
                    columns.push(Arc::new(calls.finish()));
                    Arc::new(StructArray::new(notice_fields(), columns, None))
                }),
        ];
        StructArray::new(message_fields(), columns, None)
    }
}
