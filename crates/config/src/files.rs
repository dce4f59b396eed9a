//! Settings of the file storage.

use super::SettingsReader;
use domain::media::WebAddress;
use platform::settings::{Bucket, FileSettings, Proxy};
use std::path::PathBuf;

/// Reads the settings that begin with `media_`.
pub(super) fn read(reader: &mut SettingsReader<'_>, proxy: &Proxy) -> Option<FileSettings> {
    let region = reader.optional("media_s3_region").unwrap_or_default();
    let endpoint = reader.read("media_s3_endpoint", "an http or https address", |text| {
        if text.is_empty() {
            return Some(None);
        }
        WebAddress::parse(text).ok().map(|url| Some(url.as_str().to_owned()))
    })?;
    let metadata = reader.read("media_s3_metadata_url", "an http or https address", |text| {
        WebAddress::parse(text).ok().map(|url| url.as_str().trim_end_matches('/').to_owned())
    })?;
    let key = reader.optional("media_s3_access_key_id");
    let secret = reader.optional("media_s3_secret_access_key");
    if key.is_some() != secret.is_some() {
        let message = "media_s3_access_key_id and media_s3_secret_access_key go together";
        reader.wrong.push(message.to_owned());
    }
    let credentials = key.zip(secret);
    reader.read("media_url", "file:FOLDER or s3://BUCKET/PREFIX", |text| {
        if let Some(folder) = text.strip_prefix("file:") {
            let folder = folder.strip_prefix("//").unwrap_or(folder);
            return (!folder.is_empty()).then(|| FileSettings::Folder(PathBuf::from(folder)));
        }
        let (name, prefix) =
            text.strip_prefix("s3://").map(|rest| rest.split_once('/').unwrap_or((rest, "")))?;
        (!name.is_empty()).then(|| {
            FileSettings::Bucket(Bucket {
                name: name.to_owned(),
                prefix: prefix.trim_matches('/').to_owned(),
                region,
                endpoint,
                credentials,
                metadata_endpoint: metadata,
                proxy: proxy.clone(),
            })
        })
    })
}
