//! Tools that test guarantees from outside: senders that record acknowledgments, a channel and a
//! webhook receiver that record arrivals, the state that the API shows afterwards, and the checks
//! that compare all of these.

pub mod arrivals;
pub mod chance;
pub mod channel;
pub mod customers;
pub mod evidence;
pub mod history;
pub mod instance;
pub mod model;
pub mod operator;
pub mod order;
pub mod receiver;
pub mod report;
pub mod reporter;
pub mod sender;
pub mod stand_in;
pub mod turns;
