//! Detects the type of a file from its bytes (`docs/security.md` 32).

use domain::media::FileType;
use file_format::{FileFormat, Kind};
use std::io::{self, Read, Seek, SeekFrom};

/// The detected type of a file.
#[derive(Clone, Copy, Debug)]
pub struct DetectedType {
    format: FileFormat,
    text: TextKind,
    /// Whether the file is a PDF with other bytes before its header.
    is_late_pdf: bool,
    /// Whether the file is AAC, perhaps after ID3 tags.
    is_aac: bool,
}

/// Whether a file is text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TextKind {
    /// The whole file is text in UTF-8, even if its beginning looks like another format.
    Utf8,
    /// A browser would show the file as a page or a picture.
    Page,
    /// The file has bytes that are not text in UTF-8.
    Binary,
}

/// Number of bytes that are examined to decide whether a file is a page.
const HEAD: usize = 4096;
/// PDF readers accept a header that begins within this many bytes.
const PDF_HEADER_WITHIN: usize = 1024;
const PDF_HEADER: &[u8] = b"%PDF-";
/// Maximum number of consecutive tags that are skipped.
const MAX_TAGS: usize = 16;
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
    let is_page = PAGES.iter().any(|page| start.starts_with(page));
    file.rewind()?;
    let format = FileFormat::from_reader(&mut *file)?;
    let before = head.get(..PDF_HEADER_WITHIN).unwrap_or(&head);
    let has_header = before.windows(PDF_HEADER.len()).any(|it| it == PDF_HEADER);
    let is_late_pdf = has_header && !is_page && !is_of_another_type(format);
    let is_aac = is_adts(behind_tags(file)?);
    let text = if is_page {
        TextKind::Page
    } else if is_utf8_text(file)? {
        TextKind::Utf8
    } else {
        TextKind::Binary
    };
    Ok(DetectedType { format, text, is_late_pdf, is_aac })
}

/// Whether a format can be uploaded as a type other than text or PDF.
fn is_of_another_type(format: FileFormat) -> bool {
    let file_type = FileType::of_content_type(format.media_type());
    !matches!(file_type, None | Some(FileType::Pdf | FileType::Text | FileType::Csv))
}

/// Whether a format is text or unknown.
fn is_worded(format: FileFormat) -> bool {
    format.media_type().starts_with("text/")
        || matches!(format, FileFormat::ArbitraryBinaryData | FileFormat::Empty)
        || format.kind() == Kind::Other
}

/// Returns the two bytes that follow the tags (`ID3v2`) and their padding of zeros at the beginning
/// of an audio file.
fn behind_tags(file: &mut (impl Read + Seek)) -> io::Result<[u8; 2]> {
    let mut at = 0;
    for _ in 0..MAX_TAGS {
        file.seek(SeekFrom::Start(at))?;
        let mut tag = Vec::with_capacity(10);
        file.take(10).read_to_end(&mut tag)?;
        let [b'I', b'D', b'3', _, _, flags, size @ ..] = tag.as_slice() else { break };
        // Each byte of an ID3 tag's size has seven significant bits.
        let size = size.iter().fold(0, |sum, byte| sum << 7 | u64::from(byte & 0x7f));
        let footer = if flags & 0x10 == 0 { 0 } else { 10 };
        at += 10 + size + footer;
    }
    file.seek(SeekFrom::Start(at))?;
    let mut rest = Vec::new();
    file.take(HEAD as u64).read_to_end(&mut rest)?;
    let zeros = if at == 0 { 0 } else { rest.iter().take_while(|byte| **byte == 0).count() };
    let mut found = rest.iter().skip(zeros).copied();
    Ok([found.next().unwrap_or_default(), found.next().unwrap_or_default()])
}

/// Whether these bytes begin an AAC frame (ADTS): twelve set bits, any version, layer 0.
const fn is_adts([first, second]: [u8; 2]) -> bool {
    first == 0xff && second & 0xf6 == 0xf0
}

