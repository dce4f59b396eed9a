//! A server that logs all it can, with all that it talks to, and the secrets that are about.

use super::forms::{Hit, Needles};
use super::places::{Place, Subject, files};
use super::tap::Tap;
use crate::connect::{EMAIL, Partner, REDIRECT};
use crate::webhooks::receiver::Receiver;
use crate::world::graph::{Fault, Graph};
use crate::world::{Pair, Process, client, entropy, free_port, serving, switchboard};
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

/// Who may read a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// It is in exactly one answer.
    Once,
    /// Whoever bears it already is answered with it again, as with what a form proves.
    Bearer,
    /// It is in no answer.
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
    /// The member's first password.
    pub password: String,
    pub app_secret: String,
    pub verify_token: String,
    subject: Subject,
    folder: TempDir,
    variables: Vec<(&'static str, String)>,
    tap: Tap,
    server: Process,
    issued: Vec<Issued>,
    /// What the command line has said.
    said: Vec<Place>,
}

/// What cannot be guessed, and stands nowhere else.
pub fn random() -> String {
    auth::digest::hex(&entropy::<24>())
}

/// Written as a secret, and nobody's.
pub fn wrong_secret() -> String {
    Secret::new(entropy()).reveal().to_owned()
}

impl Stage {
    /// With a log in this format.
    pub async fn set(subject: Subject, log_format: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("data")).unwrap();
        let (graph, receiver) = (Graph::start().await, Receiver::start().await);
        let [of_database, app_secret, verify_token, twilio, password] =
            std::array::from_fn(|_| random());
        let encryption = STANDARD.encode(entropy::<32>());
        let url = subject.url(&folder, &of_database);
        let variables = vec![
            ("SWITCHBOARD_LOG", "trace".to_owned()),
            ("SWITCHBOARD_LOG_FORMAT", log_format.to_owned()),
            ("SWITCHBOARD_ENCRYPTION_KEY", encryption.clone()),
            ("SWITCHBOARD_MEDIA_URL", format!("file:{}", folder.path().join("media").display())),
            ("SWITCHBOARD_GRAPH_URL", graph.url()),
            ("SWITCHBOARD_GRAPH_APP_SECRET", app_secret.clone()),
            ("SWITCHBOARD_GRAPH_VERIFY_TOKEN", verify_token.clone()),
            ("SWITCHBOARD_TWILIO_ACCOUNT_SID", "ACefb707f7c4ce4d15bc4261fd1d5ed615".to_owned()),
            ("SWITCHBOARD_TWILIO_AUTH_TOKEN", twilio.clone()),
            ("SWITCHBOARD_WEBHOOK_ALLOW", "127.0.0.0/8".to_owned()),
        ];
        let port = free_port();
        let mut command = serving(&url, port);
        command.envs(variables.iter().map(|(name, value)| (*name, value)));
        command.stdout(File::create(folder.path().join("said")).unwrap());
        command.stderr(File::create(folder.path().join("log")).unwrap());
        let server = Process::ready(command, port).await;
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
            subject,
            folder,
            variables,
            tap,
            server,
            issued,
            said,
        };
        let (token, password) = (stage.graph.token().to_owned(), stage.password.clone());
        let of_settings =
            [stage.app_secret.clone(), stage.verify_token.clone(), twilio, encryption];
        for secret in of_settings.into_iter().chain([of_database]) {
            stage.issued("a secret of the settings", Whose::Nobody, secret);
        }
        stage.issued("the token of the channel", Whose::Nobody, token);
        stage.issued("the member's first password", Whose::Nobody, password);
        stage
    }

    /// Notes a secret.
    pub fn issued(&mut self, what: &'static str, whose: Whose, secret: String) {
        if self.issued.iter().all(|it| it.secret != secret) {
            self.issued.push(Issued { what, whose, secret });
        }
    }

    /// The command line's answer.
    pub async fn admin(&mut self, arguments: &[&str], input: &str) -> Value {
        let out = self.run(&[&["admin"], arguments, &["--json"]].concat(), input).await;
        serde_json::from_str(&out).unwrap()
    }

    /// What a command prints, which is noted.
    pub async fn run(&mut self, arguments: &[&str], input: &str) -> String {
        let mut command = switchboard(&[arguments, &["--database-url", &self.url]].concat());
        command.envs(self.variables.iter().map(|(name, value)| (*name, value)));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).await.unwrap();
        let ended = child.wait_with_output().await.unwrap();
        let all = [ended.stdout.as_slice(), &ended.stderr].concat();
        self.said.push(Place::new(format!("what `{}` says", arguments.join(" ")), all));
        String::from_utf8(ended.stdout).unwrap()
    }

    /// What operators make first: an organization, a member, a number at the network.
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

    /// What operators make: all that, a key and an application.
    pub async fn operate(&mut self) -> (Pair, Partner) {
        self.found().await;
        let key =
            ["key", "create", "--organization", "Bakery", "--name", "Till", "--rate-limit", "0"];
        let scopes =
            ["--scopes", "messages.send,templates.read,templates.write,conversations.read"];
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

    /// What the network says from now on to whoever sends: it repeats the token.
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

    /// Ends the server; gives every place where something was written, and every answer.
    pub async fn end(self) -> Left {
        let metrics = client().get(format!("http://{}/metrics", self.server.metrics)).send().await;
        let metrics = metrics.unwrap().bytes().await.unwrap();
        let mut places = self.subject.places(self.folder.path()).await;
        places.push(Place::new("the metrics", metrics));
        self.server.signal(Signal::TERM);
        assert_eq!(self.server.exit_code().await, Some(0));
        places.extend(files(self.folder.path()));
        let mut answers = self.said;
        let answered = self.tap.answers().into_iter();
        answers.extend(answered.map(|it| Place::new("an answer", it)));
        Left { places, answers, issued: self.issued }
    }
}

/// What is left of it all.
pub struct Left {
    pub places: Vec<Place>,
    pub answers: Vec<Place>,
    issued: Vec<Issued>,
}

impl Left {
    /// Every secret that lies where it should not, each once for each place.
    pub fn found(&self) -> Vec<String> {
        let needles = Needles::of(self.issued.iter().map(|it| (it.what, it.secret.as_str())));
        let mut found = Vec::new();
        for place in &self.places {
            found.extend(needles.find(&place.bytes).into_iter().map(|hit| line(&place.name, &hit)));
        }
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

    /// Plants a secret that lies about.
    pub fn plant(&mut self, whose: Whose, secret: &str) {
        self.issued.push(Issued { what: "planted", whose, secret: secret.to_owned() });
    }

    /// How many secrets there are.
    pub fn secrets(&self) -> usize {
        self.issued.len()
    }

    /// The places in which a text stands as it is.
    pub fn places_with(&self, text: &str) -> Vec<&str> {
        let needles = Needles::of([("it", text)]);
        let places = self.places.iter().filter(|it| !needles.find(&it.bytes).is_empty());
        places.map(|it| it.name.as_str()).collect()
    }
}

fn line(place: &str, hit: &Hit) -> String {
    format!("{}, as {}, in {place}: …{:?}…", hit.what, hit.form, hit.around)
}
