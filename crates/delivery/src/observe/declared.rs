//! All metrics and their descriptions.

type Metric = (&'static str, &'static str);

/// Counters without labels.
pub const COUNTERS: &[Metric] = &[
    ("switchboard_messages_accepted_total", "Messages answered with 201"),
    ("switchboard_messages_handed_over_total", "Messages the channel accepted"),
    ("switchboard_messages_refused_total", "Messages the channel rejected permanently"),
    ("switchboard_messages_retried_total", "Attempts that will be retried"),
    (
        "switchboard_settlements_retried_total",
        "Results of messages that could not be recorded on the first attempt",
    ),
    ("switchboard_callbacks_received_total", "Callbacks of the channel that were stored"),
    ("switchboard_callbacks_processed_total", "Callbacks of the channel that were processed"),
    ("switchboard_connections_created_total", "Codes of Connect exchanged for a key"),
    (
        "switchboard_rate_limited_calls_total",
        "Calls refused because their key has reached its rate limit",
    ),
    (
        "switchboard_http_connections_refused_total",
        "Connections closed because their address had too many",
    ),
    ("switchboard_log_lines_lost_total", "Log lines dropped because their reader was too slow"),
    ("switchboard_tls_handshakes_failed_total", "TLS handshakes that failed"),
];

/// Counters with labels (`platform::counters`).
pub const LABELED_COUNTERS: &[Metric] = &[
    ("switchboard_messages_failed_total", "Messages that will not arrive, by reason"),
    ("switchboard_channel_calls_total", "Calls to the channel, by outcome"),
    ("switchboard_webhook_attempts_total", "Attempts to deliver an event, by answer"),
    ("switchboard_agent_turns_total", "Turns of AI agents that ended, by state"),
    ("switchboard_callback_parts_total", "Parts of callbacks, by subject and outcome"),
    (
        STANDBY_READS,
        "Reads that SWITCHBOARD_DATABASE_URL_READ may answer: served there, or by the primary because the standby was behind, failed, or was unused at the time",
    ),
];

/// Gauges. They describe the whole database, so all instances report the same values.
pub const GAUGES: &[Metric] = &[
    ("switchboard_outbox_messages", "Messages waiting for the channel"),
    ("switchboard_outbox_oldest_age_seconds", "Age of the oldest message waiting for the channel"),
    ("switchboard_held_accounts", "Numbers that the channel refuses"),
    ("switchboard_waiting_callbacks", "Callbacks waiting to be processed"),
    ("switchboard_callbacks_oldest_age_seconds", "Age of the oldest waiting callback"),
    (
        "switchboard_dead_callbacks",
        "Dead letters: parts of callbacks kept for the operator, without those about unknown template events and templates",
    ),
    (
        "switchboard_overdue_webhook_endpoints",
        "Webhook endpoints with overdue events, by how long they have been overdue",
    ),
    (
        "switchboard_webhook_oldest_age_seconds",
        "How long the endpoint that is furthest behind has been overdue",
    ),
    (
        "switchboard_agent_turn_oldest_age_seconds",
        "How long the oldest turn of an AI agent has been due without being asked",
    ),
    ("switchboard_active_sessions", "Sessions of the dashboard that have not expired"),
    (
        "switchboard_tls_certificate_expiry_timestamp_seconds",
        "When the certificate of SWITCHBOARD_TLS_CERT expires, in seconds since 1970",
    ),
    (STANDBY_USED, "1 while the standby of SWITCHBOARD_DATABASE_URL_READ is read from, else 0"),
    (
        STANDBY_BEHIND,
        "Bytes of the primary's log that the standby had not replayed at the last check",
    ),
    (BUILD_INFO, "Always 1; version and database as labels"),
];

pub const STANDBY_READS: &str = "switchboard_standby_reads_total";
pub const STANDBY_USED: &str = "switchboard_standby_used";
pub const STANDBY_BEHIND: &str = "switchboard_standby_lag_bytes";
pub const BUILD_INFO: &str = "switchboard_build_info";

/// Histograms of durations in seconds.
pub const HISTOGRAMS: &[Metric] = &[
    (REQUESTS, "Time from request head to response"),
    (WAITS, "Time that an operation waited for a connection, or on SQLite for the writer"),
    (COMMITS, "Time from the beginning of a transaction until it was committed"),
];

/// The duration of requests by method, route and status.
pub const REQUESTS: &str = "switchboard_http_request_duration_seconds";
/// The time that a database operation waits before it begins.
pub const WAITS: &str = "switchboard_database_wait_seconds";
/// The duration of transactions; on SQLite, of batches of writes.
pub const COMMITS: &str = "switchboard_database_commit_seconds";
