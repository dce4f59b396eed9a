//! Facts, look-ups and questions of AI agents (`docs/contract.md#ai-agents`).

use crate::agents::{AgentError, address};
use domain::agent::{
    AgentEntryKind, Expectation, Fact, MAX_FACT_TITLE_LENGTH, MAX_FACTS_BYTES,
    MAX_LOOK_UP_DESCRIPTION_LENGTH, MAX_LOOK_UP_SCHEMA_BYTES, MAX_LOOK_UPS, MAX_PHRASE_LENGTH,
    MAX_QUESTION_LENGTH, MAX_QUESTION_PHRASES, MAX_QUESTIONS, check_look_up_name,
};
use domain::id::{AgentEntryId, AiAgentId, Id, OrganizationId};
use domain::time::Timestamp;
use persistence::Document;
use persistence::content::agent_entries::{
    AgentQuestion, LookUp, decode_fact, decode_question, encode_fact, encode_question,
};
use persistence::records::{AiAgentEntry, EntryBounds, EntryWrite};
use platform::BaseDeps;
use platform::sealing::{Sealing, SealingError};
use reqwest::header::{
    CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, HOST, HeaderName, TRANSFER_ENCODING,
};
use serde_json::Value;

/// Maximum number of facts.
const MAX_FACTS: usize = 500;
/// Bytes for the JSON around the texts of all facts, in addition to the bound of the texts.
const FACT_OVERHEAD_BYTES: usize = 64 * 1024;
/// Maximum number of bytes of all look-ups, and of all questions.
const MAX_ENTRIES_BYTES: usize = 256 * 1024;
/// Maximum number of characters in the value of a look-up's header.
const MAX_HEADER_VALUE_LENGTH: usize = 1000;
/// The schema of a look-up without arguments.
const NO_ARGUMENTS: &str = r#"{"type":"object","properties":{}}"#;

/// An entry with its content.
#[derive(Clone, Debug)]
pub struct StoredEntry<T> {
    pub id: AgentEntryId,
    pub content: T,
    /// Whether the entry has a secret.
    pub has_secret: bool,
    pub updated_at: Timestamp,
}

/// A look-up, as a person enters it.
#[derive(Clone, Debug, Default)]
pub struct LookUpInput<'a> {
    pub name: &'a str,
    pub description: &'a str,
    pub url: &'a str,
    /// The JSON schema of the arguments; empty if there are none.
    pub parameters: &'a str,
    /// The name of the header with the secret; empty if there is none.
    pub header: &'a str,
    /// The value of the header. If it is empty, the stored value for this address and header is
    /// kept.
    pub secret: &'a str,
}

/// Opens the secret of an entry, if it has one.
pub fn open_entry_secret(
    sealing: &Sealing,
    entry: &AiAgentEntry,
) -> Result<Option<String>, SealingError> {
    let owner = owner_of_secret(entry.agent_id, entry.id);
    entry.secret.as_deref().map(|sealed| sealing.open(sealed, &owner)).transpose()
}

fn owner_of_secret(agent: AiAgentId, entry: AgentEntryId) -> String {
    format!("{agent}/{entry}")
}

/// Lists the facts of an agent, the oldest first.
pub async fn list_facts(
    deps: &BaseDeps,
    organization: OrganizationId,
    agent: AiAgentId,
) -> Result<Vec<StoredEntry<Fact>>, AgentError> {
    list_entries(deps, organization, agent, AgentEntryKind::Fact, decode_fact).await
}

pub async fn list_look_ups(
    deps: &BaseDeps,
    organization: OrganizationId,
    agent: AiAgentId,
) -> Result<Vec<StoredEntry<LookUp>>, AgentError> {
    list_entries(deps, organization, agent, AgentEntryKind::LookUp, |it| serde_json::from_str(it))
        .await
}

/// Lists the questions with which the business checks an agent, the oldest first.
pub async fn list_questions(
    deps: &BaseDeps,
    organization: OrganizationId,
    agent: AiAgentId,
) -> Result<Vec<StoredEntry<AgentQuestion>>, AgentError> {
    list_entries(deps, organization, agent, AgentEntryKind::Question, decode_question).await
}

async fn list_entries<T>(
    deps: &BaseDeps,
    organization: OrganizationId,
    agent: AiAgentId,
    kind: AgentEntryKind,
    decode: impl Fn(&str) -> serde_json::Result<T>,
) -> Result<Vec<StoredEntry<T>>, AgentError> {
    let rows = deps.db.organization(organization).list_agent_entries(agent, kind).await?;
    let entry = |row: AiAgentEntry| -> Result<StoredEntry<T>, AgentError> {
        let content = decode(&row.content.0)?;
        let has_secret = row.secret.is_some();
        Ok(StoredEntry { id: row.id, content, has_secret, updated_at: row.updated_at })
    };
    rows.into_iter().map(entry).collect()
}

