//! The exact rolling window.
