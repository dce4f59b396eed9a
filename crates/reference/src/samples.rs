//! Code samples of a request, in the languages of the reference. Each sample is a complete program,
//! which a test runs unchanged.

use actix_web::http::Method;
use api::admission::Access;
use api::registry::Specification;
use api_types::UNRESERVED;
use domain::scope::Scope;
use percent_encoding::utf8_percent_encode;
use serde_json::{Map, Value};

/// The scope of the POST operations that only read data.
const READ_ONLY: Scope = Scope::ConversationsRead;

/// Code in one language.
pub struct Sample {
    /// The language after the Markdown fence.
    pub fence: &'static str,
    pub code: String,
}

/// The request that a sample sends.
struct SampleRequest<'a> {
    method: &'a Method,
    /// The prefix of the environment variables that hold the credentials.
    pair: &'static str,
    url: String,
    query: Vec<(String, String)>,
    body: Option<Value>,
    /// Whether the samples send an `Idempotency-Key`, because a repeated call would otherwise have
    /// its effect twice.
    once: bool,
    /// Whether the answer is a file.
    is_file: bool,
}

/// Returns samples in every language for an operation with this input.
pub fn render(specification: &Specification, input: &str, base_url: &str) -> Vec<Sample> {
    let input: Option<Map<String, Value>> = serde_json::from_str(input).ok();
    let path = specification
        .example
        .path
        .iter()
        .fold(specification.path.to_owned(), |path, (name, value)| {
            path.replace(&format!("{{{name}}}"), value)
        });
    let method = &specification.method;
    let in_query = *method == Method::GET;
    let text = |value: Value| match value {
        Value::String(text) => text,
        other => other.to_string(),
    };
    let query = input.clone().filter(|_| in_query).unwrap_or_default();
    let pair = match specification.access {
        Access::Application => "APP_CLIENT",
        _ => "SWITCHBOARD_CLIENT",
    };
    let asked = SampleRequest {
        method,
        pair,
        url: format!("{base_url}{path}"),
        query: query.into_iter().map(|(name, value)| (name, text(value))).collect(),
        body: input.filter(|_| !in_query).map(Value::Object),
        is_file: specification.answers_with_file(),
        once: *method == Method::POST && specification.access.scope() != Some(READ_ONLY),
    };
    vec![
        Sample { fence: "sh", code: asked.curl() },
        Sample { fence: "js", code: asked.node() },
        Sample { fence: "python", code: asked.python() },
        Sample { fence: "rust", code: asked.rust() },
    ]
}

