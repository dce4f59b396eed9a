//! The formats of the reference, and the server address in them
//! (`docs/contract.md#reference-documents`, `docs/security.md` 31).

use crate::world::{Database, World, on_both_databases};
use reqwest::header::HeaderMap;
use serde_json::Value;

struct Given {
    status: u16,
    headers: HeaderMap,
    text: String,
}

impl Given {
    fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }
}

async fn get(world: &World, path: &str, headers: &[(&str, &str)]) -> Given {
    let mut request = world.http.get(format!("{}{path}", world.base));
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let response = request.send().await.unwrap();
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    Given { status, headers, text: response.text().await.unwrap() }
}

const CONFIGURED: &str = "https://api.example.com";

async fn the_reference_is_public_and_comes_in_the_form_that_is_asked_for(world: World) {
    let page = get(&world, "/docs", &[]).await;
    assert_eq!(page.status, 200);
    assert_eq!(page.header("content-type"), "text/html; charset=utf-8");
    assert!(page.text.contains("<h3>Send a message"));
    assert!(page.header("content-security-policy").contains("script-src 'self'"));
    assert!(!page.text.contains("style=\"") && !page.text.contains("<script>"));

    let markdown = get(&world, "/docs.md", &[]).await;
    assert_eq!(markdown.header("content-type"), "text/markdown; charset=utf-8");
    assert!(markdown.text.starts_with("# Switchboard API\n"));
    for (path, accept) in [
        ("/docs", "text/markdown"),
        ("/docs", "text/html;q=0.5, text/markdown"),
        ("/docs?format=md", "text/html"),
    ] {
        let same = get(&world, path, &[("accept", accept)]).await;
        assert_eq!(same.text, markdown.text, "{path} {accept}");
    }
    for accept in ["text/html, text/markdown;q=0.5", "*/*", "text/markdown;q=0", "text/plain"] {
        assert_eq!(get(&world, "/docs", &[("accept", accept)]).await.text, page.text, "{accept}");
    }
    for path in ["/docs", "/docs.md", "/openapi.json", "/postman.json", "/llms.txt"] {
        assert_eq!(
            get(&world, path, &[]).await.header("vary"),
            "Host, Accept, Accept-Encoding",
            "{path}"
        );
        let posted = world.http.post(format!("{}{path}", world.base)).send().await.unwrap();
        assert_eq!(posted.status(), 405, "{path}");
    }
    let pointer = get(&world, "/llms.txt", &[]).await.text;
    assert!(pointer.contains("https://api.example.com/docs.md"), "{pointer}");
    assert!(pointer.contains("https://api.example.com/openapi.json"), "{pointer}");
}

async fn each_chapter_has_a_page_and_a_text(world: World) {
    // Given the list of chapters,
    let pointer = get(&world, "/llms.txt", &[]).await.text;
    let (_, listed) = pointer.split_once("## Chapters\n\n").expect("chapters");
    let base = "https://api.example.com/docs/";
    let slug = |line: &str| line.split_once(base)?.1.strip_suffix(".md)").map(str::to_owned);
    let slugs: Vec<String> = listed.lines().map(|line| slug(line).expect(line)).collect();
    let whole = get(&world, "/docs.md", &[]).await.text;
    let titles = whole.lines().filter(|line| line.starts_with("## ")).count();
    assert!(slugs.len() > 15 && slugs.len() <= titles + 1, "{slugs:?}");
    assert_eq!(slugs.last().unwrap(), "changelog");
    // when each is requested, then its text is a part of the whole and its page has a heading;
    for slug in &slugs {
        let text = get(&world, &format!("/docs/{slug}.md"), &[]).await;
        assert_eq!(text.status, 200, "{slug}");
        assert_eq!(text.header("content-type"), "text/markdown; charset=utf-8");
        assert!(text.text.starts_with("# ") && !text.text.contains("](#"), "{slug}");
        let page = get(&world, &format!("/docs/{slug}"), &[]).await;
        assert_eq!(page.status, 200, "{slug}");
        assert!(page.text.contains("<h1>") && page.text.contains("<h2>"), "{slug}");
    }
    let messages = get(&world, "/docs/messages.md", &[]).await.text;
    assert!(messages.contains("### Send a message") && messages.len() * 2 < whole.len());
    assert!(!messages.contains("### Create a template"));
    // a name that is no chapter is not found.
    for name in ["nothing", "messages.md.md", "Messages", ".md", "messages%2F"] {
        assert_eq!(get(&world, &format!("/docs/{name}"), &[]).await.status, 404, "{name}");
    }
}

