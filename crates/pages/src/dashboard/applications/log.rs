//! The handshake log: results of handshakes, with advice on failures
//! (`docs/contract.md#handshake-log`).

use crate::browser::ShownTime;
use domain::id::ApplicationId;
use http_layer::deps::ServerDeps;
use http_layer::problem::Problem;
use persistence::Reader;
use persistence::records::Handshake;
use service::applications;

/// One entry of the log.
pub struct LogEntry {
    pub at: ShownTime,
    pub organization: String,
    /// The code of the failure and advice on it, if the handshake failed.
    pub failure: Option<(&'static str, &'static str)>,
}

/// Returns the handshake log of an application of the organization, newest first.
pub async fn entries(
    deps: &ServerDeps,
    reader: Reader,
    id: ApplicationId,
) -> Result<Vec<LogEntry>, Problem> {
    let log = applications::handshakes(deps, reader, id).await?;
    Ok(log.into_iter().map(entry).collect())
}

fn entry((handshake, organization): (Handshake, Option<String>)) -> LogEntry {
    use domain::keyword::Keyword as _;
    LogEntry {
        at: ShownTime::seconds(handshake.at),
        organization: organization.unwrap_or_else(|| "Unknown organization".to_owned()),
        failure: handshake.failure.map(|it| (it.as_str(), it.advice())),
    }
}
