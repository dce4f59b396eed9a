//! What an application does with its own client id and secret.

pub mod revoke_connections;
