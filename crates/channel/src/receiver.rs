//! How a network calls us: who may, and what of it is kept.

/// A call of the network, as far as it is known before its body.
pub struct IncomingCall<'a> {
    /// What stands behind the `?` of its address, as it was written.
    pub query: &'a str,
    /// The values of a header, by its name in lowercase.
    pub headers: &'a dyn Fn(&str) -> Vec<&'a str>,
}

/// What takes the calls of a network. Nothing is kept of a call that its secret did not sign.
pub trait Receiver {
    /// Maximum number of bytes in a body.
    fn max_bytes(&self) -> usize;

    /// What answers the request with which the address is set up; none if that may not be, or is not done so.
    fn handshake(&self, query: &str) -> Option<String>;

    /// Begins with a call; none if no body could be rightly signed.
    fn begin(&self, call: &IncomingCall<'_>) -> Option<Box<dyn Check>>;

    /// What answers a call that was taken: content type and body; none for an empty answer.
    fn reply(&self) -> Option<(&'static str, &'static str)>;
}

/// A call whose body is coming in.
pub trait Check {
    /// Takes the next piece of the body.
    fn update(&mut self, piece: &[u8]);

    /// The call as it is kept, once all of the body has come.
    fn finish(self: Box<Self>, body: Vec<u8>) -> Result<String, Refusal>;
}

/// Why a call is not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// It is not signed rightly.
    #[error("the signature is not right")]
    Signature,
    /// It is signed, and cannot be read.
    #[error("{0}")]
    Unreadable(String),
}
