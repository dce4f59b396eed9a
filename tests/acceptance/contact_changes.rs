//! What members and programs change about contacts: the name, marketing, and merges by hand
//! (`docs/contract.md#people`).

use crate::cloud::{Cloud, PERSON, SECOND, SEND, from_person, on_both_clouds};
use crate::connect::PASSWORD;
use crate::dashboard::sign_in_member;
use crate::events::events;
use crate::media_files::png;
use crate::members::sign_in;
use crate::world::graph::callbacks::Media;
use crate::world::{Answer, World};
use domain::keyword::Keyword as _;
use domain::role::Role;
use domain::scope::Scope;
use reqwest::Method;
use serde_json::{Value, json};
use service::contacts::MergeError;

const CONTACTS: &str = "/api/v1/contacts";
const FILE: &str = "1013859600285441";

async fn rename(world: &World, id: &str, name: Value) -> Answer {
    let path = format!("{CONTACTS}/{id}");
    let request = world.request(Method::PATCH, &path, &world.key);
    Answer::of(request.json(&json!({ "name": name }))).await
}

async fn contact(world: &World, id: &str) -> Value {
    world.get(&format!("{CONTACTS}/{id}"), &world.key).await.body
}

/// Writes to a number, and returns the id of its contact.
async fn write_to(cloud: &Cloud, number: &str) -> String {
    let body = json!({"type": "text", "phone_number": number, "text": "Hello"});
    let sent = cloud.post(SEND, &cloud.key, &body).await;
    assert_eq!(sent.status, 201, "{}", sent.text);
    sent.text_of("contact_id")
}

async fn updates(world: &World) -> Vec<Value> {
    let all = events(world, &world.key).await.into_iter();
    all.filter(|it| it["type"] == "contact.updated").map(|it| it["data"].clone()).collect()
}

async fn the_channels_name_does_not_replace_an_edited_one(cloud: Cloud) {
    // Given a contact whose name the channel reported,
    cloud.post_callback(&from_person("wamid.A").text("Hi")).await;
    let id = cloud.history(PERSON).await[0]["contact_id"].as_str().unwrap().to_owned();
    assert_eq!(contact(&cloud, &id).await["name"], "Sheena Nelson");

    // when a program changes the name,
    let renamed = rename(&cloud, &id, json!("Sheena, wholesale")).await;
    assert_eq!(renamed.status, 200, "{}", renamed.text);
    assert_eq!(renamed.body["name"], "Sheena, wholesale");

    // then the event has both names, and the channel's name does not come back.
    let told = updates(&cloud).await;
    let told = told.last().unwrap();
    assert_eq!(told["name"], "Sheena, wholesale");
    assert_eq!(told["previous"], json!({"name": "Sheena Nelson"}));
    let count = updates(&cloud).await.len();
    cloud.advance(SECOND);
    cloud.post_callback(&from_person("wamid.B").text("Hi")).await;
    assert_eq!(contact(&cloud, &id).await["name"], "Sheena, wholesale");
    assert_eq!(rename(&cloud, &id, json!("Sheena, wholesale")).await.status, 200);
    assert_eq!(updates(&cloud).await.len(), count);
    // Without a name, the channel's next one counts.
    assert_eq!(rename(&cloud, &id, Value::Null).await.body["name"], Value::Null);
    cloud.advance(SECOND);
    cloud.post_callback(&from_person("wamid.C").text("Hi")).await;
    assert_eq!(contact(&cloud, &id).await["name"], "Sheena Nelson");
    // A name has at least one character and at most 255.
    for name in ["", "  ", &"x".repeat(256)] {
        rename(&cloud, &id, json!(name)).await.is_problem(422, "validation_failed");
    }
    // It has no characters that are invisible or deceive, as the names of keys and members have none.
    for name in ["a\u{202e}b", "a\u{200b}b", "a\nb", "a\0b", "pаypal", "A\u{301}\u{301}da"] {
        rename(&cloud, &id, json!(name)).await.has_faults(&[("name", "invalid_format")]);
    }
    assert_eq!(contact(&cloud, &id).await["name"], "Sheena Nelson");
    for name in ["Zoë 👩\u{200d}🌾", "می\u{200c}خواهم", "Анна Smith"] {
        assert_eq!(rename(&cloud, &id, json!(name)).await.body["name"], name);
    }
    let nobody = "ctc_01h455vb4pex5vsknk084sn02q";
    rename(&cloud, nobody, json!("Ada")).await.is_problem(404, "not_found");
}

