//! Templates in the format of the Cloud API, and the reviewer's answers.

use super::GraphRequest;
use super::answer::{GraphResponse, GraphResult};
use crate::{SubmitError, SubmittedTemplate, TemplateEdit, TemplateSubmission};
use domain::keyword::Keyword as _;
use domain::template::{RejectionReason, Verdict};
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// The error subcode of "Content in this language already exists".
const EXISTS: i64 = 2_388_024;

/// Returns the request to submit a template for review. Fails if the stored components are not
/// JSON.
pub fn submit(
    waba_id: &str,
    submission: &TemplateSubmission<'_>,
) -> Result<GraphRequest, serde_json::Error> {
    let components: Value = serde_json::from_str(submission.components)?;
    let mut body = json!({
        "name": submission.name,
        "language": submission.language,
        "category": submission.category.as_str().to_ascii_uppercase(),
        "parameter_format": submission.parameter_format.as_str().to_ascii_uppercase(),
        "components": components,
    });
    if let (Some(seconds), Value::Object(fields)) = (submission.message_send_ttl_seconds, &mut body)
    {
        fields.insert("message_send_ttl_seconds".to_owned(), json!(seconds));
    }
    Ok(GraphRequest::post(format!("{waba_id}/message_templates"), body))
}

/// Parses the answer to [`submit`].
pub fn read_submission(answer: &GraphResponse<'_>) -> Result<SubmittedTemplate, SubmitError> {
    match answer.read::<Listed>() {
        GraphResult::Done(made) => {
            let (external_id, callbacks) = (made.id.text(), Vec::new());
            Ok(SubmittedTemplate { external_id, callbacks, verdict: None, reported: true })
        }
        GraphResult::Later(error) => {
            Err(SubmitError::Later { after: answer.retry_after, why: error.sentence() })
        }
        // The submission will be repeated. Meta then answers that the template exists, and it is
        // looked up.
        GraphResult::Unreadable(why) => Err(SubmitError::Later { after: answer.retry_after, why }),
        GraphResult::Never(error) if error.error_subcode == Some(EXISTS) => {
            Err(SubmitError::Exists)
        }
        // The account's token may have expired. That says nothing about the template, which is
        // submitted again once an operator has replaced the token.
        GraphResult::Account(_, error) => {
            Err(SubmitError::Later { after: None, why: error.sentence() })
        }
        GraphResult::Never(error) => Err(SubmitError::Definite(error.sentence())),
    }
}

/// Returns the request for the state of a template that the reviewer already has. It is used if the
/// answer to an earlier submission was lost. A template's name has no characters that would need
/// escaping in a query.
#[must_use]
pub fn find(waba_id: &str, name: &str) -> GraphRequest {
    GraphRequest::get(format!("{waba_id}/message_templates?name={name}&limit=100"))
}

/// The error subcode of "Message template not found".
const NOT_FOUND: i64 = 2_593_002;

/// Returns the request to change a template and submit it for review again. Only the changes are
/// sent, because Meta rejects a request that names the category of an approved template. Fails if
/// the components are not JSON.
pub fn edit(edit: &TemplateEdit<'_>) -> Result<GraphRequest, serde_json::Error> {
    let TemplateEdit { submission, external_id, .. } = edit;
    let mut body = Map::new();
    if edit.changes_category {
        let category = submission.category.as_str().to_ascii_uppercase();
        body.insert("category".to_owned(), json!(category));
    }
    if edit.changes_components {
        let components: Value = serde_json::from_str(submission.components)?;
        body.insert("components".to_owned(), components);
    }
    Ok(GraphRequest::post((*external_id).to_owned(), Value::Object(body)))
}

#[derive(Deserialize)]
struct TemplateAnswer {
    #[serde(default)]
    success: bool,
}

/// Parses the answer to [`edit`].
pub fn read_edited(answer: &GraphResponse<'_>) -> Result<(), SubmitError> {
    match answer.read::<TemplateAnswer>() {
        GraphResult::Done(TemplateAnswer { success: true }) => Ok(()),
        GraphResult::Done(TemplateAnswer { success: false }) => {
            Err(SubmitError::Definite("The template was not changed.".to_owned()))
        }
        GraphResult::Later(error) | GraphResult::Account(_, error) => {
            Err(SubmitError::Later { after: answer.retry_after, why: error.sentence() })
        }
        GraphResult::Unreadable(why) => Err(SubmitError::Later { after: answer.retry_after, why }),
        GraphResult::Never(error) => Err(SubmitError::Definite(error.sentence())),
    }
}

/// Returns the request to delete a template in one language. The id is needed for that: with the
/// name alone, Meta would delete the template in every language.
#[must_use]
pub fn delete(waba_id: &str, name: &str, external_id: &str) -> GraphRequest {
    GraphRequest::delete(format!("{waba_id}/message_templates?name={name}&hsm_id={external_id}"))
}

