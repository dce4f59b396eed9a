//! Signing in (`docs/security.md` 12 to 14).

use super::{Browser, EMAIL, PASSWORD, Page, create_member, percent_encode};
use crate::world::{Database, World, on_both_databases};
use platform::clock::Stopwatch;

async fn a_session_changes_its_name_when_somebody_signs_in(world: World) {
    create_member(&world).await;
    let mut browser = Browser::new(&world);
    let page = browser.get("/login").await;
    for said in [
        "<label for=\"email\">Email</label>",
        "<label for=\"password\">Password</label>",
        ">Sign in</button>",
    ] {
        assert!(page.text.contains(said), "{}", page.text);
    }
    let cookie = page.header("set-cookie").to_owned();
    for part in ["__Host-switchboard=", "HttpOnly", "Secure", "SameSite=Lax", "Path=/"] {
        assert!(cookie.contains(part), "{part}: {cookie}");
    }
    let before = browser.cookie.clone();
    let signed_in = browser.sign_in("/login").await;
    assert_eq!(signed_in.location(), "/");
    assert_ne!(browser.cookie, before);

    // The session id from before the sign-in is no longer valid.
    let mut thief = Browser::new(&world);
    thief.cookie = before;
    assert!(thief.get("/login").await.text.contains("Sign in"));
}

async fn cookies_of_other_programs_keep_no_member_out(world: World) {
    create_member(&world).await;
    let mut browsers = Vec::new();
    for foreign in [
        "name=Caf\u{e9}".as_bytes(),
        b"name=Caf\xe9",
        b"\xff; =; ;;a",
        b"__Host-switchboard=x",
        b"__Host-switchboard=\xe9; __Host-switchboard",
        b"__Host-switchboard-device=\xe9; __Host-switchboard-device=x; \
          __Host-switchboard-organization=\xe9; __Host-switchboard-organization=x",
    ] {
        // Given a browser that sends such cookies before its own, when a member signs in,
        let mut browser = Browser::new(&world);
        browser.foreign = foreign.to_vec();
        assert_eq!(browser.sign_in("/login").await.location(), "/", "{foreign:?}");

        // then the session is found, whether the cookies come in one header or in several,
        assert_eq!(browser.get("/integrations/keys").await.status, 200, "{foreign:?}");
        let own = std::mem::take(&mut browser.foreign);
        let before = reqwest::header::HeaderValue::from_bytes(&own).unwrap();
        let request = browser.request(reqwest::Method::GET, "/integrations/keys");
        assert_eq!(browser.send(request.header("cookie", before)).await.status, 200, "{foreign:?}");
        browser.foreign = own;
        browsers.push(browser);
    }
    // and the device cookie still exempts a browser from the throttle that others cause.
    assert_eq!(
        try_wrong_passwords(&mut Browser::new(&world), 60, None).await.last().unwrap().status,
        429
    );
    for mut browser in browsers {
        browser.cookie = None;
        assert_eq!(browser.sign_in("/login").await.location(), "/", "{:?}", browser.foreign);
    }
}

async fn a_wrong_password_and_an_unknown_email_get_the_same_error(world: World) {
    create_member(&world).await;
    let mut texts = Vec::new();
    for (email, password) in [
        (EMAIL, "wrong horse battery"),
        ("nobody@acme.example", PASSWORD),
        ("nul\0@acme.example", PASSWORD),
        (EMAIL, "\0"),
    ] {
        let mut browser = Browser::new(&world);
        let token = browser.get("/login").await.field("token");
        let fields = [("token", token.as_str()), ("email", email), ("password", password)];
        let refused = browser.post("/login", &fields).await;
        assert_eq!(refused.status, 401);
        texts.push(refused.text.replace(&token, "").replace(email, ""));
    }
    texts.dedup();
    assert_eq!(texts.len(), 1, "{texts:?}");
}

/// Response times do not reveal who is a member.
async fn an_unknown_email_costs_what_a_wrong_password_does(world: World) {
    create_member(&world).await;
    let mut browser = Browser::new(&world);
    let token = browser.get("/login").await.field("token");
    let tried = async |email: &str| {
        let mut browser = browser.clone();
        let begun = Stopwatch::start();
        let fields =
            [("token", token.as_str()), ("email", email), ("password", "wrong horse battery")];
        assert_eq!(browser.post("/login", &fields).await.status, 401);
        begun.elapsed().as_secs_f64()
    };
    let (mut known, mut unknown) = (f64::MAX, f64::MAX);
    for number in 0..7 {
        // Both kinds are measured in turn, so that other load on the machine affects both.
        let nobody = format!("nobody{number}@acme.example");
        let (one, other) = tokio::join!(tried(EMAIL), tried(&nobody));
        known = known.min(one);
        unknown = unknown.min(other);
    }
    // Without the hash the look-up would be more than ten times as fast. The bounds are wide
    // for a busy machine.
    assert!((0.2..5.0).contains(&(known / unknown)), "{known} s and {unknown} s");
}

