//! Every preset is a profile that works, and says what it is for.

use tagstream::profile::{CallOptions, parse_with, preset, presets};

#[test]
fn every_preset_compiles() {
    for preset in presets() {
        let profile = preset
            .profile()
            .unwrap_or_else(|e| panic!("{}: {e}", preset.name()));
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
        assert!(preset(name).is_some(), "{name} is not in the list");
    }
}

#[test]
fn an_unknown_name_is_none() {
    assert_eq!(preset("no-such"), None);
}

#[test]
fn the_canvas_is_the_profile_of_the_nodes_view() {
    let canvas = tagstream::profile::preset("canvas").unwrap().profile();
    assert_eq!(canvas.unwrap(), tagstream::view::Nodes::profile());
}

#[test]
fn the_filter_is_the_profile_of_the_filter_view() {
    let filter = tagstream::profile::preset("filter").unwrap().profile();
    let options = tagstream::view::FilterOptions::new(filter.unwrap());
    assert_eq!(options, tagstream::view::FilterOptions::default());
}
