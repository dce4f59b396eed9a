//! Submits templates to the reviewer, with retries while the reviewer is unavailable, and asks for
//! verdicts if the reviewer does not report them.

use channel::{SubmitError, TemplateSubmission};
use domain::retry;
use domain::template::{RejectionReason, TemplateStatus, Verdict, ask_again_after, verdicts_up_to};
use futures_util::StreamExt as _;
use persistence::Result;
use persistence::records::ClaimedSubmission;
use platform::Deps;
use platform::channel_client::{adapter, run};
use service::callbacks::simulated;
use service::templates::changes::changes;
use std::time::Duration;

/// Number of templates submitted at a time.
const TEMPLATES: u8 = 16;
/// How long a claim lasts. A claim lasts longer than the requests of a submission may take.
const LEASE: Duration = Duration::from_mins(1);

/// Handles the templates that are due. Returns their number.
pub async fn step(deps: &Deps) -> Result<usize> {
    let now = deps.clock.now();
    let server = deps.claims.instance();
    let claimed = deps
        .db
        .operator()
        .claim_submissions(server, TEMPLATES.into(), now, now.plus(LEASE))
        .await?;
    let worked = claimed.len();
    let handed_in = futures_util::stream::iter(claimed)
        .map(|it| work_on(deps, it))
        .buffer_unordered(TEMPLATES.into());
    let outcomes: Vec<Result<()>> = handed_in.collect().await;
    outcomes.into_iter().collect::<Result<()>>()?;
    Ok(worked)
}

async fn work_on(deps: &Deps, claimed: ClaimedSubmission) -> Result<()> {
    match claimed.template.external_id.clone() {
        Some(external_id) if claimed.template.status != TemplateStatus::Draft => {
            request_verdict(deps, claimed, &external_id).await
        }
        _ => submit(deps, claimed).await,
    }
}

/// Asks for the reviewer's verdict on a submitted template.
async fn request_verdict(deps: &Deps, claimed: ClaimedSubmission, external_id: &str) -> Result<()> {
    let ClaimedSubmission { template, access } = claimed;
    let outcome = match adapter(deps, &access) {
        // The template was left claimed by a change that was not completed. This channel reports
        // the outcome of the change by callback, so nobody needs to ask for it.
        Ok(line) if line.reports_verdicts() => {
            let organization_db = deps.db.organization(template.organization_id);
            return organization_db.reschedule_submission(template.id, None).await;
        }
        Ok(line) => run(deps, |answers| line.review(external_id, answers)).await,
        Err(why) => Err(SubmitError::Later { after: None, why }),
    };
    let now = deps.clock.now();
    let (stands, asked) = (template.status, *template.submission_attempts);
    let organization_db = deps.db.organization(template.organization_id);
    let verdict = match outcome {
        Ok(verdict) => verdict,
        Err(SubmitError::Later { after, why }) => {
            let [jitter] = deps.entropy.id_bytes();
            tracing::warn!(why, template = %template.id, "the reviewer cannot be asked; it is asked again");
            let due = now.plus(retry::wait(asked, after, jitter));
            return organization_db.reschedule_submission(template.id, Some(due)).await;
        }
        Err(refused) => {
            tracing::error!(%refused, template = %template.id, "the reviewer does not know a template");
            None
        }
    };
    let verdicts = verdict.map_or_else(Vec::new, |last| verdicts_up_to(stands, last));
    let begins =
        verdicts.first().is_some_and(|it| template.review().after(it, now, None).is_some());
    if let Some(last) = verdicts.last().filter(|_| begins) {
        let ask_at = ask_again_after(last.status(), 0).map(|after| now.plus(after));
        let changes = changes(deps, &template, None, verdicts.into_iter(), now, None);
        // If the template has changed in the meantime, the claim expires and the reviewer is asked
        // again.
        organization_db.change_template(changes, ask_at).await?;
        return Ok(());
    }
    let due = ask_again_after(stands, asked).map(|after| now.plus(after));
    organization_db.reschedule_submission(template.id, due).await
}

async fn submit(deps: &Deps, claimed: ClaimedSubmission) -> Result<()> {
    let ClaimedSubmission { template, access } = claimed;
    let now = deps.clock.now();
    let submission = TemplateSubmission {
        template: template.id,
        account: template.account_id,
        name: &template.name,
        language: &template.language,
        category: template.category,
        parameter_format: template.parameter_format,
        components: &template.components.0,
        message_send_ttl_seconds: template.message_send_ttl_seconds,
    };
    let outcome = match adapter(deps, &access) {
        Ok(line) => run(deps, |answers| line.submit(&submission, now, answers)).await,
        Err(why) => Err(SubmitError::Later { after: None, why }),
    };
    let (external_id, said, reported) = match outcome {
        Ok(submitted) => {
            let channel = access.channel;
            let reports = submitted
                .callbacks
                .into_iter()
                .map(|(after, payload)| simulated(deps, channel, after, payload, now));
            // The callbacks are stored before the template's new status. Otherwise, if this process
            // ended in between, the template would stay pending without a report.
            deps.db.operator().insert_callbacks(reports.collect()).await?;
            deps.wakeups.reported.notify_one();
            (Some(submitted.external_id), submitted.verdict, submitted.reported)
        }
        Err(SubmitError::Later { after, why }) => {
            let failed = template.submission_attempts.saturating_sub(1);
            let [jitter] = deps.entropy.id_bytes();
            tracing::warn!(why, template = %template.id, "the reviewer cannot be reached; the submission is retried");
            let due = deps.clock.now().plus(retry::wait(failed, after, jitter));
            let organization_db = deps.db.organization(template.organization_id);
            return organization_db.reschedule_submission(template.id, Some(due)).await;
        }
        // If the reviewer refuses to accept a template, the template counts as rejected.
        Err(refused) => {
            let detail = match refused {
                SubmitError::Definite(detail) => detail,
                other => other.to_string(),
            };
            let reason = Some(RejectionReason::InvalidFormat);
            (None, Some(Verdict::Rejected { reason, detail: Some(detail) }), true)
        }
    };
    let mut verdicts = vec![Verdict::Pending];
    verdicts
        .extend(said.into_iter().flat_map(|last| verdicts_up_to(TemplateStatus::Pending, last)));
    let stands = verdicts.last().map_or(TemplateStatus::Pending, Verdict::status);
    let ask_after = ask_again_after(stands, 0).filter(|_| !reported);
    let verdicts = verdicts.into_iter();
    let changes = changes(deps, &template, external_id, verdicts, now, None);
    let organization_db = deps.db.organization(template.organization_id);
    let ask_at = ask_after.map(|after| deps.clock.now().plus(after));
    if !organization_db.change_template(changes, ask_at).await? {
        tracing::info!(template = %template.id, "a template was reviewed while it was submitted");
    }
    Ok(())
}
