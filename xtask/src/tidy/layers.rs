//! The allowed dependencies between packages, as cargo reads them from their manifests.
//!
//! cargo-deny can forbid a package except for listed dependents. But that list would also have to
//! name the third-party packages that depend on it, and cargo-deny cannot limit `domain` to a few
//! dependencies.

use anyhow::{Context, Result};
use serde::Deserialize;
use servers::workspace::Workspace;

use super::{Findings, Violation};

/// A package of the workspace, and the packages of the workspace that it may depend on.
struct Layer {
    name: &'static str,
    imports: &'static [&'static str],
}

/// The layers, as ARCHITECTURE.md draws them. The packages of the tests may import all.
const LAYERS: [Layer; 21] = [
    Layer { name: "domain", imports: &[] },
    Layer { name: "auth", imports: &["domain"] },
    Layer { name: "stored_content", imports: &["domain"] },
    Layer { name: "tables", imports: &["auth", "domain", "stored_content"] },
    Layer { name: "database", imports: &["domain", "tables"] },
    Layer {
        name: "persistence",
        imports: &["auth", "database", "domain", "stored_content", "tables"],
    },
    Layer { name: "channel", imports: &["domain"] },
    Layer { name: "api_types", imports: &["domain", "persistence"] },
    Layer { name: "platform", imports: &["api_types", "auth", "channel", "domain", "persistence"] },
    Layer {
        name: "service",
        imports: &["api_types", "auth", "channel", "domain", "persistence", "platform"],
    },
    Layer {
        name: "workers",
        imports: &["api_types", "auth", "channel", "domain", "persistence", "platform", "service"],
    },
    Layer { name: "config", imports: &["channel", "domain", "persistence", "platform"] },
    Layer {
        name: "http_layer",
        imports: &["api_types", "auth", "config", "domain", "persistence", "platform", "service"],
    },
    Layer {
        name: "api",
        imports: &[
            "api_types",
            "auth",
            "domain",
            "http_layer",
            "persistence",
            "platform",
            "service",
        ],
    },
    Layer {
        name: "pages",
        imports: &[
            "api_types",
            "auth",
            "domain",
            "http_layer",
            "persistence",
            "platform",
            "service",
        ],
    },
    Layer {
        name: "reference",
        imports: &[
            "api",
            "api_types",
            "auth",
            "channel",
            "config",
            "domain",
            "http_layer",
            "pages",
            "platform",
            "service",
        ],
    },
    Layer {
        name: "delivery",
        imports: &[
            "api",
            "auth",
            "channel",
            "config",
            "database",
            "domain",
            "http_layer",
            "pages",
            "persistence",
            "platform",
            "reference",
            "service",
            "workers",
        ],
    },
    Layer { name: "servers", imports: &[] },
    Layer { name: "bench", imports: &["auth", "domain", "servers", "stored_content", "tables"] },
    Layer { name: "drills", imports: &["bench", "domain", "servers"] },
    Layer { name: "xtask", imports: &["servers"] },
];

/// The packages of tests. Each may import every other package.
const TESTS: [&str; 3] = ["acceptance", "load", "rules"];

/// The packages that `domain` may use. The rules in `domain` are plain functions on plain types.
const DOMAIN_MAY_USE: [&str; 6] = [
    "thiserror",
    "time",
    "unicode-normalization",
    "unicode-properties",
    "unicode-security",
    "uuid",
];
const DOMAINS_TESTS_MAY_USE: [&str; 1] = ["proptest"];

/// Packages that `auth` may not use. In `auth`, entropy and time are arguments, and nothing is
/// asynchronous.
const AUTH_MAY_NOT_USE: [&str; 5] = ["actix-rt", "actix-web", "diesel", "diesel-async", "tokio"];

/// Packages that only some layers may depend on: a prefix of the name, and the layers.
const RESERVED: [(&str, &[&str]); 5] = [
    ("actix", &["api", "delivery", "http_layer", "pages", "reference"]),
    ("anyhow", &["bench", "delivery", "drills", "servers", "xtask"]),
    ("askama", &["delivery", "pages", "reference"]),
    ("clap", &["bench", "delivery", "drills", "xtask"]),
    ("diesel", &["bench", "database", "persistence", "tables"]),
];

/// The packages of the workspace.
#[derive(Deserialize)]
pub struct Packages {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    dependencies: Vec<Dependency>,
}

#[derive(Deserialize)]
struct Dependency {
    /// The name of the package itself, even if the manifest renames it.
    name: String,
    /// `None` for a normal dependency; otherwise `dev` or `build`.
    kind: Option<String>,
}

impl Packages {
    /// Reads the packages with cargo.
    pub fn read(workspace: &Workspace) -> Result<Self> {
        Self::deserialize(workspace.metadata()?).context("cargo metadata has another form")
    }
}

