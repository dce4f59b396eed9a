//! Transcriptions of voice messages, by the server of a model.

use super::http::send;
use super::model::{AskFailure, client, read};
use super::{AskingDeps, MAX_ANSWER_BYTES};
use auth::digest::Digest;
use domain::agent::ModelConnection;
use reqwest::Method;
use reqwest::header::CONTENT_TYPE;
use serde_json::Value;

/// Posts a file to `{base_url}/audio/transcriptions`. Returns the text, which may be empty.
pub async fn transcribe(
    deps: AskingDeps<'_>,
    connection: &ModelConnection,
    api_key: Option<&str>,
    model: &str,
    filename: &str,
    content_type: &str,
    file: &[u8],
) -> Result<String, AskFailure> {
    let url = format!("{}/audio/transcriptions", connection.base_url);
    let client = client(deps, connection.is_trusted);
    let post = client.request(Method::POST, &url);
    let post = post.map_err(|error| AskFailure::new(error.to_string()))?;
    let boundary = boundary_of(file);
    let body = form(&boundary, model, filename, content_type, file);
    let post = post.header(CONTENT_TYPE, format!("multipart/form-data; boundary={boundary}"));
    let post = post.body(body);
    let post = match api_key {
        Some(key) => post.bearer_auth(key),
        None => post,
    };
    let answer = send(post, MAX_ANSWER_BYTES).await.map_err(AskFailure::new)?;
    // The reason of a failure is logged. An answer that is not JSON may be the transcript itself,
    // so the reason does not quote it.
    let answer = match read(&answer) {
        Err(failure) if answer.status.is_success() => {
            Err(AskFailure { reason: "the answer is not JSON".to_owned(), ..failure })
        }
        answer => answer,
    }?;
    let text = answer.get("text").and_then(Value::as_str);
    let text = text.ok_or_else(|| AskFailure::new("the answer has no text"))?;
    Ok(text.trim().to_owned())
}

/// Returns the boundary between the parts of a multipart form with this file. The boundary contains
/// the file's digest. A file cannot contain its own digest, so no file can end its part early.
fn boundary_of(file: &[u8]) -> String {
    format!("switchboard-{}", Digest::new(file).hex())
}

fn form(boundary: &str, model: &str, filename: &str, content_type: &str, file: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    for (name, value) in [("model", model), ("response_format", "json")] {
        body.extend(
            format!(
                "--{boundary}\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n"
            )
            .bytes(),
        );
    }
    body.extend(
        format!(
            "--{boundary}\r\nContent-Disposition: form-data; name=\"file\"; \
             filename=\"{filename}\"\r\nContent-Type: {content_type}\r\n\r\n"
        )
        .bytes(),
    );
    body.extend_from_slice(file);
    body.extend(format!("\r\n--{boundary}--\r\n").bytes());
    body
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_has_the_model_and_the_file() {
        let body = form("boundary", "whisper-1", "voice.ogg", "audio/ogg", b"OggS\0");
        let text = String::from_utf8(body).unwrap();
        assert!(text.contains("name=\"model\"\r\n\r\nwhisper-1\r\n"));
        assert!(
            text.contains("filename=\"voice.ogg\"\r\nContent-Type: audio/ogg\r\n\r\nOggS\0\r\n")
        );
        assert!(text.ends_with("--\r\n"));
    }

    #[test]
    fn a_file_with_the_boundary_of_another_ends_no_part() {
        let known = boundary_of(b"OggS");
        let field = "Content-Disposition: form-data; name=\"model\"\r\n\r\nexpensive";
        let file = format!("OggS\r\n--{known}\r\n{field}\r\n--{known}--\r\n").into_bytes();
        let boundary = boundary_of(&file);
        let body = form(&boundary, "whisper-1", "voice.ogg", "audio/ogg", &file);
        let line = format!("--{boundary}");
        let lines = body.windows(line.len()).filter(|it| *it == line.as_bytes()).count();
        // One before each of the three parts, and one at the end.
        assert_eq!(lines, 4);
    }
}
