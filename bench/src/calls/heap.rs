//! What the engine alone takes from the heap, push by push.

use super::contenders::{Pushes, allocating_pushes, engine};
use super::format::{ALL, Format};
use super::measure::PIECE;
use super::scenario::Scenario;
use crate::message::cut;

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
    allocating_pushes(&engine(format), &cut(&text, PIECE, Some(PIECE)))
}
