//! How far a copy is, on standard error.

use crate::output;
use anyhow::Result;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The interval between two reports of progress.
const INTERVAL: Duration = Duration::from_secs(2);
/// How much a copying program gives way to others on its machine: a server that sends is one of them.
const NICENESS: i32 = 10;

/// How many bytes have been copied or read.
#[derive(Clone, Debug, Default)]
pub struct Progress(Arc<AtomicU64>);

impl Progress {
    /// More bytes.
    pub fn add(&self, bytes: u64) {
        self.0.fetch_add(bytes, Ordering::Relaxed);
    }

    /// So many bytes by now.
    pub fn set(&self, bytes: u64) {
        self.0.store(bytes, Ordering::Relaxed);
    }

    /// Waits for work, and tells now and then how far it is, of about `total` bytes if that is known.
    pub async fn tell<T>(
        &self,
        what: &str,
        total: Option<u64>,
        work: impl Future<Output = T>,
    ) -> T {
        let mut work = pin!(work);
        loop {
            if let Ok(done) = tokio::time::timeout(INTERVAL, &mut work).await {
                return done;
            }
            let done = megabytes(self.0.load(Ordering::Relaxed));
            match total {
                Some(total) => {
                    output::note(&format!("{what}: {done} of about {}", megabytes(total)));
                }
                None => output::note(&format!("{what}: {done}")),
            }
        }
    }
}

/// Does something on a thread of its own that gives way to others.
pub async fn in_background<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    let work = move || {
        // A system that does not allow even this copies all the same.
        let _ = rustix::process::nice(NICENESS);
        work()
    };
    tokio::task::spawn_blocking(work).await?
}

/// Bytes as people read them.
#[expect(clippy::cast_precision_loss, reason = "it is rounded to a tenth")]
pub fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1_000_000.0)
}
