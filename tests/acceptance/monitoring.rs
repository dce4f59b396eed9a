//! The dashboard and the alerts in `packaging/` use only metrics that a server has from its start,
//! and the metrics count correctly.

use crate::credentials::with_credentials;
use crate::operators::{admin, prepare};
use crate::world::{Database, Pair, Process, free_port};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::time::Duration;

const DASHBOARD: &str = include_str!("../../packaging/grafana-dashboard.json");
const ALERTS: &str = include_str!("../../packaging/alerts.yaml");

/// The words of `PromQL` that could be mistaken for metrics.
const LANGUAGE: [&str; 12] = [
    "and",
    "by",
    "count",
    "histogram_quantile",
    "max",
    "or",
    "rate",
    "sum",
    "unless",
    "without",
    // `up` is Prometheus' own metric of a target, and the other one is Grafana's interval.
    "up",
    "__rate_interval",
];

/// The metrics that exist only with a standby.
const OF_A_STANDBY: [&str; 2] = ["switchboard_standby_used", "switchboard_standby_lag_bytes"];

/// A scraped metrics page.
struct Metrics(String);

impl Metrics {
    async fn of(process: &Process) -> Self {
        let address = format!("http://{}/metrics", process.metrics);
        Self(crate::world::client().get(address).send().await.unwrap().text().await.unwrap())
    }

    /// Scrapes until a line begins with `line`: gauges are measured every few seconds.
    async fn with(process: &Process, line: &str) -> Self {
        for _ in 0..200 {
            let metrics = Self::of(process).await;
            if metrics.0.lines().any(|it| it.starts_with(line)) {
                return metrics;
            }
            tokio::time::sleep(Duration::from_millis(50)).await; // real time: another process measures
        }
        panic!("no {line} within ten seconds in {}", Self::of(process).await.0);
    }

    /// Returns the names of the series. A histogram has three.
    fn names(&self) -> BTreeSet<&str> {
        let series = self.0.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        series.map(|line| line.split(['{', ' ']).next().unwrap()).collect()
    }

    /// Returns the names of metrics without a description.
    fn undescribed(&self) -> BTreeSet<&str> {
        let of = |what: &str| -> BTreeSet<&str> {
            let lines = self.0.lines().filter_map(|line| line.strip_prefix(what));
            lines.map(|line| line.split(' ').next().unwrap()).collect()
        };
        of("# TYPE ").difference(&of("# HELP ")).copied().collect()
    }

    fn value(&self, series: &str) -> &str {
        let line = self.0.lines().find_map(|line| line.strip_prefix(series));
        line.unwrap_or_else(|| panic!("{series} in {}", self.0)).trim()
    }
}

/// Returns the metrics in an expression: words that are not a label, a function or a duration.
fn metrics_in(expression: &str) -> BTreeSet<String> {
    let (mut plain, mut depth, mut is_list) = (String::new(), 0, false);
    let mut rest = expression;
    while let Some(next) = rest.chars().next() {
        // The labels in `by (…)` and `without (…)` are not metrics either.
        if depth == 0 && ["by (", "without ("].iter().any(|it| rest.starts_with(it)) {
            is_list = true;
        }
        match next {
            '{' | '[' => depth += 1,
            '}' | ']' => depth -= 1,
            ')' if is_list => is_list = false,
            _ if depth == 0 && !is_list => plain.push(next),
            _ => {}
        }
        rest = &rest[next.len_utf8()..];
    }
    let is_part = |it: char| it.is_ascii_alphanumeric() || it == '_';
    let words = plain.split(|it| !is_part(it));
    let words = words.filter(|it| it.starts_with(|first: char| first.is_ascii_lowercase()));
    words.filter(|it| !LANGUAGE.contains(it)).map(str::to_owned).collect()
}

/// Returns the expressions of the dashboard's panels.
fn panel_expressions(panels: &Value) -> Vec<String> {
    let panels = panels.as_array().unwrap().iter();
    let targets = panels.filter_map(|it| it["targets"].as_array()).flatten();
    targets.map(|it| it["expr"].as_str().expect("an expression").to_owned()).collect()
}

