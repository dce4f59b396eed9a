//! The only module that chooses among the channels.

use crate::adapter::{Adapter, ChannelAccount, NotSetUp};
use crate::callback::CallbackPart;
use crate::capabilities::Capabilities;
use crate::receiver::Receiver;
use crate::{cloud_api, sandbox, twilio};
use domain::account::{ChannelKind, HealthReason};
use domain::message::MessageError;
use std::collections::BTreeSet;

/// The settings of all channels.
#[derive(Clone, Debug)]
pub struct Networks {
    /// The settings of Meta's Cloud API.
    pub cloud_api: cloud_api::CloudSettings,
    /// The settings of Twilio.
    pub twilio: twilio::TwilioSettings,
}

/// The paths to which channels send callbacks.
pub const WEBHOOKS: [(ChannelKind, &str); 2] =
    [(ChannelKind::CloudApi, cloud_api::WEBHOOK), (ChannelKind::Twilio, twilio::WEBHOOK)];

impl Networks {
    /// Returns the adapter for an account.
    pub fn adapter(&self, number: ChannelAccount) -> Result<Box<dyn Adapter>, NotSetUp> {
        Ok(match number.channel {
            ChannelKind::Sandbox => Box::new(sandbox::SandboxNumber),
            ChannelKind::CloudApi => {
                Box::new(cloud_api::CloudNumber::new(&self.cloud_api, number)?)
            }
            ChannelKind::Twilio => Box::new(twilio::TwilioNumber::new(&self.twilio, number)?),
        })
    }

    /// Returns the receiver of a channel's requests, or `None` if the channel sends no requests.
    #[must_use]
    pub fn receiver(&self, channel: ChannelKind) -> Option<Box<dyn Receiver + '_>> {
        match channel {
            ChannelKind::Sandbox => None,
            ChannelKind::CloudApi => Some(Box::new(cloud_api::CloudReceiver::new(&self.cloud_api))),
            ChannelKind::Twilio => Some(Box::new(twilio::TwilioReceiver::new(&self.twilio))),
        }
    }
}

/// Returns the capabilities of a channel.
#[must_use]
pub const fn capabilities(channel: ChannelKind) -> &'static Capabilities {
    match channel {
        ChannelKind::Sandbox | ChannelKind::CloudApi => &Capabilities::ALL,
        ChannelKind::Twilio => &twilio::CAPABILITIES,
    }
}

/// Returns why the channel refuses the account, or `None` if the error is only about the message.
#[must_use]
pub fn account_fault(channel: ChannelKind, error: &MessageError) -> Option<HealthReason> {
    let code = error.channel_code?;
    match channel {
        ChannelKind::Sandbox => None,
        ChannelKind::CloudApi => cloud_api::account_fault(code),
        ChannelKind::Twilio => twilio::account_fault(code),
    }
}

/// Parses a callback into all of its parts, in order. A payload that is not a callback gives one
/// part, which is not understood.
#[must_use]
pub fn parse(channel: ChannelKind, payload: &str) -> Vec<CallbackPart> {
    match channel {
        ChannelKind::Sandbox => sandbox::parse(payload),
        ChannelKind::CloudApi => cloud_api::callback::parse(payload),
        ChannelKind::Twilio => twilio::parse(payload),
    }
}

/// Returns the parts with these indexes in the result of [`parse`], each as a callback of its own.
#[must_use]
pub fn parts_of(channel: ChannelKind, payload: &str, places: &BTreeSet<usize>) -> Vec<String> {
    match channel {
        ChannelKind::Sandbox => sandbox::parts_of(payload, places),
        ChannelKind::CloudApi => cloud_api::callback::parts_of(payload, places),
        ChannelKind::Twilio => twilio::parts_of(payload, places),
    }
}
