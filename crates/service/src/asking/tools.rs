//! The tools that are offered to a model, and their effects.

use super::arguments::{arguments, mismatch};
use super::look_ups::look_up;
use super::prompt::data;
use super::{AskingDeps, ModelQuestion, UsableTemplate};
use api_types::agent_turn::AgentAnswerBody;
use api_types::object::Object;
use api_types::send::SendMessageBody;
use domain::agent::{MAX_ANSWER_MESSAGES, MAX_HAND_OVER_LENGTH, given_facts, search_facts};
use domain::content::ContentType;
use domain::id::ConversationId;
use domain::keyword::Keyword as _;
use serde_json::{Value, json};
use std::time::Duration;

/// Maximum number of bytes of the facts that a search returns.
const MAX_FOUND_BYTES: usize = 8 * 1024;

pub(super) fn offered(question: &ModelQuestion<'_>) -> Vec<Value> {
    if !question.connection.has_tools {
        return Vec::new();
    }
    let text = |what: &str| json!({"type": "string", "description": what});
    let mut tools = vec![
        tool(
            "hand_over",
            "Hand the conversation over to a person of the business. Nothing else is sent.",
            &json!({"type": "object", "properties": {
                "reason": text("Why a person is needed."),
                "summary": text("What the person needs to know."),
            }, "required": ["reason"]}),
        ),
        tool(
            "no_reply",
            "Send nothing, because no answer is needed.",
            &json!({"type": "object", "properties": {}}),
        ),
    ];
    if !given_facts(&question.knowledge.facts).1.is_empty() {
        tools.push(tool(
            "search_facts",
            "Find facts about the business by words.",
            &json!({"type": "object", "properties": {
                "query": text("Words that the fact has."),
            }, "required": ["query"]}),
        ));
    }
    let templates = &question.knowledge.templates;
    // A draft contains only text, so a template cannot be part of it.
    if question.is_sent && !templates.is_empty() {
        let names: Vec<String> = templates.iter().map(title).collect();
        let described: Vec<String> = templates.iter().map(described).collect();
        tools.push(tool(
            "send_template",
            &format!(
                "Send a prepared message before your answer. The messages: {}",
                described.join(" ")
            ),
            &json!({"type": "object", "properties": {
                "template": {"type": "string", "enum": names},
                "parameters": {
                    "type": "array",
                    "items": {"type": "string"},
                    "description": "The values of {{1}}, {{2}} and so on, in order.",
                },
            }, "required": ["template"]}),
        ));
    }
    for it in &question.knowledge.look_ups {
        // The schema was checked when the look-up was saved.
        let schema: Value = serde_json::from_str(&it.look_up.parameters).ok().unwrap_or_default();
        tools.push(tool(&it.look_up.name, &it.look_up.description, &schema));
    }
    tools
}

fn tool(name: &str, description: &str, parameters: &Value) -> Value {
    json!({"type": "function", "function": {
        "name": name, "description": description, "parameters": parameters,
    }})
}

/// Returns the name by which the model calls a template.
fn title(template: &UsableTemplate) -> String {
    format!("{} ({})", template.name, template.language)
}

fn described(template: &UsableTemplate) -> String {
    let components: Value = serde_json::from_str(&template.components).ok().unwrap_or_default();
    let parts = components.as_array().into_iter().flatten();
    let body = parts.filter(|it| {
        it.get("type").and_then(Value::as_str).is_some_and(|kind| kind.eq_ignore_ascii_case("body"))
    });
    let text = body.filter_map(|it| it.get("text")?.as_str()).collect::<Vec<_>>().join(" ");
    format!("{}: “{text}”.", title(template))
}

/// The result of a tool call that ends the turn.
pub(super) enum Ending {
    HandOver(AgentAnswerBody),
    NoReply,
}

/// Returns how a call ends the turn, or `None` if it does not end the turn.
pub(super) fn ending(call: &Value) -> Option<Ending> {
    let arguments = arguments(call)?;
    let text = |name: &str| {
        let text = arguments.get(name).and_then(Value::as_str);
        text.map(shortened).filter(|it| !it.trim().is_empty())
    };
    match name(call) {
        "hand_over" => {
            Some(Ending::HandOver(AgentAnswerBody::handing_over(text("reason"), text("summary"))))
        }
        "no_reply" => Some(Ending::NoReply),
        _ => None,
    }
}

fn shortened(text: &str) -> String {
    text.chars().take(MAX_HAND_OVER_LENGTH).collect()
}

/// Returns the name of the tool that is called.
pub(super) fn name(call: &Value) -> &str {
    call.pointer("/function/name").and_then(Value::as_str).unwrap_or_default()
}

