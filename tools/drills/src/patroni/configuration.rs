//! Patroni's configuration as in docs/deploy/failover.md.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

const PAGE: &str = "docs/deploy/failover.md";
/// The password of the superuser and of the replication user.
pub const PASSWORD: &str = "drill";

/// The values that depend on the node and the machine.
pub struct Place<'a> {
    pub name: &'a str,
    /// The port of the node's Patroni.
    pub api: u16,
    /// The port of the node's PostgreSQL.
    pub postgres: u16,
    pub etcd: u16,
    /// The folder of the node's own files.
    pub folder: &'a Path,
    pub data: &'a Path,
    /// The directory of `PostgreSQL`'s programs.
    pub programs: &'a Path,
}

pub fn page(root: &Path) -> Result<String> {
    let page = root.join(PAGE);
    fs::read_to_string(&page).with_context(|| format!("cannot read {}", page.display()))
}

/// Returns the configuration on the page of the documentation with this node's values.
pub fn of(page: &str, place: &Place<'_>) -> Result<String> {
    let block = page.split_once("```yaml\n").and_then(|(_, rest)| rest.split_once("\n```"));
    let (block, _) = block.with_context(|| format!("{PAGE} shows no configuration"))?;
    let sockets = place.folder.display();
    let places = [
        ("name: db1", format!("name: {}", place.name)),
        ("10.0.0.21:8008", format!("127.0.0.1:{}", place.api)),
        ("10.0.0.21:5432", format!("127.0.0.1:{}", place.postgres)),
        (
            r#"["10.0.0.21:2379", "10.0.0.22:2379", "10.0.0.23:2379"]"#,
            format!(r#"["127.0.0.1:{}"]"#, place.etcd),
        ),
        ("/var/lib/postgresql/15/switchboard", place.data.display().to_string()),
        ("/usr/lib/postgresql/15/bin", place.programs.display().to_string()),
        ("/var/lib/postgresql/patroni.pgpass", format!("{sockets}/pgpass")),
        (
            "  authentication:",
            format!(
                "  parameters: {{unix_socket_directories: \"{sockets}\", timezone: UTC}}\n  authentication:"
            ),
        ),
        ("\"…\"", PASSWORD.to_owned()),
        ("10.0.0.0/24", "127.0.0.1/32".to_owned()),
        // A failure in a drill must not restart the machine.
        ("mode: automatic", "mode: \"off\"".to_owned()),
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
        let page = include_str!("../../../../docs/deploy/failover.md");
        let place = Place {
            name: "node2",
            api: 8000,
            postgres: 5000,
            etcd: 2000,
            folder: Path::new("/var/tmp/one"),
            data: Path::new("/var/tmp/one/data"),
            programs: Path::new("/opt/bin"),
        };
        let text = of(page, &place).unwrap();
        assert!(text.contains("name: node2\n"), "{text}");
        assert!(text.contains("connect_address: \"127.0.0.1:5000\"\n"), "{text}");
        assert!(text.contains("data_dir: /var/tmp/one/data\n"), "{text}");
        assert!(!text.contains("10.0.0") && !text.contains('…'), "{text}");
    }
}
