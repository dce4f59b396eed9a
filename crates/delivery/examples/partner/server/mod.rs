//! The partner's server: a page with the button, the callback, and two things to do once it is connected.
//!
//! It keeps what it knows in memory, a seat for each browser; a real one would keep it with its accounts.

mod handshake;
mod page;

use actix_web::cookie::{Cookie, SameSite};
use actix_web::dev::Server;
use actix_web::http::header;
use actix_web::{App, HttpRequest, HttpResponse, HttpServer, web};
use handshake::{Begun, Connection};
use std::collections::{HashMap, VecDeque};
use std::net::TcpListener;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What the partner is told: where the service is, where it is itself, and its own pair.
pub struct Partner {
    /// Switchboard's base address.
    pub service: String,
    /// Its own, as browsers reach it.
    pub address: String,
    /// Its client id.
    pub client_id: String,
    /// Its secret, which never leaves this server but to the exchange.
    pub client_secret: String,
}

/// The most browsers that are remembered, and handshakes of each that are under way (a tab each).
const SEATS: usize = 1000;
const BEGUN: usize = 10;
const COOKIE: &str = "partner";

/// What is known of one browser.
#[derive(Clone, Default)]
struct Seat {
    begun: VecDeque<Begun>,
    connection: Option<Connection>,
    /// What happened last, and whether it went well.
    said: Option<(bool, String)>,
}

struct Shop {
    partner: Partner,
    http: reqwest::Client,
    seats: Mutex<HashMap<String, Seat>>,
}

impl Shop {
    fn seats(&self) -> MutexGuard<'_, HashMap<String, Seat>> {
        // Nothing in here is ever half done.
        self.seats.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The browser's seat; whoever has none gets one.
    fn seat(&self, request: &HttpRequest) -> (String, Seat) {
        let shown = request.cookie(COOKIE).map(|cookie| cookie.value().to_owned());
        let mut seats = self.seats();
        if let Some((id, seat)) = shown.and_then(|id| seats.get_key_value(&id)) {
            return (id.clone(), seat.clone());
        }
        if seats.len() >= SEATS {
            seats.clear();
        }
        let id = handshake::random::<16>();
        seats.insert(id.clone(), Seat::default());
        (id, Seat::default())
    }

    fn change(&self, id: &str, change: impl FnOnce(&mut Seat)) {
        if let Some(seat) = self.seats().get_mut(id) {
            change(seat);
        }
    }
}

/// The partner's server on `listener`, to be awaited.
pub fn serve(partner: Partner, listener: TcpListener) -> std::io::Result<Server> {
    let shop = Arc::new(Shop { partner, http: reqwest::Client::new(), seats: Mutex::default() });
    let app = move || {
        App::new()
            .app_data(web::Data::new(shop.clone()))
            .route("/", web::get().to(front))
            .route("/callback", web::get().to(callback))
            .route("/send", web::post().to(send))
            .route("/disconnect", web::post().to(disconnect))
            .route("/{asset}", web::get().to(page::asset))
    };
    Ok(HttpServer::new(app).workers(1).disable_signals().listen(listener)?.run())
}

/// The page with the button, or what is connected.
async fn front(request: HttpRequest, shop: web::Data<Arc<Shop>>) -> HttpResponse {
    let (id, mut seat) = shop.seat(&request);
    let begun = Begun::new();
    let authorize_url = begun.authorize_url(&shop.partner);
    shop.change(&id, |seat| {
        seat.begun.push_back(begun);
        if seat.begun.len() > BEGUN {
            seat.begun.pop_front();
        }
        seat.said = None;
    });
    let said = seat.said.take();
    let mut response = page::front(&shop.partner, &authorize_url, seat.connection.as_ref(), said);
    // Strict would keep the cookie back when the service sends the browser here.
    let cookie = Cookie::build(COOKIE, id).path("/").http_only(true).same_site(SameSite::Lax);
    if response.add_cookie(&cookie.finish()).is_err() {
        return HttpResponse::InternalServerError().finish();
    }
    response
}

/// Where the service sends the browser: with a code, or with an error.
async fn callback(request: HttpRequest, shop: web::Data<Arc<Shop>>) -> HttpResponse {
    let (id, mut seat) = shop.seat(&request);
    let query: HashMap<String, String> =
        serde_urlencoded::from_str(request.query_string()).unwrap_or_default();
    let state = query.get("state").map(String::as_str).unwrap_or_default();
    // Only a handshake that this browser began here, and each once.
    let found = seat.begun.iter().position(|begun| begun.is(state));
    let Some(begun) = found.and_then(|at| seat.begun.remove(at)) else {
        return said(
            &shop,
            &id,
            false,
            "That was not begun in this browser. Click the button again.",
        );
    };
    shop.change(&id, |it| it.begun = seat.begun);
    let outcome = match (query.get("code"), query.get("error").map(String::as_str)) {
        (Some(code), _) => handshake::exchange(&shop.http, &shop.partner, &begun, code).await,
        (None, Some("access_denied")) => Err("You declined. Nothing was connected.".to_owned()),
        (None, error) => Err(format!("It did not work: {}.", error.unwrap_or("no code came"))),
    };
    match outcome {
        Ok(connection) => {
            let sentence = format!("Connected to {}.", connection.organization);
            shop.change(&id, |seat| seat.connection = Some(connection));
            said(&shop, &id, true, &sentence)
        }
        Err(sentence) => said(&shop, &id, false, &sentence),
    }
}

/// Sends a message in the business's name.
async fn send(request: HttpRequest, shop: web::Data<Arc<Shop>>) -> HttpResponse {
    let (id, seat) = shop.seat(&request);
    let Some(connection) = seat.connection else { return back() };
    match connection.send_hello(&shop.http, &shop.partner).await {
        Ok(sentence) => said(&shop, &id, true, &sentence),
        Err(sentence) => said(&shop, &id, false, &sentence),
    }
}

/// Hands the key back.
async fn disconnect(request: HttpRequest, shop: web::Data<Arc<Shop>>) -> HttpResponse {
    let (id, seat) = shop.seat(&request);
    let Some(connection) = seat.connection else { return back() };
    match connection.hand_back(&shop.http, &shop.partner).await {
        Ok(()) => {
            shop.change(&id, |seat| seat.connection = None);
            said(&shop, &id, true, "Disconnected: the key was handed back.")
        }
        Err(sentence) => said(&shop, &id, false, &sentence),
    }
}

fn said(shop: &Shop, id: &str, well: bool, sentence: &str) -> HttpResponse {
    shop.change(id, |seat| seat.said = Some((well, sentence.to_owned())));
    back()
}

fn back() -> HttpResponse {
    HttpResponse::SeeOther().insert_header((header::LOCATION, "/")).finish()
}
