//! What an application does with its own credentials.

pub mod revoke_connections;
