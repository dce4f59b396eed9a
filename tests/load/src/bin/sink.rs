//! The receiving side for `cargo xtask bench`: webhook endpoints that respond at once, and a
//! channel that is slow with `--delay`. `GET /count` returns the number of requests served.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use actix_web::{App, HttpResponse, HttpServer, web};
use load::{argument, number};
use serde_json::json;

static COUNT: AtomicU64 = AtomicU64::new(0);

async fn count() -> String {
    COUNT.load(Ordering::Relaxed).to_string()
}

/// Accepts a webhook.
async fn take(_body: web::Bytes) -> HttpResponse {
    COUNT.fetch_add(1, Ordering::Relaxed);
    HttpResponse::NoContent().finish()
}

/// Accepts a message like Meta's Graph API.
async fn accept(_body: web::Bytes, delay: web::Data<Duration>) -> HttpResponse {
    tokio::time::sleep(**delay).await; // real time: a slow channel
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
