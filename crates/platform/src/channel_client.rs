//! The client of an account's channel: creates the adapter and sends its requests.

use crate::Deps;
use crate::counters;
use channel::ChannelSendError;
use channel::adapter::{Adapter, ChannelAccount};
use channel::request::{AdapterStep, ChannelAnswer};
use domain::message::{Failure, MessageError};
use persistence::records::ChannelAccess;

/// Creates the adapter of an account.
///
/// # Errors
///
/// If the settings, the encryption key or the account's row do not fit together, because an
/// operator changed one of them.
pub fn adapter(deps: &Deps, access: &ChannelAccess) -> Result<Box<dyn Adapter>, String> {
    let sealed = access.access_token.as_ref();
    let token = sealed.map(|sealed| deps.sealing.open(sealed, &access.id.to_string())).transpose();
    let number = ChannelAccount {
        account: access.id,
        channel: access.channel,
        channel_id: access.phone_number_id.clone(),
        business_id: access.waba_id.clone(),
        token: token.map_err(|error| error.to_string())?,
    };
    deps.settings.channel.networks.adapter(number).map_err(|error| error.to_string())
}

/// Runs an operation of an adapter: sends the requests that the adapter asks for, one after the
/// other.
pub async fn run<T>(deps: &Deps, next: impl Fn(&[ChannelAnswer]) -> AdapterStep<T>) -> T {
    let mut answers = Vec::new();
    loop {
        match next(&answers) {
            AdapterStep::Done(done) => return done,
            AdapterStep::Ask(request) => {
                let answer = deps.outbound.channel.send(request).await;
                counters::channel_calls(answer.is_ok(), 1);
                answers.push(answer);
            }
        }
    }
}

/// Reports that an account has no adapter. Only the operator can correct this; until then the
/// account's messages are retried.
pub fn missing(why: &str) -> ChannelSendError {
    tracing::error!(why, "the adapter of a number cannot be created");
    let message = "The number cannot reach the channel; its operator has to look at it.".to_owned();
    later(message)
}

/// Returns an error after which the message is retried.
#[must_use]
pub const fn later(message: String) -> ChannelSendError {
    let error = MessageError { failure: Failure::ChannelError, message, channel_code: None };
    ChannelSendError::Later { after: None, error }
}
