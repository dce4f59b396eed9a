//! The inbox in the browser: the list, a thread, the composer, and what members decide
//! (`docs/contract.md#inbox`).

use super::{csrf_token, member_of_another_organization, sign_in_member};
use crate::connect::{Browser, PASSWORD, Page, percent_encode};
use crate::template_creation::create_template;
use crate::world::{World, on_both_databases};
use domain::event::EventKind;
use domain::keyword::Keyword as _;
use domain::role::Role;
use reqwest::Method;
use serde_json::{Value, json};
use std::time::Duration;

pub(super) const INBOX: &str = "/inbox";
/// The customer of the sandbox whom a member plays.
pub(super) const CUSTOMER: &str = "+12025550143";
/// A customer of the sandbox who writes for the first time.
const OTHER_CUSTOMER: &str = "+12025550144";
/// The customer of the sandbox whom no message reaches.
const UNREACHABLE: &str = "+12025550103";
const SECOND: Duration = Duration::from_secs(1);

/// Writes as the customer of the sandbox number, and returns the page of the conversation.
pub(super) async fn customer_writes(world: &World, browser: &mut Browser, text: &str) -> String {
    let phone = format!("/numbers/{}/phone", world.account);
    let form_token = csrf_token(&browser.get(&phone).await);
    let fields = [("token", form_token.as_str()), ("action", "write"), ("said", text)];
    assert_eq!(browser.post(&phone, &fields).await.status, 303);
    world.settle().await;
    let conversation = world.history(CUSTOMER).await[0]["conversation_id"].clone();
    format!("{INBOX}/{}", conversation.as_str().unwrap())
}

/// Submits a form of a conversation's page.
pub(super) async fn submit(browser: &mut Browser, path: &str, fields: &[(&str, &str)]) -> Page {
    let form_token = csrf_token(&browser.get(path).await);
    browser.post(path, &[&[("token", form_token.as_str())], fields].concat()).await
}

/// Submits a form that leads back to the page, and returns the page.
pub(super) async fn done(browser: &mut Browser, path: &str, fields: &[(&str, &str)]) -> Page {
    let sent = submit(browser, path, fields).await;
    assert_eq!(sent.status, 303, "{fields:?}: {}", sent.text);
    let to = sent.location().to_owned();
    browser.get(&to).await
}

/// Returns the newest message of the customer's history.
pub(super) async fn newest(world: &World) -> Value {
    world.history(CUSTOMER).await.pop().expect("a message")
}

async fn conversation(world: &World, path: &str) -> Value {
    let id = path.rsplit('/').next().unwrap();
    world.get(&format!("/api/v1/conversations/{id}"), &world.key).await.body
}

/// Returns another member with the role support, signed in.
pub(super) async fn colleague(world: &World) -> Browser {
    let admin = world.admin();
    let email = "priya@acme.example";
    admin
        .create_member_as(Role::Support, world.organization, email, "Priya Shah", PASSWORD)
        .await
        .unwrap();
    let mut browser = Browser::new(world);
    let form_token = browser.get("/login").await.field("token");
    let fields = [("token", form_token.as_str()), ("email", email), ("password", PASSWORD)];
    assert_eq!(browser.post("/login", &fields).await.status, 303);
    browser
}

async fn a_customer_is_answered_from_the_inbox(world: World) {
    let mut ada = sign_in_member(&world).await;
    let empty = ada.get(INBOX).await;
    assert_eq!(empty.status, 200, "{}", empty.text);
    assert!(empty.text.contains("No open conversations"), "{}", empty.text);
    assert!(!empty.text.contains("Choose one from the list"), "{}", empty.text);
    // Given a customer who wrote,
    let path = customer_writes(&world, &mut ada, "Is <b>8 AM</b> fine?").await;
    let list = ada.get(INBOX).await;
    assert!(list.text.contains("Is &#60;b&#62;8 AM&#60;/b&#62; fine?"), "{}", list.text);
    assert!(list.text.contains("1<span class=\"sr\"> unread"), "{}", list.text);
    assert!(list.text.contains("Choose one from the list"), "{}", list.text);
    // when a member looks, it stays unread; when they answer, it is read.
    let page = ada.get(&path).await;
    assert!(page.text.contains("The AI agent may answer"), "{}", page.text);
    assert!(page.text.contains("<span>1 new</span>"), "{}", page.text);
    assert!(page.text.contains("</time> left to reply"), "{}", page.text);
    assert!(ada.get(INBOX).await.text.contains("> unread<"));
    world.advance(SECOND);
    let page = done(&mut ada, &path, &[("action", "send"), ("text", "Of course!")]).await;
    assert!(page.text.contains("Of course!"), "{}", page.text);
    assert!(page.text.contains("Ada · "), "the sender's name: {}", page.text);
    assert!(!ada.get(INBOX).await.text.contains("> unread<"));
    // The customer gets it, and the agent is paused.
    world.settle().await;
    let answer = newest(&world).await;
    assert_eq!(answer["text"], "Of course!");
    assert_eq!(answer["source"], "inbox");
    assert!(page.text.contains("AI agent paused</b> by a reply of Ada"), "{}", page.text);
    let agent = conversation(&world, &path).await["agent"].clone();
    assert_eq!(agent["cause"], "member");
    assert!(agent["by"].as_str().is_some_and(|it| it.starts_with("mem_")), "{agent}");
    let page = done(&mut ada, &path, &[("action", "resume")]).await;
    assert!(page.text.contains("The AI agent may answer"), "{}", page.text);
    assert_eq!(conversation(&world, &path).await["agent"]["state"], "running");
    let page = done(&mut ada, &path, &[("action", "take_over")]).await;
    assert!(page.text.contains("AI agent paused</b> by Ada"), "{}", page.text);
}

