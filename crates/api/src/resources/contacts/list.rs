//! `GET /api/v1/contacts` (`docs/contract.md#people`).

use crate::admission::{KeyHolder, Required};
use crate::operation::{Answer, Call, Example, ExampleOf, Nothing, Operation};
use actix_web::http::{Method, StatusCode};
use api_types::contact::ListedContactRecord;
use api_types::pagination::{IdCursor, IdPagination, LIMIT_DEFAULT, MAX_LIMIT, MIN_LIMIT};
use api_types::sample;
use api_types::schema::{IdOf, LooseNumber};
use domain::id::{self, ContactId};
use domain::phone::PhoneNumber;
use domain::scope::Scope;
use domain::violation::{Fault, Field, Violations};
use http_layer::problem::{Code, Problem};
use persistence::records::ContactFilter;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use service::contacts::{self, ContactsRequest};

/// Lists the people whom the organization knows.
pub struct ListContacts;

/// Filters and the page to return.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct ListContactsInput {
    /// Return only the contacts that this phone number leads to: one for each of your numbers that knows the person.
    #[schemars(with = "Option<LooseNumber>")]
    phone_number: Option<String>,
    /// `true` for contacts who opted out of marketing, `false` for the others.
    opted_out: Option<bool>,
    /// Return the contacts after the one with this id.
    #[schemars(with = "Option<IdOf<id::Contact>>")]
    after: Option<String>,
    /// Maximum number of entries to return.
    #[schemars(range(min = MIN_LIMIT, max = MAX_LIMIT), extend("default" = LIMIT_DEFAULT))]
    limit: Option<i64>,
}

/// A page of contacts, newest first.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ContactPage {
    /// The contacts.
    data: Vec<ListedContactRecord>,
    #[serde(flatten)]
    pagination: IdPagination<id::Contact>,
}

impl Operation for ListContacts {
    const ID: &'static str = "list_contacts";
    const SUMMARY: &'static str = "List contacts.";
    const DESCRIPTION: &'static str = "\
Returns the people whom your numbers know, the newest contact first. A person who is known to several of your numbers is a
contact of each. `phone_number` finds a person by each number that the channel has named as theirs, and by another form of
it. Contacts that were merged into others are left out. A key that is bound to a number sees the contacts of that number
only.";
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/api/v1/contacts";
    const ACCESS: Required<KeyHolder> = KeyHolder::with(Scope::ConversationsRead);
    const SUCCESS: StatusCode = StatusCode::OK;
    const PROBLEMS: &'static [Code] = &[];
    type Caller = KeyHolder;
    type Path = Nothing;
    type Input = ListContactsInput;
    type Reply = ContactPage;

    fn example() -> ExampleOf<Self> {
        let input =
            ListContactsInput { limit: Some(LIMIT_DEFAULT), ..ListContactsInput::default() };
        let data = vec![ListedContactRecord::from(&sample::conversation())];
        let reply = ContactPage { data, pagination: IdPagination::last_page() };
        Example { path: Nothing {}, input: Some(input), reply }
    }

    async fn handle(mut call: Call<Self>) -> Result<Answer<ContactPage>, Problem> {
        let (phone_number, opted_out, cursor) = call.parse(ListContactsInput::parse)?;
        let request = ContactsRequest {
            wanted: ContactFilter { account: call.bound_account(), opted_out },
            phone_number,
            after: cursor.after,
            limit: cursor.limit,
        };
        let page = contacts::list(&call.deps, call.caller.reader(), request).await?;
        let next_after = page.found.last().filter(|_| page.has_more).map(|it| it.contact.id);
        let data = page.found.iter().map(ListedContactRecord::from).collect();
        let reply = ContactPage { data, pagination: IdPagination::new(next_after) };
        Answer::new(Self::SUCCESS, &reply)
    }
}

type Parsed = (Option<PhoneNumber>, Option<bool>, IdCursor<ContactId>);

impl ListContactsInput {
    fn parse(&self, faults: &mut Violations) -> Option<Parsed> {
        let at = Field::root("phone_number");
        let number = self.phone_number.as_deref().map(PhoneNumber::parse).transpose();
        let number =
            number.map_err(|wrong| faults.add(&at, Fault::InvalidFormat, wrong.to_string()));
        let cursor = IdCursor::parse(self.limit, self.after.as_deref(), faults);
        Some((number.ok()?, self.opted_out, cursor?))
    }
}
