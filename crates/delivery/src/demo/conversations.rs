//! The conversations of the demo's bakery. Its inbox looks as if the business had used it for some
//! days.
//!
//! Messages from before the start arrive as callbacks of the channel, with their earlier times. The
//! actions of the member and of the AI agent happen during the start.

use anyhow::{Context as _, Result};
use domain::account::ChannelKind;
use domain::agent::AgentMode;
use domain::content::{
    ComponentParameters, Content, Parameter, ParameterPlace, TemplateContent, TextContent,
};
use domain::conversation::window_is_open;
use domain::id::{AccountId, ConversationId, MemberId, OrganizationId};
use domain::inbox::{InboxChange, InboxStatus, LabelChange};
use domain::message::{Draft, Recipient};
use domain::phone::PhoneNumber;
use domain::role::{Authority, Role};
use domain::violation::Violations;
use http_layer::deps::ServerDeps;
use persistence::Reader;
use persistence::records::{ConversationWithContact, InboxConversation, InboxFilter, PersonKey};
use service::actor::{Actor, ComposedFrom};
use service::agents::{self, AgentInput, NewConnection};
use service::sandbox::BackdatedContent::{self, Answer, Picture, Reaction, Text};
use service::sandbox::{self, BackdatedMessage};
use service::{accounts, contacts, inbox};
use std::collections::BTreeMap;
use std::time::Duration;
use workers::agents::opening_hours;

const HOUR: u64 = 60;
const DAY: u64 = 24 * HOUR;
/// The page size of the list of conversations: more than the demo has.
const PAGE_SIZE: i64 = 50;

/// A customer of the bakery, and the messages before the start of the demo.
struct ExampleCustomer {
    name: &'static str,
    number: &'static str,
    /// The messages, each with its age in minutes.
    messages: &'static [(u64, BackdatedContent<'static>)],
}

/// The number of the sandbox that the printed command writes to. It reads a message and answers.
pub const TEST_NUMBER: &str = "+12025550100";
const TEST_CUSTOMER: &str = "Test customer";
/// The least time for which the window of the test customer is open after a start.
const WINDOW_OPEN_FOR: Duration = Duration::from_hours(12);

const GRACE: &str = "+12025550151";
const LIAM: &str = "+12025550152";
/// The sandbox refuses messages to this number.
const NOAH: &str = "+12025550103";
const EMMA: &str = "+12025550153";
const OLIVIA: &str = "+12025550154";
const MIA: &str = "+12025550155";
const ETHAN: &str = "+12025550156";
const SOFIA: &str = "+12025550157";
const AVA: &str = "+12025550158";
const LUCAS: &str = "+12025550159";

/// The customers who wrote before the bakery had an AI agent.
const CUSTOMERS: &[ExampleCustomer] = &[
    ExampleCustomer {
        name: "Grace Kim",
        number: GRACE,
        messages: &[
            (3 * DAY + 120, Text("Hi! Can you make a birthday cake for Saturday?")),
            (3 * DAY + 112, Answer("Of course. For how many people?")),
            (3 * DAY + 105, Text("Twelve, with chocolate.")),
            (3 * DAY + 104, Picture("Like this one, please")),
            (3 * DAY + 95, Answer("Lovely. It will be ready on Saturday at 10.")),
            (3 * DAY + 94, Reaction("❤️")),
        ],
    },
    ExampleCustomer {
        name: "Liam Brown",
        number: LIAM,
        messages: &[
            (2 * DAY + 40, Text("2 sourdough and 6 croissants, please. My name is Liam.")),
            (2 * DAY + 31, Answer("Noted, Liam! We will write when your order is on its way.")),
        ],
    },
    ExampleCustomer {
        name: "Olivia Garcia",
        number: OLIVIA,
        messages: &[
            (DAY + 6 * HOUR, Text("Will you have rye bread next week?")),
            (DAY + 6 * HOUR - 9, Answer("Yes, from Tuesday on. I will remind you.")),
        ],
    },
    ExampleCustomer {
        name: "Emma Wilson",
        number: EMMA,
        messages: &[
            (DAY + 4 * HOUR, Text("We plan an office breakfast for 30 people. Do you deliver?")),
            (DAY + 4 * HOUR - 15, Answer("We do! Is anybody vegan?")),
            (3 * HOUR, Text("Two of us. Can you make an offer?")),
        ],
    },
    ExampleCustomer {
        name: "Mia Schmidt",
        number: MIA,
        messages: &[
            (8 * HOUR, Text("I think that I left my scarf at your place.")),
            (8 * HOUR - 12, Answer("We found one. Is it green?")),
        ],
    },
    ExampleCustomer {
        name: "Noah Patel",
        number: NOAH,
        messages: &[(5 * HOUR, Text("Is my pie ready?"))],
    },
    ExampleCustomer {
        name: "Sofia Rossi",
        number: SOFIA,
        messages: &[(95, Text("The bread was wonderful, thank you!"))],
    },
    ExampleCustomer {
        name: TEST_CUSTOMER,
        number: TEST_NUMBER,
        messages: &[
            (68, Text("Do you have rye bread today?")),
            (63, Answer("Yes, and it is still warm.")),
        ],
    },
    ExampleCustomer {
        name: "Ethan Lee",
        number: ETHAN,
        messages: &[
            (47, Text("Can I change my order from 6 to 12 rolls?")),
            (46, Text("It is for tomorrow morning.")),
        ],
    },
];

