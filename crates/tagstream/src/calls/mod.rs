//! Tool calls as a profile names them: the `[calls]` table, and the built-in dialects.

mod choice;
pub(crate) mod dialects;
mod settings;

pub use crate::file::Error as DialectError;
pub use choice::DialectChoice;
pub use dialects::{BuiltIn, dialect, dialects, parse_dialect};
pub use settings::{Settings, SettingsError};
