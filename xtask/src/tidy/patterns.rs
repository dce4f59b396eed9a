//! Patterns that are not allowed in a line of Rust, and where.

use super::source::{self, Line};
use super::{Tree, Violation};

const UNFINISHED: [&str; 3] = ["todo!", "unimplemented!", "dbg!"];
const ASLEEP: [&str; 2] = ["sleep", "sleep_until"];
const REAL_TIME: &str = "// real time:";

/// The queries, which are written once for both databases.
const QUERIES: &str = "crates/persistence/src/queries/";
const BACKENDS: [&str; 8] = [
    "diesel::pg",
    "diesel::sqlite",
    "Pg",
    "PgConnection",
    "AsyncPgConnection",
    "Sqlite",
    "SqliteConnection",
    "AsyncSqliteConnection",
];

/// The modules with the real clock and real randomness.
const SOURCES: [&str; 2] = ["crates/platform/src/clock.rs", "crates/platform/src/entropy.rs"];
/// The last three belong to governor, which reads the system's clock unless it is given another
/// one.
const AMBIENT: [&str; 13] = [
    "SystemTime::now",
    "Instant::now",
    "OffsetDateTime::now_utc",
    "SystemRandom::new",
    "now_v7",
    "new_v4",
    "OsRng",
    "getrandom",
    "thread_rng",
    "fastrand",
    "DefaultClock",
    "RateLimiter::keyed",
    "RateLimiter::direct",
];

/// Crates of pure functions: rules, secrets and adapters. No code in them waits, reads a file or
/// the environment, or opens a connection.
const PURE: [&str; 3] = ["crates/domain/src/", "crates/auth/src/", "crates/channel/src/"];
const EFFECTS: [&str; 11] = [
    "async",
    "await",
    "std::env",
    "std::fs",
    "std::process",
    "std::thread",
    "TcpListener",
    "TcpStream",
    "ToSocketAddrs",
    "UdpSocket",
    "println!",
];

/// The parts of `delivery` that may use errors without a type: the binary, its command line and
/// output, the demo.
const ANYHOW_IS_FOR: [&str; 4] = [
    "crates/delivery/src/main.rs",
    "crates/delivery/src/cli/",
    "crates/delivery/src/output.rs",
    "crates/delivery/src/demo/",
];

/// Crates that answer requests and commands. They access the database only through use cases in
/// `service`.
const SURFACES: [&str; 5] = [
    "crates/api/src/",
    "crates/delivery/src/",
    "crates/pages/src/",
    "crates/reference/src/",
    "crates/http_layer/src/",
];
/// Code that opens a database, inspects it before a server runs, or fills it for the demo.
const OPENS_DATABASES: [&str; 3] =
    ["crates/delivery/src/cli/", "crates/delivery/src/doctor/", "crates/delivery/src/demo/mod.rs"];

/// Checks every line of every Rust file.
pub fn check(tree: &Tree) -> Vec<Violation> {
    let mut found = Vec::new();
    for (path, text) in tree.rust() {
        for line in source::lines(&text) {
            let faults = [
                unfinished(&line),
                asleep(path, &line),
                backend(path, &line),
                ambient(path, &line),
                query(path, &line),
                effect(path, &line),
                untyped(path, &line),
            ];
            found.extend(
                faults.into_iter().flatten().map(|what| Violation::at(path, line.number, what)),
            );
        }
    }
    found
}

fn unfinished(line: &Line) -> Option<String> {
    if let Some(name) = UNFINISHED.iter().find(|name| source::names(&line.code, name)) {
        return Some(format!("`{name}` is left from the work: finish it"));
    }
    let attribute = line.code.contains("#[ignore")
        || line.code.contains("#[cfg_attr") && source::names(&line.code, "ignore");
    if attribute {
        return Some("an ignored test tells nothing: make it run, or delete it".to_owned());
    }
    let mark = ["FIX", "ME"].concat();
    source::names(&line.comment, &mark)
        .then(|| format!("`{mark}`: fix it, or file an issue and say why it is so"))
}

