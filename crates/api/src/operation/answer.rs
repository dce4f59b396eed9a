//! An answer, written out.

use actix_web::http::StatusCode;
use serde::Serialize;
use std::marker::PhantomData;
use web_core::problem::Problem;

/// An answer, written out.
#[derive(Debug)]
pub struct Answer<R> {
    /// Its status.
    pub status: StatusCode,
    /// Its body.
    pub body: String,
    /// Whether it was given before.
    pub replayed: bool,
    /// Whether it is kept already for a request that comes again.
    pub kept: bool,
    of: PhantomData<R>,
}

impl<R: Serialize> Answer<R> {
    /// An answer that says `reply`.
    pub fn new(status: StatusCode, reply: &R) -> Result<Self, Problem> {
        Ok(Self::written(status, write(reply)?))
    }

    /// An answer that has been written out already.
    #[must_use]
    pub const fn written(status: StatusCode, body: String) -> Self {
        Self { status, body, replayed: false, kept: false, of: PhantomData }
    }

    /// The same, stored in the transaction of its work already.
    #[must_use]
    pub const fn kept(mut self) -> Self {
        self.kept = true;
        self
    }

    /// The same, given before.
    #[must_use]
    pub const fn replayed(mut self) -> Self {
        self.replayed = true;
        self.kept = true;
        self
    }
}

/// A value as JSON.
pub fn write(value: &impl Serialize) -> Result<String, Problem> {
    serde_json::to_string(value).map_err(|error| Problem::internal(&error))
}
