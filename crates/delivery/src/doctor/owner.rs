//! Checks of the owners of the server's folders and files, with advice on how to correct them.

use crate::checks::Finding;
use config::FILE_VARIABLE;
use std::ffi::OsString;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// The system's list of users.
const USERS: &str = "/etc/passwd";

/// A user and the primary group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct User {
    id: u32,
    group: u32,
}

impl User {
    fn current() -> Self {
        let (id, group) = (rustix::process::geteuid(), rustix::process::getegid());
        Self { id: id.as_raw(), group: group.as_raw() }
    }

    fn from_metadata(metadata: &Metadata) -> Self {
        Self { id: metadata.uid(), group: metadata.gid() }
    }

    const fn is_root(self) -> bool {
        self.id == 0
    }
}

/// The remedy for a file or folder of another user.
#[derive(Debug, PartialEq, Eq)]
enum Remedy {
    /// Change the owner to this user, under which the server runs.
    Give(User),
    /// Run doctor as the owner. Or, if the server runs as the current user, change the owner to
    /// `or_give`.
    RunAsOwner { owner: User, or_give: Option<User> },
}

impl Remedy {
    /// Returns the remedy, or `None` if the owner is right. The server runs as the user who owns
    /// the folder of its files. So a file that root created in that folder should belong to that
    /// user.
    fn of(us: User, owner: User, folder: Option<User>) -> Option<Self> {
        let by_root = |it: &User| us.is_root() && owner.is_root() && !it.is_root();
        let ours = |it: &User| !us.is_root() && it.id == us.id && owner.id != us.id;
        if let Some(server) = folder.filter(|it| by_root(it) || ours(it)) {
            return Some(Self::Give(server));
        }
        let or_give = (!us.is_root()).then_some(us);
        (us.id != owner.id).then_some(Self::RunAsOwner { owner, or_give })
    }
}

/// Checks that the path belongs to the user that the server runs as. Doctor must run as the same
/// user, because no other user can find out what the server may access.
pub fn check(setting: &'static str, path: &Path, metadata: &Metadata) -> Option<Finding> {
    let (us, owner) = (User::current(), User::from_metadata(metadata));
    let folder = folder_of(path).metadata().ok().map(|it| User::from_metadata(&it));
    let remedy = Remedy::of(us, owner, folder)?;
    let path = std::path::absolute(path).ok()?;
    let other = match &remedy {
        Remedy::Give(server) if us.id == owner.id => format!("its folder to user {}", server.id),
        _ => format!("this is user {}", us.id),
    };
    let what = format!("{} belongs to user {}, and {other}", path.display(), owner.id);
    let users = users();
    let settings = absolute(std::env::var_os(FILE_VARIABLE));
    let shell = Shell { users: &users, settings: settings.as_deref() };
    Some(Finding::warning(setting, what, shell.advice(&remedy, &path)))
}

/// Reads the system's list of users. Without it, advice uses numeric ids.
#[expect(clippy::disallowed_methods, reason = "numeric ids are good enough")]
fn users() -> String {
    std::fs::read_to_string(USERS).unwrap_or_default()
}

/// Makes a path absolute, because the advised command may be run in another folder.
fn absolute(file: Option<OsString>) -> Option<PathBuf> {
    std::path::absolute(file?).ok()
}

fn folder_of(path: &Path) -> PathBuf {
    let folder = path.parent().filter(|it| !it.as_os_str().is_empty());
    folder.unwrap_or(Path::new(".")).to_owned()
}

/// Shell commands for the advice.
struct Shell<'a> {
    /// The contents of the system's list of users.
    users: &'a str,
    /// The settings file that the environment names.
    settings: Option<&'a Path>,
}