/// Returns the HTML of a page between the id of an element and a tag after it.
fn part<'a>(page: &'a Page, id: &str, end: &str) -> &'a str {
    let (_, rest) = page.text.split_once(&format!("id=\"{id}\"")).expect("the element");
    rest.split(end).next().unwrap()
}

async fn the_customers_phone_shows_what_the_channel_accepted(world: World) {
    let mut ada = sign_in_member(&world).await;
    let path = customer_writes(&world, &mut ada, "Is 8 AM fine?").await;
    let is_on_phone = |page: &Page, text: &str| part(page, "customer-view", "</ol>").contains(text);
    // Given an answer that waits for the channel, then it is not on the customer's phone,
    let page = done(&mut ada, &path, &[("action", "send"), ("text", "Of course!")]).await;
    assert!(is_on_phone(&page, "Is 8 AM fine?"), "{}", page.text);
    assert!(!is_on_phone(&page, "Of course!"), "{}", page.text);
    // and it is once the channel has accepted it.
    world.settle().await;
    world.advance(SECOND);
    world.settle().await;
    let page = ada.get(&path).await;
    assert!(is_on_phone(&page, "Of course!"), "{}", page.text);
    // A message that fails never arrives.
    let page = page_of_unreachable(&world, &mut ada).await;
    assert!(page.text.contains("The recipient can’t be reached"), "{}", page.text);
    assert!(!is_on_phone(&page, "Nobody reads this"), "{}", page.text);
}

/// Sends a message to a sandbox number that cannot be reached, and opens the conversation.
async fn page_of_unreachable(world: &World, browser: &mut Browser) -> Page {
    let body = json!({"type": "text", "phone_number": UNREACHABLE, "text": "Nobody reads this"});
    let sent = world.post("/api/v1/messages", &world.key, &body).await;
    assert_eq!(sent.status, 201, "{}", sent.text);
    world.settle().await;
    world.advance(SECOND);
    world.settle().await;
    let message = world.history(UNREACHABLE).await.remove(0);
    browser.get(&format!("{INBOX}/{}", message["conversation_id"].as_str().unwrap())).await
}

async fn a_contact_without_a_name_shows_the_number_once(world: World) {
    let mut ada = sign_in_member(&world).await;
    // Given a contact of whom only the number is known,
    let page = page_of_unreachable(&world, &mut ada).await;
    // then the number stands in place of the name, and not below it again,
    for (id, end, count) in [("contact-name", "<form", 1), ("facts", "</p>", 0)] {
        let shown = part(&page, id, end).matches(UNREACHABLE).count();
        assert_eq!(shown, count, "{id}: {}", page.text);
    }
    // also on the contact's own page.
    let list = ada.get("/contacts").await;
    let (_, rest) = list.text.split_once("href=\"/contacts/").expect("a contact");
    let id = rest.split('"').next().unwrap();
    let page = ada.get(&format!("/contacts/{id}")).await;
    assert!(page.text.contains(&format!("<h1>{UNREACHABLE}</h1></div>")), "{}", page.text);
}

async fn a_form_that_is_submitted_twice_answers_once(world: World) {
    let mut ada = sign_in_member(&world).await;
    let path = customer_writes(&world, &mut ada, "Hello").await;
    let form_token = csrf_token(&ada.get(&path).await);
    let fields = [("token", form_token.as_str()), ("action", "send"), ("text", "Hi")];
    for _ in 0..2 {
        assert_eq!(ada.post(&path, &fields).await.status, 303);
    }
    assert_eq!(world.history(CUSTOMER).await.len(), 2);
    // A text that is refused is kept, and can be sent after it is corrected.
    let long = "x".repeat(4097);
    let refused = submit(&mut ada, &path, &[("action", "send"), ("text", &long)]).await;
    assert_eq!(refused.status, 422, "{}", refused.text);
    assert!(refused.text.contains(&long));
}

