//! Reading what was said.