/// The customers who write to the AI agent. The first one asks for a person, and the second one gets a
/// draft.
const CUSTOMERS_OF_AGENT: &[ExampleCustomer] = &[
    ExampleCustomer {
        name: "Ava Johnson",
        number: AVA,
        messages: &[(26, Text("My cake is not what I ordered. Can I talk to a person, please?"))],
    },
    ExampleCustomer {
        name: "Lucas Martin",
        number: LUCAS,
        messages: &[(9, Text("When do you open on Saturday?"))],
    },
];

/// The message of the test customer at a later start.
const TEST_CUSTOMER_AGAIN: &[ExampleCustomer] = &[ExampleCustomer {
    name: TEST_CUSTOMER,
    number: TEST_NUMBER,
    messages: &[(0, Text("When do you open tomorrow?"))],
}];

/// Opens the customer service window of the test customer again, who writes a message. Without it,
/// the answer to the printed command has the warning `window_closed`.
pub async fn open_window(
    deps: &ServerDeps,
    organization: OrganizationId,
    account: AccountId,
) -> Result<()> {
    let reader = Reader::from_primary(organization);
    let accounts = accounts::list(deps, reader).await?;
    if !accounts.iter().any(|it| it.id == account && it.channel == ChannelKind::Sandbox) {
        return Ok(());
    }
    let person = PersonKey::Number(PhoneNumber::parse(TEST_NUMBER)?);
    let found = contacts::conversations(deps, reader, person).await?;
    let later = deps.clock.now().plus(WINDOW_OPEN_FOR);
    let is_open = |it: &ConversationWithContact| {
        let conversation = &it.conversation;
        conversation.account_id == account && window_is_open(conversation.last_inbound_at, later)
    };
    if found.iter().any(is_open) {
        return Ok(());
    }
    receive(deps, organization, account, TEST_CUSTOMER_AGAIN).await
}

/// Reports the customers' messages in a callback, and processes the callback.
async fn receive(
    deps: &ServerDeps,
    organization: OrganizationId,
    account: AccountId,
    customers: &[ExampleCustomer],
) -> Result<()> {
    let now = deps.clock.now();
    let numbers: Vec<PhoneNumber> =
        customers.iter().map(|it| PhoneNumber::parse(it.number)).collect::<Result<_, _>>()?;
    let mut messages = Vec::new();
    for (it, customer) in customers.iter().zip(&numbers) {
        messages.extend(it.messages.iter().map(|(minutes, content)| BackdatedMessage {
            customer,
            name: it.name,
            at: now.minus(Duration::from_mins(*minutes)),
            content: *content,
        }));
    }
    messages.sort_by_key(|it| it.at);
    sandbox::report_backdated(deps, organization, account, &messages).await?;
    while Box::pin(workers::callbacks::step(deps)).await? > 0 {}
    Ok(())
}

/// The bakery whose inbox is filled.
pub struct Bakery<'a> {
    pub deps: &'a ServerDeps,
    pub organization: OrganizationId,
    pub account: AccountId,
    /// The member who works in the inbox.
    pub member: MemberId,
    /// The name of the member.
    pub name: &'static str,
}

