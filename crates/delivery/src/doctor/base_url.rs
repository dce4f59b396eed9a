//! Checks of the base URL: whether it leads to this server, and whether the server learns the
//! caller's address.

use super::certificate::{CertificateRecorder, CertificateState};
use super::own_certificate;
use super::probe::{self, ObservedRequest, ProbeQuestion};
use super::{BASE_URL, Examination};
use crate::checks::Finding;
use platform::error_chain::{chain, find};
use platform::outbound;
use reqwest::{Client, Response, StatusCode, Url};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

const TRUSTED_PROXIES: &str = "SWITCHBOARD_TRUSTED_PROXIES";
const BIND: &str = "SWITCHBOARD_BIND";
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);
/// The number of days before which a certificate must have been renewed. Programs that renew
/// certificates automatically do so 30 days before the end.
const MIN_DAYS_LEFT: u64 = 14;
/// The size of a test body in bytes. It is more than the 1 MiB that proxies accept by default.
const LARGE: usize = 2 * 1024 * 1024;

/// The server that answers at this server's own address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Responder {
    /// A server of this database.
    This,
    Somebody,
    /// A server whose certificate is not the configured one, or that uses no TLS.
    Mismatched,
    Nobody,
}

/// Probes the address of `SWITCHBOARD_BIND`.
pub async fn is_served_here(it: &Examination) -> Responder {
    let bind = it.settings.bind;
    let host = match bind.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    let address = SocketAddr::new(host, bind.port());
    let (scheme, http) = match &it.settings.tls {
        None => ("http", client().map(|(http, _)| http)),
        Some(files) => ("https", own_certificate::client(files).and_then(built)),
    };
    let Ok(http) = http else { return Responder::Nobody };
    match request_probe(it, &http, &format!("{scheme}://{address}")).await {
        Ok(ProbeAnswer { seen: Some(_), .. }) => Responder::This,
        Ok(_) => Responder::Somebody,
        Err(error) if find::<rustls::Error>(&error).is_some() => Responder::Mismatched,
        Err(_) => Responder::Nobody,
    }
}

/// The answer to a probe.
struct ProbeAnswer {
    response: Response,
    /// The request as the server saw it, if it is a server of this database.
    seen: Option<ObservedRequest>,
}

/// Checks the base URL. `here` is the server that answers at this server's own address.
pub async fn check(it: &Examination, here: Responder) -> Vec<Finding> {
    let base = it.settings.base_url.as_str();
    let mut findings = vec![local(it, here)];
    let (http, witness) = match client() {
        Ok(made) => made,
        Err(why) => {
            findings.push(Finding::failed(BASE_URL, why, "install ca-certificates"));
            return findings;
        }
    };
    if let Err(finding) = resolve(base).await {
        findings.push(finding);
        return findings;
    }
    let answer = request_probe(it, &http, base).await;
    let validity = witness.validity();
    findings.extend(validity.as_ref().map(|validity| certificate(it, validity)));
    findings.extend(plain(base));
    match answer {
        // The finding about the certificate has already reported the cause.
        Err(_) if matches!(validity, Some(CertificateState::Refused(_))) => {}
        Err(error) => findings.push(unreachable(base, &chain(&error), here)),
        Ok(answer) => {
            let (found, seen) = reached(it, answer, here);
            findings.push(found);
            if let Some(seen) = seen {
                findings.push(forwarded(it, &seen));
                findings.extend(large(&http, base).await);
            }
        }
    }
    findings
}

fn local(it: &Examination, here: Responder) -> Finding {
    let bind = it.settings.bind;
    match here {
        Responder::This => {
            Finding::ok(BIND, format!("a server of this database answers at {bind}"))
        }
        Responder::Somebody if it.key.is_none() => {
            Finding::ok(BIND, format!("a server answers at {bind}"))
        }
        Responder::Somebody => {
            let what =
                format!("another program, or a server of another database, answers at {bind}");
            Finding::failed(BIND, what, "stop that, or choose another address")
        }
        Responder::Mismatched => {
            let what = format!(
                "the server at {bind} does not use the certificate in SWITCHBOARD_TLS_CERT"
            );
            let advice = "see the server's log: it keeps the previous pair while the files do not match each other; or start it \
                          again, if it was started without them";
            Finding::failed(BIND, what, advice)
        }
        Responder::Nobody => {
            let what = format!("no server answers at {bind}");
            Finding::warning(
                BIND,
                what,
                "start it with `switchboard serve`, and run doctor again beside it",
            )
        }
    }
}

