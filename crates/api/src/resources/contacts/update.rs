//! `PATCH /api/v1/contacts/{id}` (`docs/contract.md#people`).
#![expect(
    clippy::option_option,
    reason = "a field is omitted, null or a value; and it may be invalid"
)]

use super::get::ContactPath;
use crate::admission::{KeyHolder, Required};
use crate::operation::{Answer, Call, Example, ExampleOf, Operation};
use actix_web::http::{Method, StatusCode};
use api_types::contact::ListedContactRecord;
use api_types::sample;
use domain::contact::{MAX_NAME_LENGTH, entered_name};
use domain::name::InvalidName;
use domain::scope::Scope;
use domain::violation::{Fault, Field, Violations};
use http_layer::problem::{Code, Problem};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use service::contacts;

/// Changes a contact.
pub struct UpdateContact;

/// The fields to change. Fields that are omitted stay as they are.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "UpdateContact")]
pub struct UpdateContactBody {
    /// The name. Null for the name that the contact has on the channel, from their next message on.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>", length(min = 1, max = MAX_NAME_LENGTH))]
    name: Option<Option<String>>,
}

/// Reads a field that is present, also if it is null. A field that is omitted is `None`.
fn present<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Option<String>>, D::Error> {
    Option::deserialize(from).map(Some)
}

impl Operation for UpdateContact {
    const ID: &'static str = "update_contact";
    const SUMMARY: &'static str = "Change a contact.";
    const DESCRIPTION: &'static str = "\
Changes the name, and returns the contact. The name that the contact has on the channel does not replace it. A change records
the event `contact.updated`; a request that changes nothing records none.";
    const METHOD: Method = Method::PATCH;
    const PATH: &'static str = "/api/v1/contacts/{id}";
    const ACCESS: Required<KeyHolder> = KeyHolder::with(Scope::ConversationsWrite);
    const SUCCESS: StatusCode = StatusCode::OK;
    const PROBLEMS: &'static [Code] = &[Code::NotFound];
    type Caller = KeyHolder;
    type Path = ContactPath;
    type Input = UpdateContactBody;
    type Reply = ListedContactRecord;

    fn example() -> ExampleOf<Self> {
        let input = UpdateContactBody { name: Some(sample::identity().name) };
        let reply = ListedContactRecord::from(&sample::conversation());
        Example { path: ContactPath::of(sample::CONTACT), input: Some(input), reply }
    }

    async fn handle(mut call: Call<Self>) -> Result<Answer<ListedContactRecord>, Problem> {
        let changed = call.parse(|body, faults| Some(body.parse(faults)))?;
        let unknown = || Problem::not_found("contact");
        let id = call.path.parse()?;
        let (reader, account) = (call.caller.reader(), call.bound_account());
        let found = if let Some(name) = changed {
            contacts::rename(&call.deps, reader.organization, account, id, name).await?
        } else {
            let found = contacts::find(&call.deps, reader, account, id).await?;
            found.filter(|it| it.contact.deleted_at.is_none())
        };
        Answer::new(Self::SUCCESS, &ListedContactRecord::from(&found.ok_or_else(unknown)?))
    }
}

impl UpdateContactBody {
    /// Parses the fields. The change counts only if there are no faults.
    fn parse(&self, faults: &mut Violations) -> Option<Option<String>> {
        let at = Field::root("name");
        Some(match self.name.as_ref()? {
            None => None,
            Some(text) => {
                let text = faults.text(&at, text, MAX_NAME_LENGTH)?;
                let name = entered_name(&text).map_err(|wrong| match wrong {
                    InvalidName::Empty => faults.add(&at, Fault::Empty, "must not be empty"),
                    wrong => faults.add(&at, Fault::InvalidFormat, wrong.to_string()),
                });
                Some(name.ok()?)
            }
        })
    }
}
