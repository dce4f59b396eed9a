//! The operations: a folder for each resource, a file for each operation and its JSON types.

pub mod accounts;
pub mod applications;
pub mod contacts;
pub mod events;
pub mod history;
pub mod me;
pub mod media;
pub mod messages;
pub mod templates;

use crate::operation::OperationList;
use crate::operations::Operations;
use crate::registry::Registry;

/// Returns all operations, as a server mounts them.
#[must_use]
pub fn operations() -> Operations {
    all()
}

/// Returns all operations as data, with the schemas of their inputs and answers.
#[must_use]
pub fn registry() -> Registry {
    all()
}

/// Collects all operations, in the order of the reference.
fn all<L: OperationList>() -> L {
    L::default()
        .with::<messages::send::SendMessage>()
        .with::<messages::send_template::SendTemplate>()
        .with::<messages::list::ListMessages>()
        .with::<messages::get::GetMessage>()
        .with::<messages::read::ReadMessage>()
        .with::<templates::create::CreateTemplate>()
        .with::<templates::list::ListTemplates>()
        .with::<templates::get::GetTemplate>()
        .with::<media::upload::UploadMedia>()
        .with::<history::GetHistory>()
        .with::<history::PostHistory>()
        .with::<contacts::list::ListContacts>()
        .with::<contacts::get::GetContact>()
        .with::<events::list::ListEvents>()
        .with::<accounts::list::ListAccounts>()
        .with::<me::get::GetMe>()
        .with::<me::delete::DeleteMe>()
        .with::<applications::revoke_connections::RevokeConnections>()
}
