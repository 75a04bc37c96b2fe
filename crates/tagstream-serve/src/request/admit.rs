//! Who may send a request, and to where.

use crate::failure::failure;
use crate::live::Live;
use http::{Method, request};
use tagstream_wire::ServerError;

pub(super) fn check(live: &Live, parts: &request::Parts) -> Result<(), ServerError> {
    if !live.admits(&parts.headers, parts.uri.query()) {
        let message = "the key of this proxy is missing or wrong";
        return Err(failure(401, "invalid_api_key", message));
    }
    if parts.method == Method::CONNECT {
        let message = "this is not a forward proxy";
        return Err(failure(405, "method_not_allowed", message));
    }
    // A path must not leave the folder that the upstream's URL names.
    if parts.uri.path().split(['/', '\\']).any(is_dots) {
        let message = "a path must not contain `.` or `..`";
        return Err(failure(400, "invalid_path", message));
    }
    Ok(())
}

fn is_dots(segment: &str) -> bool {
    let plain = segment.to_ascii_lowercase().replace("%2e", ".");
    let plain = plain.split("%2f").flat_map(|part| part.split("%5c"));
    plain.into_iter().any(|part| part == "." || part == "..")
}

#[cfg(test)]
mod tests {
    #[test]
    fn dots_are_found_however_they_are_written() {
        for segment in [".", "..", "%2e%2E", ".%2e", "a%2f..", "..%5Cb"] {
            assert!(super::is_dots(segment), "{segment}");
        }
        for segment in ["", "...", "a.b", "%2e%2e%2e"] {
            assert!(!super::is_dots(segment), "{segment}");
        }
    }
}
