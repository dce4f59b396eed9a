//! Decodes a body or a query string, and finds every violation, not just the first.

use super::body::InputBody;
use api_types::object::Object;
use domain::violation::{Fault, Field, Violations};
use http_layer::problem::Problem;
use schemars::{JsonSchema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde_json::error::Category;
use serde_json::{Map, Value};
use serde_path_to_error::Segment;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// The query parameters that are not strings. A query string does not show the types, so they are
/// taken from the schema. The schema is generated when the first query arrives, so that startup
/// generates none.
#[derive(Debug)]
pub struct Shape(LazyLock<Kinds>);

/// The names of the parameters that are numbers or booleans. All others are strings.
#[derive(Debug, Default)]
struct Kinds {
    numbers: BTreeSet<String>,
    booleans: BTreeSet<String>,
}

impl Shape {
    #[must_use]
    pub const fn new<T: JsonSchema>() -> Self {
        Self(LazyLock::new(Kinds::new::<T>))
    }
}

impl Kinds {
    fn new<T: JsonSchema>() -> Self {
        let mut kinds = Self::default();
        let schema = SchemaGenerator::default().into_root_schema_for::<T>();
        let fields = schema.get("properties").and_then(Value::as_object);
        for (name, field) in fields.into_iter().flatten() {
            let of_field = field.get("type").map(Value::to_string).unwrap_or_default();
            if of_field.contains("integer") || of_field.contains("number") {
                kinds.numbers.insert(name.clone());
            }
            if of_field.contains("boolean") {
                kinds.booleans.insert(name.clone());
            }
        }
        kinds
    }
}

/// Returns the decoded input and the violations that decoding found. Fields that could not be
/// decoded are left out of the input, so that the others can still be validated.
pub fn input<T: DeserializeOwned + Default>(
    body: &InputBody,
    shape: &Shape,
) -> Result<(T, Violations), Problem> {
    match body {
        // Only inputs with their own decoder are received on the disk.
        InputBody::OnDisk(..) => Err(Problem::internal("a body on the disk reached the decoder")),
        InputBody::Absent => Ok((T::default(), Violations::default())),
        InputBody::Json(bytes) => json(bytes),
        InputBody::Query(text) => query(text, shape),
    }
}

/// Decodes a JSON object. Returns its value and the violations, like [`input`].
pub fn json<T: DeserializeOwned + Default>(bytes: &[u8]) -> Result<(T, Violations), Problem> {
    let mut unknown = false;
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let read = serde_ignored::deserialize(&mut reader, |_| unknown = true);
    let read = read.and_then(|Object(value): Object<T>| reader.end().map(|()| value));
    // An escaped NUL is valid JSON, but no database accepts it.
    let nul = bytes.windows(6).any(|window| window == b"\\u0000");
    let read = match read {
        Ok(value) if !unknown && !nul => return Ok((value, Violations::default())),
        Ok(value) => Some(value),
        Err(error) if error.classify() == Category::Data => None,
        Err(error) => return Err(Problem::invalid_json(&error.to_string())),
    };
    let value: Value =
        serde_json::from_slice(bytes).map_err(|error| Problem::invalid_json(&error.to_string()))?;
    let Value::Object(fields) = value else {
        let mut faults = Violations::default();
        faults.add(&Field::root(""), Fault::WrongType, "the body must be a JSON object");
        return Err(faults.into());
    };
    let (value, faults) = field_by_field(fields)?;
    if faults.is_empty() && read.is_none() {
        // Only a repeated field leads here. The map contains each field once, so it was decoded
        // without a fault.
        return Err(Problem::invalid_json("a field is repeated"));
    }
    Ok((value, faults))
}

/// Maximum number of faults within fields that are located one by one, because each needs the whole
/// body to be decoded again. After that, a field is removed as a whole.
const MAX_FIELD_FAULTS: usize = 16;

/// Removes values that cannot be decoded until the rest can be, and adds a violation for each.
fn field_by_field<T: DeserializeOwned>(
    mut fields: Map<String, Value>,
) -> Result<(T, Violations), Problem> {
    let mut faults = Violations::default();
    let holding_nul: Vec<String> = fields
        .iter()
        .filter(|(name, value)| has_nul(value) || name.contains('\0'))
        .map(|(name, _)| name.clone())
        .collect();
    for name in holding_nul {
        fields.remove(&name);
        let name = name.replace('\0', "\u{fffd}");
        faults.add(&Field::root(&name), Fault::InvalidFormat, "must not contain the character NUL");
    }
    let (mut value, mut inner_left) = (Value::Object(fields), MAX_FIELD_FAULTS);
    loop {
        let mut unknown = Vec::new();
        let mut track = serde_path_to_error::Track::new();
        let reader = serde_path_to_error::Deserializer::new(&value, &mut track);
        let read = serde_ignored::deserialize(reader, |path| unknown.push(path.to_string()));
        match read {
            Ok(Object(read)) => {
                for path in unknown {
                    let message = advice_on_unknown(&path);
                    faults.add(&Field::root(&normalized_path(&path)), Fault::UnknownField, message);
                }
                return Ok((read, faults));
            }
            Err(error) => {
                let error: serde_json::Error = error;
                let path = track.path();
                let steps: Vec<&Segment> = path.iter().collect();
                let is_out = inner_left > 0 && take_out(&mut value, &steps);
                inner_left = inner_left.saturating_sub(1);
                if !is_out && !take_out(&mut value, steps.get(..1).unwrap_or_default()) {
                    return Err(Problem::invalid_json(&error.to_string()));
                }
                faults.add(&Field::root(&path.to_string()), Fault::WrongType, type_needed(&error));
            }
        }
    }
}

/// Returns advice on an unknown field. Meta also identifies an uploaded file by its id. This API
/// identifies it by its URL.
fn advice_on_unknown(path: &str) -> &'static str {
    let mut steps = path.rsplit('.').filter(|step| *step != "?");
    match (steps.next(), steps.next()) {
        (Some("id"), Some("image" | "video" | "gif" | "document" | "audio" | "sticker")) => {
            "unknown field; use link, with the url that POST /media returned"
        }
        (Some("media_id"), _) => {
            "unknown field; use media_url, with the url that POST /media returned"
        }
        _ => "unknown field; check its spelling",
    }
}

