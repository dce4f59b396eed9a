//! The generated files of the TypeScript client.

use super::document::{
    ClientDocument, ClientOperation, Field, JsonType, PagingKind, RequestBody, camel_case,
};
use std::fmt::Write as _;

const HEAD: &str = "// Generated from the OpenAPI document by `cargo xtask docs`. Do not edit.\n\n";

/// The beginning of the file of operations, up to the first one.
const OPERATIONS_HEAD: &str = r#"import type * as types from "./types.js";

/** Options of each call. */
export interface CallOptions {
  /** Cancels the call. */
  signal?: AbortSignal;
}

/** Options of a call that is not done twice. */
export interface PostOptions extends CallOptions {
  /** Identifies the call, so that a repeated one gets the first answer. By default a random value. */
  idempotencyKey?: string;
}

/** A call of the API. */
export interface ApiCall {
  method: string;
  path: string;
  query?: object;
  body?: unknown;
  /** Whether the call takes an `Idempotency-Key`. */
  isIdempotent?: boolean;
  /** Whether the answer is a file. */
  isFile?: boolean;
  options: PostOptions;
}

/** A page of a list. */
export interface Page<T> {
  data: T[];
  has_more?: boolean;
  next_after?: string | number | null;
  pagination?: { has_more: boolean; next_after?: number; next_offset?: number | null };
}

