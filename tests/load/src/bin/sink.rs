//! The other side of what Switchboard sends, for `cargo xtask bench`: endpoints of webhooks that answer at once, and
//! with `--delay` a slow channel. `GET /count` says how many requests were answered.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use actix_web::{App, HttpResponse, HttpServer, web};
use load::{argument, number};
use serde_json::json;

static COUNT: AtomicU64 = AtomicU64::new(0);

async fn count() -> String {
    COUNT.load(Ordering::Relaxed).to_string()
}

/// An endpoint's answer.
async fn take(_body: web::Bytes) -> HttpResponse {
    COUNT.fetch_add(1, Ordering::Relaxed);
    HttpResponse::NoContent().finish()
}

/// The answer of Meta's Graph API to a message.
async fn accept(_body: web::Bytes, delay: web::Data<Duration>) -> HttpResponse {
    tokio::time::sleep(**delay).await; // real time: a channel that is slow takes it
    let id = format!("wamid.{}", COUNT.fetch_add(1, Ordering::Relaxed));
    HttpResponse::Ok().json(json!({
        "messaging_product": "whatsapp",
        "contacts": [{"input": "+12026000000", "wa_id": "12026000000"}],
        "messages": [{"id": id}],
    }))
}

#[actix_web::main]
async fn main() -> std::io::Result<()> {
    let bind = argument("--bind").unwrap_or_else(|| "127.0.0.1:8078".to_owned());
    let delay = Duration::from_millis(number("--delay", 0));
    HttpServer::new(move || {
        let messages = if delay.is_zero() { web::post().to(take) } else { web::post().to(accept) };
        App::new()
            .app_data(web::Data::new(delay))
            .route("/count", web::get().to(count))
            .default_service(messages)
    })
    .workers(1)
    .bind(bind)?
    .run()
    .await
}
