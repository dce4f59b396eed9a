//! Operations that an application calls with its own client id and secret.

pub mod revoke_connections;
