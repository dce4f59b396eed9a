//! The messaging network behind a number.
//!
//! One port: [`Handover`] goes in, [`Handed`] or [`Refusal`] comes out, and what happens later is
//! told by callbacks in Meta's shape, which [`callback`] reads for every adapter alike.

pub mod callback;
pub mod sandbox;

use domain::content::Content;
use domain::id::{AccountId, MessageId};
use domain::message::DeliveryError;
use std::time::Duration;

/// A message that is handed to the network.
#[derive(Clone, Debug)]
pub struct Handover<'a> {
    /// Our id, which the network gives back with each report.
    pub message: MessageId,
    /// The number it leaves from.
    pub account: AccountId,
    /// The number it goes to, with its `+`.
    pub to: &'a str,
    /// What it says.
    pub content: &'a Content,
    /// What a person would read.
    pub rendered: &'a str,
    /// How often it was tried before.
    pub attempts: u32,
}

/// The network has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Handed {
    /// The network's id of the message.
    pub channel_id: String,
    /// Callbacks that are to be taken as received so much later. Only the sandbox, which has no
    /// other way to report, gives any.
    pub callbacks: Vec<(Duration, String)>,
}

/// The network does not have it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Nor will it ever.
    #[error("the channel refused the message: {}", .0.message)]
    Definite(DeliveryError),
    /// It may later, and perhaps said when.
    #[error("the channel cannot take the message now: {why}")]
    Later {
        /// How long it asked us to wait.
        after: Option<Duration>,
        /// What it said.
        why: String,
    },
}
