//! The authorize request: what an application asks a member to grant (`docs/contract.md#connect`,
//! `docs/contract.md#authorize`).

use crate::handshake::HandshakeFault;
use crate::pkce::Challenge;
use domain::scope::ScopeSet;

/// Maximum number of parameters of a request. An application needs at most eight. Tools such as web
/// analytics may add others to the URL.
pub const MAX_PARAMETERS: usize = 32;

/// The decoded parameters of a request.
#[derive(Clone, Debug, Default)]
pub struct AuthorizeParameters {
    pairs: Vec<(Vec<u8>, Vec<u8>)>,
    fault: Option<HandshakeFault>,
}

/// A valid authorize request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuthorizeRequest {
    /// The requested scopes, at least one.
    pub scopes: ScopeSet,
    /// The `state`, which the application gets back byte for byte.
    pub state: Vec<u8>,
    /// The PKCE challenge, which the application's verifier has to match.
    pub challenge: Challenge,
}

/// Maximum number of bytes in a `state`.
pub const MAX_STATE_BYTES: usize = 512;

impl AuthorizeParameters {
    /// Collects decoded parameters. Reads at most [`MAX_PARAMETERS`] + 1 of them.
    pub fn new(pairs: impl IntoIterator<Item = (Vec<u8>, Vec<u8>)>) -> Self {
        let mut pairs: Vec<_> = pairs.into_iter().take(MAX_PARAMETERS + 1).collect();
        pairs.sort_unstable();
        let repeated = pairs.iter().zip(pairs.iter().skip(1)).any(|(one, next)| one.0 == next.0);
        let fault = if pairs.len() > MAX_PARAMETERS {
            Some(HandshakeFault::TooManyParameters)
        } else {
            repeated.then_some(HandshakeFault::RepeatedParameter)
        };
        Self { pairs, fault }
    }

    /// Returns the reason why the request is rejected as a whole: too many parameters, or a
    /// repeated one.
    #[must_use]
    pub const fn fault(&self) -> Option<HandshakeFault> {
        self.fault
    }

    /// Returns the bytes of a parameter, if it occurs exactly once.
    #[must_use]
    pub fn bytes(&self, name: &str) -> Option<&[u8]> {
        let mut found = self.pairs.iter().filter(|(it, _)| it == name.as_bytes());
        let (_, value) = found.next()?;
        found.next().is_none().then_some(value.as_slice())
    }

    /// Returns a parameter as text, if it occurs exactly once and is valid UTF-8.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        std::str::from_utf8(self.bytes(name)?).ok()
    }

    /// Returns the scopes that the request names and that are not registered. Returns none if a
    /// name is not that of a scope.
    #[must_use]
    pub fn unregistered_scopes(&self, registered: ScopeSet) -> ScopeSet {
        let named = named_scopes(self).into_iter().flat_map(ScopeSet::iter);
        named.filter(|scope| !registered.contains(*scope)).collect()
    }
}

impl AuthorizeRequest {
    /// Validates all parameters except `client_id` and `redirect_uri`, which the caller validates
    /// first.
    pub fn validate(
        parameters: &AuthorizeParameters,
        registered: ScopeSet,
    ) -> Result<Self, HandshakeFault> {
        let state = parameters.bytes("state").unwrap_or_default();
        if state.is_empty() {
            return Err(HandshakeFault::StateMissing);
        }
        if state.len() > MAX_STATE_BYTES {
            return Err(HandshakeFault::StateTooLong);
        }
        let response_type = parameters.bytes("response_type");
        // A parameter with an empty value counts as omitted (RFC 6749, section 3.1).
        if response_type.is_some_and(|it| !matches!(it, b"" | b"code")) {
            return Err(HandshakeFault::ResponseTypeUnsupported);
        }
        if parameters.bytes("code_challenge_method") != Some(b"S256") {
            return Err(HandshakeFault::ChallengeMethodUnsupported);
        }
        let challenge = parameters.bytes("code_challenge").unwrap_or_default();
        if challenge.is_empty() {
            return Err(HandshakeFault::ChallengeMissing);
        }
        let challenge = std::str::from_utf8(challenge).ok().and_then(Challenge::parse);
        let challenge = challenge.ok_or(HandshakeFault::ChallengeMalformed)?;
        let scopes = scopes(parameters, registered)?;
        Ok(Self { scopes, state: state.to_vec(), challenge })
    }
}

