//! Routes a request, checks that it is permitted, and handles it.

use super::{ACCOUNT, Accepted, Content, Fault, Records, TOKEN, shapes};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use serde_json::{Value, json};

/// A request with the headers that the stand-in looks at.
pub struct ReceivedRequest {
    pub method: String,
    pub path: String,
    pub query: String,
    pub authorization: String,
    pub content_type: String,
    pub body: Bytes,
}

pub enum Outcome {
    Answer { status: u16, headers: Vec<(&'static str, String)>, body: Bytes },
    Close,
}

fn json_answer(status: u16, body: &Value) -> Outcome {
    let headers = vec![("content-type", "application/json".to_owned())];
    Outcome::Answer { status, headers, body: Bytes::from(body.to_string()) }
}

fn error(status: u16, code: i64, message: &str) -> Outcome {
    let more = format!("https://www.twilio.com/docs/errors/{code}");
    json_answer(
        status,
        &json!({"code": code, "message": message, "more_info": more, "status": status}),
    )
}

fn violation(records: &mut Records, what: String) -> Outcome {
    let answer = error(400, 20_001, &what);
    records.violations.push(what);
    answer
}

/// Records a request, checks it and handles it.
pub fn handle(url: &str, records: &mut Records, asked: &ReceivedRequest) -> Outcome {
    records.calls.push(format!("{} {}", asked.method, asked.path));
    let segments: Vec<&str> = asked.path.trim_start_matches('/').split('/').collect();
    if let ("GET", ["files", id]) = (asked.method.as_str(), segments.as_slice()) {
        if !asked.authorization.is_empty() {
            return violation(
                records,
                "the account's secret went along with a redirect".to_owned(),
            );
        }
        return file(records, id);
    }
    let expected = format!("Basic {}", STANDARD.encode(format!("{ACCOUNT}:{TOKEN}")));
    if asked.authorization != expected {
        return error(401, 20_003, "Authenticate");
    }
    match (asked.method.as_str(), segments.as_slice()) {
        ("POST", ["2010-04-01", "Accounts", ACCOUNT, "Messages.json"]) => send(records, asked),
        ("GET", ["2010-04-01", "Accounts", account]) if *account == format!("{ACCOUNT}.json") => {
            json_answer(
                200,
                &json!({"sid": ACCOUNT, "friendly_name": "Acme", "status": records.status}),
            )
        }
        ("GET", ["2010-04-01", "Accounts", ACCOUNT, "Messages", _, "Media", id]) => {
            let headers = vec![("location", format!("{url}/files/{id}"))];
            Outcome::Answer { status: 307, headers, body: Bytes::new() }
        }
        ("GET", ["v2", "Content"]) => list(records, &asked.query),
        ("POST", ["v1", "Content"]) => make(records, asked),
        ("GET", ["v1", "Content", sid, "ApprovalRequests"]) => approval(records, sid),
        ("DELETE", ["v1", "Content", sid]) => delete(records, sid),
        ("POST", ["v1", "Content", sid, "ApprovalRequests", "whatsapp"]) => {
            request_approval(records, sid, asked)
        }
        _ => violation(records, format!("{} {}: no such resource", asked.method, asked.path)),
    }
}

fn file(records: &Records, id: &str) -> Outcome {
    match records.files.get(id) {
        Some((content_type, bytes)) => {
            let headers = vec![("content-type", content_type.clone())];
            Outcome::Answer { status: 200, headers, body: bytes.clone() }
        }
        None => error(404, 20_404, "The requested resource was not found"),
    }
}

fn send(records: &mut Records, asked: &ReceivedRequest) -> Outcome {
    let fields = match shapes::message(asked, &records.contents) {
        Ok(fields) => fields,
        Err(what) => return violation(records, what),
    };
    let fault = records.faults.pop_front().unwrap_or(Fault::None);
    match fault {
        Fault::Error { status, code, retry_after } => {
            let mut answer = error(status, code, "As planned");
            if let (Outcome::Answer { headers, .. }, Some(after)) = (&mut answer, retry_after) {
                headers.push(("retry-after", after.to_string()));
            }
            return answer;
        }
        Fault::DropBefore => return Outcome::Close,
        Fault::None | Fault::DropAfter => {}
    }
    let sid = format!("SM{:032x}", records.accepted.len() + 1);
    let (to, from) = (fields["To"].clone(), fields["From"].clone());
    records.accepted.push(Accepted { sid: sid.clone(), fields });
    if fault == Fault::DropAfter {
        return Outcome::Close;
    }
    json_answer(
        201,
        &json!({
            "account_sid": ACCOUNT,
            "api_version": "2010-04-01",
            "sid": sid,
            "status": "queued",
            "to": to,
            "from": from,
            "direction": "outbound-api",
            "error_code": null,
            "error_message": null,
            "num_media": "0",
        }),
    )
}

fn list(records: &mut Records, query: &str) -> Outcome {
    let mut name = None;
    for (key, value) in url::form_urlencoded::parse(query.as_bytes()) {
        match key.as_ref() {
            "ContentName" => name = Some(value.into_owned()),
            "PageSize" | "Page" => {}
            _ => return violation(records, format!("?{key}: no such parameter")),
        }
    }
    let matches = |it: &&Content| {
        name.as_deref()
            .is_none_or(|name| it.body["friendly_name"].as_str().unwrap_or("").contains(name))
    };
    let found: Vec<Value> = records
        .contents
        .iter()
        .filter(matches)
        .map(|it| {
            json!({
                "sid": it.sid,
                "friendly_name": it.body["friendly_name"],
                "language": it.body["language"],
            })
        })
        .collect();
    json_answer(
        200,
        &json!({"contents": found, "meta": {"page": 0, "page_size": 50, "key": "contents"}}),
    )
}

fn make(records: &mut Records, asked: &ReceivedRequest) -> Outcome {
    let body = match shapes::content(asked) {
        Ok(body) => body,
        Err(what) => return violation(records, what),
    };
    let sid = format!("HX{:032x}", records.contents.len() + 1);
    let answer = json!({"sid": sid, "account_sid": ACCOUNT, "friendly_name": body["friendly_name"],
        "language": body["language"], "types": body["types"], "variables": body["variables"]});
    let status = "unsubmitted".to_owned();
    records.contents.push(Content {
        sid,
        body,
        request: Value::Null,
        status,
        reason: String::new(),
    });
    json_answer(201, &answer)
}

fn request_approval(records: &mut Records, sid: &str, asked: &ReceivedRequest) -> Outcome {
    let body = match shapes::approval(asked) {
        Ok(body) => body,
        Err(what) => return violation(records, what),
    };
    let Some(content) = records.contents.iter_mut().find(|it| it.sid == sid) else {
        return error(404, 20_404, "The requested resource was not found");
    };
    if !content.request.is_null() {
        return violation(records, format!("{sid} was submitted twice"));
    }
    content.request = body.clone();
    "received".clone_into(&mut content.status);
    json_answer(
        201,
        &json!({"name": body["name"], "category": body["category"], "content_type": "whatsapp/card",
        "status": "received", "rejection_reason": "", "allow_category_change": true}),
    )
}

fn delete(records: &mut Records, sid: &str) -> Outcome {
    let before = records.contents.len();
    records.contents.retain(|it| it.sid != sid);
    if records.contents.len() == before {
        return error(404, 20_404, "The requested resource was not found");
    }
    Outcome::Answer { status: 204, headers: Vec::new(), body: Bytes::new() }
}

fn approval(records: &Records, sid: &str) -> Outcome {
    let Some(content) = records.contents.iter().find(|it| it.sid == sid) else {
        return error(404, 20_404, "The requested resource was not found");
    };
    let stands = json!({
        "type": "whatsapp",
        "name": content.request["name"],
        "category": content.request["category"],
        "status": content.status,
        "rejection_reason": content.reason,
    });
    json_answer(200, &json!({"sid": sid, "account_sid": ACCOUNT, "whatsapp": stands}))
}
