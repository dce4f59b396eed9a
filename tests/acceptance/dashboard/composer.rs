//! The composer of the inbox: files, voice messages, answers to a message, reactions, saved replies
//! (`docs/contract.md#inbox`).

use super::inbox::{CUSTOMER, customer_writes, done, newest, submit};
use super::{csrf_token, member_of_another_organization, sign_in_member};
use crate::connect::{Browser, Page};
use crate::media_files::{local_address, ogg, png};
use crate::template_creation::create_template;
use crate::world::{World, on_both_databases};
use domain::saved_reply::SavedReplyContent;
use futures_util::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};
use service::saved_replies::{self, SavedReplyError};
use std::time::Duration;

const SAVED_REPLIES: &str = "/settings/saved-replies";
const BOUNDARY: &str = "----the-end-of-a-part";

/// A file as a browser submits it.
#[derive(Clone, Copy)]
pub(super) struct File<'a> {
    pub name: &'a str,
    pub content_type: &'a str,
    pub content: &'a [u8],
}

pub(super) const NO_FILE: File<'_> =
    File { name: "", content_type: "application/octet-stream", content: b"" };

/// Submits a form with a file, in which `late` fields follow the file.
pub(super) async fn submit_parts(
    browser: &mut Browser,
    path: &str,
    fields: &[(&str, &str)],
    file: File<'_>,
    late: &[(&str, &str)],
) -> Page {
    let field = |(name, value): &(&str, &str)| {
        format!(
            "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n"
        )
    };
    let File { name, content_type, content } = file;
    let mut body: Vec<u8> = fields.iter().map(field).collect::<String>().into_bytes();
    body.extend(
        format!(
            "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\
         Content-Type: {content_type}\r\n\r\n"
        )
        .bytes(),
    );
    body.extend_from_slice(content);
    body.extend(b"\r\n");
    body.extend(late.iter().map(field).collect::<String>().into_bytes());
    body.extend(format!("--{BOUNDARY}--\r\n").bytes());
    let request = browser.request(Method::POST, path).body(body);
    let request = request.header("sec-fetch-site", "same-origin");
    let kind = format!("multipart/form-data; boundary={BOUNDARY}");
    browser.send(request.header("content-type", kind)).await
}

/// Submits the composer with a file.
async fn attach(
    browser: &mut Browser,
    path: &str,
    fields: &[(&str, &str)],
    file: File<'_>,
) -> Page {
    let form_token = csrf_token(&browser.get(path).await);
    let fields = [&[("token", form_token.as_str())], fields].concat();
    submit_parts(browser, path, &fields, file, &[("action", "send")]).await
}

async fn a_file_is_sent_with_its_caption(world: World) {
    let mut ada = sign_in_member(&world).await;
    let path = customer_writes(&world, &mut ada, "What does it look like?").await;
    let picture = png();
    let file = File { name: "cake <1>.png", content_type: "image/png", content: &picture };
    // Given a picture with a text, then it is sent as one message;
    let sent = attach(&mut ada, &path, &[("text", "Two tiers\r\nand berries")], file).await;
    assert_eq!(sent.status, 303, "{}", sent.text);
    let message = newest(&world).await;
    assert_eq!(message["type"], "media", "{message}");
    assert_eq!(message["media"]["media_type"], "image", "{message}");
    assert_eq!(message["media"]["caption"], "Two tiers\nand berries");
    let page = ada.get(&path).await;
    assert!(page.text.contains("<img src=\"/media/med_"), "{}", page.text);
    // The list has the text, and not the URL of the file.
    assert!(page.text.contains("Us: Two tiers and berries</span>"), "{}", page.text);
    // without a text, and without a file, too.
    let pdf =
        File { name: "Menu.PDF", content_type: "application/octet-stream", content: b"%PDF-1.4\n" };
    assert_eq!(attach(&mut ada, &path, &[("text", "")], pdf).await.status, 303);
    let message = newest(&world).await;
    assert_eq!(message["media"]["filename"], "Menu.PDF", "{message}");
    assert_eq!(attach(&mut ada, &path, &[("text", "Hi")], NO_FILE).await.status, 303);
    assert_eq!(newest(&world).await["text"], "Hi");
    assert_eq!(world.history(CUSTOMER).await.len(), 4);
}

