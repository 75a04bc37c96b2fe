//! Runs those cases of the suite in `cases/` that need calls, in every cut.
//!
//! The others run in the core, which cannot read the `[calls]` table; the runner is the same.

#[path = "../../tagstream/tests/support/mod.rs"]
mod support;

use serde_json::Value;
use support::cases;
use support::suite::{in_every_cut, report};
use tagstream::Profile;

#[test]
fn calls_pass_in_every_cut() {
    let cases = cases::with(&profile);
    let passed = report("calls", &cases, in_every_cut);
    assert!(passed > 100, "the suite is there");
}

fn profile(case: &Value) -> Result<Profile, String> {
    if case["from"] != "text" {
        return Err(format!("reads the wire format {}", case["from"]));
    }
    if case["profile"]["calls"].is_null() {
        return Err("runs in the core".into());
    }
    let profile = tagstream_profiles::parse(&case["profile"].to_string());
    Ok(profile.unwrap_or_else(|error| panic!("{}: {error}", case["id"])))
}
