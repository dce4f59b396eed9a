//! Voice messages and pictures, which a model hears and sees where its settings say so.

use super::{after, dialog, model_agent};
use crate::cloud::{Cloud, from_person, on_both_clouds};
use crate::media_files::{jpeg, ogg};
use crate::webhooks::receiver::{Answers, Receiver};
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
    let request = receiver.take().pop().expect("a request").json();
    request["messages"].as_array().unwrap().last().unwrap()["content"].clone()
}

async fn what_a_model_cannot_read_is_named(cloud: Cloud) {
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
    a_model_hears_and_sees,
    a_transcription_that_fails_blocks_nothing,
    what_a_model_cannot_read_is_named,
}
