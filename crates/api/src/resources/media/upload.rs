//! `POST /api/v1/media` (`docs/contract.md#upload-media`).

use super::decode::{Decoded, UploadMediaBody, decode, disk};
use crate::admission::{KeyHolder, Required};
use crate::input::Input;
use crate::input::{InputBody, Shape};
use crate::operation::{Answer, Call, EXAMPLE_BASE_URL, Example, ExampleOf, Nothing, Operation};
use actix_web::http::{Method, StatusCode};
use api_types::sample;
use api_types::schema::{IdOf, Instant, OneOf, UrlText};
use auth::digest::Digest;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use domain::id;
use domain::keyword::Keyword as _;
use domain::media::{FileName, FileType};
use domain::scope::Scope;
use domain::violation::{Fault, Field, Violations};
use http_layer::deps::ServerDeps;
use http_layer::problem::{Code, Problem};
use platform::files::address;
use schemars::JsonSchema;
use serde::Serialize;
use service::media::{self, Upload, UploadError};

/// Stores a file under a public URL.
pub struct UploadMedia;

/// An uploaded file.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Media")]
pub struct MediaRecord {
    /// The id of the file.
    #[schemars(with = "IdOf<id::Media>")]
    id: String,
    /// The public URL, to use as `media_url`.
    #[schemars(with = "UrlText")]
    url: String,
    /// The content type.
    #[schemars(with = "OneOf<FileType>")]
    content_type: &'static str,
    /// The size in bytes.
    size: u64,
    /// The SHA-256 digest, in hex.
    #[schemars(regex(pattern = "^[0-9a-f]{64}$"))]
    sha256: String,
    /// The file name.
    filename: String,
    /// When the file was uploaded.
    #[schemars(with = "Instant")]
    created_at: String,
}

#[derive(Debug, Serialize)]
pub struct UploadMediaSample {
    data: String,
    content_type: &'static str,
    filename: &'static str,
}

/// A minimal file that has the first bytes of a PDF.
const SAMPLE_FILE: &[u8] = b"%PDF-1.4\n% a small invoice\n%%EOF\n";

impl Input for UploadMediaBody {
    type Sample = UploadMediaSample;

    /// The size of 100 MiB in base64 with every slash escaped, as some programs do, plus the other
    /// fields.
    const MAX_BODY_BYTES: usize = 144 * 1024 * 1024;
    const BUFFERED_ON_DISK: bool = true;

    async fn read(
        deps: &ServerDeps,
        body: InputBody,
        _shape: &Shape,
    ) -> Result<(Self, Violations), Problem> {
        let raw = match body {
            InputBody::OnDisk(raw, _) => raw,
            InputBody::Absent => return Ok((Self::default(), Violations::default())),
            InputBody::Json(_) | InputBody::Query(_) => {
                return Err(Problem::invalid_json("it is empty"));
            }
        };
        let into = deps.files.temporary().await.map_err(|error| disk(&error))?;
        let decoded = media::in_background(deps, move || decode(raw, into)).await;
        decoded.map_err(|error| Problem::internal(&error))?
    }
}

impl Operation for UploadMedia {
    const ID: &'static str = "upload_media";
    const SUMMARY: &'static str = "Upload a file.";
    const DESCRIPTION: &'static str = "\
Uploads a file, in base64 or as a `data:` URI of the same type, and returns a public URL to use as `media_url` in a
message. The content must match `content_type`; HTML and SVG are not supported. Anyone who has the URL can read the
file; URLs cannot be guessed.";
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/api/v1/media";
    const ACCESS: Required<KeyHolder> = KeyHolder::with(Scope::MediaWrite);
    const SUCCESS: StatusCode = StatusCode::CREATED;
    const PROBLEMS: &'static [Code] =
        &[Code::MediaTooLarge, Code::InvalidBase64, Code::ContentTypeMismatch];
    type Caller = KeyHolder;
    type Path = Nothing;
    type Input = UploadMediaBody;
    type Reply = MediaRecord;

    fn example() -> ExampleOf<Self> {
        let (file_type, filename) = (FileType::Pdf, "invoice.pdf");
        let input = UploadMediaSample {
            data: STANDARD.encode(SAMPLE_FILE),
            content_type: file_type.as_str(),
            filename,
        };
        let reply = MediaRecord {
            id: sample::MEDIA.to_string(),
            url: address(EXAMPLE_BASE_URL, sample::MEDIA, filename),
            content_type: file_type.as_str(),
            size: SAMPLE_FILE.len() as u64,
            sha256: Digest::new(SAMPLE_FILE).hex(),
            filename: filename.to_owned(),
            created_at: sample::noon().to_string(),
        };
        Example { path: Nothing {}, input: Some(input), reply }
    }

    async fn handle(mut call: Call<Self>) -> Result<Answer<MediaRecord>, Problem> {
        let data = call.input.data.take();
        let wanted = call.parse(|body, faults| UploadInput::parse(body, data.as_ref(), faults))?;
        let decoded =
            data.ok_or_else(|| Problem::internal("an upload without data was accepted"))?;
        let UploadInput { file_type, name } = wanted;
        let Decoded { file, size, sha256, declared_type } = decoded;
        let digest = sha256.as_bytes().to_vec();
        let upload =
            Upload { file, size, sha256: digest, file_type, declared: declared_type, name };
        let kept = media::create(&call.deps.service, call.organization(), upload).await;
        let row = kept.map_err(|error| problem(error, file_type))?;
        Answer::new(
            Self::SUCCESS,
            &MediaRecord {
                id: row.id.to_string(),
                url: address(&call.deps.config.base_url, row.id, &row.file_name),
                content_type: file_type.as_str(),
                size,
                sha256: sha256.hex(),
                filename: row.file_name,
                created_at: row.created_at.to_string(),
            },
        )
    }
}

struct UploadInput {
    file_type: FileType,
    name: FileName,
}

impl UploadInput {
    fn parse(
        body: &UploadMediaBody,
        data: Option<&Decoded>,
        faults: &mut Violations,
    ) -> Option<Self> {
        let at = Field::root("data");
        faults.require(&at, data);
        if data.is_some_and(|data| data.size == 0) {
            faults.add(&at, Fault::Empty, "must not be empty");
        }
        let at = Field::root("content_type");
        let file_type = faults.require(&at, body.content_type.as_deref()).and_then(|text| {
            let known = FileType::of_content_type(text);
            if known.is_none() {
                let message = format!("must be one of {}", FileType::listed());
                faults.add(&at, Fault::NotOneOf, message);
            }
            known
        });
        let given = body.filename.as_deref();
        let given = given.map(|name| FileName::parse(&Field::root("filename"), name, faults));
        let file_type = file_type?;
        let name = given.unwrap_or_else(|| Some(FileName::from_type(file_type)))?;
        Some(Self { file_type, name })
    }
}

fn problem(error: UploadError, file_type: FileType) -> Problem {
    match error {
        UploadError::TooLarge { limit } => Problem::media_too_large(limit, file_type.as_str()),
        UploadError::OtherType { found } => {
            Problem::content_type_mismatch(file_type.as_str(), &found)
        }
        UploadError::Disk(error) => disk(&error),
        UploadError::Store(outage) => outage.into(),
        UploadError::Late => Problem::unavailable(),
        UploadError::Database(error) => error.into(),
        UploadError::Task(_) | UploadError::Stopping | UploadError::Size => {
            Problem::internal(&error)
        }
    }
}