async fn files_that_cannot_be_sent_are_explained(world: World) {
    let mut ada = sign_in_member(&world).await;
    let path = customer_writes(&world, &mut ada, "Hello").await;
    let (picture, sound) = (png(), ogg());
    let large = [&picture[..], &vec![0; 5 * 1024 * 1024]].concat();
    let file = |name, content_type, content| File { name, content_type, content };
    for (file, why) in [
        (file("x.html", "text/html", b"<script>"), "Files of this kind cannot be sent"),
        (file("x.pdf", "application/pdf", &picture), "its content is image/png"),
        (file("x.png", "image/png", b""), "The file is empty"),
        (file("x.png", "image/png", &large), "at most 5 MB"),
        (file("", "audio/webm;codecs=opus", b"no recording"), "This recording cannot be sent"),
    ] {
        let refused = attach(&mut ada, &path, &[("text", "Kept <b>")], file).await;
        assert_eq!(refused.status, 422, "{why}: {}", refused.text);
        assert!(refused.text.contains(why), "{why}: {}", refused.text);
        assert!(refused.text.contains("Kept &#60;b&#62;</textarea>"), "{}", refused.text);
    }
    let nothing = attach(&mut ada, &path, &[("text", " ")], NO_FILE).await;
    assert!(nothing.text.contains("Write a text, or attach a file."), "{}", nothing.text);
    // A file that cannot have a text stays attached, and is sent without it.
    let song = file("song.ogg", "audio/ogg", &sound);
    let refused = attach(&mut ada, &path, &[("text", "Listen")], song).await;
    assert!(refused.text.contains("Audio and stickers have no text"), "{}", refused.text);
    let (form_token, media) = (csrf_token(&refused), refused.field("media"));
    let fields = [("token", form_token.as_str()), ("media", media.as_str())];
    let sent = submit_parts(&mut ada, &path, &fields, NO_FILE, &[("action", "send")]).await;
    assert_eq!(sent.status, 303, "{}", sent.text);
    assert_eq!(newest(&world).await["media"]["media_type"], "audio");
    // The file of another organization is none.
    let mut eve = member_of_another_organization(&world).await;
    let form_token = csrf_token(&eve.get("/account").await);
    let fields = [("token", form_token.as_str()), ("media", media.as_str())];
    let theirs = submit_parts(&mut eve, &path, &fields, NO_FILE, &[("action", "send")]).await;
    assert_eq!(theirs.status, 404, "{}", theirs.text);
}

async fn a_form_with_a_file_proves_that_it_is_ours_before_the_file(world: World) {
    let mut ada = sign_in_member(&world).await;
    let path = customer_writes(&world, &mut ada, "Hello").await;
    let form_token = csrf_token(&ada.get(&path).await);
    let picture = png();
    let file = File { name: "a.png", content_type: "image/png", content: &picture };
    // Given a token that is missing, or that follows the file, then nothing is read.
    for (early, late) in [("", ""), ("", form_token.as_str()), ("x.y", "")] {
        let late = [("token", late), ("action", "send")];
        let refused = submit_parts(&mut ada, &path, &[("token", early)], file, &late).await;
        assert_eq!(refused.status, 403, "{}", refused.text);
    }
    // A file that somebody sends who is not signed in is not kept.
    let mut nobody = Browser::new(&world);
    let fields = [("token", form_token.as_str()), ("text", "Hi")];
    let refused = submit_parts(&mut nobody, &path, &fields, file, &[("action", "send")]).await;
    assert!([303, 401, 403].contains(&refused.status), "{}", refused.text);
    assert_eq!(world.history(CUSTOMER).await.len(), 1);
}