fn scopes(
    parameters: &AuthorizeParameters,
    registered: ScopeSet,
) -> Result<ScopeSet, HandshakeFault> {
    let scopes = named_scopes(parameters).ok_or(HandshakeFault::ScopeUnknown)?;
    if scopes.is_empty() {
        return Err(HandshakeFault::ScopeMissing);
    }
    if scopes.iter().any(|scope| !registered.contains(scope)) {
        return Err(HandshakeFault::ScopeNotRegistered);
    }
    Ok(scopes)
}

/// Parses the parameter `scope`. Returns `None` if it contains anything but names of scopes.
fn named_scopes(parameters: &AuthorizeParameters) -> Option<ScopeSet> {
    let list = parameters.bytes("scope").unwrap_or_default();
    let names = std::str::from_utf8(list).ok()?.split(' ').filter(|name| !name.is_empty());
    ScopeSet::parse(names).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::scope::Scope;
    use proptest::prelude::*;

    const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

    fn judged(changes: &[(&str, Option<&str>)]) -> Result<AuthorizeRequest, HandshakeFault> {
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
        AuthorizeRequest::validate(&AuthorizeParameters::new(pairs), registered)
    }

    #[test]
    fn different_faults_are_distinguished() {
        assert!(judged(&[]).is_ok());
        assert!(judged(&[("response_type", Some("code")), ("display", Some("popup"))]).is_ok());
        assert!(judged(&[("response_type", Some(""))]).is_ok());
        let long = "x".repeat(513);
        for (name, value, fault) in [
            ("state", None, HandshakeFault::StateMissing),
            ("state", Some(""), HandshakeFault::StateMissing),
            ("state", Some(long.as_str()), HandshakeFault::StateTooLong),
            ("code_challenge", None, HandshakeFault::ChallengeMissing),
            ("code_challenge", Some("short"), HandshakeFault::ChallengeMalformed),
            ("code_challenge_method", None, HandshakeFault::ChallengeMethodUnsupported),
            ("code_challenge_method", Some("plain"), HandshakeFault::ChallengeMethodUnsupported),
            ("code_challenge_method", Some("s256"), HandshakeFault::ChallengeMethodUnsupported),
            ("response_type", Some("token"), HandshakeFault::ResponseTypeUnsupported),
            ("response_type", Some("code id_token"), HandshakeFault::ResponseTypeUnsupported),
            ("response_type", Some("CODE"), HandshakeFault::ResponseTypeUnsupported),
            ("scope", None, HandshakeFault::ScopeMissing),
            ("scope", Some(""), HandshakeFault::ScopeMissing),
            ("scope", Some("all"), HandshakeFault::ScopeUnknown),
            ("scope", Some("templates.read"), HandshakeFault::ScopeNotRegistered),
            ("scope", Some("messages.send templates.read"), HandshakeFault::ScopeNotRegistered),
        ] {
            assert_eq!(judged(&[(name, value)]), Err(fault), "{name} {value:?}");
            assert!(fault.error().is_some(), "{fault:?} goes back to the redirect URI");
        }
    }

    #[test]
    fn scopes_that_are_not_registered_are_found_among_the_known_ones() {
        let registered = [Scope::MessagesSend].into_iter().collect();
        for (scope, unregistered) in [
            ("messages.send", vec![]),
            ("templates.read messages.send", vec![Scope::TemplatesRead]),
            ("media.write templates.read", vec![Scope::TemplatesRead, Scope::MediaWrite]),
            ("templates.read everything", vec![]),
        ] {
            let pair = (b"scope".to_vec(), scope.as_bytes().to_vec());
            let found = AuthorizeParameters::new([pair]).unregistered_scopes(registered);
            assert_eq!(found.iter().collect::<Vec<_>>(), unregistered, "{scope}");
        }
    }

    #[test]
    fn what_is_asked_is_taken_as_it_is_up_to_its_bounds() {
        let longest = "x".repeat(MAX_STATE_BYTES);
        let asked =
            judged(&[("state", Some(&longest)), ("scope", Some(" media.write  "))]).unwrap();
        assert_eq!(asked.state, longest.as_bytes());
        assert_eq!(asked.scopes, [Scope::MediaWrite].into_iter().collect());
        assert_eq!(asked.challenge.as_str(), CHALLENGE);
    }

    #[test]
    fn a_parameter_of_text_is_read_and_another_is_not() {
        let pair = |name: &str, value: &[u8]| (name.as_bytes().to_vec(), value.to_vec());
        let parameters = AuthorizeParameters::new([pair("a", b"caf\xc3\xa9"), pair("b", b"\xff")]);
        assert_eq!(parameters.text("a"), Some("café"));
        assert_eq!(parameters.text("b"), None);
        assert_eq!(parameters.text("c"), None);
    }

    #[test]
    fn as_many_parameters_are_taken_as_may_be() {
        let pairs = |many: usize| (0..many).map(|it| (it.to_be_bytes().to_vec(), Vec::new()));
        assert_eq!(AuthorizeParameters::new(pairs(MAX_PARAMETERS)).fault(), None);
        let one_more = AuthorizeParameters::new(pairs(MAX_PARAMETERS + 1)).fault();
        assert_eq!(one_more, Some(HandshakeFault::TooManyParameters));
    }

    const NAMES: [&str; 5] =
        ["state", "scope", "code_challenge", "code_challenge_method", "response_type"];
    const VALUES: [&str; 6] =
        ["s", "S256", CHALLENGE, "messages.send", "media.write messages.send", "code"];

    /// A parameter whose name and value are mostly those of a valid request, so that the test also
    /// reaches valid combinations.
    fn parameter() -> impl Strategy<Value = (Vec<u8>, Vec<u8>)> {
        let name = prop_oneof![
            9 => prop::sample::select(&NAMES[..]).prop_map(|it| it.as_bytes().to_vec()),
            1 => any::<Vec<u8>>(),
        ];
        let value = prop_oneof![
            4 => prop::sample::select(&VALUES[..]).prop_map(|it| it.as_bytes().to_vec()),
            1 => any::<Vec<u8>>(),
        ];
        (name, value)
    }

    proptest! {
        /// Any input gives a result without a panic. An accepted request is within the bounds and
        /// has each parameter once.
        #[test]
        fn whatever_is_asked_is_judged(pairs in prop::collection::vec(parameter(), 0..12)) {
            let registered: ScopeSet = [Scope::MessagesSend].into_iter().collect();
            let parameters = AuthorizeParameters::new(pairs.clone());
            let mut names: Vec<&[u8]> = pairs.iter().map(|(name, _)| name.as_slice()).collect();
            names.sort_unstable();
            let sent = names.len();
            names.dedup();
            prop_assert_eq!(parameters.fault().is_some(), names.len() < sent);
            if let Ok(asked) = AuthorizeRequest::validate(&parameters, registered) {
                prop_assert!((1..=MAX_STATE_BYTES).contains(&asked.state.len()));
                prop_assert_eq!(asked.scopes, registered);
                prop_assert_eq!(pairs.iter().filter(|(name, _)| name == b"state").count(), 1);
                let methods = pairs.iter().filter(|(name, _)| name == b"code_challenge_method");
                prop_assert!(methods.map(|it| it.1.as_slice()).eq([b"S256"]));
            }
        }
    }

    #[test]
    fn a_repeated_parameter_is_never_read() {
        let pair = |name: &str| (name.as_bytes().to_vec(), b"1".to_vec());
        let parameters = AuthorizeParameters::new(vec![pair("a"), pair("b"), pair("a")]);
        assert_eq!(parameters.fault(), Some(HandshakeFault::RepeatedParameter));
        assert_eq!(parameters.bytes("a"), None);
        assert_eq!(parameters.bytes("b"), Some(&b"1"[..]));
        assert_eq!(AuthorizeParameters::new(vec![pair("a"), pair("b")]).fault(), None);
    }

    #[test]
    fn of_endless_parameters_a_bounded_number_is_taken() {
        let taken = std::cell::Cell::new(0);
        let endless = (0_u64..).map(|number| {
            taken.set(taken.get() + 1);
            (number.to_be_bytes().to_vec(), Vec::new())
        });
        assert_eq!(
            AuthorizeParameters::new(endless).fault(),
            Some(HandshakeFault::TooManyParameters)
        );
        assert_eq!(taken.get(), MAX_PARAMETERS + 1);
    }
}
