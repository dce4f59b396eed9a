//! Why files cannot be stored or read, as far as an operator can do something about it.

use super::StoreError;
use super::transport::{NO_SUCH_BUCKET, RejectedResponse};
use crate::error_chain::find;
use reqwest::StatusCode;

/// The kind of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StorageFault {
    /// The service or the disk is away, slow or full: it may end without a change of any setting.
    Passing,
    /// There is no such bucket.
    NoBucket,
    /// The key is unknown, its secret wrong, or it has run out.
    Credentials,
    /// The key may not do this.
    NotAllowed,
    /// The bucket is in another region.
    Region,
    /// The clock of this machine is wrong.
    Clock,
    /// The service's certificate is not trusted, or it speaks no TLS.
    Tls,
    /// Something else that no repetition changes.
    Refused,
}

impl StorageFault {
    /// What kind of failure this is.
    #[must_use]
    pub fn of(error: &StoreError) -> Self {
        if let Some(refused) = find::<RejectedResponse>(error) {
            return Self::of_refusal(refused);
        }
        if find::<rustls::Error>(error).is_some() { Self::Tls } else { Self::Passing }
    }

    fn of_refusal(refused: &RejectedResponse) -> Self {
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

    /// Whether a repetition may succeed without a change of any setting.
    #[must_use]
    pub const fn is_temporary(self) -> bool {
        matches!(self, Self::Passing)
    }

    /// The setting that is most likely wrong.
    #[must_use]
    pub const fn setting(self) -> &'static str {
        match self {
            Self::Passing | Self::NoBucket | Self::Refused => "SWITCHBOARD_MEDIA_URL",
            Self::Credentials | Self::NotAllowed => "SWITCHBOARD_MEDIA_S3_ACCESS_KEY_ID",
            Self::Region => "SWITCHBOARD_MEDIA_S3_REGION",
            Self::Clock | Self::Tls => "SWITCHBOARD_MEDIA_S3_ENDPOINT",
        }
    }

    /// What the operator can do about it.
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
