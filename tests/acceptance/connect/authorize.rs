//! The authorize request is validated before anything is shown (`docs/security.md` 1 to 4).

use super::{Browser, Partner, REDIRECT, STATE_ESCAPED, create_member, percent_encode};
use crate::world::{Answer, World, on_both_databases};
use domain::keyword::Keyword as _;
use domain::scope::Scope;
use serde_json::json;

/// Asserts that a page has no redirect and no link to another site.
fn is_a_dead_end(page: &super::Page) {
    assert_eq!(page.status, 400, "{}", page.text);
    assert_eq!(page.header("location"), "");
    for leads in ["href=\"http", "action=\"http", "http-equiv"] {
        assert!(!page.text.to_lowercase().contains(leads), "{leads}: {}", page.text);
    }
    assert_eq!(page.header("x-frame-options"), "DENY");
    assert!(page.header("content-security-policy").contains("frame-ancestors 'none'"));
    assert!(!page.header("content-security-policy").contains("form-action"));
}

async fn nobody_is_sent_to_an_address_that_is_not_registered(world: World) {
    let partner = Partner::of(&world).await;
    let mut browser = Browser::new(&world);
    for address in [
        "https://partner.example/callback",
        "https://partner.example/callback?tenant=7/",
        "https://partner.example/callback?tenant=7&",
        "https://partner.example/callback?tenant=7#",
        "https://PARTNER.example/callback?tenant=7",
        "HTTPS://partner.example/callback?tenant=7",
        "https://partner.example:443/callback?tenant=7",
        "https://partner.example/%63allback?tenant=7",
        "https://user@partner.example/callback?tenant=7",
        "https://partner.example/a/../callback?tenant=7",
        "https://partner.example.evil.example/callback?tenant=7",
        "",
    ] {
        let asks = partner.asks(&[("redirect_uri", Some(&percent_encode(address)))]);
        let page = browser.get(&asks).await;
        is_a_dead_end(&page);
        // The developer reads which URL was sent, and where to register it.
        let sent = if address.is_empty() {
            "The request has no redirect_uri.".to_owned()
        } else {
            format!("The request has this redirect_uri: {}<", address.replace('&', "&#38;"))
        };
        for says in [sent.as_str(), "under Developer apps", "The handshake log on that page"] {
            assert!(page.text.contains(says), "{says}: {}", page.text);
        }
    }
    let page = browser.get(&partner.asks(&[("redirect_uri", None)])).await;
    is_a_dead_end(&page);
    assert!(page.text.contains("The request has no redirect_uri."), "{}", page.text);
    // A stranger's text is no markup, no sentence, and does not turn the text around it.
    let text = format!("https://evil.example/\u{202e}<b>call us</b>{}", "x".repeat(1000));
    let page = browser.get(&partner.asks(&[("redirect_uri", Some(&percent_encode(&text)))])).await;
    is_a_dead_end(&page);
    let shown = "https://evil.example/%E2%80%AE%3Cb%3Ecall%20us%3C/b%3Exxx";
    assert!(page.text.contains(shown), "{}", page.text);
    assert!(!page.text.contains(&"x".repeat(300)), "{}", page.text);
    let stranger = partner.asks(&[("client_id", Some("swa_0000000000000000000000"))]);
    is_a_dead_end(&browser.get(&stranger).await);
    is_a_dead_end(&browser.get(&partner.asks(&[("client_id", None)])).await);
    for odd in ["%00", "swa_%00", "%FF", "%27--", "%F0%9F%98%80"] {
        is_a_dead_end(&browser.get(&partner.asks(&[("client_id", Some(odd))])).await);
    }
}

async fn a_repeated_parameter_is_neither_first_nor_last(world: World) {
    let partner = Partner::of(&world).await;
    let mut browser = Browser::new(&world);
    for again in [
        "state=x",
        "client_id=x",
        "redirect_uri=x",
        "scope=x",
        "display=popup&display=popup",
        "%73tate=x",
    ] {
        is_a_dead_end(&browser.get(&format!("{}&{again}", partner.asks(&[]))).await);
    }
}

async fn every_other_fault_goes_back_to_the_partner_once_somebody_has_signed_in(world: World) {
    create_member(&world).await;
    let partner = Partner::of(&world).await;
    let long = "x".repeat(513);
    let mut browser = Browser::new(&world);
    assert!(
        browser
            .get(&partner.asks(&[("state", None)]))
            .await
            .location()
            .starts_with("/login?consent=")
    );
    for (change, word) in [
        (("state", None), "invalid_request"),
        (("state", Some("")), "invalid_request"),
        (("state", Some(long.as_str())), "invalid_request"),
        (("code_challenge", None), "invalid_request"),
        (("code_challenge", Some("short")), "invalid_request"),
        (("code_challenge_method", None), "invalid_request"),
        (("code_challenge_method", Some("plain")), "invalid_request"),
        (("response_type", Some("token")), "unsupported_response_type"),
        (("response_type", Some("code%20id_token")), "unsupported_response_type"),
        (("scope", None), "invalid_scope"),
        (("scope", Some("")), "invalid_scope"),
        (("scope", Some("everything")), "invalid_scope"),
        (("scope", Some("media.write")), "invalid_scope"),
    ] {
        // Given a browser without a session, when the member signs in,
        let first = browser.get(&partner.asks(&[change])).await.location().to_owned();
        let next = if first.starts_with("/login?consent=") {
            browser.sign_in(&first).await.location().to_owned()
        } else {
            first
        };

        // then the partner gets the error at the registered redirect URI.
        let reported = browser.get(&next).await;
        let expected = format!("{REDIRECT}&error={word}");
        assert!(reported.location().starts_with(&expected), "{change:?}: {}", reported.location());
        assert_eq!(reported.header("referrer-policy"), "no-referrer");
    }
}