pub fn check(all: &Packages) -> Findings {
    let mut findings = Findings::of("dependencies");
    let missing = LAYERS.iter().filter(|layer| all.packages.iter().all(|it| it.name != layer.name));
    findings.violations.extend(missing.map(|layer| {
        violation(layer.name, "no package has this name: remove it from LAYERS (xtask/src/tidy)")
    }));
    for package in &all.packages {
        findings.looked_at += package.dependencies.len();
        if TESTS.contains(&package.name.as_str()) {
            continue;
        }
        let Some(layer) = LAYERS.iter().find(|layer| layer.name == package.name) else {
            let what = "a package without a layer: add it to LAYERS (xtask/src/tidy/layers.rs)";
            findings.violations.push(violation(&package.name, what));
            continue;
        };
        let faults = package.dependencies.iter().filter_map(|dependency| {
            wall(layer, dependency).or_else(|| reserved(layer, dependency))
        });
        findings.violations.extend(faults.map(|what| violation(layer.name, what)));
    }
    findings
}

fn violation(package: &str, what: impl Into<String>) -> Violation {
    Violation::file(format!("{package}/Cargo.toml"), what)
}

fn wall(layer: &Layer, dependency: &Dependency) -> Option<String> {
    let (name, package) = (layer.name, dependency.name.as_str());
    if LAYERS.iter().any(|layer| layer.name == package) {
        return (!layer.imports.contains(&package)).then(|| {
            let may = if layer.imports.is_empty() {
                "none of them".to_owned()
            } else {
                layer.imports.join(", ")
            };
            format!(
                "{name} may not import {package} (of this workspace's crates: {may}). \
                 Move the code to where both may see it, or pass in what it needs"
            )
        });
    }
    match name {
        "domain" if !domain_may_use(dependency) => Some(format!(
            "domain may depend on {} only (and {} in its tests), not on {package}. \
             Do this in another crate and pass the result in",
            DOMAIN_MAY_USE.join(", "),
            DOMAINS_TESTS_MAY_USE.join(", ")
        )),
        "auth" if AUTH_MAY_NOT_USE.contains(&package) => Some(format!(
            "auth is pure and may not depend on {package}. Pass in what it needs, or move this outwards"
        )),
        _ => None,
    }
}

fn domain_may_use(dependency: &Dependency) -> bool {
    let package = dependency.name.as_str();
    let listed = DOMAIN_MAY_USE.contains(&package);
    match dependency.kind.as_deref() {
        None => listed,
        Some("dev") => listed || DOMAINS_TESTS_MAY_USE.contains(&package),
        Some(_) => false,
    }
}

fn reserved(layer: &Layer, dependency: &Dependency) -> Option<String> {
    let package = dependency.name.as_str();
    let (_, users) = RESERVED.iter().find(|(prefix, _)| package.starts_with(prefix))?;
    let refused = dependency.kind.is_none() && !users.contains(&layer.name);
    refused.then(|| {
        format!("{package} is for {} only: pass in or hand out what is needed", users.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn faults(name: &str, dependency: &str, kind: Option<&str>) -> usize {
        let package = json!({"name": name, "dependencies": [{"name": dependency, "kind": kind}]});
        let rest = LAYERS.iter().filter(|layer| layer.name != name);
        let rest = rest.map(|layer| json!({"name": layer.name, "dependencies": []}));
        let all = json!({"packages": std::iter::once(package).chain(rest).collect::<Vec<_>>()});
        check(&Packages::deserialize(all).unwrap()).violations.len()
    }

    #[test]
    fn imports_run_one_way() {
        for (name, allowed, refused) in [
            ("auth", "domain", "persistence"),
            ("persistence", "auth", "service"),
            ("channel", "domain", "auth"),
            ("service", "platform", "http_layer"),
            ("api", "service", "pages"),
            ("delivery", "pages", "xtask"),
            ("xtask", "servers", "domain"),
            ("drills", "bench", "service"),
        ] {
            assert_eq!(faults(name, allowed, None), 0, "{name} → {allowed}");
            for kind in [None, Some("dev"), Some("build")] {
                assert_eq!(faults(name, refused, kind), 1, "{name} → {refused}");
            }
        }
        assert_eq!(faults("acceptance", "service", Some("dev")), 0);
    }

    #[test]
    fn domain_has_a_list_of_what_it_may_use() {
        assert_eq!(faults("domain", "time", None), 0);
        assert_eq!(faults("domain", "proptest", Some("dev")), 0);
        for (package, kind) in [("serde", None), ("proptest", None), ("time", Some("build"))] {
            assert_eq!(faults("domain", package, kind), 1, "{package}");
        }
        assert_eq!(faults("auth", "tokio", Some("dev")), 1);
    }

    #[test]
    fn http_pages_commands_queries_and_untyped_errors_have_their_crates() {
        for (package, user, refused) in [
            ("actix-web", "api", "service"),
            ("anyhow", "delivery", "channel"),
            ("askama", "pages", "api"),
            ("clap", "delivery", "config"),
            ("diesel-async", "persistence", "service"),
        ] {
            assert_eq!(faults(user, package, None), 0, "{package} in {user}");
            assert_eq!(faults(refused, package, None), 1, "{package} in {refused}");
        }
    }

    #[test]
    fn every_package_has_a_layer_and_every_layer_a_package() {
        assert_eq!(faults("novel", "time", None), 1);
        let none = Packages { packages: Vec::new() };
        assert_eq!(check(&none).violations.len(), LAYERS.len());
    }
}
