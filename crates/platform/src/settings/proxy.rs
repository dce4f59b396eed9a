//! The proxy setting.

/// The proxy for requests to the file store and to channels. Requests to addresses that the operator
/// did not choose never use a proxy, because our own client must check the address that is connected
/// to.
#[derive(Clone, Default, PartialEq, Eq)]
pub enum Proxy {
    /// The proxy that `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY` name. Addresses of
    /// this machine and of private networks are reached directly.
    #[default]
    Environment,
    /// No proxy.
    None,
    /// This proxy, for all addresses.
    Through(String),
}

impl std::fmt::Debug for Proxy {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(match self {
            Self::Environment => "Environment",
            Self::None => "None",
            // The URL of the proxy may contain a password.
            Self::Through(_) => "Through(…)",
        })
    }
}
