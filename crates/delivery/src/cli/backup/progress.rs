//! Progress reports of a copy, on standard error.

use crate::output;
use anyhow::Result;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The interval between two progress reports.
const INTERVAL: Duration = Duration::from_secs(2);
/// The niceness of copying threads. Because of it a server on the same machine keeps its share of
/// the CPU.
const NICENESS: i32 = 10;

/// A counter of the bytes that have been copied or read.
#[derive(Clone, Debug, Default)]
pub struct BackupProgress(Arc<AtomicU64>);

impl BackupProgress {
    pub fn add(&self, bytes: u64) {
        self.0.fetch_add(bytes, Ordering::Relaxed);
    }

    pub fn set(&self, bytes: u64) {
        self.0.store(bytes, Ordering::Relaxed);
    }

    /// Runs the work and reports progress at intervals. `total` is the number of bytes, if it is
    /// known.
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

/// Runs blocking work on its own thread, with reduced priority.
pub async fn in_background<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    let work = move || {
        // Without permission to lower its priority, the thread runs at normal priority.
        let _ = rustix::process::nice(NICENESS);
        work()
    };
    tokio::task::spawn_blocking(work).await?
}

/// Formats bytes as megabytes.
#[expect(clippy::cast_precision_loss, reason = "the result is rounded to a tenth")]
pub fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1_000_000.0)
}