/// Returns the type that a field must have, in terms of JSON. Serde's message names Rust types.
fn type_needed(error: &serde_json::Error) -> String {
    let sentence = error.to_string();
    let Some((_, expected)) = sentence.rsplit_once(", expected ") else { return sentence };
    let needed = match expected {
        "f32" | "f64" => "a number",
        "i8" | "i16" | "i32" | "i64" => "an integer",
        "u8" | "u16" | "u32" | "u64" | "usize" => "an integer, 0 or more",
        "a sequence" => "an array",
        "a map" => "an object",
        object if object.starts_with("struct ") => "an object",
        other => other,
    };
    format!("must be {needed}")
}

/// Removes the innermost field of a path. An entry of a list is removed with its list, because the
/// other entries would otherwise get other indexes. Returns whether there was such a field.
fn take_out(value: &mut Value, path: &[&Segment]) -> bool {
    let field = path.iter().rposition(|step| matches!(step, Segment::Map { .. }));
    let Some((parents, [Segment::Map { key }, ..])) = field.map(|at| path.split_at(at)) else {
        return false;
    };
    let mut place = Some(value);
    for step in parents {
        place = match step {
            Segment::Map { key } => place.and_then(|it| it.get_mut(key)),
            Segment::Seq { index } => place.and_then(|it| it.get_mut(*index)),
            Segment::Enum { .. } | Segment::Unknown => None,
        };
    }
    let fields = place.and_then(Value::as_object_mut);
    fields.is_some_and(|fields| fields.remove(key).is_some())
}

/// Converts a path of `serde_ignored`, such as `a.0.?.b`, to the form `a[0].b`.
fn normalized_path(path: &str) -> String {
    let mut out = String::new();
    for step in path.split('.').filter(|step| *step != "?") {
        if !out.is_empty() && step.bytes().all(|b| b.is_ascii_digit()) {
            out.extend(["[", step, "]"]);
        } else {
            if !out.is_empty() {
                out.push('.');
            }
            out.push_str(step);
        }
    }
    out
}