fn asleep(path: &str, line: &Line) -> Option<String> {
    let code = line.code.trim_start();
    let imported = code.starts_with("use ") || code.starts_with("pub use ");
    let reason = line.comment.split_once(REAL_TIME).map(|(_, reason)| reason.trim());
    let sleeps = !imported && ASLEEP.iter().any(|name| source::names(code, name));
    (path.starts_with("tests/") && sleeps && reason.unwrap_or_default().is_empty()).then(|| {
        format!(
            "a test that sleeps is slow, or fails now and then: wait for the event, or move the clock; \
             where only real time will do, end the line with `{REAL_TIME}` and the reason"
        )
    })
}

fn backend(path: &str, line: &Line) -> Option<String> {
    let named = BACKENDS.iter().find(|name| source::names(&line.code, name))?;
    path.starts_with(QUERIES).then(|| {
        format!("a query may not name a database (`{named}`): it is compiled for both; put the difference beside them")
    })
}

fn query(path: &str, line: &Line) -> Option<String> {
    let within = |folders: &[&str]| folders.iter().any(|folder| path.starts_with(folder));
    let asks = within(&SURFACES) && !within(&OPENS_DATABASES) && source::names(&line.code, "db");
    asks.then(|| {
        "a query outside `service`: make it a use case there, which the API, the pages and the command line call"
            .to_owned()
    })
}

fn ambient(path: &str, line: &Line) -> Option<String> {
    let named = AMBIENT.iter().find(|name| source::names(&line.code, name))?;
    // An example is a separate program.
    let of_ours = path.starts_with("crates/") && !path.contains("/examples/");
    let allowed = !of_ours || SOURCES.contains(&path);
    (!allowed).then(|| {
        format!("`{named}` outside service's `clock` and `entropy`: take the time and the randomness from there, so that a test can set them")
    })
}

fn effect(path: &str, line: &Line) -> Option<String> {
    let named = EFFECTS.iter().find(|name| source::names(&line.code, name))?;
    PURE.iter().any(|folder| path.starts_with(folder)).then(|| {
        format!(
            "`{named}` in a crate of pure functions: do this in service, and pass the result in"
        )
    })
}

