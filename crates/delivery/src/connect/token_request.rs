//! What an exchange is asked with: JSON, or a form as OAuth clients send it.

use actix_web::http::header::{self, HeaderMap};
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use std::fmt;

/// A request with all its fields.
pub struct TokenRequest {
    /// `code`.
    pub code: String,
    /// `code_verifier`.
    pub code_verifier: String,
    /// `client_id`: the application's own.
    pub client_id: String,
    /// `client_secret`: likewise.
    pub client_secret: String,
    /// `redirect_uri`, which must match if it is given.
    pub redirect_uri: Option<String>,
}

/// A request without all its fields.
pub struct Incomplete {
    /// What is wrong, in a sentence.
    pub why: String,
    /// The codes that it names: they are burnt.
    pub codes: Vec<String>,
}

impl Incomplete {
    /// A request of which nothing can be read.
    pub fn unreadable(why: &str) -> Self {
        Self { why: format!("The request cannot be read: {why}."), codes: Vec::new() }
    }
}

type Fields = Vec<(String, String)>;

impl TokenRequest {
    /// Reads a body by its content type.
    pub fn read(headers: &HeaderMap, body: &[u8]) -> Result<Self, Incomplete> {
        let content_type = headers.get(header::CONTENT_TYPE).and_then(|it| it.to_str().ok());
        let content_type = content_type.unwrap_or_default().split(';').next().unwrap_or_default();
        if headers.contains_key(header::CONTENT_ENCODING) {
            return Err(Incomplete::unreadable("compressed bodies are not taken"));
        }
        let fields = match content_type.trim().to_ascii_lowercase().as_str() {
            "application/json" => json(body)?,
            "application/x-www-form-urlencoded" => serde_urlencoded::from_bytes(body)
                .map_err(|_| Incomplete::unreadable("it is not a form"))?,
            _ => {
                let why = "send it as application/json or application/x-www-form-urlencoded";
                return Err(Incomplete::unreadable(why));
            }
        };
        Self::of(&fields)
    }

    fn of(fields: &Fields) -> Result<Self, Incomplete> {
        let codes: Vec<String> = fields
            .iter()
            .filter(|(name, _)| name == "code")
            .map(|(_, code)| code.clone())
            .collect();
        let incomplete = |why: String| Incomplete { why, codes: codes.clone() };
        let twice = fields.iter().enumerate().find(|(index, (name, _))| {
            fields.iter().take(*index).any(|(earlier, _)| earlier == name)
        });
        if let Some((_, (name, _))) = twice {
            return Err(incomplete(format!("{name} stands twice.")));
        }
        let value = |name: &str| fields.iter().find(|it| it.0 == name).map(|it| it.1.clone());
        let required = |name: &str| {
            let value = value(name).filter(|value| !value.is_empty());
            value.ok_or_else(|| incomplete(format!("{name} is missing.")))
        };
        if value("grant_type").is_some_and(|it| it != "authorization_code") {
            return Err(incomplete("grant_type must be authorization_code.".to_owned()));
        }
        Ok(Self {
            code: required("code")?,
            code_verifier: required("code_verifier")?,
            client_id: required("client_id")?,
            client_secret: required("client_secret")?,
            redirect_uri: value("redirect_uri"),
        })
    }
}

fn json(body: &[u8]) -> Result<Fields, Incomplete> {
    let pairs: Pairs =
        serde_json::from_slice(body).map_err(|_| Incomplete::unreadable("it is no JSON object"))?;
    let mut fields = Fields::new();
    for (name, value) in pairs.0 {
        match value {
            Value::String(text) => fields.push((name, text)),
            Value::Null => {}
            // Whatever else it is, it is no value of ours, and the name alone is kept.
            _ => fields.push((name, String::new())),
        }
    }
    Ok(fields)
}

/// The fields of an object as they stand there: a map would hide one that stands twice.
struct Pairs(Vec<(String, Value)>);

impl<'de> Deserialize<'de> for Pairs {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Pairs;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Pairs, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(Pairs(pairs))
            }
        }
        reader.deserialize_map(Reader)
    }
}
