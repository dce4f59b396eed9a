//! Parses the request of an exchange: JSON, or a form as OAuth clients send it. The application's
//! credentials are in the body or in HTTP Basic authentication.

use crate::browser::decode_form;
use actix_web::http::header::{self, HeaderMap};
use http_layer::basic::{self, BasicPair};
use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use service::connect::exchange::Exchange;
use std::fmt;

/// Maximum number of fields in a request. It needs six.
const MAX_FIELDS: usize = 32;

/// An incomplete or unreadable request.
pub struct Incomplete {
    /// The fault, as a sentence.
    pub why: String,
    /// The authorization codes in the request, at most `MAX_FIELDS` + 1. The caller consumes them.
    pub codes: Vec<String>,
}

impl Incomplete {
    /// Creates the error for a request that cannot be parsed at all.
    pub fn unreadable(why: &str) -> Self {
        Self { why: format!("The request cannot be read: {why}."), codes: Vec::new() }
    }
}

/// The fields of a request, at most [`MAX_FIELDS`] + 1.
type RequestFields = Vec<(String, String)>;

/// Parses a body by its content type, and the application's credentials from the body or the
/// headers.
pub fn read(headers: &HeaderMap, body: &[u8]) -> Result<Exchange, Incomplete> {
    let content_type = headers.get(header::CONTENT_TYPE).and_then(|it| it.to_str().ok());
    let content_type = content_type.unwrap_or_default().split(';').next().unwrap_or_default();
    if headers.contains_key(header::CONTENT_ENCODING) {
        return Err(Incomplete::unreadable("compressed bodies are not supported"));
    }
    let fields = match content_type.trim().to_ascii_lowercase().as_str() {
        "application/json" => json(body)?,
        "application/x-www-form-urlencoded" => decode_form(body, MAX_FIELDS),
        _ => {
            let why = "send it as application/json or application/x-www-form-urlencoded";
            return Err(Incomplete::unreadable(why));
        }
    };
    exchange(&fields, headers)
}

fn exchange(fields: &RequestFields, headers: &HeaderMap) -> Result<Exchange, Incomplete> {
    let codes: Vec<String> =
        fields.iter().filter(|(name, _)| name == "code").map(|(_, code)| code.clone()).collect();
    let incomplete = |why: String| Incomplete { why, codes: codes.clone() };
    if fields.len() > MAX_FIELDS {
        return Err(incomplete(format!("It has more than {MAX_FIELDS} fields.")));
    }
    let mut names: Vec<&str> = fields.iter().map(|(name, _)| name.as_str()).collect();
    names.sort_unstable();
    if let Some((name, _)) = names.iter().zip(names.iter().skip(1)).find(|(a, b)| a == b) {
        return Err(incomplete(format!("{name} is repeated.")));
    }
    // A parameter without a value counts as omitted (RFC 6749 section 3.2).
    let value = |name: &str| {
        let given = fields.iter().find(|it| it.0 == name).map(|it| it.1.clone());
        given.filter(|value| !value.is_empty())
    };
    let present = |name: &str, value: Option<String>| {
        let value = value.filter(|value| !value.is_empty());
        value.ok_or_else(|| incomplete(format!("{name} is missing.")))
    };
    let required = |name: &str| present(name, value(name));
    if value("grant_type").is_some_and(|it| it != "authorization_code") {
        return Err(incomplete("grant_type must be authorization_code.".to_owned()));
    }
    let (client_id, client_secret) = match basic::pair(headers) {
        Err(malformed) => {
            return Err(incomplete(format!("The request cannot be read: {malformed}.")));
        }
        Ok(None) => (value("client_id"), value("client_secret")),
        Ok(Some(pair)) => {
            is_only_pair(&pair, value("client_id").as_deref(), value("client_secret").is_some())
                .map_err(|why| incomplete(why.to_owned()))?;
            (Some(pair.client_id), Some(pair.client_secret))
        }
    };
    Ok(Exchange {
        code: required("code")?,
        code_verifier: required("code_verifier")?,
        client_id: present("client_id", client_id)?,
        client_secret: present("client_secret", client_secret)?,
        redirect_uri: value("redirect_uri"),
    })
}

/// Checks that a request with HTTP Basic does not authenticate a second time in the body (RFC 6749
/// section 2.3). The same client id may be repeated there, because it alone does not authenticate.
fn is_only_pair(
    basic: &BasicPair,
    id_in_body: Option<&str>,
    has_secret_in_body: bool,
) -> Result<(), &'static str> {
    if has_secret_in_body {
        return Err("client_secret is in the body and in the Authorization header.");
    }
    if id_in_body.is_some_and(|id| id != basic.client_id) {
        return Err("client_id in the body is not the one in the Authorization header.");
    }
    Ok(())
}

fn json(body: &[u8]) -> Result<RequestFields, Incomplete> {
    let mut fields = RequestFields::new();
    let mut reader = serde_json::Deserializer::from_slice(body);
    let read = FieldCollector(&mut fields).deserialize(&mut reader);
    // Too many fields have an error of their own, even if the rest is not valid JSON.
    if fields.len() <= MAX_FIELDS && read.and_then(|()| reader.end()).is_err() {
        return Err(Incomplete::unreadable("it is not a JSON object"));
    }
    Ok(fields)
}

