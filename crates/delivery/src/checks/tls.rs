//! Checks that HTTPS can be served with the configured certificate and key.

use super::Finding;
use crate::tls::{Pair, SOON, subject};
use config::Settings;
use domain::time::Timestamp;
use platform::clock::Clock;
use std::time::Duration;

const SUBJECT: &str = "SWITCHBOARD_TLS_CERT";
const RENEW: &str = "replace both files: a running server reloads them by itself";

/// Checks the configured pair. Returns `None` if none is configured. An expired certificate is only
/// a warning, because it may be renewed while the server runs.
#[must_use]
pub fn check(settings: &Settings) -> Option<Finding> {
    let files = settings.tls.as_ref()?;
    let shown = files.certificate.display();
    Some(match Pair::read(files) {
        Err(error) => Finding::failed(subject(&error, files), error.to_string(), error.advice()),
        Ok(pair) => {
            let now = Clock::system().wall();
            match pair.ends() {
                Some(ends) if ends <= now => {
                    let what = format!("the certificate in {shown} expired at {ends}");
                    Finding::warning(SUBJECT, what, RENEW)
                }
                ends => Finding::ok(SUBJECT, format!("{shown} matches its key{}", left(ends, now))),
            }
        }
    })
}

/// Warns an operator about a certificate that expires soon.
#[must_use]
pub fn expires_soon(settings: &Settings) -> Option<Finding> {
    let files = settings.tls.as_ref()?;
    let (now, ends) = (Clock::system().wall(), Pair::read(files).ok()?.ends()?);
    (ends > now && ends < now.plus(SOON)).then(|| {
        let what = format!("the certificate in {} expires at {ends}", files.certificate.display());
        let advice = "make sure that its renewal works and writes these files";
        Finding::warning(SUBJECT, what, advice)
    })
}

fn left(ends: Option<Timestamp>, now: Timestamp) -> String {
    let days = |ends: Timestamp| ends.since(now).as_secs() / Duration::from_hours(24).as_secs();
    ends.map(|ends| format!("; it is valid for {} more days", days(ends))).unwrap_or_default()
}