impl Bakery<'_> {
    /// Fills the inbox, and creates the AI agent that answers questions about opening hours. No
    /// worker may run meanwhile, because the agent would then answer the example customers.
    pub async fn fill(&self) -> Result<()> {
        self.receive(CUSTOMERS).await?;
        let conversations = self.conversations().await?;
        self.create_agent().await?;
        Box::pin(self.organize(&conversations)).await
    }

    async fn receive(&self, customers: &[ExampleCustomer]) -> Result<()> {
        receive(self.deps, self.organization, self.account, customers).await
    }

    /// Brings the inbox up to date, and returns its conversations by the customer's number.
    async fn conversations(&self) -> Result<BTreeMap<String, ConversationId>> {
        let reader = Reader::from_primary(self.organization);
        let page = inbox::list(self.deps, reader, InboxFilter::default(), None, PAGE_SIZE).await?;
        let of_number =
            |it: InboxConversation| Some((it.contact.phone_number?, it.conversation.id));
        Ok(page.found.into_iter().filter_map(of_number).collect())
    }

    /// Creates the agent. It writes drafts for its first customers, and answers by itself after
    /// that.
    async fn create_agent(&self) -> Result<()> {
        let (deps, organization) = (self.deps, self.organization);
        let input = AgentInput {
            name: Some("Opening hours"),
            mode: Some(AgentMode::Draft),
            url: Some(opening_hours::URL),
            accounts: Some(vec![self.account]),
            quiet_seconds: Some(0),
            is_operator: true,
            ..AgentInput::default()
        };
        let created = agents::create(deps, organization, NewConnection::Webhook, input).await?;
        self.receive(CUSTOMERS_OF_AGENT).await?;
        Box::pin(workers::agents::step(self.deps)).await?;
        let input = AgentInput {
            mode: Some(AgentMode::Auto),
            quiet_seconds: Some(2),
            ..AgentInput::default()
        };
        agents::update(deps, organization, created.agent.id, input).await?;
        Ok(())
    }

    /// Works in the inbox as the member: sets statuses, an assignee and a label, writes a note, and
    /// sends replies.
    async fn organize(&self, conversations: &BTreeMap<String, ConversationId>) -> Result<()> {
        let of = |number: &str| {
            let found = conversations.get(number).copied();
            found.with_context(|| format!("the demo has no conversation with {number}"))
        };
        let reader = Reader::from_primary(self.organization);
        let set = async |number: &str, change: InboxChange| -> Result<()> {
            self.actor().inbox(reader, of(number)?).update(change).await?;
            Ok(())
        };
        let with_status = |status| InboxChange { status: Some(status), ..InboxChange::default() };
        let tomorrow = self.deps.clock.now().plus(Duration::from_hours(24));
        set(GRACE, with_status(InboxStatus::Closed)).await?;
        set(OLIVIA, with_status(InboxStatus::SnoozedUntil(tomorrow))).await?;
        set(MIA, with_status(InboxStatus::Waiting)).await?;
        let taken = InboxChange {
            assignee: Some(Some(self.member)),
            labels: Some(LabelChange::Add("Catering".to_owned())),
            ..InboxChange::default()
        };
        set(EMMA, taken).await?;
        let note = "Suggest the vegan rolls. We deliver for free from 200 dollars on.".to_owned();
        let emma = self.actor().inbox(reader, of(EMMA)?);
        emma.create_note(note, self.name.to_owned()).await?;
        let thanks = "Thank you, Sofia! See you on Sunday.";
        Box::pin(self.send(of(SOFIA)?, text(thanks)?)).await?;
        Box::pin(self.send(of(NOAH)?, text("It is! You can pick it up until 2 PM.")?)).await?;
        Box::pin(self.send(of(LIAM)?, order_update("Liam", "1043")?)).await
    }

    fn actor(&self) -> Actor<'_> {
        Actor {
            deps: self.deps,
            organization: self.organization,
            member: self.member,
            authority: Authority {
                role: Role::Owner,
                keys_restricted: false,
                support_limited: false,
            },
            address: None,
        }
    }

    async fn send(&self, conversation: ConversationId, content: Content) -> Result<()> {
        let draft = Draft {
            recipient: Recipient::Conversation(conversation),
            content,
            reply_to: None,
            client_ref: None,
            metadata: BTreeMap::new(),
            fallback: None,
        };
        self.actor().messages().send(self.account, draft, ComposedFrom::default()).await?;
        Ok(())
    }
}

fn text(text: &str) -> Result<Content> {
    let content = TextContent::parse(Some(text), None, &mut Violations::default());
    Ok(Content::Text(content.context("an example text is not valid")?))
}

/// Returns the demo's approved template with its parameters.
fn order_update(name: &str, order: &str) -> Result<Content> {
    let parameters = [name, order].map(|it| Parameter::Text { name: None, text: it.to_owned() });
    let body = ComponentParameters::new(ParameterPlace::Body, parameters.into());
    let (template, language) = (Some("order_update"), Some("en"));
    let mut faults = Violations::default();
    let content = TemplateContent::parse(template, language, vec![body], Vec::new(), &mut faults);
    Ok(Content::Template(content.context("the example template is not valid")?))
}
