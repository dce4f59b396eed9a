//! The programs that tests and measurements need, and their installation on Debian.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Result, bail};
use rustix::process::geteuid;

use crate::process;
use crate::step::step;

/// A program that has to be on the machine. It is installed if it is missing.
pub struct Program {
    what: &'static str,
    /// The names of its executable, or the path of a library's file. The program is present if one
    /// of them exists.
    executables: &'static [&'static str],
    /// Sets of Debian packages. The first set that this Debian offers is installed.
    packages: &'static [&'static [&'static str]],
}

pub const FOR_TESTS: &[Program] = &[
    Program { what: "a C compiler", executables: &["cc"], packages: &[&["gcc", "libc6-dev"]] },
    Program { what: "PostgreSQL", executables: &["postgres"], packages: &[&["postgresql"]] },
    // A test examines the query plans of a filled database with these clients.
    Program { what: "psql", executables: &["psql"], packages: &[&["postgresql-client"]] },
    Program { what: "SQLite's shell", executables: &["sqlite3"], packages: &[&["sqlite3"]] },
    Program {
        what: "Redis or Valkey",
        executables: &["valkey-server", "redis-server"],
        packages: &[&["valkey-server"], &["redis-server"]],
    },
    // For tests in which the server reaches PostgreSQL through PgBouncer.
    Program { what: "PgBouncer", executables: &["pgbouncer"], packages: &[&["pgbouncer"]] },
    // For tests that run the configurations in `docs/deploy` unchanged.
    Program { what: "nginx", executables: &["nginx"], packages: &[&["nginx"]] },
    Program { what: "HAProxy", executables: &["haproxy"], packages: &[&["haproxy"]] },
    Program { what: "Caddy", executables: &["caddy"], packages: &[&["caddy"]] },
    // For the test that runs the commands that `serve --demo` prints.
    Program { what: "curl", executables: &["curl"], packages: &[&["curl"]] },
    // For the browser tests of the Connect popup and of all pages.
    Program { what: "Chromium", executables: &["chromium"], packages: &[&["chromium"]] },
    Program {
        what: "Chromium without windows",
        executables: &["chromium-headless-shell"],
        packages: &[&["chromium-headless-shell"]],
    },
    Program {
        what: "Chromium's driver",
        executables: &["chromedriver"],
        packages: &[&["chromium-driver"]],
    },
    // For the tests of the Connect button, its popup and the forms in two other browser engines.
    Program { what: "Firefox", executables: &["firefox-esr"], packages: &[&["firefox-esr"]] },
    Program {
        what: "WebKit's driver",
        executables: &["WebKitWebDriver"],
        packages: &[&["webkit2gtk-driver"]],
    },
    // WebKit's recorder of voice messages.
    Program {
        what: "GStreamer's transcoder",
        executables: &[
            "/usr/lib/x86_64-linux-gnu/gstreamer-1.0/libgsttranscode.so",
            "/usr/lib/aarch64-linux-gnu/gstreamer-1.0/libgsttranscode.so",
        ],
        packages: &[&["gstreamer1.0-plugins-bad"]],
    },
    Program { what: "a display", executables: &["Xvfb"], packages: &[&["xvfb"]] },
    // For the tests that run the reference's code examples in other languages.
    Program { what: "OpenSSL", executables: &["openssl"], packages: &[&["openssl"]] },
    Program { what: "Node", executables: &["node"], packages: &[&["nodejs"]] },
    Program { what: "npm", executables: &["npm"], packages: &[&["npm"]] },
    Program { what: "Python", executables: &["python3"], packages: &[&["python3"]] },
    Program { what: "pip", executables: &["pip3"], packages: &[&["python3-pip"]] },
    // For the test of a handshake by Go's OAuth library.
    Program { what: "Go", executables: &["go"], packages: &[&["golang"]] },
    Program {
        what: "Go's OAuth library",
        executables: &["/usr/share/gocode/src/golang.org/x/oauth2/oauth2.go"],
        packages: &[&["golang-golang-x-oauth2-dev"]],
    },
    // For building a Debian package and checking its systemd unit.
    PACKAGING,
    Program {
        what: "systemd-analyze",
        executables: &["systemd-analyze"],
        packages: &[&["systemd"]],
    },
];

/// The programs for building Debian packages. Not every Debian system has them.
pub const FOR_PACKAGES: &[Program] = &[PACKAGING];

const PACKAGING: Program = Program {
    what: "Debian's packaging tools",
    executables: &["dpkg-shlibdeps"],
    packages: &[&["dpkg-dev"]],
};

pub const FOR_BENCH: &[Program] = &[
    Program { what: "a C compiler", executables: &["cc"], packages: &[&["gcc", "libc6-dev"]] },
    Program { what: "PostgreSQL", executables: &["postgres"], packages: &[&["postgresql"]] },
    Program { what: "psql", executables: &["psql"], packages: &[&["postgresql-client"]] },
    Program { what: "SQLite's shell", executables: &["sqlite3"], packages: &[&["sqlite3"]] },
    Program { what: "wrk", executables: &["wrk"], packages: &[&["wrk"]] },
    // For streams of the inbox that browsers open through a proxy.
    Program { what: "HAProxy", executables: &["haproxy"], packages: &[&["haproxy"]] },
];

