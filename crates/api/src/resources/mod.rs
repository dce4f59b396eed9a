//! The operations: a folder for each resource, a file for each operation and its JSON types.

pub mod accounts;
pub mod agents;
pub mod applications;
pub mod contacts;
pub mod conversations;
pub mod events;
pub mod history;
pub mod me;
pub mod media;
pub mod messages;
pub mod sandbox;
pub mod templates;
pub mod webhook_endpoints;

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
        .with::<messages::batch::SendBatch>()
        .with::<messages::list::ListMessages>()
        .with::<messages::list_scheduled::ListScheduledMessages>()
        .with::<messages::get::GetMessage>()
        .with::<messages::cancel::CancelMessage>()
        .with::<messages::read::ReadMessage>()
        .with::<templates::create::CreateTemplate>()
        .with::<templates::list::ListTemplates>()
        .with::<templates::get::GetTemplate>()
        .with::<templates::update::UpdateTemplate>()
        .with::<templates::delete::DeleteTemplate>()
        .with::<media::upload::UploadMedia>()
        .with::<history::GetHistory>()
        .with::<history::PostHistory>()
        .with::<contacts::list::ListContacts>()
        .with::<contacts::get::GetContact>()
        .with::<contacts::export::ExportContact>()
        .with::<contacts::update::UpdateContact>()
        .with::<contacts::delete::DeleteContact>()
        .with::<conversations::list::ListConversations>()
        .with::<conversations::get::GetConversation>()
        .with::<conversations::update::UpdateConversation>()
        .with::<conversations::agent::PauseAgent>()
        .with::<conversations::agent::ResumeAgent>()
        .with::<conversations::hand_over::HandOverConversation>()
        .with::<conversations::notes::ListNotes>()
        .with::<conversations::notes::CreateNote>()
        .with::<agents::test::TestAgent>()
        .with::<events::list::ListEvents>()
        .with::<sandbox::inbound::SimulateInbound>()
        .with::<webhook_endpoints::list::ListEndpoints>()
        .with::<webhook_endpoints::create::CreateEndpoint>()
        .with::<webhook_endpoints::get::GetEndpoint>()
        .with::<webhook_endpoints::update::UpdateEndpoint>()
        .with::<webhook_endpoints::rotate::RotateSecret>()
        .with::<webhook_endpoints::test::TestEndpoint>()
        .with::<webhook_endpoints::deliveries::ListDeliveries>()
        .with::<webhook_endpoints::deliveries::ResendDelivery>()
        .with::<webhook_endpoints::replay::ReplayEvents>()
        .with::<webhook_endpoints::delete::DeleteEndpoint>()
        .with::<accounts::list::ListAccounts>()
        .with::<me::get::GetMe>()
        .with::<me::delete::DeleteMe>()
        .with::<applications::revoke_connections::RevokeConnections>()
}
