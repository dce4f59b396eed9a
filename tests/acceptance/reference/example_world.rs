//! The objects that the examples in the reference need: an approved template, a message, a
//! connection and an application.

use crate::connect::{Browser, Partner, connect_application, create_member};
use crate::world::{Database, Pair, World, free_port};
use api::admission::Access;
use api::registry::Specification;
use reqwest::Method;
use serde_json::{Value, json};
use service::agents::{self, AgentInput, NewConnection};
use std::time::Duration;

/// A world in which each example of the reference works.
pub struct ExampleWorld {
    pub world: World,
    /// The key of a connection.
    pub connection: Pair,
    /// An application's credentials.
    pub application: Pair,
    /// The ids in the examples and the corresponding ids in this world.
    ids: Vec<(String, String)>,
}

impl ExampleWorld {
    pub async fn start() -> Self {
        Self::on(Database::migrated_sqlite()).await
    }

    /// Sets the base URL to the server's real address, so that code from the reference works
    /// unchanged.
    pub async fn on(database: Database) -> Self {
        let address = format!("127.0.0.1:{}", free_port());
        let base_url = format!("http://{address}");
        let more = [("bind", address.as_str()), ("base_url", base_url.as_str())];
        let world = World::on(database, &more).await;
        create_member(&world).await;
        let partner = Partner::of(&world).await;
        let mut browser = Browser::new(&world);
        let (_, connection) = connect_application(&world, &mut browser, &partner).await;
        let mut stage = Self { world, connection, application: partner.pair(), ids: Vec::new() };
        stage.fill().await;
        stage
    }

    /// Creates the template, the message and the webhook endpoint that the examples use.
    async fn fill(&mut self) {
        let template = self.made("create_template").await;
        let changed = self.another_template("order_arrived").await;
        let removed = self.another_template("order_delayed").await;
        self.world.live_through(Duration::from_secs(2)).await;
        let message = self.made("send_message").await;
        self.world.live_through(Duration::from_secs(1)).await;
        let received = self.world.history("+12025550100").await;
        let received = received.iter().find(|it| it["direction"] == "inbound").unwrap();
        let received = received["id"].as_str().unwrap().to_owned();
        let later = self.world.clock.now().plus(Duration::from_hours(24)).to_string();
        let later = json!({"type": "text", "phone_number": "+12025550100", "text": "Hello", "send_at": later});
        let scheduled =
            self.world.post("/api/v1/messages", &self.world.key, &later).await.text_of("id");
        let body = json!({"type": "text", "phone_number": "+12025550101", "text": "Hello"});
        let deleted = self.world.post("/api/v1/messages", &self.world.key, &body).await;
        let deleted = deleted.text_of("contact_id");
        let endpoint = self.made("create_webhook_endpoint").await;
        let endpoint = endpoint["id"].as_str().unwrap();
        let test = format!("/api/v1/webhook-endpoints/{endpoint}/test");
        let delivery = self.world.post(&test, &self.world.key, &json!({})).await.text_of("id");
        let agent = self.agent().await;
        for specification in api::registry().specifications() {
            for (name, value) in &specification.example.path {
                let real = match (specification.id, name.as_str()) {
                    ("get_message", _) => message["id"].as_str().unwrap(),
                    ("cancel_message", _) => &scheduled,
                    ("delete_contact", _) => &deleted,
                    ("get_contact" | "export_contact" | "update_contact", _) => {
                        message["contact_id"].as_str().unwrap()
                    }
                    ("read_message", _) => &received,
                    ("update_template", _) => &changed,
                    ("delete_template", _) => &removed,
                    ("get_template", _) => template["id"].as_str().unwrap(),
                    (
                        "get_conversation"
                        | "update_conversation"
                        | "pause_agent"
                        | "resume_agent"
                        | "hand_over_conversation"
                        | "list_notes"
                        | "create_note",
                        _,
                    ) => message["conversation_id"].as_str().unwrap(),
                    (_, "delivery_id") => &delivery,
                    ("test_agent", _) => &agent,
                    (id, "id") if id.contains("webhook") => endpoint,
                    ("revoke_connections", _) => &self.application.client_id,
                    (id, name) => panic!("nobody says what {name} of {id} is"),
                };
                self.ids.push((value.clone(), real.to_owned()));
            }
        }
    }

    /// Creates an AI agent, and returns its id.
    async fn agent(&self) -> String {
        let (deps, organization) = (&self.world.server.deps, self.world.organization);
        let input = AgentInput {
            name: Some("Assistant"),
            base_url: Some("https://llm.acme.example/v1"),
            model: Some("small"),
            ..AgentInput::default()
        };
        agents::create(deps, organization, NewConnection::Model, input)
            .await
            .unwrap()
            .agent
            .id
            .to_string()
    }

    /// Creates the template of the examples under another name, and returns its id.
    async fn another_template(&self, name: &str) -> String {
        let registry = api::registry();
        let mut created = registry.specifications().iter().filter(|it| it.id == "create_template");
        let mut body = example(created.next().unwrap());
        body["name"] = json!(name);
        self.world.post("/api/v1/templates", &self.world.key, &body).await.text_of("id")
    }

    async fn made(&self, id: &str) -> Value {
        let registry = api::registry();
        let found = registry.specifications().iter().find(|it| it.id == id).unwrap();
        let answer = self.world.post(found.path, &self.world.key, &example(found)).await;
        assert_eq!(answer.status, found.success.as_u16(), "{}", answer.text);
        answer.body
    }

    /// Replaces the examples' ids in a text by those of this world.
    pub fn real(&self, text: &str) -> String {
        self.ids.iter().fold(text.to_owned(), |text, (example, real)| text.replace(example, real))
    }

    /// Returns the credentials for an operation.
    pub fn caller(&self, specification: &Specification) -> &Pair {
        match (specification.access, specification.id) {
            (Access::Application, _) => &self.application,
            (_, "delete_me") => &self.connection,
            _ => &self.world.key,
        }
    }

    /// Renames an object in an example that creates it, because the object exists already.
    pub fn fresh(specification: &Specification, text: &str) -> String {
        match specification.id {
            "create_template" => text.replace("order_shipped", "order_shipped_again"),
            _ => text.to_owned(),
        }
    }

    /// Builds the request of an operation's example.
    pub fn request(&self, specification: &Specification) -> reqwest::RequestBuilder {
        let path = specification
            .example
            .path
            .iter()
            .fold(specification.path.to_owned(), |path, (name, value)| {
                path.replace(&format!("{{{name}}}"), value)
            });
        let method = Method::from_bytes(specification.method.as_str().as_bytes()).unwrap();
        let input = Self::fresh(specification, &specification.example.input);
        let body: Value = serde_json::from_str(&input).unwrap_or_else(|_| json!({}));
        let mut path = self.real(&path);
        if method == Method::GET {
            path = format!("{path}?{}", query(&body));
        }
        let request = self.world.request(method.clone(), &path, self.caller(specification));
        if method == Method::GET || input.is_empty() { request } else { request.json(&body) }
    }
}

/// Returns the input of an operation's example.
pub fn example(specification: &Specification) -> Value {
    serde_json::from_str(&specification.example.input).unwrap_or_else(|_| json!({}))
}

fn query(fields: &Value) -> String {
    let text = |value: &Value| value.as_str().map_or(value.to_string(), str::to_owned);
    let fields = fields.as_object().unwrap().iter();
    let pairs = fields
        .map(|(name, value)| format!("{name}={}", crate::connect::percent_encode(&text(value))));
    pairs.collect::<Vec<_>>().join("&")
}