async fn the_reference_says_what_may_change_and_uses_one_word_for_a_thing(world: World) {
    let markdown = get(&world, "/docs.md", &[]).await.text;
    let (_, policy) = markdown.split_once("\n## What may change\n").expect("a policy");
    let policy = policy.split("\n## ").next().unwrap();
    for says in [
        "without notice",
        "new fields in answers",
        "new types of events",
        "new error codes",
        "ignore fields, events and values",
        "/api/v2",
    ] {
        assert!(policy.contains(says), "{says}: {policy}");
    }
    // The reference uses one term for the address that a browser is sent back to, and allows
    // http on this machine.
    assert!(!markdown.to_lowercase().contains("redirect url"));
    assert!(markdown.contains("http on `localhost`, `127.0.0.1` and `[::1]`, with any port"));
    // The reference says "key" or "client id and secret", not "credentials".
    let lines = markdown.lines().filter(|line| line.to_lowercase().contains("credential"));
    let words: Vec<&str> = lines.filter(|line| !line.contains("invalid_credentials")).collect();
    assert_eq!(words, Vec::<&str>::new());
    // The reference names no place that the navigation does not have.
    for text in [markdown.as_str(), get(&world, "/docs", &[]).await.text.as_str()] {
        assert!(!text.contains("Integrations →") && !text.contains("My applications"));
    }
    assert!(markdown.contains("unsupported_response_type"));
}

async fn the_connect_chapter_names_every_endpoint_that_admits_an_application(world: World) {
    let chapter = get(&world, "/docs/connect.md", &[]).await.text;
    let (_, sentence) = chapter.split_once("They are for the exchange").expect("a sentence");
    let (sentence, _) = sentence.split_once("Every other endpoint").expect("its end");
    for it in api::registry().specifications() {
        let resource = it.path.split('/').take(4).collect::<Vec<_>>().join("/");
        assert_eq!(sentence.contains(&resource), it.access.admits_application(), "{}", it.path);
    }
}

async fn the_reference_names_each_list_with_its_pagination(world: World) {
    let markdown = get(&world, "/docs.md", &[]).await.text;
    let (_, chapter) = markdown.split_once("\n## Pagination\n").expect("a chapter");
    let chapter = chapter.split("\n## ").next().unwrap();
    let line = |kind: &str| {
        let start = format!("- {kind}: ");
        chapter.lines().find_map(|line| line.strip_prefix(&start)).expect(kind)
    };
    // Given the answers of all operations, then each list is named once, under its kind.
    let kinds = [("By offset", "/pagination/next_offset"), ("By position", "/next_after")];
    let registry = api::registry();
    let (mut named, mut lists) = (0, 0);
    for (kind, field) in kinds {
        named += line(kind).matches('`').count() / 2;
        for it in registry.specifications() {
            let reply: Option<Value> = serde_json::from_str(&it.example.reply).ok();
            if reply.is_some_and(|reply| reply.pointer(field).is_some()) {
                let path = it.path.strip_prefix("/api/v1").unwrap();
                let name = format!("`{} {path}`", it.method);
                assert!(line(kind).contains(&name), "{name}: {}", line(kind));
                lists += 1;
            }
        }
    }
    assert_eq!(named, lists);
    assert!(lists > 8, "{lists}");
}

async fn the_reference_says_how_to_send_the_key_in_one_header(world: World) {
    // Given the call in the reference that sends the key as a bearer token,
    let markdown = get(&world, "/docs.md", &[]).await.text;
    let (_, chapter) = markdown.split_once("\n## Authentication\n").expect("a chapter");
    let chapter = chapter.split("\n## ").next().unwrap();
    let (_, value) = chapter.split_once("-H \"Authorization: ").expect("the header");
    let value = value.split('"').next().unwrap();
    // when its variables are filled in, then the key is accepted.
    let value = value.replace("$SWITCHBOARD_CLIENT_ID", &world.key.client_id);
    let value = value.replace("$SWITCHBOARD_CLIENT_SECRET", &world.key.client_secret);
    let me = get(&world, "/api/v1/me", &[("authorization", &value)]).await;
    assert_eq!(me.status, 200, "{}", me.text);
}

async fn samples_of_a_post_have_an_idempotency_key_in_each_language(world: World) {
    let markdown = get(&world, "/docs.md", &[]).await.text;
    let mut seen = 0;
    for it in api::registry().specifications() {
        let heading = format!("\n### {}\n", it.summary.trim_end_matches('.'));
        let (_, part) = markdown.split_once(&heading).expect("the operation");
        let part = part.split("\n### ").next().unwrap().split("\n## ").next().unwrap();
        // A POST that only reads sends no `Idempotency-Key`.
        let once = it.method == "POST"
            && it.access.scope() != Some(domain::scope::Scope::ConversationsRead);
        for (fence, header) in [
            ("sh", "-H \"Idempotency-Key: $("),
            ("js", "\"idempotency-key\": randomUUID()"),
            ("python", "\"idempotency-key\": str(uuid.uuid4())"),
            ("rust", ".header(\"idempotency-key\", "),
        ] {
            for block in part.split(&format!("```{fence}\n")).skip(1) {
                let code = block.split("\n```").next().unwrap();
                assert_eq!(code.contains(header), once, "{} in {fence}: {code}", it.id);
                seen += usize::from(once);
            }
        }
    }
    assert!(seen > 40, "{seen}");
}

