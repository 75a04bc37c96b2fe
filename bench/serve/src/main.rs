//! Load on `tagstream serve` beside nginx and a direct connection, and a soak with faults.
//!
//! Upstream and clients are in this process, so that they share a clock and know what each byte should be.

mod client;
mod load;
mod options;
mod process;
mod sample;
mod soak;
mod targets;
mod upstream;

use options::{Command, Options};

#[tokio::main]
async fn main() {
    let options = Options::from_args();
    let is_good = match options.command {
        Command::Load => load::run(&options).await,
        Command::Soak => soak::run(&options).await,
    };
    std::process::exit(i32::from(!is_good));
}
