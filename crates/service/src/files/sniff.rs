//! Detects the type of a file from its bytes (`docs/security.md` 32).

use domain::media::FileType;
use file_format::{FileFormat, Kind};
use std::io::{self, Read, Seek};

/// The detected type of a file.
#[derive(Clone, Copy, Debug)]
pub struct DetectedType {
    format: FileFormat,
    /// Whether the beginning of the file may be text.
    texty: bool,
}

/// Number of bytes that are examined to decide whether a file is text.
const HEAD: usize = 4096;
/// Beginnings of a text that a browser would show as a page or a picture.
const PAGES: [&str; 9] =
    ["<!doctype", "<html", "<head", "<body", "<script", "<svg", "<?xml", "<iframe", "<!--"];

/// Detects the type of a file.
pub fn sniff(file: &mut (impl Read + Seek)) -> io::Result<DetectedType> {
    file.rewind()?;
    let mut head = Vec::with_capacity(HEAD);
    file.take(HEAD as u64).read_to_end(&mut head)?;
    let start = String::from_utf8_lossy(&head);
    let start = start.trim_start_matches('\u{feff}').trim_start().to_ascii_lowercase();
    let texty = !head.contains(&0) && !PAGES.iter().any(|page| start.starts_with(page));
    file.rewind()?;
    Ok(DetectedType { format: FileFormat::from_reader(file)?, texty })
}

impl DetectedType {
    /// Returns the detected content type, for an error text.
    #[must_use]
    pub fn media_type(&self) -> &str {
        self.format.media_type()
    }

    /// Whether the file can be of this type.
    #[must_use]
    pub fn is(self, file: FileType) -> bool {
        let found = self.format.media_type();
        match file {
            FileType::Jpeg => found == "image/jpeg",
            FileType::Png => matches!(found, "image/png" | "image/apng"),
            FileType::Webp => found == "image/webp",
            FileType::Aac => found == "audio/aac",
            FileType::Amr => found == "audio/amr",
            // An MP3 file usually begins with its tags.
            FileType::Mpeg => found == "audio/mpeg" || self.format == FileFormat::Id3v2,
            FileType::Mp4Audio => matches!(found, "audio/mp4" | "audio/x-m4a" | "application/mp4"),
            FileType::Ogg => matches!(found, "audio/ogg" | "audio/opus" | "application/ogg"),
            FileType::Mp4 => matches!(found, "video/mp4" | "application/mp4" | "video/x-m4v"),
            FileType::ThreeGpp => matches!(found, "video/3gpp" | "video/3gpp2"),
            FileType::Pdf => found == "application/pdf",
            FileType::Text | FileType::Csv => self.is_text(),
            FileType::Doc => self.is_old_office("application/msword"),
            FileType::Xls => self.is_old_office("application/vnd.ms-excel"),
            FileType::Ppt => self.is_old_office("application/vnd.ms-powerpoint"),
            FileType::Docx | FileType::Xlsx | FileType::Pptx => {
                found == domain::keyword::Keyword::as_str(file)
            }
        }
    }

    fn is_text(self) -> bool {
        let harmless = !matches!(
            self.format,
            FileFormat::HypertextMarkupLanguage
                | FileFormat::ScalableVectorGraphics
                | FileFormat::ExtensibleMarkupLanguage
        );
        let words = self.format.media_type().starts_with("text/")
            || matches!(self.format, FileFormat::ArbitraryBinaryData | FileFormat::Empty)
            || self.format.kind() == Kind::Other;
        self.texty && harmless && words
    }