async fn two_contacts_are_merged_by_hand(cloud: Cloud) {
    // Given two contacts of one number,
    let kept = write_to(&cloud, "+16505550001").await;
    cloud.advance(SECOND);
    let merged = write_to(&cloud, "+16505550002").await;
    let deps = &cloud.server.deps;
    let id = |text: &str| text.parse().unwrap();

    // when a member merges one into the other,
    service::contacts::merge(deps, cloud.organization, id(&kept), id(&merged)).await.unwrap();

    // then both numbers and both ids lead to the one that stays.
    assert_eq!(contact(&cloud, &merged).await["id"], json!(kept));
    for number in ["+16505550001", "+16505550002"] {
        cloud.advance(SECOND);
        assert_eq!(write_to(&cloud, number).await, kept);
    }
    assert_eq!(cloud.history("+16505550001").await.len(), 4);
    let told = events(&cloud, &cloud.key).await;
    let told = told.iter().find(|it| it["type"] == "contact.merged").expect("the event");
    assert_eq!(told["data"]["merged_contact_id"], json!(merged));
    // A contact of another number, a merged one and the same one are refused.
    let other = cloud.key_with_token(cloud.graph.token()).await;
    let body = json!({"type": "text", "phone_number": "+16505550003", "text": "Hello"});
    let elsewhere = cloud.post(SEND, &other, &body).await.text_of("contact_id");
    for with in [&elsewhere, &kept] {
        let refused = service::contacts::merge(deps, cloud.organization, id(&kept), id(with)).await;
        assert!(matches!(refused, Err(MergeError::Refused(_))), "{with}: {refused:?}");
    }
    let gone = service::contacts::merge(deps, cloud.organization, id(&kept), id(&merged)).await;
    assert!(matches!(gone, Err(MergeError::NotFound)), "{gone:?}");
}

async fn the_pages_of_contacts_show_find_and_change_them(cloud: Cloud) {
    // Given two contacts, and a member of the role support,
    cloud.post_callback(&from_person("wamid.A").text("Hi")).await;
    let id = cloud.history(PERSON).await[0]["contact_id"].as_str().unwrap().to_owned();
    let other = write_to(&cloud, "+16505550002").await;
    sign_in_member(&cloud).await;
    let (admin, organization, email) = (cloud.admin(), cloud.organization, "bo@acme.example");
    admin.create_member_as(Role::Support, organization, email, "Bo", PASSWORD).await.unwrap();
    let mut browser = sign_in(&cloud, email, PASSWORD).await;
    let here = format!("/contacts/{id}");

    // then the list has both, and a search finds one.
    let list = browser.get("/contacts").await;
    assert!(list.text.contains("Sheena Nelson") && list.text.contains("+16505550002"));
    let found = browser.get("/contacts?q=sheena").await;
    assert!(found.text.contains("Sheena Nelson") && !found.text.contains("+16505550002"));
    // The page of a contact has a form for the name, and no way to delete it for this role.
    let page = browser.get(&here).await;
    assert_eq!(page.status, 200);
    assert!(page.text.contains("Save name") && !page.text.contains("/delete\""), "{}", page.text);
    assert_eq!(browser.get(&format!("{here}/delete")).await.status, 403);
    // A name that deceives is not saved, and the page says why.
    let (_, form) = page.text.split_once(&format!("action=\"{here}\"")).expect("a form");
    let (_, token) = form.split_once("name=\"token\" value=\"").expect("a token");
    let token = token.split('"').next().unwrap();
    let fields = [("token", token), ("action", "rename"), ("name", "a\u{202e}b")];
    let refused = browser.post(&here, &fields).await;
    let refused = browser.get(refused.location()).await;
    assert!(refused.text.contains("The name was not saved"), "{}", refused.text);
    assert!(refused.text.contains("Sheena Nelson"), "{}", refused.text);
    let export = browser.get(&format!("{here}/export")).await;
    assert_eq!(export.status, 200);
    assert!(export.text.starts_with("PK") && export.text.contains("contact.json"));
    // The confirmation of a merge shows both.
    let merge = browser.get(&format!("{here}/merge?with={other}")).await;
    assert_eq!(merge.status, 200);
    assert!(merge.text.contains("+16505550002") && merge.text.contains("Sheena Nelson"));
    let offered = browser.get(&format!("{here}/merge?q=%2B16505550002")).await;
    assert!(offered.text.contains(&format!("with={other}")), "{}", offered.text);
    for path in ["/contacts/ctc_01h455vb4pex5vsknk084sn02q", "/contacts/x"] {
        assert_eq!(browser.get(path).await.status, 404, "{path}");
    }
}

