//! A world whose organization has an account at Twilio, with a stand-in for Twilio; and tests of
//! sending (`docs/contract.md#channel`).

use crate::world::twilio::callbacks::{self, Fields};
use crate::world::twilio::{ACCOUNT, Accepted, Fault, TOKEN, Twilio};
use crate::world::{Answer, Database, World};
use serde_json::{Value, json};
use service::admin::NewChannel;
use std::ops::Deref;
use std::time::Duration;

pub const SEND: &str = "/api/v1/messages";
pub const WEBHOOK: &str = "/channel/twilio/webhook";
/// The server's public URL, which is part of Twilio's signatures.
const BASE_URL: &str = "https://api.example.com";
pub const OURS: &str = "whatsapp:+12025550180";
/// A contact's number, as our API writes it and as Twilio writes it.
pub const PERSON: &str = "+16505551234";
pub const PERSON_THERE: &str = "whatsapp:+16505551234";
pub const MINUTE: Duration = Duration::from_mins(1);

/// Runs each of the listed functions on SQLite and on PostgreSQL, in a [`Line`] world.
macro_rules! on_both_with_twilio {
    ($($test:ident),+ $(,)?) => {$(
        mod $test {
            use $crate::twilio::Line;
            use $crate::world::Database;
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn sqlite() {
                super::$test(Line::on(Database::migrated_sqlite()).await).await;
            }
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn postgres() {
                super::$test(Line::on(Database::migrated_postgres().await).await).await;
            }
        }
    )+};
}
pub(crate) use on_both_with_twilio;

/// A world whose organization has an account at Twilio and a key for it.
pub struct Line {
    pub twilio: Twilio,
    world: World,
}

impl Deref for Line {
    type Target = World;
    fn deref(&self) -> &World {
        &self.world
    }
}

impl Line {
    pub async fn on(database: Database) -> Self {
        let twilio = Twilio::start().await;
        let url = twilio.url();
        let settings = [
            ("twilio_url", url.as_str()),
            ("twilio_content_url", url.as_str()),
            ("twilio_account_sid", ACCOUNT),
            ("twilio_auth_token", TOKEN),
            // The longest allowed timeout, so that a busy machine does not cause retries.
            ("graph_timeout", "12"),
            ("webhook_allow", "127.0.0.0/8"),
        ];
        let mut world = World::on(database, &settings).await;
        world.organization = world.organization_on("Line", "Unlimited").await;
        let connected = world.connect(world.organization, "+12025550180", NewChannel::Twilio);
        world.account = connected.await;
        world.key = world.key_of(world.organization).await;
        Self { twilio, world }
    }

    /// Sends a message, asserts that it is accepted, and returns its id.
    pub async fn send(&self, body: &Value) -> String {
        let answer = self.post(SEND, &self.key, body).await;
        assert_eq!(answer.status, 201, "{body}: {}", answer.text);
        answer.text_of("id")
    }

    pub async fn text(&self, to: &str, text: &str) -> String {
        self.send(&json!({"type": "text", "phone_number": to, "text": text})).await
    }

    /// Sends a text to Twilio. Returns our id and Twilio's.
    pub async fn sent(&self, text: &str) -> (String, String) {
        let id = self.text(PERSON, text).await;
        self.settle().await;
        let sid = self.accepted(&id)[0].sid.clone();
        (id, sid)
    }

    /// Returns a message from the API.
    pub async fn message(&self, id: &str) -> Value {
        let answer = self.get(&format!("{SEND}/{id}"), &self.key).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        answer.body
    }

    /// Returns what the stand-in accepted for a message, in order.
    pub fn accepted(&self, id: &str) -> Vec<Accepted> {
        self.twilio.accepted().into_iter().filter(|it| it.message_id() == id).collect()
    }

    /// Posts a callback with the given signatures.
    pub async fn report_signed(&self, query: &str, fields: &Fields, signatures: &[&str]) -> Answer {
        let request = self.http.post(format!("{}{WEBHOOK}{query}", self.base));
        let request = request.header("content-type", "application/x-www-form-urlencoded");
        let request = request.body(callbacks::form(fields));
        let signed = signatures
            .iter()
            .fold(request, |it, signature| it.header("x-twilio-signature", *signature));
        Answer::of(signed).await
    }

