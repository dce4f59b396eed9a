//! The port for a channel's requests to us: which requests are accepted, and what is stored of
//! them.

/// A request from the channel, of which the body has not arrived yet.
pub struct IncomingCall<'a> {
    /// The query of the URL, unchanged.
    pub query: &'a str,
    /// A function that returns the values of a header. The name of the header is in lowercase.
    pub headers: &'a dyn Fn(&str) -> Vec<&'a str>,
}

/// The receiver of a channel's requests. A request is stored only if it is signed with the shared
/// secret.
pub trait Receiver {
    /// Returns the maximum number of bytes in a body.
    fn max_bytes(&self) -> usize;

    /// Returns the answer to the request that sets up the webhook URL. Returns `None` if the
    /// request is not allowed, or if the channel does not send such requests.
    fn handshake(&self, query: &str) -> Option<String>;

    /// Starts the check of a request. Returns `None` if no body could have a valid signature.
    fn begin(&self, call: &IncomingCall<'_>) -> Option<Box<dyn Check>>;

    /// Returns the content type and the body of the answer to an accepted request, or `None` for an
    /// empty answer.
    fn reply(&self) -> Option<(&'static str, &'static str)>;
}

/// The check of a request while its body arrives.
pub trait Check {
    /// Adds the next piece of the body.
    fn update(&mut self, piece: &[u8]);

    /// Returns the request in the form in which it is stored. Call it once the whole body has
    /// arrived.
    fn finish(self: Box<Self>, body: Vec<u8>) -> Result<String, CallbackRefusal>;
}

/// The reason why a request is rejected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CallbackRefusal {
    /// The signature is wrong.
    #[error("the signature is wrong")]
    Signature,
    /// The signature is valid, but the body cannot be read.
    #[error("{0}")]
    Unreadable(String),
}
