//! Templates at the Content API. A resource is created and then submitted for approval. We have to
//! ask for the verdict.

use super::answer::{done, found};
use super::{TwilioAccount, content};
use crate::request::{AdapterStep, ChannelAnswer, Request, Response};
use crate::{SubmitError, SubmittedTemplate, TemplateDeletion, TemplateSubmission};
use domain::keyword::Keyword as _;
use domain::template::{RejectionReason, Verdict};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::json;

#[derive(Deserialize)]
struct Resources {
    contents: Vec<Resource>,
}

#[derive(Deserialize)]
struct Resource {
    sid: String,
    #[serde(default)]
    friendly_name: Option<String>,
}

#[derive(Deserialize)]
struct Approval {
    status: Option<String>,
    #[serde(default)]
    rejection_reason: Option<String>,
}

#[derive(Deserialize)]
struct Approvals {
    whatsapp: Option<Approval>,
}

/// Submits a template. Its resource gets our id as its name, so that it can be found if an earlier
/// answer was lost.
pub fn submit(
    account: &TwilioAccount,
    submission: &TemplateSubmission<'_>,
    answers: &[ChannelAnswer],
) -> Result<AdapterStep<Result<SubmittedTemplate, SubmitError>>, SubmitError> {
    let name = submission.template.to_string();
    let Some((listed, answers)) = next(answers)? else {
        return Ok(AdapterStep::Ask(account.content(&by_name(&name), None)));
    };
    let resources: Resources = found(listed)?;
    let mut resources = resources.contents.into_iter();
    let resource = resources.find(|it| it.friendly_name.as_deref() == Some(&name));
    let (sid, answers) = if let Some(resource) = resource {
        let Some((asked, answers)) = next(answers)? else {
            return Ok(AdapterStep::Ask(status_request(account, &checked(resource.sid)?)));
        };
        let stands: Approvals = found(asked)?;
        let submitted = stands.whatsapp.and_then(|it| it.status);
        if submitted.is_some_and(|status| status != "unsubmitted") {
            return Ok(AdapterStep::Done(Ok(submitted_as(resource.sid))));
        }
        (resource.sid, answers)
    } else {
        let Some((made, answers)) = next(answers)? else {
            return Ok(AdapterStep::Ask(make(account, submission, &name)?));
        };
        (done::<Resource>(made)?.sid, answers)
    };
    let sid = checked(sid)?;
    let Some((requested, _)) = next(answers)? else {
        let category = submission.category.as_str().to_ascii_uppercase();
        let body = json!({ "name": submission.name, "category": category });
        let path = format!("v1/Content/{sid}/ApprovalRequests/whatsapp");
        return Ok(AdapterStep::Ask(account.content(&path, Some(body))));
    };
    let _: Approval = done(requested)?;
    Ok(AdapterStep::Done(Ok(submitted_as(sid))))
}

/// Deletes a template's resource, which Twilio then also deletes at `WhatsApp`. If the resource's
/// id is not known, the resource is found by its name, which is our id.
pub fn delete(
    account: &TwilioAccount,
    deletion: &TemplateDeletion<'_>,
    answers: &[ChannelAnswer],
) -> Result<AdapterStep<Result<(), SubmitError>>, SubmitError> {
    let name = deletion.template.to_string();
    let (sid, answers) = if let Some(sid) = deletion.external_id {
        (sid.to_owned(), answers)
    } else {
        let Some((listed, answers)) = next(answers)? else {
            return Ok(AdapterStep::Ask(account.content(&by_name(&name), None)));
        };
        let resources: Resources = found(listed)?;
        let mut resources = resources.contents.into_iter();
        match resources.find(|it| it.friendly_name.as_deref() == Some(&name)) {
            Some(resource) => (resource.sid, answers),
            None => return Ok(AdapterStep::Done(Ok(()))),
        }
    };
    let Some((deleted, _)) = next(answers)? else {
        return Ok(AdapterStep::Ask(account.delete_content(&checked(sid)?)));
    };
    // The answer to a deletion has no body.
    if (200..300).contains(&deleted.status) || deleted.status == 404 {
        return Ok(AdapterStep::Done(Ok(())));
    }
    Ok(AdapterStep::Done(done::<IgnoredAny>(deleted).map(drop)))
}

fn by_name(name: &str) -> String {
    format!("v2/Content?PageSize=50&ContentName={name}")
}

/// Returns the next answer and those after it, or `None` if the request for it has not been sent
/// yet.
fn next(answers: &[ChannelAnswer]) -> Result<Option<(&Response, &[ChannelAnswer])>, SubmitError> {
    match answers.split_first() {
        None => Ok(None),
        Some((Ok(answer), rest)) => Ok(Some((answer, rest))),
        Some((Err(why), _)) => Err(SubmitError::Later { after: None, why: why.clone() }),
    }
}