async fn a_colleagues_answer_stops_a_send_once(world: World) {
    let mut ada = sign_in_member(&world).await;
    let mut priya = colleague(&world).await;
    let path = customer_writes(&world, &mut ada, "Hello").await;
    let page = ada.get(&path).await;
    let seen = page.field("seen");
    // Given that a colleague answers while a member writes,
    done(&mut priya, &path, &[("action", "send"), ("text", "Priya here.")]).await;
    let answer = [("action", "send"), ("text", "Ada here."), ("seen", seen.as_str())];
    let stopped = submit(&mut ada, &path, &answer).await;
    // then the text comes back beside the answer, and is sent if the member insists.
    assert_eq!(stopped.status, 422, "{}", stopped.text);
    assert!(stopped.text.contains("Priya Shah answered 1 s ago. Send anyway?"));
    assert!(stopped.text.contains("Ada here.") && stopped.text.contains("Priya here."));
    assert_eq!(world.history(CUSTOMER).await.len(), 2);
    let seen = stopped.field("seen");
    // An answer that the member has not seen stops them again.
    done(&mut priya, &path, &[("action", "send"), ("text", "One more thing.")]).await;
    let insists = [("action", "send"), ("text", "Ada here."), ("seen", seen.as_str())];
    let stopped = submit(&mut ada, &path, &insists).await;
    assert_eq!(stopped.status, 422, "{}", stopped.text);
    let seen = stopped.field("seen");
    let insists = [("action", "send"), ("text", "Ada here."), ("seen", seen.as_str())];
    done(&mut ada, &path, &insists).await;
    assert_eq!(newest(&world).await["text"], "Ada here.");
    // What the customer writes meanwhile does not stop anybody.
    let seen = ada.get(&path).await.field("seen");
    customer_writes(&world, &mut priya, "Thanks").await;
    done(&mut ada, &path, &[("action", "send"), ("text", "Bye"), ("seen", &seen)]).await;
}

async fn one_of_two_members_who_answer_at_the_same_instant_is_asked(world: World) {
    let mut ada = sign_in_member(&world).await;
    let mut priya = colleague(&world).await;
    let path = customer_writes(&world, &mut ada, "Hello").await;
    for round in 1..=10 {
        // Given two members who have seen the same messages,
        let pages = [ada.get(&path).await, priya.get(&path).await];
        let fields = pages.each_ref().map(|page| (csrf_token(page), page.field("seen")));
        let answers = fields.each_ref().map(|(token, seen)| {
            [("token", token.as_str()), ("action", "send"), ("text", "Hi"), ("seen", seen.as_str())]
        });
        // when both answer at the same instant,
        let answered = tokio::join!(ada.post(&path, &answers[0]), priya.post(&path, &answers[1]));
        // then one answer is sent, and the other member is asked.
        let mut statuses = [answered.0.status, answered.1.status];
        statuses.sort_unstable();
        assert_eq!(statuses, [303, 422], "round {round}");
        assert_eq!(world.history(CUSTOMER).await.len(), round + 1);
    }
}

async fn members_organize_conversations(world: World) {
    let mut ada = sign_in_member(&world).await;
    let mut priya = colleague(&world).await;
    let path = customer_writes(&world, &mut ada, "Hello").await;
    let contains = async |browser: &mut Browser, query: &str, text: &str| {
        browser.get(&format!("{INBOX}{query}")).await.text.contains(text)
    };
    // Assigning, labels and the status decide in which views a conversation is.
    assert!(contains(&mut ada, "?view=unassigned", "class=\"conv ").await);
    done(&mut priya, &path, &[("action", "assign_me")]).await;
    assert!(contains(&mut ada, "?view=unassigned", "Every conversation has an assignee").await);
    assert!(contains(&mut ada, "?view=mine", "Nothing is assigned to you").await);
    assert!(contains(&mut priya, "?view=mine", "class=\"conv ").await);
    done(&mut ada, &path, &[("action", "label"), ("label", " Custom <cakes> ")]).await;
    let page = done(&mut ada, &path, &[("action", "label"), ("label", "vip")]).await;
    assert!(page.text.contains("Remove the label Custom &#60;cakes&#62;"), "{}", page.text);
    assert!(contains(&mut ada, "?view=all&label=vip", "class=\"conv ").await);
    assert!(contains(&mut ada, "?view=all&label=x", "No conversation has this label").await);
    done(&mut ada, &path, &[("action", "unlabel"), ("label", "vip")]).await;
    assert_eq!(conversation(&world, &path).await["labels"], json!(["Custom <cakes>"]));
    done(&mut ada, &path, &[("action", "assign"), ("assignee", "")]).await;
    assert_eq!(conversation(&world, &path).await["assignee_id"], Value::Null);
    // A snoozed conversation can be reopened before its time.
    let page = done(&mut ada, &path, &[("action", "snooze_week")]).await;
    assert!(page.text.contains("Reopen"), "{}", page.text);
    let page = done(&mut ada, &path, &[("action", "open")]).await;
    assert!(!page.text.contains("Reopen"), "{}", page.text);
    assert_eq!(conversation(&world, &path).await["status"], "open");
    done(&mut ada, &path, &[("action", "snooze_hour")]).await;
    assert!(contains(&mut ada, "?view=snoozed", "class=\"conv ").await);
    world.advance(Duration::from_hours(1));
    workers::inbox::run_until_idle(&world.server.deps).await.unwrap();
    assert_eq!(conversation(&world, &path).await["status"], "open");
    done(&mut ada, &path, &[("action", "wait")]).await;
    assert!(contains(&mut ada, "?view=waiting", "class=\"conv ").await);
    let page = done(&mut ada, &path, &[("action", "close")]).await;
    assert!(page.text.contains("<b>Conversation closed.</b>"), "{}", page.text);
    assert!(page.text.contains("Reopen</button>"), "{}", page.text);
    assert!(!ada.get(&path).await.text.contains("Conversation closed."));
    assert!(contains(&mut ada, "", "No open conversations").await);
    customer_writes(&world, &mut ada, "One more thing").await;
    assert!(contains(&mut ada, "", "One more thing").await);
    // Unread belongs to a member.
    done(&mut ada, &path, &[("action", "read")]).await;
    assert!(contains(&mut ada, "?view=unread", "You have read everything").await);
    assert!(contains(&mut priya, "?view=unread", "One more thing").await);
    done(&mut ada, &path, &[("action", "unread")]).await;
    assert!(contains(&mut ada, "?view=unread", "One more thing").await);
    // The list is searched by number.
    assert!(contains(&mut ada, "?q=0143", "class=\"conv ").await);
    assert!(contains(&mut ada, "?q=0199", "No conversation found").await);
    assert!(contains(&mut ada, "?q=0199", "href=\"/inbox?view=all&#38;q=0199\"").await);
    assert!(!contains(&mut ada, "?view=all&q=0199", "Search all conversations").await);
    // The links of a conversation lead back to the list beside it.
    let page = ada.get(&format!("{path}?view=all")).await;
    for link in ["href=\"/inbox?view=all\" aria-label=\"Back", "?view=all&#38;compose=note\""] {
        assert!(page.text.contains(link), "{link}: {}", page.text);
    }
}

