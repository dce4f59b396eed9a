//! The encodings in which a secret may be stored, and a search for all of them at once.

use super::percent_encode;
use auth::digest::hex;
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use std::collections::HashMap;

/// The minimum length of a secret: matches of a shorter one could be chance.
const SHORTEST: usize = 12;
/// The length from which only the middle half of a secret is searched for, so that a part of the
/// secret is found too.
const LONG: usize = 40;
/// The number of first bytes by which the search selects candidates.
const START: usize = 4;

/// One place where a secret was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// The name of the secret.
    pub what: String,
    pub form: &'static str,
    /// The bytes around the match.
    pub around: String,
}

struct Needle {
    what: String,
    form: &'static str,
    bytes: Vec<u8>,
}

/// All encodings of some secrets.
#[derive(Default)]
pub struct Needles {
    all: Vec<Needle>,
    /// The indexes of the needles that begin with these bytes.
    by_start: HashMap<[u8; START], Vec<usize>>,
}

impl Needles {
    /// Collects all encodings of these secrets, given as pairs of name and value.
    pub fn of<'a>(secrets: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let mut needles = Self::default();
        for (what, secret) in secrets {
            assert!(secret.len() >= SHORTEST, "{what} is too short to be searched for");
            for (form, bytes) in forms(secret) {
                needles.add(Needle { what: what.to_owned(), form, bytes });
            }
        }
        needles
    }

    fn add(&mut self, needle: Needle) {
        let start = needle.bytes.first_chunk().expect("no form is shorter than a secret");
        self.by_start.entry(*start).or_default().push(self.all.len());
        self.all.push(needle);
    }

    /// Finds all matches in these bytes. There are a hundred megabytes, and tests are compiled without
    /// optimization: an iterator would take several times as long as an index.
    pub fn find(&self, bytes: &[u8]) -> Vec<Hit> {
        let mut firsts = vec![false; 1 << 16];
        for start in self.by_start.keys() {
            firsts[usize::from(u16::from_be_bytes([start[0], start[1]]))] = true;
        }
        let firsts = firsts.as_slice();
        let mut hits = Vec::new();
        let (mut at, mut pair) = (0, 0_u16);
        while at < bytes.len() {
            pair = (pair << 8) | u16::from(bytes[at]);
            if firsts[usize::from(pair)] && at > 0 {
                self.find_at(bytes, at - 1, &mut hits);
            }
            at += 1;
        }
        hits
    }

    /// Finds the matches that begin at this place.
    fn find_at(&self, bytes: &[u8], at: usize, hits: &mut Vec<Hit>) {
        let Some(start) = bytes[at..].first_chunk::<START>() else { return };
        let found = self.by_start.get(start).into_iter().flatten().map(|at| &self.all[*at]);
        for needle in found.filter(|it| bytes[at..].starts_with(&it.bytes)) {
            let around = at.saturating_sub(120)..(at + 120).min(bytes.len());
            let around = String::from_utf8_lossy(&bytes[around]).into_owned();
            hits.push(Hit { what: needle.what.clone(), form: needle.form, around });
        }
    }
}

/// Returns the part of a secret that is searched for.
fn core(secret: &str) -> &[u8] {
    let bytes = secret.as_bytes();
    if bytes.len() < LONG { bytes } else { &bytes[bytes.len() / 4..bytes.len() * 3 / 4] }
}

fn forms(secret: &str) -> Vec<(&'static str, Vec<u8>)> {
    let core = core(secret);
    let text = String::from_utf8_lossy(core).into_owned();
    let hex = hex(core);
    let decimals: Vec<String> = core.iter().map(u8::to_string).collect();
    let json = serde_json::to_string(&text).unwrap();
    let mut forms = vec![
        ("as it is", core.to_vec()),
        ("HEX", hex.to_uppercase().into_bytes()),
        ("hex", hex.into_bytes()),
        ("a list of numbers", decimals.join(", ").into_bytes()),
        ("percent-encoded", percent_encode(&text).into_bytes()),
        ("a form", percent_encode(&text).replace("%20", "+").into_bytes()),
        ("JSON", json.trim_matches('"').as_bytes().to_vec()),
        ("HTML", html(&text).into_bytes()),
    ];
    for before in 0..3 {
        forms.push(("base64", base64(&STANDARD_NO_PAD, before, core)));
        forms.push(("base64url", base64(&URL_SAFE_NO_PAD, before, core)));
    }
    // The signing key of a webhook is the decoded part after the prefix.
    let key = secret.strip_prefix("whsec_").and_then(|it| STANDARD.decode(it).ok());
    forms.extend(key.map(|key| ("the key itself", key)));
    forms.sort_by(|one, other| one.1.cmp(&other.1));
    forms.dedup_by(|one, other| one.1 == other.1);
    forms
}

/// Escapes text like the pages do.
fn html(text: &str) -> String {
    let escape = |it: char| match it {
        '<' | '>' | '&' | '"' | '\'' => format!("&#{};", u32::from(it)),
        other => other.to_string(),
    };
    text.chars().map(escape).collect()
}

/// Returns the base64 characters of `bytes` that do not depend on the bytes before and after them.
/// `before` is the number of preceding bytes modulo three.
fn base64(alphabet: &impl base64::Engine, before: usize, bytes: &[u8]) -> Vec<u8> {
    let padded = [&vec![0; before], bytes].concat();
    let letters = alphabet.encode(&padded);
    let (first, end) = ((before * 8).div_ceil(6), padded.len() * 8 / 6);
    letters.as_bytes()[first..end].to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "pass <&> wörd 17%+\"";
    const LONGER: &str = "sws_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghi123456";

    fn hits(bytes: &[u8]) -> Vec<(String, &'static str)> {
        let needles = Needles::of([("password", SECRET), ("key", LONGER)]);
        needles.find(bytes).into_iter().map(|hit| (hit.what, hit.form)).collect()
    }

    #[test]
    fn a_secret_is_found_in_whatever_form_it_is_planted() {
        for before in ["", "a", "ab", "abc: "] {
            let text = format!("{before}{SECRET} and more");
            let password = |form: &'static str| vec![("password".to_owned(), form)];
            assert_eq!(hits(text.as_bytes()), password("as it is"));
            assert_eq!(hits(STANDARD.encode(&text).as_bytes()), password("base64"), "{text}");
            let hex = hex(text.as_bytes());
            assert_eq!(hits(hex.as_bytes()), password("hex"));
            assert_eq!(hits(hex.to_uppercase().as_bytes()), password("HEX"));
            assert_eq!(
                hits(format!("{:?}", text.as_bytes()).as_bytes()),
                password("a list of numbers")
            );
            assert_eq!(hits(percent_encode(&text).as_bytes()), password("percent-encoded"));
            assert_eq!(
                hits(percent_encode(&text).replace("%20", "+").as_bytes()),
                password("a form")
            );
            assert_eq!(hits(serde_json::to_string(&text).unwrap().as_bytes()), password("JSON"));
            assert_eq!(hits(html(&text).as_bytes()), password("HTML"));
        }
    }

    #[test]
    fn a_part_of_a_long_one_is_found_and_other_text_is_not() {
        assert_eq!(hits(&LONGER.as_bytes()[5..48]), [("key".to_owned(), "as it is")]);
        assert_eq!(hits(&LONGER.as_bytes()[..20]), []);
        assert_eq!(hits(b"pass"), []);
        let secret = format!("whsec_{}", STANDARD.encode([250; 32]));
        let needles = Needles::of([("webhook", secret.as_str())]);
        assert_eq!(needles.find(&[250; 32])[0].form, "the key itself");
    }
}
