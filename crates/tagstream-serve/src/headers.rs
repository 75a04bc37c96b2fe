//! Headers: those of one connection only, credentials, and those that buffering proxies need.

use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use tagstream_wire::Format;

/// Headers with a client's key; never logged.
pub(crate) const CREDENTIALS: [&str; 4] =
    ["authorization", "x-api-key", "api-key", "x-goog-api-key"];

/// Parameters of a URL with a client's key.
const QUERY_CREDENTIALS: [&str; 4] = ["key", "api_key", "api-key", "access_token"];

const BEARER: &[u8] = b"Bearer ";

/// Headers that are about one connection, not about the message.
const HOP_BY_HOP: [&str; 8] = [
    "connection",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "transfer-encoding",
    "upgrade",
];

/// Removes the headers that are about one connection, also those that `Connection` names.
pub(crate) fn remove_hop_by_hop(headers: &mut HeaderMap) {
    let named: Vec<HeaderName> = headers
        .get_all(header::CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|name| name.trim().parse().ok())
        .collect();
    for name in named {
        headers.remove(name);
    }
    for name in HOP_BY_HOP {
        headers.remove(name);
    }
}

/// Whether a header says where a message ends, or is about one connection.
pub(crate) fn is_framing(name: &HeaderName) -> bool {
    let is_about_a_body = *name == header::CONTENT_LENGTH || *name == header::TRAILER;
    is_about_a_body || HOP_BY_HOP.contains(&name.as_str())
}

/// Whether the sender accepts trailers.
pub(crate) fn accepts_trailers(headers: &HeaderMap) -> bool {
    items(headers, &header::TE).any(|item| item == "trailers")
}

/// The content encodings of a body in lower case, in the order in which they were applied.
pub(crate) fn content_encodings(headers: &HeaderMap) -> Vec<String> {
    let encodings = items(headers, &header::CONTENT_ENCODING);
    encodings.filter(|item| item != "identity").collect()
}

/// The items of a header that is a list, in lower case.
fn items(headers: &HeaderMap, name: &HeaderName) -> impl Iterator<Item = String> {
    let values = headers.get_all(name).iter();
    let items = values.flat_map(|value| value.as_bytes().split(|byte| *byte == b','));
    let items = items.map(|item| String::from_utf8_lossy(item.trim_ascii()).to_ascii_lowercase());
    items.filter(|item| !item.is_empty())
}

/// The keys that a request brings, wherever clients put them.
pub(crate) fn credentials(headers: &HeaderMap, query: Option<&str>) -> Vec<Vec<u8>> {
    let values = CREDENTIALS.iter().flat_map(|name| headers.get_all(*name));
    let keys = values.map(|value| without_scheme(value.as_bytes()).to_vec());
    keys.chain(query_credentials(query).map(decoded)).collect()
}

/// The keys in a query, as they are written.
fn query_credentials(query: Option<&str>) -> impl Iterator<Item = &str> {
    let fields = query.unwrap_or("").split('&');
    let fields = fields.filter(|field| is_credential(field));
    fields.filter_map(|field| Some(field.split_once('=')?.1))
}

/// Whether a field of a query has a client's key.
fn is_credential(field: &str) -> bool {
    let name = field.split('=').next().unwrap_or("");
    QUERY_CREDENTIALS.contains(&name)
}

/// A value of a query without its percent-encoding. What only looks encoded stays as it is.
fn decoded(value: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(value.len());
    let mut rest = value.as_bytes();
    while let [first, after @ ..] = rest {
        let digits = after.get(..2).filter(|_| *first == b'%');
        let digits = digits.and_then(|digits| std::str::from_utf8(digits).ok());
        let byte = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        out.push(byte.unwrap_or(*first));
        rest = &after[byte.map_or(0, |_| 2)..];
    }
    out
}

/// What must not be captured if a server repeats it: keys in headers and in the query, and cookies.
pub(crate) fn secrets(headers: &HeaderMap, query: Option<&str>) -> Vec<Vec<u8>> {
    let keys = CREDENTIALS.iter().flat_map(|name| headers.get_all(*name));
    // After the scheme of `Authorization`, whatever that is.
    let keys = keys.filter_map(|value| value.as_bytes().rsplit(|byte| *byte == b' ').next());
    let cookies = headers.get_all(header::COOKIE).iter();
    let cookies = cookies.flat_map(|value| value.as_bytes().split(|byte| *byte == b';'));
    let cookies = cookies.filter_map(|pair| pair.splitn(2, |byte| *byte == b'=').nth(1));
    let written = query_credentials(query).map(str::as_bytes);
    keys.chain(cookies.map(<[u8]>::trim_ascii))
        .chain(written)
        .map(<[u8]>::to_vec)
        .chain(query_credentials(query).map(decoded))
        .collect()
}

/// The key in a value of `Authorization`, whose scheme may be spelled in any case.
fn without_scheme(value: &[u8]) -> &[u8] {
    match value.split_at_checked(BEARER.len()) {
        Some((scheme, key)) if scheme.eq_ignore_ascii_case(BEARER) => key,
        _ => value,
    }
}

