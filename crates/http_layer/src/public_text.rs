//! Texts that are the same for every client, kept both uncompressed and compressed.
//!
//! Other responses are not compressed. If a secret or a form token stands beside text that an
//! attacker can choose, the length of the compressed response reveals the secret bit by bit
//! (BREACH). Therefore pages of the dashboard and responses of the API are sent uncompressed.

use crate::list_headers::is_short;
use actix_web::HttpRequest;
use actix_web::http::header::{self, AcceptEncoding, Encoding, EntityTag, Header as _};
use auth::digest::Digest;
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::{self, Write as _};

/// A text in two encodings, plain and compressed. Each has its own entity tag.
pub struct PublicText {
    plain: EncodedText,
    gzip: Option<EncodedText>,
}

/// A text in one encoding.
#[derive(Clone)]
pub struct EncodedText {
    pub bytes: Bytes,
    pub tag: EntityTag,
    /// The value of `Content-Encoding`, if the text is compressed.
    pub encoding: Option<&'static str>,
}

impl PublicText {
    /// Compresses a text once, with the best compression.
    #[must_use]
    pub fn new(text: impl Into<Bytes>) -> Self {
        let bytes: Bytes = text.into();
        let hash = Digest::new(&bytes).hex();
        let gzip = compressed(&bytes).inspect_err(|error| {
            tracing::error!(%error, "a public text could not be compressed and is sent uncompressed");
        });
        let tag = EntityTag::new_strong(format!("{hash}-gzip"));
        let gzip = gzip.ok().map(|bytes| EncodedText { bytes, tag, encoding: Some("gzip") });
        Self {
            plain: EncodedText { bytes, tag: EntityTag::new_strong(hash), encoding: None },
            gzip,
        }
    }

    /// Returns the encoding that a request accepts.
    #[must_use]
    pub fn form_for(&self, request: &HttpRequest) -> &EncodedText {
        match &self.gzip {
            Some(gzip) if takes_gzip(request) => gzip,
            _ => &self.plain,
        }
    }
}

fn compressed(bytes: &[u8]) -> io::Result<Bytes> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    encoder.finish().map(Bytes::from)
}

fn takes_gzip(request: &HttpRequest) -> bool {
    if !is_short(request.headers(), header::ACCEPT_ENCODING) {
        return false;
    }
    let Ok(accepted) = AcceptEncoding::parse(request) else { return false };
    let forms = [Encoding::gzip(), Encoding::identity()];
    accepted.negotiate(forms.iter()) == Some(Encoding::gzip())
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::test::TestRequest;
    use flate2::read::GzDecoder;
    use std::io::Read as _;

    #[test]
    fn a_text_is_compressed_for_whoever_takes_that() {
        let words = "the same words ".repeat(1000);
        let text = PublicText::new(words.clone());
        let form = |accepts: Option<&str>| {
            let mut request = TestRequest::get();
            if let Some(accepts) = accepts {
                request = request.insert_header(("accept-encoding", accepts));
            }
            text.form_for(&request.to_http_request()).clone()
        };
        for accepts in ["gzip", "br, gzip", "gzip, deflate, br, zstd", "gzip;q=0.5, br"] {
            let form = form(Some(accepts));
            assert_eq!(form.encoding, Some("gzip"), "{accepts}");
            let mut read = String::new();
            GzDecoder::new(&form.bytes[..]).read_to_string(&mut read).unwrap();
            assert_eq!(read, words);
            assert!(form.bytes.len() * 20 < words.len(), "{}", form.bytes.len());
        }
        // A client gets the compressed text only if it names gzip with a weight above 0.
        for accepts in [None, Some(""), Some("*"), Some("identity"), Some("gzip;q=0"), Some("br")] {
            let form = form(accepts);
            assert_eq!(form.encoding, None, "{accepts:?}");
            assert_eq!(&form.bytes[..], words.as_bytes(), "{accepts:?}");
        }
        assert!(form(None).tag != form(Some("gzip")).tag);
    }
}
