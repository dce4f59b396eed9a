//! Opens a bucket of an S3-compatible service.

use super::transport::Transport;
use super::uploads::Uploads;
use crate::settings::Bucket;
use object_store::aws::AmazonS3Builder;
use object_store::prefix::PrefixStore;
use object_store::{BackoffConfig, ObjectStore, RetryConfig};
use std::sync::Arc;
use std::time::Duration;

/// Maximum number of retries of a failed request. A time limit applies to all retries together,
/// because a caller waits for the result.
const MAX_RETRIES: usize = 4;
const RETRY_TIMEOUT: Duration = Duration::from_secs(4);
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// Opens a bucket, without sending a request. The first client is for the bucket. The second is for
/// the metadata service, which issues the credentials of this machine's role.
pub(super) fn open(
    bucket: &Bucket,
    clients: [reqwest::Client; 2],
) -> Result<(Arc<dyn ObjectStore>, Uploads), object_store::Error> {
    let transport = Transport::new(clients, &bucket.metadata_endpoint);
    let backoff =
        BackoffConfig { init_backoff: FIRST_PAUSE, max_backoff: LONGEST_PAUSE, base: 2.0 };
    let retry = RetryConfig { backoff, max_retries: MAX_RETRIES, retry_timeout: RETRY_TIMEOUT };
    let mut builder = AmazonS3Builder::new()
        .with_http_connector(transport.clone())
        .with_retry(retry)
        // Not every service supports deleting several files with one request.
        .with_disable_bulk_delete(true)
        .with_bucket_name(&bucket.name)
        .with_region(&bucket.region)
        .with_metadata_endpoint(&bucket.metadata_endpoint);
    let url = match &bucket.endpoint {
        Some(endpoint) => {
            let endpoint = endpoint.trim_end_matches('/');
            builder = builder.with_endpoint(endpoint);
            format!("{endpoint}/{}", bucket.name)
        }
        None => format!("https://s3.{}.amazonaws.com/{}", bucket.region, bucket.name),
    };
    if let Some((key, secret)) = &bucket.credentials {
        builder = builder.with_access_key_id(key).with_secret_access_key(secret);
    }
    let store = builder.build()?;
    let uploads = Uploads::new(store.clone(), transport, url, bucket);
    if bucket.prefix.is_empty() {
        return Ok((Arc::new(store), uploads));
    }
    Ok((Arc::new(PrefixStore::new(store, bucket.prefix.as_str())), uploads))
}
