//! The types of columns with messages in OpenAI's form: what they may be, and what cleaning makes of them.

use arrow_schema::{DataType, Field, Fields};
use std::sync::Arc;

/// Whether a column has text.
pub(crate) fn is_text(data_type: &DataType) -> bool {
    matches!(
        data_type,
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View
    )
}

/// The column with room for what is found: JSON text stays such; in a list of structs, the fields
/// `reasoning_content` and `tool_calls` are added unless they are there.
pub(crate) fn cleaned(column: &Field) -> Result<Field, String> {
    let list = |item: &Arc<Field>| cleaned_message(column.name(), item).map(Arc::new);
    let data_type = match column.data_type() {
        text if is_text(text) => text.clone(),
        DataType::List(item) => DataType::List(list(item)?),
        DataType::LargeList(item) => DataType::LargeList(list(item)?),
        other => {
            let name = column.name();
            return Err(format!(
                "the column `{name}` has type {other}; it must be a list of structs, or JSON text"
            ));
        }
    };
    Ok(Field::new(column.name(), data_type, true))
}

fn cleaned_message(column: &str, item: &Field) -> Result<Field, String> {
    let DataType::Struct(fields) = item.data_type() else {
        return Err(format!("the items of `{column}` are not structs"));
    };
    let mut fields: Vec<Field> = fields
        .iter()
        .map(|field| field.as_ref().clone().with_nullable(true))
        .collect();
    let wanted = [
        Field::new("content", DataType::Utf8, true),
        Field::new("reasoning_content", DataType::Utf8, true),
        Field::new("tool_calls", calls(), true),
    ];
    for wanted in wanted {
        match fields.iter().find(|field| field.name() == wanted.name()) {
            Some(field) if can_hold(field.data_type(), wanted.data_type()) => {}
            Some(field) => {
                let (name, is) = (field.name(), field.data_type());
                return Err(format!(
                    "`{name}` in `{column}` has type {is}, which cannot hold {}; convert the column to JSON text",
                    wanted.data_type()
                ));
            }
            None => fields.push(wanted),
        }
    }
    Ok(Field::new(
        item.name(),
        DataType::Struct(fields.into()),
        true,
    ))
}

fn text(name: &str) -> Field {
    Field::new(name, DataType::Utf8, true)
}

/// The type of calls in OpenAI's form.
fn calls() -> DataType {
    let function = Fields::from(vec![text("name"), text("arguments")]);
    let function = Field::new("function", DataType::Struct(function), true);
    let call = Fields::from(vec![text("id"), text("type"), function]);
    DataType::List(Arc::new(Field::new_list_field(
        DataType::Struct(call),
        true,
    )))
}

/// The type of the notices about several messages.
pub(crate) fn notices() -> DataType {
    let number = |name: &str| Field::new(name, DataType::Int64, true);
    let notice = Fields::from(vec![
        text("code"),
        text("message"),
        number("call"),
        number("in_message"),
    ]);
    DataType::List(Arc::new(Field::new_list_field(
        DataType::Struct(notice),
        true,
    )))
}

/// Whether a column of one type has room for all values of another.
fn can_hold(column: &DataType, values: &DataType) -> bool {
    match (column, values) {
        (DataType::List(column) | DataType::LargeList(column), DataType::List(values)) => {
            can_hold(column.data_type(), values.data_type())
        }
        (DataType::Struct(column), DataType::Struct(values)) => values.iter().all(|value| {
            let field = column.iter().find(|field| field.name() == value.name());
            field.is_some_and(|field| can_hold(field.data_type(), value.data_type()))
        }),
        (column, values) => is_text(column) && is_text(values),
    }
}
