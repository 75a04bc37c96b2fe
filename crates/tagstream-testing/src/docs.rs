//! Tables in the docs that are made from data.

/// Checks the table between the comments `<!-- name -->` and `<!-- end of name -->` of a page. With the
/// variable `UPDATE_DOCS`, it writes the table instead.
pub fn check_table(page: &str, name: &str, table: &str) {
    let path = format!("{}/../../{page}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).expect("the page is there");
    let (start, end) = (
        format!("<!-- {name} -->\n"),
        format!("<!-- end of {name} -->"),
    );
    let (before, rest) = text.split_once(&start).expect("the table has a beginning");
    let (_, after) = rest.split_once(&end).expect("the table has an end");
    let expected = format!("{before}{start}{table}{end}{after}");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(path, expected).expect("the page can be written");
    } else {
        assert!(
            text == expected,
            "the table in {page} is out of date: run this test again with UPDATE_DOCS=1 to write it"
        );
    }
}
