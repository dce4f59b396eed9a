//! The pages of numbers, and the sandbox phone.

use super::composer::{File, NO_FILE, submit_parts};
use super::inbox::customer_writes;
use super::{csrf_token, member_of_another_organization, sign_in_member, text_in};
use crate::connect::{Browser, Page};
use crate::media_files::{local_address, png};
use crate::template_creation::{create_template, plain_template};
use crate::world::{World, on_both_databases};
use domain::agent::AgentMode;
use domain::id::AiAgentId;
use domain::keyword::Keyword as _;
use domain::message::Failure;
use serde_json::{Value, json};
use service::agents::{self, AgentInput, NewConnection};
use std::time::Duration;

const NUMBERS: &str = "/numbers";
/// The customer whom a member plays.
const CUSTOMER: &str = "+12025550143";

/// Returns the path of the sandbox number's phone.
fn phone(world: &World) -> String {
    format!("{NUMBERS}/{}/phone", world.account)
}

async fn work(world: &World) {
    world.settle().await;
    world.advance(Duration::from_secs(2));
    world.settle().await;
}

async fn a_member_plays_both_sides(world: World) {
    let mut browser = sign_in_member(&world).await;
    let path = phone(&world);
    let page = browser.get(&path).await;
    assert_eq!(page.status, 200, "{}", page.text);
    assert!(page.text.contains("<title>Sandbox phone of +"), "{}", page.text);
    // Given a message of the business,
    let form_token = csrf_token(&page);
    let text = [
        ("token", form_token.as_str()),
        ("as", CUSTOMER),
        ("action", "send"),
        ("text", "Is <i>ten</i> fine?"),
    ];
    let sent = browser.post(&path, &text).await;
    assert_eq!(sent.status, 303, "{}", sent.text);
    work(&world).await;
    // then the customer reads it,
    let history = world.history(CUSTOMER).await;
    assert_eq!(history[0]["status"], "read");
    assert_eq!(history[0]["source"], "inbox");
    let page = browser.get(&path).await;
    assert!(page.text.contains("Is &#60;i&#62;ten&#60;/i&#62; fine?"), "{}", page.text);
    // and what the customer writes arrives like a message of a real one.
    let form_token = csrf_token(&page);
    let said =
        [("token", form_token.as_str()), ("as", CUSTOMER), ("action", "write"), ("said", "Yes!")];
    assert_eq!(browser.post(&path, &said).await.status, 303);
    let picture = [("token", form_token.as_str()), ("as", CUSTOMER), ("action", "picture")];
    assert_eq!(browser.post(&path, &picture).await.status, 303);
    work(&world).await;
    let history = world.history(CUSTOMER).await;
    assert_eq!(history.len(), 3);
    let texts: Vec<&Value> = history.iter().map(|it| &it["text"]).collect();
    assert!(texts.contains(&&json!("Yes!")), "{history:#?}");
    assert!(history.iter().any(|it| it["media"]["media_type"] == "image"), "{history:#?}");
}

/// Creates an agent that answers on the sandbox number, and returns its id.
async fn create_agent(world: &World, mode: AgentMode) -> AiAgentId {
    let (deps, organization) = (&world.server.deps, world.organization);
    let input = AgentInput {
        name: Some("Opening hours"),
        mode: Some(mode),
        url: Some("https://bot.example/turn"),
        accounts: Some(vec![world.account]),
        is_operator: true,
        ..AgentInput::default()
    };
    agents::create(deps, organization, NewConnection::Webhook, input).await.unwrap().agent.id
}

async fn only_a_number_with_an_agent_says_that_it_is_paused(world: World) {
    // Given a number without an agent, then nothing is said of one.
    const PAUSES: &str = "Pauses the AI agent";
    let mut browser = sign_in_member(&world).await;
    let path = phone(&world);
    assert!(!browser.get(&path).await.text.contains(PAUSES));

    // When an agent answers on it, then the page says so. An agent that is off is not paused.
    for (mode, is_said) in [(AgentMode::Off, false), (AgentMode::Draft, true)] {
        let created = create_agent(&world, mode).await;
        assert_eq!(browser.get(&path).await.text.contains(PAUSES), is_said, "{mode:?}");
        let (deps, organization) = (&world.server.deps, world.organization);
        assert!(agents::delete(deps, organization, created).await.unwrap());
    }
}

