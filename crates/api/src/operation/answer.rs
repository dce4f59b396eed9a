//! Serialized answers.

use crate::admission::LimitStatus;
use actix_web::http::StatusCode;
use actix_web::web::Bytes;
use http_layer::problem::Problem;
use serde::Serialize;
use std::io;
use std::marker::PhantomData;
use tokio::sync::mpsc::Receiver;

/// A file that is sent while it is written.
#[derive(Debug)]
pub struct FileAnswer {
    /// The name under which a browser saves the file.
    pub name: String,
    /// The parts of the file. After an error the file is incomplete, and the connection is closed.
    pub parts: Receiver<io::Result<Bytes>>,
}

/// A serialized answer.
#[derive(Debug)]
pub struct Answer<R> {
    /// The HTTP status.
    pub status: StatusCode,
    /// The JSON body; empty if the answer is a file.
    pub body: String,
    /// The file, if the answer is one.
    pub file: Option<FileAnswer>,
    /// Whether the answer is that of an earlier request with the same idempotency key.
    pub replayed: bool,
    /// Whether the answer is already stored for requests that repeat the idempotency key.
    pub kept: bool,
    /// The state of the limits after this answer, if the request stands for several calls.
    pub limit_status: Option<LimitStatus>,
    of: PhantomData<R>,
}

impl<R: Serialize> Answer<R> {
    /// Serializes `reply` as an answer.
    pub fn new(status: StatusCode, reply: &R) -> Result<Self, Problem> {
        Ok(Self::written(status, write(reply)?))
    }

    /// Creates an answer from a body that is already serialized.
    #[must_use]
    pub const fn written(status: StatusCode, body: String) -> Self {
        Self {
            status,
            body,
            file: None,
            replayed: false,
            kept: false,
            limit_status: None,
            of: PhantomData,
        }
    }

    /// Creates an answer that is a file.
    #[must_use]
    pub fn file(status: StatusCode, file: FileAnswer) -> Self {
        Self { file: Some(file), ..Self::written(status, String::new()) }
    }

    /// Marks the answer as stored by the transaction of its work.
    #[must_use]
    pub const fn mark_stored(mut self) -> Self {
        self.kept = true;
        self
    }

    /// Sets the state of the limits after the last of several calls.
    #[must_use]
    pub fn with_limits(mut self, limit_status: LimitStatus) -> Self {
        self.limit_status = Some(limit_status);
        self
    }

    /// Marks the answer as that of an earlier request, which is also stored.
    #[must_use]
    pub const fn replayed(mut self) -> Self {
        self.replayed = true;
        self.kept = true;
        self
    }
}

/// Serializes a value as JSON.
pub fn write(value: &impl Serialize) -> Result<String, Problem> {
    serde_json::to_string(value).map_err(|error| Problem::internal(&error))
}
