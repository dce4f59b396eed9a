//! What happens when the server dies, or is told to stop.