/// The programs for filling a database with test data.
pub const FOR_FILL: &[Program] = &[
    Program { what: "PostgreSQL", executables: &["postgres"], packages: &[&["postgresql"]] },
    Program { what: "psql", executables: &["psql"], packages: &[&["postgresql-client"]] },
    Program { what: "SQLite's shell", executables: &["sqlite3"], packages: &[&["sqlite3"]] },
];

/// The programs for running several instances behind a proxy.
pub const FOR_CLUSTER: &[Program] = &[
    Program { what: "PostgreSQL", executables: &["postgres"], packages: &[&["postgresql"]] },
    Program { what: "psql", executables: &["psql"], packages: &[&["postgresql-client"]] },
    Program {
        what: "Redis or Valkey",
        executables: &["valkey-server", "redis-server"],
        packages: &[&["valkey-server"], &["redis-server"]],
    },
    Program { what: "HAProxy", executables: &["haproxy"], packages: &[&["haproxy"]] },
    Program { what: "wrk", executables: &["wrk"], packages: &[&["wrk"]] },
];

/// The additional programs for a `PostgreSQL` cluster with failover.
pub const FOR_FAILOVER: &[Program] = &[
    // The etcd client is named because Debian's Patroni package only recommends it, and recommended
    // packages are not installed.
    Program {
        what: "Patroni",
        executables: &["patroni"],
        packages: &[&["patroni", "python3-etcd"]],
    },
    Program { what: "etcd", executables: &["etcd"], packages: &[&["etcd-server"]] },
];

/// The programs for `cargo xtask torture`.
pub const FOR_TORTURE: &[Program] = &[
    Program { what: "a C compiler", executables: &["cc"], packages: &[&["gcc", "libc6-dev"]] },
    Program { what: "PostgreSQL", executables: &["postgres"], packages: &[&["postgresql"]] },
    Program { what: "psql", executables: &["psql"], packages: &[&["postgresql-client"]] },
    Program { what: "SQLite's shell", executables: &["sqlite3"], packages: &[&["sqlite3"]] },
    Program {
        what: "Redis or Valkey",
        executables: &["valkey-server", "redis-server"],
        packages: &[&["valkey-server"], &["redis-server"]],
    },
    Program { what: "nftables", executables: &["nft"], packages: &[&["nftables"]] },
];

/// The programs for counting executed CPU instructions.
pub const FOR_INSTRUCTIONS: &[Program] = &[
    Program { what: "Valgrind", executables: &["valgrind"], packages: &[&["valgrind"]] },
    Program { what: "SQLite's shell", executables: &["sqlite3"], packages: &[&["sqlite3"]] },
];

/// The directory of `PostgreSQL`'s programs, which Debian does not put into `PATH`.
const POSTGRESQL_VERSIONS: &str = "/usr/lib/postgresql";

/// The directory of Debian's servers, which is not in every user's `PATH`.
const SERVERS: &str = "/usr/sbin";

/// A script that installs packages without starting their services. We start our own servers, so a
/// `policy-rc.d` that forbids starts is put in place, as Debian provides for.
const INSTALL: &str = r#"
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
    trap 'rm -f "$policy"' EXIT
    trap 'exit 130' HUP INT TERM
    printf '#!/bin/sh\nexit 101\n' >"$policy"
    chmod 755 "$policy"
fi
apt-get install --yes --no-install-recommends -o DPkg::Lock::Timeout=300 "$@" >&2
"#;

/// Installs those of `programs` that are missing.
pub fn ensure(programs: &[Program]) -> Result<()> {
    let missing = missing(programs);
    if missing.is_empty() {
        return Ok(());
    }
    let names = list(&missing, |program| program.what);
    let Some(root) = Root::available() else {
        bail!("{}", cannot_install(&missing));
    };
    step("apt-get update", || {
        process::run(&mut root.command("apt-get update -o DPkg::Lock::Timeout=300 >&2", &[]))
    })?;
    let packages: Vec<&str> =
        missing.iter().flat_map(|program| offered(program)).copied().collect();
    step(&format!("installing {names} (apt-get install {})", packages.join(" ")), || {
        process::run(&mut root.command(INSTALL, &packages))
    })?;
    let still = self::missing(programs);
    if !still.is_empty() {
        bail!(
            "{} was installed, but {} is not to be found",
            packages.join(" "),
            list(&still, |program| program.what)
        );
    }
    Ok(())
}

/// Finds an executable: first in the directories of `PostgreSQL`, the newest version first, then in
/// `PATH`, and then in `/usr/sbin`.
pub fn find(executable: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let mut places = postgresql(Path::new(POSTGRESQL_VERSIONS));
    places.extend(env::split_paths(&path));
    places.push(SERVERS.into());
    places.into_iter().map(|place| place.join(executable)).find(|file| file.is_file())
}

