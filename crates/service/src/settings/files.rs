//! Where uploads are kept.

use super::Proxy;
use std::path::PathBuf;

/// Where uploads are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileSettings {
    /// In a folder of this machine.
    Folder(PathBuf),
    /// In a bucket.
    Bucket(Bucket),
}

/// A bucket of an S3-compatible service.
#[derive(Clone, PartialEq, Eq)]
pub struct Bucket {
    /// Its name.
    pub name: String,
    /// What all keys in it begin with.
    pub prefix: String,
    /// Its region.
    pub region: String,
    /// The service's address, if it is not Amazon's.
    pub endpoint: Option<String>,
    /// The key that opens it, and its secret; without, the machine's own role is asked.
    pub credentials: Option<(String, String)>,
    /// Where the machine's own role is asked for.
    pub metadata_endpoint: String,
    /// Through which proxy it is reached.
    pub proxy: Proxy,
}

impl std::fmt::Debug for Bucket {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Bucket(s3://{}/{})", self.name, self.prefix)
    }
}
