//! Lists the files of dialects and presets, so that adding one is adding a file.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    println!("cargo::rerun-if-changed=build.rs");
    for folder in ["dialects", "presets"] {
        println!("cargo::rerun-if-changed={folder}");
        let list = list(&root.join(folder));
        let path = out.join(format!("{folder}.rs"));
        fs::write(&path, list).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }
}

/// The files of a folder as a Rust expression: a list of names and contents, by name.
fn list(folder: &Path) -> String {
    let entries = fs::read_dir(folder);
    let entries = entries.unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let files = entries.map(|entry| entry.expect("the folder can be read").path());
    let mut files: Vec<_> = files.map(|path| (name_of(&path), path)).collect();
    files.sort();
    let mut list = "&[\n".to_owned();
    for (name, path) in files {
        let path = path.to_str().expect("the path is UTF-8");
        writeln!(list, "    ({name:?}, include_str!({path:?})),").expect("a string takes all");
    }
    list + "]\n"
}

fn name_of(path: &Path) -> String {
    let name = path.file_name().and_then(|name| name.to_str());
    let name = name.and_then(|name| name.strip_suffix(".toml"));
    let problem = "only files that end in .toml belong here";
    name.unwrap_or_else(|| panic!("{}: {problem}", path.display()))
        .to_owned()
}