/// Performs a call that does not end the turn. Adds templates to `messages`. Returns the text for
/// the model.
pub(super) async fn perform(
    deps: AskingDeps<'_>,
    question: &ModelQuestion<'_>,
    call: &Value,
    messages: &mut Vec<Object<SendMessageBody>>,
    room: Duration,
) -> String {
    let Some(arguments) = arguments(call) else {
        return "The arguments are not a JSON object.".to_owned();
    };
    let name = name(call);
    let offered = offered(question);
    let schema = offered.iter().find(|it| it.pointer("/function/name") == Some(&json!(name)));
    let Some(schema) = schema.and_then(|it| it.pointer("/function/parameters")) else {
        return no_such_tool(&offered);
    };
    if let Some(wrong) = mismatch(schema, &arguments) {
        return format!("The tool was not used: {wrong}.");
    }
    match name {
        "search_facts" => {
            let query = arguments.get("query").and_then(Value::as_str).unwrap_or_default();
            found_facts(question, query)
        }
        "send_template" => match add_template(question, &arguments, messages) {
            Ok(()) => "The message is sent before your answer.".to_owned(),
            Err(why) => format!("The message is not sent: {why}."),
        },
        _ => {
            let look_ups = &question.knowledge.look_ups;
            let Some(ready) = look_ups.iter().find(|it| it.look_up.name == name) else {
                return no_such_tool(&offered);
            };
            match look_up(deps, question, ready, arguments, room).await {
                Ok(answer) => data(&answer),
                Err(why) => why,
            }
        }
    }
}

fn no_such_tool(offered: &[Value]) -> String {
    let names = offered.iter().filter_map(|it| it.pointer("/function/name")?.as_str());
    format!("There is no such tool. The tools are: {}.", names.collect::<Vec<_>>().join(", "))
}

fn found_facts(question: &ModelQuestion<'_>, query: &str) -> String {
    let mut text = String::new();
    for fact in search_facts(&question.knowledge.facts, query) {
        let room = MAX_FOUND_BYTES.saturating_sub(text.len());
        let part: String = format!("# {}\n{}\n", fact.title, fact.text)
            .char_indices()
            .take_while(|(at, _)| *at < room)
            .map(|(_, letter)| letter)
            .collect();
        text.push_str(&part);
    }
    if text.is_empty() { "Nothing was found.".to_owned() } else { data(&text) }
}

/// Adds a template to the messages that are sent before the answer.
fn add_template(
    question: &ModelQuestion<'_>,
    arguments: &Value,
    messages: &mut Vec<Object<SendMessageBody>>,
) -> Result<(), String> {
    if messages.len() + 1 >= MAX_ANSWER_MESSAGES {
        return Err("there are too many messages already".to_owned());
    }
    let wanted = arguments.get("template").and_then(Value::as_str).unwrap_or_default();
    let template = question.knowledge.templates.iter().find(|it| title(it) == wanted);
    let template = template.ok_or("there is no such message")?;
    let parameters = arguments.get("parameters").and_then(Value::as_array);
    let values = parameters.into_iter().flatten().filter_map(Value::as_str);
    let values: Vec<Value> = values.map(|it| json!({"type": "text", "text": it})).collect();
    let components = json!([{"type": "body", "parameters": values}]);
    let body = || -> Result<Object<SendMessageBody>, String> {
        let components = if values.is_empty() {
            None
        } else {
            let read = serde_json::from_value(components.clone());
            Some(read.map_err(|error| error.to_string())?)
        };
        Ok(Object(SendMessageBody {
            kind: Some(ContentType::Template.as_str().to_owned()),
            template_name: Some(template.name.clone()),
            language: Some(template.language.clone()),
            components,
            ..SendMessageBody::default()
        }))
    };
    let conversation = question.conversation.unwrap_or(ConversationId::from_bytes([0; 16]));
    if let Err(faults) = AgentAnswerBody::messages(vec![body()?]).parse(conversation) {
        let faults = faults.into_vec();
        let first = faults.first().map(|it| format!("{} {}", it.field, it.message));
        return Err(first.unwrap_or_default());
    }
    messages.push(body()?);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_two_tools_end_a_turn() {
        let call = |name: &str, arguments: Value| json!({"id": "1", "function": {"name": name, "arguments": arguments}});
        let reason = json!(r#"{"reason": "Refund"}"#);
        for arguments in [reason.clone(), json!({"reason": "Refund"})] {
            assert!(matches!(ending(&call("hand_over", arguments)), Some(Ending::HandOver(_))));
        }
        assert!(matches!(ending(&call("no_reply", json!(""))), Some(Ending::NoReply)));
        assert!(matches!(ending(&call("no_reply", Value::Null)), Some(Ending::NoReply)));
        assert!(ending(&call("hand_over", json!("not JSON"))).is_none());
        assert!(ending(&call("delete_everything", reason)).is_none());
    }
}
