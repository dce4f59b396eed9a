//! Callbacks, templates and media files that a server had claimed when it died.

use crate::cloud::{Cloud, PERSON, from_person};
use crate::media_files::PDF;
use crate::template_creation::{create_template, plain_template};
use crate::world::Database;
use crate::world::graph::callbacks::Media;
use domain::id::InstanceId;
use domain::instance::Peers;
use domain::media::FetchStep;
use domain::time::Timestamp;
use std::time::Duration;
use workers::{callbacks, heartbeat};

const FILE: &str = "1013859600285441";

async fn template_status(cloud: &Cloud, template: &str) -> String {
    let template = cloud.get(&format!("/api/v1/templates/{template}"), &cloud.key).await;
    template.text_of("status")
}

/// Returns the texts of the contact's messages, and `a file` for each that has a file's URL.
async fn message_texts(cloud: &Cloud) -> Vec<String> {
    let messages = cloud.history(PERSON).await;
    let text = |message: &serde_json::Value| match message["media"]["url"].as_str() {
        Some(_) => "a file".to_owned(),
        None => message["text"].as_str().unwrap_or_default().to_owned(),
    };
    messages.iter().map(text).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn work_that_a_dead_server_claimed_is_taken_over() {
    // Given a file to download, a template to submit, and a callback to process,
    let cloud = Cloud::on(Database::migrated_postgres().await, &[]).await;
    let deps = &cloud.server.deps;
    cloud.graph.put_file(FILE, "application/pdf", PDF.to_vec());
    let file = Media {
        kind: "document",
        id: FILE,
        mime_type: "application/pdf",
        sha256: "",
        caption: None,
        filename: None,
    };
    cloud.report(&from_person("wamid.file").media(&file)).await;
    assert_eq!(callbacks::step(deps).await.unwrap(), 1);
    let template = create_template(&cloud, &plain_template("order_update")).await["id"]
        .as_str()
        .unwrap()
        .to_owned();
    cloud.report(&from_person("wamid.text").text("Hello")).await;

    // all claimed for an hour by a server that then dies,
    let now = cloud.clock.now();
    let (dead, until) = (InstanceId::new(now, [9; 10]), now.plus(Duration::from_hours(1)));
    let first = Timestamp::from_micros(0);
    deps.db.operator().enter(dead).await.unwrap();
    assert_eq!(
        deps.db.operator().claim_callbacks(dead, 10, first..=now, until).await.unwrap().len(),
        1
    );
    assert_eq!(deps.db.operator().claim_submissions(dead, 10, now, until).await.unwrap().len(), 1);
    assert_eq!(
        deps.db
            .operator()
            .claim_fetches(dead, FetchStep::File, 10, now, until)
            .await
            .unwrap()
            .len(),
        1
    );
    cloud.settle().await;
    assert_eq!(template_status(&cloud, &template).await, "draft");
    assert_eq!(message_texts(&cloud).await, [""]);

    // when another server sees several times that the dead server's heartbeat does not change,
    let mut peers = Peers::default();
    for _ in 0..5 {
        heartbeat::step(deps, &mut peers).await.unwrap();
    }
    cloud.settle().await;

    // then all of this work has been done, although no time has passed on the clock.
    assert_eq!(template_status(&cloud, &template).await, "pending");
    assert_eq!(message_texts(&cloud).await, ["a file", "Hello"]);
}
