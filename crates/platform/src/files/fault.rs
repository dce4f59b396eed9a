//! The kinds of failures of the file store, by what an operator can do about them.

use super::StoreError;
use super::transport::{NO_SUCH_BUCKET, RejectedResponse};
use crate::error_chain::find;
use reqwest::StatusCode;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StorageFault {
    /// The service or the disk is unavailable, slow or full. The failure may end without a change
    /// of settings.
    Passing,
    /// The bucket does not exist.
    NoBucket,
    /// The key is unknown or has expired, or its secret is wrong.
    Credentials,
    /// The key lacks a permission.
    NotAllowed,
    /// The bucket is in another region.
    Region,
    /// The clock of this machine is wrong.
    Clock,
    /// The service's certificate is not trusted, or the service does not use TLS.
    Tls,
    /// Any other refusal that a retry does not change.
    Refused,
}

impl StorageFault {
    /// Classifies a failure.
    #[must_use]
    pub fn from_error(error: &StoreError) -> Self {
        if let Some(refused) = find::<RejectedResponse>(error) {
            return Self::from_refusal(refused);
        }
        if find::<rustls::Error>(error).is_some() { Self::Tls } else { Self::Passing }
    }

    fn from_refusal(refused: &RejectedResponse) -> Self {
        match (refused.code.as_str(), refused.status) {
            (NO_SUCH_BUCKET, _) => Self::NoBucket,
            ("RequestTimeTooSkewed", _) => Self::Clock,
            ("PermanentRedirect" | "AuthorizationHeaderMalformed", _) => Self::Region,
            (
                "InvalidAccessKeyId" | "SignatureDoesNotMatch" | "InvalidToken" | "ExpiredToken",
                _,
            )
            | (_, StatusCode::UNAUTHORIZED) => Self::Credentials,
            (_, StatusCode::FORBIDDEN) => Self::NotAllowed,
            (_, status) if status.is_redirection() => Self::Region,
            _ => Self::Refused,
        }
    }

    /// Whether a retry may succeed without a change of settings.
    #[must_use]
    pub const fn is_temporary(self) -> bool {
        matches!(self, Self::Passing)
    }

    /// Returns the setting that is most likely wrong.
    #[must_use]
    pub const fn setting(self) -> &'static str {
        match self {
            Self::Passing | Self::NoBucket | Self::Refused => "SWITCHBOARD_MEDIA_URL",
            Self::Credentials | Self::NotAllowed => "SWITCHBOARD_MEDIA_S3_ACCESS_KEY_ID",
            Self::Region => "SWITCHBOARD_MEDIA_S3_REGION",
            Self::Clock | Self::Tls => "SWITCHBOARD_MEDIA_S3_ENDPOINT",
        }
    }

    /// Returns advice for the operator.
    #[must_use]
    pub const fn advice(self) -> &'static str {
        match self {
            Self::Passing => "see that the service runs and can be reached from here",
            Self::NoBucket => "make the bucket, or name another one as s3://BUCKET/PREFIX",
            Self::Credentials => {
                "give a key that the service knows in SWITCHBOARD_MEDIA_S3_ACCESS_KEY_ID, and its secret in \
                 SWITCHBOARD_MEDIA_S3_SECRET_ACCESS_KEY"
            }
            Self::NotAllowed => {
                "allow the key s3:PutObject, s3:GetObject, s3:DeleteObject, s3:AbortMultipartUpload and \
                 s3:ListBucketMultipartUploads in this bucket"
            }
            Self::Region => "name the region that the bucket is in",
            Self::Clock => "set this machine's clock right",
            Self::Tls => {
                "see that the address is right, and that this machine trusts the service's certificate"
            }
            Self::Refused => "see what the service says",
        }
    }
}
