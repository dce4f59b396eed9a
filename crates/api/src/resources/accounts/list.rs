//! `GET /api/v1/accounts` (`docs/contract.md#numbers`).

use crate::admission::{KeyHolder, Required};
use crate::operation::{Answer, Call, Example, ExampleOf, Nothing, Operation};
use actix_web::http::{Method, StatusCode};
use api_types::account::AccountRecord;
use api_types::pagination::{IdCursor, IdPagination, LIMIT_DEFAULT, MAX_LIMIT, MIN_LIMIT};
use api_types::sample;
use api_types::schema::{IdOf, OneOf};
use domain::account::{AccountHealth, ChannelKind};
use domain::id::{self, AccountId};
use domain::violation::Violations;
use http_layer::problem::{Code, Problem};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use service::accounts;

/// Lists the accounts that the key may use.
pub struct ListAccounts;

/// The page to return.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct ListAccountsInput {
    /// Return the accounts after the one with this id.
    #[schemars(with = "Option<IdOf<id::Account>>")]
    after: Option<String>,
    /// Maximum number of entries to return.
    #[schemars(range(min = MIN_LIMIT, max = MAX_LIMIT), extend("default" = LIMIT_DEFAULT))]
    limit: Option<i64>,
}

/// A page of accounts, in the order in which they were connected.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AccountPage {
    /// The accounts.
    data: Vec<AccountRecord>,
    #[serde(flatten)]
    pagination: IdPagination<id::Account>,
}

impl Operation for ListAccounts {
    const ID: &'static str = "list_accounts";
    const SUMMARY: &'static str = "List numbers.";
    const DESCRIPTION: &'static str = "\
Returns the accounts that the key can send from: the numbers of the business, in the order in which they were connected.
Each has its health: the channel accepts its messages (`ok`), the channel refuses the account and its messages wait
(`held`), or the channel has limited it (`restricted`). A key that is bound to a number sees only that one.";
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/api/v1/accounts";
    const ACCESS: Required<KeyHolder> = KeyHolder::any();
    const SUCCESS: StatusCode = StatusCode::OK;
    const PROBLEMS: &'static [Code] = &[];
    type Caller = KeyHolder;
    type Path = Nothing;
    type Input = ListAccountsInput;
    type Reply = AccountPage;

    fn example() -> ExampleOf<Self> {
        let input =
            ListAccountsInput { limit: Some(LIMIT_DEFAULT), ..ListAccountsInput::default() };
        let data = vec![AccountRecord {
            id: IdOf(sample::ACCOUNT),
            phone_number: sample::ACCOUNT_NUMBER.to_owned(),
            display_name: "Acme Shop".to_owned(),
            channel: OneOf(ChannelKind::CloudApi),
            default: true,
            health: AccountHealth::UNKNOWN.at(sample::noon()).into(),
        }];
        let reply = AccountPage { data, pagination: IdPagination::last_page() };
        Example { path: Nothing {}, input: Some(input), reply }
    }

    async fn handle(mut call: Call<Self>) -> Result<Answer<AccountPage>, Problem> {
        let cursor = call.parse(ListAccountsInput::parse)?;
        let mut found = accounts::list(&call.deps, call.caller.reader()).await?;
        let bound = call.bound_account();
        found.retain(|it| bound.is_none_or(|bound| bound == it.id));
        let page = cursor.page(found, |it| it.id);
        let default = call.caller.organization.default_account_id;
        let next_after = page.data.last().filter(|_| page.has_more).map(|it| it.id);
        let record = |it| AccountRecord::from_account(it, default, call.now);
        let data = page.data.into_iter().map(record).collect();
        let reply = AccountPage { data, pagination: IdPagination::new(next_after) };
        Answer::new(Self::SUCCESS, &reply)
    }
}

impl ListAccountsInput {
    fn parse(&self, faults: &mut Violations) -> Option<IdCursor<AccountId>> {
        IdCursor::parse(self.limit, self.after.as_deref(), faults)
    }
}
