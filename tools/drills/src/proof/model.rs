//! A stand-in for the server of a language model (OpenAI's chat completions). It is slow, and some
//! of its answers fail.

use parking_lot::Mutex;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::chance::Chance;
use super::channel::Delay;
use super::stand_in::{Request, StandIn, StandInReply};

/// The time until an answer, in milliseconds.
const DELAY: Delay = Delay { least: 0, more: 300 };
/// The percentages of questions that are answered with 503, that are answered with text instead of
/// JSON, and for which the connection is closed without an answer.
const UNAVAILABLE: u64 = 10;
const BROKEN: u64 = 5;
const CLOSED: u64 = 2;
/// The beginning of an answer. The message that it answers follows.
const ANSWER: &str = "Answer to ";

/// The stand-in. It runs until the process ends.
pub struct ModelStandIn {
    stand_in: StandIn,
    questions: Arc<Questions>,
}

#[derive(Default)]
struct Questions {
    /// The numbers of the requests that wait for their answers.
    open: Mutex<BTreeSet<u64>>,
    /// The number of requests so far.
    asked: AtomicU64,
    /// The number of requests whose answers are ready.
    ended: AtomicU64,
}

impl ModelStandIn {
    /// Starts the stand-in on a free port.
    pub fn start() -> Result<Self> {
        let questions: Arc<Questions> = Arc::default();
        let all = questions.clone();
        let stand_in = StandIn::replying(move |request| all.answer(request))?;
        Ok(Self { stand_in, questions })
    }

    /// Returns the URL before `/chat/completions`.
    pub fn url(&self) -> String {
        self.stand_in.url()
    }

    /// Returns the number of questions that wait for their answers.
    pub fn open(&self) -> usize {
        self.questions.open.lock().len()
    }

    /// Returns the number of questions so far.
    pub fn asked(&self) -> u64 {
        self.questions.asked.load(Ordering::Relaxed)
    }

    /// Returns the number of questions whose answers were ready.
    pub fn ended(&self) -> u64 {
        self.questions.ended.load(Ordering::Relaxed)
    }

    /// Removes the open questions of a server that was killed and so does not wait for the answers.
    /// Returns their number.
    pub fn forget_open(&self) -> usize {
        std::mem::take(&mut *self.questions.open.lock()).len()
    }
}

impl Questions {
    fn answer(&self, request: &Request) -> Result<StandInReply> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        self.open.lock().insert(request.number);
        let mut chance = Chance::new(request.number);
        thread::sleep(chance.millis(DELAY.least, DELAY.more));
        let reply = reply(request, chance.below(100));
        self.open.lock().remove(&request.number);
        self.ended.fetch_add(1, Ordering::Relaxed);
        reply
    }
}

/// Returns the reply to a question. `chosen` is a number below 100.
fn reply(request: &Request, chosen: u64) -> Result<StandInReply> {
    if chosen < UNAVAILABLE {
        return Ok(StandInReply::unavailable("{\"error\": {\"message\": \"overloaded\"}}"));
    }
    if chosen < UNAVAILABLE + BROKEN {
        return Ok(StandInReply::ok("Please wait.".to_owned()));
    }
    if chosen < UNAVAILABLE + BROKEN + CLOSED {
        bail!("the connection is closed");
    }
    let asked: Value = serde_json::from_slice(&request.body)?;
    let question = question(&asked)?;
    let answer = json!({
        "choices": [{
            "index": 0,
            "message": {"role": "assistant", "content": format!("{ANSWER}{question}")},
            "finish_reason": "stop",
        }],
        "usage": {"prompt_tokens": 20, "completion_tokens": 5, "total_tokens": 25},
    });
    Ok(StandInReply::ok(answer.to_string()))
}

/// Returns the newest message of the customer, which is the last line of the request to the model.
fn question(request: &Value) -> Result<String> {
    let messages = request.get("messages").and_then(Value::as_array);
    let messages = messages.context("a request without messages")?;
    let role = |it: &&Value| it.get("role").and_then(Value::as_str) == Some("user");
    let last = messages.iter().rfind(role).and_then(|it| it.get("content")?.as_str());
    let line = last.and_then(|text| text.lines().last());
    line.map(str::to_owned).context("a request without a question")
}

/// Returns the message of the customer that an answer of the stand-in repeats.
pub fn answered(answer: &str) -> Option<&str> {
    answer.strip_prefix(ANSWER)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(body: &Value) -> Request {
        let path = "/chat/completions".to_owned();
        Request { path, body: body.to_string().into_bytes(), number: 1 }
    }

    #[test]
    fn the_newest_message_is_answered() {
        let asked = request(&json!({"messages": [
            {"role": "system", "content": "Rules"},
            {"role": "user", "content": "<data>Ada</data>\nfirst\nsecond"},
        ]}));
        assert!(reply(&asked, 0).is_ok() && reply(&asked, UNAVAILABLE).is_ok());
        assert!(reply(&asked, UNAVAILABLE + BROKEN).is_err());
        let parsed: Value = serde_json::from_slice(&asked.body).unwrap();
        assert_eq!(question(&parsed).unwrap(), "second");
        assert_eq!(answered("Answer to second"), Some("second"));
        assert!(question(&json!({"messages": []})).is_err());
    }

    #[test]
    fn open_questions_are_forgotten_with_their_server() {
        let model = ModelStandIn::start().unwrap();
        model.questions.open.lock().insert(7);
        assert_eq!(model.open(), 1);
        assert_eq!(model.forget_open(), 1);
        assert_eq!(model.open(), 0);
        assert_eq!(model.asked(), 0);
        assert_eq!(model.ended(), 0);
    }
}
