//! `calls`: the complete and valid calls as JSON lines; problems on standard error.

use crate::args::Common;
use crate::blocks::{self, BlockFlags};
use crate::failure::Failure;
use crate::output::Output;
use crate::stream::{self, Outcome, View};
use serde::{Serialize, Serializer, ser::Error};
use serde_json::value::RawValue;
use tagstream::{Event, EventKind};
use tagstream_wire::{WireEvent, WireKind};

#[derive(clap::Args)]
pub(crate) struct CallsArgs {
    #[command(flatten)]
    common: Common,

    #[command(flatten)]
    blocks: BlockFlags,
}

pub(crate) fn run(args: &CallsArgs) -> Result<Outcome, Failure> {
    if args.blocks.blocks {
        return blocks::run(&args.common, &args.blocks);
    }
    let profile = args.common.profile_with_calls("thinking")?;
    stream::run(&args.common, &profile, &mut Calls)
}

struct Calls;

/// A call as it is printed.
#[derive(Serialize)]
struct Line<'a> {
    index: u64,
    id: &'a str,
    name: &'a str,
    #[serde(serialize_with = "as_json")]
    arguments: &'a str,
    /// Only where it is not the first choice, which nearly all streams have alone.
    #[serde(skip_serializing_if = "is_first")]
    choice: u64,
}

/// A text that is JSON already: numbers keep their spelling.
pub(crate) fn as_json<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    let raw: &RawValue = serde_json::from_str(text).map_err(S::Error::custom)?;
    raw.serialize(serializer)
}

fn is_first(choice: &u64) -> bool {
    *choice == 0
}

impl View for Calls {
    const REPORTS_PROBLEMS: bool = true;

    fn event(&mut self, _event: Event<'_>, _out: &mut Output) {}

    fn wire(&mut self, event: &WireEvent<'_>, out: &mut Output) {
        if let WireKind::Message(EventKind::CallEnd {
            index,
            id,
            name,
            arguments,
            ..
        }) = event.event
        {
            out.json(&Line {
                index,
                id,
                name,
                arguments,
                choice: event.choice,
            });
        }
    }
}
