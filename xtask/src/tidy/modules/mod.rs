//! The allowed imports within a crate: no cycles between sibling modules.

mod imports;

use std::collections::{BTreeMap, BTreeSet};

use super::{Findings, Tree, Violation};

/// The modules of one folder. For each module: the siblings that it imports, each with a file that
/// contains the import.
#[derive(Default)]
struct Neighbors(BTreeMap<String, BTreeMap<String, String>>);

pub fn check(tree: &Tree) -> Findings {
    let mut findings = Findings::of("imports");
    let crates: BTreeSet<&str> = tree.paths().filter_map(root_of).collect();
    for root in crates {
        of_crate(tree, root, &mut findings);
    }
    findings
}

/// Returns the source root of a file's crate, such as `crates/service/src/`.
fn root_of(path: &str) -> Option<&str> {
    let source = path.find("/src/")? + "/src/".len();
    let belongs = ["crates/", "tools/", "xtask/"].iter().any(|room| path.starts_with(room));
    path.get(..source).filter(|_| belongs)
}

fn of_crate(tree: &Tree, root: &str, findings: &mut Findings) {
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
            findings.looked_at += 1;
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
    findings.violations.extend(folders.values().filter_map(Neighbors::cycle));
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
        // Modules that import none of the remaining modules are removed repeatedly. If any modules
        // remain, there is a cycle.
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
}

/// Returns a cycle among the modules that remain. The first module is repeated at the end.
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
        check(&tree).violations.iter().map(ToString::to_string).collect()
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
    fn parents_and_children_may_know_each_other() {
        let files = [
            ("lib.rs", "mod m;"),
            ("m/mod.rs", "mod b; use b::B; pub struct M;"),
            ("m/b.rs", "use super::M; use crate::m::M as N;"),
        ];
        assert_eq!(found(files), [""; 0]);
    }
}