async fn each_key_of_the_inbox_does_one_thing_and_is_listed(world: World) {
    let mut ada = sign_in_member(&world).await;
    let path = customer_writes(&world, &mut ada, "Hello").await;
    let page = ada.get(&path).await;
    let (_, main) = page.text.split_once("<main").unwrap();
    let keys = main.split("data-hotkey=\"").skip(1).map(|it| it.split('"').next().unwrap());
    let keys: Vec<&str> = keys.collect();
    for key in ["r", "t", "n", "e", "a", "m", "u", "/", "?"] {
        assert_eq!(keys.iter().filter(|it| **it == key).count(), 1, "{key}: {keys:?}");
    }
    // The dialog lists them, and the keys that are no letters, and can be closed with a button.
    for key in ["r", "t", "n", "e", "a", "m", "u", "/", "?", "j", "k", "Enter", "Esc"] {
        assert!(main.contains(&format!("<kbd>{key}</kbd>")), "{key} is not listed");
    }
    let (_, dialog) = main.split_once("id=\"keys\"").expect("the dialog");
    assert!(dialog.contains("popovertargetaction=\"hide\" aria-label=\"Close the shortcuts\""));
}

async fn notes_and_drafts_stay_with_their_conversation(world: World) {
    let mut ada = sign_in_member(&world).await;
    let mut priya = colleague(&world).await;
    let path = customer_writes(&world, &mut ada, "Hello").await;
    let note = [("action", "note"), ("text", "Wants <i>almonds</i>.")];
    let page = done(&mut ada, &path, &note).await;
    assert!(page.text.contains("Wants &#60;i&#62;almonds&#60;/i&#62;."), "{}", page.text);
    assert!(page.text.contains("only your team sees this"));
    assert_eq!(world.history(CUSTOMER).await.len(), 1);
    let empty = submit(&mut ada, &path, &[("action", "note"), ("text", " ")]).await;
    assert_eq!(empty.status, 422, "{}", empty.text);
    // A draft is the member's own, and ends when it is sent.
    let saved = submit(&mut ada, &path, &[("action", "draft"), ("text", "Half a sen")]).await;
    assert_eq!(saved.status, 204, "{}", saved.text);
    assert!(ada.get(&path).await.text.contains("Half a sen"));
    assert!(ada.get(INBOX).await.text.contains("Draft</span> Half a sen</span>"));
    let theirs = priya.get(&path).await;
    assert!(!theirs.text.contains("Half a sen"), "{}", theirs.text);
    assert!(theirs.text.contains("Ada is writing"), "{}", theirs.text);
    done(&mut ada, &path, &[("action", "send"), ("text", "Half a sentence.")]).await;
    assert!(!ada.get(&path).await.text.contains("Half a sen</textarea>"));
    world.advance(Duration::from_mins(1));
    assert!(!priya.get(&path).await.text.contains("Ada is"), "nobody else looks");
}

/// Submits a form as a browser does, which accepts a page.
async fn submit_for_page(browser: &mut Browser, path: &str, fields: &[(&str, &str)]) -> Page {
    let encoded = |(name, value): &(&str, &str)| format!("{name}={}", percent_encode(value));
    let body: Vec<String> = fields.iter().map(encoded).collect();
    let request = browser.request(Method::POST, path).body(body.join("&"));
    let request = request.header("content-type", "application/x-www-form-urlencoded");
    let request = request.header("sec-fetch-site", "same-origin");
    browser.send(request.header("accept", "text/html")).await
}

