//! Invitations: one-time links that a page shows once.

use super::{
    MEMBERS, audit, done, id_of, invitation, owner, role_of, sign_in, signed_in_as, submit,
};
use crate::connect::{Browser, EMAIL, PASSWORD};
use crate::world::{World, on_both_databases};
use domain::role::{MemberAction, Role};
use std::time::Duration;

const BOB: &str = "bob@acme.example";
const JOIN: [(&str, &str); 2] = [("name", "Bob Stone"), ("password", PASSWORD)];

async fn an_invitation_makes_a_member_once(world: World) {
    let mut ada = owner(&world).await;
    let path = invitation(&mut ada, "Bob@Acme.example ", Role::Support).await;
    let page = ada.get(MEMBERS).await;
    assert!(page.text.contains(BOB) && page.text.contains("Invited"), "{}", page.text);
    assert!(!page.text.contains(&path), "the link is shown once");

    // Opening the link, or invalid input, does not use it.
    let mut bob = Browser::new(&world);
    for _ in 0..2 {
        let page = bob.get(&path).await;
        assert_eq!(page.status, 200);
        assert!(page.text.contains("Join Acme") && page.text.contains(BOB), "{}", page.text);
    }
    for (name, password) in
        [("", PASSWORD), ("Bob", "short"), (&"x".repeat(10_000), PASSWORD), ("<b>", "short")]
    {
        let page = bob.post(&path, &[("name", name), ("password", password)]).await;
        assert_eq!(page.status, 422, "{}", page.text);
        assert!(!page.text.contains("<b>"));
    }
    assert_eq!(bob.post(&path, &JOIN).await.location(), "/");
    assert_eq!(bob.get("/").await.status, 200);
    assert_eq!(role_of(&world, world.organization, BOB).await, Some(Role::Support));
    let entries = audit(&world, world.organization).await;
    let accepted = entries.iter().find(|it| it.action == MemberAction::InvitationAccepted).unwrap();
    assert_eq!(accepted.member_id, id_of(&world, BOB).await);
    assert_eq!(accepted.address.as_deref(), Some("127.0.0.1"));

    // The second use is refused.
    let mut eve = Browser::new(&world);
    assert_eq!(eve.get(&path).await.status, 404);
    assert_eq!(eve.post(&path, &[("name", "Eve"), ("password", PASSWORD)]).await.status, 404);
    let page =
        submit(&mut ada, MEMBERS, &[("action", "invite"), ("email", BOB), ("role", "owner")]).await;
    assert_eq!(page.status, 422);
    assert!(page.text.contains("is a member already"), "{}", page.text);
}

async fn one_of_many_concurrent_uses_of_an_invitation_succeeds(world: World) {
    let mut ada = owner(&world).await;
    let path = invitation(&mut ada, BOB, Role::Developer).await;
    let mut racers: Vec<Browser> = (0..5).map(|_| Browser::new(&world)).collect();
    let tries = racers.iter_mut().map(|it| it.post(&path, &JOIN));
    let pages = futures_util::future::join_all(tries).await;
    let signed_in = pages.iter().filter(|it| it.status == 303 && it.header("location") == "/");
    assert_eq!(signed_in.count(), 1, "{:?}", pages.iter().map(|it| it.status).collect::<Vec<_>>());
    assert_eq!(role_of(&world, world.organization, BOB).await, Some(Role::Developer));
}

async fn an_invitation_ends_after_seven_days_or_with_a_newer_one(world: World) {
    let mut ada = owner(&world).await;
    let first = invitation(&mut ada, BOB, Role::Support).await;
    let path = invitation(&mut ada, BOB, Role::Support).await;
    let mut bob = Browser::new(&world);
    assert_eq!(bob.get(&first).await.status, 404, "a newer link was made");
    world.advance(Duration::from_hours(7 * 24) - Duration::from_secs(1));
    assert_eq!(bob.get(&path).await.status, 200);
    world.advance(Duration::from_secs(1));
    assert_eq!(bob.get(&path).await.status, 404);
    assert_eq!(bob.post(&path, &JOIN).await.status, 404);
    // It is listed as expired, and can be withdrawn.
    let mut ada = sign_in(&world, EMAIL, PASSWORD).await;
    assert!(ada.get(MEMBERS).await.text.contains("Link expired"));
    done(&mut ada, MEMBERS, &[("action", "withdraw"), ("email", BOB)]).await;
    assert!(!ada.get(MEMBERS).await.text.contains(BOB));

    let path = invitation(&mut ada, BOB, Role::Support).await;
    done(&mut ada, MEMBERS, &[("action", "withdraw"), ("email", BOB)]).await;
    assert_eq!(bob.post(&path, &JOIN).await.status, 404);
    for nobody in ["/invite/x", "/invite/0000000000000000000000000000000000000000000"] {
        assert_eq!(bob.get(nobody).await.status, 404);
    }
}

