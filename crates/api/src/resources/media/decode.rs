//! Decodes an upload on the disk without ever holding all of it in memory. The JSON and the base64
//! in it are read as streams, and the decoded file is written to another file.

use api_types::schema::OneOf;
use auth::digest::{Digest, DigestBuilder};
use base64::DecodeError;
use base64::engine::general_purpose::STANDARD;
use base64::read::DecoderReader;
use domain::content::media::MAX_FILENAME_LENGTH;
use domain::media::{FileType, MAX_FILE_BYTES};
use domain::violation::{Fault, Field, Violations};
use http_layer::problem::Problem;
use schemars::JsonSchema;
use std::cell::Cell;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek as _, Write as _};
use std::rc::Rc;
use struson::reader::{JsonReader as _, JsonStreamReader, ReaderError, ValueType};

/// A file to upload.
#[derive(Debug, Default, JsonSchema)]
#[schemars(rename = "UploadMedia")]
pub struct UploadMediaBody {
    /// The file in canonical base64, or as a `data:` URI of the same type.
    #[schemars(required, with = "String", length(min = 1))]
    pub data: Option<Decoded>,
    /// The content type, which must match the content of the file.
    #[schemars(required, with = "OneOf<FileType>")]
    pub content_type: Option<String>,
    /// The file name. Derived from the content type if omitted.
    #[schemars(length(min = 1, max = MAX_FILENAME_LENGTH))]
    pub filename: Option<String>,
}

/// The decoded file of an upload.
#[derive(Debug)]
pub struct Decoded {
    /// The content, in an unnamed file.
    pub file: File,
    /// The size in bytes.
    pub size: u64,
    /// The digest of the content.
    pub sha256: Digest,
    /// The content type that the `data:` URI declares.
    pub declared_type: Option<String>,
}

/// Number of bytes that are read at a time.
const CHUNK_BYTES: usize = 64 * 1024;
/// Maximum number of bytes of the JSON outside `data`.
const MAX_OTHER_FIELDS_BYTES: usize = 1024 * 1024;
/// Maximum number of bytes that are read of a short field. Its own limit is lower.
const MAX_SHORT_FIELD_BYTES: u64 = 8 * 1024;
/// Maximum number of bytes before the base64 in a `data:` URI.
const MAX_DATA_URI_PREFIX_BYTES: usize = 256;

type BodyReader = JsonStreamReader<BufReader<Metered>>;

/// Reads the JSON in `raw`, and writes the decoded `data` to `into`.
pub fn decode(mut raw: File, into: File) -> Result<(UploadMediaBody, Violations), Problem> {
    raw.rewind().map_err(|error| disk(&error))?;
    let left = Rc::new(Cell::new(MAX_OTHER_FIELDS_BYTES as u64));
    let raw = BufReader::with_capacity(CHUNK_BYTES, Metered { raw, left: left.clone() });
    let mut json = JsonStreamReader::new(raw);
    let (mut body, mut faults) = (UploadMediaBody::default(), Violations::default());
    if json.peek().map_err(broken)? != ValueType::Object {
        faults.add(&Field::root(""), Fault::WrongType, "the body must be a JSON object");
        return Err(faults.into());
    }
    json.begin_object().map_err(broken)?;
    let (mut seen, mut into) = (Vec::new(), Some(into));
    while json.has_next().map_err(broken)? {
        let name = json.next_name_owned().map_err(broken)?;
        let known = matches!(name.as_str(), "data" | "content_type" | "filename");
        if !known {
            let message = "unknown field; check its spelling";
            faults.add(&Field::root(&name), Fault::UnknownField, message);
            json.skip_value().map_err(broken)?;
            continue;
        }
        if seen.contains(&name) {
            return Err(Problem::invalid_json("a field is repeated"));
        }
        match (name.as_str(), json.peek().map_err(broken)?) {
            (_, ValueType::Null) => json.next_null().map_err(broken)?,
            ("data", ValueType::String) => {
                let into = into.take();
                let into = into.ok_or_else(|| Problem::internal("data is repeated"))?;
                left.set(u64::MAX);
                body.data = Some(data(&mut json, into)?);
                left.set(MAX_OTHER_FIELDS_BYTES as u64);
            }
            ("content_type", ValueType::String) => body.content_type = Some(short(&mut json)?),
            ("filename", ValueType::String) => body.filename = Some(short(&mut json)?),
            (_, other) => {
                let message = format!("must be a string, and is of type {other}");
                faults.add(&Field::root(&name), Fault::WrongType, message);
                json.skip_value().map_err(broken)?;
            }
        }
        seen.push(name);
    }
    json.end_object().map_err(broken)?;
    json.consume_trailing_whitespace().map_err(broken)?;
    Ok((body, faults))
}

