//! A server that logs as much as it can, its surroundings, and a list of all secrets.

use super::forms::{Hit, Needles};
use super::places::{Place, Subject, files};
use super::surroundings::Surroundings;
use super::tap::Tap;
use crate::connect::{EMAIL, Partner, REDIRECT};
use crate::webhooks::receiver::Receiver;
use crate::world::graph::{Fault, Graph};
use crate::world::{Pair, Process, client, entropy, free_port, switchboard};
use auth::secret::Secret;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rustix::process::Signal;
use serde_json::Value;
use service::applications::CreatedApplication;
use std::fs::File;
use std::process::Stdio;
use tempfile::TempDir;
use tokio::io::AsyncWriteExt as _;

/// The name of secrets that the operator puts into the environment, such as passwords of other
/// servers.
const OF_THE_SETTINGS: &str = "a secret of the settings";

/// The responses that may contain a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// Exactly one response contains the secret.
    Once,
    /// Only responses to a client that already has the secret may contain it, for example a form's
    /// token.
    Bearer,
    /// No response contains the secret.
    Nobody,
}

struct Issued {
    what: &'static str,
    whose: Whose,
    secret: String,
}

pub struct Stage {
    pub base: String,
    pub url: String,
    pub graph: Graph,
    pub receiver: Receiver,
    pub password: String,
    pub app_secret: String,
    pub verify_token: String,
    pub surroundings: Surroundings,
    subject: Subject,
    folder: TempDir,
    variables: Vec<(String, String)>,
    tap: Tap,
    server: Process,
    issued: Vec<Issued>,
    /// The outputs of the command line.
    said: Vec<Place>,
}

/// Returns a random text that appears nowhere else.
pub fn random() -> String {
    auth::digest::hex(&entropy::<24>())
}

/// Returns a well-formed secret that belongs to nobody.
pub fn wrong_secret() -> String {
    Secret::new(entropy()).reveal().to_owned()
}

