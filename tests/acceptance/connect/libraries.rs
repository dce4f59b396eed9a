//! The handshake with OAuth libraries, as they come from their registries. Each program in
//! `tests/foreign/oauth` connects in the steps of its library's documentation. The libraries do
//! not know Switchboard: they read its metadata (RFC 8414), and use the access token as `Bearer`.

use super::guide::handshake;
use super::{Browser, Partner, REDIRECT, create_member, percent_encode};
use crate::world::{Database, World, free_port};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use tokio::process::Command;

const BOTH_METHODS: &[&str] = &["client_secret_basic", "client_secret_post"];

/// An OAuth library and what its program can show.
struct Library {
    /// The file in `tests/foreign/oauth`.
    program: &'static str,
    redirect_uri: &'static str,
    /// The client authentication methods that the library has.
    methods: &'static [&'static str],
    /// Whether the library checks `iss` (RFC 9207).
    checks_issuer: bool,
    /// Whether the program exchanges the code a second time.
    exchanges_twice: bool,
}

const OAUTH4WEBAPI: Library = Library {
    program: "with_oauth4webapi.mjs",
    redirect_uri: REDIRECT,
    methods: BOTH_METHODS,
    checks_issuer: true,
    exchanges_twice: true,
};
const OPENID_CLIENT: Library = Library {
    program: "with_openid_client.mjs",
    // The library leaves the query out of the redirect URI that it repeats in the exchange.
    redirect_uri: "https://partner.example/callback",
    methods: BOTH_METHODS,
    checks_issuer: true,
    exchanges_twice: true,
};
const SIMPLE_OAUTH2: Library = Library {
    program: "with_simple_oauth2.mjs",
    redirect_uri: REDIRECT,
    methods: BOTH_METHODS,
    checks_issuer: false,
    exchanges_twice: true,
};
const PASSPORT_OAUTH2: Library = Library {
    program: "with_passport_oauth2.mjs",
    redirect_uri: REDIRECT,
    // The library has no HTTP Basic: it always writes the secret into the body.
    methods: &["client_secret_post"],
    checks_issuer: false,
    exchanges_twice: false,
};
const AUTHLIB: Library = Library {
    program: "with_authlib.py",
    redirect_uri: REDIRECT,
    methods: BOTH_METHODS,
    checks_issuer: false,
    exchanges_twice: true,
};
const REQUESTS_OAUTHLIB: Library = Library {
    program: "with_requests_oauthlib.py",
    redirect_uri: REDIRECT,
    methods: BOTH_METHODS,
    checks_issuer: false,
    exchanges_twice: true,
};
const X_OAUTH2: Library = Library {
    program: "with_x_oauth2.go",
    redirect_uri: REDIRECT,
    methods: &["client_secret_basic", "client_secret_post", "detected"],
    checks_issuer: false,
    exchanges_twice: true,
};

/// A server whose base URL is its real address, a member, a partner, and a library's program.
struct LibraryFixture {
    world: World,
    partner: Partner,
    library: Library,
    browser: Browser,
    folder: TempDir,
}

impl LibraryFixture {
    async fn on(database: Database, library: Library) -> Self {
        let address = format!("127.0.0.1:{}", free_port());
        let base_url = format!("http://{address}");
        let settings = [("bind", address.as_str()), ("base_url", base_url.as_str())];
        let world = World::on(database, &settings).await;
        create_member(&world).await;
        let owner = world.organization_on("Partner", "Unlimited").await;
        let partner = Partner::redirected_to(&world, Some(owner), true, library.redirect_uri).await;
        let browser = Browser::new(&world);
        // Node looks for packages beside the program.
        let folder = tempfile::tempdir().unwrap();
        for file in [library.program, "program.mjs"] {
            std::fs::copy(source(file), folder.path().join(file)).unwrap();
        }
        let modules = variable("SWITCHBOARD_TEST_NODE_MODULES");
        std::os::unix::fs::symlink(modules, folder.path().join("node_modules")).unwrap();
        Self { world, partner, library, browser, folder }
    }

    fn command(&self, method: &str) -> Command {
        let program = self.folder.path().join(self.library.program);
        let interpreter = match program.extension().and_then(|it| it.to_str()) {
            Some("mjs") => Some("node".to_owned()),
            Some("py") => Some(variable("SWITCHBOARD_TEST_PYTHON")),
            _ => None,
        };
        let mut command = match interpreter {
            Some(interpreter) => {
                let mut command = Command::new(interpreter);
                command.arg(program);
                command
            }
            None => Command::new(variable("SWITCHBOARD_TEST_GO_OAUTH")),
        };
        // Both Python libraries refuse plain HTTP unless it is allowed.
        command.env("AUTHLIB_INSECURE_TRANSPORT", "1").env("OAUTHLIB_INSECURE_TRANSPORT", "1");
        command.env("AUTH_METHOD", method).env_remove("http_proxy");
        command
    }

