//! Operations that an application calls with its own credentials.

pub mod revoke_connections;