async fn a_pause_from_before_the_agent_is_shown_and_ended(world: World) {
    const PAUSED: &str = "AI agent paused by a reply";
    let mut browser = sign_in_member(&world).await;
    let path = phone(&world);
    // Given a member who wrote to the customer before the number had an agent,
    let form_token = csrf_token(&browser.get(&path).await);
    let text = [("token", form_token.as_str()), ("action", "send"), ("text", "Is ten fine?")];
    assert_eq!(browser.post(&path, &text).await.status, 303);
    work(&world).await;
    assert!(!browser.get(&path).await.text.contains(PAUSED));
    create_agent(&world, AgentMode::Draft).await;
    // when the customer writes, then the phone and the list of the inbox say that the agent is
    // paused.
    customer_writes(&world, &mut browser, "Are you open?").await;
    let page = browser.get(&path).await;
    assert!(page.text.contains(PAUSED), "{}", page.text);
    assert!(!page.text.contains("Pauses the AI agent"), "{}", page.text);
    let marked = "AI agent paused</span> Are you open?</span>";
    let list = browser.get("/inbox").await;
    assert!(list.text.contains(marked), "{}", list.text);
    // When the member resumes it on the phone, then neither says so.
    let (form_token, conversation) = (csrf_token(&page), page.field("conversation"));
    let resume = [
        ("token", form_token.as_str()),
        ("action", "resume"),
        ("conversation", conversation.as_str()),
    ];
    let resumed = browser.post(&path, &resume).await;
    assert_eq!(resumed.status, 303, "{}", resumed.text);
    assert_eq!(resumed.location(), path);
    assert!(browser.get(&path).await.text.contains("Pauses the AI agent"));
    assert!(!browser.get("/inbox").await.text.contains(marked));
    // A conversation of another organization is not found.
    let mut eve = member_of_another_organization(&world).await;
    let form_token = csrf_token(&eve.get("/account").await);
    let theirs = [&[("token", form_token.as_str())], &resume[1..]].concat();
    assert_eq!(eve.post(&path, &theirs).await.status, 404);
}

async fn the_field_that_was_used_has_the_focus_again(world: World) {
    const CUSTOMERS: &str = "autocomplete=\"off\" required autofocus>";
    const BUSINESS: &str = "rows=\"2\" required autofocus>";
    let mut browser = sign_in_member(&world).await;
    let path = phone(&world);
    for (customer, action, field, focused, other) in [
        (CUSTOMER, "send", "text", BUSINESS, CUSTOMERS),
        (CUSTOMER, "write", "said", CUSTOMERS, BUSINESS),
        ("+12025550100", "write", "said", CUSTOMERS, BUSINESS),
        ("+12025550100", "send", "text", BUSINESS, CUSTOMERS),
    ] {
        // Given a page on which a member writes as one of the two sides,
        let form_token = csrf_token(&browser.get(&path).await);
        let fields = [
            ("token", form_token.as_str()),
            ("as", customer),
            ("action", action),
            (field, "Hello"),
        ];
        let sent = browser.post(&path, &fields).await;
        assert_eq!(sent.status, 303, "{}", sent.text);
        // then the next page has the focus in the field of that side, and shows the same customer.
        let page = browser.get(sent.location()).await;
        assert!(page.text.contains(focused), "{action}: {}", page.text);
        assert!(!page.text.contains(other), "{action}: {}", page.text);
        assert!(page.text.contains(&format!("num\">{customer}</span>")), "{}", page.text);
    }
}

