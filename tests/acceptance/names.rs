//! Names in every script (`docs/security.md` 15).

use crate::media_files::{PDF, fetch, post, upload, upload_body};
use crate::world::{World, on_both_databases};
use domain::application::{Terms, TermsInput};
use domain::key::RateLimit;
use domain::name::Name;
use domain::scope::{Scope, ScopeSet};
use service::admin::NewChannel;
use service::keys::NewKey;

/// Names that need invisible characters: Persian, Kurdish, Malayalam, Sinhala, Devanagari and
/// Bengali with joiners and non-joiners, and emoji with joiners and selectors.
const NEEDED: [&str; 9] = [
    "کتاب\u{200c}فروشی",
    "گفت\u{200c}و\u{200c}گو",
    "هه\u{200c}ولێر",
    "അവന്\u{200d}",
    "ශ්\u{200d}රී ලංකා",
    "क्\u{200d}ष",
    "র\u{200d}্যাব",
    "Familie 👨\u{200d}👩\u{200d}👧\u{200d}👦",
    "I ❤\u{fe0f} Pizza",
];

/// Names in which these characters only make two names differ that look the same.
const DECEPTIVE: [&str; 8] = [
    "Ac\u{200d}me",
    "Ac\u{200c}me",
    "\u{200c}Acme",
    "می\u{200c}",
    "Acme\u{fe0f}",
    "👨\u{200d}Acme",
    "Ac\u{200b}me",
    "Ac\u{2066}me",
];

/// Tells for each kind of name whether it accepts this one.
async fn accepts_name(world: &World, name: &str, number: usize) -> Vec<bool> {
    let admin = world.admin();
    let phone = format!("+1202556{number:04}");
    let account =
        admin.connect_account(world.organization, &phone, name, NewChannel::Sandbox, false);
    let member =
        admin.create_member(world.organization, "ada@acme.example", name, "correct horse battery");
    let scopes: ScopeSet = [Scope::MessagesSend].into_iter().collect();
    let terms = Terms::parse(TermsInput {
        name,
        redirect_uris: &["https://partner.example/callback".to_owned()],
        scopes,
        description: name,
        start_url: "",
    });
    let key = match Name::parse(name) {
        Ok(name) => {
            let rate_limit = RateLimit::parse(0).unwrap();
            let new = NewKey { name, scopes, account: None, rate_limit };
            admin.create_key(world.organization, new).await.is_ok()
        }
        Err(_) => false,
    };
    let organization = admin.create_organization(name, None).await;
    let shown = organization.as_ref().is_ok_and(|it| it.name == name);
    // The second member with that address is refused for another reason.
    let member = member.await.map_err(|error| error.to_string());
    let member =
        member.map(drop).or_else(|why| if why.contains("ada@") { Ok(()) } else { Err(why) });
    let mut file = upload_body("application/pdf", PDF);
    file["filename"] = serde_json::json!(format!("{name}.pdf"));
    let file = post(world, &file).await.status == 201;
    vec![
        organization.is_ok() && shown,
        account.await.is_ok(),
        member.is_ok(),
        terms.is_ok(),
        key,
        file,
    ]
}

async fn scripts_and_emoji_have_the_joiners_that_they_need(world: World) {
    for (number, name) in NEEDED.into_iter().enumerate() {
        assert_eq!(accepts_name(&world, name, number).await, [true; 6], "{name:?}");
        // A file's name appears in the record, in the address and in the download.
        let record = upload(&world, "application/pdf", &format!("{name}.pdf"), PDF).await;
        assert_eq!(record["filename"], format!("{name}.pdf"));
        assert_eq!(fetch(&world, &record["url"]).await.status, 200);
    }
}

async fn names_that_differ_only_by_invisible_characters_are_rejected(world: World) {
    for (number, name) in DECEPTIVE.into_iter().enumerate() {
        // Variation selectors are allowed in file names.
        let file = name.contains('\u{fe0f}');
        assert_eq!(
            accepts_name(&world, name, 100 + number).await,
            [false, false, false, false, false, file],
            "{name:?}"
        );
    }
}

on_both_databases! {
    scripts_and_emoji_have_the_joiners_that_they_need,
    names_that_differ_only_by_invisible_characters_are_rejected,
}
