//! What `switchboard admin` creates can be changed and taken back, and what cannot be undone needs a
//! word.

use super::{Output, admin, folder};
use crate::world::{World, switchboard};
use std::process::Stdio;

/// Runs an admin command where nobody can answer a question.
async fn without_terminal(url: &str, arguments: &[&str]) -> Output {
    let all = [&["admin"], arguments, &["--database-url", url]].concat();
    let mut command = switchboard(&all);
    Output::of(command.stdin(Stdio::null())).await
}

async fn a_key_is_deleted_after_a_word(url: &str) {
    // Given a key of an organization,
    admin(url, &["organization", "create", "--name", "Umbrella"]).await;
    let key = admin(
        url,
        &[
            "key",
            "create",
            "--organization",
            "Umbrella",
            "--name",
            "Shop",
            "--scopes",
            "messages.send",
        ],
    )
    .await;
    let key = key["client_id"].as_str().unwrap();

    // when it is deleted without a terminal, then that needs --yes.
    let command = ["key", "delete", key];
    without_terminal(url, &command).await.failed_with(&["cannot be undone", "--yes"]);
    assert_eq!(admin(url, &["key", "show", key]).await["client_id"], key);
    admin(url, &["key", "delete", key, "--yes"]).await;
    let again = without_terminal(url, &["key", "delete", key, "--yes"]).await;
    assert_eq!(again.code, Some(1), "{}", again.err);
}

#[tokio::test]
async fn a_key_is_deleted_after_a_word_on_sqlite() {
    let (_folder, url) = folder();
    a_key_is_deleted_after_a_word(&url).await;
}

#[tokio::test]
async fn a_key_is_deleted_after_a_word_on_postgres() {
    let world = World::on_postgres().await;
    a_key_is_deleted_after_a_word(world.database_url()).await;
}

#[tokio::test]
async fn a_member_gets_another_role_and_is_removed_except_the_last_owner() {
    let world = World::on_postgres().await;
    let (url, admin_of) = (world.database_url(), world.admin());
    let organization = world.organization;
    admin_of
        .create_member(organization, "ada@acme.example", "Ada", "a long password")
        .await
        .unwrap();
    admin_of
        .create_member(organization, "bob@acme.example", "Bob", "a long password")
        .await
        .unwrap();
    let id = organization.to_string();
    let of = ["--organization", id.as_str()];
    let bob = ["member", "role", "bob@acme.example", "--role", "support"];
    assert_eq!(admin(url, &[&bob[..], &of].concat()).await["role"], "support");
    let ada = ["member", "remove", "ada@acme.example"];
    let refused = without_terminal(url, &[&ada[..], &of].concat()).await;
    refused.failed_with(&["last owner"]);
    let bob = ["member", "remove", "bob@acme.example"];
    assert_eq!(admin(url, &[&bob[..], &of].concat()).await["removed"], true);
    let again = without_terminal(url, &[&bob[..], &of].concat()).await;
    assert_eq!(again.code, Some(1));
}

#[tokio::test]
async fn a_mistyped_command_names_the_right_one() {
    let (_folder, url) = folder();
    for (arguments, word) in [
        (&["admin", "organisation", "list"][..], "organization"),
        (&["lisen"], "listen"),
        (&["admin", "key", "list", "--jsn"], "--json"),
    ] {
        let mut command = switchboard(&[arguments, &["--database-url", &url]].concat());
        let said = Output::of(&mut command).await;
        assert_eq!(said.code, Some(2), "{}", said.err);
        assert!(said.err.contains(word) && said.err.contains("similar"), "{}", said.err);
    }
}

#[tokio::test]
async fn a_badge_and_a_name_are_changed() {
    let (_folder, url) = folder();
    admin(&url, &["organization", "create", "--name", "Umbrela"]).await;
    let renamed = ["organization", "rename", "Umbrela", "--name", "Umbrella"];
    assert_eq!(admin(&url, &renamed).await["name"], "Umbrella");
    assert_eq!(admin(&url, &["organization", "show", "Umbrella"]).await["name"], "Umbrella");
    let gone = without_terminal(&url, &["organization", "show", "Umbrela"]).await;
    assert_eq!(gone.code, Some(1), "{}", gone.err);

    let create = ["application", "create", "--name", "Desk", "--scopes", "messages.send"];
    let place = ["--redirect-uri", "https://desk.example/callback"];
    admin(&url, &[&create[..], &place].concat()).await;
    assert_eq!(admin(&url, &["application", "verify", "Desk"]).await["verified"], true);
    assert_eq!(admin(&url, &["application", "unverify", "Desk"]).await["verified"], false);
    assert_eq!(admin(&url, &["application", "show", "Desk"]).await["verified"], false);
}
