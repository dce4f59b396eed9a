//! The operators' lists and look-ups, and the ways to name an object.

use super::{Output, admin, folder, prepare, run};
use crate::world::{World, on_both_databases, switchboard};
use serde_json::{Value, json};

/// Runs an `admin` command on a world's database.
async fn run_admin(world: &World, arguments: &[&str]) -> Output {
    let place = ["--database-url", world.database_url()];
    Output::of(&mut switchboard(&[&["admin"], arguments, &place].concat())).await
}

async fn list_objects(world: &World, arguments: &[&str]) -> Value {
    admin(world.database_url(), arguments).await
}

fn ids(page: &Value) -> Vec<&str> {
    page["data"].as_array().unwrap().iter().map(|entry| entry["id"].as_str().unwrap()).collect()
}

async fn every_noun_is_listed_and_shown_without_secrets(world: World) {
    let key = prepare(world.database_url()).await;
    let application = list_objects(
        &world,
        &[
            "application",
            "create",
            "--organization",
            "Bakery",
            "--name",
            "Till",
            "--scopes",
            "messages.send",
            "--redirect-uri",
            "https://till.example/callback",
        ],
    )
    .await;
    let secret = application["client_secret"].as_str().unwrap();
    let owner = domain::id::OrganizationId::new(crate::world::noon(), [0; 10]);
    assert_ne!(owner, world.organization);
    let mut everything = String::new();
    for (noun, columns) in [
        ("organization", &["id", "name", "subscription_status", "plan", "created_at"][..]),
        (
            "account",
            &["id", "phone_number", "display_name", "organization_id", "default", "channel"],
        ),
        ("plan", &["id", "name", "api_access", "api_calls_per_day", "messages_per_month"]),
        ("subscription", &["organization_id", "organization", "status", "plan"]),
        ("key", &["id", "client_id", "name", "state", "scopes", "rate_limit", "last_used_at"]),
        ("application", &["id", "client_id", "name", "published", "verified", "redirect_uris"]),
    ] {
        let page = list_objects(&world, &[noun, "list"]).await;
        assert_eq!(page["has_more"], json!(false));
        assert_eq!(page["next_after"], Value::Null);
        let entries = page["data"].as_array().unwrap();
        assert!(!entries.is_empty(), "{noun}");
        let first = entries[0].as_object().unwrap();
        for column in columns {
            assert!(first.contains_key(*column), "{column} of {noun} in {page}");
        }
        let id = entries[0]["id"].as_str().or(entries[0]["organization_id"].as_str()).unwrap();
        assert_eq!(list_objects(&world, &[noun, "show", id]).await, entries[0], "{noun}");
        let table = run_admin(&world, &[noun, "list"]).await.succeeded();
        assert!(table.contains(id) && table.starts_with(char::is_uppercase), "{table}");
        let shown = run_admin(&world, &[noun, "show", id]).await.succeeded();
        assert!(shown.contains(id), "{shown}");
        everything.extend([page.to_string(), table, shown]);
    }
    for hidden in [&key.client_secret, secret, "secret", "digest", "password", "access_token"] {
        assert!(!everything.contains(hidden), "{hidden} in {everything}");
    }
    assert_eq!(list_objects(&world, &["endpoint", "list"]).await["data"], json!([]));
    assert_eq!(list_objects(&world, &["member", "list"]).await["data"], json!([]));
    assert_eq!(
        run_admin(&world, &["endpoint", "list"]).await.succeeded(),
        "There are no webhook endpoints.\n"
    );
    run_admin(&world, &["endpoint", "show", "https://x.example"])
        .await
        .failed_with(&["no webhook endpoint"]);
}

