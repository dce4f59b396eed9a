//! Parses the request of an exchange: JSON, or a form as OAuth clients send it. The application's
//! credentials are in the body or in HTTP Basic authentication.

use crate::browser::decode_form;
use actix_web::http::header::{self, HeaderMap};
use auth::code;
use auth::handshake::HandshakeFault;
use http_layer::basic::{self, BasicPair};
use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use service::connect::exchange::{Exchange, IncompleteExchange};
use std::fmt;

/// Maximum number of fields in a request. A valid request has at most six.
const MAX_FIELDS: usize = 32;

/// An incomplete or unreadable request.
pub struct Incomplete {
    /// The fault, as a sentence.
    pub why: String,
    /// The rest of the request: at most `MAX_FIELDS` + 1 codes, which the caller consumes.
    pub exchange: IncompleteExchange,
}

impl Incomplete {
    /// Creates the error for a request that cannot be parsed at all.
    fn unreadable(why: &str) -> Self {
        let fault = HandshakeFault::RequestUnreadable;
        Self {
            why: format!("The request cannot be read: {why}."),
            exchange: IncompleteExchange { fault, codes: Vec::new(), credentials: None },
        }
    }

    /// Adds what the rest of the request names: the codes in the body if the fields have none, and
    /// the credentials in the headers.
    fn completed(mut self, headers: &HeaderMap, body: &[u8]) -> Self {
        let exchange = &mut self.exchange;
        if exchange.codes.is_empty() {
            exchange.codes = code::in_text(body, MAX_FIELDS + 1);
        }
        if exchange.credentials.is_none()
            && let Ok(Some(pair)) = basic::pair(headers)
        {
            exchange.credentials = Some((pair.client_id, pair.client_secret));
        }
        self
    }
}

/// The fields of a request, at most [`MAX_FIELDS`] + 1.
type RequestFields = Vec<(String, String)>;

/// Parses a body by its content type, and the application's credentials from the body or the
/// headers.
pub fn read(headers: &HeaderMap, body: &[u8]) -> Result<Exchange, Incomplete> {
    let fields = fields(headers, body);
    let read = fields.and_then(|fields| exchange(&fields, headers));
    read.map_err(|incomplete| incomplete.completed(headers, body))
}

/// Returns the error for a request whose body is too large or ended early.
pub fn unfinished(headers: &HeaderMap, beginning: &[u8]) -> Incomplete {
    let incomplete = Incomplete::unreadable("the body is larger than 16 KiB, or ended early");
    incomplete.completed(headers, beginning)
}

fn fields(headers: &HeaderMap, body: &[u8]) -> Result<RequestFields, Incomplete> {
    let content_type = headers.get(header::CONTENT_TYPE).and_then(|it| it.to_str().ok());
    let content_type = content_type.unwrap_or_default().split(';').next().unwrap_or_default();
    if headers.contains_key(header::CONTENT_ENCODING) {
        return Err(Incomplete::unreadable("compressed bodies are not supported"));
    }
    match content_type.trim().to_ascii_lowercase().as_str() {
        "application/json" => json(body),
        "application/x-www-form-urlencoded" => Ok(decode_form(body, MAX_FIELDS)),
        _ => {
            let why = "send it as application/json or application/x-www-form-urlencoded";
            Err(Incomplete::unreadable(why))
        }
    }
}

