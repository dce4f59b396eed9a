//! What a member writes in the composer: a template in a closed window, a note, an answer to a
//! message with a reaction, and a saved reply.

use super::CUSTOMER;
use crate::browser::{BrowserWorld, Engine, on_every_browser, until};
use crate::connect::PASSWORD;
use crate::template_creation::{create_template, order_update, template_with};
use domain::role::Role;
use std::time::Duration;

async fn in_a_closed_window_a_template_is_filled_in_and_sent(engine: Engine) {
    let scene = BrowserWorld::start(engine).await;
    let (browser, world) = (&scene.browser, &scene.world);
    // Given an approved template with parameters, and a customer who wrote a day ago,
    create_template(world, &template_with("order_update", &order_update())).await;
    world.live_through(Duration::from_secs(2)).await;
    scene.customer_writes("Hello").await;
    world.advance(Duration::from_hours(25));
    scene.sign_in().await;
    browser.goto(&scene.conversation_with(CUSTOMER).await).await;
    assert!(browser.text().await.contains("Only a template can be sent"));
    // when a member picks it and fills it in, then the preview shows what the customer will read,
    browser.click(".composer a.pick").await;
    browser.find("[name='parameter.body.1']").await;
    scene.until_script_has_run().await;
    for (name, value) in [("body.1", "Ada"), ("body.2", "1024"), ("button.1", "orders-1024")] {
        browser.fill(&format!("[name='parameter.{name}']"), value).await;
    }
    let text = "Hello Ada, your order 1024 is on its way.";
    let preview = "return document.getElementById('preview').textContent";
    scene.until_it_is(preview, &format!("Your order\n{text}")).await;
    // and it is sent.
    browser.click(".composer button[value=template]").await;
    until("the template is sent", async || scene.newest().await["type"] == "template").await;
    assert_eq!(scene.newest().await["template"]["name"], "order_update");
    let thread = "return document.getElementById('messages')?.textContent";
    until("the thread shows it", async || {
        browser.run(thread).await.as_str().is_some_and(|it| it.contains(text))
    })
    .await;
}

async fn a_note_mentions_a_colleague_and_is_not_sent(engine: Engine) {
    let scene = BrowserWorld::start(engine).await;
    let (browser, world) = (&scene.browser, &scene.world);
    let (organization, email) = (world.organization, "zoe@acme.example");
    let admin = world.admin();
    admin.create_member_as(Role::Support, organization, email, "Zoe", PASSWORD).await.unwrap();
    scene.open_conversation().await;
    scene.until_script_has_run().await;
    // When a member writes a note,
    browser.click("#kinds a[data-hotkey=n]").await;
    browser.fill("[data-kind=note] #text", "@Zoe please call back").await;
    browser.click(".composer button[value=note]").await;
    // then it is in the thread with the colleague's name marked, and nothing is sent.
    let mention = "return document.querySelector('#messages .mention')?.textContent";
    scene.until_it_is(mention, "@Zoe").await;
    assert!(browser.text().await.contains("only your team sees this"));
    assert_eq!(world.history(CUSTOMER).await.len(), 1);
    scene.until_composer_has("").await;
}

async fn a_message_is_answered_and_reacted_to(engine: Engine) {
    let scene = BrowserWorld::start(engine).await;
    let browser = &scene.browser;
    scene.open_conversation().await;
    let asked = scene.newest().await["id"].clone();
    // When a member answers a message, then the composer quotes it,
    browser.click("#messages a.answer").await;
    let quote = "return document.querySelector('.composer .quote')?.textContent.includes('Hello') \
        ? 'quoted' : ''";
    scene.until_it_is(quote, "quoted").await;
    browser.fill("#text", "Good morning").await;
    browser.click(".composer button[value=send]").await;
    // and so does the answer.
    until("the answer is sent", async || scene.newest().await["text"] == "Good morning").await;
    assert_eq!(scene.newest().await["reply_to"], asked);
    browser.find("#messages .msg.out .quote").await;
    // A reaction stands at the message.
    browser.click("#messages .msg:not(.out) a.answer").await;
    browser.click(".composer button[aria-label='React with 👍']").await;
    let reaction = "return document.querySelector('#messages .msg:not(.out) .react')?.textContent";
    scene.until_it_is(reaction, "👍").await;
    assert_eq!(scene.newest().await["type"], "reaction");
}

async fn a_saved_reply_is_written_inserted_and_sent(engine: Engine) {
    let scene = BrowserWorld::start(engine).await;
    let browser = &scene.browser;
    scene.sign_in().await;
    // Given a saved reply with a variable,
    browser.goto(&format!("{}/settings/saved-replies/new", scene.service)).await;
    browser.fill("#name", "Greeting").await;
    browser.fill("#text", "Hi {{first_name|there}}!").await;
    browser.click("main form button.primary").await;
    browser.find("main tbody a.link").await;
    // when a member picks it in a conversation, then it is inserted with its value, and sent.
    scene.customer_writes("Hello").await;
    browser.goto(&scene.conversation_with(CUSTOMER).await).await;
    scene.until_script_has_run().await;
    browser.click("[data-saved]").await;
    browser.find("dialog[open] .hit").await;
    browser.fill("dialog[open] input", "\u{e007}").await; // Enter
    scene.until_composer_has("Hi there!").await;
    browser.click(".composer button[value=send]").await;
    until("the reply is sent", async || scene.newest().await["text"] == "Hi there!").await;
}

on_every_browser! {
    in_a_closed_window_a_template_is_filled_in_and_sent,
    a_note_mentions_a_colleague_and_is_not_sent,
    a_message_is_answered_and_reacted_to,
    a_saved_reply_is_written_inserted_and_sent,
}
