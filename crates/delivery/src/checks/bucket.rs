//! Checks that files can be stored in the bucket, read and deleted.

use super::Finding;
use config::Settings;
use platform::error_chain::chain;
use platform::files::{Files, StorageFault, StoreError};
use platform::settings::{Bucket, FileSettings};

const MEDIA_URL: &str = "SWITCHBOARD_MEDIA_URL";
const ACCESS_KEY: &str = "SWITCHBOARD_MEDIA_S3_ACCESS_KEY_ID";

/// Checks the configured bucket. Returns `None` if none is configured.
pub async fn check(settings: &Settings) -> Option<Finding> {
    let FileSettings::Bucket(bucket) = &settings.files else { return None };
    let files = match Files::open(&settings.files, &settings.temporary_folder()) {
        Ok(files) => files,
        Err(error) => return Some(Finding::failed(MEDIA_URL, chain(&error), "")),
    };
    Some(write_check(&files, bucket).await)
}

async fn write_check(files: &Files, bucket: &Bucket) -> Finding {
    let shown = format!("the bucket {} at {}", bucket.name, place(bucket));
    if let Some(uploads) = files.uploads().filter(|_| bucket.credentials.is_none())
        && let Err(error) = uploads.credentials().await
    {
        let what =
            format!("there is no key for {shown}, and this machine has no role: {}", chain(&error));
        return Finding::failed(ACCESS_KEY, what, StorageFault::Credentials.advice());
    }
    if let Err(error) = files.check_all().await {
        return finding(&shown, "cannot be used", &error);
    }
    if let Some(uploads) = files.uploads()
        && let Err(error) = uploads.list(None).await
    {
        let found = finding(&shown, "does not list incomplete uploads", &error);
        // Files can be stored in spite of this.
        return Finding::warning(found.subject, found.what, found.advice);
    }
    Finding::ok(MEDIA_URL, format!("files can be written, read and deleted in {shown}"))
}

fn finding(shown: &str, how: &str, error: &StoreError) -> Finding {
    let fault = StorageFault::from_error(error);
    let what = format!("{shown} {how}: {}", chain(error));
    if fault.is_temporary() {
        return Finding::warning(MEDIA_URL, what, fault.advice());
    }
    Finding::failed(fault.setting(), what, fault.advice())
}

fn place(bucket: &Bucket) -> String {
    bucket.endpoint.clone().unwrap_or_else(|| format!("Amazon in {}", bucket.region))
}