/// Returns a client that verifies certificates as all other clients do, and records the
/// certificate.
fn client() -> Result<(Client, Arc<CertificateRecorder>), String> {
    let (tls, witness) =
        outbound::with_verifier(CertificateRecorder::new).map_err(|error| error.to_string())?;
    Ok((built(tls)?, witness))
}

fn built(tls: rustls::ClientConfig) -> Result<Client, String> {
    let client =
        outbound::client(tls).no_proxy().connect_timeout(CONNECT_TIMEOUT).timeout(ANSWER_TIMEOUT);
    // Each probe uses a new connection, so that it goes through the proxy like a caller's first
    // request.
    client.pool_max_idle_per_host(0).build().map_err(|error| chain(&error))
}

async fn request_probe(
    it: &Examination,
    http: &Client,
    base: &str,
) -> Result<ProbeAnswer, reqwest::Error> {
    let question = it.key.as_ref().and_then(|key| probe::new_question(key, &it.entropy));
    let request = http.get(format!("{base}/healthz"));
    let request = match &question {
        Some(question) => request.header(probe::HEADER, &question.header),
        None => request,
    };
    let response = request.send().await.map_err(reqwest::Error::without_url)?;
    let seen = question.and_then(|question| read(it, &question, &response));
    Ok(ProbeAnswer { response, seen })
}

fn read(
    it: &Examination,
    question: &ProbeQuestion,
    response: &Response,
) -> Option<ObservedRequest> {
    let header = response.headers().get(probe::HEADER)?.to_str().ok()?;
    probe::read(it.key.as_ref()?, question, header)
}

async fn resolve(base: &str) -> Result<(), Finding> {
    let failed = |why: &str| {
        let advice =
            "set up the name's A and AAAA records (or /etc/hosts), or correct SWITCHBOARD_BASE_URL";
        Finding::failed(BASE_URL, format!("{base} cannot be resolved: {why}"), advice)
    };
    let url = Url::parse(base).map_err(|error| failed(&error.to_string()))?;
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']).to_owned();
    let port = url.port_or_known_default().unwrap_or_default();
    let looked_up = tokio::net::lookup_host((host, port));
    match tokio::time::timeout(ANSWER_TIMEOUT, looked_up).await {
        Ok(Ok(mut found)) => match found.next() {
            Some(_) => Ok(()),
            None => Err(failed("the name has no address")),
        },
        Ok(Err(error)) => Err(failed(&error.to_string())),
        Err(_) => Err(failed("no answer in time")),
    }
}

fn certificate(it: &Examination, validity: &CertificateState) -> Finding {
    let base = it.settings.base_url.as_str();
    let renew = match it.settings.tls {
        Some(_) => "renew it: the server reloads both files when they change",
        None => "renew it, and reload the proxy; make sure that its automatic renewal works",
    };
    match validity {
        CertificateState::Days(days) if *days > MIN_DAYS_LEFT => {
            Finding::ok(BASE_URL, format!("the certificate is valid for {days} more days"))
        }
        CertificateState::Days(days) => Finding::warning(
            BASE_URL,
            format!("the certificate is valid for {days} more days only"),
            renew,
        ),
        CertificateState::Refused(why) => {
            let what = format!("the certificate of {base} is not valid: {why}");
            let advice = "serve a certificate for this name with its whole chain, from an authority that this machine trusts (or add that one to ca-certificates)";
            Finding::failed(BASE_URL, what, advice)
        }
    }
}

/// Warns about HTTP: passwords and keys would cross the network unencrypted.
fn plain(base: &str) -> Option<Finding> {
    let url = Url::parse(base).ok().filter(|url| url.scheme() == "http")?;
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    let here = host == "localhost" || host.ends_with(".localhost");
    if here || host.parse::<IpAddr>().is_ok_and(|it| it.to_canonical().is_loopback()) {
        return None;
    }
    let advice = "put a proxy with a certificate in front, or set SWITCHBOARD_TLS_CERT, and write https:// here";
    Some(Finding::warning(
        BASE_URL,
        format!("{base} is not https: passwords and keys can be read on the way"),
        advice,
    ))
}

fn unreachable(base: &str, why: &str, here: Responder) -> Finding {
    let what = format!("{base} cannot be reached from here: {why}");
    let advice = "make sure that the proxy runs and listens there, that a firewall lets this machine through, and that SWITCHBOARD_BASE_URL is right";
    match here {
        Responder::Nobody => {
            Finding::warning(BASE_URL, what, "start the server, and run doctor again beside it")
        }
        _ => Finding::failed(BASE_URL, what, advice),
    }
}

