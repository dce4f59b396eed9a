//! The lanes of webhook endpoints: one for working and one for failing endpoints, each with its own
//! capacity. A failing endpoint gets one delivery at a time. So endpoints that never answer do not
//! take capacity from working ones.

/// A group of endpoints that are served with the same limits.
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