/// Returns a recording of two packets as Chromium makes it.
fn webm() -> Vec<u8> {
    let element = |id: &[u8], content: &[u8]| {
        let size = 0x1000_0000 | u32::try_from(content.len()).unwrap();
        [id, &size.to_be_bytes(), content].concat()
    };
    let head = b"OpusHead\x01\x01\x38\x01\x80\xbb\0\0\0\0\0";
    let track = element(&[0xAE], &element(&[0x63, 0xA2], head));
    let block = |packet: &[u8]| element(&[0xA3], &[&[0x81, 0, 0, 0x80], packet].concat());
    let unknown = [0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff];
    [
        element(&[0x1A, 0x45, 0xDF, 0xA3], &element(&[0x42, 0x82], b"webm")),
        [&[0x18, 0x53, 0x80, 0x67][..], &unknown].concat(),
        element(&[0x16, 0x54, 0xAE, 0x6B], &track),
        [&[0x1F, 0x43, 0xB6, 0x75][..], &unknown].concat(),
        block(&[0xf8, 1, 2]),
        block(&[0xf8, 3]),
    ]
    .concat()
}

async fn a_recording_becomes_a_voice_message(world: World) {
    let mut ada = sign_in_member(&world).await;
    let path = customer_writes(&world, &mut ada, "Can you say it?").await;
    for (content_type, content) in [("audio/webm", webm()), ("audio/ogg", ogg())] {
        let file = File { name: "voice.ogg", content_type, content: &content };
        let fields = [("voice", "yes"), ("text", "")];
        let sent = attach(&mut ada, &path, &fields, file).await;
        assert_eq!(sent.status, 303, "{}", sent.text);
        let message = newest(&world).await;
        assert_eq!(message["media"]["voice"], true, "{message}");
        let url = local_address(&world, &message["media"]["url"]);
        let stored = world.http.get(url).send().await.unwrap();
        assert_eq!(stored.headers()["content-type"], "audio/ogg");
        let stored = stored.bytes().await.unwrap();
        assert!(stored.starts_with(b"OggS"), "{stored:?}");
    }
    assert!(ada.get(&path).await.text.contains("<audio controls"));
}

async fn a_message_is_answered_and_reacted_to(world: World) {
    let mut ada = sign_in_member(&world).await;
    let path = customer_writes(&world, &mut ada, "Is <b>8 AM</b> fine?").await;
    let asked = newest(&world).await["id"].as_str().unwrap().to_owned();
    // Given a message to answer, then the composer quotes it, and the answer refers to it.
    let page = ada.get(&path).await;
    assert!(page.text.contains(&format!("?reply_to={asked}\"")), "{}", page.text);
    let page = ada.get(&format!("{path}?reply_to={asked}")).await;
    assert_eq!(page.field("reply_to"), asked);
    assert!(page.text.contains("Is &#60;b&#62;8 AM&#60;/b&#62; fine?</span>"), "{}", page.text);
    let answer = [("action", "send"), ("text", "Of course!"), ("reply_to", asked.as_str())];
    let page = done(&mut ada, &path, &answer).await;
    assert_eq!(newest(&world).await["reply_to"], asked);
    assert!(page.text.contains("<span class=\"quote\">"), "{}", page.text);
    // A reaction stands at its message, and can be taken back.
    let reaction = |action| [("action", action), ("reply_to", asked.as_str())];
    let page = done(&mut ada, &path, &reaction("react 👍")).await;
    assert!(page.text.contains("<span class=\"react\">👍</span>"), "{}", page.text);
    assert_eq!(newest(&world).await["type"], "reaction");
    let page = ada.get(&format!("{path}?reply_to={asked}")).await;
    assert!(page.text.contains("Remove 👍"), "{}", page.text);
    let page = done(&mut ada, &path, &reaction("react ")).await;
    assert!(!page.text.contains("class=\"react\""), "{}", page.text);
    // A reaction answers nobody, so it stops nobody's answer.
    let seen = page.field("seen");
    done(&mut ada, &path, &reaction("react ❤️")).await;
    done(&mut ada, &path, &[("action", "send"), ("text", "See you."), ("seen", &seen)]).await;
    // What is no emoji, and what is no message of the conversation, is refused in words.
    let wrong = submit(&mut ada, &path, &reaction("react <b>")).await;
    assert_eq!(wrong.status, 422, "{}", wrong.text);
    let unknown =
        [("action", "send"), ("text", "Hi"), ("reply_to", "msg_01h455vb4pex5vsknk084sn02q")];
    let wrong = submit(&mut ada, &path, &unknown).await;
    assert_eq!(wrong.status, 422, "{}", wrong.text);
    assert_eq!(ada.get(&format!("{path}?reply_to=x")).await.status, 200);
}

