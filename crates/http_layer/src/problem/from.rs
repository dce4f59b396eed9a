//! Conversions of the service's errors to problems.

use super::Problem;
use domain::violation::Violations;
use platform::files::Outage;
use service::connections::ConnectionError;
use service::keys::KeyError;

/// Converts an internal error to a 500. For any other error the database failed and the client may
/// try again. The database's own error text is only logged.
impl From<&persistence::Error> for Problem {
    fn from(error: &persistence::Error) -> Self {
        if let persistence::Error::Unreadable(row) = error {
            return Self::internal(row);
        }
        if error.is_internal() {
            return Self::internal(error);
        }
        tracing::error!(%error, "a database operation failed");
        Self::unavailable()
    }
}

impl From<persistence::Error> for Problem {
    fn from(error: persistence::Error) -> Self {
        Self::from(&error)
    }
}

/// Converts the error for a stored row that cannot be read.
impl From<persistence::records::UnreadableRow> for Problem {
    fn from(row: persistence::records::UnreadableRow) -> Self {
        Self::internal(&row)
    }
}

/// Converts the error for a rate limit that could not be checked.
impl From<platform::rate_limit::Unavailable> for Problem {
    fn from(_: platform::rate_limit::Unavailable) -> Self {
        Self::unavailable()
    }
}

/// Converts a failure to store or read files. Its reason is already logged.
impl From<Outage> for Problem {
    fn from(outage: Outage) -> Self {
        match outage {
            Outage::Passing => Self::unavailable(),
            Outage::OutOfOrder => Self::out_of_order(),
        }
    }
}

impl From<ConnectionError> for Problem {
    fn from(error: ConnectionError) -> Self {
        match error {
            ConnectionError::Database(error) => error.into(),
            ConnectionError::Count(_) | ConnectionError::Task(_) => Self::internal(&error),
        }
    }
}

impl From<KeyError> for Problem {
    fn from(error: KeyError) -> Self {
        match error {
            KeyError::Database(error) => error.into(),
            KeyError::NoNumber(_) | KeyError::Unreadable(_) => Self::internal(&error),
        }
    }
}

impl From<Violations> for Problem {
    fn from(violations: Violations) -> Self {
        Self::validation_failed(violations)
    }
}
