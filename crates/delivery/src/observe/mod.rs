//! Metrics.

mod declared;

use crate::log;
use actix_web::http::{Method, StatusCode};
use declared::{
    BUILD_INFO, COMMITS, COUNTERS, GAUGES, HISTOGRAMS, LABELED_COUNTERS, REQUESTS, STANDBY_BEHIND,
    STANDBY_READS, STANDBY_USED, WAITS,
};
use metrics::Histogram;
use metrics_exporter_prometheus::{BuildError, Matcher, PrometheusBuilder, PrometheusHandle};
use persistence::timing::StandbyRead;
use persistence::{DatabaseLocation, timing};
use platform::clock::Stopwatch;
use platform::counters;
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::LazyLock;
use std::time::Duration;

/// Upper bounds of the histogram buckets, in seconds.
const BUCKETS: [f64; 11] = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0];

/// The interval at which recorded values are moved into the histograms.
const HISTOGRAM_INTERVAL: Duration = Duration::from_secs(1);

/// Starts the metrics. The handle renders Prometheus' text format.
pub fn metrics() -> Result<PrometheusHandle, BuildError> {
    let mut recorder = PrometheusBuilder::new();
    for (name, _) in HISTOGRAMS {
        recorder = recorder.set_buckets_for_metric(Matcher::Full((*name).to_owned()), &BUCKETS)?;
    }
    let handle = recorder.install_recorder()?;
    // Counters that have not counted yet are reported as zero.
    for (name, about) in COUNTERS {
        metrics::describe_counter!(*name, *about);
        metrics::counter!(*name).increment(0);
    }
    for (name, about) in LABELED_COUNTERS {
        metrics::describe_counter!(*name, *about);
    }
    counters::begin_at_zero();
    for read in [StandbyRead::Served, StandbyRead::Behind, StandbyRead::Failed, StandbyRead::Unused]
    {
        standby_reads(read, 0);
    }
    for (name, about) in GAUGES {
        metrics::describe_gauge!(*name, *about);
    }
    for (name, about) in HISTOGRAMS {
        metrics::describe_histogram!(*name, *about);
    }
    watch_database();
    Ok(handle)
}

/// Records the database's timings in histograms.
fn watch_database() {
    static BEGAN: LazyLock<Stopwatch> = LazyLock::new(Stopwatch::start);
    static WAITED: LazyLock<Histogram> = LazyLock::new(|| metrics::histogram!(WAITS));
    static COMMITTED: LazyLock<Histogram> = LazyLock::new(|| metrics::histogram!(COMMITS));
    timing::watch(timing::Watch {
        elapsed: || BEGAN.elapsed(),
        waited: |took| WAITED.record(took.as_secs_f64()),
        committed: |took| COMMITTED.record(took.as_secs_f64()),
        standby_read: |read| standby_reads(read, 1),
        standby: |is_used, behind| {
            metrics::gauge!(STANDBY_USED).set(f64::from(u8::from(is_used)));
            if let Some(bytes) = behind {
                #[expect(clippy::cast_precision_loss, reason = "a gauge is a float")]
                metrics::gauge!(STANDBY_BEHIND).set(bytes as f64);
            }
        },
    });
}

/// Counts reads that a standby may answer, by outcome.
fn standby_reads(read: StandbyRead, count: u64) {
    let outcome = match read {
        StandbyRead::Served => "served",
        StandbyRead::Behind => "behind",
        StandbyRead::Failed => "failed",
        StandbyRead::Unused => "unused",
    };
    metrics::counter!(STANDBY_READS, "outcome" => outcome).increment(count);
}

/// Publishes the program's version and kind of database.
pub fn build_info(database: &DatabaseLocation) {
    let database = match database {
        DatabaseLocation::Postgres(_) => "postgres",
        DatabaseLocation::Sqlite(_) => "sqlite",
    };
    let labels = [("version", env!("CARGO_PKG_VERSION")), ("database", database)];
    metrics::gauge!(BUILD_INFO, &labels).set(1.0);
}

/// Moves recorded values into the histograms at intervals. Every single value is kept in memory
/// until then, so this task must not wait for the next scrape.
pub async fn run_histogram_upkeep(metrics: PrometheusHandle) {
    loop {
        tokio::time::sleep(HISTOGRAM_INTERVAL).await;
        metrics.run_upkeep();
        metrics::counter!("switchboard_log_lines_lost_total").absolute(log::lost());
    }
}

/// Returns the label of a method. A client may send any method. Without a fixed list, each would
/// add a label that is kept forever, and the label could contain a secret.
#[must_use]
pub fn method_label(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        Method::TRACE => "TRACE",
        Method::CONNECT => "CONNECT",
        _ => "other",
    }
}

type RouteAndStatus = (&'static str, StatusCode);

thread_local! {
    /// The histograms that this thread has used, by route. There is one for each combination of
    /// route, method and status. Looking up a histogram by its labels would double
    /// the time that it takes to record a request.
    static BY_ROUTE: RefCell<HashMap<String, Vec<(RouteAndStatus, Histogram)>>> = RefCell::default();
}

/// Records the duration of a request. The label is the pattern of the route instead of the path, so
/// that there are few labels.
pub fn request(method: &Method, route: &str, status: StatusCode, took: Duration) {
    let kind = (method_label(method), status);
    BY_ROUTE.with_borrow_mut(|routes| {
        let known = routes.get(route).and_then(|all| all.iter().find(|it| it.0 == kind));
        if let Some((_, histogram)) = known {
            return histogram.record(took.as_secs_f64());
        }
        let histogram = histogram(route, kind);
        histogram.record(took.as_secs_f64());
        routes.entry(route.to_owned()).or_default().push((kind, histogram));
    });
}

fn histogram(route: &str, (method, status): RouteAndStatus) -> Histogram {
    let labels = [
        ("method", method.to_owned()),
        ("route", route.to_owned()),
        ("status", status.as_str().to_owned()),
    ];
    metrics::histogram!(REQUESTS, &labels)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// The label is one of ten words for every method that a client sends.
        #[test]
        fn a_method_is_one_that_is_known_or_another(
            sent in "GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|TRACE|CONNECT|get|Post|[!#$%&'*+.^_`|~0-9A-Za-z-]{1,40}",
        ) {
            // Text that is not a valid method is rejected earlier.
            let Ok(method) = Method::from_bytes(sent.as_bytes()) else { return Ok(()) };
            let label = method_label(&method);
            prop_assert!(label == sent || label == "other");
            prop_assert!(["other", "CONNECT", "OPTIONS"].contains(&label) || label.len() <= 6);
        }
    }
}
