//! The Connect button on other sites' pages: strict content security policies, keyboards, and wrong
//! attributes.

use super::{BrowserWorld, Engine, Page, on_every_browser, until};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_button_with_data_unstyled_is_not_styled() {
    let scene = BrowserWorld::start(Engine::Chromium).await;
    let mut page = scene.partner_page("");
    page.html = page.html.replace("data-service-connect", "data-service-connect data-unstyled");
    scene.open(page).await;
    let button = scene.browser.find("#connect").await;
    let color = button.css_value("background-color").await.unwrap();
    assert!(!color.contains("31, 111, 84"), "{color}");
}

async fn the_button_works_under_a_strict_content_security_policy(engine: Engine) {
    let scene = BrowserWorld::start(engine).await;
    scene.sign_in().await;
    // This markup replaces the object from which a script could read its own URL.
    let mut page = scene.partner_page("<img name=currentScript alt=\"\">");
    let policy = format!(
        "default-src 'none'; script-src 'self' {}; base-uri 'none'; form-action 'none'; \
         require-trusted-types-for 'script'; trusted-types 'none'",
        scene.service
    );
    page.headers.push(("content-security-policy", policy));
    let opener = scene.open(page).await;
    let button = scene.browser.find("#connect").await;
    let color = button.css_value("background-color").await.unwrap();
    assert!(color.contains("31, 111, 84"), "{color}");
    let popup = scene.click_connect(&opener).await;
    scene.browser.find("button[value=allow]").await;
    scene.browser.switch_to(&opener).await;
    let complaints = scene.complaints().await;
    assert!(complaints.iter().all(|it| it.contains("favicon")), "{complaints:?}");
    scene.browser.switch_to(&popup).await;
    scene.decide("allow").await;
    scene.browser.switch_to(&opener).await;
    scene.wait_for_callback().await;
    scene.one_callback_with_a_code().await;
}

async fn any_element_works_as_the_button_with_the_keyboard(engine: Engine) {
    let scene = BrowserWorld::start(engine).await;
    let mut page = scene.partner_page("");
    page.html =
        page.html.replace("<button id=connect", "<div id=connect").replace("</button>", "</div>");
    let opener = scene.open(page).await;
    scene.browser.enter("#connect[role=button][tabindex='0']").await;
    scene.browser.popup(&opener).await;
    scene.browser.find("input[name=password]").await;
}

async fn attributes_that_are_wrong_open_nothing_and_say_why(engine: Engine) {
    let scene = BrowserWorld::start(engine).await;
    let right = scene.partner_page("").html;
    let elsewhere = right.replace(
        &format!("data-authorize-url=\"{}", scene.service),
        "data-authorize-url=\"http://localhost:9",
    );
    let mark = "data-service-connect data-authorize-url";
    let redirect = |to: &str| {
        right.replace(
            mark,
            &format!("data-service-connect data-redirect-uri=\"{to}\" data-authorize-url"),
        )
    };
    for (html, complaint) in [
        (right.replace("data-authorize-url=", "data-other="), "no data-authorize-url"),
        (elsewhere, "data-authorize-url is not at"),
        (redirect("javascript:alert(1)"), "another origin"),
        (redirect("https://elsewhere.example/callback"), "another origin"),
        (redirect("//elsewhere.example/"), "not a valid URL"),
    ] {
        scene.open(Page { headers: Vec::new(), html }).await;
        scene.browser.find("#connect").await;
        scene.complaints().await;
        scene.browser.click("#connect").await;
        let mut complaints = Vec::new();
        until(complaint, async || {
            complaints.extend(scene.complaints().await);
            complaints.iter().any(|it: &String| it.contains(complaint))
        })
        .await;
        assert_eq!(scene.browser.windows().await, 1, "{complaint}");
        assert!(scene.browser.address().await.ends_with('/'), "{complaint}");
    }
}

async fn the_result_may_go_to_another_page_of_the_same_origin(engine: Engine) {
    let scene = BrowserWorld::start(engine).await;
    scene.sign_in().await;
    let mut page = scene.partner_page("");
    let to = scene.site.address("127.0.0.1", "/done?tab=2");
    let mark = "data-service-connect";
    page.html = page.html.replace(mark, &format!("{mark} data-redirect-uri=\"{to}\""));
    let opener = scene.open(page).await;
    scene.click_connect(&opener).await;
    scene.decide("allow").await;
    scene.browser.switch_to(&opener).await;
    until("it goes there", async || !scene.site.asked("/done").is_empty()).await;
    assert!(scene.site.asked("/done")[0].starts_with("tab=2&code="));
    assert!(scene.callbacks().await.is_empty());
}

on_every_browser! {
    the_button_works_under_a_strict_content_security_policy,
    any_element_works_as_the_button_with_the_keyboard,
    attributes_that_are_wrong_open_nothing_and_say_why,
    the_result_may_go_to_another_page_of_the_same_origin,
}
