//! Checks that a tenant's rows are reached only through a handle that holds the tenant. It reads
//! the lists of operations and the queries that they name.

use super::source;
use super::{Tree, Violation};

const OPERATIONS: &str = "crates/persistence/src/operations/";
const QUERIES: &str = "crates/persistence/src/queries/";
/// Parameters that are secrets. An id next to one of them is useless to anyone without the secret.
const SECRETS: [&str; 1] = ["digest: Vec<u8>"];
/// Queries for public rows, which are found by a public name; for files that is an id.
const PUBLIC: [&str; 1] = ["public_media"];

/// The kinds of operations. Another kind is a violation, so that no operation goes unchecked.
const KINDS: [&str; 5] = ["read", "long_read", "write", "long_write", "write_after"];

/// The handles that hold a tenant, with the type of the second argument of their queries.
const TENANTS: [(&str, &str); 7] = [
    ("OrganizationDb<organization>", "OrganizationId"),
    ("OrganizationStandbyDb<organization>", "OrganizationId"),
    ("OwnerDb<owner>", "Owner"),
    ("OwnerStandbyDb<owner>", "Owner"),
    ("ApplicationDb<application>", "ApplicationId"),
    ("MemberDb<member>", "MemberId"),
    ("KeyDb<key>", "KeyId"),
];

pub fn check(tree: &Tree) -> Vec<Violation> {
    let mut found = Vec::new();
    for (path, text) in tree.rust().filter(|(path, _)| path.starts_with(OPERATIONS)) {
        let mut handle = String::new();
        let (mut declaration, mut number) = (String::new(), 0);
        for line in source::lines(&text) {
            let code = line.code.trim();
            // The handle for rows that any node can read counts as the same handle.
            let named = code.strip_suffix(';').map(|it| it.trim_end_matches(" anywhere"));
            if let Some(named) = named.filter(|it| is_handle(it)) {
                named.clone_into(&mut handle);
            }
            // A declaration may span several lines.
            if declaration.is_empty() {
                if !begins_operation(code) {
                    continue;
                }
                number = line.number;
            }
            declaration.extend([code, " "]);
            if code.ends_with(';') {
                let what = judge(tree, &handle, declaration.trim_end());
                found.extend(what.map(|what| Violation::at(path, number, what)));
                declaration.clear();
            }
        }
    }
    found
}

/// A line of a list: the query, and the arguments of its callers.
struct Operation<'a> {
    module: &'a str,
    name: &'a str,
    arguments: &'a str,
}

fn is_handle(text: &str) -> bool {
    text == "Db" || text.split('<').next().is_some_and(|it| it.ends_with("Db") && !it.contains(' '))
}

/// Tells whether a line begins a declaration, such as `read keys::find(id: KeyId) -> Key;`.
fn begins_operation(code: &str) -> bool {
    let is_word = |text: &str| {
        !text.is_empty() && text.chars().all(|it| it.is_ascii_lowercase() || it == '_')
    };
    let query = code.split_once(' ').filter(|(kind, _)| is_word(kind)).map(|(_, rest)| rest);
    let query =
        query.and_then(|rest| rest.split_once('(')).and_then(|(query, _)| query.split_once("::"));
    query.is_some_and(|(module, name)| is_word(module) && !name.is_empty())
}

fn judge(tree: &Tree, handle: &str, declaration: &str) -> Option<String> {
    let kind = declaration.split(' ').next().unwrap_or_default();
    if !KINDS.contains(&kind) {
        return Some(format!(
            "`{kind}` is a kind of operation that this check does not know: add it to KINDS"
        ));
    }
    match operation(declaration) {
        Some(operation) => fault(tree, handle, &operation),
        None => Some("this check cannot read the operation".to_owned()),
    }
}

fn operation(code: &str) -> Option<Operation<'_>> {
    let (_, rest) = code.split_once(' ')?;
    let (query, rest) = rest.split_once('(')?;
    let (module, name) = query.split_once("::")?;
    let (arguments, _) = rest.rsplit_once(") -> ")?;
    Some(Operation { module, name, arguments })
}