#[test]
fn metrics_are_found_in_expressions() {
    let rate = r#"rate(wait_bucket{a="b",c=~"d"}[5m])"#;
    let expression = format!("histogram_quantile(0.99, sum by (le) ({rate})) > 1 and max(age) < 2");
    assert_eq!(metrics_in(&expression), ["age", "wait_bucket"].map(str::to_owned).into());
    assert_eq!(
        metrics_in("count by (version, database) (build_info{job=\"$job\"})"),
        ["build_info".to_owned()].into()
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_dashboard_and_the_alerts_name_metrics_that_there_are() {
    // Given a server that has just started and has done nothing,
    let database = Database::sqlite();
    let process = Process::serve(&database.url, free_port()).await;
    Metrics::with(&process, "switchboard_active_sessions").await;
    let metrics = Metrics::with(&process, "switchboard_overdue_webhook_endpoints").await;
    let there = metrics.names();
    // then each metric of the dashboard and of the alerts exists,
    let dashboard: Value = serde_json::from_str(DASHBOARD).unwrap();
    let shown = panel_expressions(&dashboard["panels"]);
    let rules = ALERTS.lines().filter_map(|line| line.trim().strip_prefix("expr: "));
    let rules: Vec<String> = rules.map(str::to_owned).collect();
    assert!(shown.len() > 25 && rules.len() > 8, "{} and {}", shown.len(), rules.len());
    for expression in shown.iter().chain(&rules) {
        let named = metrics_in(expression);
        // `up` is the only expression without a metric of Switchboard's own.
        assert!(!named.is_empty() || expression.starts_with("up{"), "{expression}");
        for name in named {
            let is_there = there.contains(name.as_str()) || OF_A_STANDBY.contains(&name.as_str());
            assert!(is_there, "{name} of {expression} in {there:#?}");
        }
    }
    // and each has a description.
    assert_eq!(metrics.undescribed(), BTreeSet::new());
}

/// Creates a key with a rate limit of one call a minute.
async fn slow_key(url: &str) -> Pair {
    let key = ["key", "create", "--organization", "Bakery", "--name", "Slow", "--rate-limit", "1"];
    let made = admin(url, &[&key[..], &["--scopes", "messages.send"]].concat()).await;
    let text = |field: &str| made[field].as_str().unwrap().to_owned();
    Pair { client_id: text("client_id"), client_secret: text("client_secret") }
}

async fn activity_is_counted_in_metrics(database: Database, kind: &str) {
    // Given a server,
    let key = prepare(&database.url).await;
    let slow = slow_key(&database.url).await;
    let process = Process::serve(&database.url, free_port()).await;
    let send = async |key: &Pair, person: &str| {
        let body = json!({"type": "text", "phone_number": person, "text": "Hello"});
        let request = crate::world::client().post(format!("{}/api/v1/messages", process.base));
        with_credentials(request, key).json(&body).send().await.unwrap().status().as_u16()
    };
    let before = Metrics::of(&process).await;
    assert_eq!(before.value("switchboard_rate_limited_calls_total "), "0");

    // when one message arrives, one fails at the channel, and one call exceeds the rate limit,
    assert_eq!(send(&key, "+12025550102").await, 201);
    assert_eq!(send(&slow, "+12025550103").await, 201);
    assert_eq!(send(&slow, "+12025550102").await, 429);

    // then the metrics have these numbers.
    let failed = "switchboard_messages_failed_total{reason=\"recipient_unreachable\"} ";
    Metrics::with(&process, &format!("{failed}1")).await;
    let metrics = Metrics::with(&process, "switchboard_outbox_messages 0").await;
    for (series, value) in [
        ("switchboard_messages_accepted_total ", "2"),
        ("switchboard_rate_limited_calls_total ", "1"),
        ("switchboard_messages_failed_total{reason=\"window_closed\"} ", "0"),
        ("switchboard_outbox_oldest_age_seconds ", "0"),
        ("switchboard_active_sessions ", "0"),
    ] {
        assert_eq!(metrics.value(series), value, "{series}");
    }
    assert!(metrics.0.contains(&format!("database=\"{kind}\"}} 1")), "{}", metrics.0);
    // Values are added to these histograms once a second.
    for time in ["switchboard_database_wait_seconds", "switchboard_database_commit_seconds"] {
        let count = format!("{time}_count ");
        let many: u64 = metrics.value(&count).parse().unwrap();
        assert!(many > 3, "{count} in {}", metrics.0);
        let took: f64 = metrics.value(&format!("{time}_sum ")).parse().unwrap();
        assert!(took > 0.0, "{time}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn activity_is_counted_in_metrics_on_sqlite() {
    activity_is_counted_in_metrics(Database::sqlite(), "sqlite").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn activity_is_counted_in_metrics_on_postgres() {
    activity_is_counted_in_metrics(Database::postgres().await, "postgres").await;
}
