//! The streams of providers: what reading and rewriting them costs beside bare JSON parsing.

mod measure;
mod report;
mod rows;
mod stream;
mod targets;

use report::Report;

/// Measures both streams.
pub fn compare(quick: bool) -> Report {
    let effort = if quick { crate::measure::Effort::QUICK } else { crate::measure::Effort::FULL };
    let profile = rows::profile();
    let streams = [stream::openai(), stream::anthropic()];
    let tables: Vec<_> = streams
        .iter()
        .flat_map(|stream| {
            let profile = &profile;
            let sizes = measure::SIZES.iter();
            sizes.map(move |&size| measure::table(profile, stream, size, effort))
        })
        .collect();
    let targets = targets::check(&tables);
    Report { tables, targets }
}