fn fault(tree: &Tree, handle: &str, operation: &Operation<'_>) -> Option<String> {
    let Operation { module, name, arguments } = operation;
    if let Some((_, tenant)) = TENANTS.iter().find(|(it, _)| *it == handle) {
        let query = tree.text(&format!("{QUERIES}{module}.rs")).unwrap_or_default();
        let given = parameters(&query, name).unwrap_or_default();
        let second = given.split(',').nth(1).unwrap_or_default();
        let named = second.rsplit(' ').next().unwrap_or_default();
        return (named != *tenant).then(|| {
            format!("`{module}::{name}` is a method of {handle}: its second parameter is the tenant's `{tenant}`, and its statements name it")
        });
    }
    if handle == "OperatorDb" || PUBLIC.contains(name) {
        return None;
    }
    let bare = arguments.split(',').any(|it| is_id(it.rsplit(' ').next().unwrap_or_default()));
    let secret = SECRETS.iter().any(|secret| arguments.contains(secret));
    (bare && !secret).then(|| {
        format!("`{name}` finds a row of any tenant by its id: make it a method of the handle that holds the tenant, or of `OperatorDb`")
    })
}

/// Tells whether a type is an id, a list of ids, or an optional id.
fn is_id(name: &str) -> bool {
    let name = name.trim_start_matches("Vec<").trim_start_matches("Option<").trim_end_matches('>');
    name.ends_with("Id") && name.chars().all(char::is_alphanumeric)
}

/// Returns the parameters of a function on one line.
fn parameters(text: &str, name: &str) -> Option<String> {
    let (_, rest) = text.split_once(&format!("pub async fn {name}("))?;
    let (given, _) = rest.split_once(") ->")?;
    Some(given.split_whitespace().collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUERY: &str = "pub async fn own(conn: &mut Conn, organization: OrganizationId, id: KeyId) -> Result<Key> {}\n\
         pub async fn bare(\n    conn: &mut Conn,\n    id: KeyId,\n) -> Result<Key> {}\n";

    fn faults(list: &str) -> usize {
        let tree = Tree::from([
            ("crates/persistence/src/operations/keys.rs", list),
            ("crates/persistence/src/queries/keys.rs", QUERY),
        ]);
        check(&tree).len()
    }

    #[test]
    fn a_query_by_a_bare_id_belongs_to_no_tenants_handle() {
        for right in [
            "operations! {\n    OrganizationDb<organization>;\n    read keys::own(id: KeyId) -> Key;\n}",
            "operations! {\n    OperatorDb;\n    write keys::bare(id: KeyId) -> Key;\n}",
            "operations! {\n    OperatorDb anywhere;\n    read keys::bare(id: KeyId) -> Key;\n}",
            "operations! {\n    Db;\n    read keys::found(id: ConsentId, digest: Vec<u8>) -> Key;\n}",
            "operations! {\n    Db;\n    write keys::insert(new: Key, kind: KeyKind) -> ();\n}",
        ] {
            assert_eq!(faults(right), 0, "{right}");
        }
        for wrong in [
            "operations! {\n    OrganizationDb<organization>;\n    read keys::bare(id: KeyId) -> Key;\n}",
            "operations! {\n    OwnerDb<owner>;\n    read keys::own(id: KeyId) -> Key;\n}",
            "operations! {\n    Db;\n    long_read keys::bare(id: KeyId) -> Key;\n}",
            "operations! {\n    Db;\n    read keys::bare(ids: Vec<KeyId>) -> Key;\n}",
            "operations! {\n    PublicDb;\n    read keys::bare(id: KeyId) -> Key;\n}",
            "operations! {\n    OrganizationDb<organization>;\n    write_after keys::bare(id: KeyId) -> Key;\n}",
            "operations! {\n    OwnerDb<owner>;\n    write_after keys::bare(\n        id: KeyId\n    ) -> Key;\n}",
            "operations! {\n    Db;\n    slow_read keys::found(id: ConsentId, digest: Vec<u8>) -> Key;\n}",
        ] {
            assert_eq!(faults(wrong), 1, "{wrong}");
        }
    }
}
