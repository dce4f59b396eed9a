//! Conversations in the inbox.

use super::{ENTER, Walk, Way, in_both_ways, press};
use crate::browser::inbox::CUSTOMER;
use crate::connect::EMAIL;
use crate::members::id_of;
use crate::template_creation::{create_template, template_with};
use domain::agent::AgentMode;
use domain::role::MemberAction;
use domain::saved_reply::SavedReplyContent;
use serde_json::json;
use std::time::Duration;

/// A customer of the sandbox whom no message reaches.
const UNREACHABLE: &str = "+12025550103";
/// The head of the menu of the open conversation.
const MENU: &str = ".thread-head details.menu summary";
const UPDATED: MemberAction = MemberAction::ConversationUpdated;
const SENT: MemberAction = MemberAction::MessageSent;

async fn a_customer_is_answered_in_every_way(walk: &Walk) {
    // Given a template, a saved reply, and a customer who has written,
    let (scene, world) = (&walk.scene, &walk.scene.world);
    let body = json!([{
        "type": "BODY",
        "text": "Hello {{1}}, your order is on its way.",
        "example": {"body_text": [["Ada"]]},
    }]);
    create_template(world, &template_with("order_sent", &body)).await;
    world.live_through(Duration::from_secs(2)).await;
    let content = SavedReplyContent { name: "Hours".to_owned(), text: "We open at 7.".to_owned() };
    let deps = &world.server.deps;
    service::saved_replies::create(deps, world.organization, content).await.unwrap();
    scene.customer_writes("Hello").await;
    // when a member finds the conversation,
    walk.open("/inbox").await;
    walk.types_and_enters("form[role=search] input[type=search]", CUSTOMER).await;
    walk.press(".conv").await;
    // then they send a text, a reaction, a saved reply and a template, and write a note.
    walk.types("#text", "Yes").await;
    if walk.way == Way::ByKeyboard {
        walk.reach("[data-attach] input[type=file]").await;
    }
    walk.does(SENT, ".composer button[value=send]").await;
    walk.press("#messages .msg:not(.out) a.answer").await;
    walk.does(SENT, ".composer button[value^='react ']").await;
    walk.inserts_the_saved_reply().await;
    walk.does(SENT, ".composer button[value=send]").await;
    walk.press("#kinds a[data-hotkey=t]").await;
    walk.press(".composer a.pick").await;
    walk.types("[name='parameter.body.1']", "Ada").await;
    walk.does(SENT, ".composer button[value=template]").await;
    walk.press("#kinds a[data-hotkey=n]").await;
    walk.types("[data-kind=note] #text", "Call").await;
    walk.does(MemberAction::NoteCreated, ".composer button[value=note]").await;
    let history = world.history(CUSTOMER).await;
    let own = history.iter().filter(|it| it["direction"] == "outbound");
    let kinds: Vec<_> = own.map(|it| it["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["text", "reaction", "text", "template"]);
}

async fn a_conversation_is_taken_over_labeled_and_assigned(walk: &Walk) {
    walk.scene.customer_writes("Hello").await;
    walk.open(&walk.scene.conversation_with(CUSTOMER).await).await;
    walk.does(MemberAction::AgentPaused, "#strip button[value=take_over]").await;
    walk.does(MemberAction::AgentResumed, "#strip button[value=resume]").await;
    walk.types("#contact input.in[name=label]", "VIP").await;
    walk.does(UPDATED, "#contact button[value=label]").await;
    walk.does(UPDATED, "#labels button[value=unlabel]").await;
    let ada = id_of(&walk.scene.world, EMAIL).await;
    walk.selects("#assignee", &ada.to_string()).await;
    walk.does(UPDATED, "#assigned button[value=assign]").await;
}

async fn a_conversation_is_marked_snoozed_and_closed(walk: &Walk) {
    walk.scene.customer_writes("Hello").await;
    walk.open(&walk.scene.conversation_with(CUSTOMER).await).await;
    for button in ["button[value=read]", "button[value=unread]"] {
        walk.activate(MENU).await;
        walk.press(&format!(".thread-head {button}")).await;
    }
    for button in [
        "button[value=assign_me]",
        "button[value=wait]",
        "button[value=snooze_hour]",
        "#thread-menu button[value=open]",
    ] {
        walk.activate(MENU).await;
        walk.does(UPDATED, &format!(".thread-head .menu-list {button}")).await;
    }
    walk.does(UPDATED, "#thread-state button[value=close]").await;
    walk.does(UPDATED, "#thread-state button[value=open]").await;
}

async fn what_an_agent_handed_over_is_handled(walk: &Walk) {
    let scene = &walk.scene;
    let answer = json!({"hand_over": {"reason": "Refund", "summary": "Order 7 was late."}});
    let _receiver = scene.create_agent(AgentMode::Auto, &answer).await;
    scene.customer_writes("Hello").await;
    scene.write_draft().await;
    walk.open(&scene.conversation_with(CUSTOMER).await).await;
    walk.does(UPDATED, "#strip button[value=handled]").await;
}

async fn a_draft_is_discarded_and_a_failed_message_resent(walk: &Walk) {
    // Given a draft of an AI agent, and a message that failed,
    let (scene, world) = (&walk.scene, &walk.scene.world);
    let _receiver = scene.create_drafting_agent().await;
    scene.customer_writes("Hello").await;
    scene.write_draft().await;
    walk.open(&scene.conversation_with(CUSTOMER).await).await;
    walk.press("#agent-draft button[value=discard]").await;
    walk.browser().find("#agent-draft:empty").await;
    let body = json!({"type": "text", "phone_number": UNREACHABLE, "text": "Your pie"});
    assert_eq!(world.post("/api/v1/messages", &world.key, &body).await.status, 201);
    world.live_through(Duration::from_secs(2)).await;
    walk.open(&scene.conversation_with(UNREACHABLE).await).await;
    walk.does(MemberAction::MessageResent, "#messages button[value=resend]").await;
}

impl Walk {
    /// Inserts the only saved reply into the text.
    async fn inserts_the_saved_reply(&self) {
        match self.way {
            Way::WithoutScripts => {
                self.press(".composer a[data-saved]").await;
                self.press("#saved a").await;
            }
            Way::ByKeyboard => {
                self.activate(".composer a[data-saved]").await;
                self.browser().find("dialog[open] .hit").await;
                let enter = async || press(self.browser(), ENTER).await;
                self.to_next_page("the saved reply", enter).await;
            }
        }
    }
}

in_both_ways! {
    a_customer_is_answered_in_every_way performs [MessageSent, NoteCreated],
    a_conversation_is_taken_over_labeled_and_assigned
        performs [AgentPaused, AgentResumed, ConversationUpdated],
    a_conversation_is_marked_snoozed_and_closed performs [ConversationUpdated],
    what_an_agent_handed_over_is_handled performs [ConversationUpdated],
    a_draft_is_discarded_and_a_failed_message_resent performs [MessageResent],
}
