//! What a caller gets wrong: each fault has its error, and changes nothing.
