//! The operations, a folder a resource: one operation a file, its wire types beside it.

pub mod accounts;
pub mod applications;
pub mod contacts;
pub mod events;
pub mod history;
pub mod me;
pub mod media;
pub mod messages;
pub mod templates;

use crate::operation::List;
use crate::operations::Operations;
use crate::registry::Registry;

/// All operations as a server mounts them.
#[must_use]
pub fn operations() -> Operations {
    all()
}

/// All operations as data, with the schemas of what they take and answer.
#[must_use]
pub fn registry() -> Registry {
    all()
}

/// All operations, in the order of the reference.
fn all<L: List>() -> L {
    L::default()
        .with::<messages::send::SendMessage>()
        .with::<messages::send_template::SendTemplate>()
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
