//! Members' passwords: argon2id with OWASP's parameters.
//!
//! Hashing takes tens of milliseconds on purpose. Never call it on an async thread.

use argon2::password_hash::{
    Output, ParamsString, PasswordHash, PasswordHasher, PasswordVerifier, SaltString,
};
use argon2::{Algorithm, Argon2, Params, Version};

/// OWASP's first recommendation: 19 MiB, two passes, one lane.
const MEMORY_KIB: u32 = 19 * 1024;
const PASSES: u32 = 2;
const LANES: u32 = 1;

/// Minimum number of characters in a password.
pub const MIN_PASSWORD_LENGTH: usize = 10;
/// Maximum number of bytes in a password. Hashing a longer one would only cost time.
pub const MAX_PASSWORD_BYTES: usize = 1024;

/// The reason why a password was rejected or could not be verified.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PasswordError {
    /// The password has fewer than [`MIN_PASSWORD_LENGTH`] characters.
    #[error("a password needs at least {MIN_PASSWORD_LENGTH} characters")]
    TooShort,
    /// The password has more than [`MAX_PASSWORD_BYTES`] bytes.
    #[error("a password has at most {MAX_PASSWORD_BYTES} bytes")]
    TooLong,
    /// The hash could not be computed.
    #[error("the password could not be hashed: {0}")]
    Hash(String),
    /// The password could not be compared with the stored hash.
    #[error("the stored password hash cannot be used: {0}")]
    Verify(String),
}

fn hasher() -> Result<Argon2<'static>, PasswordError> {
    let params = Params::new(MEMORY_KIB, PASSES, LANES, None);
    let params = params.map_err(|error| PasswordError::Hash(error.to_string()))?;
    Ok(Argon2::new(Algorithm::Argon2id, Version::V0x13, params))
}

/// Whether a member may choose this password.
pub fn check(password: &str) -> Result<(), PasswordError> {
    if password.chars().count() < MIN_PASSWORD_LENGTH {
        return Err(PasswordError::TooShort);
    }
    if password.len() > MAX_PASSWORD_BYTES {
        return Err(PasswordError::TooLong);
    }
    Ok(())
}

/// Validates the length of a password and hashes it with a random salt.
pub fn hash(password: &str, salt: [u8; 16]) -> Result<String, PasswordError> {
    check(password)?;
    let failed = |error: argon2::password_hash::Error| PasswordError::Hash(error.to_string());
    let salt = SaltString::encode_b64(&salt).map_err(failed)?;
    let hash = hasher()?.hash_password(password.as_bytes(), &salt);
    Ok(hash.map_err(failed)?.to_string())
}

/// Creates a hash that no password matches, from random bytes. Signing in with an unknown email
/// address is compared with this hash, so that it takes as long as with a known one. Hashing a real
/// password instead would cost 19 MiB and tens of milliseconds at each start of the server.
pub fn hash_of_nobody(digest: &[u8; 32], salt: [u8; 16]) -> Result<String, PasswordError> {
    let failed = |error: argon2::password_hash::Error| PasswordError::Hash(error.to_string());
    let (salt, hasher) = (SaltString::encode_b64(&salt).map_err(failed)?, hasher()?);
    let hash = PasswordHash {
        algorithm: Algorithm::Argon2id.ident(),
        version: Some(Version::V0x13.into()),
        params: ParamsString::try_from(hasher.params()).map_err(failed)?,
        salt: Some(salt.as_salt()),
        hash: Some(Output::new(digest).map_err(failed)?),
    };
    Ok(hash.to_string())
}

/// Whether `password` matches the hash `stored`.
///
/// # Errors
///
/// [`PasswordError::Verify`] if `stored` is not a usable hash.
pub fn verify(password: &str, stored: &str) -> Result<bool, PasswordError> {
    let failed = |error: argon2::password_hash::Error| PasswordError::Verify(error.to_string());
    let stored = PasswordHash::new(stored).map_err(failed)?;
    match hasher()?.verify_password(password.as_bytes(), &stored) {
        Ok(()) => Ok(true),
        Err(argon2::password_hash::Error::Password) => Ok(false),
        Err(error) => Err(failed(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_same_password_opens() {
        let stored = hash("correct horse", [1; 16]).unwrap();
        assert!(stored.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"));
        assert_eq!(verify("correct horse", &stored), Ok(true));
        assert_eq!(verify("correct horsf", &stored), Ok(false));
        assert!(matches!(verify("correct horse", "no hash"), Err(PasswordError::Verify(_))));
    }

    #[test]
    fn nobodys_hash_is_like_any_other_and_opens_for_no_password() {
        let stored = hash_of_nobody(&[7; 32], [1; 16]).unwrap();
        let real = hash("correct horse", [1; 16]).unwrap();
        let head = |hash: &str| hash.rsplit_once('$').unwrap().0.to_owned();
        assert_eq!(head(&stored), head(&real));
        assert_eq!(stored.len(), real.len());
        assert_eq!(verify("correct horse", &stored), Ok(false));
    }

    #[test]
    fn a_password_is_neither_short_nor_endless() {
        assert_eq!(hash("nine char", [1; 16]), Err(PasswordError::TooShort));
        assert_eq!(hash(&"x".repeat(1025), [1; 16]), Err(PasswordError::TooLong));
        // Characters count, not bytes.
        assert_eq!(hash("ééééééééé", [1; 16]), Err(PasswordError::TooShort));
        assert!(hash("ten  chars", [1; 16]).is_ok() && hash(&"x".repeat(1024), [1; 16]).is_ok());
    }
}
