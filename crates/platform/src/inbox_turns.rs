//! Lets one task of this server at a time apply an organization's events to its inbox.

use domain::id::OrganizationId;
use std::array;
use tokio::sync::{Mutex, MutexGuard};

/// The number of locks, which organizations share. With this number, an organization whose inbox is
/// being rebuilt rarely delays another one.
const LOCKS: usize = 1024;

/// Many pages that are loaded at the same time need the same events. They wait here, without a
/// connection to the database, and then usually find that another one has applied the events.
#[derive(Debug)]
pub struct InboxTurns([Mutex<()>; LOCKS]);

impl Default for InboxTurns {
    fn default() -> Self {
        Self(array::from_fn(|_| Mutex::new(())))
    }
}

impl InboxTurns {
    /// Waits until no other task applies events of this organization. The turn ends when the guard
    /// is dropped.
    pub async fn wait(&self, organization: OrganizationId) -> Option<MutexGuard<'_, ()>> {
        let [.., high, low] = *organization.uuid().as_bytes();
        let lock = self.0.get(usize::from(u16::from_be_bytes([high, low])) % LOCKS)?;
        Some(lock.lock().await)
    }
}