/// Replaces the client's key by the upstream's, in the header that the client has used, or else in the
/// one that clients of this format use.
pub(crate) fn replace_credential(headers: &mut HeaderMap, secret: &str, format: Format) {
    let used = CREDENTIALS
        .iter()
        .copied()
        .find(|name| headers.contains_key(*name));
    let used = used.unwrap_or(match format {
        Format::Anthropic => "x-api-key",
        Format::Gemini => "x-goog-api-key",
        _ => "authorization",
    });
    remove_credentials(headers);
    let value = match used {
        "authorization" => format!("Bearer {secret}"),
        _ => secret.to_owned(),
    };
    if let Ok(mut value) = HeaderValue::try_from(value) {
        value.set_sensitive(true);
        headers.insert(used, value);
    }
}

/// Removes the client's key from the headers.
pub(crate) fn remove_credentials(headers: &mut HeaderMap) {
    for name in CREDENTIALS {
        headers.remove(name);
    }
}

/// A path with its query, but without the client's key.
pub(crate) fn without_credentials(path_and_query: &str) -> String {
    let Some((path, query)) = path_and_query.split_once('?') else {
        return path_and_query.to_owned();
    };
    let fields = query.split('&').filter(|field| !is_credential(field));
    match fields.collect::<Vec<_>>() {
        fields if fields.is_empty() => path.to_owned(),
        fields => format!("{path}?{}", fields.join("&")),
    }
}

/// Removes what is about the bytes as the upstream sent them.
pub(crate) fn for_repaired(headers: &mut HeaderMap) {
    const ABOUT_BYTES: [&str; 9] = [
        "accept-ranges",
        "content-digest",
        "content-length",
        "content-md5",
        "digest",
        "etag",
        "last-modified",
        "repr-digest",
        "trailer",
    ];
    for name in ABOUT_BYTES {
        headers.remove(name);
    }
}

/// Says that nothing may buffer or change a stream.
pub(crate) fn for_stream(headers: &mut HeaderMap) {
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    let value = HeaderValue::from_static("no-cache, no-transform");
    headers.insert(header::CACHE_CONTROL, value);
}

/// The type of a body in lower case, without its parameters.
pub(crate) fn content_type(headers: &HeaderMap) -> String {
    let value = headers.get(header::CONTENT_TYPE);
    let value = value.and_then(|value| value.to_str().ok()).unwrap_or("");
    let kind = value.split(';').next().unwrap_or("").trim();
    kind.to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_connection_names_is_removed() {
        let mut headers = HeaderMap::new();
        headers.insert("connection", HeaderValue::from_static("close, X-Mine"));
        headers.insert("x-mine", HeaderValue::from_static("1"));
        headers.insert("te", HeaderValue::from_static("trailers"));
        headers.insert("accept", HeaderValue::from_static("*/*"));
        remove_hop_by_hop(&mut headers);
        assert_eq!(headers.keys().collect::<Vec<_>>(), ["accept"]);
    }

    #[test]
    fn keys_and_cookies_are_secrets() {
        let mut headers = HeaderMap::new();
        headers.insert("authorization", HeaderValue::from_static("Basic a1"));
        headers.insert("api-key", HeaderValue::from_static("b2"));
        headers.insert("cookie", HeaderValue::from_static("id=c3; x=d4=="));
        let found = secrets(&headers, Some("alt=sse&key=e%2F5"));
        let expected: [&[u8]; 6] = [b"a1", b"b2", b"c3", b"d4==", b"e%2F5", b"e/5"];
        assert_eq!(found, expected);
    }

    #[test]
    fn only_what_is_percent_encoded_is_decoded() {
        for (value, expected) in [
            ("a%2Fb%3d", "a/b="),
            ("%", "%"),
            ("%2", "%2"),
            ("%zz%41", "%zzA"),
        ] {
            assert_eq!(decoded(value), expected.as_bytes(), "{value}");
        }
    }

    #[test]
    fn only_keys_are_removed_from_a_query() {
        for (path, expected) in [
            ("/a", "/a"),
            ("/a?", "/a?"),
            ("/a?key=1", "/a"),
            ("/a?key", "/a"),
            ("/a?alt=sse&key=1&b=key=2", "/a?alt=sse&b=key=2"),
            ("/a?monkey=1&access_token=2", "/a?monkey=1"),
        ] {
            assert_eq!(without_credentials(path), expected);
        }
    }

    #[test]
    fn encodings_are_a_list_in_any_case() {
        let mut headers = HeaderMap::new();
        headers.append(
            "content-encoding",
            HeaderValue::from_static("Identity, GZip"),
        );
        headers.append("content-encoding", HeaderValue::from_static(" br ,"));
        assert_eq!(content_encodings(&headers), ["gzip", "br"]);
    }

    #[test]
    fn a_key_is_replaced_where_the_client_put_it() {
        for (name, value, expected) in [
            ("authorization", "Bearer a", "Bearer s"),
            ("authorization", "bearer a", "Bearer s"),
            ("x-api-key", "a", "s"),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(name, HeaderValue::from_static(value));
            assert_eq!(credentials(&headers, None), [b"a"]);
            replace_credential(&mut headers, "s", Format::Gemini);
            assert_eq!(headers[name], expected);
        }
    }
}
