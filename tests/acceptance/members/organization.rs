//! The name of the organization, which an owner changes on the page Organization.

use super::{ACCOUNT, audit, done, id_of, owner, signed_in_as, submit};
use crate::connect::EMAIL;
use crate::dashboard::{csrf_token, form_control, member_of_another_organization};
use crate::world::{World, on_both_databases};
use domain::role::{MemberAction, Role};
use futures_util::future::join_all;
use persistence::records::AuditEntry;

const SETTINGS: &str = "/settings/organization";

/// Returns the audit entries about new names of the organization.
async fn renamings(world: &World) -> Vec<AuditEntry> {
    let all = audit(world, world.organization).await;
    all.into_iter().filter(|it| it.action == MemberAction::OrganizationRenamed).collect()
}

async fn stored_name(world: &World) -> String {
    let db = world.server.deps.db.organization(world.organization);
    db.find().await.unwrap().expect("the organization").name
}

async fn an_owner_renames_the_organization_and_everybody_sees_it(world: World) {
    // Given an owner, a colleague, and a member of another organization,
    let mut ada = owner(&world).await;
    let mut bob = signed_in_as(&world, "bob@acme.example", Role::Support).await;
    let mut eve = member_of_another_organization(&world).await;
    let new = "Bäckerei Sonnenschein";
    assert!(!bob.get("/").await.text.contains(new));
    // when the owner gives the organization another name,
    let page = done(&mut ada, SETTINGS, &[("action", "name"), ("name", &format!(" {new} "))]).await;
    // then the page says so, and the colleague sees it at the next click, without a form;
    assert!(page.text.contains("Name changed"), "{}", page.text);
    assert!(form_control(&page, "name").contains(&format!("value=\"{new}\"")));
    assert!(bob.get("/").await.text.contains(new));
    let settings = bob.get(SETTINGS).await;
    assert!(settings.text.contains(&format!("<dd>{new}</dd>")), "{}", settings.text);
    assert!(!settings.text.contains("value=\"name\""), "{}", settings.text);
    // the audit log says who did it;
    let entries = renamings(&world).await;
    let [entry] = entries.as_slice() else { panic!("{entries:?}") };
    assert_eq!(entry.member_id, id_of(&world, EMAIL).await);
    assert_eq!(entry.object_id.as_deref(), Some(world.organization.to_string().as_str()));
    assert_eq!(entry.object_name, new);
    // and an owner of another organization changes the name of that one only.
    done(&mut eve, SETTINGS, &[("action", "name"), ("name", "Someone else")]).await;
    assert_eq!(stored_name(&world).await, new);
    // A colleague without the right is refused, also with a name that is wrong.
    for name in ["Bob's", ""] {
        let refused = submit(&mut bob, SETTINGS, &[("action", "name"), ("name", name)]).await;
        assert_eq!(refused.status, 403, "{}", refused.text);
    }
    assert_eq!(stored_name(&world).await, new);
}

async fn the_name_of_an_organization_is_escaped_and_bounded(world: World) {
    let mut ada = owner(&world).await;
    // HTML is a text like any other one.
    let html = "<b>Acme</b>";
    let page = done(&mut ada, SETTINGS, &[("action", "name"), ("name", html)]).await;
    assert!(!page.text.contains(html), "{}", page.text);
    assert!(page.text.contains("&#60;b&#62;Acme"), "{}", page.text);
    // What the setup refuses is refused here, with what was typed kept.
    for wrong in ["", " ", &"x".repeat(101), &"x".repeat(10_000), "Ac\u{202e}me", "Ac\u{200b}me"] {
        let page = submit(&mut ada, SETTINGS, &[("action", "name"), ("name", wrong)]).await;
        assert_eq!(page.status, 422, "{}", page.text);
        assert!(page.text.contains("name-error"), "{}", page.text);
        assert!(form_control(&page, "name").contains(&format!("value=\"{wrong}\"")));
    }
    assert_eq!(stored_name(&world).await, html);
    assert_eq!(renamings(&world).await.len(), 1);
}

async fn a_name_that_is_submitted_twice_is_recorded_once(world: World) {
    let ada = owner(&world).await;
    let form_token = csrf_token(&ada.clone().get(ACCOUNT).await);
    let form = [("token", form_token.as_str()), ("action", "name"), ("name", "Acme Foods")];
    // When a form is submitted eight times at once, and once more,
    let clicks = (0..8).map(|_| {
        let mut same = ada.clone();
        async move { same.post(SETTINGS, &form).await.status }
    });
    for status in join_all(clicks).await {
        assert_eq!(status, 303);
    }
    assert_eq!(ada.clone().post(SETTINGS, &form).await.status, 303);
    // then the organization was renamed once.
    assert_eq!(stored_name(&world).await, "Acme Foods");
    assert_eq!(renamings(&world).await.len(), 1);
}

on_both_databases! {
    an_owner_renames_the_organization_and_everybody_sees_it,
    the_name_of_an_organization_is_escaped_and_bounded,
    a_name_that_is_submitted_twice_is_recorded_once,
}