async fn parameters_cannot_choose_the_page_after_sign_in(world: World) {
    create_member(&world).await;
    for reported in ["https://evil.example/", "//evil.example", "cns_01m7zs9ngmesw9fk71t8jmhfep"] {
        let mut browser = Browser::new(&world);
        let page = browser
            .get(&format!("/login?consent={reported}&next={reported}&return_to={reported}"))
            .await;
        assert!(!page.text.contains("evil"), "{}", page.text);
        let token = page.field("token");
        let fields = [
            ("token", token.as_str()),
            ("email", EMAIL),
            ("password", PASSWORD),
            ("consent", reported),
            ("next", reported),
        ];
        assert_eq!(browser.post("/login", &fields).await.location(), "/");
    }
}

async fn repeated_sign_in_attempts_are_throttled(world: World) {
    create_member(&world).await;
    let mut browser = Browser::new(&world);
    let token = browser.get("/login").await.field("token");
    let mut statuses = Vec::new();
    for _ in 0..12 {
        let fields =
            [("token", token.as_str()), ("email", EMAIL), ("password", "wrong horse battery")];
        statuses.push(browser.post("/login", &fields).await.status);
    }
    assert_eq!(statuses.first(), Some(&401));
    assert_eq!(statuses.last(), Some(&429), "{statuses:?}");
}

async fn a_throttled_client_gets_retry_after(world: World) {
    create_member(&world).await;
    let mut browser = Browser::new(&world);
    let refused = try_wrong_passwords(&mut browser, 12, None).await.pop().unwrap();
    assert_eq!(refused.status, 429);
    let seconds: u64 = refused.header("retry-after").parse().expect("whole seconds");
    assert!((1..=60).contains(&seconds), "{seconds}");
}

async fn failed_attempts_do_not_lock_a_member_out_of_a_known_browser(world: World) {
    create_member(&world).await;
    // Given a member who has signed in and out,
    let mut known = Browser::new(&world);
    known.sign_in("/login").await;
    let page = known.get("/integrations/keys").await;
    let token =
        page.text.split("action=\"/logout\"").nth(1).unwrap().split("value=\"").nth(1).unwrap();
    let token = token.split('"').next().unwrap().to_owned();
    assert_eq!(known.post("/logout", &[("token", &token)]).await.location(), "/login");

    // when a client without a session tries wrong passwords many times from the same IP
    // address,
    let mut stranger = Browser::new(&world);
    assert_eq!(try_wrong_passwords(&mut stranger, 60, None).await.last().unwrap().status, 429);

    // then the member can still sign in from that browser,
    assert_eq!(known.sign_in("/login").await.location(), "/");

    // but has limited attempts too, and the cookie of another member does not help.
    let mut signed_out = known.clone();
    signed_out.cookie = None;
    assert_eq!(try_wrong_passwords(&mut signed_out, 12, None).await.last().unwrap().status, 429);
    let beta = world.organization_on("Beta", "Unlimited").await;
    world.admin().create_member(beta, "bo@beta.example", "Bo", PASSWORD).await.unwrap();
    try_wrong_passwords(&mut stranger, 45, None).await;
    let token = stranger.get("/login").await.field("token");
    stranger.device = known.device;
    let mut statuses = Vec::new();
    for _ in 0..6 {
        let fields =
            [("token", token.as_str()), ("email", "bo@beta.example"), ("password", "wrong")];
        statuses.push(stranger.post("/login", &fields).await.status);
    }
    assert!(statuses.contains(&429), "{statuses:?}");
}