async fn saved_replies_are_managed_and_inserted(world: World) {
    let mut ada = sign_in_member(&world).await;
    let path = customer_writes(&world, &mut ada, "When do you open?").await;
    let empty = ada.get(SAVED_REPLIES).await;
    assert!(empty.text.contains("No saved replies yet"), "{}", empty.text);
    assert_eq!(empty.text.matches("class=\"btn primary\"").count(), 1, "{}", empty.text);
    let new = format!("{SAVED_REPLIES}/new");
    let cancel = format!("href=\"{SAVED_REPLIES}\">Cancel</a>");
    assert!(ada.get(&new).await.text.contains(&cancel));
    // Given a saved reply with variables and HTML,
    let text = "Hi {{first_name|there}}, <b>{{organization}}</b> opens at 7. {{x}}";
    let list =
        done(&mut ada, &new, &[("action", "save"), ("name", "Hours <i>"), ("text", text)]).await;
    assert!(list.text.contains("Hours &#60;i&#62;"), "{}", list.text);
    // then the composer lists it and inserts it with the values of the conversation;
    let choice = ada.get(&format!("{path}?compose=saved")).await;
    let (_, rest) = choice.text.split_once("?saved=").expect("a saved reply");
    let id = rest.split('"').next().unwrap().to_owned();
    let page = ada.get(&format!("{path}?saved={id}")).await;
    let filled = ", &#60;b&#62;Acme&#60;/b&#62; opens at 7. {{x}}</textarea>";
    assert!(page.text.contains(filled), "{}", page.text);
    assert!(!page.text.contains("first_name"), "{}", page.text);
    // it is changed,
    let here = format!("{SAVED_REPLIES}/{id}");
    let form = ada.get(&here).await;
    assert!(form.text.contains(&cancel), "{}", form.text);
    let delete = format!("class=\"btn danger\" href=\"{here}/delete\"");
    assert!(form.text.contains(&delete), "{}", form.text);
    let changed = [("action", "save"), ("name", "Hours"), ("text", "We open at 8.")];
    done(&mut ada, &here, &changed).await;
    assert!(ada.get(&here).await.text.contains("We open at 8.</textarea>"));
    // wrong input comes back with what was typed,
    let long = "<".repeat(10_000);
    for (name, text, why) in [
        ("", "x", "A name has 1 to 50 characters."),
        (long.as_str(), "x", "A name has 1 to 50 characters."),
        ("x", long.as_str(), "A text has 1 to 4096 characters."),
        ("a\u{202e}b", "x", "control or invisible"),
    ] {
        for path in [&new, &here] {
            let fields = [("action", "save"), ("name", name), ("text", text)];
            let refused = submit(&mut ada, path, &fields).await;
            assert_eq!(refused.status, 422, "{}", refused.text);
            assert!(refused.text.contains(why), "{why}: {}", refused.text);
        }
    }
    // another organization finds nothing of it,
    let mut eve = member_of_another_organization(&world).await;
    let form_token = csrf_token(&eve.get("/account").await);
    for path in [here.clone(), format!("{here}/delete")] {
        assert_eq!(eve.get(&path).await.status, 404, "{path}");
        let fields =
            [("token", form_token.as_str()), ("action", "delete"), ("name", "x"), ("text", "x")];
        assert_eq!(eve.post(&path, &fields).await.status, 404, "{path}");
    }
    // and it is deleted. An id that is gone inserts nothing.
    let list = done(&mut ada, &format!("{here}/delete"), &[("action", "delete")]).await;
    assert!(list.text.contains("No saved replies yet"), "{}", list.text);
    assert_eq!(ada.get(&format!("{path}?saved={id}")).await.status, 200);
    assert_eq!(ada.get(&here).await.status, 404);
}

