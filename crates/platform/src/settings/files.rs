//! Settings of the file store.

use super::Proxy;
use std::path::PathBuf;

/// The place where files are stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileSettings {
    /// A folder on this machine.
    Folder(PathBuf),
    Bucket(Bucket),
}

/// A bucket of an S3-compatible service.
#[derive(Clone, PartialEq, Eq)]
pub struct Bucket {
    pub name: String,
    /// The prefix of all keys.
    pub prefix: String,
    pub region: String,
    /// The URL of the storage service, if it is not Amazon S3.
    pub endpoint: Option<String>,
    /// The access key and its secret. Without them, this machine's role is used.
    pub credentials: Option<(String, String)>,
    /// The URL of the metadata service, which issues credentials for this machine's role.
    pub metadata_endpoint: String,
    /// The proxy for requests to the bucket.
    pub proxy: Proxy,
}

impl std::fmt::Debug for Bucket {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Bucket(s3://{}/{})", self.name, self.prefix)
    }
}