async fn a_member_of_another_organization_joins_after_signing_in(world: World) {
    // Given a member of another organization, and an invitation to their address,
    let mut ada = owner(&world).await;
    let other = world.organization_on("Other", "Unlimited").await;
    world.admin().create_member(other, BOB, "Bob", PASSWORD).await.unwrap();
    let path = invitation(&mut ada, BOB, Role::Developer).await;

    // when somebody without a session uses it, then they must sign in,
    let mut stranger = Browser::new(&world);
    let login = stranger.get(&path).await.location().to_owned();
    assert!(login.starts_with("/login?return="), "{login}");
    let sent = stranger.post(&path, &JOIN).await;
    assert_eq!(sent.location(), path, "no second member gets this address");

    // when another member uses it, then nobody joins,
    let page = ada.get(&path).await;
    assert_eq!(page.status, 403);
    assert!(page.text.contains("for somebody else") && page.text.contains(BOB), "{}", page.text);
    assert_eq!(role_of(&world, world.organization, BOB).await, None);

    // when the invited member signs in, then they come back to it and join.
    let form_token = stranger.get(&login).await;
    let fields = [
        ("token", form_token.field("token")),
        ("return", form_token.field("return")),
        ("email", BOB.to_owned()),
        ("password", PASSWORD.to_owned()),
    ];
    let fields: Vec<_> = fields.iter().map(|(name, value)| (*name, value.as_str())).collect();
    assert_eq!(stranger.post("/login", &fields).await.location(), path);
    let page = stranger.get(&path).await;
    assert_eq!(page.status, 200);
    assert_eq!(stranger.post(&path, &[("token", "wrong")]).await.status, 403);
    let proof = page.field("token");
    assert_eq!(stranger.post(&path, &[("token", proof.as_str())]).await.location(), "/");
    assert_eq!(role_of(&world, world.organization, BOB).await, Some(Role::Developer));
    assert_eq!(role_of(&world, other, BOB).await, Some(Role::Owner));
    assert!(stranger.get("/account").await.text.contains("Your role in Acme is Developer"));
}

async fn an_invitation_is_for_an_email_address(world: World) {
    let mut ada = owner(&world).await;
    for wrong in
        ["", "bob", "<script>@x.example y", &format!("{}@acme.example", "x".repeat(10_000))]
    {
        let page = submit(
            &mut ada,
            MEMBERS,
            &[("action", "invite"), ("email", wrong), ("role", "support")],
        )
        .await;
        assert_eq!(page.status, 422, "{}", page.text);
        assert!(
            page.text.contains("email-error") && !page.text.contains("<script>"),
            "{}",
            page.text
        );
    }
    let page =
        submit(&mut ada, MEMBERS, &[("action", "invite"), ("email", BOB), ("role", "king")]).await;
    assert_eq!(page.status, 422);
    // A repeated form leads to the first link, and makes no second one.
    let form_token = crate::dashboard::csrf_token(&ada.get(MEMBERS).await);
    let fields =
        [("token", form_token.as_str()), ("action", "invite"), ("email", BOB), ("role", "support")];
    let first = ada.post(MEMBERS, &fields).await.location().to_owned();
    assert_eq!(ada.post(MEMBERS, &fields).await.location(), first);
}

async fn an_owner_creates_a_reset_link_for_a_member(world: World) {
    let mut ada = owner(&world).await;
    signed_in_as(&world, BOB, Role::Support).await;
    let here = format!("{MEMBERS}/{}", id_of(&world, BOB).await);
    let page = done(&mut ada, &here, &[("action", "reset")]).await;
    let url = crate::dashboard::text_in(&page, "reset-link");
    let path = url.strip_prefix("https://api.example.com").unwrap();
    let page = Browser::new(&world).get(path).await;
    assert!(page.status == 200 && page.text.contains(BOB), "{}", page.text);

    // No owner gets a link for a member who also belongs to another organization.
    let other = world.organization_on("Other", "Unlimited").await;
    world.admin().add_member(other, BOB).await.unwrap();
    let page = done(&mut ada, &here, &[("action", "reset")]).await;
    assert!(page.text.contains("also belongs to another organization"), "{}", page.text);
    assert!(!page.text.contains("/reset/"));
}

on_both_databases! {
    an_invitation_makes_a_member_once,
    one_of_many_concurrent_uses_of_an_invitation_succeeds,
    an_invitation_ends_after_seven_days_or_with_a_newer_one,
    a_member_of_another_organization_joins_after_signing_in,
    an_invitation_is_for_an_email_address,
    an_owner_creates_a_reset_link_for_a_member,
}
