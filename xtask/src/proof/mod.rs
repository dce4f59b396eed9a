//! What promises are proved with, from outside: senders that note what was acknowledged, a channel and a receiver of
//! webhooks that note what arrives, what the API tells afterwards, and who judges it.

pub mod arrivals;
pub mod chance;
pub mod channel;
pub mod evidence;
pub mod history;
pub mod instance;
pub mod operator;
pub mod order;
pub mod receiver;
pub mod report;
pub mod reporter;
pub mod sender;
pub mod stand_in;
