//! Authentication of callers (`docs/contract.md#credentials`).

use actix_web::http::header::HeaderMap;
use auth::secret::{Holder, Secret, is_client_id};
use domain::time::Timestamp;
use http_layer::deps::ServerDeps;
use http_layer::problem::Problem;
use http_layer::{basic, bearer};
use persistence::Seen;
use persistence::records::{Application, Caller, CallerWithUsage};
use service::credentials;

/// Returns the holder of the credentials in the headers, and the position up to which the primary
/// had written at that time.
pub async fn authenticate(
    deps: &ServerDeps,
    headers: &HeaderMap,
    now: Timestamp,
) -> Result<(Caller, Seen), Problem> {
    let refused = Problem::invalid_credentials;
    let (client_id, secret) = read_key(headers).ok_or_else(refused)?;
    credentials::caller(deps, client_id, &secret, now).await?.ok_or_else(refused)
}

/// Returns the holder of the credentials in the headers, with the key's usage.
pub async fn authenticate_with_usage(
    deps: &ServerDeps,
    headers: &HeaderMap,
    now: Timestamp,
) -> Result<CallerWithUsage, Problem> {
    let refused = Problem::invalid_credentials;
    let (client_id, secret) = read_key(headers).ok_or_else(refused)?;
    credentials::caller_with_usage(deps, client_id, &secret, now).await?.ok_or_else(refused)
}

/// Finds the application whose client id and secret these headers carry, either in the two headers
/// that keys use or by HTTP Basic.
pub async fn application(deps: &ServerDeps, headers: &HeaderMap) -> Result<Application, Problem> {
    let refused = Problem::invalid_credentials;
    if bearer::token(headers) != Ok(None) {
        return Err(refused());
    }
    let by_basic = basic::pair(headers).map_err(|_| refused())?;
    let (client_id, secret) = match &by_basic {
        None => read(headers, Holder::Application),
        // Both pairs are rejected if there are two, because it would be unclear which one to use.
        Some(_) if PAIR.iter().any(|name| headers.contains_key(*name)) => None,
        Some(pair) => parse_pair(Holder::Application, &pair.client_id, &pair.client_secret),
    }
    .ok_or_else(refused)?;
    credentials::application(deps, client_id, &secret).await?.ok_or_else(refused)
}

/// Whether the headers contain credentials of an application, even malformed ones.
#[must_use]
pub fn names_application(headers: &HeaderMap) -> bool {
    let by_basic = !matches!(basic::pair(headers), Ok(None));
    let [client_id, _] = PAIR;
    let prefix = Holder::Application.prefix();
    by_basic || single(headers, client_id).is_some_and(|it| it.starts_with(prefix))
}

const PAIR: [&str; 2] = ["x-client-id", "x-client-secret"];

/// Parses the credentials of a key. They are in the two headers, or in `Authorization: Bearer`,
/// where a dot joins the client id and the secret. Returns `None` if the credentials are malformed,
/// or given in both ways.
fn read_key(headers: &HeaderMap) -> Option<(&str, Secret)> {
    match bearer::token(headers) {
        Ok(None) => read(headers, Holder::Key),
        Ok(Some(_)) if PAIR.iter().any(|name| headers.contains_key(*name)) => None,
        Ok(Some(token)) => {
            let (client_id, secret) = token.split_once('.')?;
            parse_pair(Holder::Key, client_id, secret)
        }
        Err(_) => None,
    }
}

/// Parses the credentials in the two headers. Returns `None` if they are malformed.
fn read(headers: &HeaderMap, holder: Holder) -> Option<(&str, Secret)> {
    let [client_id, secret] = PAIR;
    parse_pair(holder, single(headers, client_id)?, single(headers, secret)?)
}

fn parse_pair<'a>(holder: Holder, client_id: &'a str, secret: &str) -> Option<(&'a str, Secret)> {
    let secret = Secret::parse(secret).ok()?;
    is_client_id(holder, client_id).then_some((client_id, secret))
}

/// Returns the value of a header, or `None` if it is missing, repeated or not text.
fn single<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let mut values = headers.get_all(name);
    let first = values.next()?;
    if values.next().is_some() { None } else { first.to_str().ok() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::http::header::{HeaderName, HeaderValue};
    use auth::secret::client_id;
    use proptest::prelude::*;

    /// Generates a header value: the right text, a nearly right one, or anything.
    fn written(right: String) -> impl Strategy<Value = Vec<u8>> {
        let nearly = (any::<prop::sample::Index>(), "[a-zA-Z0-9_ ,.-]|").prop_map({
            let right = right.clone();
            move |(place, instead)| {
                let (start, end) = right.split_at(place.index(right.len()));
                format!("{start}{instead}{}", end.get(1..).unwrap_or_default()).into_bytes()
            }
        });
        let around = "[ ,;]?".prop_flat_map({
            let right = right.clone();
            move |more| Just(format!("{more}{right}{more}").into_bytes())
        });
        let anything = prop::collection::vec(any::<u8>(), 0..60);
        prop_oneof![4 => Just(right.into_bytes()), 2 => nearly, 1 => around, 1 => anything]
    }

    proptest! {
        /// Credentials are read only if each header occurs once and has a value that may have been
        /// issued, byte for byte.
        #[test]
        fn only_what_was_given_out_is_read(
            (id, secret, ids, secrets, holder) in (any::<[u8; 16]>(), any::<[u8; 32]>(), any::<bool>())
                .prop_flat_map(|(id, secret, is_key)| {
                    let holder = if is_key { Holder::Key } else { Holder::Application };
                    let (id, secret) = (client_id(holder, id), Secret::new(secret).reveal().to_owned());
                    let (ids, secrets) = (written(id.clone()), written(secret.clone()));
                    let many = |it| prop::collection::vec(it, 0..3);
                    (Just(id), Just(secret), many(ids.boxed()), many(secrets.boxed()), Just(holder))
                }),
        ) {
            let mut headers = HeaderMap::new();
            for (name, values) in [("x-client-id", &ids), ("x-client-secret", &secrets)] {
                for value in values {
                    // No header can contain these bytes.
                    let Ok(value) = HeaderValue::from_bytes(value) else { return Ok(()) };
                    headers.append(HeaderName::from_static(name), value);
                }
            }
            let read = read(&headers, holder);
            if let ([one], [other]) = (ids.as_slice(), secrets.as_slice()) {
                let (one, other) = (one.as_slice(), other.as_slice());
                if (one, other) == (id.as_bytes(), secret.as_bytes()) {
                    prop_assert!(read.as_ref().is_some_and(|it| it.1.reveal() == secret));
                }
                if let Some((read_id, read_secret)) = read {
                    prop_assert_eq!(read_id.as_bytes(), one);
                    prop_assert_eq!(read_secret.reveal().as_bytes(), other);
                    // A wrong secret fails its CRC-32 checksum before the lookup.
                    prop_assert_eq!(other, secret.as_bytes());
                    prop_assert!(is_client_id(holder, read_id));
                }
            } else {
                prop_assert!(read.is_none());
            }
        }
    }
}
