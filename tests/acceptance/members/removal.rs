//! Members who are removed or get another role while they are signed in.

use super::{MEMBERS, done, id_of, owner, role_of, sign_in, signed_in_as, submit};
use crate::connect::{EMAIL, PASSWORD};
use crate::dashboard::{KEYS, WEBHOOKS};
use crate::world::{World, on_both_databases};
use domain::role::Role;

const BOB: &str = "bob@acme.example";

async fn a_new_role_counts_from_the_next_click(world: World) {
    let mut ada = owner(&world).await;
    let mut bob = signed_in_as(&world, BOB, Role::Developer).await;
    assert_eq!(bob.get(WEBHOOKS).await.status, 200);
    let here = format!("{MEMBERS}/{}", id_of(&world, BOB).await);
    let page = done(&mut ada, &here, &[("action", "role"), ("role", "support")]).await;
    assert!(page.text.contains("Bob Stone is in support now"), "{}", page.text);
    let page = bob.get(WEBHOOKS).await;
    assert_eq!(page.status, 403);
    assert!(
        page.text.contains("Your role is Support") && page.text.contains("href=\"/\""),
        "{}",
        page.text
    );
    let home = bob.get("/").await;
    assert!(!home.text.contains(WEBHOOKS), "{}", home.text);
    // The role is also gone for a form that was opened before.
    let sent = submit(&mut bob, WEBHOOKS, &[("url", "https://a.example/"), ("which", "all")]).await;
    assert_eq!(sent.status, 403, "{}", sent.text);
}

async fn a_removed_member_sees_nothing_from_the_next_click_on(world: World) {
    let mut ada = owner(&world).await;
    let mut bob = signed_in_as(&world, BOB, Role::Developer).await;
    let here = format!("{MEMBERS}/{}", id_of(&world, BOB).await);
    let page = ada.get(&format!("{here}/remove")).await;
    assert!(page.text.contains("Remove Bob Stone?"), "{}", page.text);
    done(&mut ada, &here, &[("action", "remove")]).await;
    for path in ["/", KEYS, WEBHOOKS, MEMBERS, "/account", "/plan"] {
        let page = bob.get(path).await;
        assert_eq!(page.status, 403, "{path}: {}", page.text);
        assert!(
            page.text.contains("belong to no organization") && page.text.contains("/logout"),
            "{}",
            page.text
        );
    }
    // With another organization, the pages show that one.
    let other = world.organization_on("Other", "Unlimited").await;
    world.admin().add_member(other, BOB).await.unwrap();
    assert!(bob.get("/account").await.text.contains("Your role in Other is Owner"));
    // A removed member is not found any more.
    for action in [[("action", "remove"), ("role", "")], [("action", "role"), ("role", "owner")]] {
        assert_eq!(submit(&mut ada, &here, &action).await.status, 404);
    }
}

async fn the_last_owner_stays(world: World) {
    let mut ada = owner(&world).await;
    signed_in_as(&world, BOB, Role::Developer).await;
    let own = format!("{MEMBERS}/{}", id_of(&world, EMAIL).await);
    for action in [[("action", "remove"), ("role", "")], [("action", "role"), ("role", "support")]]
    {
        let page = done(&mut ada, &own, &action).await;
        assert!(page.text.contains("The last owner cannot be removed"), "{}", page.text);
    }
    assert_eq!(role_of(&world, world.organization, EMAIL).await, Some(Role::Owner));
    // With a second owner, the first one may leave.
    let bob = format!("{MEMBERS}/{}", id_of(&world, BOB).await);
    done(&mut ada, &bob, &[("action", "role"), ("role", "owner")]).await;
    let sent = submit(&mut ada, &own, &[("action", "remove")]).await;
    assert_eq!(sent.status, 303);
    assert_eq!(role_of(&world, world.organization, EMAIL).await, None);
}

async fn one_of_two_owners_who_remove_each_other_stays(world: World) {
    let mut ada = owner(&world).await;
    let mut bob = signed_in_as(&world, BOB, Role::Owner).await;
    let (own, other) = (id_of(&world, EMAIL).await, id_of(&world, BOB).await);
    let paths = (format!("{MEMBERS}/{other}"), format!("{MEMBERS}/{own}"));
    let remove = [("action", "remove")];
    let sent =
        tokio::join!(submit(&mut ada, &paths.0, &remove), submit(&mut bob, &paths.1, &remove));
    let owners =
        world.server.deps.db.organization(world.organization).members_of(10).await.unwrap();
    assert_eq!(owners.len(), 1, "{} {}", sent.0.status, sent.1.status);
    assert_eq!(owners[0].role, Role::Owner);
}

async fn a_member_of_another_organization_is_not_found(world: World) {
    let mut ada = owner(&world).await;
    let other = world.organization_on("Other", "Unlimited").await;
    world.admin().create_member(other, BOB, "Bob", PASSWORD).await.unwrap();
    let id = id_of(&world, BOB).await;
    let nobody = domain::id::MemberId::new(world.clock.now(), [7; 10]);
    for id in [id.to_string(), nobody.to_string(), "nonsense".to_owned(), "x".repeat(5_000)] {
        let here = format!("{MEMBERS}/{id}");
        assert_eq!(ada.get(&format!("{here}/remove")).await.status, 404);
        for action in ["remove", "reset", "role"] {
            let page = submit(&mut ada, &here, &[("action", action), ("role", "support")]).await;
            assert_eq!(page.status, 404, "{action}: {}", page.text);
        }
    }
    assert_eq!(role_of(&world, other, BOB).await, Some(Role::Owner));
    sign_in(&world, BOB, PASSWORD).await;
}

on_both_databases! {
    a_new_role_counts_from_the_next_click,
    a_removed_member_sees_nothing_from_the_next_click_on,
    the_last_owner_stays,
    one_of_two_owners_who_remove_each_other_stays,
    a_member_of_another_organization_is_not_found,
}
