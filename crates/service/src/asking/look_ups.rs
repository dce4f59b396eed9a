//! Look-ups: requests to fixed addresses of the business, on behalf of a model.

use super::http::send;
use super::{AskingDeps, ModelQuestion, ReadyLookUp};
use domain::agent::MAX_LOOK_UP_ANSWER_BYTES;
use reqwest::Method;
use reqwest::header::CONTENT_TYPE;
use serde_json::{Value, json};
use std::time::Duration;

/// Time limit for one look-up.
const LOOK_UP_TIMEOUT: Duration = Duration::from_secs(10);

/// Posts the arguments to the look-up's address. The contact is added by this server, because a
/// model could name another contact. Returns the answer. The error is an explanation for the model.
pub(super) async fn look_up(
    deps: AskingDeps<'_>,
    question: &ModelQuestion<'_>,
    ready: &ReadyLookUp,
    arguments: Value,
    room: Duration,
) -> Result<String, String> {
    let it = &ready.look_up;
    let request = deps.outbound.guarded.request(Method::POST, &it.url);
    let request = request.map_err(|why| format!("The look-up cannot be reached: {why}."))?;
    let contact = question.contact.as_ref().map(|it| {
        json!({
            "id": it.id.to_string(),
            "name": it.name,
            "phone_number": it.phone_number,
            "channel_user_id": it.channel_user_id,
        })
    });
    let body = json!({
        "look_up": it.name,
        "arguments": arguments,
        "conversation_id": question.conversation.map(|id| id.to_string()),
        "contact": contact,
    });
    let request = request.header(CONTENT_TYPE, "application/json").body(body.to_string());
    let request = match (&it.header, &ready.secret) {
        (Some(name), Some(secret)) => request.header(name.as_str(), secret.as_str()),
        _ => request,
    };
    let most = MAX_LOOK_UP_ANSWER_BYTES;
    let sent = tokio::time::timeout(LOOK_UP_TIMEOUT.min(room), send(request, most)).await;
    let answer = match sent {
        Err(_) => return Err("The look-up did not answer in time.".to_owned()),
        Ok(Err(_)) => return Err("The look-up could not be reached.".to_owned()),
        Ok(Ok(answer)) => answer,
    };
    if !answer.status.is_success() {
        return Err(format!("The look-up failed with HTTP {}.", answer.status.as_u16()));
    }
    let text = String::from_utf8_lossy(&answer.body).into_owned();
    Ok(if answer.is_cut { format!("{text}\n(The answer is cut here.)") } else { text })
}