fn has_nul(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('\0'),
        Value::Array(items) => items.iter().any(has_nul),
        Value::Object(fields) => {
            fields.iter().any(|(name, value)| name.contains('\0') || has_nul(value))
        }
        _ => false,
    }
}

fn query<T: DeserializeOwned>(text: &str, shape: &Shape) -> Result<(T, Violations), Problem> {
    let unreadable = |_| Problem::bad_request("The query string cannot be parsed.");
    let pairs: Vec<(String, String)> = serde_urlencoded::from_str(text).map_err(unreadable)?;
    let mut fields = Map::new();
    let mut twice = Violations::default();
    for (name, text) in pairs {
        let number = shape.0.numbers.contains(&name).then(|| text.parse::<i64>().ok()).flatten();
        let truth = shape.0.booleans.contains(&name).then(|| text.parse::<bool>().ok()).flatten();
        let value = number.map(Value::from).or(truth.map(Value::from));
        let value = value.unwrap_or(Value::String(text));
        if fields.insert(name.clone(), value).is_some() {
            twice.add(&Field::root(&name), Fault::Duplicate, "the parameter is repeated");
        }
    }
    let (value, mut faults) = field_by_field(fields)?;
    faults.append(twice);
    Ok((value, faults))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde::Deserialize;

    #[derive(Debug, Default, Deserialize, JsonSchema)]
    struct DecodedSample {
        name: Option<String>,
        limit: Option<i64>,
        #[serde(rename = "inner")]
        _inner: Option<Inner>,
    }

    #[derive(Debug, Default, Deserialize, JsonSchema)]
    struct Inner {
        #[serde(rename = "list")]
        _list: Option<Vec<SampleEntry>>,
    }

    #[derive(Debug, Default, Deserialize, JsonSchema)]
    struct SampleEntry {
        #[serde(rename = "title")]
        _title: Option<String>,
    }

    fn faults(text: &str) -> Vec<(String, Fault)> {
        let (_, faults) = json::<DecodedSample>(text.as_bytes()).unwrap();
        faults.into_vec().into_iter().map(|v| (v.field, v.fault)).collect()
    }

    #[test]
    fn every_fault_is_found_and_the_rest_is_read() {
        let text = r#"{"name": 5, "limit": "x", "nmae": "a", "inner": {"list": [{"titel": "b"}]}}"#;
        let expected = [
            ("limit", Fault::WrongType),
            ("name", Fault::WrongType),
            ("inner.list[0].titel", Fault::UnknownField),
            ("nmae", Fault::UnknownField),
        ];
        let expected: Vec<_> = expected.map(|(field, fault)| (field.to_owned(), fault)).into();
        let mut found = faults(text);
        found.sort_by_key(|(field, fault)| (*fault == Fault::UnknownField, field.clone()));
        assert_eq!(found, expected);
        let (value, _) = json::<DecodedSample>(br#"{"name": "a", "limit": "x"}"#).unwrap();
        assert_eq!(value.name.as_deref(), Some("a"));
    }

    #[test]
    fn a_wrong_type_is_said_in_the_words_of_json() {
        let text = r#"{"name": 5, "limit": "x", "inner": {"list": 1}}"#;
        let (_, faults) = json::<DecodedSample>(text.as_bytes()).unwrap();
        let mut said: Vec<_> =
            faults.into_vec().into_iter().map(|v| (v.field, v.message)).collect();
        said.sort();
        let must =
            ["must be an array", "must be an integer", "must be a string"].map(str::to_owned);
        let fields = ["inner.list", "limit", "name"].map(str::to_owned);
        assert_eq!(said, fields.into_iter().zip(must).collect::<Vec<_>>());
    }

    #[test]
    fn a_file_that_is_named_by_its_id_is_told_the_field_for_urls() {
        for (path, field) in [
            ("interactive.header.?.image.?.id", "use link"),
            ("components.0.parameters.1.document.id", "use link"),
            ("media_id", "use media_url"),
            ("id", "check its spelling"),
            ("interactive.action.id", "check its spelling"),
            ("image.identity", "check its spelling"),
        ] {
            assert!(advice_on_unknown(path).contains(field), "{path}");
        }
    }

    #[test]
    fn a_fault_within_a_field_hides_no_other_in_it() {
        let text =
            r#"{"inner": {"list": [{"title": 5}, {"title": "a"}, {"title": true}], "x": 1}}"#;
        let mut found: Vec<String> = faults(text).into_iter().map(|(field, _)| field).collect();
        found.sort();
        assert_eq!(found, ["inner.list[0].title", "inner.list[2].title", "inner.x"]);
        let text = r#"{"inner": {"list": ["a", {"title": 5}]}, "limit": "x"}"#;
        let mut found: Vec<String> = faults(text).into_iter().map(|(field, _)| field).collect();
        found.sort();
        assert_eq!(found, ["inner.list[0]", "limit"]);
    }

    #[test]
    fn a_body_of_nothing_but_inner_faults_is_read_a_few_times_only() {
        let entries = vec![r#"{"title": 5}"#; 50_000].join(",");
        let found = faults(&format!(r#"{{"inner": {{"list": [{entries}]}}}}"#));
        assert_eq!(found.len(), MAX_FIELD_FAULTS + 1);
    }

    #[test]
    fn what_is_no_json_is_no_fault_of_a_field() {
        for text in
            ["", "{", "{} x", "{\"name\": \"\u{1}\"}", "[1", "{\"name\":\"a\",\"name\":\"b\"}"]
        {
            assert!(json::<DecodedSample>(text.as_bytes()).is_err(), "{text}");
        }
        assert!(json::<DecodedSample>(b"{\"name\": \"\xff\"}").is_err());
        assert!(json::<DecodedSample>("[".repeat(100_000).as_bytes()).is_err());
    }

    #[test]
    fn an_escaped_nul_is_a_fault() {
        assert_eq!(faults(r#"{"name": "a\u0000b"}"#), [("name".to_owned(), Fault::InvalidFormat)]);
        let (escaped, faults) = json::<DecodedSample>(br#"{"name": "a\\u0000b"}"#).unwrap();
        assert!(faults.is_empty());
        assert_eq!(escaped.name.as_deref(), Some("a\\u0000b"));
    }

    proptest! {
        /// All bytes are decoded, or rejected as the caller's fault. The input never contains a
        /// NUL.
        #[test]
        fn whatever_comes_is_read_or_refused(
            text in "(\\{\"(name|limit|inner|list|title|\\\\u0000)\":|\\[|\"(\\\\u0000|\\\\ud800|é|a)?\"|-?[0-9]{1,22}|[\\]},]){0,14}|\\PC{0,40}",
            bytes: Vec<u8>,
        ) {
            for body in [text.into_bytes(), bytes] {
                match json::<DecodedSample>(&body) {
                    Ok((read, faults)) => {
                        prop_assert!(!read.name.unwrap_or_default().contains('\0'));
                        prop_assert!(faults.into_vec().iter().all(|it| !it.field.contains('\0')));
                    }
                    Err(problem) => prop_assert!(problem.code.status().is_client_error()),
                }
            }
        }

        #[test]
        fn whatever_is_asked_is_read_or_refused(text in "((name|limit|inner|x)?=[a-z0-9%+-]{0,20}&?){0,6}|[ -~]{0,40}") {
            match query::<DecodedSample>(&text, &Shape::new::<DecodedSample>()) {
                Ok((read, _)) => prop_assert!(!read.name.unwrap_or_default().contains('\0')),
                Err(problem) => prop_assert!(problem.code.status().is_client_error()),
            }
        }
    }

    #[test]
    fn a_query_knows_numbers_by_the_schema() {
        let shape = Shape::new::<DecodedSample>();
        let (value, faults) = query::<DecodedSample>("name=5&limit=7", &shape).unwrap();
        assert!(faults.is_empty());
        assert_eq!(value.name.as_deref(), Some("5"));
        assert_eq!(value.limit, Some(7));
        let (_, faults) = query::<DecodedSample>("limit=seven&limit=8&x=1", &shape).unwrap();
        assert_eq!(faults.len(), 2);
    }
}