/// Reads a string whose valid values are short.
fn short(json: &mut BodyReader) -> Result<String, Problem> {
    let mut reader = json.next_string_reader().map_err(broken)?;
    let mut bytes = Vec::new();
    reader
        .by_ref()
        .take(MAX_SHORT_FIELD_BYTES)
        .read_to_end(&mut bytes)
        .map_err(|error| broken_text(&error))?;
    // A longer string is invalid. The rest is read only to check the JSON.
    io::copy(&mut reader, &mut io::sink()).map_err(|error| broken_text(&error))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn data(json: &mut BodyReader, into: File) -> Result<Decoded, Problem> {
    let mut text = json.next_string_reader().map_err(broken)?;
    let mut start = [0; 5];
    let read = fill(&mut text, &mut start).map_err(|error| broken_text(&error))?;
    let start = start.get(..read).unwrap_or_default();
    let (declared_type, start) = if start.eq_ignore_ascii_case(b"data:") {
        (Some(declared_type(&mut text)?), &[][..])
    } else {
        (None, start)
    };
    let (size, sha256, file) = {
        let mut encoded = start.chain(&mut text);
        copy(&mut DecoderReader::new(&mut encoded, &STANDARD), into)?
    };
    io::copy(&mut text, &mut io::sink()).map_err(|error| broken_text(&error))?;
    Ok(Decoded { file, size, sha256, declared_type })
}

/// Writes the decoded bytes, up to the maximum size of any file.
fn copy(decoder: &mut impl Read, into: File) -> Result<(u64, Digest, File), Problem> {
    let (mut size, mut digesting) = (0_u64, DigestBuilder::default());
    let mut into = BufWriter::with_capacity(CHUNK_BYTES, into);
    let mut piece = vec![0; CHUNK_BYTES];
    loop {
        let read = fill(decoder, &mut piece).map_err(|error| broken_text(&error))?;
        let piece = piece.get(..read).unwrap_or_default();
        size += piece.len() as u64;
        if size > MAX_FILE_BYTES {
            return Err(Problem::media_too_large(MAX_FILE_BYTES, "any kind"));
        }
        digesting.update(piece);
        into.write_all(piece).map_err(|error| disk(&error))?;
        if read == 0 {
            break;
        }
    }
    let file = into.into_inner().map_err(|error| disk(error.error()))?;
    Ok((size, digesting.finish(), file))
}

/// Reads until the buffer is full or the input ends.
fn fill(reader: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while let Some(rest) = buffer.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match reader.read(rest)? {
            0 => break,
            read => filled += read,
        }
    }
    Ok(filled)
}

/// Reads the type in `data:image/png;base64,`. The reader is then at the start of the base64.
fn declared_type(text: &mut impl Read) -> Result<String, Problem> {
    let mut head = Vec::new();
    loop {
        let mut byte = [0];
        if text.read(&mut byte).map_err(|error| broken_text(&error))? == 0
            || head.len() > MAX_DATA_URI_PREFIX_BYTES
        {
            return Err(Problem::invalid_base64("the data: URI has no comma"));
        }
        if byte == *b"," {
            break;
        }
        head.extend(byte);
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    match head.rsplit_once(';') {
        Some((said, encoding)) if encoding.trim().eq_ignore_ascii_case("base64") => {
            Ok(said.to_owned())
        }
        _ => Err(Problem::invalid_base64("the data: URI does not say ;base64")),
    }
}

/// The body of the request. It limits the number of bytes that are read outside `data`.
struct Metered {
    raw: File,
    left: Rc<Cell<u64>>,
}

impl Read for Metered {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.raw.read(buffer)?;
        let left = self.left.get().checked_sub(read as u64);
        self.left.set(left.ok_or_else(|| io::Error::other(LimitExceeded))?);
        Ok(read)
    }
}