fn untyped(path: &str, line: &Line) -> Option<String> {
    let named = source::names(&line.code, "anyhow");
    let within = path.starts_with("crates/") && path.contains("/src/");
    let allowed = ANYHOW_IS_FOR.iter().any(|place| path.starts_with(place));
    (named && within && !allowed).then(|| {
        "anyhow outside the command line and the demo: give the error a type (thiserror)".to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(path: &str, text: &str) -> usize {
        check(&Tree::from([(path, text)])).len()
    }

    #[test]
    fn unfinished_work_is_found_in_code_and_not_in_speech() {
        let path = "crates/channel/src/lib.rs";
        for text in [
            "fn f() { todo!() }",
            "unimplemented!(\"x\")",
            "let x = dbg!(y);",
            "#[ignore]",
            "#[ignore = \"x\"]",
        ] {
            assert_eq!(faults(path, text), 1, "{text}");
        }
        assert_eq!(faults(path, "#[cfg_attr(windows, ignore)]"), 1);
        assert_eq!(faults(path, &format!("// {}: later", ["FIX", "ME"].concat())), 1);
        for text in [
            "// never use todo!()",
            "let s = \"dbg!(x)\";",
            "my_dbg!(x)",
            "fn ignore() {}",
            "// see FIXMENT",
        ] {
            assert_eq!(faults(path, text), 0, "{text}");
        }
    }

    #[test]
    fn who_answers_requests_asks_use_cases_and_not_the_database() {
        let text = "let key = deps.db.organization(id).own_key(key).await?;";
        for path in ["crates/api/src/a.rs", "crates/pages/src/b/c.rs", "crates/delivery/src/d.rs"] {
            assert_eq!(faults(path, text), 1, "{path}");
        }
        for path in ["crates/service/src/keys.rs", "crates/delivery/src/cli/serve.rs"] {
            assert_eq!(faults(path, text), 0, "{path}");
        }
        assert_eq!(faults("crates/pages/src/b.rs", "deps.keys(id).find(key).await?"), 0);
    }

    #[test]
    fn the_line_is_named() {
        let found = check(&Tree::from([("tests/src/a.rs", "\n\ntodo!()\n")]));
        assert!(
            found.iter().all(|found| found.to_string().starts_with("tests/src/a.rs:3: `todo!`")),
            "{found:?}"
        );
    }

    #[test]
    fn tests_sleep_only_with_a_reason() {
        let path = "tests/src/window.rs";
        for text in [
            "std::thread::sleep(SECOND);",
            "tokio::time::sleep(SECOND).await;",
            "sleep(SECOND).await;",
            "tokio::time::sleep_until(then).await;",
            "thread::sleep(SECOND); // real time:",
            "thread::sleep(SECOND); // needed",
        ] {
            assert_eq!(faults(path, text), 1, "{text}");
        }
        for text in [
            "thread::sleep(SECOND); // real time: the kernel's own time-out",
            "use tokio::time::sleep;",
            "asleep()",
        ] {
            assert_eq!(faults(path, text), 0, "{text}");
        }
        assert_eq!(faults("crates/service/src/worker/mod.rs", "sleep(SECOND).await;"), 0);
    }

    #[test]
    fn queries_name_no_database() {
        for text in [
            "use diesel::pg::Pg;",
            "fn f(c: &mut SqliteConnection) {}",
            "impl X<Sqlite> for Y {}",
            "fn f(c: &mut PgConnection) {}",
            "AsyncPgConnection",
        ] {
            assert_eq!(faults("crates/persistence/src/queries/keys.rs", text), 1, "{text}");
            assert_eq!(faults("crates/persistence/src/postgres.rs", text), 0, "{text}");
        }
        assert_eq!(
            faults("crates/persistence/src/queries/keys.rs", "// Pg and Sqlite agree here"),
            0
        );
    }

    #[test]
    fn rules_secrets_and_adapters_have_no_effects() {
        for text in [
            "pub async fn rule() {}",
            "std::fs::read(path)",
            "std::env::var(\"X\")",
            "TcpStream::connect(it)",
        ] {
            for path in PURE {
                assert_eq!(faults(&format!("{path}a.rs"), text), 1, "{path} {text}");
            }
            assert_eq!(faults("crates/service/src/keys.rs", text), 0, "{text}");
        }
        assert_eq!(faults("crates/domain/src/a.rs", "// async is for others"), 0);
    }

    #[test]
    fn errors_have_types_outside_the_command_line() {
        for text in ["use anyhow::Result;", "fn f() -> anyhow::Result<()> {}"] {
            assert_eq!(faults("crates/delivery/src/doctor/cloud.rs", text), 1, "{text}");
            assert_eq!(faults("crates/delivery/src/cli/mod.rs", text), 0, "{text}");
            assert_eq!(faults("crates/delivery/examples/partner/main.rs", text), 0, "{text}");
            assert_eq!(faults("tests/acceptance/main.rs", text), 0, "{text}");
        }
    }

    #[test]
    fn time_and_randomness_come_from_service() {
        for text in [
            "let t = SystemTime::now();",
            "let t = std::time::Instant::now();",
            "OffsetDateTime::now_utc()",
            "ring::rand::SystemRandom::new()",
            "Uuid::now_v7()",
            "Uuid::new_v4()",
            "RateLimiter::keyed(quota)",
            "DefaultClock::default().now()",
        ] {
            assert_eq!(faults("crates/auth/src/secret.rs", text), 1, "{text}");
            assert_eq!(faults("crates/delivery/src/main.rs", text), 1, "{text}");
            assert_eq!(faults("crates/platform/src/clock.rs", text), 0, "{text}");
            assert_eq!(faults("crates/platform/src/entropy.rs", text), 0, "{text}");
            assert_eq!(faults("tests/src/lib.rs", text), 0, "{text}");
        }
    }
}