async fn a_button_is_tapped(world: World) {
    let mut browser = sign_in_member(&world).await;
    let path = phone(&world);
    let example = browser.get(&format!("{path}?example=buttons")).await;
    assert!(example.text.contains("Body of the request"), "{}", example.text);
    // The call beside the composer names the recipient, so that it works.
    let call = text_in(&example, "phone-call").replace("&#34;", "\"");
    assert!(call.contains(&format!("\"phone_number\": \"{CUSTOMER}\"")), "{call}");
    let body = json!({"type": "interactive", "interactive": {
        "type": "button", "body": {"text": "Ten?"},
        "action": {"buttons": [
            {"type": "reply", "reply": {"id": "yes", "title": "Yes"}},
            {"type": "reply", "reply": {"id": "no", "title": "No"}},
        ]},
    }});
    let (form_token, body) = (csrf_token(&example), body.to_string());
    let form = [
        ("token", form_token.as_str()),
        ("as", CUSTOMER),
        ("action", "send"),
        ("example", "buttons"),
        ("body", &body),
    ];
    let sent = browser.post(&path, &form).await;
    assert_eq!(sent.status, 303, "{}", sent.text);
    work(&world).await;
    let message = world.history(CUSTOMER).await[0]["id"].as_str().unwrap().to_owned();
    let page = browser.get(&path).await;
    assert!(page.text.contains("value=\"no\""), "{}", page.text);
    let tap = |choice| {
        [
            ("token", form_token.clone()),
            ("as", CUSTOMER.to_owned()),
            ("action", "tap".to_owned()),
            ("message", message.clone()),
            ("choice", choice),
        ]
    };
    let form = tap("no".to_owned());
    let form: Vec<(&str, &str)> =
        form.iter().map(|(name, value)| (*name, value.as_str())).collect();
    assert_eq!(browser.post(&path, &form).await.status, 303);
    work(&world).await;
    let history = world.history(CUSTOMER).await;
    let answer = history.iter().find(|it| it["direction"] == "inbound").unwrap();
    assert_eq!(answer["interactive"]["button_reply"], json!({"id": "no", "title": "No"}));
    assert_eq!(answer["reply_to"], json!(message));
    // A button that the message does not have is not found.
    let form = tap("maybe".to_owned());
    let form: Vec<(&str, &str)> =
        form.iter().map(|(name, value)| (*name, value.as_str())).collect();
    assert_eq!(browser.post(&path, &form).await.status, 404);
}

/// Asks for the preview of what is in the composer.
async fn preview(browser: &mut Browser, path: &str, fields: &[(&str, &str)]) -> Page {
    let form_token = csrf_token(&browser.get(path).await);
    let fields =
        [&[("token", form_token.as_str()), ("as", CUSTOMER), ("action", "preview")], fields];
    browser.post(path, &fields.concat()).await
}

/// Returns the HTML of the preview.
fn previewed(page: &Page) -> &str {
    let (_, rest) = page.text.split_once("id=\"phone-preview\">").expect("a preview");
    rest.split("value=\"preview\"").next().unwrap()
}

async fn the_composer_shows_a_preview_of_each_type(world: World) {
    let mut browser = sign_in_member(&world).await;
    let path = phone(&world);
    // Given an empty composer, then there is nothing to show.
    let page = browser.get(&path).await;
    assert!(previewed(&page).contains("What the customer will see."), "{}", page.text);

    // When the member asks for a preview of a text, then the page shows the bubble, and the call
    // that sends the text.
    let page = preview(&mut browser, &path, &[("text", "Is <i>ten</i> fine?")]).await;
    assert_eq!(page.status, 200, "{}", page.text);
    let bubble = "<div class=\"bub\">Is &#60;i&#62;ten&#60;/i&#62; fine?</div>";
    assert!(previewed(&page).contains(bubble), "{}", page.text);
    assert!(text_in(&page, "phone-call").contains("fine?"), "{}", page.text);
    assert!(page.text.contains("fine?</textarea>"), "{}", page.text);

    // An example has its preview at once, with its buttons.
    let example = browser.get(&format!("{path}?example=buttons")).await;
    assert!(previewed(&example).contains("<div class=\"taps\"><span>"), "{}", example.text);

    // A template has the text that the customer reads.
    create_template(&world, &plain_template("open_again")).await;
    let body = json!({"type": "template", "template_name": "open_again", "language": "en"});
    let body = body.to_string();
    let fields = [("example", "media"), ("body", body.as_str())];
    let page = preview(&mut browser, &path, &fields).await;
    assert!(previewed(&page).contains("We are open again."), "{}", page.text);

    // What is not a message is explained in place of the preview.
    for (body, why) in [
        ("{\"type\": \"text\"", "This is not the body of a message"),
        ("{\"type\": \"media\"}", "media_url"),
    ] {
        let page = preview(&mut browser, &path, &[("example", "media"), ("body", body)]).await;
        assert_eq!(page.status, 200, "{}", page.text);
        assert!(previewed(&page).contains(why), "{why}: {}", page.text);
    }
    // Nothing was sent, and another organization sees nothing.
    assert!(world.history(CUSTOMER).await.is_empty());
    let mut eve = member_of_another_organization(&world).await;
    let form_token = csrf_token(&eve.get("/account").await);
    let fields = [("token", form_token.as_str()), ("action", "preview"), ("text", "Hello")];
    assert_eq!(eve.post(&path, &fields).await.status, 404);
}

