//! Keys, connected apps, webhooks and developer apps.

use super::{Walk, in_both_ways};
use crate::connect::EMAIL;
use crate::webhooks::receiver::Receiver;
use domain::role::MemberAction;
use std::time::Duration;

/// The head of the menu beside the title.
const MENU: &str = "main .head details.menu summary";

async fn a_key_is_created_changed_rotated_and_deleted(walk: &Walk) {
    walk.open("/integrations/keys").await;
    walk.press("main a[href='/integrations/keys/new']").await;
    walk.types("#name", "Till").await;
    walk.ticks("[name=scope][value='messages.send']").await;
    walk.does(MemberAction::KeyCreated, "main form button.primary").await;
    walk.press("main a.primary").await;
    walk.types("#name", "Shop").await;
    walk.does(MemberAction::KeyUpdated, "main button[value=save]").await;
    walk.does(MemberAction::KeyDisabled, "main button[value=disable]").await;
    walk.does(MemberAction::KeyEnabled, "main button[value=enable]").await;
    walk.confirms(MemberAction::KeyCreated, "main a[href$='/rotate']", "rotate").await;
    walk.press("main a.primary").await;
    walk.confirms(MemberAction::KeyDeleted, "main a.danger[data-dialog]", "delete").await;
    // The list is searched.
    walk.types("main input[name=q]", "Shop").await;
    walk.press("main form.bar button").await;
}

async fn an_app_is_connected_limited_and_disconnected(walk: &Walk) {
    walk.open(&walk.scene.authorize_url()).await;
    walk.does(MemberAction::ConnectionAllowed, "button[value=allow]").await;
    walk.scene.one_callback_with_a_code().await;
    walk.open("/integrations/connected").await;
    walk.press("main tbody a.link").await;
    walk.types("#messages_per_month", "5").await;
    walk.does(MemberAction::ConnectionCapped, "main button[value=cap]").await;
    walk.confirms(MemberAction::ConnectionEnded, "main a.danger[data-dialog]", "delete").await;
}

async fn a_connection_is_refused_for_one_organization_and_by_another_member(walk: &Walk) {
    // Given a member of two organizations, of which one has no number,
    let scene = &walk.scene;
    let second = scene.world.organization_on("Acme Shoes", "Unlimited").await;
    scene.world.advance(Duration::from_secs(1));
    scene.world.admin().add_member(second, EMAIL).await.unwrap();
    walk.open(&scene.authorize_url()).await;
    walk.selects("select[name=organization]", &second.to_string()).await;
    walk.press("button[form=choose]").await;
    walk.browser().find("[role=alert]").await;
    // when they cancel, then the partner learns that.
    walk.press("button[value=cancel]").await;
    let callbacks = scene.site.asked("/callback");
    assert!(callbacks[0].contains("error=access_denied"), "{callbacks:?}");
    // Another member signs in for the same request.
    walk.open(&scene.authorize_url()).await;
    walk.does(MemberAction::SignedOut, "button[form=sign-out]").await;
    walk.browser().find("input[name=consent]").await;
}

async fn an_endpoint_is_added_tested_and_deleted(walk: &Walk) {
    let receiver = Receiver::start().await;
    walk.open("/integrations/webhooks").await;
    walk.press("main a[href='/integrations/webhooks/new']").await;
    walk.types("#url", &receiver.url).await;
    walk.chooses("which", "some").await;
    walk.ticks("[name=event][value='message.received']").await;
    walk.does(MemberAction::EndpointCreated, "main form button.primary").await;
    walk.press("main a.primary").await;
    let test = "main button[value=test]";
    walk.does_with_workers(MemberAction::EndpointTested, test).await;
    walk.press("main tbody a.link").await;
    let resend = "main .head form button.primary";
    walk.does_with_workers(MemberAction::DeliveryResent, resend).await;
    walk.press("main a.back").await;
    walk.confirms_in_menu(MemberAction::EndpointDeleted, "a.bad[href$='/delete']", "delete").await;
}

