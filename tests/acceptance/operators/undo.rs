//! What `switchboard admin` creates can be changed and taken back, and what cannot be undone needs a
//! word.

use super::{Output, admin, folder, prepare};
use crate::world::{World, on_both_databases, switchboard};
use serde_json::{Value, json};
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

async fn everything_that_admin_creates_can_be_removed(world: World) {
    // Given one of everything,
    let url = world.database_url();
    prepare(url).await;
    let create = ["application", "create", "--scopes", "messages.send"];
    let place = ["--redirect-uri", "https://desk.example/callback", "--name"];
    let owner = ["--organization", "Bakery"];
    admin(url, &[&create[..], &place, &["Desk"], &owner].concat()).await;
    admin(url, &[&create[..], &place, &["Platform"]].concat()).await;
    let agent = ["agent", "create", "--kind", "api", "--name", "Helper"];
    admin(url, &[&agent[..], &owner].concat()).await;
    let refused = async |arguments: &[&str], words: &[&str]| {
        without_terminal(url, arguments).await.failed_with(words);
    };

    // when something is renamed, then it is found by the new name.
    let renamed = admin(url, &["plan", "rename", "Pro", "--name", "Premium"]).await;
    assert_eq!(renamed["name"], "Premium");
    assert_eq!(admin(url, &["plan", "show", "Premium"]).await["id"], renamed["id"]);
    let set = ["plan", "set", "--name", "Small", "--api-access", "true"];
    let limits = ["--api-calls-per-day", "none", "--messages-per-month", "none"];
    admin(url, &[&set[..], &limits].concat()).await;
    refused(&["plan", "rename", "Small", "--name", "Premium"], &["Premium", "exists already"])
        .await;
    let accounts = admin(url, &["account", "list", "--organization", "Bakery"]).await;
    let account = accounts["data"][0]["id"].as_str().unwrap();
    let number = ["account", "rename", account, "--name", "Bakery Berlin"];
    assert_eq!(admin(url, &number).await["display_name"], "Bakery Berlin");
    let shown = admin(url, &["account", "show", "Bakery Berlin"]).await;
    assert_eq!(shown["phone_number"], "+12025550191");

    // When something is removed, then it needs a word,
    for command in [
        &["organization", "remove", "Bakery"][..],
        &["account", "disconnect", account],
        &["plan", "remove", "Small"],
        &["application", "remove", "Desk"],
        &["agent", "remove", "Helper"],
        &["callback", "delete", "--all"],
    ] {
        refused(command, &["cannot be undone", "--yes"]).await;
    }
    // what is in use stays,
    refused(&["plan", "remove", "Premium", "--yes"], &["organizations have", "Premium"]).await;
    refused(&["organization", "remove", "Bakery", "--yes"], &["in use", "Bakery"]).await;
    let bound = ["--account", account, "--scopes", "messages.send"];
    let key = ["key", "create", "--name", "Bound"];
    admin(url, &[&key[..], &bound, &owner].concat()).await;
    refused(&["account", "disconnect", account, "--yes"], &["in use", "+12025550191"]).await;
    admin(url, &["key", "remove", "Bound", "--yes"]).await;

    // and everything else goes, so that in the end the organization is empty.
    for command in [
        &["plan", "remove", "Small"][..],
        &["application", "remove", "Desk"],
        &["application", "remove", "Platform"],
        &["agent", "remove", "Helper"],
        &["key", "delete", "Till"],
        &["account", "disconnect", account],
    ] {
        let done = admin(url, &[command, &["--yes"]].concat()).await;
        assert_eq!(done["removed"], true, "{command:?}: {done}");
        let shown = without_terminal(url, &[command[0], "show", command[2]]).await;
        assert_eq!(shown.code, Some(1), "{command:?}: {}", shown.out);
    }
    let ended = admin(url, &["subscription", "remove", "Bakery"]).await;
    assert_eq!(ended["status"], "none");
    assert_eq!(ended["plan"], Value::Null);
    assert_eq!(admin(url, &["subscription", "show", "Bakery"]).await["plan"], Value::Null);
}

async fn an_organization_without_anything_is_removed(world: World) {
    let url = world.database_url();
    admin(url, &["organization", "create", "--name", "Mistake"]).await;
    let removed = admin(url, &["organization", "remove", "Mistake", "--yes"]).await;
    assert_eq!(removed["name"], "Mistake");
    assert_eq!(removed["removed"], true);
    without_terminal(url, &["organization", "show", "Mistake"]).await.failed_with(&["Mistake"]);
    // One in which something has happened stays.
    let id = world.organization.to_string();
    let refused = without_terminal(url, &["organization", "remove", &id, "--yes"]).await;
    refused.failed_with(&["in use", "subscription remove"]);
}

async fn an_endpoint_is_removed(world: World) {
    let url = world.database_url();
    let body = json!({"url": "https://example.com/hooks", "events": ["*"]});
    let made = world.post("/api/v1/webhook-endpoints", &world.key, &body).await;
    assert_eq!(made.status, 201, "{}", made.text);
    let id = made.body["id"].as_str().unwrap();
    without_terminal(url, &["endpoint", "remove", id]).await.failed_with(&["--yes"]);
    let removed = admin(url, &["endpoint", "remove", id, "--yes"]).await;
    assert_eq!(removed, json!({"id": id, "url": "https://example.com/hooks", "removed": true}));
    let gone = world.get(&format!("/api/v1/webhook-endpoints/{id}"), &world.key).await;
    gone.is_problem(404, "not_found");
    assert_eq!(admin(url, &["endpoint", "list"]).await["data"], json!([]));
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

#[tokio::test]
async fn a_new_application_says_who_can_connect_it() {
    let (_folder, url) = folder();
    admin(&url, &["organization", "create", "--name", "Umbrella"]).await;
    let create = ["application", "create", "--scopes", "messages.send"];
    let place = ["--redirect-uri", "https://desk.example/callback", "--name"];
    for (options, says) in [
        (&["Desk"][..], ["Nobody can connect it yet", "admin application verify swa_"]),
        (
            &["Till", "--organization", "Umbrella"],
            ["Only its own organization can connect it", "under Developer apps"],
        ),
        (
            &["Shop", "--organization", "Umbrella", "--published"],
            ["Every organization can connect it", "admin application verify swa_"],
        ),
    ] {
        let arguments = [&create[..], &place, options].concat();
        let said = without_terminal(&url, &arguments).await.succeeded();
        for words in says {
            assert!(said.contains(words), "{words}: {said}");
        }
    }
    // The example of the help registers an application that somebody can connect.
    let help = ["admin", "application", "create", "--help"];
    let help = Output::of(&mut switchboard(&help)).await.succeeded();
    let (_, example) = help.split_once("Example: ").expect("an example");
    assert!(example.contains("--organization Bakery"), "{example}");
}

on_both_databases! {
    everything_that_admin_creates_can_be_removed,
    an_organization_without_anything_is_removed,
    an_endpoint_is_removed,
}
