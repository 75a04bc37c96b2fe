//! The reference of the configuration in `docs/serve.md` is made from the code: the comments of the
//! fields, and the defaults. `UPDATE_DOCS=1` writes it anew.

use std::collections::BTreeMap;
use std::path::PathBuf;
use tagstream_serve::Config;

const SOURCE: &str = include_str!("../src/config/mod.rs");
const BEGIN: &str = "<!-- configuration -->\n";
const END: &str = "<!-- end of configuration -->";

/// The structs that are tables of the file, and where.
const TABLES: [(&str, &str); 7] = [
    ("Config", ""),
    ("Tls", "tls."),
    ("Timeouts", "timeouts."),
    ("Limits", "limits."),
    ("Retry", "retry."),
    ("Upstream", "upstreams.NAME."),
    ("Route", "routes[]."),
];

struct Field {
    name: String,
    about: String,
}

/// The fields of a struct, with their comments.
fn fields(name: &str) -> Vec<Field> {
    let (_, rest) = SOURCE
        .split_once(&format!("pub struct {name} {{\n"))
        .expect("the struct");
    let (inside, _) = rest.split_once("\n}\n").expect("its end");
    let (mut fields, mut about) = (Vec::new(), Vec::new());
    for line in inside.lines().map(str::trim) {
        if let Some(text) = line.strip_prefix("/// ") {
            about.push(text);
        } else if let Some(field) = line.strip_prefix("pub ") {
            let name = field.split(':').next().expect("a name").to_owned();
            let about = std::mem::take(&mut about).join(" ");
            fields.push(Field { name, about });
        }
    }
    fields
}

/// The default of each key, as it is written in a file.
fn defaults() -> BTreeMap<String, String> {
    let config = Config::for_upstream("http://HOST:PORT").to_toml();
    let config: toml::Table = config.parse().expect("TOML");
    let mut all = BTreeMap::new();
    for (key, value) in &config {
        collect(key, value, &mut all);
    }
    all
}

fn collect(key: &str, value: &toml::Value, all: &mut BTreeMap<String, String>) {
    match value {
        toml::Value::Table(table) => {
            for (name, value) in table {
                let name = if key == "upstreams" { "NAME" } else { name };
                collect(&format!("{key}.{name}"), value, all);
            }
        }
        toml::Value::Array(list) if list.iter().any(toml::Value::is_table) => {
            for value in list {
                collect(&format!("{key}[]"), value, all);
            }
        }
        _ => {
            all.insert(key.to_owned(), format!("`{value}`"));
        }
    }
}

fn reference() -> String {
    let defaults = defaults();
    let mut text = String::from("| key | default | meaning |\n|---|---|---|\n");
    for (name, place) in TABLES {
        let is_table = |field: &Field| {
            let tables = ["tls", "timeouts", "limits", "retry", "upstreams", "routes"];
            place.is_empty() && tables.contains(&field.name.as_str())
        };
        for field in fields(name).iter().filter(|field| !is_table(field)) {
            let key = format!("{place}{}", field.name);
            // These have none; the configuration above is an example.
            let is_given = ["upstreams.NAME.url", "routes[].upstream"].contains(&key.as_str());
            let default = defaults.get(&key).filter(|_| !is_given);
            let default = default.map_or("–", String::as_str);
            assert!(!field.about.is_empty(), "`{key}` is documented");
            text += &format!("| `{key}` | {default} | {} |\n", field.about);
        }
    }
    text
}

#[test]
fn the_reference_is_that_of_the_code() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/serve.md");
    let page = std::fs::read_to_string(&path).expect("docs/serve.md");
    let (before, rest) = page.split_once(BEGIN).expect("the start of the reference");
    let (_, after) = rest.split_once(END).expect("the end of the reference");
    let expected = format!("{before}{BEGIN}\n{}\n{END}{after}", reference());
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, &expected).expect("docs/serve.md");
    }
    let page = std::fs::read_to_string(&path).expect("docs/serve.md");
    assert!(
        page == expected,
        "docs/serve.md: write it anew with UPDATE_DOCS=1"
    );
}
