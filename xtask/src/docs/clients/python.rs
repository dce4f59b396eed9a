//! The generated files of the Python client.

use super::document::{
    ClientDocument, ClientOperation, Field, JsonType, PagingKind, RequestBody, camel_case,
};
use serde_json::Value;

const HEAD: &str = "# Generated from the OpenAPI document by `cargo xtask docs`. Do not edit.\n";

/// The beginning of the file of types.
const TYPES_HEAD: &str = r#""""The JSON of the API, as dictionaries with known keys."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict, Union, final


"#;

/// The beginning of the file of operations, up to the first one.
const OPERATIONS_HEAD: &str = r#""""The calls of the API."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, cast
from urllib.parse import quote

from . import types


class Operations:
    """The calls of the API."""

    def _request(
        self,
        method: str,
        path: str,
        *,
        query: dict[str, Any] | None = None,
        body: Any = None,
        is_idempotent: bool = False,
        idempotency_key: str | None = None,
        is_file: bool = False,
    ) -> Any:
        raise NotImplementedError

    def _pages(self, parameter: str, path: str, query: dict[str, Any]) -> Iterator[Any]:
        raise NotImplementedError
"#;

/// The reserved words of Python, which cannot name a field or a parameter.
const KEYWORDS: [&str; 35] = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue",
    "def", "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import",
    "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while",
    "with", "yield",
];

/// The declarations of a Python module, in order.
#[derive(Default)]
struct Declarations(Vec<String>);

/// Returns the types of the document.
pub fn types(document: &ClientDocument) -> String {
    let mut declarations = Declarations::default();
    for named in &document.types {
        declarations.declare(&named.name, &named.json_type, &named.description);
    }
    format!("{HEAD}{TYPES_HEAD}{}", declarations.0.join("\n\n"))
}

/// Returns the calls of the API.
pub fn operations(document: &ClientDocument) -> String {
    let mut parts = vec![format!("{HEAD}{OPERATIONS_HEAD}")];
    for operation in &document.operations {
        parts.push(method(operation));
    }
    parts.concat()
}

impl Declarations {
    /// Declares a named type, after the types of the objects in it.
    fn declare(&mut self, name: &str, json_type: &JsonType, description: &str) {
        let text = match json_type {
            JsonType::Object(fields) => self.object(name, fields, description),
            other => {
                let mut parts = vec![format!("{name} = {}\n", self.union(name, other))];
                if !description.is_empty() {
                    parts.push(docstring(description, ""));
                }
                parts.concat()
            }
        };
        self.0.push(text);
    }

    fn object(&mut self, name: &str, fields: &[Field], description: &str) -> String {
        let typed: Vec<(&Field, String)> = fields
            .iter()
            .map(|field| {
                let within = format!("{name}{}", camel_case(&field.name, true));
                let inner = self.expression(&within, &field.json_type);
                let shown = if field.is_required { inner } else { format!("NotRequired[{inner}]") };
                (field, shown)
            })
            .collect();
        if fields.iter().any(|field| !is_name(&field.name)) {
            let entries =
                typed.iter().map(|(field, it)| format!("    {:?}: {it:?},\n", field.name));
            let entries: String = entries.collect();
            return format!(
                "{name} = TypedDict({name:?}, {{\n{entries}}})\n{}",
                docstring(description, "")
            );
        }
        let mut parts = vec![format!("@final\nclass {name}(TypedDict):\n")];
        parts.push(docstring(description, "    "));
        for (field, shown) in typed {
            parts.push(format!("    {}: {shown}\n", field.name));
            parts.push(docstring(&field.description, "    "));
        }
        parts.concat()
    }

    /// Returns the type for an annotation, which Python does not evaluate.
    fn expression(&mut self, within: &str, json_type: &JsonType) -> String {
        match json_type {
            JsonType::Text => "str".to_owned(),
            JsonType::Integer => "int".to_owned(),
            JsonType::Number => "float".to_owned(),
            JsonType::Boolean => "bool".to_owned(),
            JsonType::Null => "None".to_owned(),
            JsonType::Anything => "Any".to_owned(),
            JsonType::Literals(values) => literals(values),
            JsonType::Reference(name) => name.clone(),
            JsonType::List(entry) => format!("list[{}]", self.expression(within, entry)),
            JsonType::Map(value) => format!("dict[str, {}]", self.expression(within, value)),
            JsonType::Object(fields) => {
                let text = self.object(within, fields, "");
                self.0.push(text);
                within.to_owned()
            }
            JsonType::OneOf(branches) => {
                let branches = branches.iter().map(|it| self.expression(within, it));
                branches.collect::<Vec<_>>().join(" | ")
            }
        }
    }

    /// Returns the type for an alias. Python evaluates an alias at once, so names of later types
    /// are quoted.
    fn union(&mut self, name: &str, json_type: &JsonType) -> String {
        match json_type {
            JsonType::OneOf(branches) => {
                let branches: Vec<String> = branches
                    .iter()
                    .map(|it| format!("\"{}\"", self.expression(name, it)))
                    .collect();
                format!("Union[{}]", branches.join(", "))
            }
            JsonType::Reference(target) => format!("\"{target}\""),
            other => self.expression(name, other),
        }
    }
}

