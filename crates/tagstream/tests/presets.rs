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

/// Names as owners, servers and hosts spell them.
const NAMES: &[(&str, &[&str])] = &[
    (
        "qwen3",
        &[
            "Qwen/Qwen3-8B",
            "qwen3:8b",
            "unsloth/Qwen3-14B-unsloth-bnb-4bit",
            "bartowski/Qwen_Qwen3-8B-GGUF",
            "Qwen/Qwen3_8B",
            "/models/Qwen3-8B-Q4_K_M.gguf",
            "C:\\models\\Qwen3-8B-Q4_K_M.gguf",
            "QWEN3-8B",
            "qwen2.5-coder:7b",
            "accounts/fireworks/models/qwen2p5-72b-instruct",
            "qwen-turbo",
            "NousResearch/Hermes-2-Pro-Mistral-7B",
            "NousResearch/Hermes-2-Pro-Llama-3-8B",
            "NousResearch/Hermes-3-Llama-3.1-8B",
            "NousResearch/Hermes-4-70B",
            "NousResearch/DeepHermes-3-Mistral-24B-Preview",
            "NousResearch/DeepHermes-3-Llama-3-8B-Preview",
            "NousResearch/Nous-Hermes-2-Mixtral-8x7B-DPO",
            "hermes3:8b",
            "hermes4",
            "qwen-3-8b",
            "Qwen/Qwen3-30B-A3B-Instruct-2507",
            "Qwen/Qwen3-Next-80B-A3B-Instruct",
            "qwen3-max",
            "teknium/OpenHermes-2.5-Mistral-7B",
            "Alibaba-NLP/Tongyi-DeepResearch-30B-A3B",
        ],
    ),
    (
        "qwen3-coder",
        &[
            "Qwen/Qwen3-Coder-30B-A3B",
            "qwen3-coder:480b-cloud",
            "openrouter/qwen/qwen3-coder:free",
            "qwen.qwen3-coder-480b-a35b-v1:0",
            "accounts/fireworks/models/qwen3-coder-480b-a35b-instruct",
            "Qwen3.5-27B",
            "qwen3.7-max",
            "qwen-3-coder-480b",
            "qwen3coder",
            "Qwen3-5-27B",
            "Qwen/Qwen3.6-35B-A3B",
            "Qwen/Qwen3-Coder-Next",
        ],
    ),
    (
        "qwen3-thinking",
        &[
            "Qwen/Qwen3-235B-A22B-Thinking-2507-FP8",
            "qwen3:30b-a3b-thinking-2507-q8_0",
            "Qwen/QwQ-32B-AWQ",
            "qwen-3-235b-a22b-thinking-2507",
            "Qwen/Qwen3-Next-80B-A3B-Thinking",
            "qwq:32b",
        ],
    ),
    (
        "deepseek-r1",
        &[
            "deepseek-ai/DeepSeek-R1-0528",
            "deepseek-ai/DeepSeek-R1-0528-Qwen3-8B",
            "deepseek-r1:14b-qwen-distill-q4_K_M",
            "deepseek/deepseek-r1-0528:free",
            "tngtech/DeepSeek-R1T-Chimera",
            "tngtech/DeepSeek-TNG-R1T2-Chimera",
            "us.deepseek.r1-v1:0",
            "deepseek-reasoner",
            "DeepSeek-R1-Distill-Llama-70B",
            "perplexity/r1-1776",
        ],
    ),
    (
        "deepseek-v3",
        &[
            "deepseek-ai/DeepSeek-V3-0324",
            "deepseek/deepseek-chat-v3-0324",
            "deepseek-chat",
            "deepseek-ai/DeepSeek-Coder-V2-Instruct",
            "deepseek-v3:671b",
            "deepseek-v2.5",
        ],
    ),
    (
        "deepseek-v3.1",
        &[
            "deepseek-ai/DeepSeek-V3.1-Terminus",
            "deepseek-v3.1:671b-cloud",
            "deepseek/deepseek-chat-v3.1:free",
            "accounts/fireworks/models/deepseek-v3p1",
            "deepseek.v3-v1:0",
            "deepseek-ai/DeepSeek-V3.2-Exp",
            "DeepSeek-V3-1",
            "DeepSeek-V3_1",
            "deepseek-v3-2-exp",
            "deepseek-v3-1-terminus",
        ],
    ),
    (
        "deepseek-v4",
        &[
            "deepseek-ai/DeepSeek-V3.2",
            "deepseek-ai/DeepSeek-V3.2-Speciale",
            "accounts/fireworks/models/deepseek-v3p2",
            "deepseek.v3.2",
            "deepseek-ai/DeepSeek-V4-Pro",
            "deepseek-v3-2",
            "deepseek-ai/DeepSeek-V4.1",
        ],
    ),
    (
        "glm",
        &[
            "zai-org/GLM-4.5-Air-FP8",
            "zai-org/GLM-5",
            "accounts/fireworks/models/glm-4p5",
            "THUDM/GLM-Z1-32B-0414",
            "glm4:9b",
            "zai-org/GLM-4.6V-Flash",
            "THUDM/glm-4-9b-chat",
            "zai.glm-4.7",
            "glm-4-5-air",
        ],
    ),
    (
        "kimi-k2",
        &[
            "moonshotai/Kimi-K2-Instruct-0905",
            "moonshotai/Kimi-K2.5",
            "kimi-k2:1t-cloud",
            "moonshotai/kimi/latest",
        ],
    ),
    (
        "kimi-k2-thinking",
        &[
            "moonshotai/Kimi-K2-Thinking",
            "moonshot.kimi-k2-thinking",
            "kimi-k2-thinking:cloud",
        ],
    ),
    ("kimi-k3", &["moonshotai/Kimi-K3"]),
    ("minimax-m1", &["MiniMaxAI/MiniMax-M1-80k"]),
    (
        "minimax-m2",
        &["MiniMaxAI/MiniMax-M2.1", "minimax-m2:cloud", "minimax-m2-5"],
    ),
    (
        "gpt-oss",
        &[
            "openai.gpt-oss-120b-1:0",
            "gpt-oss:20b",
            "groq/openai/gpt-oss-20b",
            "unsloth/gpt-oss-20b-GGUF",
            "gptoss:20b",
            "gpt_oss_120b",
            "lmstudio-community/gpt-oss-20b-MLX-8bit",
        ],
    ),
    (
        "gemma",
        &["gemma4:e4b", "google/gemma-4-31b-it", "gemma4:31b"],
    ),
    (
        "gemma-3",
        &[
            "google/gemma-3n-E4B-it",
            "gemma3:27b-it-qat",
            "gemma3n:e4b",
            "google/gemma-2-9b-it",
            "google/gemma-7b-it",
            "google/gemma-1.1-7b-it",
            "bartowski/google_gemma-3-27b-it-GGUF",
        ],
    ),
    ("function-gemma", &["google/functiongemma-270m-it"]),
    (
        "mistral",
        &[
            "mistral-small3.2:24b",
            "mistral.mistral-large-2407-v1:0",
            "mistralai/Devstral-Small-2507",
            "mistralai/Mixtral-8x7B-Instruct-v0.1",
            "mistralai/Voxtral-Mini-3B-2507",
            "mistral7b",
            "mistralai/Ministral-3-14B-Reasoning-2512",
            "mathstral:7b",
        ],
    ),
    (
        "magistral",
        &[
            "mistral.magistral-small-2509",
            "mistralai/Magistral-Small-2509",
        ],
    ),
    (
        "llama",
        &[
            "meta-llama/Meta-Llama-3.1-70B-Instruct",
            "us.meta.llama3-1-8b-instruct-v1:0",
            "accounts/fireworks/models/llama-v3p1-8b-instruct",
            "RedHatAI/Llama-3.3-70B-Instruct-quantized.w8a8",
            "deepseek-ai/Some-Llama-8B",
            "llama-3-8b",
            "llama-3-70b",
            "Meta-Llama-3-8B-Instruct.Q4_K_M.gguf",
            "llama-3-1-8b-instruct",
            "llama2:7b",
        ],
    ),
    (
        "llama-4",
        &[
            "us.meta.llama4-scout-17b-instruct-v1:0",
            "meta-llama/Llama-4-Maverick-17B-128E-Instruct-FP8",
            "llama4:16x17b",
            "@cf/meta/llama-4-scout-17b-16e-instruct",
        ],
    ),
    (
        "nemotron",
        &[
            "nvidia/Llama-3_3-Nemotron-Super-49B-v1",
            "nvidia/Llama-3.1-Nemotron-Ultra-253B-v1",
            "nvidia/NVIDIA-Nemotron-Nano-9B-v2",
        ],
    ),
    (
        "nemotron-3",
        &[
            "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16",
            "nemotron-3-nano:30b",
        ],
    ),
    (
        "granite",
        &[
            "ibm-granite/granite-3.3-8b-instruct",
            "granite3.3:8b",
            "granite3.1-dense:8b",
        ],
    ),
    (
        "granite-4",
        &[
            "ibm-granite/granite-4.0-h-small",
            "granite4:tiny-h",
            "ibm-granite/granite-4.1-8b",
        ],
    ),
    ("granite-20b", &["ibm-granite/granite-20b-functioncalling"]),
    (
        "command-a",
        &[
            "CohereLabs/c4ai-command-r7b-12-2024",
            "command-a:111b",
            "CohereLabs/command-a-reasoning-08-2025",
        ],
    ),
    (
        "command-r",
        &["cohere.command-r-plus-v1:0", "command-r:35b"],
    ),
    (
        "claude",
        &[
            "us.anthropic.claude-sonnet-4-20250514-v1:0",
            "claude-sonnet-4-5-20250929",
        ],
    ),
    ("xlam", &["Salesforce/Llama-xLAM-2-8b-fc-r"]),
    ("functionary", &["meetkai/functionary-v3-llama-3.1"]),
    (
        "exaone",
        &[
            "exaone3.5:7.8b",
            "LGAI-EXAONE/EXAONE-4.0-32B",
            "exaone-deep:7.8b",
        ],
    ),
    (
        "ernie",
        &["baidu/ERNIE-4.5-VL-28B-A3B-PT", "baidu/ernie-4.5-300b-a47b"],
    ),
    ("ernie-thinking", &["baidu/ERNIE-4.5-21B-A3B-Thinking"]),
    ("olmo-3", &["allenai/Olmo-3-7B-Instruct", "olmo-3:7b"]),
    (
        "olmo-3-think",
        &["allenai/Olmo-3-32B-Think", "olmo-3.1:32b-think"],
    ),
    ("step-3", &["stepfun-ai/step3"]),
    ("hy-4", &["tencent/Hy4", "tencent/Hy3-preview"]),
    ("lfm2", &["LiquidAI/LFM2-8B-A1B"]),
    (
        "phi-4",
        &["phi4-mini:3.8b", "microsoft/Phi-4-mini-instruct"],
    ),
    ("minicpm-5", &["openbmb/MiniCPM5-1B"]),
    ("internlm", &["internlm/internlm2_5-7b-chat"]),
    (
        "step-3.5",
        &["stepfun-ai/step-3.5-flash:free", "step-3-5-flash"],
    ),
];

#[test]
fn a_model_has_the_preset_with_the_longest_pattern() {
    for (preset, models) in NAMES {
        for model in *models {
            assert_eq!(Preset::for_model(model).unwrap().name(), *preset, "{model}");
        }
    }
    for unknown in ["codeqwen1.5", "gpt-5", "gemini-2.5-pro"] {
        assert!(Preset::for_model(unknown).is_err(), "{unknown}");
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
        let thinking = preset.profile().thinking;
        let thinks = !thinking.tags.is_empty() || !thinking.delimiters.is_empty();
        for kind in FIXTURE.iter().filter(|kind| thinks || **kind != "unclosed") {
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
