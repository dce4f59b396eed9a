//! Sign-in and sign-out, the first setup, and an invitation.

use super::{Walk, in_both_ways};
use crate::connect::{EMAIL, PASSWORD};
use domain::role::MemberAction;
use service::setup;

async fn a_member_signs_in_switches_the_organization_and_signs_out(walk: &Walk) {
    let world = &walk.scene.world;
    let second = world.organization_on("Acme Shoes", "Unlimited").await;
    world.admin().add_member(second, EMAIL).await.unwrap();
    walk.open("/login").await;
    walk.types("input[name=email]", EMAIL).await;
    walk.types("input[name=password]", PASSWORD).await;
    walk.does(MemberAction::SignedIn, "form button.primary").await;
    walk.activate(".org > summary").await;
    walk.press(".org form[action='/organization'] button:not([aria-current])").await;
    walk.browser().find(".once").await;
    walk.activate(".side-foot summary").await;
    walk.does(MemberAction::SignedOut, ".side-foot form[action='/logout'] button").await;
}

async fn somebody_accepts_an_invitation(walk: &Walk) {
    walk.open("/settings/members").await;
    walk.types("#email", "dan@acme.example").await;
    walk.does(MemberAction::InvitationCreated, "main button[value=invite]").await;
    let link = walk.browser().find("#invitation-link").await.text().await.unwrap();
    // An invitation is accepted by somebody who is not signed in.
    walk.open(&link).await;
    walk.does(MemberAction::SignedOut, "form[action='/logout'] button").await;
    walk.open(&link).await;
    walk.types("#name", "Dan").await;
    walk.types("#password", PASSWORD).await;
    walk.does(MemberAction::InvitationAccepted, "form button.primary").await;
    walk.browser().find(".side").await;
}

async fn the_first_member_sets_up_the_server(walk: &Walk) {
    let deps = &walk.scene.world.server.deps;
    let path = setup::link(&deps.client_state, &deps.clock, &deps.entropy, "").unwrap();
    walk.open(&path).await;
    walk.types("#name", "Ana").await;
    walk.types("#email", "ana@juniper.example").await;
    walk.types("#password", PASSWORD).await;
    walk.press("form button.primary").await;
    // The way back keeps everything but the password.
    walk.press("button[name=back]").await;
    walk.types("#password", PASSWORD).await;
    walk.press("form button.primary").await;
    walk.types("#organization", "Juniper").await;
    walk.does(MemberAction::OrganizationCreated, "form button.primary").await;
    walk.browser().find("#step-1.ok").await;
}

in_both_ways! {
    a_member_signs_in_switches_the_organization_and_signs_out from signed_out
        performs [SignedIn, SignedOut],
    somebody_accepts_an_invitation performs [InvitationCreated, SignedOut, InvitationAccepted],
    the_first_member_sets_up_the_server from without_members performs [OrganizationCreated],
}