async fn a_list_comes_in_pages(world: World) {
    for number in 0..4 {
        world.organization_on(&format!("Shop {number}"), "Unlimited").await;
    }
    let all = list_objects(&world, &["organization", "list"]).await;
    assert_eq!(ids(&all).len(), 5);
    let (mut found, mut after) = (Vec::new(), String::new());
    loop {
        let mut arguments = vec!["organization", "list", "--limit", "2"];
        if !after.is_empty() {
            arguments.extend(["--after", &after]);
        }
        let page = list_objects(&world, &arguments).await;
        assert!(ids(&page).len() <= 2);
        found.extend(ids(&page).into_iter().map(str::to_owned));
        let Some(next) = page["next_after"].as_str() else { break };
        assert_eq!(page["has_more"], json!(true));
        assert_eq!(Some(next), ids(&page).last().copied());
        next.clone_into(&mut after);
    }
    assert_eq!(found, ids(&all), "each once, in the order in which they were made");
    let table = run_admin(&world, &["organization", "list", "--limit", "2"]).await.succeeded();
    assert!(table.contains("--after org_"), "{table}");
    for wrong in ["0", "101", "many"] {
        let refused = run_admin(&world, &["organization", "list", "--limit", wrong]).await;
        assert_eq!(refused.code, Some(2), "{}", refused.err);
    }
    run_admin(&world, &["key", "list", "--after", "org_1"]).await.failed_with(&["org_1", "key"]);
}

async fn a_shared_name_lists_the_ids(world: World) {
    prepare(world.database_url()).await;
    let twin = list_objects(&world, &["organization", "create", "--name", "Bakery"]).await;
    let twin = twin["id"].as_str().unwrap();
    let both = list_objects(&world, &["organization", "list"]).await;
    let key = ["key", "create", "--name", "Till", "--scopes", "messages.send", "--organization"];
    let refused = run_admin(&world, &[&key[..], &["Bakery"]].concat()).await;
    refused.failed_with(&["several organizations", "Bakery", "id", twin]);
    let named: Vec<_> = ids(&both).into_iter().filter(|id| refused.err.contains(id)).collect();
    assert_eq!(named.len(), 2, "{}", refused.err);

    // The id selects one of two organizations with the same name, and the lists of the two are
    // separate.
    let made = list_objects(&world, &[&key[..], &[twin]].concat()).await;
    let theirs = list_objects(&world, &["key", "list", "--organization", twin]).await;
    assert_eq!(theirs["data"].as_array().unwrap().len(), 1);
    assert_eq!(theirs["data"][0]["client_id"], made["client_id"]);
    assert_eq!(theirs["data"][0]["organization_id"], twin);

    // The same holds for two keys with one name: the id, the client id or a unique name selects
    // a key.
    let client_id = made["client_id"].as_str().unwrap();
    run_admin(&world, &["key", "disable", "Till"]).await.failed_with(&["several keys", client_id]);
    for name in [client_id, made["id"].as_str().unwrap()] {
        let disabled = list_objects(&world, &["key", "disable", name]).await;
        assert_eq!(disabled, json!({"client_id": client_id, "state": "inactive"}));
    }
    assert_eq!(list_objects(&world, &["key", "show", client_id]).await["state"], "inactive");
    run_admin(&world, &["key", "show", "Nobody"]).await.failed_with(&["no key", "Nobody"]);
}

#[tokio::test]
async fn looking_for_something_makes_no_database() {
    let (folder, url) = folder();
    for noun in [
        "organization",
        "member",
        "account",
        "plan",
        "subscription",
        "key",
        "application",
        "endpoint",
    ] {
        let said = run(folder.path(), &["admin", noun, "list", "--database-url", &url], &[]).await;
        said.failed_with(&["no database", "switchboard.db", "migrate run"]);
    }
    let costs = ["admin", "agent", "costs", "--organization", "Bakery", "--database-url", &url];
    let said = run(folder.path(), &costs, &[]).await;
    said.failed_with(&["no database"]);
    assert_eq!(folder.path().read_dir().unwrap().count(), 0);
}

on_both_databases! {
    every_noun_is_listed_and_shown_without_secrets,
    a_list_comes_in_pages,
    a_shared_name_lists_the_ids,
}
