//! The program's packages, from `cargo metadata`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::Value;

/// The package of the program.
const PROGRAM: &str = "delivery";

/// One external package.
#[derive(Debug)]
pub struct Part {
    pub name: String,
    pub version: String,
    pub license: Option<String>,
    pub repository: Option<String>,
    /// The folder of its source.
    pub source: PathBuf,
    /// Whether it is linked into the program, not only used to build it.
    pub is_linked: bool,
    /// The names and versions of its dependencies.
    pub needs: BTreeSet<(String, String)>,
}

/// The program's external packages.
#[derive(Debug)]
pub struct Graph {
    pub version: String,
    /// The external dependencies of this workspace's crates.
    pub needs: BTreeSet<(String, String)>,
    /// The packages, sorted by name.
    pub parts: Vec<Part>,
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
    resolve: Resolve,
    workspace_members: BTreeSet<String>,
}

#[derive(Deserialize)]
struct Package {
    id: String,
    name: String,
    version: String,
    license: Option<String>,
    repository: Option<String>,
    manifest_path: PathBuf,
    targets: Vec<Target>,
}

#[derive(Deserialize)]
struct Target {
    kind: Vec<String>,
}

#[derive(Deserialize)]
struct Resolve {
    nodes: Vec<Node>,
}

#[derive(Deserialize)]
struct Node {
    id: String,
    deps: Vec<Edge>,
}

#[derive(Deserialize)]
struct Edge {
    pkg: String,
    dep_kinds: Vec<EdgeKind>,
}

#[derive(Deserialize)]
struct EdgeKind {
    /// `None` for a normal dependency.
    kind: Option<String>,
}

impl Edge {
    fn is(&self, wanted: Option<&str>) -> bool {
        self.dep_kinds.iter().any(|it| it.kind.as_deref() == wanted)
    }
}

impl Graph {
    /// Reads the graph that cargo has resolved.
    pub fn of_program(metadata: &Value) -> Result<Self> {
        let metadata =
            Metadata::deserialize(metadata).context("unexpected format of cargo metadata")?;
        let packages: BTreeMap<&str, &Package> =
            metadata.packages.iter().map(|it| (it.id.as_str(), it)).collect();
        let edges: BTreeMap<&str, &[Edge]> =
            metadata.resolve.nodes.iter().map(|it| (it.id.as_str(), it.deps.as_slice())).collect();
        let is_macro = |id: &str| {
            let targets = packages.get(id).into_iter().flat_map(|it| &it.targets);
            targets.flat_map(|it| &it.kind).any(|kind| kind == "proc-macro")
        };
        let program = metadata
            .packages
            .iter()
            .find(|it| it.name == PROGRAM && metadata.workspace_members.contains(&it.id))
            .with_context(|| format!("the workspace has no package `{PROGRAM}`"))?;
        // A procedural macro runs at build time, and so do its dependencies.
        let linked = reached(&edges, &program.id, |edge| edge.is(None) && !is_macro(&edge.pkg));
        let all = reached(&edges, &program.id, |edge| edge.is(None) || edge.is(Some("build")));
        let needs = |id: &str| -> BTreeSet<(String, String)> {
            let edges = edges.get(id).copied().unwrap_or_default();
            let outside = edges.iter().filter(|edge| {
                (edge.is(None) || edge.is(Some("build")))
                    && !metadata.workspace_members.contains(&edge.pkg)
            });
            let named = outside.filter_map(|edge| packages.get(edge.pkg.as_str()));
            named.map(|it| (it.name.clone(), it.version.clone())).collect()
        };
        let (ours, outside): (Vec<&str>, Vec<&str>) =
            all.iter().copied().partition(|id| metadata.workspace_members.contains(*id));
        let mut parts: Vec<Part> = outside
            .into_iter()
            .filter_map(|id| Some((id, packages.get(id)?)))
            .map(|(id, it)| Part {
                name: it.name.clone(),
                version: it.version.clone(),
                license: it.license.clone(),
                repository: it.repository.clone(),
                source: it.manifest_path.parent().map(PathBuf::from).unwrap_or_default(),
                is_linked: linked.contains(id),
                needs: needs(id),
            })
            .collect();
        parts.sort_by(|one, other| (&one.name, &one.version).cmp(&(&other.name, &other.version)));
        let needs = ours.into_iter().flat_map(needs).collect();
        Ok(Self { version: program.version.clone(), needs, parts })
    }
}

/// Returns every package that can be reached over edges for which `follows` is true, including the
/// start.
fn reached<'a>(
    edges: &BTreeMap<&'a str, &'a [Edge]>,
    from: &'a str,
    follows: impl Fn(&Edge) -> bool,
) -> BTreeSet<&'a str> {
    let (mut found, mut open) = (BTreeSet::from([from]), vec![from]);
    while let Some(id) = open.pop() {
        for edge in edges.get(id).copied().unwrap_or_default() {
            if follows(edge) && found.insert(edge.pkg.as_str()) {
                open.push(&edge.pkg);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_linked_and_what_only_builds_are_told_apart() {
        let package = |name: &str, kind: &str| {
            json!({"id": name, "name": name, "version": "1.0.0", "license": "MIT", "repository": null,
                "manifest_path": format!("/src/{name}/Cargo.toml"), "targets": [{"kind": [kind]}]})
        };
        let edge =
            |pkg: &str, kind: Option<&str>| json!({"pkg": pkg, "dep_kinds": [{"kind": kind}]});
        let metadata = json!({
            "workspace_members": ["delivery", "domain"],
            "packages": [package("delivery", "bin"), package("domain", "lib"), package("time", "lib"),
                package("derive", "proc-macro"), package("syn", "lib"), package("cc", "lib"),
                package("proptest", "lib")],
            "resolve": {"nodes": [
                {"id": "delivery", "deps": [edge("domain", None), edge("proptest", Some("dev"))]},
                {"id": "domain", "deps": [edge("time", None), edge("derive", None)]},
                {"id": "time", "deps": [edge("cc", Some("build"))]},
                {"id": "derive", "deps": [edge("syn", None)]},
                {"id": "syn", "deps": []}, {"id": "cc", "deps": []}, {"id": "proptest", "deps": []},
            ]},
        });
        let graph = Graph::of_program(&metadata).unwrap();
        let parts: Vec<_> = graph.parts.iter().map(|it| (it.name.as_str(), it.is_linked)).collect();
        assert_eq!(parts, [("cc", false), ("derive", false), ("syn", false), ("time", true)]);
        let of = |name: &str| (name.to_owned(), "1.0.0".to_owned());
        assert_eq!(graph.needs, [of("derive"), of("time")].into());
        assert_eq!(graph.parts[3].needs, [of("cc")].into());
    }
}
