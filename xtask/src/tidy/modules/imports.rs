//! The imports of a Rust file from its own crate, as paths of modules and items.

use crate::tidy::source;

/// Returns the paths below the crate's root that the file of `module` uses, such as `[call, gates,
/// admit]`. Tests are excluded, because they may use everything.
pub fn imports(module: &[String], text: &str) -> Vec<Vec<String>> {
    let lines = source::lines(text);
    let tests = lines.iter().position(|line| line.code.trim() == "#[cfg(test)]");
    let shown = tests.map_or(lines.as_slice(), |at| lines.get(..at).unwrap_or_default());
    let code: Vec<&str> = shown.iter().map(|line| line.code.as_str()).collect();
    let code = code.join("\n");
    let tokens = tokens(&code);
    let mut found = Vec::new();
    let mut rest = tokens.as_slice();
    while let [first, after @ ..] = rest {
        let root = match *first {
            "crate" => Some(Vec::new()),
            "super" => Some(parent(module)),
            "self" => Some(module.to_vec()),
            _ => None,
        };
        rest = match (root, after) {
            (Some(root), ["::", path @ ..]) => tree(path, root, &mut found),
            _ => after,
        };
    }
    found
}

/// Returns the names that a module re-exports from its children: `pub use child::{Name}` as
/// (`Name`, `child`).
pub fn handed_on(text: &str) -> Vec<(String, String)> {
    let lines = source::lines(text);
    let code: Vec<&str> = lines.iter().map(|line| line.code.as_str()).collect();
    let code = code.join("\n");
    let tokens = tokens(&code);
    let mut found = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        if *token != "use"
            || !tokens.get(at.wrapping_sub(1)).is_some_and(|it| matches!(*it, "pub" | ")"))
        {
            continue;
        }
        let mut paths = Vec::new();
        tree(tokens.get(at + 1..).unwrap_or_default(), Vec::new(), &mut paths);
        for path in paths {
            if let [child, .., name] = path.as_slice() {
                found.push((name.clone(), child.clone()));
            }
        }
    }
    found
}

fn parent(module: &[String]) -> Vec<String> {
    module.split_last().map(|(_, parent)| parent.to_vec()).unwrap_or_default()
}

/// Splits code into names, `::`, and other single characters.
fn tokens(code: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = code.trim_start();
    while let Some(first) = rest.chars().next() {
        let word = |c: char| c.is_alphanumeric() || c == '_';
        let length = if word(first) {
            rest.find(|c| !word(c)).unwrap_or(rest.len())
        } else if rest.starts_with("::") {
            2
        } else {
            first.len_utf8()
        };
        let (token, after) = rest.split_at(length);
        found.push(token);
        rest = after.trim_start();
    }
    found
}

/// Reads a path, or a tree of paths in braces. The path continues `prefix`. Returns the tokens
/// after it.
fn tree<'a, 'b>(
    mut rest: &'b [&'a str],
    mut prefix: Vec<String>,
    found: &mut Vec<Vec<String>>,
) -> &'b [&'a str] {
    loop {
        match rest {
            ["{", after @ ..] => {
                rest = after;
                while let [first, after @ ..] = rest {
                    match *first {
                        "}" => return after,
                        "," => rest = after,
                        _ => {
                            let left = tree(rest, prefix.clone(), found);
                            // Anything that is not a path, such as a block, ends the tree.
                            if left.len() == rest.len() {
                                return after;
                            }
                            rest = left;
                        }
                    }
                }
                return rest;
            }
            ["super", "::", after @ ..] => {
                prefix = parent(&prefix);
                rest = after;
            }
            ["self" | "*", after @ ..] => {
                found.push(prefix);
                return after;
            }
            [name, after @ ..] if name.starts_with(|c: char| c.is_alphabetic() || c == '_') => {
                prefix.push((*name).to_owned());
                rest = match after {
                    ["::", after @ ..] => after,
                    ["as", _, after @ ..] | after => {
                        found.push(prefix);
                        return after;
                    }
                };
            }
            // Generic arguments or the end of the input: the path ends here.
            _ => {
                found.push(prefix);
                return rest;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(module: &str, text: &str) -> Vec<String> {
        let module: Vec<String> = module.split("::").map(str::to_owned).collect();
        imports(&module, text).into_iter().map(|path| path.join("::")).collect()
    }

    #[test]
    fn paths_are_found_in_imports_and_in_code() {
        let text = "use crate::{a::{self, B, c::*}, d as e};\nfn f() { crate::g::h::<T>(super::i, self::j) }";
        assert_eq!(found("m::n", text), ["a", "a::B", "a::c", "d", "g::h", "m::i", "m::n::j"]);
        assert_eq!(found("m::n", "use super::super::x;"), ["x"]);
    }

    #[test]
    fn comments_strings_and_tests_import_nothing() {
        let text = "// crate::a\nlet b = \"crate::b\";\n#[cfg(test)]\nmod tests { use crate::c; }";
        assert_eq!(found("m", text), [""; 0]);
    }

    #[test]
    fn names_are_handed_on() {
        let handed_on = handed_on("pub use a::{B, c::D};\nuse e::F;\npub(crate) use g::H;");
        let shown: Vec<String> =
            handed_on.iter().map(|(name, of)| format!("{name} {of}")).collect();
        assert_eq!(shown, ["B a", "D a", "H g"]);
    }
}
