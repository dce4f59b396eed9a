//! Members, and a member's own account.

use super::{Walk, in_both_ways};
use crate::connect::{EMAIL, PASSWORD};
use crate::members::{id_of, sign_in};
use domain::role::{MemberAction, Role};

const CAROL: &str = "carol@acme.example";

async fn a_member_is_invited_promoted_and_removed(walk: &Walk) {
    let world = &walk.scene.world;
    let (admin, organization) = (world.admin(), world.organization);
    admin.create_member_as(Role::Support, organization, CAROL, "Carol", PASSWORD).await.unwrap();
    let id = id_of(world, CAROL).await;
    let (row, menu) = (format!("tr[id='{id}']"), format!("tr[id='{id}'] summary"));
    walk.open("/settings/members").await;
    walk.types("#email", "dan@acme.example").await;
    walk.selects("#role", "developer").await;
    walk.does(MemberAction::InvitationCreated, "main button[value=invite]").await;
    walk.does(MemberAction::InvitationDeleted, "main button[value=withdraw]").await;
    walk.activate(&menu).await;
    walk.selects(&format!("#role-{id}"), "developer").await;
    walk.does(MemberAction::MemberRoleChanged, &format!("{row} button[value=role]")).await;
    walk.activate(&menu).await;
    walk.does(MemberAction::MemberResetLinkCreated, &format!("{row} button[value=reset]")).await;
    // Carol chooses a new password.
    let link = walk.browser().find("#reset-link").await.text().await.unwrap();
    walk.open(&link).await;
    walk.types("#password", PASSWORD).await;
    walk.types("#again", PASSWORD).await;
    walk.press("form button.primary").await;
    assert!(walk.browser().address().await.ends_with("/reset/done"));
    walk.open("/settings/members").await;
    walk.activate(&menu).await;
    walk.press(&format!("{row} a.danger")).await;
    walk.does(MemberAction::MemberRemoved, "#confirm button[value=remove]").await;
    walk.does(MemberAction::KeysRestricted, "main button[value=restrict]").await;
    walk.does(MemberAction::KeysUnrestricted, "main button[value=unrestrict]").await;
}

async fn a_member_changes_their_account_and_ends_sessions(walk: &Walk) {
    // Given a member who is signed in twice,
    let _elsewhere = sign_in(&walk.scene.world, EMAIL, PASSWORD).await;
    walk.open("/account").await;
    walk.does(MemberAction::SessionsEnded, "main button[value=end]").await;
    walk.types("#name", "Ada B").await;
    walk.does(MemberAction::NameChanged, "main button[value=name]").await;
    walk.chooses("appearance", "dark").await;
    walk.press("main button[value=appearance]").await;
    walk.browser().find("html[data-theme=dark]").await;
    walk.chooses("reads_when_opened", "yes").await;
    walk.press("main button[value=inbox]").await;
    walk.browser().find("[name=reads_when_opened][value=yes]:checked").await;
    for field in ["#current", "#new", "#again"] {
        walk.types(field, PASSWORD).await;
    }
    walk.does(MemberAction::PasswordChanged, "main button[value=password]").await;
    walk.does(MemberAction::SessionsEnded, "main button[value=end_all]").await;
    assert!(walk.browser().address().await.ends_with("/login"));
}

in_both_ways! {
    a_member_is_invited_promoted_and_removed performs [
        InvitationCreated,
        InvitationDeleted,
        MemberRoleChanged,
        MemberResetLinkCreated,
        MemberRemoved,
        KeysRestricted,
        KeysUnrestricted,
    ],
    a_member_changes_their_account_and_ends_sessions
        performs [SessionsEnded, NameChanged, PasswordChanged],
}
