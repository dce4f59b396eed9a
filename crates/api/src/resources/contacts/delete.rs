//! `DELETE /api/v1/contacts/{id}` (`docs/contract.md#people`).

use super::get::ContactPath;
use crate::admission::{KeyHolder, Required};
use crate::operation::{Answer, Call, Example, ExampleOf, Nothing, Operation};
use actix_web::http::{Method, StatusCode};
use api_types::sample;
use api_types::schema::IdOf;
use domain::id::{self, ContactId};
use domain::scope::Scope;
use http_layer::problem::{Code, Problem};
use schemars::JsonSchema;
use serde::Serialize;
use service::contacts;

/// Deletes a contact, and everything that is known of the person.
pub struct DeleteContact;

/// A contact that was deleted.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "DeletedContact")]
pub struct DeletedContact {
    /// The id of the contact.
    id: IdOf<id::Contact>,
    /// The id of the conversation with the contact.
    conversation_id: IdOf<id::Conversation>,
    /// Always true.
    deleted: bool,
}

impl Operation for DeleteContact {
    const ID: &'static str = "delete_contact";
    const SUMMARY: &'static str = "Delete a contact.";
    const DESCRIPTION: &'static str = "\
Deletes what is known of a person. Names, numbers, user ids and usernames are gone at once, and messages that wait are not
sent: they fail with `contact_deleted`. Texts, files that nobody else sent or was sent, notes and drafts are gone within a
minute, also from events, stored answers and the inbox. Ids, times, types and statuses of messages stay, and so do counts.

This cannot be undone. A person who writes again is a new contact. Deleting a deleted contact has the same answer. The id of
a contact that was merged into another deletes that one.";
    const METHOD: Method = Method::DELETE;
    const PATH: &'static str = "/api/v1/contacts/{id}";
    const ACCESS: Required<KeyHolder> = KeyHolder::with(Scope::ContactsDelete);
    const SUCCESS: StatusCode = StatusCode::OK;
    const PROBLEMS: &'static [Code] = &[Code::NotFound];
    const BODY_OPTIONAL: bool = true;
    type Caller = KeyHolder;
    type Path = ContactPath;
    type Input = Nothing;
    type Reply = DeletedContact;

    fn example() -> ExampleOf<Self> {
        let reply = DeletedContact {
            id: IdOf(sample::MERGED_CONTACT),
            conversation_id: IdOf(sample::MERGED_CONVERSATION),
            deleted: true,
        };
        Example { path: ContactPath::of(sample::MERGED_CONTACT), input: None, reply }
    }

    async fn handle(mut call: Call<Self>) -> Result<Answer<DeletedContact>, Problem> {
        call.parse(|_, _| Some(()))?;
        let unknown = || Problem::not_found("contact");
        let id: ContactId = call.path.parse()?;
        let (organization, account) = (call.caller.reader().organization, call.bound_account());
        let deleted = contacts::delete(&call.deps, organization, account, id).await?;
        let deleted = deleted.ok_or_else(unknown)?;
        let reply = DeletedContact {
            id: IdOf(deleted.contact.id),
            conversation_id: IdOf(deleted.conversation.id),
            deleted: true,
        };
        Answer::new(Self::SUCCESS, &reply)
    }
}
