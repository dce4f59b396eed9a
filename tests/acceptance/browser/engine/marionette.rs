//! Marionette, Firefox's protocol, and a bridge through which a WebDriver client uses it.

use super::Outcome;
use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use std::convert::Infallible;
use std::sync::Arc;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Mutex;

/// Lets windows be narrower than Firefox's minimum of 500 px, because phones are.
const ANY_WIDTH: &str = "for (const it of Services.wm.getEnumerator('navigator:browser')) \
    it.document.documentElement.style.setProperty('min-width', '0', 'important');";

/// Returns the console messages of the open page's scripts.
const SAID: &str = "\
    const kept = Cc['@mozilla.org/consoleAPI-storage;1'].getService(Ci.nsIConsoleAPIStorage);\
    const own = (it) => /^(chrome|resource):/.test(it.filename);\
    const said = kept.getEvents().filter((it) => !own(it)).map((it) => it.level + ' ' + [...it.arguments].map(String).join(' '));\
    kept.clearEvents();\
    return said;";

/// Returns Firefox's own complaints about pages, such as script errors, policies and deprecations,
/// but not those about itself.
const COMPLAINED: &str = "\
    const of = (it) => it instanceof Ci.nsIScriptError && it.innerWindowID && !/^(chrome|resource):/.test(it.sourceName);\
    const all = Services.console.getMessageArray().filter(of).map((it) => it.category + ' ' + it.errorMessage);\
    Services.console.reset();\
    return all;";

pub(super) struct Marionette {
    stream: BufReader<TcpStream>,
    last: u64,
}

impl Marionette {
    pub(super) async fn connect(port: u16) -> Outcome<Self> {
        let stream = BufReader::new(TcpStream::connect(("127.0.0.1", port)).await?);
        let mut made = Self { stream, last: 0 };
        let hello = made.read().await?;
        match hello["marionetteProtocol"].as_u64() {
            Some(3) => Ok(made),
            _ => Err(format!("no Marionette: {hello}").into()),
        }
    }

    /// Runs a command. Returns its value, or the error in the response.
    pub(super) async fn command(
        &mut self,
        name: &str,
        parameters: &Value,
    ) -> Outcome<Result<Value, Value>> {
        self.last += 1;
        let message = json!([0, self.last, name, parameters]).to_string();
        let framed = format!("{}:{message}", message.len());
        self.stream.get_mut().write_all(framed.as_bytes()).await?;
        let mut answer = self.read().await?;
        if answer[1].as_u64() != Some(self.last) {
            return Err(format!("an answer to something else: {answer}").into());
        }
        let (error, mut value) = (answer[2].take(), answer[3].take());
        if !error.is_null() {
            return Ok(Err(error));
        }
        let inner = value.as_object_mut().filter(|all| all.len() == 1);
        let inner = inner.and_then(|all| all.get_mut("value")).map(Value::take);
        Ok(Ok(inner.unwrap_or(value)))
    }

    /// Reads a message: its length in bytes, a colon, and JSON.
    async fn read(&mut self) -> Outcome<Value> {
        let mut length: usize = 0;
        loop {
            match self.stream.read_u8().await? {
                b':' => break,
                digit @ b'0'..=b'9' => length = length * 10 + usize::from(digit - b'0'),
                other => return Err(format!("no length begins with {other}").into()),
            }
        }
        let mut text = vec![0; length];
        self.stream.read_exact(&mut text).await?;
        Ok(serde_json::from_slice(&text)?)
    }

    /// Runs a script with the browser's privileges, in the page's process or the browser's.
    async fn privileged(&mut self, context: &str, script: &str) -> Outcome<Result<Value, Value>> {
        self.command("Marionette:SetContext", &json!({"value": context})).await?.ok();
        let run = json!({"script": script, "args": [], "sandbox": "system"});
        let result = self.command("WebDriver:ExecuteScript", &run).await?;
        self.command("Marionette:SetContext", &json!({"value": "content"})).await?.ok();
        Ok(result)
    }

    async fn console(&mut self) -> Outcome<Result<Value, Value>> {
        let mut entries = Vec::new();
        for (context, script) in [("content", SAID), ("chrome", COMPLAINED)] {
            match self.privileged(context, script).await? {
                Ok(lines) => entries.extend(lines.as_array().cloned().unwrap_or_default()),
                Err(error) => return Ok(Err(error)),
            }
        }
        Ok(Ok(entries.into_iter().map(|line| json!({"message": line})).collect()))
    }