/** The calls of the API. */
export abstract class Operations {
  protected abstract request<T>(call: ApiCall): Promise<T>;
  protected abstract pages<T>(
    parameter: "after" | "offset",
    query: object,
    list: (query: object) => Promise<Page<T>>,
  ): AsyncGenerator<T, void>;
"#;

/// Returns the types of the document.
pub fn types(document: &ClientDocument) -> String {
    let mut parts = vec![HEAD.to_owned()];
    for named in &document.types {
        parts.push(comment(&named.description, ""));
        match &named.json_type {
            JsonType::Object(fields) => {
                parts.push(format!(
                    "export interface {} {}\n\n",
                    named.name,
                    fields_of(fields, "")
                ));
            }
            other => {
                parts.push(format!("export type {} = {};\n\n", named.name, expression(other, "")));
            }
        }
    }
    for operation in document.operations.iter().filter(|it| !it.query.is_empty()) {
        parts.push(format!("/** The parameters of `{}`. */\n", camel_case(&operation.id, false)));
        let name = query_name(operation);
        parts.push(format!("export interface {name} {}\n\n", fields_of(&operation.query, "")));
    }
    trimmed(&parts.concat())
}

/// Returns the calls of the API.
pub fn operations(document: &ClientDocument) -> String {
    let mut parts = vec![format!("{HEAD}{OPERATIONS_HEAD}")];
    for operation in &document.operations {
        parts.push(method(operation));
    }
    parts.push("}\n".to_owned());
    parts.concat()
}

fn query_name(operation: &ClientOperation) -> String {
    format!("{}Query", camel_case(&operation.id, true))
}

fn method(operation: &ClientOperation) -> String {
    let name = camel_case(&operation.id, false);
    let mut parameters: Vec<String> = operation
        .path_parameters
        .iter()
        .map(|it| format!("{}: string", camel_case(it, false)))
        .collect();
    let mut path = operation.path.clone();
    for parameter in &operation.path_parameters {
        let value = format!("${{encodeURIComponent({})}}", camel_case(parameter, false));
        path = path.replace(&format!("{{{parameter}}}"), &value);
    }
    let quote = if operation.path_parameters.is_empty() { '"' } else { '`' };
    let mut call = format!("method: \"{}\", path: {quote}{path}{quote}", operation.method);
    if !operation.query.is_empty() {
        parameters.push(format!("query: types.{} = {{}}", query_name(operation)));
        call += ", query";
    }
    if let Some(RequestBody { type_name, is_required }) = &operation.body {
        let default = if *is_required { "" } else { " = {}" };
        parameters.push(format!("body: types.{type_name}{default}"));
        call += ", body";
    }
    let options = if operation.takes_idempotency_key {
        call += ", isIdempotent: true";
        "PostOptions"
    } else {
        "CallOptions"
    };
    parameters.push(format!("options: {options} = {{}}"));
    if operation.reply.is_none() {
        call += ", isFile: true";
    }
    let reply = match &operation.reply {
        Some(name) => format!("types.{name}"),
        None => "Uint8Array".to_owned(),
    };
    let parameters = parameters.join(", ");
    let description = format!("{}\n\n{}", operation.summary, operation.description);
    let mut parts = vec![format!("\n{}", comment(&description, "  "))];
    parts.push(format!(
        "  {name}({parameters}): Promise<{reply}> {{\n    return this.request({{ {call}, options }});\n  }}\n"
    ));
    if let Some(paging) = &operation.paging {
        let parameter = match paging.kind {
            PagingKind::Position => "after",
            PagingKind::Offset => "offset",
        };
        let mut arguments: Vec<String> =
            operation.path_parameters.iter().map(|it| camel_case(it, false)).collect();
        arguments.extend(["it".to_owned(), "options".to_owned()]);
        let entry = format!("types.{}", expression(&paging.entry, ""));
        parts.push(format!(
            "\n  /** Iterates over all entries of `{name}`, page by page. */\n  {}({parameters}): AsyncGenerator<{entry}, void> {{\n    return this.pages(\"{parameter}\", query, (it) => this.{name}({}));\n  }}\n",
            camel_case(&paging.iterator, false),
            arguments.join(", "),
        ));
    }
    parts.concat()
}

fn comment(text: &str, indent: &str) -> String {
    let text = text.trim().replace("*/", "*\u{2215}");
    if text.is_empty() {
        return String::new();
    }
    if !text.contains('\n') {
        return format!("{indent}/** {text} */\n");
    }
    let mut comment = format!("{indent}/**\n");
    for line in text.lines() {
        let line = format!("{indent} * {line}");
        // Writing to a string does not fail.
        let _ = writeln!(comment, "{}", line.trim_end());
    }
    comment + indent + " */\n"
}

fn fields_of(fields: &[Field], indent: &str) -> String {
    let inner = format!("{indent}  ");
    let mut parts = vec!["{\n".to_owned()];
    for field in fields {
        let mark = if field.is_required { "" } else { "?" };
        let name = key(&field.name);
        let json_type = expression(&field.json_type, &inner);
        parts.push(comment(&field.description, &inner));
        parts.push(format!("{inner}{name}{mark}: {json_type};\n"));
    }
    parts.concat() + indent + "}"
}

fn key(name: &str) -> String {
    let is_identifier = name.starts_with(|it: char| it.is_ascii_alphabetic() || it == '_')
        && name.chars().all(|it| it.is_ascii_alphanumeric() || it == '_');
    if is_identifier { name.to_owned() } else { format!("{name:?}") }
}

fn expression(json_type: &JsonType, indent: &str) -> String {
    match json_type {
        JsonType::Text => "string".to_owned(),
        JsonType::Integer | JsonType::Number => "number".to_owned(),
        JsonType::Boolean => "boolean".to_owned(),
        JsonType::Null => "null".to_owned(),
        JsonType::Anything => "unknown".to_owned(),
        JsonType::Literals(values) => {
            values.iter().map(ToString::to_string).collect::<Vec<_>>().join(" | ")
        }
        JsonType::Reference(name) => name.clone(),
        JsonType::List(entry) => format!("Array<{}>", expression(entry, indent)),
        JsonType::Map(value) => format!("{{ [key: string]: {} }}", expression(value, indent)),
        JsonType::Object(fields) => fields_of(fields, indent),
        JsonType::OneOf(branches) => {
            branches.iter().map(|it| expression(it, indent)).collect::<Vec<_>>().join(" | ")
        }
    }
}

fn trimmed(text: &str) -> String {
    format!("{}\n", text.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::docs::clients::document::ClientDocument;
    use serde_json::json;

    #[test]
    fn a_list_has_a_call_and_an_iterator() {
        let document = json!({
            "components": {"schemas": {
                "Note": {"type": "object", "properties": {"text": {"type": ["string", "null"]}}, "description": "A note."},
                "NotePage": {"type": "object", "properties": {
                    "data": {"type": "array", "items": {"$ref": "#/components/schemas/Note"}},
                    "next_after": {"type": "string"},
                }},
            }},
            "paths": {"/api/v1/things/{thing_id}/notes": {"get": {
                "operationId": "list_notes", "summary": "Lists.",
                "parameters": [
                    {"name": "thing_id", "in": "path", "schema": {"type": "string"}},
                    {"name": "after", "in": "query", "schema": {"type": "string"}},
                ],
                "responses": {"200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/NotePage"}}}}},
            }}},
        });
        let document = ClientDocument::parse(&document).unwrap();
        let declared = types(&document);
        assert!(
            declared
                .contains("/** A note. */\nexport interface Note {\n  text?: string | null;\n}"),
            "{declared}"
        );
        assert!(
            declared.contains("export interface ListNotesQuery {\n  after?: string;\n}"),
            "{declared}"
        );
        let calls = operations(&document);
        assert!(calls.contains("listNotes(thingId: string, query: types.ListNotesQuery = {}, options: CallOptions = {}): Promise<types.NotePage>"), "{calls}");
        assert!(calls.contains("`/api/v1/things/${encodeURIComponent(thingId)}/notes`"), "{calls}");
        assert!(calls.contains("iterateNotes(thingId: string, "), "{calls}");
        assert!(calls.contains("(it) => this.listNotes(thingId, it, options)"), "{calls}");
    }
}
