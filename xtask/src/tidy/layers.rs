//! The allowed dependencies between crates, checked in their manifests.

use std::collections::BTreeMap;

use super::manifest::{self, Dependency, Kind};
use super::{Tree, Violation};

/// A package of the workspace.
struct Layer {
    manifest: &'static str,
    name: &'static str,
    /// The packages of the workspace that it may depend on.
    imports: &'static [&'static str],
}

/// The layers, as ARCHITECTURE.md draws them.
const LAYERS: [Layer; 21] = [
    Layer { manifest: "crates/domain/Cargo.toml", name: "domain", imports: &[] },
    Layer { manifest: "crates/auth/Cargo.toml", name: "auth", imports: &["domain"] },
    Layer {
        manifest: "crates/persistence/Cargo.toml",
        name: "persistence",
        imports: &["auth", "database", "domain", "stored_content", "tables"],
    },
    Layer {
        manifest: "crates/database/Cargo.toml",
        name: "database",
        imports: &["domain", "tables"],
    },
    Layer {
        manifest: "crates/tables/Cargo.toml",
        name: "tables",
        imports: &["auth", "domain", "stored_content"],
    },
    Layer {
        manifest: "crates/stored_content/Cargo.toml",
        name: "stored_content",
        imports: &["domain"],
    },
    Layer { manifest: "crates/channel/Cargo.toml", name: "channel", imports: &["domain"] },
    Layer {
        manifest: "crates/api_types/Cargo.toml",
        name: "api_types",
        imports: &["domain", "persistence"],
    },
    Layer {
        manifest: "crates/platform/Cargo.toml",
        name: "platform",
        imports: &["api_types", "auth", "channel", "domain", "persistence"],
    },
    Layer {
        manifest: "crates/service/Cargo.toml",
        name: "service",
        imports: &["api_types", "auth", "channel", "domain", "persistence", "platform"],
    },
    Layer {
        manifest: "crates/workers/Cargo.toml",
        name: "workers",
        imports: &["api_types", "auth", "channel", "domain", "persistence", "platform", "service"],
    },
    Layer {
        manifest: "crates/config/Cargo.toml",
        name: "config",
        imports: &["channel", "domain", "persistence", "platform"],
    },
    Layer {
        manifest: "crates/http_layer/Cargo.toml",
        name: "http_layer",
        imports: &["auth", "config", "domain", "persistence", "platform", "service", "api_types"],
    },
    Layer {
        manifest: "crates/api/Cargo.toml",
        name: "api",
        imports: &[
            "auth",
            "domain",
            "persistence",
            "platform",
            "service",
            "http_layer",
            "api_types",
        ],
    },
    Layer {
        manifest: "crates/pages/Cargo.toml",
        name: "pages",
        imports: &[
            "auth",
            "domain",
            "persistence",
            "platform",
            "service",
            "http_layer",
            "api_types",
        ],
    },
    Layer {
        manifest: "crates/reference/Cargo.toml",
        name: "reference",
        imports: &[
            "api",
            "auth",
            "channel",
            "config",
            "domain",
            "pages",
            "platform",
            "service",
            "http_layer",
            "api_types",
        ],
    },
    Layer {
        manifest: "crates/delivery/Cargo.toml",
        name: "delivery",
        imports: &[
            "api",
            "auth",
            "channel",
            "config",
            "database",
            "domain",
            "pages",
            "persistence",
            "platform",
            "reference",
            "service",
            "workers",
            "http_layer",
        ],
    },
    Layer { manifest: "tools/servers/Cargo.toml", name: "servers", imports: &[] },
    Layer {
        manifest: "tools/bench/Cargo.toml",
        name: "bench",
        imports: &["auth", "domain", "servers", "tables"],
    },
    Layer {
        manifest: "tools/drills/Cargo.toml",
        name: "drills",
        imports: &["auth", "bench", "domain", "servers", "tables"],
    },
    Layer { manifest: "xtask/Cargo.toml", name: "xtask", imports: &["servers"] },
];

/// The packages that `domain` may use. Its rules are plain functions on plain types.
const DOMAIN_MAY_USE: [&str; 6] = [
    "thiserror",
    "time",
    "unicode-normalization",
    "unicode-properties",
    "unicode-security",
    "uuid",
];
const DOMAINS_TESTS_MAY_USE: [&str; 1] = ["proptest"];