/// Collects the fields of a JSON object in order, including repeated ones, which a map would hide.
/// Stops after [`MAX_FIELDS`] + 1.
struct FieldCollector<'a>(&'a mut RequestFields);

impl<'de> DeserializeSeed<'de> for FieldCollector<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        reader.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for FieldCollector<'_> {
    type Value = ();

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(name) = map.next_key::<String>()? {
            match map.next_value::<Value>()? {
                Value::Text(text) => self.0.push((name, text)),
                Value::Null => {}
                // No field of an exchange is a number, an array or an object, so only the name is kept.
                Value::Other => self.0.push((name, String::new())),
            }
            if self.0.len() > MAX_FIELDS {
                return Err(serde::de::Error::custom("too many fields"));
            }
        }
        Ok(())
    }
}

/// A JSON value. Only the content of a string is kept.
enum Value {
    Text(String),
    Null,
    Other,
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        reader.deserialize_any(AnyValue)
    }
}

struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = Value;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a value")
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::Text(text.to_owned()))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Value, E> {
        Ok(Value::Other)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Value, E> {
        Ok(Value::Other)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Value, E> {
        Ok(Value::Other)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Value, E> {
        Ok(Value::Other)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Value::Other)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Value::Other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(content_type: &'static str, body: &str) -> Result<Exchange, Incomplete> {
        let mut headers = HeaderMap::new();
        headers.insert(header::CONTENT_TYPE, header::HeaderValue::from_static(content_type));
        super::read(&headers, body.as_bytes())
    }

    fn faulty(content_type: &'static str, body: &str) -> Incomplete {
        read(content_type, body).err().unwrap()
    }

    const JSON: &str = "application/json";
    const FORM: &str = "application/x-www-form-urlencoded";

    proptest! {
        /// Values with any characters are parsed alike from a form and from JSON.
        #[test]
        fn a_form_and_json_say_the_same(values in prop::collection::vec(".{1,20}", 5)) {
            let names = ["code", "code_verifier", "client_id", "client_secret", "redirect_uri"];
            let pairs = || names.iter().zip(&values);
            let form = pairs().fold(form_urlencoded::Serializer::new(String::new()), |mut form, (name, value)| {
                form.append_pair(name, value);
                form
            }).finish();
            let json: serde_json::Map<_, _> =
                pairs().map(|(name, value)| ((*name).to_owned(), value.as_str().into())).collect();
            let json = serde_json::Value::from(json).to_string();
            for exchange in [read(FORM, &form), read(JSON, &json)] {
                let Ok(exchange) = exchange else { panic!("{form} {json}") };
                let read = [exchange.code, exchange.code_verifier, exchange.client_id, exchange.client_secret];
                prop_assert_eq!(read.as_slice(), &values[..4]);
                prop_assert_eq!(exchange.redirect_uri.as_ref(), values.last());
            }
        }

        #[test]
        fn whatever_is_sent_is_read_or_refused(
            body in "[{}\\[\\]\",:a-e0-9&=%+ \\\\u]{0,60}|((code|client_id|client_secret|code_verifier|redirect_uri|grant_type)=[a-z]{0,3}&){0,40}",
            bytes: Vec<u8>,
        ) {
            for content_type in [JSON, FORM, "text/plain", "application/json;charset=utf-8"] {
                let mut headers = HeaderMap::new();
                headers.insert(header::CONTENT_TYPE, header::HeaderValue::from_static(content_type));
                for body in [body.as_bytes(), &bytes] {
                    match super::read(&headers, body) {
                        Ok(it) => prop_assert!(!it.code.is_empty() && !it.client_secret.is_empty()),
                        Err(refused) => prop_assert!(!refused.why.is_empty() && refused.codes.len() <= MAX_FIELDS + 1),
                    }
                }
            }
        }
    }

    #[test]
    fn no_more_fields_are_read_than_count() {
        let codes: Vec<String> = (0..9000).map(|number| format!("code={number}")).collect();
        let form = faulty(FORM, &codes.join("&"));
        assert_eq!(form.why, "It has more than 32 fields.");
        assert_eq!(form.codes.len(), MAX_FIELDS + 1);
        let names: Vec<String> = (0..9000).map(|number| format!("\"{number}\":[0]")).collect();
        let json = faulty(JSON, &format!("{{\"code\":\"x\",{}}}", names.join(",")));
        assert_eq!(
            (json.why.as_str(), json.codes),
            ("It has more than 32 fields.", vec!["x".to_owned()])
        );
    }

    #[test]
    fn a_repeated_field_is_reported_and_a_value_of_another_type_is_missing() {
        let twice = faulty(JSON, r#"{"code": "a", "client_id": "b", "code": "c"}"#);
        assert_eq!((twice.why.as_str(), twice.codes.len()), ("code is repeated.", 2));
        let none =
            faulty(JSON, r#"{"code": [{"a": null}], "client_id": 1.5, "client_secret": null}"#);
        assert_eq!(none.why, "code is missing.");
        for broken in ["", "{", "[]", "{} {}", "{\"code\": }"] {
            assert!(faulty(JSON, broken).why.contains("not a JSON object"), "{broken}");
        }
        let whole = r#"{"code": "a", "code_verifier": "b", "client_id": "c", "client_secret": "d", "more": {"x": [1, true]}}"#;
        assert_eq!(read(JSON, whole).ok().unwrap().client_secret, "d");
    }
}
