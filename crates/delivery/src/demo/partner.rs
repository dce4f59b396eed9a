//! The demo's partner: the server of `examples/partner`, with an application of the demo, on its
//! own port.

#[path = "../../examples/partner/server/mod.rs"]
mod server;

use anyhow::{Context as _, Result};
use domain::application::{Terms, TermsInput};
use domain::id::OrganizationId;
use domain::scope::{Scope, ScopeSet};
use http_layer::deps::ServerDeps;
use persistence::Reader;
use server::Partner;
use service::applications;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};

const NAME: &str = "Pocket CRM";

/// Starts the partner server. `owner` publishes the partner's application. Returns the address to
/// open.
pub async fn start(deps: &ServerDeps, owner: OrganizationId, beside: SocketAddr) -> Result<String> {
    let listener = listener(beside)?;
    let address = format!("http://localhost:{}", listener.local_addr()?.port());
    let (client_id, client_secret) = application(deps, owner, &address).await?;
    let service = deps.config.base_url.clone();
    let partner = Partner { service, address: address.clone(), client_id, client_secret };
    tokio::spawn(server::serve(partner, listener)?);
    Ok(address)
}

/// Binds the port after the server's or, if that is taken, any free port.
fn listener(beside: SocketAddr) -> Result<TcpListener> {
    let next = SocketAddr::from((Ipv4Addr::LOCALHOST, beside.port().wrapping_add(1)));
    let any = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    TcpListener::bind([next, any].as_slice()).context("there is no port for the demo's partner")
}

/// Registers the partner's application once, and rotates its secret at each start.
async fn application(
    deps: &ServerDeps,
    owner: OrganizationId,
    address: &str,
) -> Result<(String, String)> {
    let scopes: ScopeSet = [Scope::MessagesSend, Scope::ConversationsRead].into_iter().collect();
    let terms = Terms::parse(TermsInput {
        name: NAME,
        redirect_uris: &[format!("{address}/callback")],
        scopes,
        description: "Keeps a small business’s customers together. A demo.",
        start_url: address,
    })?;
    let all = applications::list(deps, Reader::from_primary(owner)).await?;
    let Some(known) = all.into_iter().find(|it| it.name == NAME) else {
        let made = applications::register(deps, owner, &terms, true).await?;
        return Ok((made.client_id, made.client_secret));
    };
    applications::change(deps, owner, &known, &terms).await?;
    let secret = applications::rotate_secret(deps, owner, known.id).await?;
    let secret = secret.context("the demo's application was deleted meanwhile")?;
    Ok((known.client_id, secret.reveal().to_owned()))
}
