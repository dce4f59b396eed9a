//! The lanes of webhook endpoints. Failing endpoints have a lane of their own and get one delivery
//! at a time, so that endpoints that never answer take no capacity from the others.

/// A group of endpoints with the same limits.
#[derive(Clone, Copy, Debug)]
pub struct Lane {
    /// Whether the lane is for endpoints whose last attempt failed.
    pub failing: bool,
    /// Number of endpoints processed at a time.
    pub endpoints: usize,
    /// Number of concurrent deliveries to one endpoint.
    pub each: usize,
    /// Maximum number of deliveries to one endpoint in a turn.
    pub portion: usize,
}

/// The lane of working endpoints and the lane of failing ones.
pub const LANES: [Lane; 2] = [
    Lane { failing: false, endpoints: 256, each: 16, portion: 256 },
    Lane { failing: true, endpoints: 128, each: 1, portion: 1 },
];
