//! The one place that chooses among the networks.

use crate::adapter::{Adapter, NotSetUp, Number};
use crate::callback::Part;
use crate::capabilities::Capabilities;
use crate::receiver::Receiver;
use crate::{cloud_api, sandbox, twilio};
use domain::account::{ChannelKind, HealthReason};
use domain::message::DeliveryError;
use std::collections::BTreeSet;

/// The settings of all networks.
#[derive(Clone, Debug)]
pub struct Networks {
    /// Meta's Cloud API.
    pub cloud_api: cloud_api::Settings,
    /// Twilio.
    pub twilio: twilio::Settings,
}

/// Where networks call us.
pub const WEBHOOKS: [(ChannelKind, &str); 2] =
    [(ChannelKind::CloudApi, cloud_api::WEBHOOK), (ChannelKind::Twilio, twilio::WEBHOOK)];

impl Networks {
    /// The network behind a number.
    pub fn adapter(&self, number: Number) -> Result<Box<dyn Adapter>, NotSetUp> {
        Ok(match number.channel {
            ChannelKind::Sandbox => Box::new(sandbox::SandboxNumber),
            ChannelKind::CloudApi => {
                Box::new(cloud_api::CloudNumber::new(&self.cloud_api, number)?)
            }
            ChannelKind::Twilio => Box::new(twilio::TwilioNumber::new(&self.twilio, number)?),
        })
    }

    /// What takes the calls of a network; none where it makes none.
    #[must_use]
    pub fn receiver(&self, channel: ChannelKind) -> Option<Box<dyn Receiver + '_>> {
        match channel {
            ChannelKind::Sandbox => None,
            ChannelKind::CloudApi => {
                Some(Box::new(cloud_api::WebhookReceiver::new(&self.cloud_api)))
            }
            ChannelKind::Twilio => Some(Box::new(twilio::WebhookReceiver::new(&self.twilio))),
        }
    }
}

/// What a network can do.
#[must_use]
pub const fn capabilities(channel: ChannelKind) -> &'static Capabilities {
    match channel {
        ChannelKind::Sandbox | ChannelKind::CloudApi => &Capabilities::ALL,
        ChannelKind::Twilio => &twilio::CAPABILITIES,
    }
}

/// Why the account is refused, and not the message that failed; none where it is not.
#[must_use]
pub fn account_fault(channel: ChannelKind, error: &DeliveryError) -> Option<HealthReason> {
    let code = error.channel_code?;
    match channel {
        ChannelKind::Sandbox => None,
        ChannelKind::CloudApi => cloud_api::account_fault(code),
        ChannelKind::Twilio => twilio::account_fault(code),
    }
}

/// Reads a callback of a network: all of its parts, in order. What is no callback at all is one part that is not
/// understood.
#[must_use]
pub fn parse(channel: ChannelKind, payload: &str) -> Vec<Part> {
    match channel {
        ChannelKind::Sandbox => sandbox::parse(payload),
        ChannelKind::CloudApi => cloud_api::callback::parse(payload),
        ChannelKind::Twilio => twilio::parse(payload),
    }
}

/// The parts of a callback at these places among [`parse`]'s, each as a callback of its own.
#[must_use]
pub fn parts_of(channel: ChannelKind, payload: &str, places: &BTreeSet<usize>) -> Vec<String> {
    match channel {
        ChannelKind::Sandbox => sandbox::parts_of(payload, places),
        ChannelKind::CloudApi => cloud_api::callback::parts_of(payload, places),
        ChannelKind::Twilio => twilio::parts_of(payload, places),
    }
}
