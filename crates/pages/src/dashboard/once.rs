//! Forms that create or rotate something. They do so once, even if a form is submitted again: by a
//! double click, by going back and submitting again, or by a browser that repeats the request.

use super::frame::{MemberContext, page_of};
use super::notice::Notice;
use crate::browser::PagePolicy;
use crate::browser::{Form, PageError, PlainPage, redirect};
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse};
use auth::digest::Digest;
use http_layer::deps::ServerDeps;
use http_layer::problem::Problem;
use http_layer::request_id::request_id;
use persistence::records::{FormKey, FormResult};
use platform::clock::Stopwatch;
use service::forms;
use std::time::Duration;
use tracing::Instrument as _;

/// A repeated submission waits for the result of the first one for up to `STEPS` times `STEP`.
const STEPS: u32 = 50;
const STEP: Duration = Duration::from_millis(100);

/// The result of a completed action.
pub struct ActionResult {
    /// The page that shows the result.
    pub location: String,
    /// The notice that the page shows once.
    pub notice: Notice,
}

/// Runs a handler to completion even if the browser disconnects. A double click cancels the first
/// request, and the second request returns the result of the first.
pub async fn run_to_completion(
    work: impl Future<Output = Result<HttpResponse, PageError>> + 'static,
) -> Result<HttpResponse, PageError> {
    let watch = Stopwatch::start();
    // The deadline for the database is bound to the task, so the new task needs one of its own.
    let work = persistence::deadline::of_request(move || watch.elapsed(), work);
    let done = actix_web::rt::spawn(work.in_current_span()).await;
    done.unwrap_or_else(|error| Err(Problem::internal(&error).into()))
}

impl MemberContext {
    /// Runs `work` if the form is submitted for the first time, and redirects to the page with the
    /// result of the first submission. A form that `work` refuses can be submitted again. Call this
    /// within [`run_to_completion`].
    pub async fn once<Refused>(
        &self,
        deps: &ServerDeps,
        request: &HttpRequest,
        form: &Form,
        work: impl Future<Output = Result<Result<ActionResult, Refused>, PageError>>,
    ) -> Result<Result<HttpResponse, Refused>, PageError> {
        let key = self.form_key(request, form);
        if !forms::begin(deps, key.clone()).await? {
            return Ok(Ok(result_of_first(deps, key, request).await?));
        }
        // After an error on our side the form counts as submitted, because `work` may be half done.
        let ActionResult { location, notice } = match work.await {
            Ok(Ok(done)) => done,
            Err(error) => {
                if matches!(error, PageError::Forbidden(_)) {
                    forms::release(deps, key).await?;
                }
                return Err(error);
            }
            Ok(Err(refused)) => {
                forms::release(deps, key).await?;
                return Ok(Err(refused));
            }
        };
        let address = notice.address(&location, &key.id);
        let sealed = self.visitor.seal(deps, &key.id, &notice)?;
        forms::finish(deps, key, address.clone(), sealed).await?;
        Ok(Ok(redirect(&address)))
    }

    /// Like [`Self::once`], but returns the page that `refused` creates if `work` refuses the form.
    pub async fn once_or<Refused>(
        &self,
        deps: &ServerDeps,
        request: &HttpRequest,
        form: &Form,
        work: impl Future<Output = Result<Result<ActionResult, Refused>, PageError>>,
        refused: impl AsyncFnOnce(Refused) -> Result<HttpResponse, PageError>,
    ) -> Result<HttpResponse, PageError> {
        match self.once(deps, request, form, work).await? {
            Ok(response) => Ok(response),
            Err(errors) => refused(errors).await,
        }
    }

    /// Whether the form is submitted for the first time. This is for actions whose result the page
    /// shows without a notice. Call [`Self::release`] if the action is refused.
    pub async fn is_first(
        &self,
        deps: &ServerDeps,
        request: &HttpRequest,
        form: &Form,
    ) -> Result<bool, PageError> {
        Ok(forms::begin(deps, self.form_key(request, form)).await?)
    }

    /// Lets a form that was refused be submitted again.
    pub async fn release(
        &self,
        deps: &ServerDeps,
        request: &HttpRequest,
        form: &Form,
    ) -> Result<(), PageError> {
        Ok(forms::release(deps, self.form_key(request, form)).await?)
    }

    /// Redirects to a page that shows the notice once.
    pub async fn redirect_with_flash(
        &self,
        deps: &ServerDeps,
        location: &str,
        notice: &Notice,
    ) -> Result<HttpResponse, PageError> {
        let address = notice.keep(deps, &self.visitor, self.id(), location).await?;
        Ok(redirect(&address))
    }

    /// Returns the key of a submission. It includes path, action and message, because a page may have
    /// several forms and a form several buttons.
    fn form_key(&self, request: &HttpRequest, form: &Form) -> FormKey {
        let parts = ["token", "action", "message"].map(|name| form.value(name)).into_iter();
        let parts: Vec<&str> = parts.chain([request.path()]).collect();
        let digest = Digest::new(parts.join("\0").as_bytes());
        let id = digest.hex().chars().take(32).collect();
        FormKey { organization: self.id(), session: self.visitor.digest(), id }
    }
}

/// Waits for the result of the first submission and redirects to it.
async fn result_of_first(
    deps: &ServerDeps,
    key: FormKey,
    request: &HttpRequest,
) -> Result<HttpResponse, PageError> {
    let path = request.path();
    for _ in 0..STEPS {
        match forms::result(deps, key.clone()).await? {
            // The first submission was refused, so the page can be used again.
            None => return Ok(redirect(&page_of(request))),
            Some(FormResult { location: Some(location), .. }) => return Ok(redirect(&location)),
            Some(_) => tokio::time::sleep(STEP).await,
        }
    }
    let title = "This form was already submitted";
    let sentences = ["It is not known what came of it. Check the page before you submit it again."];
    let (link, request_id) = (Some((path, "Check the page")), &request_id(request));
    let page = PlainPage { status: "", title, sentences: &sentences, link, request_id };
    Ok(PagePolicy::Dashboard.page(StatusCode::CONFLICT, &page))
}
