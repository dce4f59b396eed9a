//! Media: their kinds, the files that can be uploaded, and web addresses of files.

mod address;
mod file;
pub mod voice;

pub(crate) use address::host_of;
pub use address::{InvalidWebAddress, MAX_URL_LENGTH, WebAddress};
pub use file::{FileName, FileType, MAX_FILE_BYTES, ascii_name, split_ending};

use crate::keyword::keywords;
use crate::time::Timestamp;
use std::time::Duration;

keywords! {
    /// The kind of a file, which decides how the recipient sees it.
    pub enum MediaKind {
        /// A picture.
        Image = "image",
        Video = "video",
        Audio = "audio",
        /// A file of any other kind.
        Document = "document",
        Sticker = "sticker",
    }
}

keywords! {
    /// The state of a stored file.
    pub enum MediaState {
        /// The file is being stored. If this does not finish, the stored part of the file is
        /// removed.
        Arriving = "arriving",
        /// The file is stored completely, and is kept.
        Kept = "kept",
    }
}

keywords! {
    /// The next step in processing a file that a contact sent.
    pub enum FetchStep {
        /// Downloading the file from the channel.
        File = "file",
        /// Transcribing the file, which is a voice message that is already stored.
        Transcript = "transcript",
    }
}

/// The offset, about a thousand years, that the queue of files adds to the due time of a
/// transcription. [`FetchStep::queued_at`] says why.
const TRANSCRIPT_OFFSET: Duration = Duration::from_hours(1000 * 365 * 24);

impl FetchStep {
    /// Returns the due time that the queue stores for a step that is due at `at`. An earlier
    /// version of Switchboard knows no transcriptions, and downloads every file in the queue that
    /// is due. Because of the offset, that version never considers a transcription due, and does
    /// not download the file again.
    #[must_use]
    pub fn queued_at(self, at: Timestamp) -> Timestamp {
        match self {
            Self::File => at,
            Self::Transcript => at.plus(TRANSCRIPT_OFFSET),
        }
    }

    /// Returns the earliest due time that the queue can store for this step. A row is due for this
    /// step if its stored due time is between this time and [`Self::queued_at`] of the current
    /// time. No row of the other step has a due time in that range.
    #[must_use]
    pub fn first_queued(self) -> Timestamp {
        self.queued_at(Timestamp::from_micros(0))
    }
}

impl MediaKind {
    /// Returns the kind that the extension in a URL stands for, or `None` if it is not known.
    #[must_use]
    pub fn from_address(address: &WebAddress) -> Option<Self> {
        let path = address.path();
        let name = path.rsplit('/').next()?;
        let (_, ending) = name.rsplit_once('.')?;
        match ending.to_ascii_lowercase().as_str() {
            "jpg" | "jpeg" | "png" => Some(Self::Image),
            "webp" => Some(Self::Sticker),
            "mp4" | "3gp" | "3gpp" => Some(Self::Video),
            "aac" | "amr" | "mp3" | "m4a" | "ogg" | "opus" => Some(Self::Audio),
            "pdf" | "txt" | "csv" | "doc" | "docx" | "xls" | "xlsx" | "ppt" | "pptx" => {
                Some(Self::Document)
            }
            _ => None,
        }
    }

    /// Whether a message with a file of this kind can have a caption.
    #[must_use]
    pub const fn takes_caption(self) -> bool {
        !matches!(self, Self::Audio | Self::Sticker)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kind_is_inferred_from_the_extension() {
        let kind = |text| MediaKind::from_address(&WebAddress::parse(text).unwrap());
        assert_eq!(kind("https://a.b/c/D.JPG?x=y.mp4#z"), Some(MediaKind::Image));
        assert_eq!(kind("https://a.jpg"), None);
        assert_eq!(kind("https://a/b.jpg/c"), None);
        assert_eq!(kind("https://a/b.pdf"), Some(MediaKind::Document));
    }
}
