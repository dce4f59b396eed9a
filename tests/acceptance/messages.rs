//! The four types of message, and their bounds.
