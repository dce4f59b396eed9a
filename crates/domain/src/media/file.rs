//! The files that can be uploaded: their types, limits and names (`docs/contract.md#upload-media`).

use super::MediaKind;
use crate::keyword::keywords;
use crate::name::is_ignorable;
use crate::violation::{Fault, Field, Violations};
use std::fmt;

keywords! {
    /// The type of a file that can be uploaded. The keyword is its content type. HTML and SVG are
    /// excluded because browsers run scripts in them.
    pub enum FileType {
        Jpeg = "image/jpeg",
        Png = "image/png",
        /// A sticker.
        Webp = "image/webp",
        Aac = "audio/aac",
        /// Speech recorded by old phones.
        Amr = "audio/amr",
        /// An MP3 file.
        Mpeg = "audio/mpeg",
        /// An M4A file.
        Mp4Audio = "audio/mp4",
        Ogg = "audio/ogg",
        Mp4 = "video/mp4",
        /// A video recorded by old phones.
        ThreeGpp = "video/3gpp",
        Pdf = "application/pdf",
        Text = "text/plain",
        Csv = "text/csv",
        /// A Word file in the old format.
        Doc = "application/msword",
        /// An Excel file in the old format.
        Xls = "application/vnd.ms-excel",
        /// A `PowerPoint` file in the old format.
        Ppt = "application/vnd.ms-powerpoint",
        /// A Word file.
        Docx = "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        /// An Excel file.
        Xlsx = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        /// A `PowerPoint` file.
        Pptx = "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    }
}

const MIB: u64 = 1024 * 1024;

impl FileType {
    /// Parses a content type. Parameters such as `; charset=utf-8` are ignored.
    #[must_use]
    pub fn of_content_type(text: &str) -> Option<Self> {
        let essence = text.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        crate::keyword::Keyword::from_keyword(&essence)
    }

    /// Returns the kind of media that the recipient sees.
    #[must_use]
    pub const fn kind(self) -> MediaKind {
        match self {
            Self::Jpeg | Self::Png => MediaKind::Image,
            Self::Webp => MediaKind::Sticker,
            Self::Aac | Self::Amr | Self::Mpeg | Self::Mp4Audio | Self::Ogg => MediaKind::Audio,
            Self::Mp4 | Self::ThreeGpp => MediaKind::Video,
            Self::Pdf
            | Self::Text
            | Self::Csv
            | Self::Doc
            | Self::Xls
            | Self::Ppt
            | Self::Docx
            | Self::Xlsx
            | Self::Pptx => MediaKind::Document,
        }
    }

    /// Maximum size of a file of this type, in bytes.
    #[must_use]
    pub const fn max_bytes(self) -> u64 {
        match self.kind() {
            MediaKind::Image => 5 * MIB,
            MediaKind::Sticker => 500 * 1024,
            MediaKind::Audio | MediaKind::Video => 16 * MIB,
            MediaKind::Document => MAX_FILE_BYTES,
        }
    }

    /// Returns the extension of file names, without the dot.
    #[must_use]
    pub const fn ending(self) -> &'static str {
        match self {
            Self::Jpeg => "jpg",
            Self::Png => "png",
            Self::Webp => "webp",
            Self::Aac => "aac",
            Self::Amr => "amr",
            Self::Mpeg => "mp3",
            Self::Mp4Audio => "m4a",
            Self::Ogg => "ogg",
            Self::Mp4 => "mp4",
            Self::ThreeGpp => "3gp",
            Self::Pdf => "pdf",
            Self::Text => "txt",
            Self::Csv => "csv",
            Self::Doc => "doc",
            Self::Xls => "xls",
            Self::Ppt => "ppt",
            Self::Docx => "docx",
            Self::Xlsx => "xlsx",
            Self::Pptx => "pptx",
        }
    }
}

/// Maximum size of any file, in bytes.
pub const MAX_FILE_BYTES: u64 = 100 * MIB;

/// A file name of 1 to 240 characters. It can never be taken for a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileName(String);

const MAX_NAME_LENGTH: usize = 240;

impl FileName {
    pub fn parse(at: &Field<'_>, name: &str, faults: &mut Violations) -> Option<Self> {
        let name = faults.text(at, name, MAX_NAME_LENGTH)?;
        if is_plain(&name) {
            return Some(Self(name));
        }
        let message = "must be a plain name, without slashes or characters that do not print";
        faults.add(at, Fault::InvalidFormat, message);
        None
    }

    /// Returns the valid name that is closest to a name from outside, or nothing if no character is
    /// usable.
    #[must_use]
    pub fn near(name: &str) -> Option<Self> {
        let kept: String = name.chars().filter(|c| fits(*c)).take(MAX_NAME_LENGTH).collect();
        let kept = kept.trim();
        is_plain(kept).then(|| Self(kept.to_owned()))
    }

    /// Returns the default name of a file of this type.
    #[must_use]
    pub fn of_type(file: FileType) -> Self {
        Self(format!("{}.{}", file.kind(), file.ending()))
    }

    /// Returns the default name of a file whose content type is unknown.
    #[must_use]
    pub fn of_kind(kind: MediaKind) -> Self {
        Self(kind.to_string())
    }
}

impl fmt::Display for FileName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

fn is_plain(name: &str) -> bool {
    !matches!(name, "" | "." | "..") && name.chars().all(fits)
}

/// Whether a character is neither a path separator nor invisible nor one that changes the direction
/// of text.
fn fits(c: char) -> bool {
    // Emoji have variation selectors, which hide nothing.
    let hidden = is_ignorable(c) && !matches!(c, '\u{fe00}'..='\u{fe0f}');
    !c.is_control() && !hidden && !matches!(c, '/' | '\\' | '\u{2028}' | '\u{2029}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_content_type_may_have_parameters() {
        assert_eq!(FileType::of_content_type("Audio/OGG; codecs=opus"), Some(FileType::Ogg));
        assert_eq!(FileType::of_content_type("image/svg+xml"), None);
        assert_eq!(FileType::of_content_type("text/html"), None);
    }

    proptest! {
        /// An accepted name is never a path, and the closest valid name is always accepted.
        #[test]
        fn no_name_is_a_path(text in "[./\\\\a: \u{202e}\t]{0,12}|\\PC{0,300}") {
            let at = Field::root("filename");
            let read = |name: &str| FileName::parse(&at, name, &mut Violations::default());
            if let Some(name) = read(&text) {
                let name = name.to_string();
                prop_assert!(!name.contains(['/', '\\', '\0']) && name != "." && name != "..");
            }
            if let Some(near) = FileName::near(&text) {
                prop_assert!(read(&near.to_string()).is_some(), "{:?}", near);
            }
            prop_assert!(FileType::of_content_type(&text).is_none());
        }
    }

    #[test]
    fn names_are_no_paths() {
        let at = Field::root("filename");
        let read = |name: &str| FileName::parse(&at, name, &mut Violations::default());
        for good in ["a.png", "Übersicht 2026.pdf", "..a", "a b", "❤\u{fe0f}.png"] {
            assert!(read(good).is_some(), "{good}");
        }
        for bad in [
            "",
            ".",
            "..",
            "a/b",
            "a\\b",
            "a\0b",
            "a\nb",
            "x\u{202e}gnp.exe",
            "a\u{34f}.png",
            "a\u{61c}b",
        ] {
            assert!(read(bad).is_none(), "{bad}");
        }
        assert_eq!(FileName::near("../etc/passwd").unwrap().to_string(), "..etcpasswd");
        assert_eq!(FileName::near("/"), None);
    }
}