/// Parses the answer to [`delete`].
pub fn read_deleted(answer: &GraphResponse<'_>) -> Result<(), SubmitError> {
    match answer.read::<TemplateAnswer>() {
        GraphResult::Done(TemplateAnswer { success: true }) => Ok(()),
        GraphResult::Done(TemplateAnswer { success: false }) => {
            Err(SubmitError::Definite("The template was not deleted.".to_owned()))
        }
        GraphResult::Later(error) | GraphResult::Account(_, error) => {
            Err(SubmitError::Later { after: answer.retry_after, why: error.sentence() })
        }
        GraphResult::Unreadable(why) => Err(SubmitError::Later { after: answer.retry_after, why }),
        GraphResult::Never(error) if error.error_subcode == Some(NOT_FOUND) => Ok(()),
        GraphResult::Never(error) => Err(SubmitError::Definite(error.sentence())),
    }
}

/// Returns the reviewer's id of the template with this name and language, if the reviewer has it.
pub fn read_listed_id(
    answer: &GraphResponse<'_>,
    name: &str,
    language: &str,
) -> Result<Option<String>, SubmitError> {
    match answer.read::<TemplateListPage>() {
        GraphResult::Done(page) => {
            let found = page.data.into_iter().find(|it| it.name == name && it.language == language);
            Ok(found.map(|it| it.id.text()))
        }
        GraphResult::Unreadable(why) => Err(SubmitError::Later { after: answer.retry_after, why }),
        GraphResult::Later(error) | GraphResult::Never(error) | GraphResult::Account(_, error) => {
            Err(SubmitError::Later { after: answer.retry_after, why: error.sentence() })
        }
    }
}

/// An id that is a JSON number or text.
#[derive(Deserialize)]
#[serde(untagged)]
pub enum LooseId {
    Number(u64),
    Text(String),
}

impl LooseId {
    /// Returns the id as a text.
    pub fn text(self) -> String {
        match self {
            Self::Number(number) => number.to_string(),
            Self::Text(text) => text,
        }
    }
}

#[derive(Deserialize)]
struct TemplateListPage {
    data: Vec<Listed>,
}

#[derive(Deserialize)]
struct Listed {
    id: LooseId,
    #[serde(default)]
    name: String,
    #[serde(default)]
    language: String,
    #[serde(default)]
    status: String,
}

/// Returns the reviewer's id of the template with this name and language, and the verdict.
pub fn read_found(
    answer: &GraphResponse<'_>,
    name: &str,
    language: &str,
) -> Result<(String, Option<Verdict>), SubmitError> {
    match answer.read::<TemplateListPage>() {
        GraphResult::Done(page) => {
            let found = page.data.into_iter().find(|it| it.name == name && it.language == language);
            let missing = || SubmitError::Later {
                after: None,
                why: "the channel says that it has the template, and does not list it".to_owned(),
            };
            let found = found.ok_or_else(missing)?;
            let verdict = match Said::new(&found.status, None, None, None) {
                Said::Verdict(verdict) => Some(verdict),
                Said::Nothing | Said::Unknown => None,
            };
            Ok((found.id.text(), verdict))
        }
        GraphResult::Later(error) => {
            Err(SubmitError::Later { after: answer.retry_after, why: error.sentence() })
        }
        GraphResult::Unreadable(why) => Err(SubmitError::Later { after: answer.retry_after, why }),
        // A failed look-up says nothing about the template.
        GraphResult::Never(error) | GraphResult::Account(_, error) => {
            Err(SubmitError::Later { after: None, why: error.sentence() })
        }
    }
}

/// The meaning of Meta's keyword for an event or a status of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    /// The new state of the template.
    Verdict(Verdict),
    /// The keyword does not change whether the template can be sent.
    Nothing,
    Unknown,
}

impl Said {
    /// Interprets an event or a status of a template. `reason` and `detail` are those of a
    /// rejection. `title` says why a template was locked or unlocked.
    #[must_use]
    pub fn new(
        event: &str,
        reason: Option<&str>,
        detail: Option<String>,
        title: Option<&str>,
    ) -> Self {
        Self::Verdict(match event {
            "PENDING" => Verdict::Pending,
            "APPROVED" | "REINSTATED" | "UNPAUSED" => Verdict::Approved,
            "REJECTED" => rejection(reason, detail),
            "PAUSED" => Verdict::Paused,
            "DISABLED" => Verdict::Disabled,
            "ARCHIVED" => Verdict::Archived,
            "UNARCHIVED" => Verdict::Unarchived,
            // A template that is about to be deleted can no longer be sent.
            "DELETED" | "PENDING_DELETION" => Verdict::Deleted,
            "LOCKED" | "UNLOCKED" => match title {
                Some("FIRST_PAUSE" | "SECOND_PAUSE" | "RATE_LIMITING_PAUSE") => Verdict::Paused,
                Some("UNPAUSE") => Verdict::Approved,
                Some("DISABLED") => Verdict::Disabled,
                // The lock affects only whether the template can be edited.
                _ => return Self::Nothing,
            },
            // Meta may disable the template later, may grant an appeal later, or accepts no more
            // templates.
            "FLAGGED" | "IN_APPEAL" | "LIMIT_EXCEEDED" => return Self::Nothing,
            _ => return Self::Unknown,
        })
    }
}

