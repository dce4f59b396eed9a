//! Who gets in, and the one answer to those who do not.
