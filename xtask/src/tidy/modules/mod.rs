//! The allowed imports within a crate: no cycles between sibling modules and, in crates with
//! ordered modules, imports only go down the order.

mod imports;

use std::collections::{BTreeMap, BTreeSet};

use super::{Tree, Violation};

/// The modules of a crate from top to bottom. Each may import those below it.
struct Order {
    krate: &'static str,
    modules: &'static [&'static str],
}

const ORDERS: [Order; 5] = [
    Order {
        krate: "delivery",
        modules: &[
            "cli",
            "demo",
            "server",
            "doctor",
            "expect",
            "output",
            "channel_webhook",
            "observe",
            "log",
            "privacy",
            "checks",
            "tls",
            "connections",
        ],
    },
    Order {
        krate: "pages",
        modules: &["dashboard", "people", "connect", "files", "assets", "browser"],
    },
    Order {
        krate: "api",
        modules: &[
            "resources",
            "operations",
            "registry",
            "call",
            "operation",
            "admission",
            "changed_bodies",
            "input",
        ],
    },
    Order {
        krate: "web_core",
        modules: &[
            "answer_headers",
            "request_id",
            "client_address",
            "public_text",
            "list_headers",
            "problem",
            "deps",
        ],
    },
    Order {
        krate: "service",
        modules: &[
            "receipts",
            "worker",
            "sending",
            "conversations",
            "templates",
            "media",
            "events",
            "connections",
            "endpoints",
            "connect",
            "handshake_log",
            "account_health",
            "accounts",
            "usage",
            "credentials",
            "idempotency",
            "callbacks",
            "sessions",
            "password_reset",
            "forms",
            "readiness",
            "deps",
            "admin",
            "applications",
            "keys",
            "login_throttle",
            "held_numbers",
            "paces",
            "number_channels",
            "files",
            "in_flight",
            "lease",
            "ledger",
            "reads",
            "report_queue",
            "windows",
            "clock",
            "entropy",
            "outbound",
            "sealing",
            "error_chain",
            "settings",
        ],
    },
];

/// The siblings in one folder: which one imports which, with a file that does so.
#[derive(Default)]
struct Neighbors(BTreeMap<String, BTreeMap<String, String>>);

pub fn check(tree: &Tree) -> Vec<Violation> {
    let crates: BTreeSet<&str> = tree.paths().filter_map(root_of).collect();
    crates.into_iter().flat_map(|root| of_crate(tree, root)).collect()
}

/// Returns the source root of a file's crate, such as `crates/service/src/`.
fn root_of(path: &str) -> Option<&str> {
    let source = path.find("/src/")? + "/src/".len();
    let belongs = path.starts_with("crates/") || path.starts_with("xtask/");
    path.get(..source).filter(|_| belongs)
}

fn of_crate(tree: &Tree, root: &str) -> Vec<Violation> {
    let files = tree.paths().filter_map(|path| Some((path, module(path.strip_prefix(root)?)?)));
    let files: Vec<(&str, Vec<String>)> = files.collect();
    let modules: BTreeSet<&[String]> = files.iter().map(|(_, module)| module.as_slice()).collect();
    let mut handed_on = BTreeMap::new();
    for (path, module) in &files {
        for (name, child) in imports::handed_on(&tree.text(path).unwrap_or_default()) {
            handed_on.insert(
                [module.clone(), vec![name]].concat(),
                [module.clone(), vec![child]].concat(),
            );
        }
    }
    let mut folders: BTreeMap<Vec<String>, Neighbors> = BTreeMap::new();
    for (path, importer) in &files {
        for imported in imports::imports(importer, &tree.text(path).unwrap_or_default()) {
            let imported = handed_on.get(&imported).unwrap_or(&imported);
            let shared =
                importer.iter().zip(imported).take_while(|(one, other)| one == other).count();
            let (Some(one), Some(other)) = (importer.get(shared), imported.get(shared)) else {
                continue;
            };
            let folder = importer.get(..shared).unwrap_or_default().to_vec();
            if modules.contains([folder.clone(), vec![other.clone()]].concat().as_slice()) {
                let of_folder = folders.entry(folder).or_default();
                let imports = of_folder.0.entry(one.clone()).or_default();
                imports.entry(other.clone()).or_insert_with(|| (*path).to_owned());
            }
        }
    }
    let mut found: Vec<Violation> = folders.values().filter_map(Neighbors::cycle).collect();
    if let (Some(order), Some(top)) = (
        ORDERS.iter().find(|it| root == format!("crates/{}/src/", it.krate)),
        folders.get(&Vec::new()),
    ) {
        found.extend(top.against(order, root));
    }
    found
}

/// Returns the module path of a file below `src/`.
fn module(file: &str) -> Option<Vec<String>> {
    let mut parts: Vec<String> = file.strip_suffix(".rs")?.split('/').map(str::to_owned).collect();
    match parts.last().map(String::as_str) {
        Some("mod" | "lib") => drop(parts.pop()),
        Some("main") if parts.len() == 1 => drop(parts.pop()),
        _ => {}
    }
    Some(parts)
}

