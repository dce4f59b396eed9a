//! The settings of the organization, saved replies, and the search.

use super::{ENTER, Walk, Way, in_both_ways, press, type_text};
use crate::browser::until;
use domain::role::MemberAction;

async fn the_settings_of_the_organization_are_changed(walk: &Walk) {
    walk.open("/settings/organization").await;
    walk.types("#name", "Sunrise Bakery").await;
    walk.does(MemberAction::OrganizationRenamed, "main button[value=name]").await;
    walk.types("#text_days", "400").await;
    walk.does(MemberAction::RetentionChanged, "main button[value=retention]").await;
    walk.chooses("support_limited", "yes").await;
    walk.does(MemberAction::SupportLimited, "main button[value=support]").await;
    walk.chooses("support_limited", "no").await;
    walk.does(MemberAction::SupportUnlimited, "main button[value=support]").await;
    walk.types("#opt_out_words", "NO").await;
    walk.does(MemberAction::OptOutWordsChanged, "main button[value=opt_out_words]").await;
}

async fn a_saved_reply_is_written_changed_and_deleted(walk: &Walk) {
    walk.open("/settings/saved-replies").await;
    walk.press("main a[href='/settings/saved-replies/new']").await;
    walk.types("#name", "Hours").await;
    walk.types("#text", "We open at 7.").await;
    walk.does(MemberAction::SavedReplyCreated, "main button[value=save]").await;
    walk.open("/settings/saved-replies").await;
    walk.press("main tbody a.link").await;
    walk.types("#text", "Yes. ").await;
    walk.does(MemberAction::SavedReplyUpdated, "main button[value=save]").await;
    walk.open("/settings/saved-replies").await;
    walk.press("main tbody a.link").await;
    walk.confirms(MemberAction::SavedReplyDeleted, "main a.danger[data-dialog]", "delete").await;
}

async fn the_search_opens_a_page(walk: &Walk) {
    walk.open("/plan").await;
    match walk.way {
        Way::WithoutScripts => {
            walk.press(".side a[data-search]").await;
            walk.types_and_enters("main input[name=q]", "web").await;
            walk.press("#results a.hit").await;
        }
        Way::ByKeyboard => {
            let browser = walk.browser();
            walk.activate(".side a[data-search]").await;
            browser.find("dialog[open] .hit").await;
            // Enter comes before what is found for the last letter.
            type_text(browser, "web").await;
            press(browser, ENTER).await;
        }
    }
    let browser = walk.browser();
    until("the page is open", async || browser.address().await.ends_with("/integrations/webhooks"))
        .await;
}

in_both_ways! {
    the_settings_of_the_organization_are_changed
        performs [
            OrganizationRenamed,
            RetentionChanged,
            SupportLimited,
            SupportUnlimited,
            OptOutWordsChanged,
        ],
    a_saved_reply_is_written_changed_and_deleted
        performs [SavedReplyCreated, SavedReplyUpdated, SavedReplyDeleted],
    the_search_opens_a_page performs [],
}