async fn an_endpoint_is_changed_replayed_and_disabled(walk: &Walk) {
    let receiver = Receiver::start().await;
    let (endpoint, _) = crate::webhooks::create_endpoint(&walk.scene.world, &receiver, &[]).await;
    walk.open(&format!("/integrations/webhooks/{}", endpoint.id)).await;
    walk.press_in_menu("a[href$='/edit']").await;
    walk.types("#description", "Till").await;
    walk.does(MemberAction::EndpointUpdated, "main button[value=save]").await;
    walk.press_in_menu("a[href$='/replay']").await;
    walk.does(MemberAction::EndpointReplayed, "main button[value=replay]").await;
    walk.press_in_menu("a[href$='/signature']").await;
    walk.types("#body", "{}").await;
    walk.types("#timestamp", "1795262400").await;
    walk.types("#signature", "v1").await;
    walk.press("main form button.primary").await;
    walk.browser().find("#signature-error").await;
    walk.press("main a.back").await;
    let rotated = MemberAction::EndpointSecretRotated;
    walk.confirms_in_menu(rotated, "a[href$='/rotate']", "rotate").await;
    walk.press("main a.primary").await;
    walk.activate(MENU).await;
    walk.does(MemberAction::EndpointDisabled, "main button[value=disable]").await;
    walk.does(MemberAction::EndpointEnabled, "main button[value=enable]").await;
}

async fn a_developer_app_is_registered_published_and_deleted(walk: &Walk) {
    walk.open("/integrations/applications").await;
    walk.press("main a[href='/integrations/applications/new']").await;
    walk.types("#name", "Desk").await;
    walk.types("#redirect_uris", "https://desk.example/back").await;
    walk.ticks("[name=scope][value='messages.send']").await;
    walk.does(MemberAction::ApplicationRegistered, "main form button.primary").await;
    let publish = "main a.primary[href$='/publish']";
    walk.confirms(MemberAction::ApplicationPublished, publish, "publish").await;
    let unpublished = MemberAction::ApplicationUnpublished;
    walk.confirms_in_menu(unpublished, "a[href$='/publish']", "unpublish").await;
    let rotated = MemberAction::ApplicationSecretRotated;
    walk.confirms_in_menu(rotated, "a[href$='/renew']", "renew").await;
    walk.press_in_menu("a[href$='/edit']").await;
    walk.types("#description", "One desk").await;
    walk.does(MemberAction::ApplicationUpdated, "main button[value=save]").await;
    walk.confirms_in_menu(MemberAction::ApplicationDeleted, "a.bad[href$='/delete']", "delete")
        .await;
}

impl Walk {
    /// Opens the menu beside the title, and follows a link in it.
    async fn press_in_menu(&self, css: &str) {
        self.activate(MENU).await;
        self.press(&format!("main .menu-list {css}")).await;
    }

    /// Opens the menu beside the title, follows a link in it that asks for confirmation, and
    /// confirms.
    async fn confirms_in_menu(&self, action: MemberAction, css: &str, value: &str) {
        self.activate(MENU).await;
        self.confirms(action, &format!("main .menu-list {css}"), value).await;
    }
}

in_both_ways! {
    a_key_is_created_changed_rotated_and_deleted
        performs [KeyCreated, KeyUpdated, KeyDisabled, KeyEnabled, KeyDeleted],
    an_app_is_connected_limited_and_disconnected
        performs [ConnectionAllowed, ConnectionCapped, ConnectionEnded],
    a_connection_is_refused_for_one_organization_and_by_another_member performs [SignedOut],
    an_endpoint_is_added_tested_and_deleted
        performs [EndpointCreated, EndpointTested, DeliveryResent, EndpointDeleted],
    an_endpoint_is_changed_replayed_and_disabled performs [
        EndpointUpdated,
        EndpointReplayed,
        EndpointSecretRotated,
        EndpointDisabled,
        EndpointEnabled,
    ],
    a_developer_app_is_registered_published_and_deleted performs [
        ApplicationRegistered,
        ApplicationPublished,
        ApplicationUnpublished,
        ApplicationSecretRotated,
        ApplicationUpdated,
        ApplicationDeleted,
    ],
}
