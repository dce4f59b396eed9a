//! Commands that call the REST API of a running server, as any other program does.

mod api;
mod body_setting;
mod listen;
mod send;
mod trigger;

pub use api::CallError;
pub use listen::{ListenArguments, run as listen};
pub use send::{SendArguments, run as send};
pub use trigger::{TriggerArguments, run as trigger};

use super::error::ErrorCode;
use super::terminal;
use anyhow::Result;
use api::ApiClient;
use clap::{Args, ValueHint};
use config::{CLIENT_ID_VARIABLE, CLIENT_SECRET_VARIABLE};

/// The server to call, and the credentials to call it with.
#[derive(Debug, Args)]
pub struct ServerArguments {
    /// The URL of the server.
    #[arg(long, value_name = "URL", default_value = "http://localhost:8080", value_hint = ValueHint::Url)]
    url: String,
    /// The client id of an API key. Default: the environment variable SWITCHBOARD_CLIENT_ID.
    #[arg(long, value_name = "ID")]
    client_id: Option<String>,
    /// The secret of that key. Default: the environment variable SWITCHBOARD_CLIENT_SECRET, which
    /// other users of this machine cannot see.
    #[arg(long, value_name = "SECRET")]
    client_secret: Option<String>,
}

impl ServerArguments {
    fn client(self) -> Result<ApiClient> {
        let id = given(self.client_id, "--client-id", CLIENT_ID_VARIABLE, terminal::line)?;
        let secret =
            given(self.client_secret, "--client-secret", CLIENT_SECRET_VARIABLE, terminal::secret)?;
        ApiClient::new(&self.url, id, secret)
    }
}

/// Returns the value of an option, or of the environment variable that can replace the option. If
/// there is neither, asks for the value on a terminal.
fn given(
    option: Option<String>,
    flag: &str,
    variable: &str,
    ask: impl FnOnce(&str) -> Result<Option<String>>,
) -> Result<String> {
    let value = option.or_else(|| std::env::var(variable).ok()).filter(|value| !value.is_empty());
    let value = match value {
        None if terminal::is_interactive() => ask(&format!("The API key ({flag}, {variable}):"))?,
        value => value,
    };
    value.ok_or_else(|| {
        ErrorCode::Usage.error(format!(
            "no credentials: pass {flag} or set {variable}; create a key under API keys in the dashboard, or with `switchboard admin key create`"
        ))
    })
}