impl Shell<'_> {
    fn advice(&self, remedy: &Remedy, place: &Path) -> String {
        let (owner, or_give) = match remedy {
            // The whole folder: root may have created other files there, such as the database's
            // log.
            Remedy::Give(server) => {
                let all = if place.is_dir() { place.to_owned() } else { folder_of(place) };
                return format!("as root: `{}`", self.give(*server, &all));
            }
            Remedy::RunAsOwner { owner, or_give } => (*owner, *or_give),
        };
        let run = "run doctor as the user that the server runs as";
        let Some(us) = or_give else { return format!("{run}{}", self.such_as(owner)) };
        let give = self.give(us, place);
        // Root can read everything. So doctor, run as root, could not find out whether the server
        // can read the path.
        if owner.is_root() {
            return format!("if the server runs as this user, as root: `{give}`; if not, {run}");
        }
        format!("{run}{}; if that is this one, as root: `{give}`", self.such_as(owner))
    }

    fn such_as(&self, owner: User) -> String {
        let Some(name) = self.name(owner) else { return format!(", such as user {}", owner.id) };
        let settings = self.settings.map(|file| format!("env {FILE_VARIABLE}={} ", word(file)));
        let settings = settings.unwrap_or_default();
        format!(", from a shell of root's: `runuser -u {name} -- {settings}switchboard doctor`")
    }

    /// Returns the `chown` command. Without a user name, `chown` needs the group's number too.
    fn give(&self, to: User, place: &Path) -> String {
        let to = match self.name(to) {
            Some(name) => format!("{name}:"),
            None => format!("{}:{}", to.id, to.group),
        };
        format!("chown -R {to} {}", word(place))
    }

    fn name(&self, user: User) -> Option<&str> {
        self.users.lines().find_map(|line| {
            let mut fields = line.split(':');
            let name = fields.next().filter(|it| !it.is_empty())?;
            let id: u32 = fields.nth(1)?.parse().ok()?;
            (id == user.id).then_some(name)
        })
    }
}

/// Quotes a path if a shell would interpret it.
fn word(path: &Path) -> String {
    let path = path.display().to_string();
    let is_plain = |it: char| it.is_ascii_alphanumeric() || "/._-".contains(it);
    if path.chars().all(is_plain) { path } else { format!("'{}'", path.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOT: User = User { id: 0, group: 0 };
    const SERVER: User = User { id: 101, group: 103 };
    const OTHER: User = User { id: 1000, group: 1000 };
    const PASSWD: &str = "root:x:0:0:root:/root:/bin/bash\nswitchboard:x:101:103::/var/lib/switchboard:/usr/sbin/nologin\n";

    #[track_caller]
    fn advice(us: User, owner: User, folder: User, settings: Option<&str>) -> String {
        let settings = absolute(settings.map(OsString::from));
        let remedy = Remedy::of(us, owner, Some(folder)).expect("something is to be done");
        Shell { users: PASSWD, settings: settings.as_deref() }
            .advice(&remedy, Path::new("/var/lib/switchboard/switchboard.db"))
    }

    #[test]
    fn who_is_not_the_owner_is_told_how_to_become_it_with_the_same_settings() {
        assert_eq!(
            advice(ROOT, SERVER, ROOT, Some("/etc/switchboard.toml")),
            "run doctor as the user that the server runs as, from a shell of root's: \
             `runuser -u switchboard -- env SWITCHBOARD_CONFIG=/etc/switchboard.toml switchboard doctor`"
        );
        let other = advice(OTHER, SERVER, ROOT, None);
        assert!(other.contains("`runuser -u switchboard -- switchboard doctor`"), "{other}");
        assert!(
            other.ends_with("as root: `chown -R 1000:1000 /var/lib/switchboard/switchboard.db`"),
            "{other}"
        );
        let relative = advice(ROOT, SERVER, ROOT, Some("my settings.toml"));
        assert!(relative.contains("env SWITCHBOARD_CONFIG='/"), "{relative}");
        // Given a container, whose users have no names.
        assert!(advice(ROOT, OTHER, ROOT, None).ends_with("such as user 1000"));
    }

    #[test]
    fn files_of_root_in_the_folder_of_the_server_are_given_to_it() {
        let give = "as root: `chown -R switchboard: /var/lib/switchboard`";
        assert_eq!(advice(SERVER, ROOT, SERVER, None), give);
        assert_eq!(advice(SERVER, OTHER, SERVER, None), give);
        assert_eq!(advice(ROOT, ROOT, SERVER, None), give);
        // Given a volume that still belongs to root.
        let volume = advice(OTHER, ROOT, ROOT, None);
        assert!(
            volume.contains("`chown -R 1000:1000 /var/lib/switchboard/switchboard.db`"),
            "{volume}"
        );
        assert!(!volume.contains("runuser"), "{volume}");
    }

    #[test]
    fn what_belongs_to_whom_it_should_is_left_alone() {
        for (us, folder) in [(SERVER, SERVER), (SERVER, ROOT), (ROOT, ROOT)] {
            assert_eq!(Remedy::of(us, us, Some(folder)), None);
        }
        assert_eq!(Remedy::of(SERVER, SERVER, None), None);
    }
}
