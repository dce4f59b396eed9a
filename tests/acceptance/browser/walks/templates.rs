//! Templates.

use super::{Walk, in_both_ways};
use domain::role::MemberAction;
use std::time::Duration;

async fn a_template_is_created_changed_and_deleted(walk: &Walk) {
    walk.open("/templates").await;
    walk.press("main a[href='/templates/new']").await;
    walk.types("#name", "hours").await;
    walk.types("#body", "Hello {{1}}, we open at 7.").await;
    walk.press("main button[value=preview]").await;
    walk.types("#body_example-0", "Ada").await;
    walk.does(MemberAction::TemplateCreated, "main button[value=create]").await;
    // The reviewer approves it, so that it can be changed.
    walk.scene.world.live_through(Duration::from_secs(3)).await;
    walk.open("/templates").await;
    walk.press("main tbody a.link").await;
    walk.press("main a[href$='/edit']").await;
    walk.types("#footer", "Bye").await;
    walk.does(MemberAction::TemplateUpdated, "main button[value=create]").await;
    walk.confirms(MemberAction::TemplateDeleted, "main a.danger[data-dialog]", "delete").await;
    // The list is searched.
    walk.types("main input[name=q]", "hours").await;
    walk.press("main form.bar button").await;
}

in_both_ways! {
    a_template_is_created_changed_and_deleted
        performs [TemplateCreated, TemplateUpdated, TemplateDeleted],
}
