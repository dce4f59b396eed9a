//! The bill of materials as a `CycloneDX` document.

use std::path::Path;

use anyhow::{Context, Result};
use serde_json::{Value, json};
use time::OffsetDateTime;

use super::graph::{Graph, Part};
use super::lock::Checksums;

const PROGRAM: &str = "switchboard";
/// The package that bundles SQLite, which is not a package itself.
const SQLITE_BRINGER: &str = "libsqlite3-sys";
const SQLITE_HEADER: &str = "sqlite3/sqlite3.h";
const SQLITE_VERSION: &str = "#define SQLITE_VERSION ";

/// Returns the document for the program's packages.
pub fn of(graph: &Graph, checksums: &Checksums, date: u64) -> Result<Value> {
    let mut components: Vec<Value> =
        graph.parts.iter().map(|part| component(part, checksums)).collect();
    let mut dependencies = vec![depends(PROGRAM, &references(&graph.needs))];
    for part in &graph.parts {
        let mut on = references(&part.needs);
        if part.name == SQLITE_BRINGER {
            let version = sqlite_version(&part.source)?;
            on.push(sqlite_reference(&version));
            components.push(sqlite(&version));
            dependencies.push(depends(&sqlite_reference(&version), &[]));
        }
        dependencies.push(depends(&reference(&part.name, &part.version), &on));
    }
    Ok(json!({
        "$schema": "http://cyclonedx.org/schema/bom-1.5.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "timestamp": timestamp(date)?,
            "component": {
                "type": "application", "bom-ref": PROGRAM, "name": PROGRAM, "version": graph.version,
                "licenses": [{"license": {"id": "MIT"}}],
            },
        },
        "components": components,
        "dependencies": dependencies,
    }))
}

fn component(part: &Part, checksums: &Checksums) -> Value {
    let purl = reference(&part.name, &part.version);
    let mut component = json!({
        "type": "library", "bom-ref": purl, "name": part.name, "version": part.version,
        "scope": if part.is_linked { "required" } else { "excluded" }, "purl": purl,
    });
    let Some(fields) = component.as_object_mut() else { return component };
    if let Some(license) = &part.license {
        // Old packages write a slash for `OR`.
        let expression = license.replace('/', " OR ");
        fields.insert("licenses".to_owned(), json!([{"expression": expression}]));
    }
    if let Some(checksum) = checksums.get(&(part.name.clone(), part.version.clone())) {
        fields.insert("hashes".to_owned(), json!([{"alg": "SHA-256", "content": checksum}]));
    }
    if let Some(repository) = &part.repository {
        let places = json!([{"type": "vcs", "url": repository}]);
        fields.insert("externalReferences".to_owned(), places);
    }
    component
}

fn reference(name: &str, version: &str) -> String {
    // A version may have build metadata after a plus sign, which means a space in a URL.
    format!("pkg:cargo/{name}@{}", version.replace('+', "%2B"))
}

fn references<'a>(needs: impl IntoIterator<Item = &'a (String, String)>) -> Vec<String> {
    needs.into_iter().map(|(name, version)| reference(name, version)).collect()
}

fn depends(what: &str, on: &[String]) -> Value {
    json!({"ref": what, "dependsOn": on})
}

fn sqlite_reference(version: &str) -> String {
    format!("pkg:generic/sqlite@{version}")
}

fn sqlite(version: &str) -> Value {
    json!({
        "type": "library", "bom-ref": sqlite_reference(version), "name": "sqlite", "version": version,
        "scope": "required", "purl": sqlite_reference(version),
        "cpe": format!("cpe:2.3:a:sqlite:sqlite:{version}:*:*:*:*:*:*:*"),
        "licenses": [{"license": {"id": "blessing"}}],
    })
}

fn sqlite_version(source: &Path) -> Result<String> {
    let header = source.join(SQLITE_HEADER);
    let text = std::fs::read_to_string(&header)
        .with_context(|| format!("cannot read {}", header.display()))?;
    let line = text.lines().find_map(|line| line.strip_prefix(SQLITE_VERSION));
    let version = line.map(|it| it.trim().trim_matches('"').to_owned());
    version.with_context(|| format!("{} contains no version", header.display()))
}

fn timestamp(date: u64) -> Result<String> {
    let at = OffsetDateTime::from_unix_timestamp(i64::try_from(date)?)?;
    let (hour, minute, second) = at.to_hms();
    let (year, month, day) = (at.year(), u8::from(at.month()), at.day());
    Ok(format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_component_says_what_it_is_and_how_it_may_be_used() {
        let part = Part {
            name: "old".to_owned(),
            version: "1.0.0+2".to_owned(),
            license: Some("MIT/Apache-2.0".to_owned()),
            repository: None,
            source: "/src/old".into(),
            is_linked: true,
            needs: [("new".to_owned(), "2.0.0".to_owned())].into(),
        };
        let graph = Graph { version: "0.1.0".to_owned(), needs: [].into(), parts: vec![part] };
        let sums = [(("old".to_owned(), "1.0.0+2".to_owned()), "c0ffee".to_owned())].into();
        let document = of(&graph, &sums, 1_000_000_000).unwrap();
        assert_eq!(document["metadata"]["timestamp"], "2001-09-09T01:46:40Z");
        assert_eq!(
            document["components"],
            json!([{
                "type": "library", "bom-ref": "pkg:cargo/old@1.0.0%2B2", "name": "old", "version": "1.0.0+2",
                "scope": "required", "purl": "pkg:cargo/old@1.0.0%2B2",
                "licenses": [{"expression": "MIT OR Apache-2.0"}],
                "hashes": [{"alg": "SHA-256", "content": "c0ffee"}],
            }])
        );
        let expected =
            json!({"ref": "pkg:cargo/old@1.0.0%2B2", "dependsOn": ["pkg:cargo/new@2.0.0"]});
        assert_eq!(document["dependencies"][1], expected);
    }
}
