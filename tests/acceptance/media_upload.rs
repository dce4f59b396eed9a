//! Uploading a file (`docs/contract.md#upload-media`; `docs/security.md` 32).

use crate::media_files::{
    BASE_URL, MEDIA, PDF, fetch, is_uploaded, jpeg, mp4_file, ogg, png, post, sha256, upload,
    upload_body,
};
use crate::world::snapshot::with_numbered_ids;
use crate::world::{Answer, World, on_both_databases};
use domain::keyword::Keyword as _;
use domain::scope::Scope;
use futures_util::future::join_all;
use serde_json::{Value, json};
use std::time::Duration;

const SEND: &str = "/api/v1/messages";
const PERSON: &str = "+12025550110";

/// Sends the file at this URL in a message, without its type.
async fn send(world: &World, url: &Value, more: &[(&str, &str)]) -> Answer {
    let mut body = json!({"type": "media", "phone_number": PERSON, "media_url": url});
    for (field, value) in more {
        body[*field] = json!(value);
    }
    world.post(SEND, &world.key, &body).await
}

async fn a_file_is_uploaded_and_has_an_address(world: World) {
    // When a picture is uploaded with a file name,
    let bytes = png();
    let record = upload(&world, "image/png", "logo.png", &bytes).await;

    // then the response contains its properties and its URL,
    let id = record["id"].as_str().unwrap();
    assert!(id.starts_with("med_"), "{id}");
    insta::assert_compact_json_snapshot!(with_numbered_ids(&record), @r#"
    {
      "id": "med_1",
      "url": "https://api.example.com/media/med_1/logo.png",
      "content_type": "image/png",
      "size": 67,
      "sha256": "d44c0303173ecdb8ba72a7ab688f020583b31865537e2f9ab57e56aeec687807",
      "filename": "logo.png",
      "created_at": "2026-11-21T12:00:00.000Z"
    }
    "#);
    assert_eq!(record["sha256"], sha256(&bytes));

    // and the URL serves the picture.
    let served = fetch(&world, &record["url"]).await;
    assert_eq!(served.status, 200);
    assert_eq!(served.header("content-type"), "image/png");
    assert_eq!(served.bytes, bytes);
}

async fn a_file_without_a_name_is_given_one(world: World) {
    for (content_type, bytes, ending) in
        [("image/png", png(), ".png"), ("application/pdf", PDF.to_vec(), ".pdf")]
    {
        let record = is_uploaded(&post(&world, &upload_body(content_type, &bytes)).await);
        let (id, filename) = (record["id"].as_str().unwrap(), record["filename"].as_str().unwrap());
        assert!(filename.ends_with(ending) && filename.len() > ending.len(), "{filename}");
        assert_eq!(record["url"], format!("{BASE_URL}/media/{id}/{filename}"));
        assert_eq!(fetch(&world, &record["url"]).await.bytes, bytes);
    }
}

async fn the_same_file_twice_is_two_uploads(world: World) {
    let first = upload(&world, "image/png", "a.png", &png()).await;
    let second = upload(&world, "image/png", "a.png", &png()).await;
    assert_ne!(first["id"], second["id"]);
    assert_eq!(first["sha256"], second["sha256"]);
    for record in [first, second] {
        assert_eq!(fetch(&world, &record["url"]).await.bytes, png());
    }
}

async fn many_files_at_once_stay_apart(world: World) {
    let texts: Vec<String> = (0..30).map(|number| format!("{number}\n").repeat(2000)).collect();
    let uploads =
        texts.iter().map(|text| upload(&world, "text/plain", "same.txt", text.as_bytes()));
    let records = join_all(uploads).await;
    for (record, text) in records.iter().zip(&texts) {
        assert_eq!(record["sha256"], sha256(text.as_bytes()));
        assert!(fetch(&world, &record["url"]).await.bytes == text.as_bytes(), "{record}");
    }
}

/// The file names have no extension or a wrong one.
async fn an_upload_is_sent_as_what_it_is(world: World) {
    // Given uploads with arbitrary file names,
    let cases = [
        ("image/png", "blob", png(), "image"),
        ("image/jpeg", "film.mp4", jpeg(), "image"),
        ("audio/ogg", "blob", ogg(), "audio"),
        ("video/mp4", "blob", mp4_file(*b"mp42"), "video"),
        ("application/pdf", "blob", PDF.to_vec(), "document"),
        ("text/csv", "picture.png", b"a,b\n1,2\n".to_vec(), "document"),
    ];
    for (content_type, name, bytes, _) in &cases {
        let record = upload(&world, content_type, name, bytes).await;
        // when they are sent without their type, then they are accepted,
        let answer = send(&world, &record["url"], &[]).await;
        assert_eq!(answer.status, 201, "{content_type} {name}: {}", answer.text);
    }
    // and arrive with their real type.
    world.live_through(Duration::from_secs(1)).await;
    let history = world.history(PERSON).await;
    let kinds: Vec<&str> =
        history.iter().map(|it| it["media"]["media_type"].as_str().unwrap()).collect();
    assert_eq!(kinds, cases.map(|case| case.3));
    assert!(history.iter().all(|it| it["status"] == "delivered"), "{history:?}");
}

async fn the_known_type_of_an_upload_is_checked_like_a_given_one(world: World) {
    let sound = upload(&world, "audio/ogg", "blob", &ogg()).await;
    send(&world, &sound["url"], &[("caption", "Hear")])
        .await
        .has_faults(&[("caption", "not_allowed")]);
    let picture = upload(&world, "image/png", "blob", &png()).await;
    assert_eq!(send(&world, &picture["url"], &[("caption", "See")]).await.status, 201);
}

async fn a_url_that_only_looks_like_an_upload_reveals_nothing(world: World) {
    let record = upload(&world, "image/png", "blob", &png()).await;
    let id = record["id"].as_str().unwrap();
    for url in [
        format!("https://example.org/media/{id}/blob"),
        format!("{BASE_URL}.example.org/media/{id}/blob"),
        format!("{BASE_URL}/media/med_01h2xcejqtf2nbrexx3vqjhp41/blob"),
        format!("{BASE_URL}/media/{id}/other"),
    ] {
        send(&world, &json!(url), &[]).await.has_faults(&[("media_type", "required")]);
    }
}

async fn an_upload_that_comes_again_is_answered_and_not_kept_twice(world: World) {
    let body = upload_body("image/png", &png());
    let first = world.post_once(MEDIA, "logo", &body).await;
    is_uploaded(&first);
    let again = world.post_once(MEDIA, "logo", &body).await;
    assert_eq!(again.status, 201);
    assert_eq!(again.header("idempotent-replayed"), "true");
    assert_eq!(again.text, first.text);
    let other = upload_body("image/jpeg", &jpeg());
    world.post_once(MEDIA, "logo", &other).await.is_problem(422, "idempotency_key_reused");
}

async fn an_upload_needs_its_scope_and_is_no_message(world: World) {
    let scopes: Vec<Scope> =
        Scope::ALL.iter().copied().filter(|it| *it != Scope::MediaWrite).collect();
    let key = world.key_with(world.organization, &scopes, None, 0).await;
    let refused = world.post(MEDIA, &key, &upload_body("image/png", &png())).await;
    assert_eq!(refused.is_problem(403, "insufficient_scope").body["required_scope"], "media.write");
    let key = world.key_with(world.organization, &[Scope::MediaWrite], None, 0).await;
    is_uploaded(&world.post(MEDIA, &key, &upload_body("image/png", &png())).await);
    let me = world.get("/api/v1/me", &world.key).await;
    assert_eq!(me.body["plan"]["messages"]["used"], 0);
    assert_eq!(
        world.get(MEDIA, &world.key).await.is_problem(405, "method_not_allowed").header("allow"),
        "POST"
    );
}

async fn an_organization_without_a_number_may_upload(world: World) {
    let other = world.organization_on("Other", "Unlimited").await;
    let key = world.key_of(other).await;
    is_uploaded(&world.post(MEDIA, &key, &upload_body("image/png", &png())).await);
}

on_both_databases! {
    a_file_is_uploaded_and_has_an_address,
    a_file_without_a_name_is_given_one,
    the_same_file_twice_is_two_uploads,
    many_files_at_once_stay_apart,
    an_upload_is_sent_as_what_it_is,
    the_known_type_of_an_upload_is_checked_like_a_given_one,
    a_url_that_only_looks_like_an_upload_reveals_nothing,
    an_upload_that_comes_again_is_answered_and_not_kept_twice,
    an_upload_needs_its_scope_and_is_no_message,
    an_organization_without_a_number_may_upload,
}
