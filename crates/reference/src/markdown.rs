//! The reference in Markdown. The HTML page is made from this text.

use super::events::{self, EventDoc};
use super::openapi::{self, ExchangeSchemas, Schemas};
use super::view::{self, Group};
use api::call::MAX_IDEMPOTENCY_KEY_LENGTH;
use api::registry::Registry;
use api_types::pagination::{LIMIT_DEFAULT, MAX_LIMIT, MIN_LIMIT};
use askama::Template;
use auth::rate::WINDOW;
use domain::content::{interactive, media, parameter, text};
use domain::key::{MAX_RATE_LIMIT, RateLimit};
use domain::keyword::Keyword as _;
use domain::media::{FileType, MAX_URL_LENGTH};
use domain::message;
use domain::scope::Scope;
use domain::template::parts;
use http_layer::problem::{Code, SampleContext};
use platform::in_flight::ANSWERS_RETENTION;

#[derive(Template)]
#[template(path = "reference/reference.md", escape = "none")]
struct Whole<'a> {
    base_url: &'a str,
    groups: &'a [Group],
    lists: &'a view::Lists,
    codes: &'a [Code],
    scopes: &'a [Scope],
    file_types: &'a [FileType],
    events: &'a [EventDoc],
    numbers: &'a [(&'static str, &'static str)],
    exchange: &'a view::ExchangeView,
    handshakes: &'a [(&'static str, String)],
    connect_servers: &'a [(&'static str, String)],
    receivers: &'a [(&'static str, String)],
    importer: String,
    mailing: String,
    error_example: String,
}

/// Complete programs for the partner's side of the handshake, each after its language. Tests run
/// them.
const HANDSHAKES: [(&str, &str); 4] = [
    ("sh", include_str!("../../../docs/handshake/handshake.sh")),
    ("js", include_str!("../../../docs/handshake/handshake.mjs")),
    ("python", include_str!("../../../docs/handshake/handshake.py")),
    ("rust", include_str!("../../delivery/examples/handshake.rs")),
];

/// Programs of a partner's server with a Connect button, for Express and FastAPI.
const CONNECT_SERVERS: [(&str, &str); 2] = [
    ("js", include_str!("../../../docs/guides/connect_express.mjs")),
    ("python", include_str!("../../../docs/guides/connect_fastapi.py")),
];

/// Receivers of webhooks, in Express, FastAPI and axum.
const RECEIVERS: [(&str, &str); 3] = [
    ("js", include_str!("../../../docs/guides/webhooks_express.mjs")),
    ("python", include_str!("../../../docs/guides/webhooks_fastapi.py")),
    ("rust", include_str!("../../../docs/guides/webhooks_axum.rs")),
];

const IMPORTER: &str = include_str!("../../../docs/guides/import_contacts.py");
const MAILING: &str = include_str!("../../../docs/guides/send_to_many.py");

/// Renders the reference of the service at `base_url`.
pub fn render(registry: &Registry, base_url: &str) -> Result<String, askama::Error> {
    let mut schemas = Schemas::new(registry);
    let exchange = ExchangeSchemas::new(&mut schemas);
    let no_scope = SampleContext { upgrade_url: base_url, scope: None };
    let groups = view::groups(registry, &schemas, base_url);
    let whole = Whole {
        base_url,
        groups: &groups,
        lists: &view::lists(&groups),
        codes: Code::ALL,
        scopes: Scope::ALL,
        file_types: FileType::ALL,
        events: &events::event_docs(),
        numbers: &channel::sandbox::NUMBERS,
        exchange: &view::exchange(&schemas, &exchange),
        error_example: format!("{:#}", openapi::error_example(Code::NoMessagingAccount, &no_scope)),
        handshakes: &programs(HANDSHAKES, base_url),
        connect_servers: &programs(CONNECT_SERVERS, base_url),
        receivers: &programs(RECEIVERS, base_url),
        importer: program(IMPORTER, base_url),
        mailing: program(MAILING, base_url),
    };
    Ok(collapse_blank_lines(&whole.render()?))
}

/// The base URL in the source of the programs.
const PROGRAMS_BASE_URL: &str = "http://localhost:8080";

/// Puts this service's URL into programs.
fn programs<const N: usize>(
    programs: [(&'static str, &str); N],
    base_url: &str,
) -> [(&'static str, String); N] {
    programs.map(|(fence, code)| (fence, program(code, base_url)))
}

/// Puts this service's URL into a program. Removes inner attributes (`#![…]`), which are only for
/// the linter of this repository.
fn program(code: &str, base_url: &str) -> String {
    let lines = code.lines().filter(|line| !line.starts_with("#!["));
    lines.collect::<Vec<_>>().join("\n").replace(PROGRAMS_BASE_URL, base_url)
}

/// Reduces several empty lines outside of code to one.
fn collapse_blank_lines(text: &str) -> String {
    let (mut tidy, mut in_code, mut empty) = (String::with_capacity(text.len()), false, true);
    for line in text.lines() {
        let line = if in_code { line } else { line.trim_end() };
        in_code ^= line.trim_start().starts_with("```");
        if line.is_empty() && empty && !in_code {
            continue;
        }
        empty = line.is_empty();
        tidy.push_str(line);
        tidy.push('\n');
    }
    tidy
}

/// Formats the maximum size of a file type for readers. The template calls it.
fn size(of: FileType) -> String {
    match of.max_bytes() / (1024 * 1024) {
        0 => format!("{} KiB", of.max_bytes() / 1024),
        mebibytes => format!("{mebibytes} MiB"),
    }
}
