//! Headers of interactive messages, in Meta's format.

use super::forbid_others;
use crate::object::Object;
use crate::schema::UrlText;
use domain::content::Header;
use domain::content::interactive::{HEADERS, MAX_HEADER_LENGTH};
use domain::content::media::MAX_FILENAME_LENGTH;
use domain::media::MediaKind;
use domain::violation::{Fault, Field, Violations};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The header of an interactive message, above the body.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "InteractiveHeader")]
pub(super) struct HeaderWire {
    /// The type of the header. The field of the same name holds its content.
    #[serde(rename = "type")]
    #[schemars(required, extend("enum" = HEADERS))]
    pub kind: Option<String>,
    /// The text, of one line.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = MAX_HEADER_LENGTH))]
    pub text: Option<String>,
    /// The image.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image: Option<Object<LinkWire>>,
    /// The video.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub video: Option<Object<LinkWire>>,
    /// The document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document: Option<Object<DocumentWire>>,
}

/// A file at a URL.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "InteractiveLink")]
pub(super) struct LinkWire {
    /// The URL of the file.
    #[schemars(required, with = "UrlText")]
    pub link: Option<String>,
}

/// A document at a URL.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "InteractiveDocument")]
pub(super) struct DocumentWire {
    /// The URL of the document.
    #[schemars(required, with = "UrlText")]
    link: Option<String>,
    /// The file name that the recipient sees.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = MAX_FILENAME_LENGTH))]
    filename: Option<String>,
}

impl HeaderWire {
    pub fn parse(&self, at: &Field<'_>, faults: &mut Violations) -> Option<Header> {
        let field = at.key("type");
        let kind = faults.require(&field, self.kind.as_deref())?;
        if !HEADERS.contains(&kind) {
            faults.add(&field, Fault::NotOneOf, format!("must be one of {}", HEADERS.join(", ")));
            return None;
        }
        forbid_others(at, self, &["type", kind], &format!("a header of type {kind}"), faults);
        let link = |file: Option<&Object<LinkWire>>| file.and_then(|it| it.0.link.clone());
        let (kind, link, filename) = match kind {
            "text" => return Header::text(at, self.text.as_deref(), faults),
            "image" => (MediaKind::Image, link(self.image.as_ref()), None),
            "video" => (MediaKind::Video, link(self.video.as_ref()), None),
            _ => {
                let file = self.document.as_ref();
                let filename = file.and_then(|it| it.filename.as_deref());
                (MediaKind::Document, file.and_then(|it| it.link.clone()), filename)
            }
        };
        Header::media(at, kind, link.as_deref(), filename, faults)
    }
}