/// Creates a fact, or replaces the one with this id.
pub async fn write_fact(
    deps: &BaseDeps,
    organization: OrganizationId,
    agent: AiAgentId,
    id: Option<AgentEntryId>,
    title: &str,
    text: &str,
) -> Result<AgentEntryId, AgentError> {
    let title = line("title", title, MAX_FACT_TITLE_LENGTH)?;
    let text = text.trim().replace("\r\n", "\n");
    if text.is_empty() {
        return Err(AgentError::Missing { field: "text" });
    }
    let fact = Fact { title, text };
    let others = list_facts(deps, organization, agent).await?;
    let others = others.iter().filter(|it| Some(it.id) != id).map(|it| it.content.size());
    if others.sum::<usize>().saturating_add(fact.size()) > MAX_FACTS_BYTES {
        return Err(facts_too_large());
    }
    // The exact size of the texts was checked above. Two concurrent writers could both pass
    // that check, so the transaction bounds the size of the JSON, too.
    let bounds = EntryBounds { count: MAX_FACTS, bytes: 2 * MAX_FACTS_BYTES + FACT_OVERHEAD_BYTES };
    let content = encode_fact(&fact)?;
    write_entry(deps, organization, agent, AgentEntryKind::Fact, id, content, None, bounds).await
}

/// Creates a look-up, or replaces the one with this id.
pub async fn write_look_up(
    deps: &BaseDeps,
    organization: OrganizationId,
    agent: AiAgentId,
    id: Option<AgentEntryId>,
    input: &LookUpInput<'_>,
) -> Result<AgentEntryId, AgentError> {
    let name = input.name.trim();
    check_look_up_name(name).map_err(|why| invalid("name", why.to_string()))?;
    let description = line("description", input.description, MAX_LOOK_UP_DESCRIPTION_LENGTH)?;
    let url = address("url", input.url.trim())?;
    let parameters = parse_schema(input.parameters)?;
    let header = parse_header(input.header)?;
    let kind = AgentEntryKind::LookUp;
    let rows = deps.db.organization(organization).list_agent_entries(agent, kind).await?;
    for row in rows.iter().filter(|it| Some(it.id) != id) {
        let other: LookUp = serde_json::from_str(&row.content.0)?;
        if other.name == name {
            return Err(invalid("name", "another look-up has this name"));
        }
    }
    let new_id = id.unwrap_or_else(|| entry_id(deps));
    let secret = match (&header, input.secret.trim()) {
        (None, _) => None,
        (Some(_), "") => {
            let before = rows.iter().find(|it| Some(it.id) == id);
            let kept = before.and_then(|row| {
                let before: LookUp = serde_json::from_str(&row.content.0).ok()?;
                // The secret is kept only for the address and header for which it was entered.
                let is_same = before.url == url && before.header == header;
                row.secret.clone().filter(|_| is_same)
            });
            Some(kept.ok_or(AgentError::Missing { field: "secret" })?)
        }
        (Some(_), secret) => {
            let is_text = secret.bytes().all(|it| it.is_ascii_graphic() || it == b' ');
            if secret.len() > MAX_HEADER_VALUE_LENGTH || !is_text {
                let why = "a value has 1 to 1000 visible ASCII characters";
                return Err(invalid("secret", why));
            }
            Some(seal_entry_secret(deps, agent, new_id, secret)?)
        }
    };
    let look_up = LookUp { name: name.to_owned(), description, url, parameters, header };
    let content = serde_json::to_string(&look_up)?;
    let bounds = EntryBounds { count: MAX_LOOK_UPS, bytes: MAX_ENTRIES_BYTES };
    let row = row(deps, organization, agent, kind, new_id, content, secret);
    write_row(deps, organization, row, id.is_none(), bounds).await
}

/// Creates a question, or replaces the one with this id.
pub async fn write_question(
    deps: &BaseDeps,
    organization: OrganizationId,
    agent: AiAgentId,
    id: Option<AgentEntryId>,
    text: &str,
    expected: Expectation,
) -> Result<AgentEntryId, AgentError> {
    let text = line("text", text, MAX_QUESTION_LENGTH)?;
    for (field, phrases) in [("must", &expected.must), ("must_not", &expected.must_not)] {
        if phrases.len() > MAX_QUESTION_PHRASES {
            let why = format!("at most {MAX_QUESTION_PHRASES} phrases are allowed");
            return Err(invalid(field, why));
        }
        if phrases.iter().any(|it| it.chars().count() > MAX_PHRASE_LENGTH) {
            let why = format!("a phrase has at most {MAX_PHRASE_LENGTH} characters");
            return Err(invalid(field, why));
        }
    }
    let content = encode_question(&AgentQuestion { text, expected })?;
    let bounds = EntryBounds { count: MAX_QUESTIONS, bytes: MAX_ENTRIES_BYTES };
    write_entry(deps, organization, agent, AgentEntryKind::Question, id, content, None, bounds)
        .await
}

