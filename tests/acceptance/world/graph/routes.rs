//! Routes a request, checks that it is permitted, and handles it.

use super::answers::{self, Answer};
use super::records::{File, State, Template};
use super::{Accepted, Fault, RecordedTemplate, Request, shapes, template_shapes};
use ring::digest::{SHA256, digest};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// A request with the headers that the stand-in looks at.
pub struct ReceivedRequest {
    pub bearer: String,
    pub content_type: String,
    pub request: Request,
}

pub enum Outcome {
    Answer(Answer),
    Stall,
    Close,
    /// A response of which only the beginning is sent.
    CutOff(Answer),
}

/// The endpoint that a path names.
enum Endpoint<'a> {
    Send { number: &'a str },
    ThreadControl,
    CreateTemplate { waba: &'a str },
    Templates { waba: &'a str },
    EditTemplate { id: &'a str },
    DeleteTemplate { waba: &'a str },
    Media { id: &'a str },
    App,
    SubscribedApps { waba: &'a str },
    Subscriptions,
    File { id: &'a str },
}

impl<'a> Endpoint<'a> {
    fn of(request: &'a Request) -> Option<Self> {
        let segments: Vec<&str> = request.path.strip_prefix('/')?.split('/').collect();
        if segments.iter().any(|segment| segment.is_empty()) {
            return None;
        }
        match (request.method.as_str(), segments.as_slice()) {
            ("GET", ["files", id]) => Some(Self::File { id }),
            ("POST", [at, number, "messages"]) if is_version(at) => Some(Self::Send { number }),
            ("POST", [at, _, "thread_control"]) if is_version(at) => Some(Self::ThreadControl),
            ("POST", [at, waba, "message_templates"]) if is_version(at) => {
                Some(Self::CreateTemplate { waba })
            }
            ("GET", [at, waba, "message_templates"]) if is_version(at) => {
                Some(Self::Templates { waba })
            }
            ("DELETE", [at, waba, "message_templates"]) if is_version(at) => {
                Some(Self::DeleteTemplate { waba })
            }
            ("POST", [at, id]) if is_version(at) => Some(Self::EditTemplate { id }),
            ("GET", [at, "app"]) if is_version(at) => Some(Self::App),
            ("GET", [at, waba, "subscribed_apps"]) if is_version(at) => {
                Some(Self::SubscribedApps { waba })
            }
            ("GET", [at, APP, "subscriptions"]) if is_version(at) => Some(Self::Subscriptions),
            ("GET", [at, id]) if is_version(at) => Some(Self::Media { id }),
            _ => None,
        }
    }

    /// Checks the fields of a request.
    fn check(&self, asked: &ReceivedRequest) -> Result<(), String> {
        let allowed: &[&str] = match self {
            Self::Templates { .. } => {
                &["name", "language", "status", "category", "fields", "limit", "after"]
            }
            Self::DeleteTemplate { .. } => &["name", "hsm_id"],
            Self::Media { .. } => &["phone_number_id", "fields"],
            Self::App => &["fields"],
            Self::Send { .. }
            | Self::ThreadControl
            | Self::CreateTemplate { .. }
            | Self::EditTemplate { .. }
            | Self::SubscribedApps { .. }
            | Self::Subscriptions
            | Self::File { .. } => &[],
        };
        if let Some((name, _)) = pairs(&asked.request.query).find(|(key, _)| !allowed.contains(key))
        {
            return Err(format!("?{name}: no such parameter"));
        }
        let check = match self {
            Self::Send { .. } => shapes::message,
            Self::ThreadControl => shapes::thread_control,
            Self::CreateTemplate { .. } => template_shapes::template,
            Self::EditTemplate { .. } => template_shapes::edit,
            _ => return if asked.request.body.is_null() { Ok(()) } else { Err("a body".into()) },
        };
        if !asked.content_type.starts_with("application/json") {
            return Err(format!("content-type: {:?} is not JSON's", asked.content_type));
        }
        check(&asked.request.body)
    }

    /// Returns whether a bearer token is accepted: the number's token, or the app's own where the
    /// endpoint is about the app.
    fn is_open_to(&self, state: &State, bearer: &str) -> bool {
        let token = match self {
            Self::Subscriptions => state.read(|records| format!("{APP}|{}", records.app_secret)),
            _ => state.token.to_owned(),
        };
        bearer.strip_prefix("Bearer ") == Some(&token)
    }

    /// Handles a request that passed all checks.
    fn act(&self, state: &State, request: &Request) -> Answer {
        match self {
            Self::Send { number } => send(state, number, &request.body),
            Self::ThreadControl => Answer::json(200, &json!({"messaging_product": "whatsapp"})),
            Self::CreateTemplate { waba } => create_template(state, waba, &request.body),
            Self::Templates { waba } => templates(state, waba, &request.query),
            Self::EditTemplate { id } => edit_template(state, id, &request.body),
            Self::DeleteTemplate { waba } => delete_template(state, waba, &request.query),
            Self::Media { id } => match (file(state, id), number(state, id)) {
                (Some(file), _) => media(&state.url, id, &file),
                (None, Some(shown)) => {
                    Answer::json(200, &json!({"display_phone_number": shown, "id": id}))
                }
                (None, None) => answers::no_such_object(id),
            },
            Self::App => Answer::json(200, &json!({"id": APP, "name": "Ours"})),
            Self::SubscribedApps { waba } => {
                let received = state.read(|records| records.heard_of.iter().any(|it| it == waba));
                let app = json!({"whatsapp_business_api_data": {"id": APP, "name": "Ours"}});
                let data: Vec<Value> = received.then_some(app).into_iter().collect();
                Answer::json(200, &json!({"data": data}))
            }
            Self::Subscriptions => {
                Answer::json(200, &json!({"data": state.read(|records| records.webhooks.clone())}))
            }
            Self::File { id } => match file(state, id) {
                Some(File { mime_type, bytes, .. }) => {
                    let headers = Vec::new();
                    Answer { status: 200, content_type: mime_type, headers, body: bytes }
                }
                None => answers::no_such_file(),
            },
        }
    }
}

/// The id of the app to which the token belongs.
const APP: &str = "670843887433847";

/// Returns whether a path segment is `v` and two numbers, such as `v23.0`.
fn is_version(word: &str) -> bool {
    let number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let parts = word.strip_prefix('v').and_then(|rest| rest.split_once('.'));
    parts.is_some_and(|(major, minor)| number(major) && number(minor))
}

/// Returns the parameters of a query. The values used here need no unescaping.
fn pairs(query: &str) -> impl Iterator<Item = (&str, &str)> {
    let parts = query.split('&').filter(|part| !part.is_empty());
    parts.map(|part| part.split_once('=').unwrap_or((part, "")))
}

/// Records a request and decides its result.
pub fn handle(state: &State, asked: &ReceivedRequest) -> Outcome {
    let (call, fault) = state.arrived(&asked.request);
    let found = Endpoint::of(&asked.request);
    let checked = match &found {
        Some(endpoint) => endpoint.check(asked),
        None => Err("nothing is there".to_owned()),
    };
    if let Err(wrong) = &checked {
        let Request { method, path, .. } = &asked.request;
        let violation = format!("{method} {path}: {wrong}");
        state.change(|records| records.violations.push(violation));
    }
    let deserved = || match (&found, &checked) {
        (None, _) => answers::no_such_path(&asked.request.path),
        (Some(endpoint), _) if !endpoint.is_open_to(state, &asked.bearer) => {
            answers::unauthorized()
        }
        (_, Err(wrong)) => answers::wrong_shape(wrong),
        (Some(endpoint), Ok(())) => endpoint.act(state, &asked.request),
    };
    let answer = match fault {
        Fault::None => deserved(),
        Fault::Status(status) => answers::trouble(status),
        Fault::RateLimited { retry_after, code } => answers::rate_limited(retry_after, code),
        Fault::Error { status, code, subcode, message } => {
            answers::refusal(status, code, subcode, &message)
        }
        Fault::Stall => return Outcome::Stall,
        Fault::DropBefore => return Outcome::Close,
        Fault::DropAfter => {
            deserved();
            return Outcome::Close;
        }
        Fault::Accepted { status, content_type, body, cut_off } => {
            deserved();
            let (headers, body) = (Vec::new(), body.into());
            let answer = Answer { status, content_type, headers, body };
            if cut_off {
                return Outcome::CutOff(answer);
            }
            answer
        }
    };
    state.change(|records| records.calls[call].status = Some(answer.status));
    Outcome::Answer(answer)
}

/// Returns a string field that was already checked.
fn text_of(body: &Value, field: &str) -> String {
    body[field].as_str().unwrap_or_default().to_owned()
}

fn send(state: &State, number: &str, body: &Value) -> Answer {
    if body["status"] == "read" {
        return Answer::json(200, &json!({ "success": true }));
    }
    let accepted = Accepted {
        phone_number_id: number.to_owned(),
        to: text_of(body, if body["to"].is_null() { "recipient" } else { "to" }),
        ours: body["biz_opaque_callback_data"].as_str().map(str::to_owned),
        wamid: state.read(|records| records.only_wamid.clone()).unwrap_or_else(answers::wamid),
        body: body.clone(),
    };
    let digits = accepted.to.trim_start_matches('+');
    let contact = if body["to"].is_null() {
        json!({ "input": accepted.to, "user_id": accepted.to })
    } else {
        let named = state.read(|records| records.wa_ids.get(digits).cloned());
        json!({ "input": accepted.to, "wa_id": named.as_deref().unwrap_or(digits) })
    };
    let answer = json!({
        "messaging_product": "whatsapp",
        "contacts": [contact],
        "messages": [{ "id": accepted.wamid }],
    });
    state.change(|records| records.accepted.push(accepted));
    Answer::json(200, &answer)
}

fn create_template(state: &State, waba: &str, body: &Value) -> Answer {
    let seen = RecordedTemplate {
        waba_id: waba.to_owned(),
        id: (1_000_000_000_000_000 + answers::unique_number()).to_string(),
        name: text_of(body, "name"),
        language: text_of(body, "language"),
        body: body.clone(),
    };
    state.change(|records| {
        let is_same = |it: &Template| {
            (&it.seen.waba_id, &it.seen.name, &it.seen.language)
                == (&seen.waba_id, &seen.name, &seen.language)
        };
        if records.templates.iter().any(is_same) {
            return answers::template_exists(&seen.language);
        }
        let status = "PENDING".to_owned();
        let answer = json!({ "id": seen.id, "status": status, "category": body["category"] });
        records.templates.push(Template { seen, status });
        Answer::json(200, &answer)
    })
}

fn edit_template(state: &State, id: &str, body: &Value) -> Answer {
    state.change(|records| {
        let Some(template) = records.templates.iter_mut().find(|it| it.seen.id == id) else {
            return answers::no_such_object(id);
        };
        let status = template.status.as_str();
        if !["APPROVED", "REJECTED", "PAUSED"].contains(&status) {
            return answers::wrong_shape("Only approved, rejected and paused ones can be edited");
        }
        if status == "APPROVED" && !body["category"].is_null() {
            return answers::wrong_shape("You cannot edit the category of an approved template");
        }
        for field in ["category", "components"] {
            if !body[field].is_null() {
                template.seen.body[field] = body[field].clone();
            }
        }
        "PENDING".clone_into(&mut template.status);
        Answer::json(200, &json!({ "success": true }))
    })
}

fn delete_template(state: &State, waba: &str, query: &str) -> Answer {
    let given = |name: &str| pairs(query).find(|(key, _)| *key == name).map(|(_, value)| value);
    let (name, id) = (given("name"), given("hsm_id"));
    state.change(|records| {
        let before = records.templates.len();
        records.templates.retain(|it| {
            it.seen.waba_id != waba
                || Some(it.seen.name.as_str()) != name
                || id.is_some_and(|id| it.seen.id != id)
        });
        if records.templates.len() == before {
            return answers::template_not_found(name.unwrap_or_default());
        }
        Answer::json(200, &json!({ "success": true }))
    })
}

fn templates(state: &State, waba: &str, query: &str) -> Answer {
    let shown = |it: &Template| {
        json!({
            "id": it.seen.id,
            "name": it.seen.name,
            "language": it.seen.language,
            "status": it.status,
            "category": it.seen.body["category"],
            "parameter_format": it.seen.body["parameter_format"]
                .as_str().unwrap_or("POSITIONAL").to_uppercase(),
            "components": it.seen.body["components"],
        })
    };
    let wanted = |shown: &Value| {
        pairs(query).all(|(key, value)| match key {
            "name" | "language" | "status" | "category" => shown[key] == value,
            _ => true,
        })
    };
    let data: Vec<Value> = state.read(|records| {
        let all = records.templates.iter().filter(|it| it.seen.waba_id == waba);
        all.map(shown).filter(wanted).collect()
    });
    Answer::json(200, &json!({ "data": data }))
}

fn number(state: &State, id: &str) -> Option<String> {
    state.read(|records| records.numbers.get(id).cloned())
}

fn file(state: &State, id: &str) -> Option<File> {
    state.read(|records| records.files.get(id).cloned())
}

fn media(url: &str, id: &str, file: &File) -> Answer {
    let truth = || hex(digest(&SHA256, &file.bytes).as_ref());
    let answer = json!({
        "messaging_product": "whatsapp",
        "url": format!("{url}/files/{id}"),
        "mime_type": file.mime_type,
        "sha256": file.sha256.clone().unwrap_or_else(truth),
        "file_size": file.bytes.len(),
        "id": id,
    });
    Answer::json(200, &answer)
}

/// Encodes bytes as hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut digits, byte| {
        let _ = write!(digits, "{byte:02x}");
        digits
    })
}
