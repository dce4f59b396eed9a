//! Whether HTTPS can be served with the certificate and the key that the settings name.

use super::Finding;
use crate::tls::{Pair, SOON, subject};
use config::Settings;
use domain::time::Timestamp;
use service::clock::Clock;
use std::time::Duration;

const SUBJECT: &str = "SWITCHBOARD_TLS_CERT";
const RENEW: &str = "replace both files: a running server takes them by itself";

/// Checks them; nothing if none are named. One that has ended may be renewed while the server runs.
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
                    let what = format!("the certificate in {shown} has ended, at {ends}");
                    Finding::warning(SUBJECT, what, RENEW)
                }
                ends => Finding::ok(SUBJECT, format!("{shown} and its key fit{}", left(ends, now))),
            }
        }
    })
}

/// Whether it ends soon, for an operator who asks.
#[must_use]
pub fn soon(settings: &Settings) -> Option<Finding> {
    let files = settings.tls.as_ref()?;
    let (now, ends) = (Clock::system().wall(), Pair::read(files).ok()?.ends()?);
    (ends > now && ends < now.plus(SOON)).then(|| {
        let what = format!("the certificate in {} ends at {ends}", files.certificate.display());
        let advice = "see that its renewal works, and that it writes these files";
        Finding::warning(SUBJECT, what, advice)
    })
}

fn left(ends: Option<Timestamp>, now: Timestamp) -> String {
    let days = |ends: Timestamp| ends.since(now).as_secs() / Duration::from_hours(24).as_secs();
    ends.map(|ends| format!("; it is valid for {} more days", days(ends))).unwrap_or_default()
}
