//! Small files of every type that can be uploaded, and helpers for uploads and downloads.

use crate::world::{Answer, World};
use auth::digest::Digest;
use base64::prelude::{BASE64_STANDARD, Engine as _};
use reqwest::RequestBuilder;
use reqwest::header::HeaderMap;
use serde_json::{Value, json};

pub const MEDIA: &str = "/api/v1/media";
/// The base URL of a test's server.
pub const BASE_URL: &str = "https://api.example.com";

const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGP4DwABAQEAsTj2FAAAAABJRU5ErkJggg==";
const WEBP: &str = "UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA";
pub const PDF: &[u8] =
    b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n";
const OOXML: &str = "application/vnd.openxmlformats-officedocument";

pub fn png() -> Vec<u8> {
    BASE64_STANDARD.decode(PNG).unwrap()
}

pub fn webp() -> Vec<u8> {
    BASE64_STANDARD.decode(WEBP).unwrap()
}

pub fn jpeg() -> Vec<u8> {
    b"\xff\xd8\xff\xe0\0\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0\xff\xd9".to_vec()
}

pub fn ogg() -> Vec<u8> {
    let page = b"OggS\0\x02\0\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\0\0\0\0\x01\x13";
    [page as &[u8], b"OpusHead\x01\x01\0\0\x80\xbb\0\0\0\0\0"].concat()
}

/// Returns a file of the MP4 family with this brand.
pub fn mp4_file(brand: [u8; 4]) -> Vec<u8> {
    let start = b"\0\0\0\x18ftyp";
    [start as &[u8], &brand, b"\0\0\x02\0", &brand, b"isom", b"\0\0\0\x08free"].concat()
}

/// Returns every accepted content type with a file of that type.
pub fn files() -> Vec<(String, Vec<u8>)> {
    let frame = b"\xff\xf1\x50\x80\x01\x1f\xfc\0";
    let mpeg = [b"ID3\x03\0\0\0\0\0\0\xff\xfb\x90\x64" as &[u8], &[0; 413]].concat();
    let simple = [
        ("image/jpeg", jpeg()),
        ("image/png", png()),
        ("image/webp", webp()),
        ("audio/aac", frame.repeat(3)),
        ("audio/amr", [b"#!AMR\n\x3c" as &[u8], &[0; 31]].concat()),
        ("audio/mpeg", mpeg),
        ("audio/mp4", mp4_file(*b"M4A ")),
        ("audio/ogg", ogg()),
        ("video/mp4", mp4_file(*b"mp42")),
        ("video/3gpp", mp4_file(*b"3gp4")),
        ("application/pdf", PDF.to_vec()),
        ("text/plain", b"Hello, Ada.\n".to_vec()),
        ("text/csv", b"name,order\nAda,1024\n".to_vec()),
    ];
    let old = [
        ("msword", "WordDocument", "0609020000000000c000000000000046"),
        ("vnd.ms-excel", "Workbook", "2008020000000000c000000000000046"),
        ("vnd.ms-powerpoint", "PowerPoint Document", "108d81649b4fcf1186ea00aa00b929e8"),
    ];
    let new = [
        ("wordprocessingml.document", "word/document.xml", "word/styles.xml"),
        ("spreadsheetml.sheet", "xl/workbook.xml", "xl/styles.xml"),
        ("presentationml.presentation", "ppt/presentation.xml", "ppt/presProps.xml"),
    ];
    let simple = simple.map(|(kind, bytes)| (kind.to_owned(), bytes));
    let old = old.map(|(kind, stream, class)| (format!("application/{kind}"), cfb(stream, class)));
    let new = new.map(|(kind, main, more)| {
        (format!("{OOXML}.{kind}"), zip(&["[Content_Types].xml", "_rels/.rels", main, more]))
    });
    simple.into_iter().chain(old).chain(new).collect()
}

