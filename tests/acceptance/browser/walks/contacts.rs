//! Contacts.

use super::{Walk, in_both_ways};
use crate::browser::inbox::{CUSTOMER, OTHER_CUSTOMER};
use domain::role::MemberAction;
use std::time::Duration;

async fn a_contact_is_found_named_merged_and_deleted(walk: &Walk) {
    // Given two contacts that are one person,
    let scene = &walk.scene;
    scene.customer_writes("Hello").await;
    scene.world.advance(Duration::from_secs(1));
    scene.writes_as(OTHER_CUSTOMER, "Hello again").await;
    walk.open("/contacts").await;
    walk.types("main input[name=q]", CUSTOMER).await;
    walk.press("main form.bar button").await;
    walk.press("main tbody a.link").await;
    walk.can_follow("main a[href$='/export']").await;
    walk.types("#name", "Petra").await;
    walk.does(MemberAction::ContactRenamed, "main button[value=rename]").await;
    walk.does(MemberAction::ContactOptedOut, "main button[value=opt_out]").await;
    walk.does(MemberAction::ContactOptedIn, "main button[value=opt_in]").await;
    walk.press("main a[href$='/merge']").await;
    walk.types("main input[name=q]", OTHER_CUSTOMER).await;
    walk.press("main form.bar button").await;
    walk.press("main tbody a.link").await;
    walk.does(MemberAction::ContactsMerged, "main button[value=merge]").await;
    walk.confirms(MemberAction::ContactDeleted, "main a.danger[data-dialog]", "delete").await;
}

in_both_ways! {
    a_contact_is_found_named_merged_and_deleted performs [
        ContactRenamed,
        ContactOptedOut,
        ContactOptedIn,
        ContactsMerged,
        ContactDeleted,
    ],
}
