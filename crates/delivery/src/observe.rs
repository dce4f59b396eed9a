//! What operators see: metrics.

use crate::log;
use actix_web::http::{Method, StatusCode};
use metrics::Histogram;
use metrics_exporter_prometheus::{BuildError, Matcher, PrometheusBuilder, PrometheusHandle};
use std::cell::RefCell;
use std::collections::HashMap;
use std::time::Duration;

/// The buckets of request durations, in seconds.
const BUCKETS: [f64; 11] = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0];

/// How often values are taken into histograms.
const HISTOGRAM_INTERVAL: Duration = Duration::from_secs(1);

/// Starts counting; the handle writes Prometheus' text.
pub fn metrics() -> Result<PrometheusHandle, BuildError> {
    let name = Matcher::Full("http_request_duration_seconds".to_owned());
    let recorder = PrometheusBuilder::new().set_buckets_for_metric(name, &BUCKETS)?;
    let handle = recorder.install_recorder()?;
    metrics::describe_counter!("messages_accepted_total", "Messages answered with 201");
    metrics::describe_counter!("messages_handed_over_total", "Messages the channel accepted");
    metrics::describe_counter!(
        "messages_refused_total",
        "Messages the channel rejected permanently"
    );
    metrics::describe_counter!("messages_retried_total", "Attempts that will be retried");
    metrics::describe_counter!("callbacks_worked_total", "Callbacks of the channel processed");
    metrics::describe_counter!(
        "switchboard_callbacks_total",
        "Parts of callbacks by what they are about and what became of them"
    );
    metrics::describe_gauge!("callbacks_waiting", "Callbacks waiting to be processed");
    metrics::describe_gauge!("callbacks_oldest_age_seconds", "Age of the oldest waiting callback");
    metrics::describe_gauge!(
        "callbacks_dead",
        "Dead letters: parts of callbacks kept for the operator"
    );
    metrics::describe_gauge!("accounts_held", "Numbers that the channel refuses");
    metrics::describe_counter!(
        "log_lines_lost_total",
        "Log lines dropped because their reader was too slow"
    );
    metrics::describe_counter!(
        "http_connections_refused_total",
        "Connections closed because their address had too many"
    );
    metrics::describe_gauge!("outbox_depth", "Messages waiting for the channel");
    metrics::describe_histogram!(
        "http_request_duration_seconds",
        "Time from request head to response"
    );
    Ok(handle)
}

/// Takes into the histograms what was recorded since the last time. Until then every single value is kept,
/// so this may not wait for somebody to scrape.
pub async fn run_histogram_upkeep(metrics: PrometheusHandle) {
    loop {
        tokio::time::sleep(HISTOGRAM_INTERVAL).await;
        metrics.run_upkeep();
        metrics::counter!("log_lines_lost_total").absolute(log::lost());
    }
}

/// The method as a label: anybody may invent one, each label is kept indefinitely, and what is invented may be anything,
/// also a secret.
#[must_use]
pub fn known(method: &Method) -> &'static str {
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

type Kind = (&'static str, StatusCode);

thread_local! {
    /// The histograms that this thread has recorded in, by route: finding one by its labels costs as much as all the rest of
    /// noting a request. There are as many as routes, methods and statuses.
    static HISTOGRAMS: RefCell<HashMap<String, Vec<(Kind, Histogram)>>> = RefCell::default();
}

/// Notes one request. The route is the pattern, not the path, so that its kinds are few.
pub fn request(method: &Method, route: &str, status: StatusCode, took: Duration) {
    let kind = (known(method), status);
    HISTOGRAMS.with_borrow_mut(|routes| {
        let known = routes.get(route).and_then(|all| all.iter().find(|it| it.0 == kind));
        if let Some((_, histogram)) = known {
            return histogram.record(took.as_secs_f64());
        }
        let histogram = histogram(route, kind);
        histogram.record(took.as_secs_f64());
        routes.entry(route.to_owned()).or_default().push((kind, histogram));
    });
}

fn histogram(route: &str, (method, status): Kind) -> Histogram {
    let labels = [
        ("method", method.to_owned()),
        ("route", route.to_owned()),
        ("status", status.as_str().to_owned()),
    ];
    metrics::histogram!("http_request_duration_seconds", &labels)
}
