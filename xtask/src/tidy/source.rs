//! A Rust file split into code and comments, so that checks ignore names that are only mentioned.

/// A line of a file, with its code and its comments.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// The line number, counted from 1.
    pub number: usize,
    /// The code, with all strings emptied.
    pub code: String,
    /// The comments, including their slashes.
    pub comment: String,
}

/// The state of the scanner at the beginning of a line.
#[derive(Clone, Copy)]
enum Within {
    Code,
    /// A block comment, with its nesting depth.
    Comment(usize),
    Text,
    /// A raw string with this many `#`.
    Raw(usize),
}

/// Splits a file into lines.
pub fn lines(text: &str) -> Vec<Line> {
    let mut within = Within::Code;
    let split = |(index, text): (usize, &str)| {
        let mut line = Line { number: index + 1, ..Line::default() };
        within = scan(text, within, &mut line);
        line
    };
    text.lines().enumerate().map(split).collect()
}

/// Tells whether `needle` occurs in `code` as a whole word or path.
pub fn names(code: &str, needle: &str) -> bool {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    let (begins, ends) = (needle.starts_with(word), needle.ends_with(word));
    code.match_indices(needle).any(|(at, _)| {
        let before = code.get(..at).is_some_and(|before| before.ends_with(word));
        let after = code.get(at + needle.len()..).is_some_and(|after| after.starts_with(word));
        !(begins && before || ends && after)
    })
}

fn scan(text: &str, mut within: Within, line: &mut Line) -> Within {
    let mut rest = text;
    while !rest.is_empty() {
        (rest, within) = match within {
            Within::Code => code(rest, line),
            Within::Comment(depth) => comment(rest, depth, line),
            Within::Text => string(rest, line),
            Within::Raw(hashes) => raw(rest, hashes, line),
        };
    }
    within
}

fn code<'a>(rest: &'a str, line: &mut Line) -> (&'a str, Within) {
    if rest.starts_with("//") {
        line.comment.push_str(rest);
        return ("", Within::Code);
    }
    if let Some(rest) = rest.strip_prefix("/*") {
        line.comment.push_str("/*");
        return (rest, Within::Comment(1));
    }
    if let Some(rest) = rest.strip_prefix('"') {
        line.code.push('"');
        return (rest, opening(&line.code).map_or(Within::Text, Within::Raw));
    }
    if let Some(rest) = character(rest) {
        line.code.push_str("''");
        return (rest, Within::Code);
    }
    (next(rest, &mut line.code), Within::Code)
}

fn comment<'a>(rest: &'a str, depth: usize, line: &mut Line) -> (&'a str, Within) {
    if let Some(rest) = rest.strip_prefix("*/") {
        line.comment.push_str("*/");
        return (rest, if depth > 1 { Within::Comment(depth - 1) } else { Within::Code });
    }
    if let Some(rest) = rest.strip_prefix("/*") {
        line.comment.push_str("/*");
        return (rest, Within::Comment(depth + 1));
    }
    (next(rest, &mut line.comment), Within::Comment(depth))
}

fn string<'a>(rest: &'a str, line: &mut Line) -> (&'a str, Within) {
    let mut skipped = String::new();
    if let Some(rest) = rest.strip_prefix('\\') {
        return (next(rest, &mut skipped), Within::Text);
    }
    if let Some(rest) = rest.strip_prefix('"') {
        line.code.push('"');
        return (rest, Within::Code);
    }
    (next(rest, &mut skipped), Within::Text)
}

fn raw<'a>(rest: &'a str, hashes: usize, line: &mut Line) -> (&'a str, Within) {
    let end = format!("\"{}", "#".repeat(hashes));
    match rest.split_once(&end) {
        Some((_, rest)) => {
            line.code.push_str(&end);
            (rest, Within::Code)
        }
        None => ("", Within::Raw(hashes)),
    }
}

/// Moves one character from `rest` to `to`.
fn next<'a>(rest: &'a str, to: &mut String) -> &'a str {
    let mut characters = rest.chars();
    to.extend(characters.next());
    characters.as_str()
}

/// If `code` ends with the opening quote of a raw string, returns the number of `#`.
fn opening(code: &str) -> Option<usize> {
    let before = code.strip_suffix('"')?;
    let prefix = before.trim_end_matches('#');
    let word = prefix.rsplit(|c: char| !(c.is_alphanumeric() || c == '_')).next()?;
    matches!(word, "r" | "br" | "cr").then_some(before.len() - prefix.len())
}

/// If `rest` begins with a character literal (not a lifetime), returns the text after it.
fn character(rest: &str) -> Option<&str> {
    let inside = rest.strip_prefix('\'')?;
    if let Some(escaped) = inside.strip_prefix('\\') {
        let mut characters = escaped.chars();
        characters.next();
        return characters.as_str().split_once('\'').map(|(_, rest)| rest);
    }
    let mut characters = inside.chars();
    characters.next();
    characters.as_str().strip_prefix('\'')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code_of(text: &str) -> Vec<String> {
        lines(text).into_iter().map(|line| line.code).collect()
    }

    #[test]
    fn comments_and_strings_are_no_code() {
        let split = lines("let a = \"x // y\"; // z\n");
        assert_eq!(
            split,
            [Line { number: 1, code: "let a = \"\"; ".into(), comment: "// z".into() }]
        );
        assert_eq!(code_of("a /* b /* c */ d */ e"), ["a  e"]);
        assert_eq!(code_of("a /* b\nc */ d"), ["a ", " d"]);
        assert_eq!(code_of(r#"f("a\"b", x)"#), [r#"f("", x)"#]);
        assert_eq!(code_of("f(\"a\nb\", x)"), ["f(\"", "\", x)"]);
        assert_eq!(code_of("f(r#\"a \" \\\"#, x)"), ["f(r#\"\"#, x)"]);
        assert_eq!(code_of("f(br\"a\\\", x)"), ["f(br\"\", x)"]);
        assert_eq!(code_of("f(r##\"a\n\"# b\"##, x)"), ["f(r##\"", "\"##, x)"]);
    }

    #[test]
    fn characters_and_lifetimes_are_distinguished() {
        assert_eq!(code_of("f('\"', b'\\'', '\\u{22}', 'a') // b"), ["f('', b'', '', '') "]);
        assert_eq!(
            code_of("fn f<'a>(x: &'a str) -> &'a str { x }"),
            ["fn f<'a>(x: &'a str) -> &'a str { x }"]
        );
        assert_eq!(code_of("'outer: loop { break 'outer; }"), ["'outer: loop { break 'outer; }"]);
    }

    #[test]
    fn a_name_is_a_whole_word() {
        assert!(names("diesel::pg::Pg", "Pg"));
        assert!(!names("PgConnection", "Pg"));
        assert!(names("std::time::Instant::now()", "Instant::now"));
        assert!(!names("MyInstant::now()", "Instant::now"));
        assert!(!names("Instant::now_at()", "Instant::now"));
        assert!(names("x.todo!()", "todo!"));
        assert!(!names("not_todo!()", "todo!"));
    }
}