    /// Whether the file can be a document of this old Office type. The old formats share a
    /// container, and not every program records the type in it.
    fn is_old_office(self, of: &str) -> bool {
        self.media_type() == of || self.format == FileFormat::CompoundFileBinary
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    fn is(bytes: &[u8], file: FileType) -> bool {
        sniff(&mut Cursor::new(bytes)).unwrap().is(file)
    }

    #[test]
    fn files_are_what_their_bytes_say() {
        let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
        for (bytes, file) in [
            (png.as_slice(), FileType::Png),
            (b"\xff\xd8\xff\xe0\0\x10JFIF\0", FileType::Jpeg),
            (b"RIFF\x24\0\0\0WEBPVP8 ", FileType::Webp),
            (b"%PDF-1.7\n", FileType::Pdf),
            (b"OggS\0\x02", FileType::Ogg),
            (b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom", FileType::Mp4),
            (b"\0\0\0\x18ftypisom\0\0\0\0mp42isom", FileType::Mp4),
            (b"\0\0\0\x14ftyp3gp4\0\0\0\x003gp4", FileType::ThreeGpp),
            (b"\0\0\0\x18ftypM4A \0\0\0\0M4A mp42", FileType::Mp4Audio),
            (b"ID3\x03\0\0\0\0\0\0", FileType::Mpeg),
            (b"\xff\xf1\x50\x80", FileType::Aac),
            (b"#!AMR\n", FileType::Amr),
            (b"a,b\n1,2\n", FileType::Csv),
            ("Grüße".as_bytes(), FileType::Text),
            (b"Gr\xfc\xdfe in Latin-1", FileType::Text),
        ] {
            assert!(is(bytes, file), "{file}: {:?}", sniff(&mut Cursor::new(bytes)).unwrap());
        }
        assert!(!is(png, FileType::Jpeg));
    }

    #[test]
    fn a_page_is_no_text() {
        for page in [
            "<!DOCTYPE html><p>",
            " \n<html>",
            "<svg xmlns='x'>",
            "<?xml version='1.0'?><svg/>",
            "\u{feff}<script>",
            "<!-- --><svg/>",
        ] {
            assert!(!is(page.as_bytes(), FileType::Text), "{page}");
        }
        assert!(!is(b"%PDF-1.7", FileType::Text) && !is(b"a\0b", FileType::Text));
        assert!(!is(b"PK\x03\x04", FileType::Docx));
    }
}

#[cfg(test)]
mod properties {
    use super::*;
    use domain::keyword::Keyword as _;
    use proptest::prelude::*;
    use std::io::Cursor;

    fn sniffed(bytes: &[u8]) -> DetectedType {
        sniff(&mut Cursor::new(bytes)).unwrap()
    }

    /// Beginnings of known formats, so that the parsers examine the bytes that follow.
    const MAGIC: [&[u8]; 12] = [
        b"\xff\xd8\xff",
        b"\x89PNG\r\n\x1a\n",
        b"RIFF\0\0\0\0WEBP",
        b"#!AMR",
        b"ID3",
        b"OggS",
        b"\0\0\0\x18ftypmp42",
        b"%PDF-1.7",
        b"PK\x03\x04",
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        b"<?xml",
        b"",
    ];

    proptest! {
        #[test]
        fn whatever_the_bytes_are_they_are_of_some_type(magic in prop::sample::select(&MAGIC[..]), rest in prop::collection::vec(any::<u8>(), 0..600)) {
            let bytes = [magic, &rest].concat();
            let found = sniffed(&bytes);
            for file in FileType::ALL {
                let text = matches!(file, FileType::Text | FileType::Csv);
                prop_assert!(!(text && found.is(*file) && bytes.contains(&0)), "{:?}", found);
            }
        }

        #[test]
        fn no_page_is_taken_for_text(
            before in "\u{feff}?[ \t\r\n]{0,9}",
            page in prop::sample::select(&PAGES[..]),
            upper: u16,
            rest in "[ -~]{0,40}",
        ) {
            let cased = page.chars().enumerate();
            let cased: String = cased.map(|(at, it)| if upper >> (at % 16) & 1 == 1 { it.to_ascii_uppercase() } else { it }).collect();
            let found = sniffed(format!("{before}{cased}{rest}").as_bytes());
            prop_assert!(!found.is(FileType::Text) && !found.is(FileType::Csv));
        }
    }
}