fn exchange(fields: &RequestFields, headers: &HeaderMap) -> Result<Exchange, Incomplete> {
    let named = fields.iter().filter(|(name, code)| name == "code" && !code.is_empty());
    let codes: Vec<String> = named.map(|(_, code)| code.clone()).collect();
    // A parameter without a value counts as omitted (RFC 6749 section 3.2).
    let value = |name: &str| {
        let given = fields.iter().find(|it| it.0 == name).map(|it| it.1.clone());
        given.filter(|value| !value.is_empty())
    };
    let incomplete = |fault: HandshakeFault, why: String| {
        let credentials = value("client_id").zip(value("client_secret"));
        Incomplete {
            why,
            exchange: IncompleteExchange { fault, codes: codes.clone(), credentials },
        }
    };
    if fields.len() > MAX_FIELDS {
        let why = format!("It has more than {MAX_FIELDS} fields.");
        return Err(incomplete(HandshakeFault::TooManyFields, why));
    }
    let mut sent_fields: Vec<&str> = fields.iter().map(|(name, _)| name.as_str()).collect();
    sent_fields.sort_unstable();
    if let Some((name, _)) =
        sent_fields.iter().zip(sent_fields.iter().skip(1)).find(|(a, b)| a == b)
    {
        return Err(incomplete(HandshakeFault::FieldRepeated, format!("{name} is repeated.")));
    }
    let present = |name: &str, fault: HandshakeFault, value: Option<String>| {
        let value = value.filter(|value| !value.is_empty());
        value.ok_or_else(|| incomplete(fault, format!("{name} is missing.")))
    };
    if value("grant_type").is_some_and(|it| it != "authorization_code") {
        let why = "grant_type must be authorization_code.".to_owned();
        return Err(incomplete(HandshakeFault::GrantTypeUnsupported, why));
    }
    let unclear = |why: String| incomplete(HandshakeFault::ClientUnclear, why);
    let (client_id, client_secret) = match basic::pair(headers) {
        Err(malformed) => {
            return Err(unclear(format!("The request cannot be read: {malformed}.")));
        }
        Ok(None) => (value("client_id"), value("client_secret")),
        Ok(Some(pair)) => {
            is_only_pair(&pair, value("client_id").as_deref(), value("client_secret").is_some())
                .map_err(|why| unclear(why.to_owned()))?;
            (Some(pair.client_id), Some(pair.client_secret))
        }
    };
    Ok(Exchange {
        code: present("code", HandshakeFault::CodeMissing, value("code"))?,
        code_verifier: present(
            "code_verifier",
            HandshakeFault::NoVerifier,
            value("code_verifier"),
        )?,
        client_id: present("client_id", HandshakeFault::ClientIdMissing, client_id)?,
        client_secret: present(
            "client_secret",
            HandshakeFault::ClientSecretMissing,
            client_secret,
        )?,
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
                        Err(refused) => prop_assert!(!refused.why.is_empty() && refused.exchange.codes.len() <= MAX_FIELDS + 1),
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
        assert_eq!(form.exchange.codes.len(), MAX_FIELDS + 1);
        let names: Vec<String> = (0..9000).map(|number| format!("\"{number}\":[0]")).collect();
        let json = faulty(JSON, &format!("{{\"code\":\"x\",{}}}", names.join(",")));
        assert_eq!(json.why, "It has more than 32 fields.");
        assert_eq!(json.exchange.codes, ["x"]);
    }

    #[test]
    fn what_cannot_be_read_names_its_code_all_the_same() {
        let code = code::code([7; 32]);
        let whole = format!(r#"{{"client_id": "a", "client_secret": "b", "code": "{code}"}}"#);
        for (content_type, body) in [
            (JSON, whole[..whole.len() - 1].to_owned()),
            (JSON, whole[..whole.len() - 2].to_owned()),
            (JSON, format!("[{whole}]")),
            (JSON, format!("code={code}&client_id=a")),
            (JSON, format!(r#"{{"code": ["{code}"]}}"#)),
            (FORM, whole.clone()),
            ("text/plain", whole.clone()),
            ("text/plain", format!("code={code}")),
            ("multipart/form-data", format!("name=\"code\"\r\n\r\n{code}\r\n")),
            ("", format!("code={code}")),
        ] {
            let found = faulty(content_type, &body).exchange;
            assert_eq!(found.codes, [code.as_str()], "{content_type} {body}");
        }
        // The fields of an incomplete request identify its application.
        let lacking = faulty(JSON, &whole).exchange;
        assert_eq!(lacking.fault, HandshakeFault::NoVerifier);
        assert_eq!(lacking.codes, [code.as_str()]);
        assert_eq!(lacking.credentials, Some(("a".to_owned(), "b".to_owned())));
    }

    #[test]
    fn each_missing_field_is_a_fault_of_its_own() {
        for (field, fault) in [
            ("code", HandshakeFault::CodeMissing),
            ("code_verifier", HandshakeFault::NoVerifier),
            ("client_id", HandshakeFault::ClientIdMissing),
            ("client_secret", HandshakeFault::ClientSecretMissing),
        ] {
            let names = ["code", "code_verifier", "client_id", "client_secret"];
            let others = names.iter().filter(|name| **name != field);
            let body: Vec<String> = others.map(|name| format!("{name}=x")).collect();
            assert_eq!(faulty(FORM, &body.join("&")).exchange.fault, fault, "{field}");
        }
        let fault = |body: &str| faulty(FORM, body).exchange.fault;
        assert_eq!(fault("code=a&code=b"), HandshakeFault::FieldRepeated);
        assert_eq!(fault("code=a&grant_type=password"), HandshakeFault::GrantTypeUnsupported);
        assert_eq!(faulty("text/plain", "x").exchange.fault, HandshakeFault::RequestUnreadable);
    }

    #[test]
    fn a_repeated_field_is_reported_and_a_value_of_another_type_is_missing() {
        let twice = faulty(JSON, r#"{"code": "a", "client_id": "b", "code": "c"}"#);
        assert_eq!(twice.why, "code is repeated.");
        assert_eq!(twice.exchange.codes.len(), 2);
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
