//! Checks that a connection to PostgreSQL is encrypted, that the server is authenticated, and that
//! its certificate does not expire soon.

use crate::checks::Finding;
use crate::tls::SOON;
use domain::time::Timestamp;
use persistence::inspection::{Encryption, Verification};
use std::net::IpAddr;
use std::time::Duration;

const DAY: Duration = Duration::from_hours(24);

/// Checks the connection to the server in `url`.
pub fn check(
    subject: &'static str,
    url: &str,
    encryption: Option<Encryption>,
    now: Timestamp,
) -> Vec<Finding> {
    let is_here = is_this_machine(url);
    let Some(it) = encryption else { return vec![unencrypted(subject, is_here)] };
    let is_verified = it.verification != Verification::Nothing;
    // The expiry of a certificate that is not verified does not matter.
    let ends = it.ends.filter(|_| is_verified);
    [encrypted(subject, it, is_here)]
        .into_iter()
        .chain(ends.map(|ends| end(subject, ends, now)))
        .collect()
}

fn unencrypted(subject: &'static str, is_here: bool) -> Finding {
    if is_here {
        let what = "the connection is not encrypted, and stays on this machine";
        return Finding::ok(subject, what);
    }
    let what = "the connection leaves this machine and is not encrypted";
    let advice = "write sslmode=verify-full, or use a private network only";
    Finding::warning(subject, what, advice)
}

fn encrypted(subject: &'static str, it: Encryption, is_here: bool) -> Finding {
    let what = format!("the connection is encrypted ({})", it.version);
    match it.verification {
        Verification::Nothing if is_here => {
            Finding::ok(subject, format!("{what}, and stays on this machine"))
        }
        Verification::Nothing => {
            let what = format!("{what}, but the server is not authenticated");
            let advice = "write sslmode=verify-full, with the file of the server's authority in sslrootcert if this machine does not trust it";
            Finding::warning(subject, what, advice)
        }
        Verification::AnyAuthority => {
            let what = format!(
                "{what}, but a certificate of any authority that this machine trusts is accepted, for any name"
            );
            let advice =
                "write sslmode=verify-full, or name the server's own authority with sslrootcert";
            Finding::warning(subject, what, advice)
        }
        Verification::Authority => {
            let what =
                format!("{what}, and the server's certificate is verified, but not its name");
            Finding::ok(subject, what)
        }
        Verification::AuthorityAndName => {
            let what = format!("{what}, and the server's certificate and its name are verified");
            Finding::ok(subject, what)
        }
    }
}

fn end(subject: &'static str, ends: Timestamp, now: Timestamp) -> Finding {
    if ends < now.plus(SOON) {
        let what = format!("the server's certificate expires at {ends}");
        return Finding::warning(
            subject,
            what,
            "make sure that its renewal works and that the server reloads it",
        );
    }
    let days = ends.since(now).as_secs() / DAY.as_secs();
    Finding::ok(subject, format!("the server's certificate is valid for {days} more days"))
}

fn is_this_machine(url: &str) -> bool {
    let Ok(url) = reqwest::Url::parse(url) else { return false };
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    let loopback = host.parse::<IpAddr>().is_ok_and(|it| it.to_canonical().is_loopback());
    // The path of a socket's folder is percent-encoded.
    loopback || host.is_empty() || host == "localhost" || host.starts_with("%2F")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::CheckState;

    #[test]
    fn only_what_leaves_the_machine_needs_encryption() {
        for (url, here) in [
            ("postgres://a@localhost/b", true),
            ("postgres://a@127.0.0.1:5432/b", true),
            ("postgres://a@[::1]/b", true),
            ("postgres://a@%2Frun%2Fpostgresql/b", true),
            ("postgres://a@db.example/b", false),
        ] {
            assert_eq!(is_this_machine(url), here, "{url}");
        }
    }

    #[test]
    fn what_leaves_the_machine_is_to_be_verified() {
        let now = Timestamp::from_seconds(1_000);
        let states = |verification, days: u32| {
            let ends = Some(now.plus(DAY * days));
            let it = Encryption { version: "TLS 1.3", verification, ends };
            let found = check("it", "postgres://a@db.example/b", Some(it), now);
            found.iter().map(|it| it.state).collect::<Vec<_>>()
        };
        assert_eq!(states(Verification::Nothing, 1), [CheckState::Warning]);
        assert_eq!(states(Verification::AnyAuthority, 90), [CheckState::Warning, CheckState::Ok]);
        assert_eq!(states(Verification::Authority, 90), [CheckState::Ok, CheckState::Ok]);
        assert_eq!(
            states(Verification::AuthorityAndName, 13),
            [CheckState::Ok, CheckState::Warning]
        );
    }
}
