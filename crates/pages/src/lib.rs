//! Everything for browsers: sign-in, the dashboard, Connect, assets and uploaded files.

pub mod assets;
mod browser;
pub mod connect;
pub mod dashboard;
pub mod files;
pub mod icons;
pub mod signed_out;

pub use browser::{ObjectState, POLICY, ShownTime, StateLabel, refuse};
