//! Messages, numbers and the sandbox phone.

use super::{Walk, in_both_ways};
use crate::cloud::{BUSINESS, NUMBER};
use domain::agent::AgentMode;
use domain::role::MemberAction;
use serde_json::json;
use service::admin::NewChannel;
use std::time::Duration;

/// A customer of the sandbox whom no message reaches.
const UNREACHABLE: &str = "+12025550103";
/// The customer of the sandbox whom members play.
const PLAYED: &str = "+12025550143";

async fn a_message_is_resent_and_another_one_canceled(walk: &Walk) {
    // Given a message that failed, and a scheduled one,
    let world = &walk.scene.world;
    let send = async |body: serde_json::Value| {
        let sent = world.post("/api/v1/messages", &world.key, &body).await;
        assert_eq!(sent.status, 201, "{}", sent.text);
        sent.text_of("id")
    };
    let failed =
        send(json!({"type": "text", "phone_number": UNREACHABLE, "text": "Your pie"})).await;
    world.live_through(Duration::from_secs(2)).await;
    let send_at = world.clock.now().plus(Duration::from_hours(24)).to_string();
    let scheduled = send(
        json!({"type": "text", "phone_number": PLAYED, "text": "Your cake", "send_at": send_at}),
    )
    .await;
    // when a member searches for the id of the first one, then they can send it again,
    walk.open("/messages").await;
    walk.types("main input[name=q]", &failed).await;
    walk.press("main form.bar button").await;
    walk.does(MemberAction::MessageResent, "#acts button[value=resend]").await;
    // and the scheduled one is canceled.
    walk.open("/messages?view=scheduled").await;
    walk.press(&format!("main a.link[href$='/{scheduled}']")).await;
    walk.confirms(MemberAction::MessageCanceled, "#acts a.danger[data-dialog]", "cancel").await;
}

async fn a_number_is_connected_and_reconnected(walk: &Walk) {
    let world = &walk.scene.world;
    walk.open("/numbers").await;
    walk.press("main a[href='/numbers/new']").await;
    walk.types("#phone_number", "+12025552001").await;
    walk.types("#display_name", "Catering").await;
    walk.does(MemberAction::NumberConnected, "main form button.primary").await;
    walk.does(MemberAction::NumberMadeDefault, "main button[value=default]").await;
    // Given a number that its channel refuses,
    let channel = NewChannel::CloudApi {
        phone_number_id: NUMBER,
        waba_id: BUSINESS,
        access_token: "EAAExpired",
    };
    let account = world.connect(world.organization, "+12025550180", channel).await;
    let hold = "UPDATE accounts SET health = 'held', health_reason = 'token_refused', \
                health_message = 'Session has expired', health_since = connected_at";
    world.beside().await.execute(hold).await;
    walk.open(&format!("/numbers/{account}")).await;
    // when a member tries it again, or replaces its token, then it sends again.
    walk.does(MemberAction::NumberReconnected, "main button[value=reconnect]").await;
    walk.types("#access_token", "EAANew").await;
    walk.does(MemberAction::NumberReconnected, "main button[value=token]").await;
}

async fn the_sandbox_phone_is_used_by_both_sides(walk: &Walk) {
    // Given an AI agent, and a message with buttons,
    let (scene, world) = (&walk.scene, &walk.scene.world);
    let answer = json!({"messages": [{"text": "Until six."}]});
    let _receiver = scene.create_agent(AgentMode::Auto, &answer).await;
    let body = json!({"type": "interactive", "phone_number": PLAYED, "interactive": {
        "type": "button", "body": {"text": "Six or twelve?"},
        "action": {"buttons": [
            {"type": "reply", "reply": {"id": "six", "title": "Six"}},
            {"type": "reply", "reply": {"id": "twelve", "title": "Twelve"}},
        ]},
    }});
    let sent = world.post("/api/v1/messages", &world.key, &body).await;
    assert_eq!(sent.status, 201, "{}", sent.text);
    world.live_through(Duration::from_secs(3)).await;
    walk.open(&format!("/numbers/{}/phone", world.account)).await;
    walk.selects("select[name=as]", PLAYED).await;
    walk.press("button[aria-label='Show customer']").await;
    // when the customer taps, writes, and sends a picture and a file,
    let played = MemberAction::SandboxCustomerPlayed;
    walk.does(played, "#thread form.taps button").await;
    walk.types("[name=said]", "Thanks").await;
    walk.does(played, "button[value=write]").await;
    walk.does(played, "button[value=picture]").await;
    let file = world.folder().join("menu.pdf");
    std::fs::write(&file, "%PDF-1.4").unwrap();
    walk.browser().fill("#file", file.to_str().unwrap()).await;
    walk.does(played, "button[value=file]").await;
    // and the business answers, then the agent stops until a member resumes it.
    walk.types("#text", "Fine").await;
    walk.press("main button[value=preview]").await;
    walk.does(MemberAction::MessageSent, "main button[value=send]").await;
    walk.does(MemberAction::AgentResumed, "#phone-agent button[form=resume]").await;
}

in_both_ways! {
    a_message_is_resent_and_another_one_canceled performs [MessageResent, MessageCanceled],
    a_number_is_connected_and_reconnected
        performs [NumberConnected, NumberMadeDefault, NumberReconnected],
    the_sandbox_phone_is_used_by_both_sides
        performs [SandboxCustomerPlayed, MessageSent, AgentResumed],
}
