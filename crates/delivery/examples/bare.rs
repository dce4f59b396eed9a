//! A bare actix-web server: what `cargo xtask bench` measures Switchboard against.

use actix_web::{App, HttpResponse, HttpServer, web};
use serde_json::{Value, json};

fn argument(name: &str) -> Option<String> {
    let mut arguments = std::env::args().skip_while(|argument| argument != name);
    arguments.nth(1)
}

async fn read() -> HttpResponse {
    HttpResponse::Ok().json(
        json!({"key": {"id": "key_0", "name": "bench"}, "plan": {"name": "bench", "used": 1}}),
    )
}

async fn write(body: web::Json<Value>) -> HttpResponse {
    HttpResponse::Created()
        .json(json!({"id": "msg_0", "status": "queued", "to": body.get("phone_number")}))
}

#[actix_web::main]
async fn main() -> std::io::Result<()> {
    let bind = argument("--bind").unwrap_or_else(|| "127.0.0.1:8079".to_owned());
    let workers = argument("--workers").and_then(|text| text.parse().ok()).unwrap_or(2);
    HttpServer::new(|| App::new().route("/", web::get().to(read)).route("/", web::post().to(write)))
        .workers(workers)
        .bind(bind)?
        .run()
        .await
}
