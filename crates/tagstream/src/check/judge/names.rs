//! Errors of all arguments together by their names alone, without the feature `schema`.

use super::Judge;

impl Judge<'_> {
    /// Reports the arguments that are missing, and those that a closed schema does not name.
    pub(super) fn together(&mut self) {
        let tool = self.tool;
        let names: Vec<_> = self.values.iter().map(|(name, _)| name.clone()).collect();
        for required in tool.shape.required() {
            if !names.contains(required) {
                self.missing(required);
            }
        }
        if tool.shape.is_closed() && !tool.takes_others {
            let unknown = names.iter().filter(|name| !tool.has(name));
            unknown.for_each(|name| self.unknown_argument(name));
        }
    }
}
