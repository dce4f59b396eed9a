//! Patterns that are not allowed in Rust code, and the files in which each is not allowed.

use super::source::{self, Line};
use super::{Findings, Tree, Violation};

const ASLEEP: [&str; 2] = ["sleep", "sleep_until"];
const REAL_TIME: &str = "// real time:";

/// The modules that read the real clock and the system's randomness.
const SOURCES: [&str; 2] = ["crates/platform/src/clock.rs", "crates/platform/src/entropy.rs"];
/// Functions that clippy's `disallowed_methods` cannot forbid, because only some features of a
/// package have them. The last three belong to governor, which reads the system's clock unless
/// another clock is given.
const AMBIENT: [&str; 6] =
    ["now_v7", "new_v4", "OsRng", "DefaultClock", "RateLimiter::keyed", "RateLimiter::direct"];

/// Crates of pure functions: rules, secrets and adapters. Their code does not wait, read files or
/// the environment, or open connections.
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

/// The parts of `delivery` that may use untyped errors (`anyhow`): the binary, its command line and
/// output, and the demo.
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
pub fn check(tree: &Tree) -> Findings {
    let mut findings = Findings::of("lines of Rust");
    for (path, text) in tree.rust() {
        for line in source::lines(&text) {
            findings.looked_at += 1;
            let faults = [
                ignored(&line),
                asleep(path, &line),
                ambient(path, &line),
                query(path, &line),
                effect(path, &line),
                untyped(path, &line),
            ];
            let faults = faults.into_iter().flatten();
            findings.violations.extend(faults.map(|what| Violation::at(path, line.number, what)));
        }
    }
    findings
}

fn ignored(line: &Line) -> Option<String> {
    let attribute = line.code.contains("#[ignore")
        || line.code.contains("#[cfg_attr") && source::names(&line.code, "ignore");
    attribute.then(|| "an ignored test tells nothing: make it run, or delete it".to_owned())
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
    // Examples are separate programs, so the rule does not apply to them.
    let of_ours = path.starts_with("crates/") && !path.contains("/examples/");
    let allowed = !of_ours || SOURCES.contains(&path);
    (!allowed).then(|| {
        format!("`{named}` outside `platform::clock` and `platform::entropy`: take the time and the randomness from there, so that a test can set them")
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
        check(&Tree::from([(path, text)])).violations.len()
    }

    #[test]
    fn an_ignored_test_is_found_in_code_and_not_in_speech() {
        let path = "crates/channel/src/lib.rs";
        for text in ["#[ignore]", "#[ignore = \"x\"]", "#[cfg_attr(windows, ignore)]"] {
            assert_eq!(faults(path, text), 1, "{text}");
        }
        for text in ["// never #[ignore]", "let s = \"#[ignore]\";", "fn ignore() {}"] {
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
        let found = check(&Tree::from([("tests/src/a.rs", "\n\n#[ignore]\n")])).violations;
        assert_eq!(found.len(), 1);
        assert!(found[0].to_string().starts_with("tests/src/a.rs:3: an ignored"), "{found:?}");
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
