//! `GET` and `POST /api/v1/conversations/{id}/notes` (`docs/contract.md#conversations`).

use super::{ConversationPath, problem};
use crate::admission::{KeyHolder, Required};
use crate::operation::{Answer, Call, Example, ExampleOf, Operation};
use actix_web::http::{Method, StatusCode};
use api_types::pagination::{IdCursor, IdPagination, LIMIT_DEFAULT, MAX_LIMIT, MIN_LIMIT};
use api_types::sample;
use api_types::schema::{IdOf, OneOf};
use domain::conversation::SendAs;
use domain::id::{self, NoteId};
use domain::inbox::{MAX_NOTE_LENGTH, NoteAuthor};
use domain::scope::Scope;
use domain::violation::Field;
use http_layer::problem::{Code, Problem};
use persistence::content::event_data::NoteData;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use service::inbox::{self, NotesPart};

/// Writes a note about a conversation.
pub struct CreateNote;

/// A note.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "CreateNote")]
pub struct CreateNoteBody {
    /// The text.
    #[schemars(required, length(min = 1, max = MAX_NOTE_LENGTH))]
    text: Option<String>,
    /// Who writes the note: `agent` for your AI agent. Requires the scope `agent.reply` instead of
    /// `conversations.write`.
    #[serde(rename = "as")]
    #[schemars(with = "Option<OneOf<SendAs>>")]
    write_as: Option<String>,
}

impl Operation for CreateNote {
    const ID: &'static str = "create_note";
    const SUMMARY: &'static str = "Write a note.";
    const DESCRIPTION: &'static str = "\
Writes a note about a conversation, which your colleagues see in the inbox and the contact never gets. The event
`note.created` is recorded.

With `as` set to `agent`, your own AI agent writes the note. This needs the scope `agent.reply`, and no other one; all
other notes need `conversations.write`. The author is then the agent that answers on the number, or the key if there is
none. The note does not pause the agent, and is possible while it is paused.";
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/api/v1/conversations/{id}/notes";
    const ACCESS: Required<KeyHolder> =
        KeyHolder::with_either(Scope::ConversationsWrite, Scope::AgentReply);
    const SUCCESS: StatusCode = StatusCode::CREATED;
    const PROBLEMS: &'static [Code] = &[Code::NotFound];
    type Caller = KeyHolder;
    type Path = ConversationPath;
    type Input = CreateNoteBody;
    type Reply = NoteData;

    fn example() -> ExampleOf<Self> {
        let note = sample::note();
        let input = CreateNoteBody { text: Some(note.text.clone()), write_as: None };
        let reply = NoteData::from(&note);
        Example { path: ConversationPath::sample(), input: Some(input), reply }
    }

    async fn handle(mut call: Call<Self>) -> Result<Answer<NoteData>, Problem> {
        let is_agents = call.input.write_as.is_some();
        call.require(if is_agents { Scope::AgentReply } else { Scope::ConversationsWrite })?;
        let text = call.parse(|body, faults| {
            let _: Option<SendAs> =
                faults.optional_word(&Field::root("as"), body.write_as.as_deref());
            faults.required_text(&Field::root("text"), body.text.as_deref(), MAX_NOTE_LENGTH)
        })?;
        let id = call.path.parse()?;
        let (reader, account) = (call.caller.reader(), call.bound_account());
        let (client_id, name) = (call.caller.key.client_id.clone(), call.caller.key.name.clone());
        let note = if is_agents {
            let deps = &call.deps;
            inbox::create_agent_note(deps, reader, account, id, text, client_id, name).await
        } else {
            let author = NoteAuthor::Key { client_id, name };
            inbox::create_note(&call.deps, reader, account, id, text, author).await
        };
        Answer::new(Self::SUCCESS, &NoteData::from(&note.map_err(problem)?.snapshot()))
    }
}

/// Lists the notes about a conversation.
pub struct ListNotes;

/// The page to return.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct ListNotesInput {
    /// Return the notes after the one with this id.
    #[schemars(with = "Option<IdOf<id::Note>>")]
    after: Option<String>,
    /// Maximum number of entries to return.
    #[schemars(range(min = MIN_LIMIT, max = MAX_LIMIT), extend("default" = LIMIT_DEFAULT))]
    limit: Option<i64>,
}

/// A page of notes, newest first.
#[derive(Debug, Serialize, JsonSchema)]
pub struct NotePage {
    /// The notes.
    data: Vec<NoteData>,
    #[serde(flatten)]
    pagination: IdPagination<id::Note>,
}

impl Operation for ListNotes {
    const ID: &'static str = "list_notes";
    const SUMMARY: &'static str = "List notes.";
    const DESCRIPTION: &'static str = "Returns the notes about a conversation, the newest first.";
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/api/v1/conversations/{id}/notes";
    const ACCESS: Required<KeyHolder> = KeyHolder::with(Scope::ConversationsRead);
    const SUCCESS: StatusCode = StatusCode::OK;
    const PROBLEMS: &'static [Code] = &[Code::NotFound];
    type Caller = KeyHolder;
    type Path = ConversationPath;
    type Input = ListNotesInput;
    type Reply = NotePage;

    fn example() -> ExampleOf<Self> {
        let input = ListNotesInput { limit: Some(LIMIT_DEFAULT), after: None };
        let data = vec![NoteData::from(&sample::note())];
        let reply = NotePage { data, pagination: IdPagination::last_page() };
        Example { path: ConversationPath::sample(), input: Some(input), reply }
    }

    async fn handle(mut call: Call<Self>) -> Result<Answer<NotePage>, Problem> {
        let cursor = call
            .parse(|input, faults| IdCursor::parse(input.limit, input.after.as_deref(), faults))?;
        let IdCursor { limit, after }: IdCursor<NoteId> = cursor;
        let id = call.path.parse()?;
        let (reader, account) = (call.caller.reader(), call.bound_account());
        let found = inbox::list_notes(&call.deps, reader, account, id, after, limit).await;
        let NotesPart { notes, has_more } = found.map_err(problem)?;
        let next_after = notes.last().filter(|_| has_more).map(|note| note.id);
        let data = notes.iter().map(|note| NoteData::from(&note.snapshot())).collect();
        let reply = NotePage { data, pagination: IdPagination::new(next_after) };
        Answer::new(Self::SUCCESS, &reply)
    }
}
