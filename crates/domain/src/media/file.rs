//! The files that can be uploaded: their types, limits and names (`docs/contract.md#upload-media`).

use super::MediaKind;
use crate::keyword::keywords;
use crate::name::is_ignorable;
use crate::violation::{Fault, Field, Violations};
use std::fmt;

keywords! {
    /// The type of a file that can be uploaded, by its content type. HTML and SVG are not among them,
    /// for a browser would run what they hold.
    pub enum FileType {
        /// A photograph.
        Jpeg = "image/jpeg",
        /// A picture.
        Png = "image/png",
        /// A sticker.
        Webp = "image/webp",
        /// Sound.
        Aac = "audio/aac",
        /// Speech, as old phones record it.
        Amr = "audio/amr",
        /// MP3.
        Mpeg = "audio/mpeg",
        /// M4A.
        Mp4Audio = "audio/mp4",
        /// OGG.
        Ogg = "audio/ogg",
        /// A film.
        Mp4 = "video/mp4",
        /// A film, as old phones record it.
        ThreeGpp = "video/3gpp",
        /// PDF.
        Pdf = "application/pdf",
        /// Plain text.
        Text = "text/plain",
        /// A table as text.
        Csv = "text/csv",
        /// Word, old.
        Doc = "application/msword",
        /// Excel, old.
        Xls = "application/vnd.ms-excel",
        /// `PowerPoint`, old.
        Ppt = "application/vnd.ms-powerpoint",
        /// Word.
        Docx = "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        /// Excel.
        Xlsx = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        /// `PowerPoint`.
        Pptx = "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    }
}

const MIB: u64 = 1024 * 1024;

impl FileType {
    /// Reads a content type; its parameters (`; charset=utf-8`) say nothing that is needed here.
    #[must_use]
    pub fn of_content_type(text: &str) -> Option<Self> {
        let essence = text.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        crate::keyword::Keyword::from_keyword(&essence)
    }

    /// What it is to the person who receives it.
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

    /// Maximum number of bytes in such a file.
    #[must_use]
    pub const fn max_bytes(self) -> u64 {
        match self.kind() {
            MediaKind::Image => 5 * MIB,
            MediaKind::Sticker => 500 * 1024,
            MediaKind::Audio | MediaKind::Video => 16 * MIB,
            MediaKind::Document => MAX_FILE_BYTES,
        }
    }

    /// What a file's name ends with.
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

/// Maximum number of bytes in any file.
pub const MAX_FILE_BYTES: u64 = 100 * MIB;

/// What a file is called: 1 to 240 characters, none of which could be taken for a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileName(String);

const MAX_NAME_LENGTH: usize = 240;

impl FileName {
    /// Reads a name.
    pub fn parse(at: &Field<'_>, name: &str, faults: &mut Violations) -> Option<Self> {
        let name = faults.text(at, name, MAX_NAME_LENGTH)?;
        if is_plain(&name) {
            return Some(Self(name));
        }
        let message = "must be a plain name, without slashes or characters that do not print";
        faults.add(at, Fault::InvalidFormat, message);
        None
    }

    /// The name of a file that somebody else named, as near to it as can be.
    #[must_use]
    pub fn near(name: &str) -> Option<Self> {
        let kept: String = name.chars().filter(|c| fits(*c)).take(MAX_NAME_LENGTH).collect();
        let kept = kept.trim();
        is_plain(kept).then(|| Self(kept.to_owned()))
    }

    /// The name of a file that nobody named.
    #[must_use]
    pub fn of_type(file: FileType) -> Self {
        Self(format!("{}.{}", file.kind(), file.ending()))
    }

    /// The name of a file of a type that nobody knows.
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

/// Neither a separator of paths nor a sign that cannot be seen, or turns a name around when it is shown.
fn fits(c: char) -> bool {
    // Emoji have selectors of their variant, which hide nothing.
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
        /// A name that is taken is no path, and one that is made of another's can be taken.
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
