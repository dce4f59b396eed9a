//! `HAProxy` in front of servers, configured as in docs/deploy/haproxy.md.

use std::fmt::Write as _;
use std::fs;
use std::net::{Ipv4Addr, TcpStream};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};
use rustix::process::Signal;

use crate::{Running, free_port, programs};

const PAGE: &str = "docs/deploy/haproxy.md";
const START: Duration = Duration::from_secs(10);

/// A running HAProxy; dropping it stops it.
pub struct Proxy {
    running: Running,
    port: u16,
}

impl Proxy {
    /// Starts HAProxy on `port`, in front of instances on these local ports.
    pub fn start(root: &Path, files: &Path, port: u16, instances: &[u16]) -> Result<Self> {
        let page = root.join(PAGE);
        let page =
            fs::read_to_string(&page).with_context(|| format!("cannot read {}", page.display()))?;
        let file = files.join("haproxy.cfg");
        fs::write(&file, configuration(&page, port, free_port()?, instances)?)?;
        let mut command = Command::new(programs::require(&["haproxy"])?);
        command.arg("-db").arg("-f").arg(&file);
        let log = files.join("haproxy.log");
        let mut running = Running::spawn("HAProxy", &mut command, log, Signal::TERM)?;
        let listens = || TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok();
        running.until_ready(START, listens)?;
        Ok(Self { running, port })
    }

    /// Returns the port on the loopback address.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Returns the id of the process.
    pub fn process(&self) -> u32 {
        self.running.id()
    }
}

/// Adapts the configuration on the page of the documentation to this machine: removes the
/// certificate, and names the actual instances.
fn configuration(page: &str, port: u16, plain: u16, instances: &[u16]) -> Result<String> {
    let block = page.split_once("```haproxy\n").and_then(|(_, rest)| rest.split_once("\n```"));
    let (block, _) = block.with_context(|| format!("{PAGE} shows no configuration"))?;
    let mut servers = String::new();
    for (number, port) in (1..).zip(instances) {
        let _ = writeln!(servers, "    server number{number} 127.0.0.1:{port}");
    }
    let shown = "    server one 10.0.0.11:8080\n    server two 10.0.0.12:8080";
    let places = [
        // The number on the page needs more open files than some machines allow.
        ("maxconn 20000", "maxconn 500".to_owned()),
        ("bind :80\n", format!("bind 127.0.0.1:{plain}\n")),
        (
            "bind :443 ssl crt /etc/haproxy/api.example.com.pem alpn h2,http/1.1",
            format!("bind 127.0.0.1:{port}"),
        ),
        (shown, servers.trim_end().to_owned()),
    ];
    places.iter().try_fold(format!("{block}\n"), |text, (from, to)| {
        anyhow::ensure!(text.contains(from), "{PAGE} does not show `{from}`");
        Ok(text.replace(from, to))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_all_that_is_replaced() {
        let page = include_str!("../../../docs/deploy/haproxy.md");
        let text = configuration(page, 8000, 8001, &[1, 2, 3]).unwrap();
        assert!(text.contains("    bind 127.0.0.1:8000\n"), "{text}");
        let servers = "    server number1 127.0.0.1:1\n    server number2 127.0.0.1:2\n    server number3 127.0.0.1:3\n";
        assert!(text.ends_with(servers), "{text}");
        assert!(!text.contains("10.0.0"), "{text}");
    }
}
