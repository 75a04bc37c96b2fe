//! What a caller sets, as the JSON that the TypeScript layer sends.

use serde::Deserialize;
use serde_json::{Value, json};
use tagstream::calls::DialectChoice;
use tagstream::profile::{self, CallOptions, Loaded, Preset};
use tagstream::tools::{Tools, ToolsError};
use tagstream::{FileError, ProfileError, Whitespace, preset};
use wasm_bindgen::JsValue;

#[derive(Default, Deserialize)]
#[serde(default)]
struct Options {
    preset: Option<String>,
    model: Option<String>,
    /// The text of a profile: TOML or JSON.
    profile: Option<String>,
    dialect: Option<DialectChoice>,
    /// The text of a list of tools, or of a request with one.
    tools: Option<String>,
    /// Whether calls are read; as the profile has it if it is not given.
    calls: Option<bool>,
}

/// The profile for these options. An error is the text of a JSON object: `option`, `message`, and
/// `line` and `key` where they are known.
pub(crate) fn load(options: &str) -> Result<Loaded, JsValue> {
    let options: Options = serde_json::from_str(options)
        .map_err(|error| refuse("options", &error.to_string(), None, None))?;
    let mut calls = CallOptions::new().dialect(options.dialect.clone());
    calls.wanted |= options.calls == Some(true);
    if let Some(tools) = &options.tools {
        calls = calls.tools(Tools::parse_some(tools).map_err(|error| of_tools(&error))?);
    }
    let source = source(&options)?;
    let loaded = profile::parse_with(&source, &calls);
    let mut loaded = loaded.map_err(|error| of_file(&error))?;
    if options.calls == Some(false) {
        loaded.profile.calls = None;
    }
    Ok(loaded)
}

/// The text of the profile: the caller's own, a preset's, the one for a model, or thinking alone.
fn source(options: &Options) -> Result<String, JsValue> {
    if let Some(profile) = &options.profile {
        return Ok(profile.clone());
    }
    if let Some(model) = &options.model {
        let preset = Preset::for_model(model);
        let preset = preset.map_err(|error| refuse("model", &error.to_string(), None, None))?;
        return Ok(preset.source().to_owned());
    }
    let name = options.preset.as_deref().unwrap_or("thinking");
    match Preset::find(name) {
        Some(preset) => Ok(preset.source().to_owned()),
        None => {
            let message = preset(name).map_or_else(|error| error.to_string(), |_| String::new());
            Err(refuse("preset", &message, None, None))
        }
    }
}

fn of_file(error: &FileError) -> JsValue {
    let option = match error.key() {
        Some(key) if key.starts_with("calls.dialect") => "dialect",
        _ => "profile",
    };
    refuse(option, &error.to_string(), error.line(), error.key())
}

fn of_tools(error: &ToolsError) -> JsValue {
    refuse("tools", &error.to_string(), None, Some(error.place()))
}

/// The value with this name.
pub(crate) fn one_of<T: Copy>(
    option: &str,
    name: &str,
    allowed: &[(&str, T)],
) -> Result<T, JsValue> {
    let known = allowed.iter().find(|(known, _)| *known == name);
    known.map(|(_, value)| *value).ok_or_else(|| {
        let names: Vec<_> = allowed.iter().map(|(name, _)| *name).collect();
        let message = format!("unknown value `{name}`; allowed: {}", names.join(", "));
        refuse(option, &message, None, None)
    })
}

pub(crate) fn whitespace(name: &str) -> Result<Whitespace, JsValue> {
    let allowed = [
        ("preserve", Whitespace::Preserve),
        ("collapse", Whitespace::Collapse),
        ("split", Whitespace::Split),
        ("as-is", Whitespace::AsIs),
    ];
    one_of("whitespace", name, &allowed)
}

pub(crate) fn of_profile(error: &ProfileError) -> JsValue {
    refuse("profile", &error.to_string(), None, Some(error.key()))
}

pub(crate) fn refuse(
    option: &str,
    message: &str,
    line: Option<usize>,
    key: Option<&str>,
) -> JsValue {
    let error: Value = json!({"option": option, "message": message, "line": line, "key": key});
    JsValue::from_str(&error.to_string())
}