/// Tries wrong passwords of the member `count` times, with this `X-Forwarded-For`.
async fn try_wrong_passwords(
    browser: &mut Browser,
    count: usize,
    forwarded: Option<&str>,
) -> Vec<Page> {
    let token = browser.get("/login").await.field("token");
    let email = percent_encode(EMAIL);
    let mut answers = Vec::new();
    for _ in 0..count {
        let body = format!("token={token}&email={email}&password=wrong+horse+battery");
        let request = browser.request(reqwest::Method::POST, "/login").body(body);
        let request = request.header("content-type", "application/x-www-form-urlencoded");
        let request = match forwarded {
            Some(address) => request.header("x-forwarded-for", address),
            None => request,
        };
        answers.push(browser.send(request).await);
    }
    answers
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn twelve_wrong_tries_elsewhere_keep_no_member_out() {
    let world = World::on(Database::migrated_sqlite(), &[("trusted_proxies", "127.0.0.0/8")]).await;
    create_member(&world).await;
    let mut stranger = Browser::new(&world);
    let statuses: Vec<u16> = try_wrong_passwords(&mut stranger, 12, Some("203.0.113.9"))
        .await
        .iter()
        .map(|it| it.status)
        .collect();
    assert_eq!(statuses.last(), Some(&429), "{statuses:?}");

    // An unknown browser at another IP address.
    let mut browser = Browser::new(&world);
    let token = browser.get("/login").await.field("token");
    let body = format!(
        "token={token}&email={}&password={}",
        percent_encode(EMAIL),
        percent_encode(PASSWORD)
    );
    let request = browser.request(reqwest::Method::POST, "/login").body(body);
    let request = request.header("content-type", "application/x-www-form-urlencoded");
    let answer = browser.send(request.header("x-forwarded-for", "198.51.100.1")).await;
    assert_eq!(answer.status, 303, "{}", answer.text);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_addresses_of_one_ipv6_network_are_throttled_together() {
    let world = World::on(Database::migrated_sqlite(), &[("trusted_proxies", "127.0.0.0/8")]).await;
    let mut admitted = 0;
    for number in 0..60 {
        let mut browser = Browser::new(&world);
        let token = browser.get("/login").await.field("token");
        let body = format!("token={token}&email=nobody{number}%40acme.example&password=x");
        let request = browser.request(reqwest::Method::POST, "/login").body(body);
        let request = request.header("content-type", "application/x-www-form-urlencoded");
        let address = format!("2001:db8:0:7::{number:x}");
        let answer = browser.send(request.header("x-forwarded-for", address)).await;
        admitted += usize::from(answer.status == 401);
    }
    assert!((40..55).contains(&admitted), "{admitted}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn six_hundred_concurrent_sign_ins_are_answered_soon() {
    let world = World::on(Database::migrated_sqlite(), &[("trusted_proxies", "127.0.0.0/8")]).await;
    create_member(&world).await;
    let token = Browser::new(&world);
    let mut first = token.clone();
    let token = first.get("/login").await.field("token");
    let tried = (0..600).map(|number| {
        let (mut browser, token) = (first.clone(), token.clone());
        async move {
            let body = format!("token={token}&email=nobody{number}%40acme.example&password=wrong");
            let request = browser.request(reqwest::Method::POST, "/login").body(body);
            let request = request.header("content-type", "application/x-www-form-urlencoded");
            let address = format!("198.51.{}.{}", 100 + number / 200, number % 200);
            let begun = Stopwatch::start();
            let answer = browser.send(request.header("x-forwarded-for", address)).await;
            (begun.elapsed(), answer)
        }
    });
    let answers = futures_util::future::join_all(tried).await;
    let longest = answers.iter().map(|(took, _)| *took).max().unwrap();
    let of = |status: u16| answers.iter().filter(|(_, answer)| answer.status == status).count();
    println!("longest {longest:?}, 401: {}, 503: {}", of(401), of(503));
    assert!(longest.as_secs_f64() < 8.0, "{longest:?}");
    assert!(of(401) > 0 && of(401) + of(503) == 600);
    let busy = answers.iter().find(|(_, answer)| answer.status == 503);
    let (_, busy) = busy.expect("somebody is told to come again");
    assert!(busy.header("retry-after").parse::<u64>().is_ok_and(|seconds| seconds >= 1));
    assert!(busy.text.contains("Sign in"), "the page is shown again: {}", busy.text);
}

/// Returns how many of 45 attempts from this `X-Forwarded-For` are allowed.
async fn count_admitted(world: &World, forwarded: &str) -> usize {
    let mut admitted = 0;
    for number in 0..45 {
        let mut browser = Browser::new(world);
        let token = browser.get("/login").await.field("token");
        let body = format!("token={token}&email=nobody{number}%40acme.example&password=x");
        let request = browser.request(reqwest::Method::POST, "/login").body(body);
        let request = request.header("content-type", "application/x-www-form-urlencoded");
        let answer = browser.send(request.header("x-forwarded-for", forwarded)).await;
        admitted += usize::from(answer.status == 401);
    }
    admitted
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_forwarded_address_counts_only_from_a_trusted_proxy() {
    // A client that is not a trusted proxy is counted by its own IP address, whatever the header
    // says. (A few attempts become available again during the test.)
    let world = World::on_sqlite().await;
    assert!(count_admitted(&world, "198.51.100.1").await >= 40);
    assert!(count_admitted(&world, "198.51.100.2").await < 20);

    let world = World::on(Database::migrated_sqlite(), &[("trusted_proxies", "127.0.0.0/8")]).await;
    assert!(count_admitted(&world, "198.51.100.1").await >= 40);
    assert!(count_admitted(&world, "198.51.100.2").await >= 40);
    assert!(count_admitted(&world, "198.51.100.3, 198.51.100.1").await < 20);
}

on_both_databases! {
    a_session_changes_its_name_when_somebody_signs_in,
    cookies_of_other_programs_keep_no_member_out,
    a_wrong_password_and_an_unknown_email_get_the_same_error,
    an_unknown_email_costs_what_a_wrong_password_does,
    parameters_cannot_choose_the_page_after_sign_in,
    repeated_sign_in_attempts_are_throttled,
    a_throttled_client_gets_retry_after,
    failed_attempts_do_not_lock_a_member_out_of_a_known_browser,
}
