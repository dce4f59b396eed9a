//! The partner's server: a page with the button, the callback, and two actions once a business is
//! connected.
//!
//! Sessions are kept in memory, one per browser. A real server would keep them with its user
//! accounts.

mod handshake;
mod page;

use actix_web::cookie::{Cookie, SameSite};
use actix_web::dev::Server;
use actix_web::http::header;
use actix_web::{App, HttpRequest, HttpResponse, HttpServer, web};
use handshake::{Begun, PartnerConnection};
use parking_lot::{Mutex, MutexGuard};
use std::collections::{HashMap, VecDeque};
use std::net::TcpListener;
use std::sync::Arc;

/// The partner's configuration: the service's address, its own address and its client credentials.
pub struct Partner {
    /// Switchboard's base URL.
    pub service: String,
    /// The partner's own base URL, as browsers reach it.
    pub address: String,
    pub client_id: String,
    /// The client secret. It is sent only to the token endpoint.
    pub client_secret: String,
}

/// Upper limits: the number of browsers with a session, and of open handshakes per browser (one per
/// tab).
const SEATS: usize = 1000;
const BEGUN: usize = 10;
const COOKIE: &str = "partner";

/// The state of one browser's session.
#[derive(Clone, Default)]
struct BrowserSession {
    begun: VecDeque<Begun>,
    connection: Option<PartnerConnection>,
    /// The outcome of the last action: whether it succeeded, and a sentence.
    said: Option<(bool, String)>,
}

struct PartnerServer {
    partner: Partner,
    http: reqwest::Client,
    sessions: Mutex<HashMap<String, BrowserSession>>,
}

/// Reads the session id from the browser's cookie. Cookies are read as bytes, because another
/// program on the same host may set a cookie that is not ASCII.
fn shown_session(request: &HttpRequest) -> Option<String> {
    let mut cookies = request
        .headers()
        .get_all(header::COOKIE)
        .flat_map(|value| value.as_bytes().split(|byte| *byte == b';').map(<[u8]>::trim_ascii));
    let id = cookies.find_map(|it| it.strip_prefix(COOKIE.as_bytes())?.strip_prefix(b"="))?;
    String::from_utf8(id.to_vec()).ok()
}

impl PartnerServer {
    fn sessions(&self) -> MutexGuard<'_, HashMap<String, BrowserSession>> {
        self.sessions.lock()
    }

    /// Returns the browser's session, or creates one.
    fn session(&self, request: &HttpRequest) -> (String, BrowserSession) {
        let shown = shown_session(request);
        let mut sessions = self.sessions();
        if let Some((id, session)) = shown.and_then(|id| sessions.get_key_value(&id)) {
            return (id.clone(), session.clone());
        }
        if sessions.len() >= SEATS {
            sessions.clear();
        }
        let id = handshake::random::<16>();
        sessions.insert(id.clone(), BrowserSession::default());
        (id, BrowserSession::default())
    }

    fn change(&self, id: &str, change: impl FnOnce(&mut BrowserSession)) {
        if let Some(session) = self.sessions().get_mut(id) {
            change(session);
        }
    }
}

/// Starts the partner's server on `listener`. The caller awaits it.
pub fn serve(partner: Partner, listener: TcpListener) -> std::io::Result<Server> {
    let server = Arc::new(PartnerServer {
        partner,
        http: reqwest::Client::new(),
        sessions: Mutex::default(),
    });
    let app = move || {
        App::new()
            .app_data(web::Data::new(server.clone()))
            .route("/", web::get().to(front))
            .route("/callback", web::get().to(callback))
            .route("/send", web::post().to(send))
            .route("/disconnect", web::post().to(disconnect))
            .route("/{asset}", web::get().to(page::asset))
    };
    Ok(HttpServer::new(app).workers(1).disable_signals().listen(listener)?.run())
}

/// Shows the page with the button or with the connection.
async fn front(request: HttpRequest, server: web::Data<Arc<PartnerServer>>) -> HttpResponse {
    let (id, mut session) = server.session(&request);
    let begun = Begun::new();
    let authorize_url = begun.authorize_url(&server.partner);
    server.change(&id, |session| {
        session.begun.push_back(begun);
        if session.begun.len() > BEGUN {
            session.begun.pop_front();
        }
        session.said = None;
    });
    let said = session.said.take();
    let mut response =
        page::front(&server.partner, &authorize_url, session.connection.as_ref(), said);
    // With `SameSite=Strict` the browser would not send the cookie when the service redirects it
    // here.
    let cookie = Cookie::build(COOKIE, id).path("/").http_only(true).same_site(SameSite::Lax);
    if response.add_cookie(&cookie.finish()).is_err() {
        return HttpResponse::InternalServerError().finish();
    }
    response
}

/// Handles the redirect from the service, which carries a code or an error.
async fn callback(request: HttpRequest, server: web::Data<Arc<PartnerServer>>) -> HttpResponse {
    let (id, mut session) = server.session(&request);
    #[expect(clippy::disallowed_methods, reason = "an unreadable query matches no handshake")]
    let query: HashMap<String, String> =
        serde_urlencoded::from_str(request.query_string()).unwrap_or_default();
    let state = query.get("state").map(String::as_str).unwrap_or_default();
    // Accepts only a handshake that this browser started, and accepts each handshake only once.
    let found = session.begun.iter().position(|begun| begun.is(state));
    let Some(begun) = found.and_then(|at| session.begun.remove(at)) else {
        return said(
            &server,
            &id,
            false,
            "That was not begun in this browser. Click the button again.",
        );
    };
    server.change(&id, |it| it.begun = session.begun);
    let outcome = match (query.get("code"), query.get("error").map(String::as_str)) {
        (Some(code), _) => handshake::exchange(&server.http, &server.partner, &begun, code).await,
        (None, Some("access_denied")) => Err("You declined. Nothing was connected.".to_owned()),
        (None, error) => Err(format!("It did not work: {}.", error.unwrap_or("no code came"))),
    };
    match outcome {
        Ok(connection) => {
            let sentence = format!("Connected to {}.", connection.organization);
            server.change(&id, |session| session.connection = Some(connection));
            said(&server, &id, true, &sentence)
        }
        Err(sentence) => said(&server, &id, false, &sentence),
    }
}

/// Sends a message on behalf of the business.
async fn send(request: HttpRequest, server: web::Data<Arc<PartnerServer>>) -> HttpResponse {
    let (id, session) = server.session(&request);
    let Some(connection) = session.connection else { return back() };
    match connection.send_hello(&server.http, &server.partner).await {
        Ok(sentence) => said(&server, &id, true, &sentence),
        Err(sentence) => said(&server, &id, false, &sentence),
    }
}

/// Deletes the key.
async fn disconnect(request: HttpRequest, server: web::Data<Arc<PartnerServer>>) -> HttpResponse {
    let (id, session) = server.session(&request);
    let Some(connection) = session.connection else { return back() };
    match connection.hand_back(&server.http, &server.partner).await {
        Ok(()) => {
            server.change(&id, |session| session.connection = None);
            said(&server, &id, true, "Disconnected: the key was handed back.")
        }
        Err(sentence) => said(&server, &id, false, &sentence),
    }
}

fn said(server: &PartnerServer, id: &str, well: bool, sentence: &str) -> HttpResponse {
    server.change(id, |session| session.said = Some((well, sentence.to_owned())));
    back()
}

fn back() -> HttpResponse {
    HttpResponse::SeeOther().insert_header((header::LOCATION, "/")).finish()
}
