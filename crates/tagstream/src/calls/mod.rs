//! Setting up tool calls: [`Calls`] in code, [`CallsTable`] in a profile's file.

mod builder;
mod choice;
mod table;

pub use builder::Calls;
pub use choice::DialectChoice;
pub use table::{CallsTable, CallsTableError, CallsTableErrorKind};

use std::collections::BTreeMap;

/// Per tool and argument, other names that the argument is accepted under.
pub(crate) type AliasTable = BTreeMap<String, BTreeMap<String, Vec<String>>>;