async fn a_text_stays_when_its_conversation_is_gone(world: World) {
    let mut ada = sign_in_member(&world).await;
    let mut priya = colleague(&world).await;
    let path = customer_writes(&world, &mut ada, "Hello").await;
    let contact = newest(&world).await["contact_id"].as_str().unwrap().to_owned();
    let token = csrf_token(&priya.get(&path).await);
    let text = "Half a <b>sentence</b>";
    let shown = "readonly>\nHalf a &#60;b&#62;sentence&#60;/b&#62;</textarea>";
    let title = "You can’t open this conversation anymore";
    let post = async |browser: &mut Browser, action: &str| {
        let fields = [("token", token.as_str()), ("action", action), ("text", text)];
        submit_for_page(browser, &path, &fields).await
    };
    // Given a member who writes without a script, when the conversation is hidden from them, then
    // the page says so, and has the text and nothing of the conversation.
    done(&mut ada, &path, &[("action", "assign_me")]).await;
    let limit = [("action", "support"), ("support_limited", "yes")];
    done(&mut ada, "/settings/organization", &limit).await;
    for action in ["send", "note"] {
        let page = post(&mut priya, action).await;
        assert_eq!(page.status, 404, "{}", page.text);
        assert!(page.text.contains(title) && page.text.contains(shown), "{}", page.text);
        assert!(!page.text.contains("Hello"), "{}", page.text);
    }
    // The same holds when its contact is deleted,
    let unlimited = [("action", "support"), ("support_limited", "no")];
    done(&mut ada, "/settings/organization", &unlimited).await;
    let request = world.request(Method::DELETE, &format!("/api/v1/contacts/{contact}"), &world.key);
    assert_eq!(request.send().await.unwrap().status().as_u16(), 200);
    let page = post(&mut priya, "send").await;
    assert_eq!(page.status, 404, "{}", page.text);
    assert!(page.text.contains(title) && page.text.contains(shown), "{}", page.text);
    // A member without a text is told what can have happened, and not more of an id that exists.
    for path in [path.as_str(), "/inbox/conv_01h455vb4pex5vsknk084sn02q"] {
        let page = priya.get(path).await;
        assert_eq!(page.status, 404, "{}", page.text);
        assert!(page.text.contains("You can’t open this conversation"), "{}", page.text);
        assert!(page.text.contains("It was deleted, it is assigned to somebody else"));
    }
    // The same holds when the member's role has the inbox no longer.
    let found = world.server.deps.db.member_of_email("priya@acme.example".to_owned()).await;
    let (member, now) = (found.unwrap().expect("the member").id, world.clock.now());
    let organization_db = world.server.deps.db.organization(world.organization);
    organization_db.change_role(member, Some(Role::Developer), now).await.unwrap();
    let page = post(&mut priya, "note").await;
    assert_eq!(page.status, 403, "{}", page.text);
    assert!(page.text.contains("Your role is Developer"), "{}", page.text);
    assert!(page.text.contains(shown), "{}", page.text);
}

async fn a_note_that_mentions_a_member_is_unread_for_them(world: World) {
    let mut ada = sign_in_member(&world).await;
    let mut priya = colleague(&world).await;
    let path = customer_writes(&world, &mut ada, "Hello").await;
    let unread = async |browser: &mut Browser| {
        !browser.get("/inbox?view=unread").await.text.contains("You have read everything")
    };
    for browser in [&mut ada, &mut priya] {
        done(browser, &path, &[("action", "read")]).await;
        assert!(!unread(browser).await);
    }
    // Given a note with a colleague's name, in any case, and one of nobody,
    let note = [("action", "note"), ("text", "@priya shah, can you ask @Somebody Else?")];
    let page = done(&mut ada, &path, &note).await;
    // then the colleague's name is marked in it, and nothing else,
    let marked = "<b class=\"mention\">@priya shah</b>, can you ask @Somebody Else?";
    assert!(page.text.contains(marked), "{}", page.text);
    // and the conversation is unread for the colleague alone, until they mark it.
    assert!(unread(&mut priya).await && !unread(&mut ada).await);
    priya.get(&path).await;
    assert!(unread(&mut priya).await);
    done(&mut priya, &path, &[("action", "read")]).await;
    assert!(!unread(&mut priya).await);
    // A note can mention somebody who has left.
    let found = world.server.deps.db.member_of_email("priya@acme.example".to_owned()).await;
    let id = found.unwrap().expect("the member").id;
    let organization_db = world.server.deps.db.organization(world.organization);
    organization_db.change_role(id, None, world.clock.now()).await.unwrap();
    let page = done(&mut ada, &path, &note).await;
    assert_eq!(page.text.matches("@priya shah").count(), 2, "{}", page.text);
    assert!(!page.text.contains("class=\"mention\""), "{}", page.text);
}

