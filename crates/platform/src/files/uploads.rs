//! Multipart uploads to a bucket that are neither completed nor aborted. A bucket keeps their
//! parts, and charges for them, until they are aborted. The parts do not appear in listings of
//! files.

use super::StoreError;
use super::transport::{RejectedResponse, Transport};
use crate::error_chain::find;
use crate::settings::Bucket;
use api_types::UNRESERVED;
use domain::id::MediaId;
use object_store::aws::{AmazonS3, AwsAuthorizer};
use object_store::client::{HttpRequest, HttpRequestBody, HttpService as _};
use object_store::multipart::MultipartStore as _;
use object_store::path::Path as Key;
use percent_encoding::utf8_percent_encode;
use reqwest::StatusCode;
use serde::Deserialize;

/// The service name in the signature of requests.
const SERVICE: &str = "s3";
/// The beginning of our files' keys, after the prefix of the settings.
const KEY_PREFIX: &str = "med_";
/// Maximum number of pages, each of at most 1,000 uploads, that one listing reads. The next listing
/// finds the rest.
const MAX_PAGES: usize = 100;

/// The multipart uploads of a bucket.
pub struct Uploads {
    store: AmazonS3,
    transport: Transport,
    /// The URL of the bucket.
    url: String,
    region: String,
    /// The folder of our files.
    folder: Key,
}

/// A multipart upload that was begun.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BucketUpload {
    pub media: MediaId,
    /// The service's id of the upload.
    pub id: String,
}

/// A page of a listing in S3's format.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct UploadPage {
    #[serde(default)]
    upload: Vec<UploadEntry>,
    #[serde(default)]
    is_truncated: bool,
    next_key_marker: Option<String>,
    next_upload_id_marker: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct UploadEntry {
    key: String,
    upload_id: String,
}

/// The upload after which a page begins: its key and its id.
type Marker = (String, String);

impl Uploads {
    pub(super) fn new(store: AmazonS3, transport: Transport, url: String, bucket: &Bucket) -> Self {
        let folder = Key::from(bucket.prefix.as_str());
        Self { store, transport, url, region: bucket.region.clone(), folder }
    }

    /// Lists the uploads of one of our files, or of all of them. Returns none for a service that
    /// cannot list uploads.
    pub async fn list(&self, of: Option<MediaId>) -> Result<Vec<BucketUpload>, StoreError> {
        let under = of.map_or_else(|| KEY_PREFIX.to_owned(), |id| id.to_string());
        let (mut found, mut after) = (Vec::new(), None);
        for _ in 0..MAX_PAGES {
            let page = match self.page(&under, after.as_ref()).await {
                Err(error) if is_not_implemented(&error) => break,
                page => page?,
            };
            found.extend(page.upload.into_iter().filter_map(|entry| self.ours(entry)));
            let next = page.next_key_marker.zip(page.next_upload_id_marker);
            // The loop would never end for a service that returns the same page again and again.
            if !page.is_truncated || next.is_none() || next == after {
                break;
            }
            after = next;
        }
        Ok(found)
    }

    /// Checks that there are credentials for signing requests: those of the settings, or those of
    /// this machine's role.
    pub async fn credentials(&self) -> Result<(), StoreError> {
        self.store.credentials().get_credential().await?;
        Ok(())
    }

    /// Aborts an upload, so that the bucket deletes its parts.
    pub async fn abort(&self, upload: &BucketUpload) -> Result<(), StoreError> {
        let key = self.folder.clone().join(upload.media.to_string());
        match self.store.abort_multipart(&key, &upload.id).await {
            // The upload was already aborted or completed.
            Err(object_store::Error::NotFound { .. }) => Ok(()),
            other => Ok(other?),
        }
    }

    fn ours(&self, entry: UploadEntry) -> Option<BucketUpload> {
        let (folder, name) = entry.key.rsplit_once('/').unwrap_or(("", &entry.key));
        let media = name.parse().ok().filter(|_| folder == self.folder.as_ref())?;
        Some(BucketUpload { media, id: entry.upload_id })
    }

    async fn page(&self, under: &str, after: Option<&Marker>) -> Result<UploadPage, StoreError> {
        let prefix = self.folder.clone().join(under);
        let mut query = format!("prefix={}&uploads=", escaped(prefix.as_ref()));
        if let Some((key, upload)) = after {
            let (key, upload) = (escaped(key), escaped(upload));
            query = format!("key-marker={key}&{query}&upload-id-marker={upload}");
        }
        let mut request = HttpRequest::new(HttpRequestBody::empty());
        let uri = format!("{}?{query}", self.url).parse();
        *request.uri_mut() = uri.map_err(unusable)?;
        let credential = self.store.credentials().get_credential().await?;
        AwsAuthorizer::new(&credential, SERVICE, &self.region).try_authorize(&mut request, None)?;
        let answer = self.transport.call(request).await.map_err(unusable)?;
        let status = answer.status();
        let body = answer.into_body().bytes().await.map_err(unusable)?;
        if !status.is_success() {
            return Err(unusable(Listing(status)));
        }
        quick_xml::de::from_reader(&*body).map_err(unusable)
    }
}

/// The error for a listing that did not succeed.
#[derive(Debug, thiserror::Error)]
#[error("the listing was answered with {0}")]
struct Listing(StatusCode);

fn unusable(error: impl std::error::Error + Send + Sync + 'static) -> StoreError {
    StoreError::Store(object_store::Error::Generic { store: "S3", source: Box::new(error) })
}

fn is_not_implemented(error: &StoreError) -> bool {
    let statuses = [StatusCode::NOT_IMPLEMENTED, StatusCode::METHOD_NOT_ALLOWED];
    find::<RejectedResponse>(error).is_some_and(|refused| statuses.contains(&refused.status))
}

fn escaped(text: &str) -> String {
    utf8_percent_encode(text, UNRESERVED).to_string()
}