/// Returns the `error_description` of a redirect, decoded.
fn error_description(page: &super::Page) -> String {
    let url = reqwest::Url::parse(page.location()).unwrap();
    let found = url.query_pairs().find(|(name, _)| name == "error_description");
    found.expect("a description").1.into_owned()
}

async fn an_invalid_request_learns_what_is_needed(world: World) {
    create_member(&world).await;
    let partner = Partner::of(&world).await;
    let mut browser = Browser::new(&world);
    browser.sign_in("/login").await;
    for (changes, description) in [
        // Only scopes of the product are named. An unknown text is not repeated.
        (
            vec![("scope", Some("media.write%20messages.send%20templates.read"))],
            "scope names scopes that this application has not registered: templates.read, media.write.",
        ),
        (vec![("scope", Some("everything"))], "scope names a scope that does not exist."),
        // Without any parameter of PKCE, both are asked for.
        (
            vec![("code_challenge", None), ("code_challenge_method", None)],
            "code_challenge_method is missing or not supported. Send code_challenge and code_challenge_method=S256",
        ),
    ] {
        let next = browser.get(&partner.asks(&changes)).await.location().to_owned();
        let reported = browser.get(&next).await;
        let said = error_description(&reported);
        assert!(said.starts_with(description), "{said}");
        assert!(!said.contains("everything"), "{said}");
    }
    // The names outlive the sign-in of a browser without a session.
    let mut stranger = Browser::new(&world);
    let asks = partner.asks(&[("scope", Some("media.write"))]);
    let login = stranger.get(&asks).await.location().to_owned();
    let next = stranger.sign_in(&login).await.location().to_owned();
    let reported = stranger.get(&next).await;
    let said = error_description(&reported);
    assert!(said.contains("has not registered: media.write."), "{said}");
}

async fn the_state_comes_back_byte_for_byte(world: World) {
    create_member(&world).await;
    let partner = Partner::of(&world).await;
    let mut browser = Browser::new(&world);
    let (path, page) = browser.until_consent(&partner.asks(&[])).await;
    let sent = browser.allow(&path, &page).await;
    assert!(sent.location().starts_with(&format!("{REDIRECT}&code=")), "{}", sent.location());
    // The issuer follows the state (RFC 9207).
    let end = format!("&state={STATE_ESCAPED}&iss=https%3A%2F%2Fapi.example.com");
    assert!(sent.location().ends_with(&end), "{}", sent.location());
}

async fn oauth_libraries_find_the_endpoints(world: World) {
    let path = "/.well-known/oauth-authorization-server";
    let answer = Answer::of(world.http.get(format!("{}{path}", world.base))).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let scopes: Vec<_> = Scope::ALL.iter().map(|scope| scope.as_str()).collect();
    let base = "https://api.example.com";
    assert_eq!(
        answer.body,
        json!({
            "issuer": base,
            "authorization_endpoint": format!("{base}/connect/authorize"),
            "token_endpoint": format!("{base}/connect/token"),
            "scopes_supported": scopes,
            "response_types_supported": ["code"],
            "response_modes_supported": ["query"],
            "grant_types_supported": ["authorization_code"],
            "token_endpoint_auth_methods_supported": ["client_secret_post", "client_secret_basic"],
            "code_challenge_methods_supported": ["S256"],
            "service_documentation": format!("{base}/docs#connect"),
            "authorization_response_iss_parameter_supported": true,
        })
    );
}

async fn a_request_has_no_cors_headers(world: World) {
    let partner = Partner::of(&world).await;
    let mut browser = Browser::new(&world);
    for path in [partner.asks(&[]), "/connect/token".to_owned(), "/api/v1/me".to_owned()] {
        let request = browser.request(reqwest::Method::GET, &path);
        let page = browser.send(request.header("origin", "https://evil.example")).await;
        assert!(
            page.headers.keys().all(|name| !name.as_str().starts_with("access-control")),
            "{path}"
        );
    }
}

on_both_databases! {
    oauth_libraries_find_the_endpoints,
    nobody_is_sent_to_an_address_that_is_not_registered,
    a_repeated_parameter_is_neither_first_nor_last,
    every_other_fault_goes_back_to_the_partner_once_somebody_has_signed_in,
    an_invalid_request_learns_what_is_needed,
    the_state_comes_back_byte_for_byte,
    a_request_has_no_cors_headers,
}
