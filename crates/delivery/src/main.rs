//! The `switchboard` binary.

use delivery::cli;
use rustix::fs::Mode;
use std::process::ExitCode;

// A request makes many small allocations. With the system's allocator the throughput is a tenth
// lower.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[tokio::main]
async fn main() -> ExitCode {
    // Files that this process creates (a database, uploads, a key) are readable by their owner
    // only.
    rustix::process::umask(Mode::RWXG | Mode::RWXO);
    cli::main(std::env::args_os().collect()).await
}