/// Returns valid files in the style of other programs.
pub fn files_of_other_programs() -> Vec<(String, Vec<u8>)> {
    let tail = [b"\x90\x64" as &[u8], &[0; 413]].concat();
    let parts = ["docProps/app.xml", "docProps/core.xml", "xl/workbook.xml", "_rels/.rels"];
    let sheet = [&parts as &[&str], &["[Content_Types].xml"]].concat();
    vec![
        ("audio/mpeg".to_owned(), [b"\xff\xfb" as &[u8], &tail].concat()),
        ("audio/mpeg".to_owned(), [b"\xff\xf3" as &[u8], &tail].concat()),
        ("audio/aac".to_owned(), b"\xff\xf9\x50\x80\x01\x1f\xfc\0".repeat(3)),
        ("image/jpeg".to_owned(), b"\xff\xd8\xff\xe1\0\x08Exif\0\0\xff\xd9".to_vec()),
        ("video/mp4".to_owned(), mp4_file(*b"isom")),
        ("video/3gpp".to_owned(), mp4_file(*b"3gp6")),
        ("application/vnd.ms-excel".to_owned(), cfb("Workbook", &"0".repeat(32))),
        (format!("{OOXML}.spreadsheetml.sheet"), zip(&sheet)),
        (
            "audio/aac".to_owned(),
            [b"ID3\x04\0\0\0\0\0\x04PRIV" as &[u8], &b"\xff\xf1\x50\x80\x01\x1f\xfc\0".repeat(3)]
                .concat(),
        ),
        ("application/pdf".to_owned(), [b"\r\n" as &[u8], PDF].concat()),
        ("application/pdf".to_owned(), [&[b'x'; 1019] as &[u8], PDF].concat()),
        ("application/pdf".to_owned(), [b"\xef\xbb\xbf" as &[u8], PDF].concat()),
        ("text/csv".to_owned(), b"MAC Address,Host\n00:00:5e:00:53:01,printer\n".to_vec()),
        ("text/csv".to_owned(), b"true,false\n1,0\n".to_vec()),
        ("text/csv".to_owned(), "\u{feff}MAC Address,Host\n".as_bytes().to_vec()),
        ("text/plain".to_owned(), b"ID3 tags, explained.\n".to_vec()),
        ("text/plain".to_owned(), b"GIF89a, page one\x0cpage two\r\n\tEnd".to_vec()),
        ("text/plain".to_owned(), "a < b > c, <3 and Ünïcode \u{1f600}".as_bytes().to_vec()),
    ]
}

/// Returns a compound file, the format of Office before 2007: a header, a table of sectors, and a
/// directory with one empty stream.
fn cfb(stream: &str, class: &str) -> Vec<u8> {
    let class: Vec<u8> =
        (0..32).step_by(2).map(|at| u8::from_str_radix(&class[at..at + 2], 16).unwrap()).collect();
    let (free, end, table) = (u32::MAX, u32::MAX - 1, u32::MAX - 2);
    let mut bytes = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1".to_vec();
    bytes.extend([0; 16]);
    for half in [0x3e, 3, 0xfffe, 9, 6, 0, 0, 0] {
        bytes.extend(u16::to_le_bytes(half));
    }
    for word in [0, 1, 1, 0, 4096, end, 0, end, 0, 0] {
        bytes.extend(u32::to_le_bytes(word));
    }
    bytes.resize(512, 0xff);
    bytes.extend([table, end].into_iter().flat_map(u32::to_le_bytes));
    bytes.resize(1024, 0xff);
    for (name, kind, child, class) in [("Root Entry", 5, 1, class), (stream, 2, free, vec![0; 16])]
    {
        let from = bytes.len();
        bytes.extend(name.encode_utf16().flat_map(u16::to_le_bytes));
        bytes.resize(from + 64, 0);
        bytes.extend(u16::try_from(2 * name.len() + 2).unwrap().to_le_bytes());
        bytes.extend([kind, 1]);
        bytes.extend([free, free, child].into_iter().flat_map(u32::to_le_bytes));
        bytes.extend(class);
        bytes.resize(from + 116, 0);
        bytes.extend(end.to_le_bytes());
        bytes.resize(from + 128, 0);
    }
    for _ in 0..2 {
        let from = bytes.len();
        bytes.resize(from + 68, 0);
        bytes.extend([0xff; 12]);
        bytes.resize(from + 128, 0);
    }
    bytes
}