/// Sends a file as the customer.
async fn send_file(browser: &mut Browser, path: &str, file: File<'_>) -> Page {
    let form_token = csrf_token(&browser.get(path).await);
    let fields = [("token", form_token.as_str()), ("as", CUSTOMER)];
    submit_parts(browser, path, &fields, file, &[("action", "file")]).await
}

async fn the_customer_sends_a_picture(world: World) {
    let mut browser = sign_in_member(&world).await;
    let path = phone(&world);
    let picture = png();
    // Given a picture, when the customer sends it, then it arrives as a file of a real customer does,
    let file = File { name: "cake.png", content_type: "image/png", content: &picture };
    let sent = send_file(&mut browser, &path, file).await;
    assert_eq!(sent.status, 303, "{}", sent.text);
    work(&world).await;
    let history = world.history(CUSTOMER).await;
    assert_eq!(history.len(), 1, "{history:#?}");
    assert_eq!(history[0]["direction"], "inbound");
    assert_eq!(history[0]["media"]["media_type"], "image");
    assert_eq!(history[0]["media"]["content_type"], "image/png");
    let url = local_address(&world, &history[0]["media"]["url"]);
    let stored = world.http.get(url).send().await.unwrap().bytes().await.unwrap();
    assert_eq!(stored, picture);
    // and the phone shows it.
    let page = browser.get(&path).await;
    assert!(page.text.contains("<img src=\"/media/med_"), "{}", page.text);
}

async fn a_file_that_the_customer_cannot_send_is_explained(world: World) {
    let mut browser = sign_in_member(&world).await;
    let path = phone(&world);
    let picture = png();
    let large = [&picture[..], &vec![0; 5 * 1024 * 1024]].concat();
    let file = |name, content_type, content| File { name, content_type, content };
    for (file, why) in [
        (NO_FILE, "Choose a file."),
        (file("x.html", "text/html", b"<script>"), "Files of this kind cannot be sent"),
        (file("x.png", "image/png", b"%PDF-1.4\n"), "By its name or type the file is image/png"),
        (file("x.png", "image/png", b""), "The file is empty"),
        (file("x.png", "image/png", &large), "at most 5 MB"),
    ] {
        let refused = send_file(&mut browser, &path, file).await;
        assert_eq!(refused.status, 422, "{why}: {}", refused.text);
        assert!(refused.text.contains(why), "{why}: {}", refused.text);
        assert!(refused.text.contains("aria-invalid"), "{why}: {}", refused.text);
    }
    work(&world).await;
    assert!(world.history(CUSTOMER).await.is_empty());
    // The number of another organization is not found.
    let mut eve = member_of_another_organization(&world).await;
    let form_token = csrf_token(&eve.get("/account").await);
    let fields = [("token", form_token.as_str()), ("as", CUSTOMER)];
    let file = file("x.png", "image/png", &picture);
    let theirs = submit_parts(&mut eve, &path, &fields, file, &[("action", "file")]).await;
    assert_eq!(theirs.status, 404, "{}", theirs.text);
}

async fn a_refused_message_stays_in_the_composer(world: World) {
    let mut browser = sign_in_member(&world).await;
    let path = phone(&world);
    let form_token = csrf_token(&browser.get(&path).await);
    let post = async |browser: &mut Browser, name: &str, value: &str, example: &str| {
        let form = [
            ("token", form_token.as_str()),
            ("as", CUSTOMER),
            ("action", "send"),
            ("example", example),
            (name, value),
        ];
        browser.post(&path, &form).await
    };
    let long = "x".repeat(5_000);
    let refused = post(&mut browser, "text", &long, "").await;
    assert_eq!(refused.status, 422, "{}", refused.text);
    assert!(
        refused.text.contains(&long) && refused.text.contains("aria-invalid"),
        "{}",
        refused.text
    );
    let refused = post(&mut browser, "body", "{\"type\": \"media\"", "media").await;
    assert_eq!(refused.status, 422);
    assert!(refused.text.contains("not the body of a message"), "{}", refused.text);
    let refused = post(&mut browser, "body", "{\"type\": \"media\"}", "media").await;
    assert!(refused.text.contains("media_url"), "{}", refused.text);
    assert!(world.history(CUSTOMER).await.is_empty());
}

