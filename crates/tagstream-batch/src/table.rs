//! Rows with the added columns.

use crate::arrow::{Messages, Texts};
use crate::chat::Chat;
use crate::json;
use crate::lines::Lines;
use crate::messages_type;
use crate::record::{Found, Records};
use crate::rows::Rows;
use crate::settings::{Columns, Settings, Subject};
use crate::summary::Summary;
use arrow_array::builder::StringBuilder;
use arrow_array::{Array, ArrayRef, RecordBatch, new_empty_array};
use arrow_json::writer::LineDelimited;
use arrow_json::{ReaderBuilder, WriterBuilder};
use arrow_schema::{ArrowError, DataType, Field, FieldRef, Fields, Schema};
use std::sync::Arc;
use tagstream::Policy;
use tagstream::message::MessageReader;

/// Turns records into rows with the added columns.
pub(crate) struct Table<'s> {
    policy: &'s Policy,
    settings: &'s Settings,
    columns: Columns,
    reader: MessageReader,
    pub(crate) summary: Summary,
    /// The errors of bad records.
    pub(crate) bad: Vec<String>,
}

/// Whether a file with these columns can be read; the error says why not.
pub(crate) fn check(schema: &Schema, settings: &Settings) -> Result<(), String> {
    let name = settings.subject.name();
    let Some((_, field)) = schema.column_with_name(name) else {
        let names: Vec<_> = schema
            .fields()
            .iter()
            .map(|field| field.name().as_str())
            .collect();
        return Err(format!(
            "there is no column `{name}`; there are {}",
            names.join(", ")
        ));
    };
    match settings.subject {
        Subject::Field(_) => {
            let empty = new_empty_array(field.data_type());
            if is_binary(field.data_type()) && settings.columns().has(name) {
                // What is not UTF-8 could not be passed on.
                return Err(format!(
                    "the column `{name}` has bytes that an added column would replace; give the added ones a --prefix"
                ));
            }
            let texts = Texts::of(empty.as_ref()).map(|_| ());
            texts.map_err(|_| {
                format!(
                    "the column `{name}` has type {}, not text",
                    field.data_type()
                )
            })
        }
        Subject::Messages(_) => messages_type::cleaned(field).map(|_| ()),
    }
}

fn is_binary(column: &DataType) -> bool {
    match column {
        DataType::Dictionary(_, values) => is_binary(values),
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => true,
        _ => false,
    }
}

type Added = Vec<(FieldRef, ArrayRef)>;

impl<'s> Table<'s> {
    pub(crate) fn new(policy: &'s Policy, settings: &'s Settings) -> Self {
        Table {
            policy,
            settings,
            columns: settings.columns(),
            reader: MessageReader::new(policy).whitespace(settings.whitespace),
            summary: Summary::default(),
            bad: Vec::new(),
        }
    }

    /// The rows of a file called `name`, with the added columns.
    pub(crate) fn rows(&mut self, rows: &Rows, name: &str) -> Result<Vec<RecordBatch>, ArrowError> {
        let mut first = rows.first;
        let mut done = Vec::new();
        for batch in &rows.batches {
            let place = |row: usize| format!("{name}: row {}", first + row as u64);
            self.summary.records += batch.num_rows() as u64;
            let subject = self.settings.subject.name();
            let column = batch.column_by_name(subject).ok_or_else(|| {
                ArrowError::InvalidArgumentError(format!("there is no column `{subject}`"))
            })?;
            let added = match self.settings.subject {
                Subject::Field(_) => self.texts(column, place)?,
                Subject::Messages(_) => self.messages(column, place)?,
            };
            done.push(self.with(batch, added)?);
            first += batch.num_rows() as u64;
        }
        Ok(done)
    }

    /// Lines as rows. JSON has no columns that all records are sure to have, so each line is one value,
    /// in the column `record`.
    pub(crate) fn lines(&mut self, lines: &Lines, name: &str) -> Result<RecordBatch, ArrowError> {
        let mut records = StringBuilder::new();
        let mut errors = StringBuilder::new();
        let mut added = match &self.settings.subject {
            Subject::Field(field) => {
                let mut messages = Messages::default();
                lines.each(|line, number| {
                    let error = self.line(line, field, &mut messages, &mut records);
                    self.error(error, || format!("{name}:{number}"), &mut errors);
                });
                self.message_columns(messages)
            }
            Subject::Messages(_) => {
                self.cleaned_lines(lines, name, &mut records, &mut errors);
                Vec::new()
            }
        };
        added.insert(0, string_column("record", records));
        added.push(string_column(&self.columns.error, errors));
        batch(added, Schema::empty())
    }