async fn the_reference_and_the_dashboard_lead_to_each_other(world: World) {
    let docs = get(&world, "/docs", &[]).await.text;
    assert!(docs.contains("<a class=\"to-dashboard\" href=\"/\">Dashboard</a>"));
    assert!(docs.contains("href=\"https://api.example.com/integrations/keys\""));
    let mut browser = crate::dashboard::sign_in_member(&world).await;
    for path in ["/integrations/keys", "/integrations/webhooks", "/plan"] {
        assert!(browser.get(path).await.text.contains("href=\"/docs\""), "{path}");
    }
    assert!(
        crate::connect::Browser::new(&world).get("/login").await.text.contains("href=\"/docs\"")
    );
}

async fn an_unchanged_document_gets_304(world: World) {
    for path in ["/docs", "/docs.md", "/openapi.json", "/postman.json", "/llms.txt"] {
        let first = get(&world, path, &[]).await;
        let again = get(&world, path, &[("if-none-match", first.header("etag"))]).await;
        assert_eq!(again.status, 304, "{path}");
        assert_eq!(again.text, "", "{path}");
        let other = get(&world, path, &[("if-none-match", "\"other\"")]).await;
        assert_eq!(other.text, first.text, "{path}");
    }
}

async fn only_texts_that_hold_no_secret_are_compressed(world: World) {
    // Given a browser that accepts compressed responses,
    let browsers = ("accept-encoding", "gzip, deflate, br, zstd");
    for path in ["/docs", "/docs.md", "/openapi.json", "/assets/docs.js", "/assets/docs.css"] {
        let plain = get(&world, path, &[]).await;
        assert_eq!(plain.header("content-encoding"), "", "{path}");

        // when it requests public content, then the response is compressed,
        let url = format!("{}{path}", world.base);
        let request = world.http.get(url).header(browsers.0, browsers.1);
        let small = request.send().await.unwrap();
        assert_eq!(small.headers()["content-encoding"], "gzip", "{path}");
        let vary = small.headers()["vary"].to_str().unwrap().to_owned();
        assert!(vary.contains("Accept-Encoding"), "{path}: {vary}");
        let tag = small.headers().get("etag").map(|tag| tag.to_str().unwrap().to_owned());
        let bytes = small.bytes().await.unwrap();
        // complete (a gzip file ends with the length of its content),
        let (magic, length) = (&bytes[..2], &bytes[bytes.len() - 4..]);
        let expected = u32::try_from(plain.text.len()).unwrap().to_le_bytes();
        assert_eq!(magic, &[0x1f, 0x8b][..]);
        assert_eq!(length, &expected[..]);
        assert!(bytes.len() * 5 < plain.text.len() * 2, "{path}: {}", bytes.len());
        // and has another `ETag` than the uncompressed form.
        if let Some(tag) = tag {
            assert_ne!(tag, plain.header("etag"));
            let known = [browsers, ("if-none-match", tag.as_str())];
            assert_eq!(get(&world, path, &known).await.status, 304, "{path}");
        }
    }
    // Responses that may contain both a secret and text of somebody else are not compressed.
    for path in ["/login", "/connect/authorize?client_id=swa_nobody", "/api/v1/me"] {
        let plain = get(&world, path, &[browsers]).await;
        assert_eq!(plain.header("content-encoding"), "", "{path}");
    }
}

async fn the_reference_contains_every_declared_operation(world: World) {
    let markdown = get(&world, "/docs.md", &[]).await.text;
    let document = get(&world, "/openapi.json", &[]).await.text;
    let document: serde_json::Value = serde_json::from_str(&document).unwrap();
    assert_eq!(document["openapi"], "3.1.0");
    for it in api::registry().specifications() {
        let line = format!("`{}` `{}`", it.method, it.path);
        assert!(markdown.contains(&line), "{line}");
        let method = it.method.as_str().to_ascii_lowercase();
        let operation = &document["paths"][it.path][&method];
        assert_eq!(operation["operationId"], it.id);
        says_its_scope(operation, it.access.scope());
        says_its_other_scope(operation, it.access.other_scope());
    }
    for code in http_layer::problem::Code::ALL {
        assert!(markdown.contains(&format!("`{}`", code.as_str())), "{}", code.as_str());
    }
    for kind in <domain::event::EventKind as domain::keyword::Keyword>::ALL {
        assert!(markdown.contains(&format!("\n### {kind}\n")), "{kind}");
    }
}

