//! Voice messages and pictures, which a model hears and sees where its settings say so.

use super::{after, dialog, model_agent};
use crate::cloud::{Cloud, from_person, on_both_clouds};
use crate::media_files::{jpeg, ogg};
use crate::webhooks::receiver::{Answers, Received, Receiver};
use crate::world::graph::callbacks::Media;
use serde_json::{Value, json};
use service::agents::{AgentInput, ModelOptions};
use std::time::Duration;
use workers::inbox;

/// What stands before the first message of the customer.
const NAME: &str = "<data>The customer's name: Sheena Nelson</data>\n";
const QUIET: Duration = Duration::from_secs(8);

pub async fn contact_sends(cloud: &Cloud, id: &str, kind: &str, mime_type: &str, bytes: Vec<u8>) {
    cloud.graph.put_file(id, mime_type, bytes);
    let caption = Some("Look").filter(|_| kind == "image");
    let file = Media { kind, id, mime_type, caption, ..Media::default() };
    cloud.post_callback(&from_person(&format!("wamid.{id}")).media(&file)).await;
    cloud.settle().await;
    inbox::run_until_idle(&cloud.server.deps).await.unwrap();
}

fn writing(text: &str) -> (u16, String) {
    (200, json!({"choices": [{"message": {"content": text}}]}).to_string())
}

fn last_message(receiver: &Receiver) -> Value {
    // Voice messages are posted as forms.
    let requests = receiver.take();
    let asked = requests.iter().rev().find_map(|it| serde_json::from_slice(&it.body).ok());
    let request: Value = asked.expect("a question");
    request["messages"].as_array().unwrap().last().unwrap()["content"].clone()
}

async fn attachments_that_a_model_cannot_read_are_described_in_words(cloud: Cloud) {
    let receiver = Receiver::that(Answers::Script(vec![writing("Thanks!")])).await;
    model_agent(&cloud, &receiver, AgentInput::default()).await;
    contact_sends(&cloud, "101", "audio", "audio/ogg; codecs=opus", ogg()).await;
    contact_sends(&cloud, "102", "image", "image/jpeg", jpeg()).await;
    after(&cloud, QUIET).await;
    assert_eq!(
        last_message(&receiver),
        format!("{NAME}[voice message, not transcribed]\n[picture, not shown] Look")
    );
    assert_eq!(dialog(&cloud).await.last().unwrap().1, "Thanks!");
}

async fn a_model_hears_and_sees(cloud: Cloud) {
    let heard = (200, json!({"text": " Is the cake ready? "}).to_string());
    let receiver = Receiver::that(Answers::Script(vec![heard, writing("Yes.")])).await;
    let options = ModelOptions {
        sees_images: Some(true),
        transcription_model: Some("whisper-1"),
        ..ModelOptions::default()
    };
    let input = AgentInput { model_options: options, ..AgentInput::default() };
    model_agent(&cloud, &receiver, input).await;
    contact_sends(&cloud, "101", "audio", "audio/ogg; codecs=opus", ogg()).await;
    contact_sends(&cloud, "102", "image", "image/jpeg", jpeg()).await;
    after(&cloud, QUIET).await;
    let requests = receiver.received();
    assert_eq!(requests.len(), 2);
    let form = String::from_utf8_lossy(&requests[0].body).into_owned();
    assert!(form.contains("whisper-1") && form.contains("filename=\"voice.ogg\""), "{form}");
    let content = last_message(&receiver);
    let expected = format!("{NAME}[voice message] Is the cake ready?\n[picture] Look");
    assert_eq!(content[0]["text"], expected);
    let uri = content[1]["image_url"]["url"].as_str().unwrap();
    assert!(uri.starts_with("data:image/jpeg;base64,/9j/"), "{uri}");
    assert_eq!(dialog(&cloud).await.last().unwrap().1, "Yes.");
}

/// Returns the boundary of a form, and the number of its parts.
fn parts_of(request: &Received) -> (String, usize) {
    let content_type = request.headers["content-type"].to_str().unwrap();
    let (_, boundary) = content_type.split_once("boundary=").expect("a boundary");
    let line = format!("--{boundary}");
    let lines = request.body.windows(line.len()).filter(|it| *it == line.as_bytes()).count();
    // The last line ends the form.
    (boundary.to_owned(), lines - 1)
}

async fn a_file_adds_no_fields_to_the_form_of_its_transcription(cloud: Cloud) {
    let heard = (200, json!({"text": "Hello"}).to_string());
    let script = vec![heard.clone(), writing("Yes?"), heard, writing("Yes?")];
    let receiver = Receiver::that(Answers::Script(script)).await;
    let options =
        ModelOptions { transcription_model: Some("whisper-1"), ..ModelOptions::default() };
    let input = AgentInput { model_options: options, ..AgentInput::default() };
    model_agent(&cloud, &receiver, input).await;
    // Given a customer who knows the boundary of a form with another file,
    contact_sends(&cloud, "101", "audio", "audio/ogg; codecs=opus", ogg()).await;
    after(&cloud, QUIET).await;
    let (known, parts) = parts_of(&receiver.take()[0]);
    assert_eq!(parts, 3);
    // when the customer sends a file with this boundary and a field of the form,
    let field = "Content-Disposition: form-data; name=\"model\"\r\n\r\nexpensive";
    let mut file = ogg();
    file.extend(format!("\r\n--{known}\r\n{field}\r\n--{known}--\r\n").bytes());
    contact_sends(&cloud, "102", "audio", "audio/ogg; codecs=opus", file.clone()).await;
    after(&cloud, QUIET).await;
    // then the form has its own three parts, and the whole file is in one of them.
    let request = &receiver.take()[0];
    let (boundary, parts) = parts_of(request);
    assert_ne!(boundary, known);
    assert_eq!(parts, 3);
    assert!(request.body.windows(file.len()).any(|it| it == file));
}

async fn a_transcription_that_fails_blocks_nothing(cloud: Cloud) {
    let receiver = Receiver::that(Answers::With(500)).await;
    let options =
        ModelOptions { transcription_model: Some("whisper-1"), ..ModelOptions::default() };
    let input = AgentInput { model_options: options, ..AgentInput::default() };
    model_agent(&cloud, &receiver, input).await;
    contact_sends(&cloud, "101", "audio", "audio/ogg; codecs=opus", ogg()).await;
    // The turn tries once more before it asks.
    receiver.answer(Answers::Script(vec![(500, String::new()), writing("Please write.")]));
    after(&cloud, QUIET).await;
    assert_eq!(last_message(&receiver), format!("{NAME}[voice message, not transcribed]"));
    assert_eq!(dialog(&cloud).await.last().unwrap().1, "Please write.");
}

on_both_clouds! {
    a_file_adds_no_fields_to_the_form_of_its_transcription,
    a_model_hears_and_sees,
    a_transcription_that_fails_blocks_nothing,
    attachments_that_a_model_cannot_read_are_described_in_words,
}
