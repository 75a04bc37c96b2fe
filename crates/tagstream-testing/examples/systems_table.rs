//! Prints the page `docs/systems-tests.md`.

use std::path::Path;
use tagstream_testing::systems::{Table, tests};

fn main() -> std::io::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    print!("{}", Table::new(tests(&root)?).to_markdown());
    Ok(())
}