impl Stage {
    /// Starts a server with this log format.
    pub async fn start(subject: Subject, log_format: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("data")).unwrap();
        let (graph, receiver) = (Graph::start().await, Receiver::start().await);
        let surroundings = Surroundings::start().await;
        let [of_database, app_secret, verify_token, twilio, password] =
            std::array::from_fn(|_| random());
        let encryption = STANDARD.encode(entropy::<32>());
        let url = subject.url(&folder, &of_database);
        let variables = [
            ("SWITCHBOARD_DATABASE_URL", url.clone()),
            ("SWITCHBOARD_LOG", "trace".to_owned()),
            ("SWITCHBOARD_LOG_FORMAT", log_format.to_owned()),
            ("SWITCHBOARD_ENCRYPTION_KEY", encryption.clone()),
            ("SWITCHBOARD_GRAPH_URL", graph.url()),
            ("SWITCHBOARD_GRAPH_APP_SECRET", app_secret.clone()),
            ("SWITCHBOARD_GRAPH_VERIFY_TOKEN", verify_token.clone()),
            ("SWITCHBOARD_TWILIO_ACCOUNT_SID", "ACefb707f7c4ce4d15bc4261fd1d5ed615".to_owned()),
            ("SWITCHBOARD_TWILIO_AUTH_TOKEN", twilio.clone()),
            ("SWITCHBOARD_WEBHOOK_ALLOW", "127.0.0.0/8".to_owned()),
        ];
        let variables = variables.map(|(name, value)| (name.to_owned(), value)).into_iter();
        let variables: Vec<_> = variables.chain(surroundings.variables()).collect();
        let server = serve(&folder, &variables).await;
        let tap = Tap::before(&server.base).await;
        let base = format!("http://{}", tap.address);
        let (issued, said) = (Vec::new(), Vec::new());
        let mut stage = Self {
            base,
            url,
            graph,
            receiver,
            password,
            app_secret,
            verify_token,
            surroundings,
            subject,
            folder,
            variables,
            tap,
            server,
            issued,
            said,
        };
        let (token, password) = (stage.graph.token().to_owned(), stage.password.clone());
        let ours = [stage.app_secret.clone(), stage.verify_token.clone(), twilio, encryption];
        let of_others = stage.surroundings.secrets();
        for secret in ours.into_iter().chain(of_others).chain([of_database]) {
            stage.issued(OF_THE_SETTINGS, Whose::Nobody, secret);
        }
        stage.issued("the token of the channel", Whose::Nobody, token);
        stage.issued("the member's first password", Whose::Nobody, password);
        stage
    }

    /// Adds a secret to the list.
    pub fn issued(&mut self, what: &'static str, whose: Whose, secret: String) {
        if self.issued.iter().all(|it| it.secret != secret) {
            self.issued.push(Issued { what, whose, secret });
        }
    }

    /// Runs an `admin` command and returns its JSON output.
    pub async fn admin(&mut self, arguments: &[&str], input: &str) -> Value {
        let out = self.run(&[&["admin"], arguments, &["--json"]].concat(), input).await;
        serde_json::from_str(&out).unwrap()
    }

    /// Runs a command, keeps its output for the search, and returns its standard output.
    pub async fn run(&mut self, arguments: &[&str], input: &str) -> String {
        let mut command = switchboard(arguments);
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).await.unwrap();
        let ended = child.wait_with_output().await.unwrap();
        let all = [ended.stdout.as_slice(), &ended.stderr].concat();
        self.said.push(Place::new(format!("what `{}` says", arguments.join(" ")), all));
        String::from_utf8(ended.stdout).unwrap()
    }

    /// Creates what operators create first: an organization, a member, and an account on the
    /// channel.
    async fn found(&mut self) {
        let plan = ["plan", "set", "--name", "Pro", "--api-access", "true"];
        let ceilings = ["--api-calls-per-day", "none", "--messages-per-month", "none"];
        self.admin(&[&plan[..], &ceilings].concat(), "").await;
        self.admin(&["organization", "create", "--name", "Bakery", "--plan", "Pro"], "").await;
        let number = ["--phone-number", "+12025550180", "--display-name", "Bakery"];
        let ids = ["--phone-number-id", "106540352242922", "--waba-id", "102290129340398"];
        let account = [
            "account",
            "connect",
            "--organization",
            "Bakery",
            "--channel",
            "cloud-api",
            "--access-token-stdin",
        ];
        let access_token = self.graph.token();
        self.admin(&[&account[..], &number, &ids].concat(), access_token).await;
        let member = [
            "member",
            "create",
            "--organization",
            "Bakery",
            "--email",
            EMAIL,
            "--name",
            "Ada",
            "--password-stdin",
        ];
        let password = self.password.clone();
        self.admin(&member, &password).await;
    }

    /// Creates everything that operators create: the above, a key and an application.
    pub async fn operate(&mut self) -> (Pair, Partner) {
        self.found().await;
        let key =
            ["key", "create", "--organization", "Bakery", "--name", "Till", "--rate-limit", "0"];
        let scopes = [
            "--scopes",
            "messages.send,templates.read,templates.write,conversations.read,media.write,webhooks.manage",
        ];
        let made = self.admin(&[&key[..], &scopes].concat(), "").await;
        let text = |made: &Value, field: &str| made[field].as_str().unwrap().to_owned();
        let key = Pair {
            client_id: text(&made, "client_id"),
            client_secret: text(&made, "client_secret"),
        };
        self.issued("the secret of an operator's key", Whose::Once, key.client_secret.clone());
        let create = ["application", "create", "--organization", "Bakery", "--name", "CRM"];
        let terms = ["--redirect-uri", REDIRECT, "--scopes", "messages.send,conversations.read"];
        let made = self.admin(&[&create[..], &terms].concat(), "").await;
        let application = CreatedApplication {
            id: text(&made, "id"),
            name: text(&made, "name"),
            client_id: text(&made, "client_id"),
            client_secret: text(&made, "client_secret"),
            redirect_uris: Vec::new(),
            scopes: Vec::new(),
            published: false,
        };
        self.issued(
            "the secret of an operator's application",
            Whose::Once,
            application.client_secret.clone(),
        );
        (key, Partner { application })
    }

    /// Makes the channel refuse all further requests with a text that contains the access token.
    pub fn repeat_the_token(&self) {
        let (token, mut sends) = (self.graph.token(), 0);
        self.graph.plan(move |request| {
            let is_send = request.path.ends_with("/messages");
            sends += usize::from(is_send);
            let (status, code) = match sends {
                _ if !is_send => (400, 100),
                1 => (400, 131_000),
                2 => (500, 131_000),
                _ => (401, 190),
            };
            let message = format!("Malformed access token {token}");
            Fault::Error { status, code, subcode: None, message }
        });
    }

    /// Stops the server. Returns all places where something was written, and all responses.
    pub async fn end(self) -> Left {
        let metrics = client().get(format!("http://{}/metrics", self.server.metrics)).send().await;
        let metrics = metrics.unwrap().bytes().await.unwrap();
        let mut places = self.subject.places(self.folder.path()).await;
        places.push(Place::new("the metrics", metrics));
        let told = |file: &str| std::fs::read(format!("/proc/{}/{file}", self.server.id()));
        places.push(Place::new("the command line", told("cmdline").unwrap()));
        // Only root may read this file.
        let environment = told("environ").ok().unwrap_or_default();
        self.server.signal(Signal::TERM);
        assert_eq!(self.server.exit_code().await, Some(0));
        places.extend(files(self.folder.path()));
        places.extend(self.surroundings.places());
        let mut answers = self.said;
        let answered = self.tap.answers().into_iter();
        answers.extend(answered.map(|it| Place::new("an answer", it)));
        Left { places, answers, environment, issued: self.issued }
    }
}

