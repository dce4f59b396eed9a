//! The setting `base_url`: the server's public address.

use super::{folder, run};
use crate::world::{Database, World};

/// Given a base URL that is more than an origin, when the server starts, then the error names the
/// problem.
#[tokio::test]
async fn a_base_url_with_more_than_an_origin_is_refused_at_start() {
    let (folder, _) = folder();
    for url in [
        "https://example.com/sb",
        "https://user@example.com",
        "https://user:hunter2@example.com",
        "https://example.com?tenant=1",
        "https://example.com#top",
    ] {
        for command in ["config", "serve"] {
            let said = run(folder.path(), &[command], &[("SWITCHBOARD_BASE_URL", url)]).await;
            said.failed_with(&["base_url", "without a path, user, query or fragment"]);
        }
    }
}

/// Given an HTTPS base URL, each response has `Strict-Transport-Security`, unless the operator
/// switches it off.
#[tokio::test]
async fn an_https_server_sets_hsts() {
    let cases = [
        ("https://api.example.com", "true", Some("max-age=31536000")),
        ("https://api.example.com", "false", None),
        ("http://localhost:8080", "true", None),
    ];
    for (base_url, hsts, expected) in cases {
        let settings = [("base_url", base_url), ("hsts", hsts)];
        let world = World::on(Database::sqlite(), &settings).await;
        for path in ["/login", "/docs.md", "/api/v1/me", "/nowhere"] {
            let answer = world.http.get(format!("{}{path}", world.base)).send().await.unwrap();
            let header = answer.headers().get("strict-transport-security");
            assert_eq!(header.map(|it| it.to_str().unwrap()), expected, "{base_url} {hsts} {path}");
        }
    }
}
