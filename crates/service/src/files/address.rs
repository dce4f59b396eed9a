//! Where files are found by anyone who knows the address.

use domain::id::MediaId;
use percent_encoding::utf8_percent_encode;
use wire::UNRESERVED;

/// The most of a name that stands in an address, which as a whole has to fit a `media_url`.
const MAX_NAME_LENGTH: usize = 1500;

/// Where a file is found.
#[must_use]
pub fn address(base_url: &str, id: MediaId, file_name: &str) -> String {
    format!("{base_url}/media/{id}/{}", name_in_address(file_name))
}

/// The file that an address of ours may be of.
#[must_use]
pub fn id_in_address(base_url: &str, url: &str) -> Option<MediaId> {
    let rest = url.strip_prefix(base_url)?.strip_prefix("/media/")?;
    rest.split_once('/')?.0.parse().ok()
}

/// The name as it is in the address: its beginning, where the whole would be too long.
#[must_use]
pub fn name_in_address(file_name: &str) -> String {
    let mut name = String::new();
    let mut letter = [0; 4];
    for next in file_name.chars() {
        let encoded = utf8_percent_encode(next.encode_utf8(&mut letter), UNRESERVED).to_string();
        if name.len() + encoded.len() > MAX_NAME_LENGTH {
            break;
        }
        name.push_str(&encoded);
    }
    name
}
