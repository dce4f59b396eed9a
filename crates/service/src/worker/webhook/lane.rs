//! Endpoints that are failing have a lane of their own and are tried with one delivery at a time, so that those which
//! never answer take no place from the others.

/// A group of endpoints with the same limits.
#[derive(Clone, Copy, Debug)]
pub struct Lane {
    /// Whether it is those whose last attempt failed.
    pub failing: bool,
    /// How many are processed at a time.
    pub endpoints: usize,
    /// Deliveries to one of them at a time.
    pub each: usize,
    /// The most deliveries to one of them before it is the others' turn.
    pub portion: usize,
}

/// The two lanes.
pub const LANES: [Lane; 2] = [
    Lane { failing: false, endpoints: 256, each: 16, portion: 256 },
    Lane { failing: true, endpoints: 128, each: 1, portion: 1 },
];