    /// Adds a line and its message; returns what is wrong with it.
    fn line(
        &mut self,
        line: &[u8],
        field: &str,
        messages: &mut Messages,
        records: &mut StringBuilder,
    ) -> Option<String> {
        self.summary.records += 1;
        let Ok(text) = str::from_utf8(line) else {
            records.append_value(format!("{{\"record_hex\":\"{}\"}}", json::hex(line)));
            messages.push(None);
            return Some("the line is not UTF-8".to_owned());
        };
        records.append_value(text.trim());
        match Found::in_record(text.trim(), field, &self.columns)
            .and_then(|found| found.text(field))
        {
            Ok(text) => {
                self.read(text.as_deref(), messages);
                None
            }
            Err(bad) => {
                messages.push(None);
                Some(bad.why().to_owned())
            }
        }
    }

    /// Adds the lines with their messages cleaned, as they are in JSON Lines.
    fn cleaned_lines(
        &mut self,
        lines: &Lines,
        name: &str,
        records: &mut StringBuilder,
        errors: &mut StringBuilder,
    ) {
        let mut cleaned = Records::new(self.policy, self.settings);
        let mut out = String::new();
        lines.each(|line, number| {
            let known = cleaned.bad.len();
            cleaned.line(line, || format!("{name}:{number}"), &mut out);
            records.append_value(out.trim_end());
            errors.append_option(cleaned.bad.get(known));
            out.clear();
        });
        self.summary.add(&cleaned.summary);
        self.bad.append(&mut cleaned.bad);
    }

    /// Reads the texts of a column.
    fn texts(
        &mut self,
        column: &ArrayRef,
        place: impl Fn(usize) -> String,
    ) -> Result<Added, ArrowError> {
        let texts = Texts::of(column.as_ref())?;
        let (mut messages, mut errors) = (Messages::default(), StringBuilder::new());
        for row in 0..column.len() {
            let text = texts.get(row);
            let error = text.err().map(|_| "the text is not UTF-8".to_owned());
            match text {
                Ok(text) => self.read(text, &mut messages),
                Err(_) => messages.push(None),
            }
            self.error(error, || place(row), &mut errors);
        }
        let mut added = self.message_columns(messages);
        added.push(string_column(&self.columns.error, errors));
        Ok(added)
    }

    fn read(&mut self, text: Option<&str>, messages: &mut Messages) {
        match text {
            Some(text) => {
                let message = self.reader.read(text);
                self.summary.count(text, message);
                messages.push(Some(message));
            }
            None => {
                self.summary.nulls += 1;
                messages.push(None);
            }
        }
    }

    /// Adds the error of a record, or null.
    fn error(
        &mut self,
        error: Option<String>,
        place: impl Fn() -> String,
        errors: &mut StringBuilder,
    ) {
        let error = error.map(|error| format!("{}: {error}", place()));
        errors.append_option(error.as_deref());
        self.summary.bad += u64::from(error.is_some());
        self.bad.extend(error);
    }

    /// The columns of messages, by the names that the user chose.
    fn message_columns(&self, messages: Messages) -> Added {
        let (fields, columns, _) = messages.finish().into_parts();
        let names = [
            &self.columns.content,
            &self.columns.thoughts,
            &self.columns.tool_calls,
            &self.columns.notices,
        ];
        renamed(&fields, names.map(String::as_str))
            .zip(columns)
            .collect()
    }

    /// Cleans the messages of a column: lists of structs, or JSON text. They take the way through JSON,
    /// so that there is one place that knows what a message in OpenAI's form is.
    fn messages(
        &mut self,
        column: &ArrayRef,
        place: impl Fn(usize) -> String,
    ) -> Result<Added, ArrowError> {
        let name = self.settings.subject.name();
        let field = Field::new(name, column.data_type().clone(), true);
        let cleaned = messages_type::cleaned(&field);
        let cleaned = cleaned.map_err(ArrowError::InvalidArgumentError)?;
        let is_text = messages_type::is_text(column.data_type());
        let mut lines = String::new();
        each_json(&field, column, |row, list| {
            lines.push_str("{\"messages\":");
            self.cleaned(list, is_text, || place(row), &mut lines);
            lines.push_str("}\n");
        })?;
        let schema = Arc::new(Schema::new(vec![
            cleaned.with_name("messages"),
            Field::new("notices", messages_type::notices(), true),
            Field::new("error", DataType::Utf8, true),
        ]));
        let reader = ReaderBuilder::new(schema.clone()).with_batch_size(column.len().max(1));
        let mut decoder = reader.build_decoder()?;
        decoder.decode(lines.as_bytes())?;
        let decoded = decoder.flush()?;
        let decoded = decoded.unwrap_or_else(|| RecordBatch::new_empty(schema.clone()));
        let names = [name, &self.columns.notices, &self.columns.error];
        let fields = renamed(schema.fields(), names);
        Ok(fields.zip(decoded.columns().iter().cloned()).collect())
    }

