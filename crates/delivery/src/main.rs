//! The binary `switchboard`.

use clap::Parser as _;
use delivery::cli::{self, Cli};
use delivery::output;
use rustix::fs::Mode;
use std::process::ExitCode;

// Many small allocations a request: the system's allocator costs a tenth of the throughput.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[tokio::main]
async fn main() -> ExitCode {
    // What this process makes (a database, uploads, a key) is for its owner alone, however it was started.
    rustix::process::umask(Mode::RWXG | Mode::RWXO);
    match cli::run(Cli::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if output::is_unread(&error) => ExitCode::SUCCESS,
        Err(error) => {
            output::error(&error);
            ExitCode::FAILURE
        }
    }
}