/// Starts a server with these settings in its environment, none of them on its command line.
async fn serve(folder: &TempDir, variables: &[(String, String)]) -> Process {
    let port = free_port();
    let [bind, metrics] = [port, free_port()].map(|it| format!("127.0.0.1:{it}"));
    let mut command = switchboard(&["serve", "--bind", &bind, "--metrics-bind", &metrics]);
    command.envs(variables.iter().map(|(name, value)| (name, value)));
    command.stdout(File::create(folder.path().join("said")).unwrap());
    command.stderr(File::create(folder.path().join("log")).unwrap());
    Process::ready(command, port).await
}

/// All traces of a server.
pub struct Left {
    pub places: Vec<Place>,
    pub answers: Vec<Place>,
    /// The environment of the process, if the test may read it.
    environment: Vec<u8>,
    issued: Vec<Issued>,
}

impl Left {
    /// Returns each forbidden place where a secret was found.
    pub fn found(&self) -> Vec<String> {
        let needles = Needles::of(self.issued.iter().map(|it| (it.what, it.secret.as_str())));
        let mut found = Vec::new();
        for place in &self.places {
            found.extend(needles.find(&place.bytes).into_iter().map(|hit| line(&place.name, &hit)));
        }
        let others = self.issued.iter().filter(|it| it.what != OF_THE_SETTINGS);
        let others = Needles::of(others.map(|it| (it.what, it.secret.as_str())));
        let in_environment = others.find(&self.environment).into_iter();
        found.extend(in_environment.map(|hit| line("the environment", &hit)));
        for issued in &self.issued {
            let needles = Needles::of([(issued.what, issued.secret.as_str())]);
            let shown = self.answers.iter().map(|it| (it, needles.find(&it.bytes)));
            let shown: Vec<_> = shown.filter(|(_, hits)| !hits.is_empty()).collect();
            let allowed = match issued.whose {
                Whose::Once => shown.len() == 1,
                Whose::Bearer => true,
                Whose::Nobody => shown.is_empty(),
            };
            if !allowed {
                found.push(format!(
                    "{} is in {} answers ({:?})",
                    issued.what,
                    shown.len(),
                    issued.whose
                ));
                found.extend(shown.iter().map(|(place, hits)| line(&place.name, &hits[0])));
            }
        }
        found.sort();
        found.dedup();
        found
    }

    /// Declares a text a secret, to test the search.
    pub fn plant(&mut self, whose: Whose, secret: &str) {
        self.issued.push(Issued { what: "planted", whose, secret: secret.to_owned() });
    }

    /// Returns the number of secrets.
    pub fn secrets(&self) -> usize {
        self.issued.len()
    }

    /// Returns whether the search finds the operator's secrets in the environment, or the
    /// environment cannot be read.
    pub fn environment_is_searched(&self) -> bool {
        let put = self.issued.iter().find(|it| it.what == OF_THE_SETTINGS).expect("there is one");
        let needles = Needles::of([("it", put.secret.as_str())]);
        self.environment.is_empty() || !needles.find(&self.environment).is_empty()
    }

    /// Returns the names of the places that contain a text.
    pub fn places_with(&self, text: &str) -> Vec<&str> {
        let needles = Needles::of([("it", text)]);
        let places = self.places.iter().filter(|it| !needles.find(&it.bytes).is_empty());
        places.map(|it| it.name.as_str()).collect()
    }
}

fn line(place: &str, hit: &Hit) -> String {
    format!("{}, as {}, in {place}: …{:?}…", hit.what, hit.form, hit.around)
}