/// Packages that `auth` may not use: entropy and time are arguments there, and nothing is
/// asynchronous.
const AUTH_MAY_NOT_USE: [&str; 5] = ["actix-rt", "actix-web", "diesel", "diesel-async", "tokio"];

/// The packages that may use errors without a type: the topmost ones.
const ANYHOW_IS_FOR: [&str; 4] = ["crates/delivery/", "tests/", "tools/", "xtask/"];

/// Packages that only some crates may depend on: a prefix of the name, and the allowed crates.
const RESERVED: [(&str, &[&str]); 4] = [
    ("actix", &["api", "delivery", "pages", "reference", "http_layer"]),
    ("askama", &["delivery", "pages", "reference"]),
    ("clap", &["bench", "delivery", "drills", "xtask"]),
    ("diesel", &["bench", "database", "persistence", "tables"]),
];

pub fn check(tree: &Tree) -> Vec<Violation> {
    let renames = manifest::renames(&tree.text("Cargo.toml").unwrap_or_default());
    let manifests = tree.paths().filter(|path| path.ends_with("/Cargo.toml"));
    manifests.flat_map(|path| of(path, &tree.text(path).unwrap_or_default(), &renames)).collect()
}

fn of(path: &str, text: &str, renames: &BTreeMap<String, String>) -> Vec<Violation> {
    let layer = LAYERS.iter().find(|layer| layer.manifest == path);
    if layer.is_none() && path.starts_with("crates/") {
        let what = "a crate without a layer: add it to LAYERS (xtask/src/tidy/layers.rs)";
        return vec![Violation::file(path, what)];
    }
    match manifest::dependencies(path, text, renames) {
        Ok(dependencies) => dependencies
            .iter()
            .filter_map(|dependency| {
                let what = layer
                    .and_then(|layer| wall(layer, dependency))
                    .or_else(|| layer.and_then(|layer| reserved(layer, dependency)))
                    .or_else(|| anyhow(path, dependency))?;
                Some(Violation::at(path, dependency.line, what))
            })
            .collect(),
        Err(broken) => vec![broken],
    }
}

fn wall(layer: &Layer, dependency: &Dependency) -> Option<String> {
    let package = dependency.package.as_str();
    let name = layer.name;
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
    let package = dependency.package.as_str();
    let listed = DOMAIN_MAY_USE.contains(&package);
    match dependency.kind {
        Kind::Normal => listed,
        Kind::Dev => listed || DOMAINS_TESTS_MAY_USE.contains(&package),
        Kind::Build => false,
    }
}

fn reserved(layer: &Layer, dependency: &Dependency) -> Option<String> {
    let package = dependency.package.as_str();
    let (_, users) = RESERVED.iter().find(|(prefix, _)| package.starts_with(prefix))?;
    let refused = dependency.kind == Kind::Normal && !users.contains(&layer.name);
    refused.then(|| {
        format!("{package} is for {} only: pass in or hand out what is needed", users.join(", "))
    })
}

