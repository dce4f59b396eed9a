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

#[cfg(test)]
mod tests {
    use super::*;
    use domain::time::Timestamp;
    use proptest::prelude::*;

    const BASE: &str = "https://api.example.com";

    proptest! {
        /// A file is found by the address that it was given, whatever its name is.
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
