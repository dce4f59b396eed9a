//! `POST /api/v1/media` (`docs/contract.md#upload-media`).

use super::decode::{Decoded, UploadMediaBody, decode, disk};
use crate::admission::{KeyHolder, Required};
use crate::deps::Deps;
use crate::input::Input;
use crate::input::{Body, Shape};
use crate::operation::{Answer, Call, Example, Nothing, Operation};
use crate::problem::{Code, Problem};
use actix_web::http::{Method, StatusCode};
use domain::id::{self, MediaId};
use domain::keyword::Keyword as _;
use domain::media::{FileName, FileType, MediaState};
use domain::scope::Scope;
use domain::violation::{Fault, Field, Violations};
use persistence::rows::Media;
use schemars::JsonSchema;
use serde::Serialize;
use service::error_chain::chain;
use service::files::{address, sniff};
use std::fs::File;
use tracing::Instrument as _;
use wire::schema::{Address, IdOf, Instant, OneOf};

/// Keeps a file under a public address.
pub struct UploadMedia;

/// A file that is kept.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Media")]
pub struct MediaRecord {
    /// Its id.
    #[schemars(with = "IdOf<id::Media>")]
    id: String,
    /// Its public address, for `media_url` of a send.
    #[schemars(with = "Address")]
    url: String,
    /// What it is.
    #[schemars(with = "OneOf<FileType>")]
    content_type: &'static str,
    /// Its bytes.
    size: u64,
    /// The hex of its SHA-256.
    #[schemars(regex(pattern = "^[0-9a-f]{64}$"))]
    sha256: String,
    /// What it is called.
    filename: String,
    /// When it came in.
    #[schemars(with = "Instant")]
    created_at: String,
}

impl Input for UploadMediaBody {
    /// 100 MiB in base64, with every slash escaped as some programs do, and the other fields.
    const MAX_BODY_BYTES: usize = 144 * 1024 * 1024;
    const BUFFERED_ON_DISK: bool = true;

    async fn read(deps: &Deps, body: Body, _shape: &Shape) -> Result<(Self, Violations), Problem> {
        let raw = match body {
            Body::OnDisk(raw, _) => raw,
            Body::Absent => return Ok((Self::default(), Violations::default())),
            Body::Json(_) | Body::Query(_) => return Err(Problem::invalid_json("it is empty")),
        };
        let into = deps.files.temporary().await.map_err(|error| disk(&error))?;
        in_background(deps, move || decode(raw, into)).await?
    }
}

/// Work that takes a thread for a while, and few threads at a time.
async fn in_background<T: Send + 'static>(
    deps: &Deps,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Problem> {
    let turn = deps.files.decoders.clone().acquire_owned().await;
    let turn = turn.map_err(|error| Problem::internal(&error))?;
    let span = tracing::Span::current();
    let work = move || {
        // Until the work is done, and not only while somebody waits for it.
        let _turn = turn;
        span.in_scope(work)
    };
    tokio::task::spawn_blocking(work).await.map_err(|error| Problem::internal(&error))
}