fn anyhow(path: &str, dependency: &Dependency) -> Option<String> {
    (dependency.package == "anyhow" && !ANYHOW_IS_FOR.iter().any(|place| path.starts_with(place))).then(|| {
        "anyhow is for delivery, xtask, tools and tests only: give the errors of this crate a type (thiserror)".to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, dependencies: &str) -> Vec<String> {
        let text = format!("[package]\nname = \"it\"\n{dependencies}");
        let root = "[workspace.dependencies]\nstore = { package = \"persistence\", path = \"crates/persistence\" }\n";
        check(&Tree::from([("Cargo.toml", root), (path, &text)]))
            .iter()
            .map(ToString::to_string)
            .collect()
    }

    #[test]
    fn imports_run_one_way() {
        for (name, allowed, refused) in [
            (
                "domain",
                vec![],
                vec!["auth", "persistence", "channel", "api_types", "service", "xtask"],
            ),
            (
                "auth",
                vec!["domain"],
                vec!["persistence", "channel", "api_types", "service", "xtask"],
            ),
            (
                "persistence",
                vec!["domain", "auth"],
                vec!["channel", "api_types", "service", "delivery"],
            ),
            (
                "channel",
                vec!["domain"],
                vec!["auth", "persistence", "api_types", "service", "xtask"],
            ),
            (
                "api_types",
                vec!["domain", "persistence"],
                vec!["auth", "channel", "service", "delivery"],
            ),
            (
                "service",
                vec!["persistence", "channel", "api_types"],
                vec!["http_layer", "api", "workers", "xtask"],
            ),
            ("platform", vec!["persistence", "channel"], vec!["service", "workers", "config"]),
            ("workers", vec!["platform", "service"], vec!["http_layer", "api", "pages"]),
            ("config", vec!["platform"], vec!["http_layer", "api", "pages", "delivery"]),
            ("http_layer", vec!["config", "service"], vec!["api", "pages", "reference"]),
            ("api", vec!["http_layer", "service"], vec!["pages", "reference", "delivery"]),
            ("pages", vec!["http_layer", "service"], vec!["api", "reference", "delivery"]),
            ("reference", vec!["api", "pages"], vec!["persistence", "delivery"]),
            ("delivery", vec!["domain", "api", "pages", "service"], vec!["xtask"]),
        ] {
            let path = format!("crates/{name}/Cargo.toml");
            for package in allowed {
                let none: [&str; 0] = [];
                assert_eq!(
                    found(&path, &format!("[dependencies]\n{package} = {{ workspace = true }}\n")),
                    none
                );
            }
            for package in refused {
                for table in ["dependencies", "dev-dependencies", "target.'cfg(unix)'.dependencies"]
                {
                    let found =
                        found(&path, &format!("[{table}]\n{package} = {{ workspace = true }}\n"));
                    let expected = format!("{path}:4: {name} may not import {package} ");
                    assert_eq!(found.len(), 1, "{name} → {package}");
                    assert!(found.iter().all(|found| found.starts_with(&expected)), "{found:?}");
                }
            }
        }
    }

    #[test]
    fn xtask_links_none_of_them_and_no_other_name_helps() {
        assert_eq!(
            found("xtask/Cargo.toml", "[dependencies]\ndomain = { workspace = true }\n").len(),
            1
        );
        assert_eq!(
            found("crates/auth/Cargo.toml", "[dependencies]\nstore = { workspace = true }\n").len(),
            1
        );
        let renamed = "[dependencies]\ns = { package = \"delivery\", path = \"../delivery\" }\n";
        assert_eq!(found("crates/auth/Cargo.toml", renamed).len(), 1);
    }

    #[test]
    fn domain_has_a_list_of_what_it_may_use() {
        let path = "crates/domain/Cargo.toml";
        let allowed = "[dependencies]\nthiserror = \"2\"\ntime = \"0.3\"\nuuid = \"1\"\n[dev-dependencies]\nproptest = \"1\"\n";
        assert!(found(path, allowed).is_empty());
        for refused in [
            "[dependencies]\nserde = \"1\"\n",
            "[dependencies]\nproptest = \"1\"\n",
            "[build-dependencies]\ntime = \"1\"\n",
        ] {
            assert_eq!(found(path, refused).len(), 1, "{refused}");
        }
    }

    #[test]
    fn auth_is_pure() {
        let path = "crates/auth/Cargo.toml";
        for refused in ["tokio", "actix-web", "diesel"] {
            assert_eq!(
                found(path, &format!("[dev-dependencies]\n{refused} = \"1\"\n")).len(),
                1,
                "{refused}"
            );
        }
        assert!(found(path, "[dependencies]\nring = \"0.17\"\n").is_empty());
    }

    #[test]
    fn anyhow_stays_at_the_top() {
        for (path, faults) in [
            ("crates/delivery/Cargo.toml", 0),
            ("tests/Cargo.toml", 0),
            ("xtask/Cargo.toml", 0),
            ("crates/persistence/Cargo.toml", 1),
            ("crates/channel/Cargo.toml", 1),
        ] {
            assert_eq!(
                found(path, "[dependencies]\nanyhow = { workspace = true }\n").len(),
                faults,
                "{path}"
            );
        }
    }

    #[test]
    fn http_pages_commands_and_queries_have_their_crates() {
        for (package, user, refused) in [
            ("actix-web", "api", "service"),
            ("askama", "pages", "api"),
            ("clap", "delivery", "config"),
            ("diesel-async", "persistence", "service"),
        ] {
            let line = format!("[dependencies]\n{package} = \"1\"\n");
            let path = |name: &str| format!("crates/{name}/Cargo.toml");
            assert_eq!(found(&path(user), &line).len(), 0, "{package} in {user}");
            assert_eq!(found(&path(refused), &line).len(), 1, "{package} in {refused}");
        }
    }

    #[test]
    fn a_new_crate_needs_a_place() {
        let found = found("crates/novel/Cargo.toml", "");
        assert!(found.iter().any(|found| found.contains("LAYERS")), "{found:?}");
    }
}