async fn the_name_of_a_removed_member_stays_at_their_messages(world: World) {
    let mut ada = sign_in_member(&world).await;
    let mut priya = colleague(&world).await;
    let path = customer_writes(&world, &mut ada, "Hello").await;
    let seen = ada.get(&path).await.field("seen");
    // Given a member who answered and was then removed from the organization,
    world.advance(SECOND);
    done(&mut priya, &path, &[("action", "send"), ("text", "Priya here.")]).await;
    let found = world.server.deps.db.member_of_email("priya@acme.example".to_owned()).await;
    let id = found.unwrap().expect("the member").id;
    let organization_db = world.server.deps.db.organization(world.organization);
    organization_db.change_role(id, None, world.clock.now()).await.unwrap();
    // then the message, the line about the agent, and the question to a member who was late name
    // them.
    let page = ada.get(&path).await;
    assert!(page.text.contains("Priya Shah · "), "{}", page.text);
    assert!(page.text.contains("AI agent paused</b> by a reply of Priya Shah"), "{}", page.text);
    let late = [("action", "send"), ("text", "Ada here."), ("seen", seen.as_str())];
    let stopped = submit(&mut ada, &path, &late).await;
    assert!(stopped.text.contains("Priya Shah answered 1 s ago."), "{}", stopped.text);
}

async fn a_member_chooses_when_a_conversation_is_read(world: World) {
    let mut ada = sign_in_member(&world).await;
    let mut priya = colleague(&world).await;
    let path = customer_writes(&world, &mut ada, "Hello").await;
    let has_unread =
        async |browser: &mut Browser| browser.get(INBOX).await.text.contains("> unread<");
    ada.get(&path).await;
    assert!(has_unread(&mut ada).await, "a look does not read it");
    // Given a member who wants conversations read when they open them,
    let chosen = [("action", "inbox"), ("reads_when_opened", "yes")];
    done(&mut ada, "/account", &chosen).await;
    // then opening is enough for them, and for nobody else.
    assert!(has_unread(&mut ada).await);
    ada.get(&path).await;
    assert!(!has_unread(&mut ada).await);
    priya.get(&path).await;
    assert!(has_unread(&mut priya).await);
    // What they mark as unread afterwards is unread until they open it again.
    done(&mut ada, "/account", &[("action", "inbox"), ("reads_when_opened", "no")]).await;
    done(&mut ada, &path, &[("action", "unread")]).await;
    assert!(has_unread(&mut ada).await);
}

async fn in_a_closed_window_the_composer_is_the_template_picker(world: World) {
    let mut ada = sign_in_member(&world).await;
    let path = customer_writes(&world, &mut ada, "Hello").await;
    let template = json!({
        "name": "tasting_reminder",
        "language": "en",
        "category": "utility",
        "components": [
            {"type": "HEADER", "format": "TEXT", "text": "Tasting"},
            {
                "type": "BODY",
                "text": "Hi {{1}}, a reminder of your tasting on {{2}} at our bakery.",
                "example": {"body_text": [["Petra", "Thursday"]]},
            },
            {
                "type": "BUTTONS",
                "buttons": [{"type": "QUICK_REPLY", "text": "See you then"}],
            },
        ],
    });
    let template = create_template(&world, &template).await;
    world.live_through(Duration::from_secs(2)).await;
    world.advance(Duration::from_hours(25));
    // The session has ended meanwhile.
    let mut ada = Browser::new(&world);
    ada.sign_in("/login").await;
    let closed = ada.get(&path).await;
    assert!(closed.text.contains("Only a template can be sent"), "{}", closed.text);
    assert!(closed.text.contains("Time to reply ended <time"), "{}", closed.text);
    assert!(closed.text.contains(">1 h ago</time>"), "{}", closed.text);
    assert!(!closed.text.contains("name=\"text\""), "{}", closed.text);
    assert!(closed.text.contains("tasting_reminder"), "{}", closed.text);
    // Given the chosen template with its fields,
    let id = template["id"].as_str().unwrap();
    let chosen = ada.get(&format!("{path}?template={id}")).await;
    assert!(chosen.text.contains("name=\"parameter.body.1\""), "{}", chosen.text);
    assert!(chosen.text.contains("See you then"), "{}", chosen.text);
    let fields = [
        ("action", "template"),
        ("template", id),
        ("parameter.body.1", "Petra"),
        ("parameter.body.2", "Thursday"),
    ];
    // then an incomplete one is refused with what was typed, and a complete one is sent.
    let refused = submit(&mut ada, &path, &fields[..3]).await;
    assert_eq!(refused.status, 422, "{}", refused.text);
    assert!(refused.text.contains("value=\"Petra\""), "{}", refused.text);
    let page = done(&mut ada, &path, &fields).await;
    let sent = newest(&world).await;
    assert_eq!(sent["type"], "template");
    assert_eq!(sent["template"]["name"], "tasting_reminder");
    // Each page shows what the customer reads.
    let text = "Hi Petra, a reminder of your tasting on Thursday at our bakery.";
    let buttons = "<div class=\"taps\"><span>See you then</span></div>";
    let messages = part(&page, "messages", "</ol>");
    assert!(messages.contains(&format!("Tasting\n{text}")), "{messages}");
    assert!(messages.contains(buttons), "{messages}");
    assert!(page.text.contains(&format!("Us: Tasting {text}</span>")), "{}", page.text);
    let list = ada.get("/messages").await;
    assert!(list.text.contains(&format!("Tasting {text}")), "{}", list.text);
    let id = sent["id"].as_str().unwrap();
    let message = ada.get(&format!("/messages/{id}")).await;
    assert!(message.text.contains(text) && message.text.contains(buttons), "{}", message.text);
    let phone = ada.get(&format!("/numbers/{}/phone", world.account)).await;
    assert!(phone.text.contains(text), "{}", phone.text);
    // A text that is typed into an old page is not lost.
    let late = submit(&mut ada, &path, &[("action", "send"), ("text", "Too late")]).await;
    assert!([303, 422].contains(&late.status), "{}", late.text);
}

