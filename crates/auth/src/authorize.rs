//! The authorize request: what an application asks a member for (`service.md` 4.8, `contract.md` 3).

use crate::pkce::Challenge;
use domain::scope::ScopeSet;

/// The parameters of a request, each decoded once, in their order.
#[derive(Clone, Debug, Default)]
pub struct Parameters(Vec<(Vec<u8>, Vec<u8>)>);

/// A parameter stands twice: that is neither the first nor the last one's to win.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a parameter stands twice")]
pub struct Repeated;

/// What an application asks for, whole and within its bounds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// What it wants to be allowed: one scope at least.
    pub scopes: ScopeSet,
    /// What it gets back byte for byte.
    pub state: Vec<u8>,
    /// What its verifier has to fit.
    pub challenge: Challenge,
}

/// What is wrong with a request of a known application with a registered address: told to that
/// address, never on a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// A parameter is missing or not as it should be.
    InvalidRequest,
    /// A scope is empty, unknown or not registered.
    InvalidScope,
}

impl Wrong {
    /// The word of RFC 6749 4.1.2.1.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::InvalidRequest => "invalid_request",
            Self::InvalidScope => "invalid_scope",
        }
    }
}

/// The most bytes of a state.
pub const STATE_MOST: usize = 512;

impl Parameters {
    /// Takes decoded parameters.
    pub fn of(pairs: Vec<(Vec<u8>, Vec<u8>)>) -> Result<Self, Repeated> {
        let twice = pairs
            .iter()
            .enumerate()
            .any(|(index, (name, _))| pairs.iter().take(index).any(|(earlier, _)| earlier == name));
        if twice { Err(Repeated) } else { Ok(Self(pairs)) }
    }

    /// The bytes of a parameter.
    #[must_use]
    pub fn bytes(&self, name: &str) -> Option<&[u8]> {
        let found = self.0.iter().find(|(it, _)| it == name.as_bytes());
        found.map(|(_, value)| value.as_slice())
    }

    /// A parameter that is text.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        std::str::from_utf8(self.bytes(name)?).ok()
    }
}

impl Asked {
    /// Judges everything but the application and its address, which come first.
    pub fn judge(parameters: &Parameters, registered: ScopeSet) -> Result<Self, Wrong> {
        let state = parameters.bytes("state").unwrap_or_default();
        if state.is_empty() || state.len() > STATE_MOST {
            return Err(Wrong::InvalidRequest);
        }
        let response_type = parameters.bytes("response_type");
        if response_type.is_some_and(|it| it != b"code") {
            return Err(Wrong::InvalidRequest);
        }
        if parameters.bytes("code_challenge_method") != Some(b"S256") {
            return Err(Wrong::InvalidRequest);
        }
        let challenge = parameters.text("code_challenge").and_then(Challenge::parse);
        let challenge = challenge.ok_or(Wrong::InvalidRequest)?;
        let names = parameters.text("scope").unwrap_or_default();
        let names = names.split(' ').filter(|name| !name.is_empty());
        let scopes = ScopeSet::parse(names).map_err(|_| Wrong::InvalidScope)?;
        if scopes.is_empty() || scopes.iter().any(|scope| !registered.contains(scope)) {
            return Err(Wrong::InvalidScope);
        }
        Ok(Self { scopes, state: state.to_vec(), challenge })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::scope::Scope;

    const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

    fn judged(changes: &[(&str, Option<&str>)]) -> Result<Asked, Wrong> {
        let right = [
            ("scope", "messages.send"),
            ("state", "s"),
            ("code_challenge", CHALLENGE),
            ("code_challenge_method", "S256"),
        ];
        let instead =
            |name: &str| changes.iter().find(|(it, _)| *it == name).map(|(_, value)| *value);
        let mut pairs: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
        for (name, value) in right {
            if let Some(value) = instead(name).unwrap_or(Some(value)) {
                pairs.push((name.into(), value.into()));
            }
        }
        for (name, value) in changes {
            if let (Some(value), None) = (value, right.iter().find(|it| it.0 == *name)) {
                pairs.push(((*name).into(), (*value).into()));
            }
        }
        let registered = [Scope::MessagesSend, Scope::MediaWrite].into_iter().collect();
        Asked::judge(&Parameters::of(pairs).unwrap(), registered)
    }

    #[test]
    fn what_is_wrong_is_told_in_the_words_of_the_rfc() {
        assert!(judged(&[]).is_ok());
        assert!(judged(&[("response_type", Some("code")), ("display", Some("popup"))]).is_ok());
        let long = "x".repeat(513);
        for change in [
            ("state", None),
            ("state", Some("")),
            ("state", Some(long.as_str())),
            ("code_challenge", None),
            ("code_challenge", Some("short")),
            ("code_challenge_method", None),
            ("code_challenge_method", Some("plain")),
            ("code_challenge_method", Some("s256")),
            ("response_type", Some("token")),
        ] {
            assert_eq!(judged(&[change]), Err(Wrong::InvalidRequest), "{change:?}");
        }
        for scope in [
            None,
            Some(""),
            Some("all"),
            Some("templates.read"),
            Some("messages.send templates.read"),
        ] {
            assert_eq!(judged(&[("scope", scope)]), Err(Wrong::InvalidScope), "{scope:?}");
        }
    }

    #[test]
    fn a_repeated_parameter_is_never_read() {
        let pair = || (b"a".to_vec(), b"1".to_vec());
        assert!(Parameters::of(vec![pair(), pair()]).is_err());
    }
}
