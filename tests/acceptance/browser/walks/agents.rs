//! AI agents.

use super::{Walk, in_both_ways};
use crate::webhooks::receiver::{Answers, Receiver};
use domain::agent::AgentMode;
use domain::role::MemberAction;
use serde_json::json;
use service::agents::{self, AgentInput, NewConnection};

const UPDATED: MemberAction = MemberAction::AiAgentUpdated;

async fn an_agent_with_a_webhook_is_added_changed_and_deleted(walk: &Walk) {
    let answer = json!({"messages": [{"text": "Until six."}]});
    let receiver = Receiver::that(Answers::Body(200, answer.to_string())).await;
    walk.open("/agents").await;
    walk.types("#cost_per_month", "20").await;
    walk.does(MemberAction::AgentCostLimitChanged, "main button[value=limit]").await;
    walk.press("main a[href='/agents/new']").await;
    walk.types("#name", "Bot").await;
    walk.chooses("kind", "webhook").await;
    walk.types("#url", &receiver.url).await;
    walk.does(MemberAction::AiAgentCreated, "main button[value=save]").await;
    walk.types("#name", "Assistant").await;
    walk.chooses("mode", "off").await;
    walk.does(UPDATED, "main button[value=save]").await;
    walk.does(MemberAction::AiAgentSecretRotated, "main button[value=rotate]").await;
    walk.press("main button[value=test]").await;
    walk.browser().find("main [role=status] .line").await;
    walk.press("main a.back").await;
    walk.confirms(MemberAction::AiAgentDeleted, "main a.danger[data-dialog]", "delete").await;
}

/// Returns the page of an agent with a model.
async fn agent_with_a_model(walk: &Walk, model: &Receiver) -> String {
    let world = &walk.scene.world;
    let input = AgentInput {
        name: Some("Assistant"),
        mode: Some(AgentMode::Draft),
        base_url: Some(&model.url),
        model: Some("small"),
        accounts: Some(vec![world.account]),
        is_operator: true,
        ..AgentInput::default()
    };
    let (deps, organization) = (&world.server.deps, world.organization);
    let created = agents::create(deps, organization, NewConnection::Model, input).await.unwrap();
    format!("/agents/{}", created.agent.id)
}

async fn what_an_agent_with_a_model_knows_is_written_and_tried(walk: &Walk) {
    let completion = json!({"choices": [{"message": {"content": "We open at 7 AM."}}]});
    let model = Receiver::that(Answers::Body(200, completion.to_string())).await;
    let agent = agent_with_a_model(walk, &model).await;
    for (page, fields, row) in [
        ("facts", &[("#title", "Hours"), ("#text", "From 7.")][..], "main ul.list a.link"),
        (
            "look-ups",
            &[
                ("#name", "order"),
                ("#description", "An order"),
                ("#url", "https://shop.acme.example/order"),
            ][..],
            "main ul.list a.link",
        ),
        ("questions", &[("#text", "When do you open?"), ("#must", "7")][..], "main ol.line a.link"),
    ] {
        walk.open(&agent).await;
        walk.press(&format!("main nav.tabs a[href$='/{page}']")).await;
        for (field, text) in fields {
            walk.types(field, text).await;
        }
        walk.does(UPDATED, "main button[value=save]").await;
        if page == "questions" {
            walk.press("main button[value=run]").await;
        }
        walk.press(row).await;
        walk.does(UPDATED, "main button[value=delete]").await;
    }
    walk.press("main nav.tabs a[href$='/playground']").await;
    walk.types("#text", "Hi").await;
    walk.press("main button[value=ask]").await;
    walk.browser().find("main .msg.ai").await;
}

async fn the_settings_of_an_agent_with_a_model_are_changed(walk: &Walk) {
    let completion = json!({"choices": [{"message": {"content": "We open at 7 AM."}}]});
    let model = Receiver::that(Answers::Body(200, completion.to_string())).await;
    let agent = agent_with_a_model(walk, &model).await;
    for (section, field, text) in [
        ("hours", "#allowed_contacts", "+12025550143"),
        ("hand-over", "#failure_text", "Sorry"),
        ("sending", "#link_hosts", "acme.example"),
    ] {
        walk.open(&agent).await;
        walk.press(&format!("main ul.list a[href$='/settings/{section}']")).await;
        walk.types(field, text).await;
        walk.does(UPDATED, "main button[value=save]").await;
    }
    walk.open(&format!("{agent}/settings/model")).await;
    walk.press("main button[value=try]").await;
    walk.browser().find("main button[value=ask]").await;
}

in_both_ways! {
    an_agent_with_a_webhook_is_added_changed_and_deleted performs [
        AgentCostLimitChanged,
        AiAgentCreated,
        AiAgentUpdated,
        AiAgentSecretRotated,
        AiAgentDeleted,
    ],
    what_an_agent_with_a_model_knows_is_written_and_tried performs [AiAgentUpdated],
    the_settings_of_an_agent_with_a_model_are_changed performs [AiAgentUpdated],
}