    /// Posts a signed callback as Twilio does, and asserts that the server accepts it.
    pub async fn report(&self, query: &str, fields: &Fields) {
        let signature = callbacks::signed(&format!("{BASE_URL}{WEBHOOK}{query}"), fields);
        let answer = self.report_signed(query, fields, &[&signature]).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        assert_eq!(answer.text, "<Response/>");
        assert!(answer.header("content-type").starts_with("text/xml"));
    }

    /// Posts a status of an outbound message to its callback URL, and lets the workers process it.
    pub async fn report_status(&self, accepted: &Accepted, status: &str, more: &[(&str, &str)]) {
        let mut fields = callbacks::status(&accepted.sid, OURS, accepted.field("To"), status);
        fields.extend(more.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        let callback = url::Url::parse(accepted.field("StatusCallback")).unwrap();
        let ours = format!("{}{}", callback.origin().ascii_serialization(), callback.path());
        assert_eq!(ours, format!("{BASE_URL}{WEBHOOK}"));
        self.report(&format!("?{}", callback.query().unwrap()), &fields).await;
        self.settle().await;
    }

    /// Posts a message from the contact, and lets the workers process it.
    pub async fn hear(&self, sid: &str, more: &[(&str, &str)]) {
        self.report("", &callbacks::message(sid, PERSON_THERE, OURS, more)).await;
        self.settle().await;
    }

    /// Moves the clock forward several times, and runs the workers after each time.
    pub async fn advance_by(&self, strides: usize, each: Duration) {
        for _ in 0..strides {
            self.advance(each);
            self.settle().await;
        }
    }

    /// Asserts that all requests to the stand-in had Twilio's format.
    #[track_caller]
    pub fn all_in_shape(&self) {
        assert_eq!(self.twilio.violations(), Vec::<String>::new());
    }
}

fn error(status: u16, code: i64) -> Fault {
    Fault::Error { status, code, retry_after: None }
}

async fn a_text_and_a_file_leave_as_one_form_each(line: Line) {
    // When a text and files are sent,
    let text = line.text(PERSON, "Grüße & 1+1 👋").await;
    let file = "https://example.com/a b.jpg".replace(' ', "%20");
    let picture = line
        .send(&json!({
            "type": "media",
            "phone_number": PERSON,
            "media_url": file,
            "media_type": "image",
            "caption": "Bread",
        }))
        .await;
    let terms = line
        .send(&json!({
            "type": "media",
            "phone_number": PERSON,
            "media_url": file,
            "media_type": "document",
        }))
        .await;
    line.settle().await;
    // then each is one request with the sender, the recipient and the callback URL,
    for (id, wanted) in [
        (&text, vec![("Body", "Grüße & 1+1 👋")]),
        (&picture, vec![("Body", "Bread"), ("MediaUrl", file.as_str())]),
        (&terms, vec![("MediaUrl", file.as_str())]),
    ] {
        let accepted = line.accepted(id);
        assert_eq!(accepted.len(), 1);
        let callback = format!("{BASE_URL}{WEBHOOK}?message={id}#rc=5&rp=all");
        let more = [("To", PERSON_THERE), ("From", OURS), ("StatusCallback", callback.as_str())];
        let wanted =
            wanted.into_iter().chain(more).map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(accepted[0].fields, wanted.collect());
        // and Twilio's id is stored.
        assert_eq!(line.message(id).await["status"], "queued");
    }
    assert_eq!(line.twilio.calls().len(), 3);
    line.all_in_shape();
}

async fn an_upload_is_fetched_at_its_address(line: Line) {
    let upload = json!({
        "data": "JVBERi0xLjQKJSVFT0YK",
        "content_type": "application/pdf",
        "filename": "menu.pdf",
    });
    let made = line.post("/api/v1/media", &line.key, &upload).await;
    assert_eq!(made.status, 201, "{}", made.text);
    let url = made.text_of("url");
    let id = line.send(&json!({"type": "media", "phone_number": PERSON, "media_url": url})).await;
    line.settle().await;
    assert_eq!(line.accepted(&id)[0].field("MediaUrl"), url);
    let path = url.strip_prefix(BASE_URL).unwrap();
    let fetched = Answer::of(line.http.get(format!("{}{path}", line.base))).await;
    assert_eq!(fetched.status, 200);
    assert_eq!(fetched.header("content-type"), "application/pdf");
}

async fn features_that_twilio_lacks_are_rejected_before_anything_is_stored(line: Line) {
    let buttons = json!({
        "type": "button",
        "body": {"text": "Ready?"},
        "action": {"buttons": [{"type": "reply", "reply": {"id": "y", "title": "Yes"}}]},
    });
    let text = |more: Value| {
        let mut body = json!({"type": "text", "text": "Hello"});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        body
    };
    let (answered, _) = line.sent("Hello").await;
    let file = "https://example.com/a";
    let media = |more: Value| {
        let mut body = json!({"type": "media", "media_url": file});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        body
    };
    let cases = [
        (
            json!({"type": "interactive", "interactive": buttons}),
            "messages of type interactive",
            json!(["text", "media", "template"]),
        ),
        (text(json!({"reply_to": answered})), "reply_to", json!([])),
        (text(json!({"text": "x".repeat(1601)})), "texts of more than 1600 characters", json!([])),
        (
            media(json!({"media_type": "document", "caption": "Terms"})),
            "a caption of media_type document",
            json!(["image", "video"]),
        ),
        (media(json!({"media_type": "document", "filename": "a.pdf"})), "filename", json!([])),
        (
            text(json!({"channel_user_id": "US.13491208655302741918"})),
            "people without a known phone number",
            json!(["phone_number"]),
        ),
        (media(json!({"media_type": "audio", "voice": true})), "voice", json!([])),
        (
            json!({"type": "location", "location": {"latitude": 1, "longitude": 2}}),
            "messages of type location",
            json!(["text", "media", "template"]),
        ),
        (
            json!({
                "type": "contacts",
                "contacts": [{"name": {"formatted_name": "A", "first_name": "A"}}],
            }),
            "messages of type contacts",
            json!(["text", "media", "template"]),
        ),
        (
            json!({"type": "reaction", "reaction": {"message_id": answered, "emoji": "👍"}}),
            "messages of type reaction",
            json!(["text", "media", "template"]),
        ),
        (
            json!({"type": "channel", "channel": {"type": "text", "text": {"body": "Hi"}}}),
            "messages of type channel",
            json!(["text", "media", "template"]),
        ),
        (
            json!({"type": "template", "template_name": "nobodys", "language": "en"}),
            "templates that were not made with POST /templates",
            json!([]),
        ),
    ];
    let before = line.history(PERSON).await.len();
    for (mut body, unsupported, supported) in cases {
        if body["channel_user_id"].is_null() {
            body["phone_number"] = json!(PERSON);
        }
        for dry_run in [false, true] {
            body["dry_run"] = json!(dry_run);
            let answer = line.post(SEND, &line.key, &body).await;
            let answer = answer.is_problem(422, "not_supported_by_channel");
            assert_eq!(answer.body["channel"], "twilio");
            assert_eq!(answer.body["unsupported"], json!(unsupported));
            assert_eq!(answer.body["supported"], supported);
        }
    }
    line.text(PERSON, &"x".repeat(1600)).await;
    line.settle().await;
    assert_eq!(line.history(PERSON).await.len(), before + 1);
    assert_eq!(line.twilio.accepted().len(), 2);
    line.all_in_shape();
}

async fn a_definite_refusal_fails_a_message_at_once(line: Line) {
    for (code, failure) in [
        (63_016, "window_closed"),
        (63_003, "recipient_unreachable"),
        (21_211, "recipient_unreachable"),
        (63_024, "recipient_unreachable"),
        (21_610, "recipient_opted_out"),
        (63_032, "channel_capped"),
        (63_019, "media_failed"),
        (21_604, "channel_error"),
    ] {
        line.twilio.faults([error(400, code)]);
        let id = line.text(PERSON, "Hello").await;
        line.settle().await;
        let message = line.message(&id).await;
        assert_eq!(message["status"], "failed", "{message}");
        assert_eq!(
            message["error"],
            json!({"code": failure, "message": "As planned", "channel_code": code})
        );
    }
    assert_eq!(line.twilio.accepted(), []);
}

async fn temporary_errors_are_retried_in_order(line: Line) {
    // Given Twilio with every temporary fault, among them a refused auth token,
    let faults = [
        Fault::Error { status: 429, code: 20_429, retry_after: Some(7) },
        error(500, 20_500),
        error(503, 0),
        error(400, 63_018),
        error(401, 20_003),
        Fault::DropBefore,
    ];
    let troubles = faults.len();
    line.twilio.faults(faults);
    // when two messages are sent to one contact and one to another,
    let first = line.text(PERSON, "1").await;
    let second = line.text(PERSON, "2").await;
    line.settle().await;
    assert_eq!(line.twilio.accepted(), []);
    let other = line.text("+16505551299", "3").await;
    // then the second waits for the first, which is not retried before the time that Twilio
    // asked for,
    line.advance_by(6, Duration::from_secs(1)).await;
    assert!(line.accepted(&first).is_empty());
    line.advance_by(30, MINUTE).await;
    let order: Vec<String> =
        line.twilio.accepted().iter().map(Accepted::message_id).filter(|it| *it != other).collect();
    assert_eq!(order, [first.clone(), second]);
    assert_eq!(line.accepted(&other).len(), 1);
    // and nothing is sent twice.
    assert_eq!(line.twilio.calls().len(), troubles + 3);
    line.all_in_shape();
}

async fn a_refused_secret_holds_the_number_and_fails_nothing(line: Line) {
    // Given an auth token that is refused for three minutes,
    line.twilio.faults([error(401, 20_003), error(401, 20_003), error(401, 20_003)]);
    let ids = [line.text(PERSON, "1").await, line.text(PERSON, "2").await];
    line.settle().await;
    let other = line.text("+16505551299", "3").await;
    line.settle().await;
    let me = line.get("/api/v1/me", &line.key).await;
    let shown = &me.body["account"]["health"];
    assert_eq!(shown["state"], "held");
    assert_eq!(shown["reason"], "token_refused");
    // then Twilio is tried once a minute, and all messages are sent when it accepts the token.
    for minute in 1..=2 {
        line.advance_by(1, MINUTE).await;
        assert_eq!(line.twilio.calls().len(), 1 + minute);
        assert_eq!(line.twilio.accepted().len(), 0);
    }
    line.advance_by(1, MINUTE).await;
    for id in ids.iter().chain([&other]) {
        assert_eq!(line.accepted(id).len(), 1);
    }
    line.all_in_shape();
}

async fn order_within_a_conversation_is_kept(line: Line) {
    const PEOPLE: usize = 10;
    const EACH: usize = 5;
    line.twilio.faults((0..20).map(|it| if it % 3 == 0 { error(503, 0) } else { Fault::None }));
    let person = |of: usize| format!("+1202556{of:04}");
    let mut sent = vec![Vec::new(); PEOPLE];
    for round in 0..EACH {
        for (of, ids) in sent.iter_mut().enumerate() {
            ids.push(line.text(&person(of), &round.to_string()).await);
        }
    }
    line.advance_by(20, MINUTE).await;
    for (of, ids) in sent.into_iter().enumerate() {
        let to = format!("whatsapp:{}", person(of));
        let all = line.twilio.accepted().into_iter().filter(|it| it.field("To") == to);
        assert_eq!(all.map(|it| it.message_id()).collect::<Vec<_>>(), ids);
    }
}

on_both_with_twilio! {
    a_text_and_a_file_leave_as_one_form_each,
    an_upload_is_fetched_at_its_address,
    features_that_twilio_lacks_are_rejected_before_anything_is_stored,
    a_definite_refusal_fails_a_message_at_once,
    temporary_errors_are_retried_in_order,
    a_refused_secret_holds_the_number_and_fails_nothing,
    order_within_a_conversation_is_kept,
}
