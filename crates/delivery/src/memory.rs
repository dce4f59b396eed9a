//! Memory that is free goes back to the system.

use std::time::Duration;

/// How often.
const INTERVAL: Duration = Duration::from_secs(5);
/// More bytes than the allocator keeps in its pages for small blocks.
const LARGE_BLOCK: usize = 1 << 20;

/// Returns what was freed to the system from time to time. mimalloc does so by itself a second after memory was freed, but looks
/// only when a large block is freed: a server at rest frees none, and would keep what its start or a burst took.
pub async fn run_purge() {
    loop {
        tokio::time::sleep(INTERVAL).await;
        drop(std::hint::black_box(vec![0_u8; LARGE_BLOCK]));
    }
}
