//! Sending templates: what is checked before anything leaves.