fn make(
    account: &TwilioAccount,
    submission: &TemplateSubmission<'_>,
    name: &str,
) -> Result<Request, SubmitError> {
    let unreadable =
        |error| SubmitError::Definite(format!("the stored template cannot be read: {error}"));
    let (types, variables) = content::resource(submission.components).map_err(unreadable)?;
    let body = json!({
        "friendly_name": name,
        "language": submission.language,
        "variables": variables,
        "types": types,
    });
    Ok(account.content("v1/Content", Some(body)))
}

/// Checks an id that came from outside, because it must not change the path of a request.
fn checked(sid: String) -> Result<String, SubmitError> {
    if content::is_sid(&sid) {
        return Ok(sid);
    }
    Err(SubmitError::Later { after: None, why: format!("{sid:?} is no id of a resource") })
}

const fn submitted_as(sid: String) -> SubmittedTemplate {
    SubmittedTemplate { external_id: sid, callbacks: Vec::new(), verdict: None, reported: false }
}

/// Returns the request that asks for the verdict.
pub fn status_request(account: &TwilioAccount, sid: &str) -> Request {
    account.content(&format!("v1/Content/{sid}/ApprovalRequests"), None)
}

/// Parses the answer to [`status_request`]. Returns `None` while there is no verdict.
pub fn read(answer: &Response) -> Result<Option<Verdict>, SubmitError> {
    let Approvals { whatsapp } = done(answer)?;
    let Some(approval) = whatsapp else { return Ok(None) };
    Ok(match approval.status.as_deref() {
        Some("approved") => Some(Verdict::Approved),
        Some("paused") => Some(Verdict::Paused),
        Some("disabled") => Some(Verdict::Disabled),
        Some("rejected") => {
            let sentence = approval.rejection_reason.unwrap_or_default().replace('\0', "\u{fffd}");
            let word = sentence.to_ascii_lowercase().replace(' ', "_");
            let reason = RejectionReason::from_keyword(&word);
            let detail = Some(sentence).filter(|it| !it.is_empty());
            Some(Verdict::Rejected { reason, detail })
        }
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn response(status: u16, body: &str) -> Response {
        Response { status, retry_after: None, body: body.as_bytes().to_vec() }
    }

    fn answered(body: &str) -> Result<Option<Verdict>, SubmitError> {
        read(&response(200, body))
    }

    #[test]
    fn a_verdict_is_read() {
        let body = |status: &str, reason: &str| {
            format!(
                r#"{{"sid":"HX1","whatsapp":{{"type":"whatsapp","status":"{status}","rejection_reason":"{reason}"}}}}"#
            )
        };
        for (status, verdict) in [
            ("received", None),
            ("pending", None),
            ("approved", Some(Verdict::Approved)),
            ("paused", Some(Verdict::Paused)),
            ("disabled", Some(Verdict::Disabled)),
        ] {
            assert_eq!(answered(&body(status, "")).unwrap(), verdict, "{status}");
        }
        let rejected = answered(&body("rejected", "INVALID_FORMAT")).unwrap();
        let (reason, detail) = (Some(RejectionReason::InvalidFormat), "INVALID_FORMAT".to_owned());
        assert_eq!(rejected, Some(Verdict::Rejected { reason, detail: Some(detail) }));
        assert_eq!(answered(r#"{"whatsapp":null}"#).unwrap(), None);
    }

    #[test]
    fn a_refused_look_up_says_nothing_of_the_template() {
        let account = TwilioAccount {
            settings: crate::twilio::TwilioSettings {
                url: String::new(),
                content_url: String::new(),
                account_sid: None,
                auth_token: None,
                base_url: String::new(),
            },
            sid: "AC1".to_owned(),
            token: String::new(),
        };
        let now = domain::time::Timestamp::from_seconds(1);
        let submission = TemplateSubmission {
            template: domain::id::TemplateId::new(now, [1; 10]),
            account: domain::id::AccountId::new(now, [2; 10]),
            name: "order",
            language: "en",
            category: domain::template::Category::Utility,
            parameter_format: domain::template::ParameterFormat::Positional,
            components: "[]",
            message_send_ttl_seconds: None,
        };
        let refused: ChannelAnswer = Ok(response(404, r#"{"code":20404,"message":"Not found"}"#));
        let sid = format!("HX{:032x}", 1);
        let name = submission.template;
        let listed = format!(r#"{{"contents":[{{"sid":"{sid}","friendly_name":"{name}"}}]}}"#);
        for answers in [vec![refused.clone()], vec![Ok(response(200, &listed)), refused.clone()]] {
            let submitted = submit(&account, &submission, &answers);
            assert!(matches!(submitted, Err(SubmitError::Later { .. })), "{answers:?}");
        }
        // Twilio's refusal to create the resource is permanent.
        let listed = Ok(response(200, r#"{"contents":[]}"#));
        let made = submit(&account, &submission, &[listed, refused]);
        assert!(matches!(made, Err(SubmitError::Definite(_))));
    }
}