    /// Adds a list of messages, its notices and its error, as the rest of a JSON object.
    fn cleaned(&mut self, list: &str, is_text: bool, place: impl Fn() -> String, out: &mut String) {
        let (mut notices, mut cleaned) = (String::new(), String::new());
        let text = is_text
            .then(|| serde_json::from_str::<String>(list).ok())
            .flatten();
        let mut chat = Chat::new(&mut self.reader, &mut self.summary, &mut notices);
        let done = chat.messages(text.as_deref().unwrap_or(list), &mut cleaned);
        match (&done, is_text) {
            (Ok(()), true) => json::string(&cleaned, out),
            (Ok(()), false) => out.push_str(&cleaned),
            (Err(_), _) => out.push_str(list),
        }
        out.push_str(",\"notices\":[");
        out.push_str(if done.is_ok() { &notices } else { "" });
        out.push_str("],\"error\":");
        match done {
            Ok(()) => out.push_str("null"),
            Err(why) => {
                let error = format!("{}: {why}", place());
                json::string(&error, out);
                self.summary.bad += 1;
                self.bad.push(error);
            }
        }
    }

    /// A batch with added columns. Those of the same names are replaced, where they are.
    fn with(&mut self, old: &RecordBatch, added: Added) -> Result<RecordBatch, ArrowError> {
        let schema = old.schema();
        let is_replaced = |name: &str| match &self.settings.subject {
            Subject::Messages(subject) if subject == name => false,
            _ => schema.column_with_name(name).is_some(),
        };
        if added.iter().any(|(field, _)| is_replaced(field.name())) {
            self.summary.replaced += old.num_rows() as u64;
        }
        let kept = schema
            .fields()
            .iter()
            .cloned()
            .zip(old.columns().iter().cloned());
        let mut columns: Added = kept.collect();
        for new in added {
            match columns
                .iter_mut()
                .find(|(field, _)| field.name() == new.0.name())
            {
                Some(old) => *old = new,
                None => columns.push(new),
            }
        }
        batch(
            columns,
            Schema::empty().with_metadata(schema.metadata().clone()),
        )
    }
}

/// Gives each value of a column as JSON.
fn each_json(
    field: &Field,
    column: &ArrayRef,
    mut value: impl FnMut(usize, &str),
) -> Result<(), ArrowError> {
    let rows = batch(
        vec![(Arc::new(field.clone()), column.clone())],
        Schema::empty(),
    )?;
    let bytes = json_lines(&[rows])?;
    let lines = Lines {
        bytes,
        first: 0,
        breaks: 0,
    };
    lines.each(|line, row| {
        let line = str::from_utf8(line).unwrap_or_default();
        let entries = json::entries(line).unwrap_or_default();
        value(
            row as usize,
            entries.first().map_or("null", |(_, value)| value.get()),
        );
    });
    Ok(())
}

/// Rows as JSON Lines.
pub(crate) fn json_lines(rows: &[RecordBatch]) -> Result<Vec<u8>, ArrowError> {
    let builder = WriterBuilder::new().with_explicit_nulls(true);
    let mut writer = builder.build::<_, LineDelimited>(Vec::new());
    rows.iter().try_for_each(|batch| writer.write(batch))?;
    writer.finish()?;
    Ok(writer.into_inner())
}

fn renamed<const N: usize>(fields: &Fields, names: [&str; N]) -> impl Iterator<Item = FieldRef> {
    let fields = fields.iter().zip(names);
    fields.map(|(field, name)| Arc::new(field.as_ref().clone().with_name(name)))
}

fn string_column(name: &str, mut values: StringBuilder) -> (FieldRef, ArrayRef) {
    let field = Field::new(name, DataType::Utf8, true);
    (Arc::new(field), Arc::new(values.finish()))
}

fn batch(columns: Added, schema: Schema) -> Result<RecordBatch, ArrowError> {
    let (fields, columns): (Vec<_>, Vec<_>) = columns.into_iter().unzip();
    let schema = Schema::new(fields).with_metadata(schema.metadata);
    RecordBatch::try_new(Arc::new(schema), columns)
}
