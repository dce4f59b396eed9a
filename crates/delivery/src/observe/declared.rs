//! All metrics and their descriptions.

type Metric = (&'static str, &'static str);

/// Counters without labels.
pub const COUNTERS: &[Metric] = &[
    ("messages_accepted_total", "Messages answered with 201"),
    ("messages_handed_over_total", "Messages the channel accepted"),
    ("messages_refused_total", "Messages the channel rejected permanently"),
    ("messages_retried_total", "Attempts that will be retried"),
    (
        "settlements_retried_total",
        "Results of messages that could not be recorded on the first attempt",
    ),
    ("callbacks_received_total", "Callbacks of the channel that were stored"),
    ("callbacks_worked_total", "Callbacks of the channel that were processed"),
    ("connections_made_total", "Codes of Connect exchanged for a key"),
    ("rate_limited_total", "Calls refused because their key has reached its rate limit"),
    ("http_connections_refused_total", "Connections closed because their address had too many"),
    ("log_lines_lost_total", "Log lines dropped because their reader was too slow"),
    ("tls_handshakes_failed_total", "TLS handshakes that failed"),
];

/// Counters with labels (`service::worker::counters`).
pub const LABELED_COUNTERS: &[Metric] = &[
    ("messages_failed_total", "Messages that will not arrive, by reason"),
    ("channel_calls_total", "Calls to the channel, by outcome"),
    ("webhook_attempts_total", "Attempts to deliver an event, by answer"),
    ("switchboard_callbacks_total", "Parts of callbacks, by subject and outcome"),
    (
        STANDBY_READS,
        "Reads that SWITCHBOARD_DATABASE_URL_READ may answer: served there, or by the primary because the standby was behind, failed, or was unused at the time",
    ),
];

/// Gauges. They describe the whole database, so all instances report the same values.
pub const GAUGES: &[Metric] = &[
    ("outbox_depth", "Messages waiting for the channel"),
    ("outbox_oldest_age_seconds", "Age of the oldest message waiting for the channel"),
    ("accounts_held", "Numbers that the channel refuses"),
    ("callbacks_waiting", "Callbacks waiting to be processed"),
    ("callbacks_oldest_age_seconds", "Age of the oldest waiting callback"),
    (
        "callbacks_dead",
        "Dead letters: parts of callbacks kept for the operator, but for events of templates that are not known",
    ),
    (
        "webhook_endpoints_behind",
        "Webhook endpoints with overdue events, by how long they have been overdue",
    ),
    (
        "webhook_oldest_age_seconds",
        "How long the endpoint that is furthest behind has been overdue",
    ),
    ("sessions_active", "Sessions of the dashboard that have not expired"),
    (
        "tls_certificate_end_timestamp_seconds",
        "When the certificate of SWITCHBOARD_TLS_CERT expires, in seconds since 1970",
    ),
    (STANDBY_USED, "1 while the standby of SWITCHBOARD_DATABASE_URL_READ is read from, else 0"),
    (
        STANDBY_BEHIND,
        "Bytes of the primary's log that the standby had not replayed at the last check",
    ),
    (BUILD_INFO, "Always 1; version and database as labels"),
];

pub const STANDBY_READS: &str = "standby_reads_total";
pub const STANDBY_USED: &str = "standby_used";
pub const STANDBY_BEHIND: &str = "standby_behind_bytes";
pub const BUILD_INFO: &str = "switchboard_build_info";

/// Histograms of durations in seconds.
pub const HISTOGRAMS: &[Metric] = &[
    (REQUESTS, "Time from request head to response"),
    (WAITS, "Time that an operation waited for a connection, or on SQLite for the writer"),
    (COMMITS, "Time from the beginning of a transaction until it was committed"),
];

/// The duration of requests by method, route and status.
pub const REQUESTS: &str = "http_request_duration_seconds";
/// The wait of a database operation before it begins.
pub const WAITS: &str = "database_wait_seconds";
/// The duration of transactions; on SQLite, of batches of writes.
pub const COMMITS: &str = "database_commit_seconds";
