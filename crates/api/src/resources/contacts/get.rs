//! `GET /api/v1/contacts/{id}` (`docs/contract.md#people`).

use crate::admission::{KeyHolder, Required};
use crate::operation::{Answer, Call, Example, ExampleOf, Nothing, Operation};
use actix_web::http::{Method, StatusCode};
use api_types::contact::ListedContactRecord;
use api_types::sample;
use api_types::schema::IdOf;
use domain::id::{self, ContactId};
use domain::scope::Scope;
use http_layer::problem::{Code, Problem};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use service::contacts;

/// Reads one contact.
pub struct GetContact;

/// The contact to read.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct ContactPath {
    /// The contact's id.
    #[schemars(with = "IdOf<id::Contact>")]
    id: String,
}

impl ContactPath {
    pub(super) fn of(id: ContactId) -> Self {
        Self { id: id.to_string() }
    }

    pub(super) fn parse(&self) -> Result<ContactId, Problem> {
        self.id.parse().map_err(|_| Problem::not_found("contact"))
    }
}

impl Operation for GetContact {
    const ID: &'static str = "get_contact";
    const SUMMARY: &'static str = "Get a contact.";
    const DESCRIPTION: &'static str = "\
Returns a person as they are known now. The id of a contact that was merged into another returns that one. A contact that was
deleted has `deleted_at`, and nothing else is known of it. A key that is bound to a number sees the contacts of that number
only.";
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/api/v1/contacts/{id}";
    const ACCESS: Required<KeyHolder> = KeyHolder::with(Scope::ConversationsRead);
    const SUCCESS: StatusCode = StatusCode::OK;
    const PROBLEMS: &'static [Code] = &[Code::NotFound];
    type Caller = KeyHolder;
    type Path = ContactPath;
    type Input = Nothing;
    type Reply = ListedContactRecord;

    fn example() -> ExampleOf<Self> {
        Example {
            path: ContactPath::of(sample::CONTACT),
            input: None,
            reply: ListedContactRecord::from(&sample::conversation()),
        }
    }

    async fn handle(mut call: Call<Self>) -> Result<Answer<ListedContactRecord>, Problem> {
        call.parse(|_, _| Some(()))?;
        let unknown = || Problem::not_found("contact");
        let id = call.path.parse()?;
        let (reader, account) = (call.caller.reader(), call.bound_account());
        let found = contacts::find(&call.deps, reader, account, id).await?;
        Answer::new(Self::SUCCESS, &ListedContactRecord::from(&found.ok_or_else(unknown)?))
    }
}