/// Finds an executable that [`ensure`] has installed.
pub fn require(executables: &[&str]) -> Result<PathBuf> {
    match executables.iter().find_map(|executable| find(executable)) {
        Some(found) => Ok(found),
        None => bail!(
            "{} is not on this machine; `cargo xtask test` and `cargo xtask bench` install what they need",
            executables.join(" or ")
        ),
    }
}

/// Returns the directories of the installed `PostgreSQL` servers, the newest version first.
fn postgresql(versions: &Path) -> Vec<PathBuf> {
    let mut found: Vec<(u32, PathBuf)> = std::fs::read_dir(versions)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            Some((entry.file_name().to_str()?.parse().ok()?, entry.path().join("bin")))
        })
        .filter(|(_, bin)| bin.join("initdb").is_file())
        .collect();
    found.sort_unstable_by_key(|(version, _)| std::cmp::Reverse(*version));
    found.into_iter().map(|(_, bin)| bin).collect()
}

fn missing(programs: &[Program]) -> Vec<&Program> {
    programs
        .iter()
        .filter(|program| !program.executables.iter().any(|name| find(name).is_some()))
        .collect()
}

/// Returns the first set of packages that apt can install. If it can install none, returns the last
/// set, so that apt reports the error.
fn offered(program: &Program) -> &'static [&'static str] {
    let known = |packages: &&&[&str]| {
        packages.iter().all(|package| {
            let mut ask = Command::new("apt-cache");
            process::stdout(ask.args(["policy", package]).env("LC_ALL", "C").stderr(Stdio::null()))
                .is_ok_and(|policy| installable(&policy))
        })
    };
    program.packages.iter().find(known).or(program.packages.last()).copied().unwrap_or_default()
}

fn installable(policy: &str) -> bool {
    policy
        .lines()
        .filter_map(|line| line.trim().strip_prefix("Candidate: "))
        .any(|version| version != "(none)")
}

fn cannot_install(missing: &[&Program]) -> String {
    let packages: Vec<String> = missing
        .iter()
        .map(|program| {
            program.packages.iter().map(|set| set.join(" ")).collect::<Vec<_>>().join(" or ")
        })
        .collect();
    format!(
        "missing: {}. Installing needs apt-get, and root or a sudo that asks for no password. \
         Install these packages yourself and run this again: {}",
        list(missing, |program| program.what),
        packages.join(", ")
    )
}

fn list(programs: &[&Program], name: impl Fn(&Program) -> &str) -> String {
    programs.iter().map(|program| name(program)).collect::<Vec<_>>().join(", ")
}

enum Root {
    Ourselves,
    Sudo,
}

impl Root {
    fn available() -> Option<Self> {
        find("apt-get")?;
        if geteuid().is_root() {
            Some(Self::Ourselves)
        } else {
            process::succeeds(Command::new("sudo").args(["-n", "true"])).then_some(Self::Sudo)
        }
    }

    fn command(&self, script: &str, arguments: &[&str]) -> Command {
        // `env` sets the variable, because sudo drops the environment.
        let words = ["env", "DEBIAN_FRONTEND=noninteractive", "sh", "-ec", script, "sh"];
        let mut command = match self {
            Self::Ourselves => Command::new("env"),
            Self::Sudo => Command::new("sudo"),
        };
        match self {
            Self::Ourselves => command.args(words.into_iter().skip(1)),
            Self::Sudo => command.arg("-n").args(words),
        };
        command.args(arguments);
        command
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_postgresql_comes_first() {
        let versions = tempfile::tempdir().unwrap();
        for version in ["9", "15", "17", "notes"] {
            let bin = versions.path().join(version).join("bin");
            std::fs::create_dir_all(&bin).unwrap();
            if version != "17" {
                std::fs::write(bin.join("initdb"), "").unwrap();
            }
        }
        // 17 has only the client programs, so it has no `initdb`.
        let expected = ["15", "9"].map(|version| versions.path().join(version).join("bin"));
        assert_eq!(postgresql(versions.path()), expected);
    }

    #[test]
    fn a_package_without_a_candidate_is_not_offered() {
        assert!(installable("redis-server:\n  Installed: (none)\n  Candidate: 5:7.0.15-1\n"));
        assert!(!installable("redis-server:\n  Installed: (none)\n  Candidate: (none)\n"));
        assert!(!installable(""));
    }

    #[test]
    fn without_root_the_missing_packages_are_named() {
        let nowhere = Program {
            what: "A",
            executables: &["no-such-program"],
            packages: &[&["a", "a-dev"], &["b"]],
        };
        let shell = Program { what: "a shell", executables: &["sh"], packages: &[&["dash"]] };
        let programs = [nowhere, shell];
        let missing = missing(&programs);
        assert_eq!(missing.len(), 1);
        let message = cannot_install(&missing);
        assert!(message.starts_with("missing: A."), "{message}");
        assert!(message.ends_with("run this again: a a-dev or b"), "{message}");
    }
}