impl Neighbors {
    /// Returns a cycle between siblings, if there is one.
    fn cycle(&self) -> Option<Violation> {
        let mut left: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for (one, imports) in &self.0 {
            left.insert(one, imports.keys().map(String::as_str).collect());
        }
        // Modules without imports among the remaining ones are removed repeatedly. If any remain,
        // there is a cycle.
        loop {
            let names: BTreeSet<&str> = left.keys().copied().collect();
            let before = left.len();
            left.retain(|_, imports| imports.iter().any(|it| names.contains(it)));
            if left.len() == before {
                break;
            }
        }
        let path = around(&left)?;
        let (first, second) = (path.first()?, path.get(1)?);
        let place = self.0.get(first)?.get(second)?;
        let what = format!(
            "modules import each other ({}): move what two of them need to a third, or pass it in",
            path.join(" → ")
        );
        Some(Violation::file(place.as_str(), what))
    }

    /// Returns imports that go up the order.
    fn against(&self, order: &Order, root: &str) -> Vec<Violation> {
        let place = |name: &str| order.modules.iter().position(|it| *it == name);
        let mut found = Vec::new();
        for (one, imports) in &self.0 {
            for (other, file) in imports {
                let what = match (place(one), place(other)) {
                    (Some(one), Some(other)) if one < other => continue,
                    (Some(_), Some(_)) => format!(
                        "{one} may not import {other}, which stands above it in ORDERS (xtask/src/tidy/modules/mod.rs)"
                    ),
                    _ => format!(
                        "a module of {root} without a place: add it to ORDERS (xtask/src/tidy/modules/mod.rs)"
                    ),
                };
                found.push(Violation::file(file.as_str(), what));
            }
        }
        found
    }
}

/// Returns a cycle among the remaining modules, with its first module repeated at the end.
fn around(left: &BTreeMap<&str, BTreeSet<&str>>) -> Option<Vec<String>> {
    let mut path = vec![*left.keys().next()?];
    loop {
        let next = left.get(path.last()?)?.iter().find(|it| left.contains_key(*it))?;
        if let Some(at) = path.iter().position(|it| it == next) {
            let around = path.get(at..)?.iter().chain([next]);
            return Some(around.map(|it| (*it).to_owned()).collect());
        }
        path.push(next);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found<const N: usize>(files: [(&str, &str); N]) -> Vec<String> {
        let files = files.map(|(path, text)| (format!("crates/a/src/{path}"), text));
        let tree = Tree::from(files.each_ref().map(|(path, text)| (path.as_str(), *text)));
        check(&tree).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn neighbors_that_import_each_other_are_found_however_far_around() {
        let files = [
            ("lib.rs", "mod b; mod c; mod d;"),
            ("b.rs", "use crate::c::C;"),
            ("c/mod.rs", "mod e;"),
            ("c/e.rs", "fn f() { crate::d::g() }"),
            ("d.rs", "use super::b;"),
        ];
        let what = "modules import each other (b → c → d → b)";
        let found = found(files);
        assert!(matches!(found.as_slice(), [only] if only.contains(what)), "{found:?}");
    }

    #[test]
    fn a_name_that_a_parent_hands_on_is_its_childs() {
        let files = [
            ("lib.rs", ""),
            ("m/mod.rs", "mod b; mod c; pub use c::Name;"),
            ("m/b.rs", "use super::Name;"),
            ("m/c.rs", "use super::b::Other;"),
        ];
        assert_eq!(found(files).len(), 1);
    }

    #[test]
    fn imports_run_down_the_order_of_a_crate() {
        let files = [
            ("cli.rs", "use crate::log::start;"),
            ("log.rs", ""),
            ("new.rs", "use crate::log::start;"),
        ];
        let files = files.map(|(path, text)| (format!("crates/delivery/src/{path}"), text));
        let files = files.each_ref().map(|(path, text)| (path.as_str(), *text));
        let found: Vec<String> =
            check(&Tree::from(files)).iter().map(ToString::to_string).collect();
        assert!(
            matches!(found.as_slice(), [only] if only.contains("without a place")),
            "{found:?}"
        );
        let up = [
            ("crates/delivery/src/cli.rs", ""),
            ("crates/delivery/src/log.rs", "use crate::cli::Cli;"),
        ];
        let found: Vec<String> = check(&Tree::from(up)).iter().map(ToString::to_string).collect();
        assert!(
            matches!(found.as_slice(), [only] if only.contains("may not import cli")),
            "{found:?}"
        );
    }

    #[test]
    fn parents_and_children_may_know_each_other() {
        let files = [
            ("lib.rs", "mod m;"),
            ("m/mod.rs", "mod b; use b::B; pub struct M;"),
            ("m/b.rs", "use super::M; use crate::m::M as N;"),
        ];
        assert_eq!(found(files), [""; 0]);
    }
}