/// The limit on the fields other than `data` was exceeded.
#[derive(Debug, thiserror::Error)]
#[error("the other fields have more than 1 MiB")]
struct LimitExceeded;

fn broken(error: ReaderError) -> Problem {
    match error {
        ReaderError::IoError { error, .. } => broken_text(&error),
        other => Problem::invalid_json(&other.to_string()),
    }
}

/// Converts an error within a string, which may be in the base64, in the JSON, or of the disk.
fn broken_text(error: &io::Error) -> Problem {
    let Some(inner) = error.get_ref() else { return disk(error) };
    if let Some(wrong) = inner.downcast_ref::<DecodeError>() {
        return Problem::invalid_base64(&misread(wrong));
    }
    if inner.is::<LimitExceeded>() {
        return Problem::payload_too_large(MAX_OTHER_FIELDS_BYTES);
    }
    if error.kind() == io::ErrorKind::StorageFull {
        return disk(error);
    }
    Problem::invalid_json(&inner.to_string())
}

/// Describes the fault in the base64, so that the caller can find it.
fn misread(wrong: &DecodeError) -> String {
    match wrong {
        DecodeError::InvalidByte(at, byte) => {
            let letter = char::from(*byte);
            format!("there is {letter:?} at offset {at}")
        }
        DecodeError::InvalidLength(_) => "its length is wrong".to_owned(),
        DecodeError::InvalidLastSymbol { .. } => {
            "its last character has unused bits set".to_owned()
        }
        DecodeError::InvalidPadding => "its padding is wrong".to_owned(),
    }
}

pub fn disk(error: &io::Error) -> Problem {
    tracing::error!(%error, "an upload cannot be stored on the disk");
    Problem::unavailable()
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::Engine as _;
    use proptest::prelude::*;

    /// Returns the bytes that an upload of this JSON contains.
    fn decoded(json: &str) -> Result<Option<Vec<u8>>, Problem> {
        let (mut raw, into) = (tempfile::tempfile().unwrap(), tempfile::tempfile().unwrap());
        raw.write_all(json.as_bytes()).unwrap();
        let (body, _) = decode(raw, into)?;
        Ok(body.data.map(|mut data| {
            let mut bytes = Vec::new();
            data.file.rewind().unwrap();
            data.file.read_to_end(&mut bytes).unwrap();
            assert_eq!(data.size, bytes.len() as u64);
            assert_eq!(data.sha256, Digest::new(&bytes));
            bytes
        }))
    }

    fn upload(data: &str) -> String {
        format!(r#"{{"content_type": "image/png", "data": "{data}"}}"#)
    }

    proptest! {
        /// A text is accepted only if it is the canonical base64 of the decoded bytes. So each file
        /// has exactly one encoding.
        #[test]
        fn only_canonical_base64_is_taken(bytes in prop::collection::vec(any::<u8>(), 0..40), place: usize, letter in "[A-Za-z0-9+/=_ -]", uri: bool) {
            let start = if uri { "data:image/png;base64," } else { "" };
            let mut text = STANDARD.encode(&bytes);
            let read = decoded(&upload(&format!("{start}{text}"))).unwrap();
            prop_assert_eq!(read.as_ref(), Some(&bytes));
            if !text.is_empty() {
                let place = place % text.len();
                text.replace_range(place..=place, &letter);
            }
            if let Ok(read) = decoded(&upload(&format!("{start}{text}"))) {
                prop_assert_eq!(STANDARD.encode(read.unwrap_or_default()), text);
            }
        }

        #[test]
        fn whatever_comes_is_read_or_refused(
            json in "\\{(\"(data|content_type|filename|x)\":(\"(data:)?[A-Za-z0-9=,;/\\\\u]{0,12}\"|null|[0-9]{1,3}|\\[\\]|\\{\\}),?){0,4}\\}|\\PC{0,40}",
        ) {
            if let Err(problem) = decoded(&json) {
                prop_assert!(problem.code.status().is_client_error(), "{:?}", problem);
            }
        }
    }
}
