//! What the tests of the check share.

use serde_json::{Value, json};
use tagstream::check::{ArgumentText, ArgumentsText, CallText, Check, Verdict};
use tagstream::{Schemas, Tools};

/// One tool `f` with these properties.
pub(crate) fn tool(properties: &Value) -> Tools {
    with_schema(&json!({"type": "object", "properties": properties}))
}

/// One tool `f` with this schema.
pub(crate) fn with_schema(schema: &Value) -> Tools {
    Tools::from_value(&json!([{"name": "f", "input_schema": schema}])).unwrap()
}

/// What comes of a call of `f` with these values.
pub(crate) fn values(schemas: &Schemas, values: &[(&str, &str)]) -> Verdict {
    let text = |&(name, text)| ArgumentText::new(name, text, None);
    let values: Vec<_> = values.iter().map(text).collect();
    call(schemas, ArgumentsText::Values(&values))
}

/// What comes of a call of `f` with this JSON.
pub(crate) fn json(schemas: &Schemas, text: &str) -> Verdict {
    call(schemas, ArgumentsText::json(text))
}

/// What comes of a call of `f`.
pub(crate) fn call(schemas: &Schemas, arguments: ArgumentsText<'_>) -> Verdict {
    schemas.check(&CallText::new("f", arguments))
}

/// A verdict in one line: the arguments, or each problem with its code and argument.
pub(crate) fn reported(verdict: &Verdict) -> String {
    match verdict.clone().into_result() {
        Ok((arguments, _)) => arguments,
        Err(problems) => {
            let reported = problems.iter().map(|problem| {
                let argument = problem.argument.as_deref().unwrap_or("-");
                format!("{}:{argument}: {}", problem.code.as_str(), problem.message)
            });
            reported.collect::<Vec<_>>().join(" | ")
        }
    }
}

/// What was repaired in a valid call.
pub(crate) fn repaired(verdict: &Verdict) -> &[String] {
    let Verdict::Valid { repaired, .. } = verdict else {
        panic!("{verdict:?}");
    };
    repaired
}