fn rejection(word: Option<&str>, detail: Option<String>) -> Verdict {
    let word = word.unwrap_or_default();
    let reason = RejectionReason::from_keyword(&word.to_ascii_lowercase());
    // A reason for which we have no keyword is passed on as Meta's keyword.
    let is_told = reason.is_some() || word.is_empty() || word == "NONE";
    let detail = detail.or_else(|| (!is_told).then(|| word.to_owned()));
    Verdict::Rejected { reason, detail }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(status: u16, body: &str) -> GraphResponse<'_> {
        GraphResponse { status, retry_after: None, body: body.as_bytes() }
    }

    #[test]
    fn each_event_that_meta_documents_is_known() {
        let of = |event: &str| Said::new(event, Some("NONE"), None, None);
        for (event, verdict) in [
            ("APPROVED", Verdict::Approved),
            ("ARCHIVED", Verdict::Archived),
            ("DELETED", Verdict::Deleted),
            ("DISABLED", Verdict::Disabled),
            ("PAUSED", Verdict::Paused),
            ("PENDING", Verdict::Pending),
            ("PENDING_DELETION", Verdict::Deleted),
            ("REINSTATED", Verdict::Approved),
            ("REJECTED", Verdict::Rejected { reason: None, detail: None }),
            ("UNARCHIVED", Verdict::Unarchived),
            ("UNPAUSED", Verdict::Approved),
        ] {
            assert_eq!(of(event), Said::Verdict(verdict), "{event}");
        }
        for event in ["FLAGGED", "IN_APPEAL", "LIMIT_EXCEEDED", "LOCKED", "UNLOCKED"] {
            assert_eq!(of(event), Said::Nothing, "{event}");
        }
        for event in ["", "approved", "QUARANTINED"] {
            assert_eq!(of(event), Said::Unknown, "{event}");
        }
        for (event, title, verdict) in [
            ("LOCKED", "SECOND_PAUSE", Verdict::Paused),
            ("UNLOCKED", "UNPAUSE", Verdict::Approved),
            ("LOCKED", "DISABLED", Verdict::Disabled),
        ] {
            assert_eq!(Said::new(event, None, None, Some(title)), Said::Verdict(verdict));
        }
    }

    #[test]
    fn a_reason_without_a_word_of_ours_is_told_in_metas() {
        let detail = Some("CATEGORY_NOT_AVAILABLE".to_owned());
        let said = Said::new("REJECTED", Some("CATEGORY_NOT_AVAILABLE"), None, None);
        assert_eq!(said, Said::Verdict(Verdict::Rejected { reason: None, detail }));
        let reason = Some(RejectionReason::Scam);
        let said = Said::new("REJECTED", Some("SCAM"), None, None);
        assert_eq!(said, Said::Verdict(Verdict::Rejected { reason, detail: None }));
    }

    #[test]
    fn an_id_may_be_a_number_or_a_text() {
        for body in [r#"{"id":"57","status":"PENDING"}"#, r#"{"id":57}"#] {
            assert_eq!(read_submission(&answered(200, body)).unwrap().external_id, "57");
        }
    }

    #[test]
    fn a_template_that_meta_does_not_have_is_deleted() {
        let missing =
            r#"{"error":{"code":100,"error_subcode":2593002,"message":"Invalid parameter"}}"#;
        assert_eq!(read_deleted(&answered(400, missing)), Ok(()));
        assert_eq!(read_deleted(&answered(200, r#"{"success":true}"#)), Ok(()));
        let refused = r#"{"error":{"code":100,"message":"Invalid parameter"}}"#;
        assert!(matches!(read_deleted(&answered(400, refused)), Err(SubmitError::Definite(_))));
        let asked = delete("1", "order_update", "57");
        assert_eq!(asked.path, "1/message_templates?name=order_update&hsm_id=57");
    }

    #[test]
    fn a_token_that_ran_out_does_not_reject_the_template() {
        let body = r#"{"error":{"code":190,"message":"Error validating access token"}}"#;
        let read = read_submission(&answered(401, body));
        assert!(matches!(read, Err(SubmitError::Later { .. })), "{read:?}");
    }

    #[test]
    fn what_is_there_already_is_looked_up() {
        let body =
            r#"{"error":{"code":100,"error_subcode":2388024,"message":"Invalid parameter"}}"#;
        assert_eq!(read_submission(&answered(400, body)), Err(SubmitError::Exists));
        let page = r#"{"data":[{"id":"1","name":"a","language":"de","status":"REJECTED"},
            {"id":"2","name":"a","language":"en","status":"APPROVED"}]}"#;
        let (id, verdict) = read_found(&answered(200, page), "a", "en").unwrap();
        assert_eq!(id, "2");
        assert_eq!(verdict, Some(Verdict::Approved));
        assert!(matches!(
            read_found(&answered(200, page), "b", "en"),
            Err(SubmitError::Later { .. })
        ));
        let refused = r#"{"error":{"code":100,"message":"Unsupported get request"}}"#;
        let read = read_found(&answered(400, refused), "a", "en");
        assert!(matches!(read, Err(SubmitError::Later { .. })), "{read:?}");
    }
}