fn method(operation: &ClientOperation) -> String {
    let name = &operation.id;
    let mut positional = vec!["self".to_owned()];
    positional.extend(operation.path_parameters.iter().map(|it| format!("{}: str", parameter(it))));
    let mut path = operation.path.clone();
    for it in &operation.path_parameters {
        path =
            path.replace(&format!("{{{it}}}"), &format!("{{quote({}, safe='')}}", parameter(it)));
    }
    let prefix = if operation.path_parameters.is_empty() { "" } else { "f" };
    let path = format!("{prefix}\"{path}\"");
    let mut arguments = vec![format!("\"{}\"", operation.method), path.clone()];
    if let Some(RequestBody { type_name, is_required }) = &operation.body {
        let optional = if *is_required { "" } else { " | None = None" };
        positional.push(format!("body: types.{type_name}{optional}"));
        arguments.push(if *is_required { "body=body" } else { "body=body or {}" }.to_owned());
    }
    let mut named: Vec<String> = operation.query.iter().map(query_parameter).collect();
    let entries =
        operation.query.iter().map(|it| format!("{:?}: {}", it.name, parameter(&it.name)));
    let query = format!("{{{}}}", entries.collect::<Vec<_>>().join(", "));
    if !operation.query.is_empty() {
        arguments.push(format!("query={query}"));
    }
    if operation.takes_idempotency_key {
        named.push("idempotency_key: str | None = None".to_owned());
        arguments.push("is_idempotent=True, idempotency_key=idempotency_key".to_owned());
    }
    if operation.reply.is_none() {
        arguments.push("is_file=True".to_owned());
    }
    let reply = match &operation.reply {
        Some(name) => format!("types.{name}"),
        None => "bytes".to_owned(),
    };
    let signature = signature(&positional, &named);
    let description = format!("{}\n\n{}", operation.summary, operation.description);
    let mut parts = vec![format!("\n    def {name}({signature}) -> {reply}:\n")];
    parts.push(docstring(&description, "        "));
    let arguments = arguments.join(", ");
    parts.push(format!("        return cast({reply}, self._request({arguments}))\n"));
    if let Some(paging) = &operation.paging {
        let parameter = match paging.kind {
            PagingKind::Position => "after",
            PagingKind::Offset => "offset",
        };
        let entry = match &paging.entry {
            JsonType::Reference(entry) => format!("types.{entry}"),
            _ => "Any".to_owned(),
        };
        parts.push(format!("\n    def {}({signature}) -> Iterator[{entry}]:\n", paging.iterator));
        parts.push(format!(
            "        \"\"\"Iterates over all entries of `{name}`, page by page.\"\"\"\n"
        ));
        parts.push(format!("        return self._pages(\"{parameter}\", {path}, {query})\n"));
    }
    parts.concat()
}

fn signature(positional: &[String], named: &[String]) -> String {
    let mark = if named.is_empty() { None } else { Some("*".to_owned()) };
    let all = positional.iter().cloned().chain(mark).chain(named.iter().cloned());
    all.collect::<Vec<_>>().join(", ")
}

fn query_parameter(field: &Field) -> String {
    // The type of a query parameter is never an inline object, so no type has to be declared.
    let mut none = Declarations::default();
    let shown = none.expression("", &field.without_null());
    let shown = match field.json_type {
        JsonType::Reference(_) => format!("types.{shown}"),
        _ => shown,
    };
    format!("{}: {shown} | None = None", parameter(&field.name))
}

fn literals(values: &[Value]) -> String {
    let value = |value: &Value| match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        other => other.to_string(),
    };
    format!("Literal[{}]", values.iter().map(value).collect::<Vec<_>>().join(", "))
}

fn is_name(name: &str) -> bool {
    name.starts_with(|it: char| it.is_ascii_alphabetic() || it == '_')
        && name.chars().all(|it| it.is_ascii_alphanumeric() || it == '_')
        && !KEYWORDS.contains(&name)
}

fn parameter(name: &str) -> String {
    if is_name(name) { name.to_owned() } else { format!("{}_", name.replace('-', "_")) }
}

fn docstring(text: &str, indent: &str) -> String {
    let text = text.trim().replace('\\', "\\\\").replace("\"\"\"", "'''");
    if text.is_empty() {
        return String::new();
    }
    let end = if text.ends_with('"') { " " } else { "" };
    let mut lines = text.lines().map(str::trim_end);
    let first = lines.next().unwrap_or_default();
    let rest: Vec<&str> = lines.collect();
    if rest.is_empty() {
        return format!("{indent}\"\"\"{first}{end}\"\"\"\n");
    }
    let rest = rest.iter().map(|line| {
        let line = format!("{indent}{line}");
        format!("{}\n", line.trim_end())
    });
    format!("{indent}\"\"\"{first}\n{}{indent}\"\"\"\n", rest.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn nested_objects_and_odd_names_have_declarations_of_their_own() {
        let document = json!({
            "components": {"schemas": {
                "Both": {"oneOf": [{"$ref": "#/components/schemas/Other"}, {"type": "null"}], "description": "Either."},
                "Other": {"type": "object", "required": ["type"], "properties": {
                    "type": {"const": "other"},
                    "place": {"type": ["object", "null"], "properties": {"name": {"type": "string", "description": "A \\ in \"it\""}}},
                }},
                "Odd": {"type": "object", "properties": {"from": {"type": "string"}}},
            }},
            "paths": {},
        });
        let text = types(&ClientDocument::parse(&document).unwrap());
        assert!(
            text.contains("Both = Union[\"Other\", \"None\"]\n\"\"\"Either.\"\"\"\n"),
            "{text}"
        );
        assert!(text.contains("class OtherPlace(TypedDict):\n    name: NotRequired[str]\n    \"\"\"A \\\\ in \"it\" \"\"\"\n"), "{text}");
        assert!(
            text.contains(
                "    type: Literal[\"other\"]\n    place: NotRequired[OtherPlace | None]\n"
            ),
            "{text}"
        );
        assert!(
            text.contains("Odd = TypedDict(\"Odd\", {\n    \"from\": \"NotRequired[str]\",\n})"),
            "{text}"
        );
    }
}