async fn a_template_with_a_picture_takes_a_file(world: World) {
    let mut ada = sign_in_member(&world).await;
    let path = customer_writes(&world, &mut ada, "Hello").await;
    let template = json!({
        "name": "new_menu",
        "language": "en",
        "category": "marketing",
        "components": [
            {
                "type": "HEADER",
                "format": "IMAGE",
                "example": {"header_handle": ["4::aW1hZ2UvcG5n:ARaB"]},
            },
            {
                "type": "BODY",
                "text": "Hi {{1}}, this is our new menu for the week.",
                "example": {"body_text": [["Petra"]]},
            },
            {"type": "BUTTONS", "buttons": [{"type": "QUICK_REPLY", "text": "Order"}]},
        ],
    });
    let template = create_template(&world, &template).await;
    world.live_through(Duration::from_secs(2)).await;
    let id = template["id"].as_str().unwrap();
    let chosen = ada.get(&format!("{path}?template={id}")).await;
    assert!(chosen.text.contains("Image of the header"), "{}", chosen.text);
    let picture = png();
    let file = File { name: "menu.png", content_type: "image/png", content: &picture };
    let form_token = csrf_token(&ada.get(&path).await);
    let fields = [("token", form_token.as_str()), ("template", id), ("parameter.body.1", "Petra")];
    // Given a file in place of a URL, then it is the header;
    let sent = submit_parts(&mut ada, &path, &fields, file, &[("action", "template")]).await;
    assert_eq!(sent.status, 303, "{}", sent.text);
    let message = newest(&world).await;
    let link = &message["template"]["components"][0]["parameters"][0]["image"]["link"];
    assert!(link.as_str().is_some_and(|it| it.contains("/media/med_")), "{message}");
    // without one, the composer says what is missing.
    let none = submit(&mut ada, &path, &[&[("action", "template")], &fields[1..]].concat()).await;
    assert_eq!(none.status, 422, "{}", none.text);
    assert_ne!(message["template"]["components"], Value::Null);
}

async fn concurrent_creations_do_not_exceed_the_limit_of_saved_replies(world: World) {
    let create = async |number: usize| {
        let (name, text) = (format!("Reply {number}"), "Hello".to_owned());
        let content = SavedReplyContent { name, text };
        saved_replies::create(&world.server.deps, world.organization, content).await
    };
    for number in 0..190 {
        create(number).await.unwrap();
    }
    let outcomes = join_all((190..230).map(create)).await;
    assert_eq!(outcomes.iter().filter(|it| it.is_ok()).count(), 10);
    let refused = outcomes.iter().filter(|it| matches!(it, Err(SavedReplyError::TooMany)));
    assert_eq!(refused.count(), 30);
}

on_both_databases! {
    a_file_is_sent_with_its_caption,
    files_that_cannot_be_sent_are_explained,
    a_form_with_a_file_proves_that_it_is_ours_before_the_file,
    a_recording_becomes_a_voice_message,
    a_message_is_answered_and_reacted_to,
    saved_replies_are_managed_and_inserted,
    concurrent_creations_do_not_exceed_the_limit_of_saved_replies,
    a_template_with_a_picture_takes_a_file,
}
