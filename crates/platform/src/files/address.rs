//! Public addresses of files.

use api_types::UNRESERVED;
use domain::id::MediaId;
use domain::media::split_ending;
use percent_encoding::{percent_decode_str, utf8_percent_encode};

/// Maximum length of the encoded file name in an address. The whole address must fit into a
/// `media_url`.
const MAX_NAME_LENGTH: usize = 1500;

/// Returns the public address of a file.
#[must_use]
pub fn address(base_url: &str, id: MediaId, file_name: &str) -> String {
    format!("{base_url}/media/{id}/{}", name_in_address(file_name))
}

/// Returns the id of the file in an address, if this service could have created the address.
#[must_use]
pub fn id_in_address(base_url: &str, url: &str) -> Option<MediaId> {
    let rest = url.strip_prefix(base_url)?.strip_prefix("/media/")?;
    rest.split_once('/')?.0.parse().ok()
}

/// Whether a URL is the public address of the file with this id and name.
#[must_use]
pub fn is_address_of(base_url: &str, id: MediaId, file_name: &str, url: &str) -> bool {
    let rest = url.strip_prefix(base_url).and_then(|rest| rest.strip_prefix("/media/"));
    let name = rest.and_then(|rest| rest.strip_prefix(&format!("{id}/")));
    name.is_some_and(|name| name == name_in_address(file_name) || name == beginning(file_name))
}

/// Whether the name in an address is the name of a file, even if the percent-encoding differs.
#[must_use]
pub fn is_name_in_address(name: &str, file_name: &str) -> bool {
    let read = |name: &str| percent_decode_str(name).collect::<Vec<u8>>();
    let name = read(name);
    name == read(&name_in_address(file_name)) || name == read(&beginning(file_name))
}

/// Returns the encoded name for an address. If the name is too long, returns its beginning and its
/// extension.
#[must_use]
pub fn name_in_address(file_name: &str) -> String {
    let whole = utf8_percent_encode(file_name, UNRESERVED).to_string();
    if whole.len() <= MAX_NAME_LENGTH {
        return whole;
    }
    let (stem, ending) = split_ending(file_name);
    let ending = utf8_percent_encode(ending, UNRESERVED).to_string();
    let mut name = truncate(stem, MAX_NAME_LENGTH.saturating_sub(ending.len()));
    name.push_str(&ending);
    name
}

/// Returns the beginning of a name. Earlier versions used it in addresses of long names.
fn beginning(file_name: &str) -> String {
    truncate(file_name, MAX_NAME_LENGTH)
}

/// Encodes as many characters as fit.
fn truncate(name: &str, most: usize) -> String {
    let mut kept = String::new();
    let mut letter = [0; 4];
    for next in name.chars() {
        let encoded = utf8_percent_encode(next.encode_utf8(&mut letter), UNRESERVED).to_string();
        if kept.len() + encoded.len() > most {
            break;
        }
        kept.push_str(&encoded);
    }
    kept
}

/// Returns the file name in an address of this service, or the file's id if the name in the address
/// may have been shortened.
#[must_use]
pub fn name_of_address(base_url: &str, url: &str) -> NameInAddress {
    let Some(id) = id_in_address(base_url, url) else { return NameInAddress::NotOurs };
    let path = url.split(['?', '#']).next().unwrap_or_default();
    let (_, encoded) = path.rsplit_once('/').unwrap_or_default();
    let name = percent_decode_str(encoded).decode_utf8();
    match name {
        // The longest character would still have fitted, so nothing was cut off.
        Ok(name) if encoded.len() + LONGEST_CHARACTER <= MAX_NAME_LENGTH => {
            NameInAddress::Whole(name.into_owned())
        }
        _ => NameInAddress::Shortened(id),
    }
}

/// The file name in an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NameInAddress {
    /// The URL is not an address of this service.
    NotOurs,
    /// The complete name.
    Whole(String),
    /// The name may have been shortened. The row of this file has the complete name.
    Shortened(MediaId),
}

/// Maximum encoded length of a character: four bytes, each of which takes three characters in an
/// address.
const LONGEST_CHARACTER: usize = 12;

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

        /// A long name keeps its extension, and addresses of earlier versions stay valid.
        #[test]
        fn an_address_of_a_long_name_ends_as_the_name_does(bits: [u8; 10], name in "(字|😀|a){200,236}") {
            let id = MediaId::new(Timestamp::from_seconds(1_800_000_000), bits);
            let name = format!("{name}.pdf");
            let url = address(BASE, id, &name);
            prop_assert_eq!(url.rsplit('.').next(), Some("pdf"));
            let earlier = format!("{BASE}/media/{id}/{}", beginning(&name));
            for url in [&url, &earlier] {
                prop_assert!(is_address_of(BASE, id, &name, url));
                prop_assert!(is_name_in_address(url.rsplit('/').next().unwrap(), &name));
            }
            prop_assert!(!is_address_of(BASE, id, "other.pdf", &url));
        }

        /// The name is either read completely or recognized as shortened.
        #[test]
        fn an_address_says_its_name(bits: [u8; 10], name in "(\\PC|[#%.\n]){1,200}|😀{1,240}") {
            let id = MediaId::new(Timestamp::from_seconds(1_800_000_000), bits);
            let whole = name_in_address(&name).len() + LONGEST_CHARACTER <= MAX_NAME_LENGTH;
            let expected = if whole { NameInAddress::Whole(name.clone()) } else { NameInAddress::Shortened(id) };
            prop_assert_eq!(name_of_address(BASE, &address(BASE, id, &name)), expected);
            prop_assert_eq!(name_of_address(BASE, &address("https://other.example", id, &name)), NameInAddress::NotOurs);
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
