//! Transcribes voice messages after their files were fetched. This is a separate worker, so that a
//! slow transcription server does not delay downloads.

use domain::agent::retry_after;
use domain::media::FetchStep;
use futures_util::StreamExt as _;
use persistence::Result;
use persistence::records::ClaimedFetch;
use platform::Deps;
use service::asking::transcripts;
use std::time::Duration;

/// Number of voice messages transcribed at a time.
const FILES: u8 = 8;
const TRANSCRIPTION_TIMEOUT: Duration = Duration::from_mins(1);
/// The duration of a claim. A transcription ends earlier.
const LEASE: Duration = Duration::from_mins(2);

/// Transcribes the voice messages that are due. Returns their number.
pub async fn step(deps: &Deps) -> Result<usize> {
    let now = deps.clock.now();
    let (server, step) = (deps.claims.instance(), FetchStep::Transcript);
    let operator = deps.db.operator();
    let claimed = operator.claim_fetches(server, step, FILES.into(), now, now.plus(LEASE)).await?;
    let worked = claimed.len();
    let outcomes: Vec<Result<()>> = futures_util::stream::iter(claimed)
        .map(|it| work_on(deps, it))
        .buffer_unordered(FILES.into())
        .collect()
        .await;
    outcomes.into_iter().collect::<Result<()>>()?;
    Ok(worked)
}

async fn work_on(deps: &Deps, wanted: ClaimedFetch) -> Result<()> {
    let ClaimedFetch { fetch, content, .. } = wanted;
    let (organization, message, claim) = (fetch.organization_id, fetch.message_id, fetch.claim());
    let organization_db = deps.db.organization(organization);
    let transcriber = transcripts::find(deps, organization, fetch.account_id).await?;
    let Some(transcriber) = transcriber else {
        // The AI agent whose settings name the transcription server was deleted meanwhile.
        return organization_db.abandon_fetch(claim).await;
    };
    let limit = TRANSCRIPTION_TIMEOUT;
    match transcripts::of_message(deps, &transcriber, organization, &content.0, limit).await {
        Ok(Some(text)) => transcripts::store(deps, organization, message, text).await,
        Ok(None) => organization_db.abandon_fetch(claim).await,
        Err(failure) => {
            let reason = failure.reason;
            let Some(wait) = retry_after(*fetch.attempts, failure.wait) else {
                tracing::warn!(reason, %message, "a transcription was abandoned");
                return organization_db.abandon_fetch(claim).await;
            };
            tracing::warn!(reason, %message, "a voice message was not transcribed; it is retried");
            let due = deps.clock.now().plus(wait);
            organization_db.reschedule_fetch(claim, due).await
        }
    }
}
