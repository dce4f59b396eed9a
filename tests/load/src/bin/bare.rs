//! A bare actix-web server with which `cargo xtask bench` compares Switchboard. It has the same
//! paths, so that it gets the same requests.

use actix_web::{App, HttpResponse, HttpServer, web};
use load::{argument, number};
use serde_json::{Value, json};

const READS: [&str; 5] =
    ["/", "/api/v1/me", "/api/v1/templates", "/api/v1/conversations/history", "/api/v1/events"];
const WRITES: [&str; 3] = ["/api/v1/messages", "/connect/token", "/channel/cloud/webhook"];

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
    HttpServer::new(|| {
        let app = READS.iter().fold(App::new(), |app, path| app.route(path, web::get().to(read)));
        WRITES.iter().fold(app, |app, path| app.route(path, web::post().to(write)))
    })
    .workers(number("--workers", 2))
    .bind(bind)?
    .run()
    .await
}