async fn an_export_has_everything_that_is_known_of_a_person(cloud: Cloud) {
    // Given a person who wrote a text and a picture, and a note about them,
    cloud.graph.put_file(FILE, "image/png", png());
    let media = Media { kind: "image", id: FILE, mime_type: "image/png", ..Media::default() };
    cloud.post_callback(&from_person("wamid.A").text("Hi")).await;
    cloud.post_callback(&from_person("wamid.B").media(&media)).await;
    let history = cloud.history(PERSON).await;
    let conversation = history[0]["conversation_id"].as_str().unwrap();
    let path = format!("/api/v1/conversations/{conversation}/notes");
    assert_eq!(cloud.post(&path, &cloud.key, &json!({"text": "Nice"})).await.status, 201);

    // when the contact is exported,
    let export = format!("/api/v1/contacts/{}/export", history[0]["contact_id"].as_str().unwrap());
    let answer = cloud.request(Method::GET, &export, &cloud.key).send().await.unwrap();
    assert_eq!(answer.status(), 200);
    assert_eq!(answer.headers()["content-type"], "application/zip");
    let name = answer.headers()["content-disposition"].to_str().unwrap().to_owned();
    assert!(name.starts_with("attachment; filename=\"ctc_") && name.ends_with(".zip\""), "{name}");
    let bytes = answer.bytes().await.unwrap();

    // then the archive has the contact, the messages, the notes and the file.
    let mut archive = zip::ZipArchive::new(std::io::Cursor::new(bytes)).unwrap();
    let mut entry = |name: &str| {
        let mut content = Vec::new();
        std::io::Read::read_to_end(&mut archive.by_name(name).unwrap(), &mut content).unwrap();
        content
    };
    let mut json = |name: &str| -> Value { serde_json::from_slice(&entry(name)).unwrap() };
    assert_eq!(json("contact.json")["name"], "Sheena Nelson");
    let messages = json("messages.json");
    assert_eq!(messages[0]["text"], "Hi");
    assert_eq!(messages.as_array().unwrap().len(), 2);
    assert_eq!(json("notes.json")[0]["text"], "Nice");
    let names: Vec<String> = archive.file_names().map(str::to_owned).collect();
    let file = names.iter().find(|it| it.starts_with("media/med_")).expect("the file");
    let mut content = Vec::new();
    std::io::Read::read_to_end(&mut archive.by_name(file).unwrap(), &mut content).unwrap();
    assert_eq!(content, png());
    // A key without the scope, one of another number, and another organization get nothing.
    let sends = cloud.key_with(cloud.organization, &[Scope::MessagesSend], None, 0).await;
    cloud.get(&export, &sends).await.is_problem(403, "insufficient_scope");
    let bound = cloud.key_with_token(cloud.graph.token()).await;
    cloud.get(&export, &bound).await.is_problem(404, "not_found");
    let stranger = cloud.key_with(cloud.sandbox.0, Scope::ALL, None, 0).await;
    cloud.get(&export, &stranger).await.is_problem(404, "not_found");
    // A deleted contact has nothing to export.
    let path = export.trim_end_matches("/export");
    let deleted = Answer::of(cloud.request(Method::DELETE, path, &cloud.key)).await;
    assert_eq!(deleted.status, 200, "{}", deleted.text);
    cloud.get(&export, &cloud.key).await.is_problem(404, "not_found");
}

async fn an_organization_exports_two_contacts_at_a_time(cloud: Cloud) {
    // Given an organization with two exports under way,
    cloud.post_callback(&from_person("wamid.A").text("Hi")).await;
    let contact = cloud.history(PERSON).await[0]["contact_id"].as_str().unwrap().to_owned();
    let limiter = &cloud.server.deps.export_limiter;
    let places =
        || limiter.take_place(cloud.organization).zip(limiter.take_place(cloud.organization));
    let held = places().expect("two places");
    // when it begins a third one, then that is refused, by the API and on the page.
    let export = format!("/api/v1/contacts/{contact}/export");
    cloud.get(&export, &cloud.key).await.is_problem(429, "too_many_exports");
    let mut browser = sign_in_member(&cloud).await;
    let page = browser.get(&format!("/contacts/{contact}/export")).await;
    assert_eq!(page.status, 429);
    assert!(page.text.contains("Other exports are under way"), "{}", page.text);
    // When one of them has ended, it is answered, and its place is free again at its end.
    drop(held);
    let answer = cloud.request(Method::GET, &export, &cloud.key).send().await.unwrap();
    assert_eq!(answer.status(), 200);
    assert!(answer.bytes().await.unwrap().starts_with(b"PK"));
    while places().is_none() {
        tokio::task::yield_now().await;
    }
}

on_both_clouds! {
    an_export_has_everything_that_is_known_of_a_person,
    an_organization_exports_two_contacts_at_a_time,
    the_channels_name_does_not_replace_an_edited_one,
    two_contacts_are_merged_by_hand,
    the_pages_of_contacts_show_find_and_change_them,
}