async fn failures_are_named_in_words(world: World) {
    let mut browser = sign_in_member(&world).await;
    let path = phone(&world);
    // Given messages to customers whose numbers fail,
    for (number, failure) in [
        ("+12025550103", Failure::RecipientUnreachable),
        ("+12025550104", Failure::WindowClosed),
        ("+12025550105", Failure::RecipientOptedOut),
    ] {
        let body = json!({"type": "text", "phone_number": number, "text": "Hello"});
        let sent = world.post("/api/v1/messages", &world.key, &body).await;
        assert_eq!(sent.status, 201, "{}", sent.text);
        work(&world).await;
        // then the list of customers and the list of messages say why, as the page of the message
        // does, and without the codes of the API and of the channel.
        let page = browser.get(&format!("{path}?as=%2B{}", &number[1..])).await;
        let message = browser.get(&format!("/messages/{}", sent.text_of("id"))).await;
        let title = failure.title();
        assert!(message.text.contains(title), "{title}: {}", message.text);
        let (_, list) = page.text.split_once("<select name=\"as\">").expect("the customers");
        let (customers, rest) = list.split_once("</select>").expect("the end of the list");
        assert!(customers.contains(&format!("fails: {title}</option>")), "{title}: {customers}");
        assert!(!customers.contains(failure.as_str()) && !customers.contains(": 131"));
        let (_, recent) = rest.split_once("id=\"recent\"").expect("the list of messages");
        assert!(recent.contains(&format!("<span class=\"c-bad\">{title}</span>")), "{recent}");
    }
}

async fn a_number_is_connected_and_becomes_the_default(world: World) {
    let mut browser = sign_in_member(&world).await;
    let new = browser.get("/numbers/new").await;
    // Both values are named only if there are two.
    assert_eq!(new.text.contains("Enter both as"), new.text.contains("id=\"verify\""));
    let form_token = csrf_token(&new);
    // Every fault is named at once, and what was typed stays.
    let faulty = [
        ("token", form_token.as_str()),
        ("channel", "cloud_api"),
        ("phone_number", "+12025550177"),
        ("waba_id", "4711"),
    ];
    let refused = browser.post("/numbers/new", &faulty).await;
    assert_eq!(refused.status, 422, "{}", refused.text);
    for says in [
        "Enter the name that customers see",
        "Enter the phone number ID",
        "Enter the access token",
        "+12025550177",
        "4711",
    ] {
        assert!(refused.text.contains(says), "{says}: {}", refused.text);
    }
    let form = [
        ("token", form_token.as_str()),
        ("channel", "sandbox"),
        ("phone_number", "+1 202 555 0177"),
        ("display_name", "Catering"),
    ];
    let connected = browser.post("/numbers/new", &form).await;
    assert_eq!(connected.status, 303, "{}", connected.text);
    let path = connected.location().split('?').next().unwrap().to_owned();
    let page = browser.get(connected.location()).await;
    assert!(page.text.contains("Number connected"), "{}", page.text);
    let form_token = csrf_token(&page);
    let changed = browser.post(&path, &[("token", &form_token), ("action", "default")]).await;
    assert!(browser.get(changed.location()).await.text.contains("Default number changed"));
    // A number is connected once.
    let again = browser
        .post(
            "/numbers/new",
            &[
                ("token", &form_token),
                ("channel", "sandbox"),
                ("phone_number", "+12025550177"),
                ("display_name", "Twice"),
            ],
        )
        .await;
    assert_eq!(again.status, 422, "{}", again.text);
    let list = browser.get(NUMBERS).await;
    assert_eq!(list.text.matches("Catering").count(), 1, "{}", list.text);
    // The sandbox has nothing to check, and no token.
    let checked = browser.get(&path).await;
    assert!(checked.text.contains("The sandbox is built in"), "{}", checked.text);
    assert!(!checked.text.contains("Check now"), "{}", checked.text);
    assert!(!checked.text.contains("token works"), "{}", checked.text);
    assert_eq!(browser.get("/numbers/acc_00000000000000000000000000").await.status, 404);
}

on_both_databases! {
    failures_are_named_in_words,
    a_member_plays_both_sides,
    only_a_number_with_an_agent_says_that_it_is_paused,
    a_pause_from_before_the_agent_is_shown_and_ended,
    the_field_that_was_used_has_the_focus_again,
    a_button_is_tapped,
    the_composer_shows_a_preview_of_each_type,
    the_customer_sends_a_picture,
    a_file_that_the_customer_cannot_send_is_explained,
    a_refused_message_stays_in_the_composer,
    a_number_is_connected_and_becomes_the_default,
}
