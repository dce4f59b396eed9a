//! Whom a message is for, and which number it leaves from.
