//! Opens a bucket of an S3-compatible service.

use crate::config::Bucket;
use object_store::aws::AmazonS3Builder;
use object_store::prefix::PrefixStore;
use object_store::{BackoffConfig, ClientOptions, ObjectStore, RetryConfig};
use std::sync::Arc;
use std::time::Duration;

/// How long a connection may take to be made.
const CONNECTED_WITHIN: Duration = Duration::from_secs(2);
/// A request that failed is made again so often, and not after so long: a caller waits for it.
const REPEATED_MOST: usize = 4;
const REPEATED_WITHIN: Duration = Duration::from_secs(4);
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

pub(super) fn open(bucket: &Bucket) -> Result<Arc<dyn ObjectStore>, object_store::Error> {
    // How long an answer may take is for `Files` to say: the client's own limits count the time in which
    // whoever fetches a file does not read on.
    let client =
        ClientOptions::new().with_connect_timeout(CONNECTED_WITHIN).with_timeout_disabled();
    let backoff =
        BackoffConfig { init_backoff: FIRST_PAUSE, max_backoff: LONGEST_PAUSE, base: 2.0 };
    let retry = RetryConfig { backoff, max_retries: REPEATED_MOST, retry_timeout: REPEATED_WITHIN };
    let mut builder = AmazonS3Builder::new()
        .with_client_options(client)
        .with_retry(retry)
        // Not every service can delete several at once.
        .with_disable_bulk_delete(true)
        .with_bucket_name(&bucket.name)
        .with_region(&bucket.region);
    if let Some(endpoint) = &bucket.endpoint {
        let plain = endpoint.starts_with("http://");
        builder = builder.with_endpoint(endpoint.trim_end_matches('/')).with_allow_http(plain);
    }
    if let Some((key, secret)) = &bucket.credentials {
        builder = builder.with_access_key_id(key).with_secret_access_key(secret);
    }
    let store = builder.build()?;
    if bucket.prefix.is_empty() {
        return Ok(Arc::new(store));
    }
    Ok(Arc::new(PrefixStore::new(store, bucket.prefix.as_str())))
}