fn reached(
    it: &Examination,
    answer: ProbeAnswer,
    here: Responder,
) -> (Finding, Option<ObservedRequest>) {
    let base = &it.settings.base_url;
    let status = answer.response.status();
    if let Some(seen) = answer.seen {
        let through =
            answer.response.remote_addr().map(|at| format!(" through {at}")).unwrap_or_default();
        let what = format!(
            "{base} leads to a server of this database (version {}){through}",
            seen.version
        );
        return (Finding::ok(BASE_URL, what), Some(seen));
    }
    let location = answer.response.headers().get("location").and_then(|it| it.to_str().ok());
    let found = match location {
        Some(location) if status.is_redirection() => {
            let advice = "write the address that it redirects to, without its path";
            Finding::failed(BASE_URL, format!("{base} redirects to {location}"), advice)
        }
        _ if status.is_success() && it.key.is_none() => {
            let what = format!(
                "{base} answers; without its database it is unknown whether it is this service"
            );
            Finding::warning(BASE_URL, what, "see the findings about the database")
        }
        _ if status.is_server_error() && here == Responder::Nobody => {
            let what = format!("{base} answers with status {}", status.as_u16());
            Finding::warning(BASE_URL, what, "start the server, and run doctor again beside it")
        }
        _ => {
            let what = format!(
                "{base} answers with status {}, and not as a server of this database",
                status.as_u16()
            );
            let bind = it.settings.bind;
            let advice = format!(
                "let the proxy pass this host's requests, with their headers, to {bind} ({BIND}), or correct {BASE_URL}"
            );
            Finding::failed(BASE_URL, what, advice)
        }
    };
    (found, None)
}

/// Checks that the server learns the caller's address.
fn forwarded(it: &Examination, seen: &ObservedRequest) -> Finding {
    let peer = seen.peer.map(|peer| peer.to_string()).unwrap_or_default();
    let client = seen.client.map(|client| client.to_string()).unwrap_or_default();
    let base = &it.settings.base_url;
    if seen.forwarded && !seen.trusted {
        let what = format!(
            "the proxy at {peer} sends its callers' addresses but is not trusted: all callers share one address"
        );
        return Finding::failed(TRUSTED_PROXIES, what, format!("add {peer} to it"));
    }
    if seen.forwarded && seen.client == seen.peer && !is_loopback(seen.peer) {
        let what =
            format!("the proxy at {peer} sends two caller addresses, or none that can be read");
        let advice = "let it write X-Forwarded-For, and remove Forwarded (or the other way round)";
        return Finding::failed(TRUSTED_PROXIES, what, advice);
    }
    if seen.forwarded {
        return Finding::ok(
            TRUSTED_PROXIES,
            format!("callers' addresses arrive through {peer}; this one's is {client}"),
        );
    }
    if seen.trusted || is_elsewhere(it) {
        let what = format!(
            "the client at {peer} does not send its callers' addresses: all callers share its address"
        );
        let advice = "let the proxy set X-Forwarded-For to the address of its caller";
        return Finding::failed(TRUSTED_PROXIES, what, advice);
    }
    Finding::ok(TRUSTED_PROXIES, format!("{base} is served without a proxy"))
}

fn is_loopback(address: Option<IpAddr>) -> bool {
    address.is_some_and(|address| address.to_canonical().is_loopback())
}

/// Whether the port of the base URL differs from the port that this server listens on. If so, there
/// is a proxy in between.
fn is_elsewhere(it: &Examination) -> bool {
    let port = Url::parse(&it.settings.base_url).ok().and_then(|url| url.port_or_known_default());
    port.is_some_and(|port| port != it.settings.bind.port())
}

/// Checks that a body arrives whose size proxies reject by default. It is sent without credentials,
/// so the server does nothing with it.
async fn large(http: &Client, base: &str) -> Option<Finding> {
    let request =
        http.post(format!("{base}/api/v1/media")).header("content-type", "application/json");
    // Any other outcome is fine: the server rejects the request because of its missing credentials,
    // perhaps before it reads the body.
    let answer = request.body(vec![b' '; LARGE]).send().await.ok()?;
    let ours = answer.headers().contains_key("x-request-id");
    (answer.status() == StatusCode::PAYLOAD_TOO_LARGE && !ours).then(|| {
        let what = format!(
            "a proxy refuses bodies of {} MiB, so larger files cannot be uploaded",
            LARGE / 1024 / 1024
        );
        Finding::failed(
            BASE_URL,
            what,
            "raise its limit to 145 MiB (nginx: client_max_body_size 145m)",
        )
    })
}
