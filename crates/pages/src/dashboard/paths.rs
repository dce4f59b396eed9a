//! Where the pages are (`docs/contract.md#pages`).

/// Where it is.
pub const KEYS: &str = "/integrations/keys";
/// Where it is.
pub const CONNECTED: &str = "/integrations/connected";
/// Where it is.
pub const DIRECTORY: &str = "/integrations/apps";
/// Where it is.
pub const APPLICATIONS: &str = "/integrations/applications";
/// Where they are.
pub const WEBHOOKS: &str = "/integrations/webhooks";
/// Where it is.
pub const PLAN: &str = "/plan";