/// Asserts that the required scope stands in the security requirement, in a field of its own and in
/// the description, and that the example of the error names it.
fn says_its_scope(operation: &serde_json::Value, scope: Option<domain::scope::Scope>) {
    let id = &operation["operationId"];
    let word = scope.map(<domain::scope::Scope as domain::keyword::Keyword>::as_str);
    assert_eq!(operation["x-required-scope"].as_str(), word, "{id}");
    let listed: Vec<&str> = word.into_iter().collect();
    for credential in ["clientId", "clientSecret"] {
        assert_eq!(operation["security"][0][credential], serde_json::json!(listed), "{id}");
    }
    let refusal = &operation["responses"]["403"]["content"]["application/json"]["examples"];
    let asked = &refusal["insufficient_scope"]["value"];
    assert_eq!(asked["required_scope"].as_str(), word, "{id}: {asked}");
    if let Some(word) = word {
        let description = operation["description"].as_str().unwrap();
        assert!(description.contains(&format!("Scope: `{word}`.")), "{id}: {description}");
        let granted = asked["granted_scopes"].as_array().unwrap();
        assert!(!granted.iter().any(|it| it == word), "{id}: {asked}");
    }
}

/// Asserts that a scope which some requests need instead stands at the same places.
fn says_its_other_scope(operation: &serde_json::Value, scope: Option<domain::scope::Scope>) {
    let id = &operation["operationId"];
    let word = scope.map(<domain::scope::Scope as domain::keyword::Keyword>::as_str);
    assert_eq!(operation["x-other-scope"].as_str(), word, "{id}");
    let Some(word) = word else { return };
    let alternatives = operation["security"].as_array().unwrap();
    let with = |credential: &str| {
        alternatives.iter().any(|it| it[credential] == serde_json::json!([word]))
    };
    assert!(with("clientSecret") && with("accessToken"), "{id}: {alternatives:?}");
    let description = operation["description"].as_str().unwrap();
    assert!(description.contains(&format!("`{word}` instead.")), "{id}: {description}");
}

/// The `Host` header, which any client can choose, never appears in the document.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_host_is_shown_only_where_the_configuration_allows_it() {
    // Given a server with additional permitted host names,
    let hosts = "docs.example.org, localhost:8443";
    let world = World::on(Database::migrated_sqlite(), &[("docs_hosts", hosts)]).await;

    for path in ["/docs", "/docs.md", "/openapi.json", "/postman.json", "/llms.txt"] {
        // when it is requested under one of them, then the document shows that name,
        for (host, shown) in [
            ("docs.example.org", "https://docs.example.org"),
            ("Docs.Example.ORG", "https://docs.example.org"),
            ("localhost:8443", "https://localhost:8443"),
            ("api.example.com", CONFIGURED),
        ] {
            let given = get(&world, path, &[("host", host)]).await;
            assert!(given.text.contains(shown), "{path} {host}");
            // and no program or example in it contains another name;
            for other in [CONFIGURED, "http://localhost:8080"].iter().filter(|it| **it != shown) {
                assert!(!given.text.contains(*other), "{path} {host} shows {other}");
            }
        }
        // when it is requested under any other name, then the document shows the configured one.
        for host in [
            "evil.example",
            "docs.example.org.evil.example",
            "docs.example.org:81",
            "localhost",
            "\"><script>alert(1)</script>",
            "evil.example#docs.example.org",
        ] {
            let more = [
                ("host", host),
                ("x-forwarded-host", "evil.example"),
                ("forwarded", "host=evil.example"),
            ];
            let given = get(&world, path, &more).await;
            assert!(
                !given.text.contains("evil.example") && !given.text.contains("alert(1)"),
                "{path} {host}"
            );
            assert!(
                given.text.contains(CONFIGURED) && !given.text.contains("docs.example.org"),
                "{path} {host}"
            );
        }
    }
}

on_both_databases! {
    each_chapter_has_a_page_and_a_text,
    the_reference_is_public_and_comes_in_the_form_that_is_asked_for,
    the_reference_says_what_may_change_and_uses_one_word_for_a_thing,
    samples_of_a_post_have_an_idempotency_key_in_each_language,
    the_connect_chapter_names_every_endpoint_that_admits_an_application,
    the_reference_names_each_list_with_its_pagination,
    the_reference_says_how_to_send_the_key_in_one_header,
    the_reference_and_the_dashboard_lead_to_each_other,
    an_unchanged_document_gets_304,
    only_texts_that_hold_no_secret_are_compressed,
    the_reference_contains_every_declared_operation,
}
