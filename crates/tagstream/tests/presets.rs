//! Every preset is a profile that works, and says what it is for.

use tagstream::preset;
use tagstream::profile::{CallOptions, Preset, parse_with, presets};

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
fn every_file_is_a_preset() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/presets");
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        assert!(preset(name).is_ok(), "{name} is not in the list");
    }
}

#[test]
fn an_unknown_name_is_refused_with_the_names_there_are() {
    assert_eq!(Preset::find("no-such"), None);
    let error = preset("no-such").unwrap_err();
    assert_eq!(error.name(), "no-such");
    let message = error.to_string();
    assert!(
        message.starts_with("unknown preset `no-such`; allowed: `thinking`, `filter`, "),
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