/// Reads a stream until it has this many `changed` events, and returns their ids.
pub(super) async fn changes(stream: &mut reqwest::Response, count: usize) -> Vec<i64> {
    let mut text = String::new();
    let read = async {
        while text.matches("event: changed").count() < count {
            let bytes = stream.chunk().await.unwrap().expect("the stream goes on");
            text.push_str(std::str::from_utf8(&bytes).unwrap());
        }
    };
    tokio::time::timeout(Duration::from_secs(20), read).await.expect("events arrive");
    text.lines().filter_map(|line| line.strip_prefix("id: ")?.parse().ok()).collect()
}

/// Reads a stream until it has this many `changed` events, and returns their data.
pub(super) async fn changed_items(stream: &mut reqwest::Response, count: usize) -> Vec<Value> {
    let items = |text: &str| -> Vec<Value> {
        let events = text.split_inclusive("\n\n").filter(|it| it.ends_with("\n\n"));
        let data = events.filter_map(|it| Some(it.split_once("event: changed\ndata: ")?.1));
        data.map(|it| serde_json::from_str(it).unwrap()).collect()
    };
    let mut text = String::new();
    let read = async {
        while items(&text).len() < count || !text.ends_with("\n\n") {
            let bytes = stream.chunk().await.unwrap().expect("the stream goes on");
            text.push_str(std::str::from_utf8(&bytes).unwrap());
        }
    };
    tokio::time::timeout(Duration::from_secs(20), read).await.expect("events arrive");
    items(&text)
}

/// Reads a stream until it has named these kinds of changes of a conversation.
pub(super) async fn until_named(
    stream: &mut reqwest::Response,
    conversation: &str,
    kinds: &[EventKind],
) {
    let mut named = Vec::new();
    let is_named = |named: &[Value], kind: &EventKind| {
        named.contains(&json!({"conversation": conversation, "kind": kind.as_str()}))
    };
    while !kinds.iter().all(|kind| is_named(&named, kind)) {
        for item in changed_items(stream, 1).await {
            let changes = item["changes"].as_array();
            named.extend(changes.expect("the stream names what changed").iter().cloned());
        }
    }
}

async fn a_stream_tells_that_something_changed(world: World) {
    let mut ada = sign_in_member(&world).await;
    let path = customer_writes(&world, &mut ada, "Hello").await;
    // Given an open stream, which is ready at once,
    let mut stream = ada.open_stream("/inbox/stream", None).await;
    assert_eq!(stream.status(), 200);
    assert_eq!(stream.headers()["content-type"], "text/event-stream");
    let first = stream.chunk().await.unwrap().unwrap();
    assert!(std::str::from_utf8(&first).unwrap().contains("event: ready\ndata: {}\n\n"));
    // when a customer writes and a member answers, it says so once for each,
    customer_writes(&world, &mut ada, "Are you there?").await;
    let first = changes(&mut stream, 1).await;
    done(&mut ada, &path, &[("action", "send"), ("text", "Yes")]).await;
    let second = changes(&mut stream, 1).await;
    assert!(second[0] > first[0], "{first:?} {second:?}");
    // and a browser that comes back later learns that it missed something.
    drop(stream);
    let mut stream = ada.open_stream("/inbox/stream", Some(&first[0].to_string())).await;
    let missed = changes(&mut stream, 1).await;
    assert!(missed[0] >= second[0], "{missed:?}");
    // Nothing of another organization is told, and nobody without the inbox is let in.
    let eve = member_of_another_organization(&world).await;
    let mut theirs = eve.open_stream("/inbox/stream", None).await;
    customer_writes(&world, &mut ada, "Anybody?").await;
    let heard = tokio::time::timeout(SECOND, changes(&mut theirs, 1)).await;
    assert!(heard.is_err(), "{heard:?}");
    let stranger = Browser::new(&world).get("/inbox/stream").await;
    assert_eq!(stranger.status, 303, "{}", stranger.text);
}

