//! `GET /connect/authorize`: what an application asks is read, judged and kept here; from then on only an
//! id of it travels (`contract.md` 3, `security.md` 1 and 10).

use crate::browser::{Failed, Visitor, message, redirect};
use crate::deps::Deps;
use crate::operation::scopes_of;
use crate::problem::Problem;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use auth::authorize::{Asked, Parameters};
use domain::id::ConsentId;
use domain::scope::Scope;
use domain::word::Word as _;
use percent_encoding::percent_decode;
use persistence::rows::{Application, Consent};
use std::sync::Arc;

/// Why there is no redirect, not even to say so: nobody knows whose address it would be.
enum Stranger {
    Repeated,
    NoApplication,
    OtherAddress,
}

/// Begins a handshake.
pub async fn begin(
    request: HttpRequest,
    deps: web::Data<Arc<Deps>>,
) -> Result<HttpResponse, Failed> {
    let parameters = Parameters::of(pairs(request.query_string()));
    let Ok(parameters) = parameters else { return Ok(stranger(&Stranger::Repeated)) };
    let client_id = parameters.text("client_id").unwrap_or_default();
    let Some(application) = super::application(&deps, client_id).await? else {
        return Ok(stranger(&Stranger::NoApplication));
    };
    let Some(redirect_uri) = registered(&application, &parameters) else {
        return Ok(stranger(&Stranger::OtherAddress));
    };
    let visitor = Visitor::of(&request, &deps).await?;
    let id = keep(&deps, &visitor, &application, redirect_uri, &parameters).await?;
    let to = if visitor.member.is_some() {
        format!("/connect/consent/{id}")
    } else {
        format!("/login?consent={id}")
    };
    Ok(visitor.seen_off(redirect(&to)))
}

/// The registered address that is asked for, byte for byte after one decoding.
fn registered(application: &Application, parameters: &Parameters) -> Option<String> {
    let wanted = parameters.bytes("redirect_uri")?;
    addresses(application)?.into_iter().find(|address| address.as_bytes() == wanted)
}

fn addresses(application: &Application) -> Option<Vec<String>> {
    serde_json::from_str(&application.redirect_uris.0).ok()
}

/// A page in place of what was asked, if its address has been removed from the application since.
pub fn removed(application: &Application, consent: &Consent) -> Option<HttpResponse> {
    let registered = addresses(application).is_some_and(|all| all.contains(&consent.redirect_uri));
    (!registered).then(|| stranger(&Stranger::OtherAddress))
}

async fn keep(
    deps: &Deps,
    visitor: &Visitor,
    application: &Application,
    redirect_uri: String,
    parameters: &Parameters,
) -> Result<ConsentId, Problem> {
    let now = deps.clock.now();
    let id: ConsentId = deps.id(now);
    let judged = Asked::judge(parameters, scopes_of(&application.scopes));
    let scopes = judged.as_ref().ok().map(|asked| {
        let names: Vec<&str> = asked.scopes.iter().map(Scope::as_str).collect();
        names.join(" ")
    });
    let row = Consent {
        id: id.into(),
        session_digest: visitor.digest(),
        application_id: application.id,
        redirect_uri,
        scopes,
        state: parameters.bytes("state").unwrap_or_default().to_vec(),
        challenge: judged.as_ref().ok().map(|asked| asked.challenge.as_str().to_owned()),
        wrong: judged.err().map(|wrong| wrong.word().to_owned()),
        popup: parameters.bytes("display") == Some(b"popup"),
        created_at: now.into(),
        used_at: None,
    };
    deps.db.insert_consent(row).await?;
    Ok(id)
}

fn stranger(why: &Stranger) -> HttpResponse {
    let (title, sentences): (&str, [&str; 2]) = match why {
        Stranger::Repeated => (
            "This link is not right",
            [
                "A parameter stands twice in it, so nobody can tell which one is meant.",
                "Go back to the application and tell its makers; there is nothing that you can do here.",
            ],
        ),
        Stranger::NoApplication => (
            "No such application",
            [
                "The link that brought you here names an application that does not exist, or not any more.",
                "Go back to the application and tell its makers; there is nothing that you can do here.",
            ],
        ),
        Stranger::OtherAddress => (
            "The redirect address does not match",
            [
                "The application asks to be told the outcome at an address that it did not register, letter \
                 for letter. So nothing is told to anybody.",
                "If this is your application: register the very address that it sends as redirect_uri.",
            ],
        ),
    };
    message(StatusCode::BAD_REQUEST, title, &sentences)
}

/// The parameters of a query, each decoded once, as bytes: they need not be text.
fn pairs(query: &str) -> Vec<(Vec<u8>, Vec<u8>)> {
    let decoded = |text: &str| {
        let spaced = text.replace('+', " ");
        percent_decode(spaced.as_bytes()).collect::<Vec<u8>>()
    };
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    let pairs = pairs.map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    pairs.map(|(name, value)| (decoded(name), decoded(value))).collect()
}