impl Operation for UploadMedia {
    const ID: &'static str = "upload_media";
    const SUMMARY: &'static str = "Upload a file.";
    const DESCRIPTION: &'static str = "\
Takes a file in base64, or as a `data:` URI of the same type, and gives a public address that a send takes as
`media_url`. The bytes must be what `content_type` says; HTML and SVG are not taken. Whoever knows the
address can read the file, and nobody can guess it.";
    const EXAMPLE: Example = Example {
        path: &[],
        input: r#"{
  "data": "JVBERi0xLjQKJSBhIHNtYWxsIGludm9pY2UKJSVFT0YK",
  "content_type": "application/pdf",
  "filename": "invoice.pdf"
}"#,
        reply: r#"{
  "id": "med_01jd7qm9a1fx2v8n4k6s0p3ywd",
  "url": "https://api.example.com/media/med_01jd7qm9a1fx2v8n4k6s0p3ywd/invoice.pdf",
  "content_type": "application/pdf",
  "size": 33,
  "sha256": "c9258f2eea8491eac1d65cb7c4059b1a35c42ab47a5947bd84314e170a55a460",
  "filename": "invoice.pdf",
  "created_at": "2026-11-21T12:00:00.000Z"
}"#,
    };
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

    async fn handle(mut call: Call<Self>) -> Result<Answer<MediaRecord>, Problem> {
        let data = call.input.data.take();
        let wanted = call.parse(|body, faults| Wanted::parse(body, data.as_ref(), faults))?;
        let decoded = data.ok_or_else(|| Problem::internal("an upload without data was taken"))?;
        let limit = wanted.file_type.bytes_most();
        if decoded.size > limit {
            return Err(Problem::media_too_large(limit, wanted.file_type.as_str()));
        }
        if let Some(other) = decoded.other_type_than(wanted.file_type) {
            return Err(Problem::content_type_mismatch(wanted.file_type.as_str(), &other));
        }
        let Decoded { file, size, sha256, .. } = decoded;
        let file = checked(&call, file, wanted.file_type).await?;
        let row = row(&call, &wanted, size, sha256.as_bytes())?;
        keep(&call, row.clone(), file).await?;
        Answer::new(
            Self::SUCCESS,
            &MediaRecord {
                id: row.id.to_string(),
                url: address(&call.deps.settings.base_url, *row.id, &row.file_name),
                content_type: wanted.file_type.as_str(),
                size,
                sha256: sha256.hex(),
                filename: row.file_name,
                created_at: row.created_at.to_string(),
            },
        )
    }
}

struct Wanted {
    file_type: FileType,
    name: FileName,
}

impl Wanted {
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
        let name = given.unwrap_or_else(|| Some(FileName::of_type(file_type)))?;
        Some(Self { file_type, name })
    }
}

/// The file, if its bytes are what its type says.
async fn checked(
    call: &Call<UploadMedia>,
    mut file: File,
    file_type: FileType,
) -> Result<File, Problem> {
    let looked = in_background(&call.deps, move || sniff(&mut file).map(|found| (file, found)));
    let (file, found) = looked.await?.map_err(|error| disk(&error))?;
    if found.is(file_type) {
        return Ok(file);
    }
    Err(Problem::content_type_mismatch(file_type.as_str(), found.media_type()))
}

fn row(
    call: &Call<UploadMedia>,
    wanted: &Wanted,
    size: u64,
    sha256: &[u8],
) -> Result<Media, Problem> {
    let now = call.deps.clock.now();
    let id: MediaId = call.deps.id(now);
    Ok(Media {
        id: id.into(),
        organization_id: call.organization().into(),
        state: MediaState::Arriving.into(),
        file_name: wanted.name.to_string(),
        content_type: wanted.file_type.as_str().to_owned(),
        size: i64::try_from(size).map_err(|error| Problem::internal(&error))?,
        sha256: sha256.to_vec(),
        created_at: now.into(),
    })
}

/// Announced, then stored, then kept: whatever ends in between is found and removed later. In a task of
/// its own, so that it runs to its end when the client goes away.
async fn keep(call: &Call<UploadMedia>, row: Media, file: File) -> Result<(), Problem> {
    let deps = call.deps.clone();
    let keeping = async move {
        let (id, organization) = (*row.id, *row.organization_id);
        deps.db.announce_media(row).await?;
        let stored = deps.files.store(id, file).await;
        stored.map_err(|error| deps.files.reports.failed(&error, deps.clock.steady()))?;
        if deps.db.organization(organization).store_media(id).await? {
            return Ok(());
        }
        tracing::error!(media = %id, "a file took so long to store that it was given up");
        if let Err(error) = deps.files.remove(id).await {
            let error = chain(&error);
            tracing::error!(error, media = %id, "a file that was given up was not removed");
        }
        Err(Problem::unavailable())
    };
    let kept = tokio::spawn(keeping.in_current_span());
    kept.await.map_err(|error| Problem::internal(&error))?
}