/// Whether the whole file is UTF-8 without control characters, except those that texts contain.
/// Reads up to the first byte that is not text.
fn is_utf8_text(file: &mut (impl Read + Seek)) -> io::Result<bool> {
    file.rewind()?;
    let (mut chunk, mut filled) = (vec![0; 64 * 1024], 0);
    loop {
        let read = file.read(chunk.get_mut(filled..).unwrap_or_default())?;
        filled += read;
        let bytes = chunk.get(..filled).unwrap_or_default();
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => text,
            // The last character may be incomplete, because it continues in the next chunk.
            Err(error) if error.error_len().is_none() && read > 0 => {
                let whole = bytes.get(..error.valid_up_to()).unwrap_or_default();
                let Ok(text) = std::str::from_utf8(whole) else { return Ok(false) };
                text
            }
            Err(_) => return Ok(false),
        };
        let whole = text.len();
        if text.chars().any(|letter| letter.is_control() && !"\t\n\r\x0c".contains(letter)) {
            return Ok(false);
        }
        if read == 0 {
            return Ok(true);
        }
        chunk.copy_within(whole..filled, 0);
        filled -= whole;
    }
}

impl DetectedType {
    /// Describes the content of a file that is not of this type, for an error text.
    #[must_use]
    pub fn described(self, wanted: FileType) -> String {
        let wants_text = matches!(wanted, FileType::Text | FileType::Csv);
        if wants_text && self.text == TextKind::Binary && is_worded(self.format) {
            return "not text in UTF-8 without control characters".to_owned();
        }
        self.format.media_type().to_owned()
    }

    /// Whether the file can be of this type.
    #[must_use]
    pub fn is(self, file: FileType) -> bool {
        let found = self.format.media_type();
        match file {
            FileType::Jpeg => found == "image/jpeg",
            FileType::Png => matches!(found, "image/png" | "image/apng"),
            FileType::Webp => found == "image/webp",
            FileType::Aac => self.is_aac,
            FileType::Amr => found == "audio/amr",
            // An MP3 file usually begins with ID3 tags.
            FileType::Mpeg => {
                found == "audio/mpeg" || (self.format == FileFormat::Id3v2 && !self.is_aac)
            }
            FileType::Mp4Audio => matches!(found, "audio/mp4" | "audio/x-m4a" | "application/mp4"),
            FileType::Ogg => matches!(found, "audio/ogg" | "audio/opus" | "application/ogg"),
            FileType::Mp4 => matches!(found, "video/mp4" | "application/mp4" | "video/x-m4v"),
            FileType::ThreeGpp => matches!(found, "video/3gpp" | "video/3gpp2"),
            FileType::Pdf => found == "application/pdf" || self.is_late_pdf,
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
        self.text == TextKind::Utf8 && harmless
    }

    /// Whether the file can be a document of this old Office type. The old formats share a
    /// container, and not every program records the type in it.
    fn is_old_office(self, of: &str) -> bool {
        self.format.media_type() == of || self.format == FileFormat::CompoundFileBinary
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
            (b"\xff\xf8\x50\x80", FileType::Aac),
            (b"ID3\x04\0\0\0\0\0\x02ab\xff\xf1\x50\x80", FileType::Aac),
            (b"ID3\x04\0\x10\0\0\0\x023DI\x04\0\0\0\0\0\x02ab\xff\xf9\x50\x80", FileType::Aac),
            (b"ID3\x03\0\0\0\0\0\0ID3\x04\0\0\0\0\0\x02\0\0\0\0\xff\xf1\x50\x80", FileType::Aac),
            (b"ID3\x03\0\0\0\0\0\x02ab\xff\xfb\x90\x64", FileType::Mpeg),
            (b"\xff\xfb\x90\x64", FileType::Mpeg),
            (b"\n\n%PDF-1.7\n\xe2\xe3", FileType::Pdf),
            (b"\xef\xbb\xbf%PDF-1.4", FileType::Pdf),
            (b"\x1b%-12345X@PJL\r\n%PDF-1.4", FileType::Pdf),
            (b"HTTP/1.1 200 OK\r\n\r\n%PDF-1.4", FileType::Pdf),
            (b"#!AMR\n", FileType::Amr),
            (b"a,b\n1,2\n", FileType::Csv),
            ("Grüße".as_bytes(), FileType::Text),
        ] {
            assert!(is(bytes, file), "{file}: {:?}", sniff(&mut Cursor::new(bytes)).unwrap());
        }
        assert!(!is(png, FileType::Jpeg));
        // AAC is not detected as MP3, nor MP3 as AAC.
        assert!(!is(b"ID3\x04\0\0\0\0\0\x02ab\xff\xf1\x50\x80", FileType::Mpeg));
        assert!(!is(b"ID3\x04\0\0\0\0\0\x02ab\xff\xfb\x90\x64", FileType::Aac));
        assert!(!is(b"ID3\x03\0\0\0\0\0\0", FileType::Aac));
    }

