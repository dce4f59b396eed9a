//! Forms that create or rotate something do so once, however often they are submitted: by a double click,
//! by Back and submitting again, or by a browser that repeats the request.

use super::frame::MemberContext;
use super::notice::Notice;
use crate::browser::PagePolicy;
use crate::browser::{Form, Message, PageError, redirect};
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse};
use auth::digest::Digest;
use http_layer::deps::Deps;
use http_layer::problem::Problem;
use http_layer::request_id::request_id;
use persistence::records::{FormKey, FormResult};
use platform::clock::Stopwatch;
use service::forms;
use std::time::Duration;
use tracing::Instrument as _;

/// How long a second submission waits for the first one, in so many steps of so long.
const STEPS: u32 = 50;
const STEP: Duration = Duration::from_millis(100);

/// What was done.
pub struct ActionResult {
    /// The page that shows it.
    pub location: String,
    /// What that page says, once.
    pub notice: Notice,
}

/// Runs a handler to its end, also when the browser leaves: anyone who clicks twice gives up the first
/// request, and what the second one leads to is what the first one did.
pub async fn run_to_completion(
    work: impl Future<Output = Result<HttpResponse, PageError>> + 'static,
) -> Result<HttpResponse, PageError> {
    let watch = Stopwatch::start();
    // Another task, so the bound on waiting for the database begins again with it.
    let work = persistence::deadline::of_request(move || watch.elapsed(), work);
    let done = actix_web::rt::spawn(work.in_current_span()).await;
    done.unwrap_or_else(|error| Err(Problem::internal(&error).into()))
}

impl MemberContext {
    /// Does what a form asks for if it is submitted for the first time, and leads to the page of what was
    /// done. What is refused may be submitted again. Call this within [`run_to_completion`].
    pub async fn once<Refused>(
        &self,
        deps: &Deps,
        request: &HttpRequest,
        form: &Form,
        work: impl Future<Output = Result<Result<ActionResult, Refused>, PageError>>,
    ) -> Result<Result<HttpResponse, Refused>, PageError> {
        let key = self.form_key(request, form);
        if !forms::begin(deps, key.clone()).await? {
            return Ok(Ok(result_of_first(deps, key, request).await?));
        }
        // A failure of ours leaves the form submitted: nobody knows how far it came.
        let ActionResult { location, notice } = match work.await? {
            Ok(done) => done,
            Err(refused) => {
                forms::release(deps, key).await?;
                return Ok(Err(refused));
            }
        };
        let address = notice.address(&location, &key.id);
        let sealed = self.visitor.seal(deps, &key.id, &notice)?;
        forms::finish(deps, key, address.clone(), sealed).await?;
        Ok(Ok(redirect(&address)))
    }

    /// The same; what is refused is said on the page that `refused` makes.
    pub async fn once_or<Refused>(
        &self,
        deps: &Deps,
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

    /// Leads to a page that says something, once.
    pub async fn redirect_with_flash(
        &self,
        deps: &Deps,
        location: &str,
        notice: &Notice,
    ) -> Result<HttpResponse, PageError> {
        let address = notice.keep(deps, &self.visitor, self.id(), location).await?;
        Ok(redirect(&address))
    }

    /// One page may hold several forms, and a form several buttons.
    fn form_key(&self, request: &HttpRequest, form: &Form) -> FormKey {
        let parts = [form.value("token"), request.path(), form.value("action")];
        let digest = Digest::of(parts.join("\0").as_bytes());
        let id = digest.hex().chars().take(32).collect();
        FormKey { organization: self.id(), session: self.visitor.digest(), id }
    }
}

/// Leads to what the first submission did, once that is known.
async fn result_of_first(
    deps: &Deps,
    key: FormKey,
    request: &HttpRequest,
) -> Result<HttpResponse, PageError> {
    let path = request.path();
    for _ in 0..STEPS {
        match forms::result(deps, key.clone()).await? {
            // The first one was refused: the page is there to submit it again.
            None => return Ok(redirect(path)),
            Some(FormResult { location: Some(location), .. }) => return Ok(redirect(&location)),
            Some(_) => tokio::time::sleep(STEP).await,
        }
    }
    let title = "This form was already submitted";
    let sentences = ["It is not known what came of it. Check the page before you submit it again."];
    let (link, request_id) = (Some((path, "Check the page")), &request_id(request));
    let page = Message { title, sentences: &sentences, link, request_id };
    Ok(PagePolicy::Dashboard.page(StatusCode::CONFLICT, &page))
}
