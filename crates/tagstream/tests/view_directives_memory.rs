//! Document 003, a success criterion: memory usage remains stable for large messages.

use peak_alloc::PeakAlloc;
use tagstream::ToolSignature;
use tagstream::view::directives::{Directives, Registry};

#[global_allocator]
static HEAP: PeakAlloc = PeakAlloc;

/// What does not depend on the message: the engine's own tables.
const FIXED: usize = 64 << 10;

/// The list holds the message. A string may have twice the room it needs, and while it grows the
/// old one is still there; an open tool is also kept by the engine, which gives it whole.
#[test]
fn s003_memory_is_in_proportion_to_the_message() {
    let tools = [ToolSignature::new("write_to_file", ["path", "content"])];
    let registry = Registry::new(&Directives::profile(tools)).unwrap();
    let code = "text\n```\n<log_message>a</log_message>\n```\nand `more` < text\n";
    for (before, after, times) in [
        ("", "", 1),
        ("<write_to_file><content>", "</content></write_to_file>", 3),
    ] {
        let message = format!("{before}{}{after}", code.repeat((1 << 20) / code.len()));
        HEAP.reset_peak_usage();
        let start = HEAP.current_usage();
        let mut directives = Directives::new(&registry);
        for chunk in message.as_bytes().chunks(64) {
            directives.push(std::str::from_utf8(chunk).unwrap());
        }
        directives.finish();
        let used = HEAP.peak_usage() - start;
        let most = times * 4 * message.len() + FIXED;
        assert!(used <= most, "{used} bytes for {}", message.len());
        assert_eq!(directives.directives().len(), 1);
    }
}
