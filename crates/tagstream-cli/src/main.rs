//! The command `tagstream`.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(tagstream_cli::main(std::env::args_os()))
}
