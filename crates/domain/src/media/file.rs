//! The files that can be uploaded: their types, maximum sizes and names
//! (`docs/contract.md#upload-media`).

use super::MediaKind;
use crate::invisible::hides;
use crate::keyword::keywords;
use crate::violation::{Fault, Field, Violations};
use std::fmt;
use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

keywords! {
    /// The type of a file that can be uploaded. The keyword is the file's content type. HTML and
    /// SVG are not allowed, because browsers run the scripts in such files.
    pub enum FileType {
        Jpeg = "image/jpeg",
        Png = "image/png",
        /// A `WebP` picture, which is sent as a sticker.
        Webp = "image/webp",
        Aac = "audio/aac",
        /// An AMR file: speech, as old phones record it.
        Amr = "audio/amr",
        /// An MP3 file.
        Mpeg = "audio/mpeg",
        /// An M4A file.
        Mp4Audio = "audio/mp4",
        Ogg = "audio/ogg",
        Mp4 = "video/mp4",
        /// A 3GP file: video, as old phones record it.
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

    /// Returns the type for the extension of a file name, or `None` if the extension is not known.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        let ending = split_ending(name).1.trim_start_matches('.').to_ascii_lowercase();
        let ending = if ending == "jpeg" { "jpg" } else { &ending };
        <Self as crate::keyword::Keyword>::ALL.iter().copied().find(|it| it.ending() == ending)
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

    /// Returns the maximum size of a file of this type, in bytes.
    #[must_use]
    pub const fn max_bytes(self) -> u64 {
        match self.kind() {
            MediaKind::Image => 5 * MIB,
            MediaKind::Sticker => 500 * 1024,
            MediaKind::Audio | MediaKind::Video => 16 * MIB,
            MediaKind::Document => MAX_FILE_BYTES,
        }
    }

    /// Returns the usual extension of files of this type, without the dot.
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

/// A file name of 1 to 240 characters. The name has no slash or backslash and is not `.` or `..`,
/// so no program reads it as a path.
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

    /// Returns the valid file name that is closest to the given name, or `None` if no valid name is
    /// left. Characters that are not allowed are removed. A name that is too long is shortened, but
    /// keeps its extension.
    #[must_use]
    pub fn near(name: &str) -> Option<Self> {
        let kept: Vec<char> = name.chars().filter(|c| fits(*c)).collect();
        let kept = without_hidden(&kept);
        let kept = shortened(kept.trim(), MAX_NAME_LENGTH);
        // Most invisible characters are kept only if a neighbor needs them. The cut may have
        // removed that neighbor, so the invisible characters are checked again.
        let kept = without_hidden(&kept.chars().collect::<Vec<_>>());
        let kept = kept.trim();
        is_plain(kept).then(|| Self(kept.to_owned()))
    }

    /// Returns the name that is given to a file of this type if the file has none.
    #[must_use]
    pub fn from_type(file: FileType) -> Self {
        Self(format!("{}.{}", file.kind(), file.ending()))
    }

    /// Returns the name that is given to a file of this kind if the file has none and its content
    /// type is unknown.
    #[must_use]
    pub fn from_kind(kind: MediaKind) -> Self {
        Self(kind.to_string())
    }
}

impl fmt::Display for FileName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// Maximum number of characters in an extension, including its dot.
const MAX_ENDING_LENGTH: usize = 17;

/// Splits a file name into its stem and its extension. The extension begins with the dot, or is
/// empty if the name has none.
#[must_use]
pub fn split_ending(name: &str) -> (&str, &str) {
    let at = name.rfind('.').filter(|at| *at > 0).unwrap_or(name.len());
    let (stem, ending) = name.split_at(at);
    let is_ending = (2..=MAX_ENDING_LENGTH).contains(&ending.chars().count())
        && ending.chars().skip(1).all(char::is_alphanumeric);
    if is_ending { (stem, ending) } else { (name, "") }
}

/// Shortens the stem of a file name, so that the whole name has at most `most` characters. The
/// extension is not shortened.
fn shortened(name: &str, most: usize) -> String {
    if name.chars().count() <= most {
        return name.to_owned();
    }
    let (stem, ending) = split_ending(name);
    let left = most.saturating_sub(ending.chars().count());
    let stem: String = stem.chars().take(left).collect();
    format!("{}{ending}", stem.trim_end())
}

/// Converts a file name to ASCII, for programs that cannot read other characters. Accents are
/// removed from letters. All other characters outside of ASCII become `_`.
#[must_use]
pub fn ascii_name(name: &str) -> String {
    let plain = name.nfkd().filter(|letter| !is_combining_mark(*letter));
    plain
        .map(|letter| match letter {
            // These characters would end a quoted string, or would be read as an escape (RFC 6266,
            // appendix D).
            '"' | '\\' | '%' | '/' => '_',
            ' '..='~' => letter,
            _ => '_',
        })
        .collect()
}

fn is_plain(name: &str) -> bool {
    let all: Vec<char> = name.chars().collect();
    !matches!(name, "" | "." | "..")
        && all.iter().all(|letter| fits(*letter))
        && !(0..all.len()).any(|at| hides_in_name(&all, at))
}

/// Whether a file name may contain the character. Control characters, separators of paths and
/// separators of lines are not allowed.
fn fits(c: char) -> bool {
    !c.is_control() && !matches!(c, '/' | '\\' | '\u{2028}' | '\u{2029}')
}

/// Whether the character at the index `at` must be removed from a file name, because it is
/// invisible or changes the direction of the text. Variation selectors are invisible but harmless,
/// so they are kept.
fn hides_in_name(all: &[char], at: usize) -> bool {
    let is_selector = matches!(all.get(at), Some('\u{fe00}'..='\u{fe0f}'));
    !is_selector && hides(all, at)
}

fn without_hidden(all: &[char]) -> String {
    let kept = all.iter().enumerate().filter(|(at, _)| !hides_in_name(all, *at));
    kept.map(|(_, letter)| *letter).collect()
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

    #[test]
    fn a_name_tells_the_type_by_its_ending() {
        for (name, file_type) in [
            ("cake.JPG", Some(FileType::Jpeg)),
            ("a.b.jpeg", Some(FileType::Jpeg)),
            ("voice.ogg", Some(FileType::Ogg)),
            ("list.csv", Some(FileType::Csv)),
            ("page.html", None),
            (".pdf", None),
            ("pdf", None),
            ("", None),
        ] {
            assert_eq!(FileType::of_name(name), file_type, "{name}");
        }
    }

    proptest! {
        /// An accepted name can never be read as a path. The name that [`FileName::near`] returns
        /// is always accepted.
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
        for good in [
            "a.png",
            "Übersicht 2026.pdf",
            "..a",
            "a b",
            "❤\u{fe0f}.png",
            "می\u{200c}خواهم.pdf",
            "ශ්\u{200d}රී.pdf",
            "അവന്\u{200d}.pdf",
            "👨\u{200d}👩\u{200d}👧.png",
        ] {
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
            "pay\u{200c}pal.exe",
            "a\u{200d}b",
            "\u{200d}.pdf",
        ] {
            assert!(read(bad).is_none(), "{bad}");
        }
        assert_eq!(FileName::near("../etc/passwd").unwrap().to_string(), "..etcpasswd");
        assert_eq!(FileName::near("/"), None);
        let near = |name: &str| FileName::near(name).unwrap().to_string();
        assert_eq!(near("می\u{200c}خواهم\u{200e}.pdf\u{200c}"), "می\u{200c}خواهم.pdf");
        assert_eq!(near("a\u{200d}b.pdf"), "ab.pdf");
    }

    #[test]
    fn a_long_name_keeps_its_ending() {
        let near = |name: &str| FileName::near(name).unwrap().to_string();
        for ending in [".pdf", ".7z", ".xlsx", ".sparsebundle"] {
            let name = near(&format!("{}{ending}", "é".repeat(500)));
            assert_eq!(name.chars().count(), MAX_NAME_LENGTH, "{ending}");
            assert!(name.starts_with("éé") && name.ends_with(&format!("é{ending}")), "{name}");
        }
        // These names have no extension. What follows the last dot is too long or contains a space,
        // or nothing precedes the dot.
        for name in [
            format!("a.{}", "x".repeat(500)),
            format!(".{}", "x".repeat(500)),
            format!("{}.no ending", "x".repeat(500)),
            format!("{}.", "x".repeat(500)),
        ] {
            assert_eq!(near(&name), name[..MAX_NAME_LENGTH]);
        }
        // A shortened name has no joiner and no space at the place where it was cut.
        let family = near(&format!("{}.png", "👨\u{200d}👩\u{200d}👧".repeat(100)));
        assert!(
            family.split('.').next_back() == Some("png") && !family.contains("\u{200d}."),
            "{family}"
        );
        let spaced = near(&format!("{}{}.pdf", "x".repeat(230), " ".repeat(300)));
        assert_eq!(spaced, format!("{}.pdf", "x".repeat(230)));
        assert_eq!(split_ending("a.tar.gz"), ("a.tar", ".gz"));
        assert_eq!(split_ending(".htaccess"), (".htaccess", ""));
    }

    #[test]
    fn a_name_in_ascii_is_near_to_its_own() {
        for (name, ascii) in [
            ("menu.pdf", "menu.pdf"),
            ("Übersicht 2026 – 50 %.pdf", "Ubersicht 2026 _ 50 _.pdf"),
            ("\"q\"; x=\"y.pdf", "_q_; x=_y.pdf"),
            ("字 😀.png", "_ _.png"),
            ("a\\b%41", "a_b_41"),
        ] {
            assert_eq!(ascii_name(name), ascii);
        }
    }
}