/// Deletes an entry. Returns `false` if there is none.
pub async fn delete_entry(
    deps: &BaseDeps,
    organization: OrganizationId,
    agent: AiAgentId,
    kind: AgentEntryKind,
    id: AgentEntryId,
) -> Result<bool, AgentError> {
    let organization_db = deps.db.organization(organization);
    Ok(organization_db.delete_agent_entry(agent, kind, id).await?)
}

async fn write_entry(
    deps: &BaseDeps,
    organization: OrganizationId,
    agent: AiAgentId,
    kind: AgentEntryKind,
    id: Option<AgentEntryId>,
    content: String,
    secret: Option<Vec<u8>>,
    bounds: EntryBounds,
) -> Result<AgentEntryId, AgentError> {
    let new_id = id.unwrap_or_else(|| entry_id(deps));
    let row = row(deps, organization, agent, kind, new_id, content, secret);
    write_row(deps, organization, row, id.is_none(), bounds).await
}

fn entry_id(deps: &BaseDeps) -> AgentEntryId {
    Id::new(deps.clock.now(), deps.entropy.id_bytes())
}

fn row(
    deps: &BaseDeps,
    organization: OrganizationId,
    agent_id: AiAgentId,
    kind: AgentEntryKind,
    id: AgentEntryId,
    content: String,
    secret: Option<Vec<u8>>,
) -> AiAgentEntry {
    AiAgentEntry {
        organization_id: organization,
        agent_id,
        kind,
        id,
        content: Document(content),
        secret,
        updated_at: deps.clock.now(),
    }
}

async fn write_row(
    deps: &BaseDeps,
    organization: OrganizationId,
    row: AiAgentEntry,
    is_new: bool,
    bounds: EntryBounds,
) -> Result<AgentEntryId, AgentError> {
    let (id, kind) = (row.id, row.kind);
    let organization_db = deps.db.organization(organization);
    match organization_db.write_agent_entry(row, is_new, bounds).await? {
        EntryWrite::Written => Ok(id),
        EntryWrite::NotFound => Err(AgentError::NotFound),
        EntryWrite::TooLarge if kind == AgentEntryKind::Fact => Err(facts_too_large()),
        EntryWrite::TooLarge => Err(invalid("text", "this is too long with all others")),
        EntryWrite::TooMany => Err(AgentError::TooManyEntries { most: bounds.count }),
    }
}

fn seal_entry_secret(
    deps: &BaseDeps,
    agent: AiAgentId,
    id: AgentEntryId,
    secret: &str,
) -> Result<Vec<u8>, SealingError> {
    let (nonce, new_key) = (deps.entropy.bytes(), deps.entropy.bytes());
    deps.sealing.seal(secret, &owner_of_secret(agent, id), nonce, new_key)
}

fn invalid(field: &'static str, why: impl Into<String>) -> AgentError {
    AgentError::Invalid { field, why: why.into() }
}

fn facts_too_large() -> AgentError {
    let why = format!("all facts together have at most {} KiB", MAX_FACTS_BYTES / 1024);
    invalid("text", why)
}

/// Checks a text that must not be empty.
fn line(field: &'static str, text: &str, most: usize) -> Result<String, AgentError> {
    let text = text.trim().replace("\r\n", "\n");
    if text.is_empty() {
        return Err(AgentError::Missing { field });
    }
    if text.chars().count() > most {
        return Err(invalid(field, format!("at most {most} characters are allowed")));
    }
    Ok(text)
}

fn parse_schema(text: &str) -> Result<String, AgentError> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(NO_ARGUMENTS.to_owned());
    }
    if text.len() > MAX_LOOK_UP_SCHEMA_BYTES {
        let why = format!("at most {MAX_LOOK_UP_SCHEMA_BYTES} bytes are allowed");
        return Err(invalid("parameters", why));
    }
    let schema: Value = serde_json::from_str(text)
        .map_err(|error| invalid("parameters", format!("this is not JSON: {error}")))?;
    if schema.get("type").and_then(Value::as_str) != Some("object") {
        let why = "the schema of the arguments has “type”: “object”";
        return Err(invalid("parameters", why));
    }
    Ok(text.to_owned())
}

fn parse_header(text: &str) -> Result<Option<String>, AgentError> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    let name = HeaderName::from_bytes(text.as_bytes())
        .map_err(|_| invalid("header", "this is not the name of a header"))?;
    if [HOST, CONTENT_LENGTH, CONTENT_TYPE, CONNECTION, TRANSFER_ENCODING].contains(&name) {
        return Err(invalid("header", "this header is set by the request itself"));
    }
    Ok(Some(name.to_string()))
}
