//! Media messages: an image, a video, a document, an audio file or a sticker at a web address.

use crate::media::{MediaKind, WebAddress};
use crate::violation::{Fault, Field, Violations};

/// A file that the channel fetches from a web address.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MediaContent {
    pub kind: MediaKind,
    pub url: WebAddress,
    /// The text below the file. Audio files and stickers have none.
    pub caption: Option<String>,
    /// The file name that the contact sees. Only a document has one.
    pub filename: Option<String>,
    /// Whether an audio file is shown as a voice message.
    pub voice: bool,
}

/// The fields of a media message before they are checked.
#[derive(Clone, Copy, Debug, Default)]
pub struct MediaInput<'a> {
    /// The field `media_url`.
    pub url: Option<&'a str>,
    /// The field `media_type`.
    pub kind: Option<&'a str>,
    /// The kind of the file, if the file was uploaded by the organization.
    pub uploaded_as: Option<MediaKind>,
    pub caption: Option<&'a str>,
    pub filename: Option<&'a str>,
    pub voice: Option<bool>,
}

/// Maximum number of characters in a caption.
pub const MAX_CAPTION_LENGTH: usize = 1024;
/// Maximum number of characters in a file's name.
pub const MAX_FILENAME_LENGTH: usize = 240;

impl MediaContent {
    /// Builds a message from stored parts, which are not checked.
    #[must_use]
    pub const fn stored(
        kind: MediaKind,
        url: WebAddress,
        caption: Option<String>,
        filename: Option<String>,
        voice: bool,
    ) -> Self {
        Self { kind, url, caption, filename, voice }
    }

    /// Parses the fields of a media message.
    pub fn parse(proposal: MediaInput<'_>, faults: &mut Violations) -> Option<Self> {
        let at = Field::root("media_url");
        let url = faults.require(&at, proposal.url).and_then(|url| {
            let parsed = WebAddress::parse(url);
            parsed.map_err(|wrong| faults.add(&at, Fault::InvalidFormat, wrong.to_string())).ok()
        });
        let kind = Self::kind(&proposal, url.as_ref(), faults);
        let caption =
            faults.optional_text(&Field::root("caption"), proposal.caption, MAX_CAPTION_LENGTH);
        let filename =
            faults.optional_text(&Field::root("filename"), proposal.filename, MAX_FILENAME_LENGTH);
        let kind = kind?;
        if !kind.takes_caption() {
            let context = format!("a message of media_type {kind}");
            faults.forbid(&Field::root("caption"), proposal.caption.as_ref(), &context);
        }
        if kind != MediaKind::Document {
            let context = format!("a message of media_type {kind}; only a document has one");
            faults.forbid(&Field::root("filename"), proposal.filename.as_ref(), &context);
        }
        if kind != MediaKind::Audio {
            let context = format!("a message of media_type {kind}; only audio has one");
            faults.forbid(&Field::root("voice"), proposal.voice.as_ref(), &context);
        }
        Some(Self { kind, url: url?, caption, filename, voice: proposal.voice == Some(true) })
    }

    fn kind(
        proposal: &MediaInput<'_>,
        url: Option<&WebAddress>,
        faults: &mut Violations,
    ) -> Option<MediaKind> {
        let at = Field::root("media_type");
        if let Some(word) = proposal.kind {
            return faults.word(&at, word);
        }
        let inferred = proposal.uploaded_as.or_else(|| MediaKind::from_address(url?));
        if inferred.is_none() && url.is_some() {
            let message = "is required, because the URL does not tell the file's type";
            faults.add(&at, Fault::Required, message);
        }
        inferred
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(proposal: MediaInput<'_>) -> Result<MediaContent, Vec<String>> {
        let mut faults = Violations::default();
        let parsed = MediaContent::parse(proposal, &mut faults);
        let fields = |faults: Violations| faults.into_vec().into_iter().map(|v| v.field).collect();
        faults.finish(parsed).map_err(fields)
    }

    #[test]
    fn the_kind_is_said_or_inferred() {
        let url = Some("https://a.b/c.pdf");
        let said = fields(MediaInput { url, kind: Some("image"), ..Default::default() });
        assert_eq!(said.unwrap().kind, MediaKind::Image);
        let generated = fields(MediaInput { url, filename: Some("c.pdf"), ..Default::default() });
        assert_eq!(generated.unwrap().kind, MediaKind::Document);
        let unknown = fields(MediaInput { url: Some("https://a.b/c"), ..Default::default() });
        assert_eq!(unknown, Err(vec!["media_type".into()]));
    }

    #[test]
    fn sound_has_no_caption_and_only_a_document_a_name() {
        let (url, caption) = (Some("https://a.b/c.mp3"), Some("hear"));
        let faults = fields(MediaInput { url, caption, filename: Some("c"), ..Default::default() });
        assert_eq!(faults, Err(vec!["caption".into(), "filename".into()]));
    }
}
