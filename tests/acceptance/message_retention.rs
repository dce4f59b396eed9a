//! How long an organization keeps what messages say (`docs/contract.md#contacts`).

use crate::cloud::{Cloud, PERSON, from_person, on_both_clouds};
use crate::media_files::{fetch, png};
use crate::world::World;
use crate::world::graph::callbacks::Media;
use serde_json::Value;
use service::retention::{self, Retention};
use std::time::Duration;

const FILE: &str = "1013859600285441";
const DAY: Duration = Duration::from_hours(24);

async fn sweep(world: &World) {
    workers::message_retention::sweep(&world.server.deps).await.unwrap();
}

async fn set_retention(world: &World, text_days: Option<u32>, file_days: Option<u32>) {
    let rule = Retention { text_days, file_days };
    retention::set(&world.server.deps, world.organization, rule).await.unwrap();
}

async fn old_texts_and_received_files_are_erased(cloud: Cloud) {
    // Given a text and a picture with a caption from ten days ago, and a text of today,
    cloud.graph.put_file(FILE, "image/png", png());
    let media = Media {
        kind: "image",
        id: FILE,
        mime_type: "image/png",
        caption: Some("The receipt"),
        ..Media::default()
    };
    cloud.post_callback(&from_person("wamid.A").text("My card is 4711")).await;
    cloud.post_callback(&from_person("wamid.B").media(&media)).await;
    cloud.advance(10 * DAY);
    let mut today = from_person("wamid.C");
    today.timestamp = cloud.second();
    cloud.post_callback(&today.text("Hello")).await;

    // when texts are kept 30 days and files for ever, then nothing changes.
    set_retention(&cloud, Some(30), None).await;
    sweep(&cloud).await;
    let history = cloud.history(PERSON).await;
    assert_eq!(history[0]["text"], "My card is 4711");
    let url = history[1]["media"]["url"].clone();
    assert_eq!(fetch(&cloud, &url).await.status, 200);

    // When texts are kept 7 days, then older ones are gone, captions too, and the file stays.
    set_retention(&cloud, Some(7), None).await;
    sweep(&cloud).await;
    let history = cloud.history(PERSON).await;
    assert_eq!(history.len(), 3);
    assert_eq!(history[0]["text"], Value::Null);
    assert_eq!(history[1]["media"]["caption"], Value::Null);
    assert_eq!(history[1]["media"]["url"], url);
    assert_eq!(history[2]["text"], "Hello");

    // When files are kept 7 days, too, then the file is gone.
    set_retention(&cloud, Some(7), Some(7)).await;
    sweep(&cloud).await;
    let history = cloud.history(PERSON).await;
    assert_eq!(history[1]["media"]["url"], Value::Null);
    assert_eq!(fetch(&cloud, &url).await.status, 404);
    assert_eq!(history[2]["text"], "Hello");
}

on_both_clouds! {
    old_texts_and_received_files_are_erased,
}
