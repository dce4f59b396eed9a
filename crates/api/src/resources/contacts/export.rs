//! `GET /api/v1/contacts/{id}/export` (`docs/contract.md#people`).

use super::get::ContactPath;
use crate::admission::{KeyHolder, Required};
use crate::operation::{Answer, Call, Example, ExampleOf, FileAnswer, Nothing, Operation};
use actix_web::http::{Method, StatusCode};
use api_types::sample;
use domain::scope::Scope;
use http_layer::problem::{Code, Problem};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;
use service::contact_export::{self, ContactExport, ExportError};
use service::contacts;
use std::borrow::Cow;

/// Exports a contact.
pub struct ExportContact;

/// The bytes of a ZIP file.
#[derive(Debug, Serialize)]
pub struct ExportedContact(&'static str);

impl JsonSchema for ExportedContact {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "ContactExport".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "binary", "description": "A ZIP file." })
    }
}

impl Operation for ExportContact {
    const ID: &'static str = "export_contact";
    const SUMMARY: &'static str = "Export a contact.";
    const DESCRIPTION: &'static str = "\
Returns what is known of a person as a ZIP file: `contact.json`, `messages.json` and `notes.json` with the objects of this API, the
oldest message and the newest note first, and the files of the messages in `media/`. Files that have been deleted are left out.

The file is sent while it is written. If the connection ends early, the file is incomplete: repeat the call. The id of a contact
that was merged into another exports that one. A contact that was deleted is not found. An organization has two exports under way
at a time; a third is a 429 `too_many_exports`.";
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/api/v1/contacts/{id}/export";
    const ACCESS: Required<KeyHolder> = KeyHolder::with(Scope::ConversationsRead);
    const SUCCESS: StatusCode = StatusCode::OK;
    const PROBLEMS: &'static [Code] = &[Code::NotFound, Code::TooManyExports];
    const CONTENT_TYPE: &'static str = "application/zip";
    type Caller = KeyHolder;
    type Path = ContactPath;
    type Input = Nothing;
    type Reply = ExportedContact;

    fn example() -> ExampleOf<Self> {
        let reply = ExportedContact("The bytes of the file.");
        Example { path: ContactPath::of(sample::CONTACT), input: None, reply }
    }

    async fn handle(mut call: Call<Self>) -> Result<Answer<ExportedContact>, Problem> {
        call.parse(|_, _| Some(()))?;
        let id = call.path.parse()?;
        let (reader, account) = (call.caller.reader(), call.bound_account());
        let found = contacts::find(&call.deps, reader, account, id).await?;
        let begun = contact_export::start(&call.deps.service, reader, found);
        let ContactExport { contact, parts } = begun.map_err(|error| match error {
            ExportError::NotFound => Problem::not_found("contact"),
            ExportError::Busy => Problem::too_many_exports(),
            ExportError::Database(error) => error.into(),
        })?;
        Ok(Answer::file(Self::SUCCESS, FileAnswer { name: format!("{contact}.zip"), parts }))
    }
}
