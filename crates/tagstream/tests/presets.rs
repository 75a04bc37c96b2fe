//! Every preset is a profile that works, and says what it is for.

use tagstream::preset;
use tagstream::profile::{CallOptions, Preset, parse_with, presets};
use tagstream_testing::docs::check_table;

#[test]
fn every_preset_compiles() {
    for preset in presets() {
        let profile = preset.profile();
        profile
            .compile()
            .unwrap_or_else(|e| panic!("{}: {e}", preset.name()));
    }
}

#[test]
fn no_preset_has_odd_tools() {
    for preset in presets() {
        let loaded = parse_with(preset.source(), &CallOptions::default()).unwrap();
        assert_eq!(loaded.warnings, [], "{}", preset.name());
    }
}

#[test]
fn every_preset_says_what_it_is_for() {
    for preset in presets() {
        assert!(preset.source().starts_with("# "), "{}", preset.name());
        assert!(preset.description().len() > 20, "{}", preset.name());
    }
}

#[test]
fn an_unknown_name_is_refused_with_the_names_there_are() {
    assert_eq!(Preset::find("no-such"), None);
    let error = preset("no-such").unwrap_err();
    assert_eq!(error.name(), "no-such");
    let message = error.to_string();
    assert!(
        message.starts_with("unknown preset `no-such`; allowed: `thinking`, `canvas`, "),
        "{message}"
    );
}

#[test]
fn the_canvas_is_the_profile_of_the_nodes_view() {
    let canvas = preset("canvas").unwrap();
    assert_eq!(canvas, tagstream::view::Nodes::profile());
}

#[test]
fn the_filter_is_the_profile_of_the_filter_view() {
    let filter = preset("filter").unwrap();
    let options = tagstream::view::FilterOptions::new(filter);
    assert_eq!(options, tagstream::view::FilterOptions::default());
}

#[test]
fn every_pattern_leads_to_its_preset() {
    for preset in presets() {
        for pattern in preset.models() {
            let model = pattern.replace('*', "-8b-");
            let found = Preset::for_model(&model).unwrap();
            assert_eq!(found.name(), preset.name(), "{pattern}");
        }
    }
}

#[test]
fn a_model_has_the_preset_with_the_longest_pattern() {
    for (model, name) in [
        ("Qwen/Qwen3-Coder-30B-A3B", "qwen3-coder"),
        ("qwen3:8b", "qwen3"),
        ("Qwen/Qwen3-4B-Thinking-2507", "qwen3-thinking"),
        ("deepseek-ai/DeepSeek-R1-Distill-Qwen-7B", "deepseek-r1"),
        ("nvidia/Llama-3_3-Nemotron-Super-49B-v1", "nemotron"),
        ("nvidia/Llama-3.1-Nemotron-Ultra-253B-v1", "nemotron"),
        ("Salesforce/Llama-xLAM-2-8b-fc-r", "xlam"),
        ("NousResearch/Hermes-3-Llama-3.1-8B", "qwen3"),
        ("ibm-granite/granite-4.0-h-small", "granite-4"),
        // The owner of a model does not say what it is, unless nothing else does.
        ("Qwen/QwQ-32B", "qwen3-thinking"),
        ("deepseek-ai/Some-Llama-8B", "llama"),
        ("moonshotai/kimi/latest", "kimi-k2"),
    ] {
        assert_eq!(Preset::for_model(model).unwrap().name(), name, "{model}");
    }
    let error = Preset::for_model("my-model").unwrap_err();
    assert_eq!(error.model(), "my-model");
    let message = error.to_string();
    assert!(
        message.starts_with("no preset fits the model `my-model`; "),
        "{message}"
    );
}

#[test]
fn a_misspelt_model_is_recognized_by_the_beginning_of_its_name() {
    for (model, meant) in [
        ("gtp-oss-20b", "gpt-oss"),
        ("openai/gtp-oss:20b", "gpt-oss"),
        ("mistrall-7b-instruct-v0.3", "mistral"),
    ] {
        let message = Preset::for_model(model).unwrap_err().to_string();
        let hint = format!("`{model}` (did you mean `{meant}`?); ");
        assert!(message.contains(&hint), "{message}");
    }
}

/// The tables of models in the docs are made from the presets. `UPDATE_DOCS=1` writes them.
#[test]
fn the_tables_of_models_are_those_of_the_presets() {
    check_table("docs/models.md", "models", &table());
    check_table("README.md", "models", &short_table());
}

/// The models of each preset, without what they are read as.
fn short_table() -> String {
    let mut table = "\n| models whose names contain | preset |\n|---|---|\n".to_owned();
    for preset in presets() {
        let models = preset.models().iter().map(|model| format!("`{model}`"));
        let models: Vec<_> = models.collect();
        if !models.is_empty() {
            table += &format!("| {} | `{}` |\n", models.join(", "), preset.name());
        }
    }
    table + "\n"
}

fn table() -> String {
    let mut table = "\n| models whose names contain | preset | reads |\n|---|---|---|\n".to_owned();
    for preset in presets()
        .iter()
        .filter(|preset| !preset.models().is_empty())
    {
        let models: Vec<_> = preset
            .models()
            .iter()
            .map(|model| format!("`{model}`"))
            .collect();
        let about = preset.description().replace('<', "\\<");
        table += &format!(
            "| {} | `{}` | {about} |\n",
            models.join(", "),
            preset.name()
        );
    }
    table + "\n"
}

/// What a model's fixture holds, by the end of the id of its cases.
const FIXTURE: [&str; 4] = ["answer", "call", "calls", "unclosed"];

#[test]
fn every_preset_for_a_model_has_a_fixture() {
    let cases = include_str!("../../../cases/models.jsonl");
    let ids: Vec<String> = cases
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .map(|case| {
            let preset = Preset::for_model(case["model"].as_str().unwrap()).unwrap();
            let id = case["id"].as_str().unwrap();
            format!("{}/{}", preset.name(), id.rsplit('-').next().unwrap())
        })
        .collect();
    for preset in presets().iter().filter(|p| !p.models().is_empty()) {
        for kind in FIXTURE {
            let wanted = format!("{}/{kind}", preset.name());
            assert!(
                ids.contains(&wanted),
                "the preset `{0}` has no fixture: add a line to cases/models.jsonl whose `model` fits it, \
                 with the id `model-{0}-{kind}`",
                preset.name()
            );
        }
    }
}
