//! The log, on standard error. It never blocks a request: lines go through a queue to a writer
//! thread. If the reader is too slow, lines are dropped and counted.

mod fields;

use actix_web::http::StatusCode;
use config::{LogFormat, Settings};
use domain::number::saturating;
use fields::PlainFields;
use std::io::{self, IsTerminal as _};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tracing::Metadata;
use tracing_appender::non_blocking::{ErrorCounter, NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Layer as _, fmt};

/// Maximum number of lines that wait to be written.
const MAX_WAITING: usize = 4 * 1024;

static LOST_LINES: OnceLock<ErrorCounter> = OnceLock::new();
static LISTENER_CLOSED: AtomicBool = AtomicBool::new(false);

/// Starts the log. Dropping the guard writes the remaining lines. A second call changes nothing.
pub fn start(settings: &Settings) -> WorkerGuard {
    let colors = io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let (writer, guard) = NonBlockingBuilder::default()
        .buffered_lines_limit(MAX_WAITING)
        .lossy(true)
        .thread_name("log")
        .finish(io::stderr());
    let lost = writer.error_counter();
    // If standard error is closed, the layer would panic when it reports its own error there.
    let lines = fmt::layer().with_writer(writer).with_ansi(colors).log_internal_errors(false);
    let lines = match settings.log_format {
        LogFormat::Text if colors => lines.boxed(),
        LogFormat::Text => lines.fmt_fields(PlainFields).boxed(),
        LogFormat::Json => lines.json().flatten_event(true).with_span_list(false).boxed(),
    };
    let log = tracing_subscriber::registry()
        .with(EnvFilter::new(settings.log.to_string()))
        .with(filter_fn(is_logged))
        .with(lines);
    // Tests start several servers in one process. All of them use the log of the first one.
    if log.try_init().is_ok() {
        drop(LOST_LINES.set(lost));
        std::panic::set_hook(Box::new(|panic| tracing::error!(%panic, "a thread panicked")));
    }
    guard
}

/// Returns the number of lines that were lost since the start.
#[must_use]
pub fn lost() -> u64 {
    LOST_LINES.get().map_or(0, |counter| counter.dropped_lines() as u64)
}

/// Stops the log lines of actix's acceptor. The acceptor treats the closed listener as an error on
/// each accept, and would log each of these errors.
pub fn listener_closes() {
    LISTENER_CLOSED.store(true, Ordering::Relaxed);
    tracing::callsite::rebuild_interest_cache();
}

fn is_logged(metadata: &Metadata<'_>) -> bool {
    metadata.target() != "actix_server::accept" || !LISTENER_CLOSED.load(Ordering::Relaxed)
}

/// Logs a finished request, within its span.
pub fn request(status: StatusCode, took: Duration) {
    let micros = saturating(took.as_micros(), u64::MAX);
    let status = status.as_u16();
    if status >= 500 {
        tracing::warn!(status, micros, "request failed");
    } else {
        tracing::debug!(status, micros, "request");
    }
}