    /// Runs a WebDriver command and returns its result.
    async fn answer(
        &mut self,
        method: &str,
        path: &[&str],
        body: Value,
    ) -> Outcome<Result<Value, Value>> {
        match (method, path) {
            ("POST", ["se", "log"]) => return self.console().await,
            // The browser stops with the test.
            ("DELETE", []) => return Ok(Ok(Value::Null)),
            ("POST", ["window", "rect"]) => {
                self.privileged("chrome", ANY_WIDTH).await?.ok();
            }
            _ => {}
        }
        match translated(method, path, body) {
            Some((name, parameters)) => self.command(name, &parameters).await,
            None => Ok(Err(json!({
                "error": "unknown command",
                "message": format!("{method} {path:?}"),
                "stacktrace": "",
            }))),
        }
    }
}

/// Translates a WebDriver command to Marionette's name and parameters.
fn translated(method: &str, path: &[&str], body: Value) -> Option<(&'static str, Value)> {
    let none = json!({});
    Some(match (method, path) {
        ("GET", ["url"]) => ("WebDriver:GetCurrentURL", none),
        ("POST", ["url"]) => ("WebDriver:Navigate", body),
        ("POST", ["back"]) => ("WebDriver:Back", none),
        ("POST", ["refresh"]) => ("WebDriver:Refresh", none),
        ("GET", ["window"]) => ("WebDriver:GetWindowHandle", none),
        ("GET", ["window", "handles"]) => ("WebDriver:GetWindowHandles", none),
        ("POST", ["window"]) => ("WebDriver:SwitchToWindow", body),
        ("DELETE", ["window"]) => ("WebDriver:CloseWindow", none),
        ("GET", ["window", "rect"]) => ("WebDriver:GetWindowRect", none),
        ("POST", ["window", "rect"]) => ("WebDriver:SetWindowRect", body),
        ("GET", ["screenshot"]) => ("WebDriver:TakeScreenshot", json!({"full": false})),
        ("POST", ["execute", "sync"]) => ("WebDriver:ExecuteScript", body),
        ("POST", ["execute", "async"]) => ("WebDriver:ExecuteAsyncScript", body),
        ("POST", ["actions"]) => ("WebDriver:PerformActions", body),
        ("POST", ["element"]) => ("WebDriver:FindElement", body),
        ("GET", ["element", "active"]) => ("WebDriver:GetActiveElement", none),
        ("POST", ["element", id, "click"]) => ("WebDriver:ElementClick", json!({"id": id})),
        ("POST", ["element", id, "value"]) => {
            ("WebDriver:ElementSendKeys", json!({"id": id, "text": body["text"]}))
        }
        ("GET", ["element", id, "displayed"]) => {
            ("WebDriver:IsElementDisplayed", json!({"id": id}))
        }
        ("GET", ["element", id, "attribute", name]) => {
            ("WebDriver:GetElementAttribute", json!({"id": id, "name": name}))
        }
        ("GET", ["element", id, "text"]) => ("WebDriver:GetElementText", json!({"id": id})),
        ("GET", ["element", id, "css", name]) => {
            ("WebDriver:GetElementCSSValue", json!({"id": id, "propertyName": name}))
        }
        _ => return None,
    })
}

/// A WebDriver server for one Firefox.
pub(super) struct Bridge;

impl Bridge {
    /// Starts the bridge and returns its URL. It runs as long as the test's runtime.
    pub(super) async fn start(marionette: Marionette) -> Outcome<String> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = format!("http://{}", listener.local_addr()?);
        let marionette = Arc::new(Mutex::new(marionette));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let marionette = marionette.clone();
                let service = service_fn(move |request| {
                    let marionette = marionette.clone();
                    async move { Ok::<_, Infallible>(respond(&marionette, request).await) }
                });
                let connection =
                    http1::Builder::new().serve_connection(TokioIo::new(stream), service);
                tokio::spawn(connection);
            }
        });
        Ok(address)
    }
}

async fn respond(
    marionette: &Mutex<Marionette>,
    request: hyper::Request<hyper::body::Incoming>,
) -> hyper::Response<Full<Bytes>> {
    let method = request.method().to_string();
    let path = request.uri().path().to_owned();
    let body = request.into_body().collect().await.map(http_body_util::Collected::to_bytes);
    let body = body.ok().and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default();
    // `/session/{id}/…`
    let path: Vec<&str> = path.split('/').skip(3).collect();
    let answer = marionette.lock().await.answer(&method, &path, body).await;
    let (status, value) = match answer {
        Ok(Ok(value)) => (200, value),
        Ok(Err(error)) => (500, error),
        Err(error) => {
            let said = error.to_string();
            (500, json!({"error": "unknown error", "message": said, "stacktrace": ""}))
        }
    };
    hyper::Response::builder()
        .status(status)
        .header("content-type", "application/json; charset=utf-8")
        .body(Full::new(Bytes::from(json!({"value": value}).to_string())))
        .unwrap()
}