async fn a_stream_names_the_conversations_that_changed(world: World) {
    let mut ada = sign_in_member(&world).await;
    let path = customer_writes(&world, &mut ada, "Hello").await;
    let conversation = path.trim_start_matches("/inbox/");
    // Given an open stream, when a customer writes, and members answer, write a note and close the
    // conversation, then the stream names the conversation and what happened in it;
    let mut stream = ada.open_stream("/inbox/stream", None).await;
    customer_writes(&world, &mut ada, "Are you there?").await;
    until_named(&mut stream, conversation, &[EventKind::MessageReceived]).await;
    for (fields, kind) in [
        ([("action", "send"), ("text", "Yes")], EventKind::MessageQueued),
        ([("action", "note"), ("text", "A regular")], EventKind::NoteCreated),
        ([("action", "close"), ("text", "")], EventKind::ConversationUpdated),
    ] {
        done(&mut ada, &path, &fields).await;
        until_named(&mut stream, conversation, &[kind]).await;
    }
    // also for a customer who writes for the first time.
    let body = json!({"phone_number": OTHER_CUSTOMER, "text": "Good morning"});
    let sent = world.post("/api/v1/sandbox/inbound", &world.key, &body).await;
    assert!(sent.status < 300, "{}", sent.text);
    world.settle().await;
    let other = world.history(OTHER_CUSTOMER).await[0]["conversation_id"].clone();
    let kinds =
        [EventKind::ContactCreated, EventKind::ConversationCreated, EventKind::MessageReceived];
    until_named(&mut stream, other.as_str().unwrap(), &kinds).await;
}

async fn a_stream_names_at_most_twenty_changes(world: World) {
    let ada = sign_in_member(&world).await;
    let last = async || {
        let deps = &world.server.deps;
        service::inbox::last_sequence(deps, world.organization).await.unwrap()
    };
    let write_to = async |number: u32| {
        let number = format!("+1202555{number:04}");
        let body = json!({"type": "text", "phone_number": number, "text": "Hello"});
        let sent = world.post("/api/v1/messages", &world.key, &body).await;
        assert_eq!(sent.status, 201, "{}", sent.text);
        sent.text_of("conversation_id")
    };
    // Given browsers that come back after one message and after messages to seven new customers,
    let before_all = last().await;
    for number in 150..157 {
        write_to(number).await;
    }
    world.settle().await;
    let before_one = last().await;
    let conversation = write_to(150).await;
    world.settle().await;
    let missed = last().await - before_all;
    assert!((21..=100).contains(&missed), "{missed} events");
    // then the one learns what changed, and the other that anything may have changed.
    let mut stream = ada.open_stream("/inbox/stream", Some(&before_one.to_string())).await;
    until_named(&mut stream, &conversation, &[EventKind::MessageQueued]).await;
    let mut stream = ada.open_stream("/inbox/stream", Some(&before_all.to_string())).await;
    let item = changed_items(&mut stream, 1).await.remove(0);
    assert_eq!(item.get("changes"), Some(&Value::Null), "{item}");
}

async fn another_organization_finds_nothing_in_the_inbox(world: World) {
    let mut ada = sign_in_member(&world).await;
    let path = customer_writes(&world, &mut ada, "Hello").await;
    let mut eve = member_of_another_organization(&world).await;
    assert_eq!(eve.get(&path).await.status, 404);
    assert!(!eve.get(&format!("{INBOX}?view=all")).await.text.contains("Hello"));
    let form_token = csrf_token(&eve.get("/account").await);
    for action in ["send", "note", "close", "assign_me", "take_over", "resume", "read", "draft"] {
        let fields = [("token", form_token.as_str()), ("action", action), ("text", "Hi")];
        assert_eq!(eve.post(&path, &fields).await.status, 404, "{action}");
    }
    let form_token = csrf_token(&ada.get(&path).await);
    for (action, name, value) in [
        ("assign", "assignee", "mem_01h455vb4pex5vsknk084sn02q"),
        ("template", "template", "tpl_01h455vb4pex5vsknk084sn02q"),
        ("resend", "message", "msg_01h455vb4pex5vsknk084sn02q"),
    ] {
        let fields = [("token", form_token.as_str()), ("action", action), (name, value)];
        assert_eq!(ada.post(&path, &fields).await.status, 404, "{action}");
    }
    let fields = [("token", form_token.as_str()), ("action", "explode")];
    assert_eq!(ada.post(&path, &fields).await.status, 400);
    assert_eq!(conversation(&world, &path).await["status"], "open");
    assert_eq!(world.history(CUSTOMER).await.len(), 1);
}

on_both_databases! {
    a_customer_is_answered_from_the_inbox,
    the_customers_phone_shows_what_the_channel_accepted,
    a_contact_without_a_name_shows_the_number_once,
    a_form_that_is_submitted_twice_answers_once,
    a_colleagues_answer_stops_a_send_once,
    one_of_two_members_who_answer_at_the_same_instant_is_asked,
    members_organize_conversations,
    each_key_of_the_inbox_does_one_thing_and_is_listed,
    notes_and_drafts_stay_with_their_conversation,
    a_text_stays_when_its_conversation_is_gone,
    a_note_that_mentions_a_member_is_unread_for_them,
    the_name_of_a_removed_member_stays_at_their_messages,
    a_member_chooses_when_a_conversation_is_read,
    in_a_closed_window_the_composer_is_the_template_picker,
    a_stream_tells_that_something_changed,
    a_stream_names_the_conversations_that_changed,
    a_stream_names_at_most_twenty_changes,
    another_organization_finds_nothing_in_the_inbox,
}