impl SampleRequest<'_> {
    fn address(&self) -> String {
        let escaped = |text: &str| utf8_percent_encode(text, UNRESERVED).to_string();
        let pairs = self.query.iter().map(|(name, value)| format!("{name}={}", escaped(value)));
        let pairs: Vec<String> = pairs.collect();
        if pairs.is_empty() {
            self.url.clone()
        } else {
            format!("{}?{}", self.url, pairs.join("&"))
        }
    }

    fn curl(&self) -> String {
        let mut lines = vec![match *self.method {
            Method::GET | Method::POST => format!("curl '{}'", self.address()),
            _ => format!("curl -X {} '{}'", self.method, self.address()),
        }];
        if self.is_file {
            lines.push("-o export.zip".to_owned());
        }
        let pair = self.pair;
        lines.push(format!("-H \"x-client-id: ${pair}_ID\""));
        lines.push(format!("-H \"x-client-secret: ${pair}_SECRET\""));
        if self.once {
            lines.push("-H \"Idempotency-Key: $(openssl rand -hex 16)\"".to_owned());
        }
        if let Some(body) = &self.body {
            lines.push("-H 'Content-Type: application/json'".to_owned());
            lines.push(format!("-d '{}'", format!("{body:#}").replace('\'', r"'\''")));
        } else if *self.method == Method::POST {
            lines.push("-X POST".to_owned());
        }
        lines.join(" \\\n  ")
    }

    fn node(&self) -> String {
        let mut lines = Vec::new();
        if self.once {
            lines.push("import { randomUUID } from \"node:crypto\";".to_owned());
            lines.push(String::new());
        }
        lines.push(format!("const response = await fetch(\"{}\", {{", self.address()));
        if *self.method != Method::GET {
            lines.push(format!("  method: \"{}\",", self.method));
        }
        lines.push("  headers: {".to_owned());
        let pair = self.pair;
        lines.push(format!("    \"x-client-id\": process.env.{pair}_ID,"));
        lines.push(format!("    \"x-client-secret\": process.env.{pair}_SECRET,"));
        if self.once {
            lines.push("    \"idempotency-key\": randomUUID(),".to_owned());
        }
        if self.body.is_some() {
            lines.push("    \"content-type\": \"application/json\",".to_owned());
        }
        lines.push("  },".to_owned());
        if let Some(body) = &self.body {
            lines.push(format!("  body: JSON.stringify({}),", indented(&format!("{body:#}"), 2)));
        }
        lines.push("});".to_owned());
        let body = if self.is_file { "bytes" } else { "json" };
        lines.push(format!("console.log(response.status, await response.{body}());"));
        lines.join("\n")
    }

    fn python(&self) -> String {
        let uuid = if self.once { ", uuid" } else { "" };
        let json = if self.is_file { "" } else { "json, " };
        let mut lines = vec![format!("import {json}os, urllib.request{uuid}"), String::new()];
        lines.push("request = urllib.request.Request(".to_owned());
        lines.push(format!("    \"{}\",", self.address()));
        if *self.method != Method::GET {
            lines.push(format!("    method=\"{}\",", self.method));
        }
        lines.push("    headers={".to_owned());
        let pair = self.pair;
        lines.push(format!("        \"x-client-id\": os.environ[\"{pair}_ID\"],"));
        lines.push(format!("        \"x-client-secret\": os.environ[\"{pair}_SECRET\"],"));
        if self.once {
            lines.push("        \"idempotency-key\": str(uuid.uuid4()),".to_owned());
        }
        if self.body.is_some() {
            lines.push("        \"content-type\": \"application/json\",".to_owned());
        }
        lines.push("    },".to_owned());
        if let Some(body) = &self.body {
            let body = indented(&literal(body, 0), 4);
            lines.push(format!("    data=json.dumps({body}).encode(),"));
        }
        lines.push(")".to_owned());
        lines.push("with urllib.request.urlopen(request) as response:".to_owned());
        let body = if self.is_file { "response.read()" } else { "json.load(response)" };
        lines.push(format!("    print(response.status, {body})"));
        lines.join("\n")
    }

    fn rust(&self) -> String {
        let imported = if self.body.is_some() { "{Value, json}" } else { "Value" };
        let mut lines = Vec::new();
        if !self.is_file {
            lines.extend([format!("use serde_json::{imported};"), String::new()]);
        }
        lines.push("#[tokio::main]".to_owned());
        lines.push("async fn main() -> Result<(), Box<dyn std::error::Error>> {".to_owned());
        lines.push("    let response = reqwest::Client::new()".to_owned());
        let method = self.method.as_str().to_ascii_lowercase();
        lines.push(format!("        .{method}(\"{}\")", self.address()));
        let pair = self.pair;
        lines.push(format!("        .header(\"x-client-id\", std::env::var(\"{pair}_ID\")?)"));
        lines.push(format!(
            "        .header(\"x-client-secret\", std::env::var(\"{pair}_SECRET\")?)"
        ));
        if self.once {
            let key = "uuid::Uuid::new_v4().to_string()";
            lines.push(format!("        .header(\"idempotency-key\", {key})"));
        }
        if let Some(body) = &self.body {
            lines.push(format!("        .json(&json!({}))", indented(&format!("{body:#}"), 8)));
        }
        lines.push("        .send()".to_owned());
        lines.push("        .await?;".to_owned());
        lines.push(if self.is_file {
            "    println!(\"{} {:?}\", response.status(), response.bytes().await?);".to_owned()
        } else {
            "    println!(\"{} {}\", response.status(), response.json::<Value>().await?);"
                .to_owned()
        });
        lines.push("    Ok(())".to_owned());
        lines.push("}".to_owned());
        lines.join("\n")
    }
}

/// Indents all lines but the first.
fn indented(text: &str, by: usize) -> String {
    text.replace('\n', &format!("\n{}", " ".repeat(by)))
}

/// Formats a value as a Python literal.
fn literal(value: &Value, depth: usize) -> String {
    let (inner, outer) = ("    ".repeat(depth + 1), "    ".repeat(depth));
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Array(entries) if !entries.is_empty() => {
            let lines = entries.iter().map(|it| format!("{inner}{},\n", literal(it, depth + 1)));
            format!("[\n{}{outer}]", lines.collect::<String>())
        }
        Value::Object(fields) if !fields.is_empty() => {
            let lines = fields.iter().map(|(name, it)| {
                format!("{inner}{}: {},\n", Value::from(name.as_str()), literal(it, depth + 1))
            });
            format!("{{\n{}{outer}}}", lines.collect::<String>())
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn python_has_words_of_its_own() {
        let value = json!({"a": [true, null], "b": {}, "c": "it's \"so\""});
        let expected = "{\n    \"a\": [\n        True,\n        None,\n    ],\n    \"b\": {},\n    \"c\": \"it's \\\"so\\\"\",\n}";
        assert_eq!(literal(&value, 0), expected);
    }
}