    #[test]
    fn the_header_of_a_pdf_is_within_its_first_bytes() {
        let behind = |count: usize| [&vec![b'x'; count], b"%PDF-1.7\n\xe2\xe3".as_slice()].concat();
        assert!(is(&behind(1), FileType::Pdf));
        assert!(is(&behind(PDF_HEADER_WITHIN - PDF_HEADER.len()), FileType::Pdf));
        assert!(!is(&behind(PDF_HEADER_WITHIN - PDF_HEADER.len() + 1), FileType::Pdf));
        // A picture or a page that contains a PDF header is not a PDF.
        assert!(!is(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR%PDF-1.7", FileType::Pdf));
        assert!(!is(b"<html>%PDF-1.7", FileType::Pdf));
    }

    #[test]
    fn text_is_text_whatever_its_first_word_looks_like() {
        let words = [
            "MAC Address,Host\n",
            "true,false\n1,0\n",
            "ID3 tags explained",
            "BM,Umsatz\n",
            "GIF89a is old",
            "OggS",
            "RIFF,WAVE",
            "%PDF-1.7",
            "%!PS",
            "{\\rtf1 x}",
            "PK,Name",
            "MZ,Ort",
            "Rar! ",
            "fLaC",
            "FORM",
            "FWS",
            "CWS",
            "BZh9",
            "II*",
            "MThd",
            "MP+",
            "SIMPLE  = ",
            "OTTO,Name",
            "ttcf",
            "wOFF",
            "7z",
            "070707",
            "!<arch>\n",
            "#!AMR",
            "-----BEGIN CERTIFICATE-----",
            "BEGIN:VCARD",
            "solid cube",
            "\u{feff}MAC Address,Host",
            "\u{feff}a,b",
            "name\x0cpage two",
            "Grüße, 😀",
            "",
        ];
        for word in words {
            for file in [FileType::Text, FileType::Csv] {
                let long = format!("{word}{}", "Übung 1;2\r\n".repeat(20_000));
                for text in [word, &long] {
                    let found = sniff(&mut Cursor::new(text.as_bytes())).unwrap();
                    assert!(found.is(file), "{word}: {found:?}");
                }
                // One character that is not text is enough, at any place.
                for other in [b"\x01".as_slice(), b"\x1b[31m", b"\x7f", b"\xc2\x9b", b"\xff", b"\0"]
                {
                    let mixed = [word.as_bytes(), b"\n".repeat(200_000).as_slice(), other].concat();
                    let found = sniff(&mut Cursor::new(&mixed)).unwrap();
                    assert!(!found.is(file), "{word}: {found:?}");
                }
            }
        }
    }

    #[test]
    fn bytes_that_are_not_utf8_are_no_text() {
        for (bytes, described) in [
            (b"Gr\xfc\xdfe in Latin-1".as_slice(), "not text in UTF-8"),
            (b"hello\x01world", "not text in UTF-8"),
            // A character of several bytes that is cut short.
            (b"caf\xc3", "not text in UTF-8"),
            (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "image/png"),
        ] {
            let found = sniff(&mut Cursor::new(bytes)).unwrap();
            for file in [FileType::Text, FileType::Csv] {
                assert!(!found.is(file), "{found:?}");
                assert!(found.described(file).starts_with(described), "{found:?}");
            }
        }
        // A character that continues in the next chunk is whole.
        let long = format!("{}{}", "x".repeat(64 * 1024 - 1), "é");
        assert!(is(long.as_bytes(), FileType::Text));
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
        assert!(!is(b"%PDF-1.7\n\xe2\xe3", FileType::Text) && !is(b"a\0b", FileType::Text));
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

    /// Beginnings of known formats. With them the parsers examine the random bytes that follow.
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
