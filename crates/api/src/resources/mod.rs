//! The operations, a folder a resource: one operation a file, its wire types beside it.

pub mod accounts;
pub mod applications;
pub mod events;
pub mod history;
pub mod me;
pub mod media;
pub mod messages;
pub mod templates;

use crate::registry::Registry;

/// All operations, in the order of the reference.
#[must_use]
pub fn registry() -> Registry {
    Registry::default()
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
        .with::<events::list::ListEvents>()
        .with::<accounts::list::ListAccounts>()
        .with::<me::get::GetMe>()
        .with::<me::delete::DeleteMe>()
        .with::<applications::revoke_connections::RevokeConnections>()
}
