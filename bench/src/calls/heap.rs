//! What the engine alone allocates, push by push.

use super::format::{ALL, Format};
use super::measure::CHUNK;
use super::scenario::Scenario;
use crate::message::cut;
use crate::own::calls::{Pushes, allocating_pushes, engine};

/// The pushes of one format, for each scenario.
pub struct Heap {
    pub format: &'static str,
    pub pushes: Vec<Pushes>,
}

pub fn measure(scenarios: &[Scenario]) -> Vec<Heap> {
    let heap = |format: &Format| Heap {
        format: format.name,
        pushes: scenarios
            .iter()
            .map(|scenario| pushes(format, scenario))
            .collect(),
    };
    ALL.iter().map(heap).collect()
}

fn pushes(format: &Format, scenario: &Scenario) -> Pushes {
    let text = format.message(&scenario.calls);
    allocating_pushes(&engine(format), &cut(&text, CHUNK, Some(CHUNK)))
}