/// Returns a ZIP archive with these names, each with a line of XML.
pub fn zip(names: &[&str]) -> Vec<u8> {
    let content = b"<?xml version=\"1.0\"?><x/>";
    let (mut bytes, mut directory) = (Vec::new(), Vec::new());
    let length = |count: usize| u32::try_from(count).unwrap().to_le_bytes();
    for name in names {
        let offset = length(bytes.len());
        let mut about = b"\x14\0\0\0\0\0\0\0\x21\0".to_vec();
        about.extend(crc32(content).to_le_bytes());
        about.extend(length(content.len()));
        about.extend(length(content.len()));
        about.extend(length(name.len()));
        bytes.extend([b"PK\x03\x04" as &[u8], &about, name.as_bytes(), content].concat());
        let rest = [[0; 10].as_slice(), &offset, name.as_bytes()].concat();
        directory.extend([b"PK\x01\x02\x14\0" as &[u8], &about, &rest].concat());
    }
    let count = u16::try_from(names.len()).unwrap().to_le_bytes();
    let (at, size) = (length(bytes.len()), length(directory.len()));
    let end = [b"PK\x05\x06\0\0\0\0" as &[u8], &count, &count, &size, &at, &[0; 2]].concat();
    [bytes, directory, end].concat()
}

fn crc32(bytes: &[u8]) -> u32 {
    let step = |sum: u32| if sum & 1 == 1 { (sum >> 1) ^ 0xedb8_8320 } else { sum >> 1 };
    !bytes.iter().fold(u32::MAX, |sum, byte| (0..8).fold(sum ^ u32::from(*byte), |it, _| step(it)))
}

/// Pads a file to this size.
pub fn padded(mut file: Vec<u8>, bytes: usize) -> Vec<u8> {
    file.resize(bytes, b' ');
    file
}

/// Returns the body of an upload.
pub fn upload_body(content_type: &str, bytes: &[u8]) -> Value {
    json!({"data": BASE64_STANDARD.encode(bytes), "content_type": content_type})
}

pub async fn post(world: &World, body: &Value) -> Answer {
    world.post(MEDIA, &world.key, body).await
}

/// Uploads a file under a name and returns its record.
pub async fn upload(world: &World, content_type: &str, filename: &str, bytes: &[u8]) -> Value {
    let mut body = upload_body(content_type, bytes);
    body["filename"] = json!(filename);
    is_uploaded(&post(world, &body).await)
}

#[track_caller]
pub fn is_uploaded(answer: &Answer) -> Value {
    assert_eq!(answer.status, 201, "{}", answer.text);
    answer.body.clone()
}

pub fn sha256(bytes: &[u8]) -> String {
    let digest = Digest::new(bytes);
    let bytes: Vec<String> = digest.as_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    bytes.concat()
}

/// The response for a file's public URL.
#[derive(Debug)]
pub struct ServedFile {
    pub status: u16,
    pub headers: HeaderMap,
    pub bytes: Vec<u8>,
}

impl ServedFile {
    pub async fn of(request: RequestBuilder) -> Self {
        let response = request.send().await.expect("the server answers");
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        Self { status, headers, bytes: response.bytes().await.unwrap().to_vec() }
    }

    /// Returns a header's value, or an empty string if the header is missing.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }
}

/// Converts a public URL to the address of this test's server.
pub fn local_address(world: &World, url: &Value) -> String {
    let path = url.as_str().and_then(|url| url.strip_prefix(BASE_URL));
    format!("{}{}", world.base, path.expect("an address of ours"))
}

/// Downloads a file without credentials.
pub async fn fetch(world: &World, url: &Value) -> ServedFile {
    ServedFile::of(world.http.get(local_address(world, url))).await
}