    /// Runs the program with this answer of the member, and returns what it printed.
    async fn outcome(&mut self, method: &str, answer: MemberAnswer) -> Value {
        let command = self.command(method);
        let mut browser = self.browser.clone();
        let visit = async |path: String| {
            assert!(path.contains("response_type=code"), "{path}");
            assert!(path.contains("code_challenge_method=S256"), "{path}");
            let (consent, page) = browser.until_consent(&path).await;
            let callback = match answer {
                MemberAnswer::Cancel => {
                    let token = page.field("token");
                    let fields = [("token", token.as_str()), ("decision", "cancel")];
                    browser.post(&consent, &fields).await.location().to_owned()
                }
                _ => browser.allow(&consent, &page).await.location().to_owned(),
            };
            answer.forged(&callback)
        };
        let (printed, succeeded) = handshake(&self.world, &self.partner, command, visit).await;
        self.browser = browser;
        assert!(succeeded, "{} {method}: {printed}", self.library.program);
        serde_json::from_str(&printed).unwrap_or_else(|error| panic!("{printed}: {error}"))
    }
}

/// How the member answers, and what an attacker changes on the way back.
#[derive(Clone, Copy, Debug)]
enum MemberAnswer {
    Allow,
    Cancel,
    ForgedState,
    ForgedIssuer,
    NoIssuer,
}

impl MemberAnswer {
    fn forged(self, callback: &str) -> String {
        let (before_issuer, _) = callback.split_once("&iss=").expect("an issuer");
        match self {
            Self::Allow | Self::Cancel => callback.to_owned(),
            Self::ForgedState => callback.replace("&state=", "&state=x"),
            Self::ForgedIssuer => {
                format!("{before_issuer}&iss={}", percent_encode("https://evil.example"))
            }
            Self::NoIssuer => before_issuer.to_owned(),
        }
    }
}

fn source(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("foreign/oauth").join(file)
}

fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| panic!("{name} is set by `cargo xtask test`"))
}

async fn connects(database: Database, library: Library) {
    let mut given = LibraryFixture::on(database, library).await;
    let name = given.library.program;

    // With each method of client authentication the library obtains a token that the API accepts.
    for method in given.library.methods {
        let outcome = given.outcome(method, MemberAnswer::Allow).await;
        let me = &outcome["me"];
        assert_eq!(me["organization"]["name"], "Acme", "{name} {method}: {outcome}");
        let client_id = given.partner.application.client_id.as_str();
        assert_eq!(me["application"]["client_id"], client_id, "{name} {method}");
        let scopes = json!(["messages.send", "conversations.read"]);
        assert_eq!(me["key"]["scopes"], scopes, "{name} {method}");
        // The library reads the errors of the token endpoint and of the API.
        let again = given.library.exchanges_twice.then_some("invalid_grant");
        assert_eq!(outcome["again"].as_str(), again, "{name} {method}: {outcome}");
        if let Some(revoked) = outcome.get("revoked") {
            assert_eq!(revoked, "invalid_token", "{name} {method}: {outcome}");
        }
    }

    // A member who does not consent is an error of the library's own kind.
    let method = given.library.methods[0];
    let outcome = given.outcome(method, MemberAnswer::Cancel).await;
    assert_eq!(outcome["refused"]["error"], "access_denied", "{name}: {outcome}");
    let description = outcome["refused"]["description"].as_str().unwrap_or_default();
    assert!(description.ends_with('.'), "{name}: {outcome}");

    // What an attacker changes is not exchanged.
    let mut forgeries = vec![MemberAnswer::ForgedState];
    if given.library.checks_issuer {
        forgeries.extend([MemberAnswer::ForgedIssuer, MemberAnswer::NoIssuer]);
    }
    for forgery in forgeries {
        let outcome = given.outcome(method, forgery).await;
        assert!(outcome["refused"].is_object(), "{name} {forgery:?}: {outcome}");
    }
}

/// Names the tests after the libraries.
macro_rules! handshakes {
    ($($name:ident: $library:ident),+ $(,)?) => {$(
        mod $name {
            use crate::world::Database;

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn sqlite() {
                super::connects(Database::migrated_sqlite(), super::$library).await;
            }
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn postgres() {
                super::connects(Database::migrated_postgres().await, super::$library).await;
            }
        }
    )+};
}

handshakes! {
    oauth4webapi_connects: OAUTH4WEBAPI,
    openid_client_connects: OPENID_CLIENT,
    simple_oauth2_connects: SIMPLE_OAUTH2,
    passport_oauth2_connects: PASSPORT_OAUTH2,
    authlib_connects: AUTHLIB,
    requests_oauthlib_connects: REQUESTS_OAUTHLIB,
    x_oauth2_connects: X_OAUTH2,
}
