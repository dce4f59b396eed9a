//! Public addresses of files.

use domain::id::MediaId;
use percent_encoding::utf8_percent_encode;
use wire::UNRESERVED;

/// Maximum length of the encoded file name in an address. The whole address must fit into a
/// `media_url`.
const MAX_NAME_LENGTH: usize = 1500;

/// Returns the address of a file.
#[must_use]
pub fn address(base_url: &str, id: MediaId, file_name: &str) -> String {
    format!("{base_url}/media/{id}/{}", name_in_address(file_name))
}

/// Returns the id of the file in an address, if the address has the form of ours.
#[must_use]
pub fn id_in_address(base_url: &str, url: &str) -> Option<MediaId> {
    let rest = url.strip_prefix(base_url)?.strip_prefix("/media/")?;
    rest.split_once('/')?.0.parse().ok()
}

/// Encodes a file name for an address. A name that would be too long is cut.
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

#[cfg(test)]
mod tests {
    use super::*;
    use domain::time::Timestamp;
    use proptest::prelude::*;

    const BASE: &str = "https://api.example.com";

    proptest! {
        /// The address of a file contains its id, whatever the file is named.
        #[test]
        fn an_address_leads_to_its_file(bits: [u8; 10], name in "(\\PC|[/?#%.\\\\\n]){0,200}|😀{0,400}") {
            let id = MediaId::new(Timestamp::from_seconds(1_800_000_000), bits);
            let address = address(BASE, id, &name);
            prop_assert_eq!(id_in_address(BASE, &address), Some(id));
            let rest = address.strip_prefix(BASE).expect("it begins so");
            prop_assert_eq!(rest.matches('/').count(), 3, "{}", address);
            prop_assert!(rest.bytes().all(|it| it.is_ascii_graphic() && !b"?#\\".contains(&it)));
            prop_assert!(rest.len() <= MAX_NAME_LENGTH + 64);
        }

        #[test]
        fn whatever_is_called_an_address_is_ours_or_not(
            rest in "(/|media|[a-z0-9]{0,40}|%2f|\\.\\.|@|\\PC){0,8}",
            base in "(https://)?(api\\.example\\.com)?",
        ) {
            let found = id_in_address(BASE, &format!("{base}{rest}"));
            if let Some(id) = found {
                prop_assert_eq!(base, BASE);
                prop_assert!(rest.starts_with("/media/") && rest[7..].starts_with(&id.to_string()));
            }
        }
    }
}
