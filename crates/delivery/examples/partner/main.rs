//! A sample partner server, to read and to copy: it shows the Connect button, does the handshake,
//! calls the API for the business that connected it, and deletes its key on disconnect.
//!
//! `switchboard serve --demo` runs the same server with an application of the demo. To run it
//! alone:
//!
//! ```sh
//! switchboard admin application create --organization Bakery --name "My CRM" \
//!   --redirect-uri http://localhost:8081/callback --scopes messages.send,conversations.read
//! PARTNER_CLIENT_ID=swa_… PARTNER_CLIENT_SECRET=sws_… cargo run --example partner
//! ```

mod server;

use anyhow::{Context as _, Result};
use server::Partner;
use std::env;
use std::net::TcpListener;

#[tokio::main]
async fn main() -> Result<()> {
    let setting = |name: &str, default: &str| env::var(name).unwrap_or_else(|_| default.to_owned());
    let needed = |name: &str| env::var(name).with_context(|| format!("set {name}"));
    let bind = setting("PARTNER_BIND", "127.0.0.1:8081");
    let partner = Partner {
        service: setting("SWITCHBOARD_BASE_URL", "http://localhost:8080"),
        address: setting("PARTNER_ADDRESS", "http://localhost:8081"),
        client_id: needed("PARTNER_CLIENT_ID")?,
        client_secret: needed("PARTNER_CLIENT_SECRET")?,
    };
    // HTTPS calls need a cryptography provider. If one is installed already, it stays.
    drop(rustls::crypto::ring::default_provider().install_default());
    let listener = TcpListener::bind(&bind).with_context(|| format!("cannot listen on {bind}"))?;
    println!("Open {}", partner.address);
    server::serve(partner, listener)?.await?;
    Ok(())
}
