//! The port for a channel's requests to us: which are accepted, and what is stored of them.

/// A request of the channel, before its body has arrived.
pub struct IncomingCall<'a> {
    /// The query of the URL, as it was sent.
    pub query: &'a str,
    /// Returns the values of a header, given its name in lowercase.
    pub headers: &'a dyn Fn(&str) -> Vec<&'a str>,
}

/// The receiver of a channel's requests. Nothing is stored of a request that is not signed with the
/// shared secret.
pub trait Receiver {
    /// Returns the maximum number of bytes in a body.
    fn max_bytes(&self) -> usize;

    /// Returns the answer to the request that sets up the webhook URL, or `None` if the request is
    /// not allowed or the channel sends none.
    fn handshake(&self, query: &str) -> Option<String>;

    /// Starts to check a request. Returns `None` if no body could have a valid signature.
    fn begin(&self, call: &IncomingCall<'_>) -> Option<Box<dyn Check>>;

    /// Returns the content type and the body of the answer to an accepted request, or `None` for an
    /// empty answer.
    fn reply(&self) -> Option<(&'static str, &'static str)>;
}

/// The check of a request whose body is arriving.
pub trait Check {
    /// Takes the next piece of the body.
    fn update(&mut self, piece: &[u8]);

    /// Returns the request as it is stored, once the whole body has arrived.
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
