//! The sandbox's magic numbers.
