//! Through which proxy requests leave.

/// Through which proxy requests to the store of files and to the channel leave. What goes to addresses that somebody
/// else chose never goes through one: where it may go is for our own guard to decide.
#[derive(Clone, Default, PartialEq, Eq)]
pub enum Proxy {
    /// The one that `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY` name; none for addresses of this machine and
    /// of private networks.
    #[default]
    Environment,
    /// None.
    None,
    /// This one, for all of them.
    Through(String),
}

impl std::fmt::Debug for Proxy {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(match self {
            Self::Environment => "Environment",
            Self::None => "None",
            // Its address may hold a password.
            Self::Through(_) => "Through(…)",
        })
    }
}
