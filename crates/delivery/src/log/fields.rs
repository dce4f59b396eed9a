//! Formatting of span and event fields as text without colors.

use std::fmt::{self, Debug, Write};
use tracing::field::{Field, Visit};
use tracing_subscriber::field::RecordFields;
use tracing_subscriber::fmt::FormatFields;
use tracing_subscriber::fmt::format::Writer;

/// The name of the field that holds the message.
const MESSAGE: &str = "message";

/// A formatter that writes `name=value` pairs like the default formatter of the layer. The default
/// formatter escapes every character separately, which is slow: a span is formatted for every
/// request, and few requests are logged.
pub struct PlainFields;

impl<'writer> FormatFields<'writer> for PlainFields {
    fn format_fields<R: RecordFields>(&self, writer: Writer<'writer>, fields: R) -> fmt::Result {
        let mut line = Line { writer, is_empty: true, written: Ok(()) };
        fields.record(&mut line);
        line.written
    }
}

struct Line<'writer> {
    writer: Writer<'writer>,
    is_empty: bool,
    written: fmt::Result,
}

impl Line<'_> {
    fn name(&mut self, field: &Field) -> fmt::Result {
        if !self.is_empty {
            self.writer.write_char(' ')?;
        }
        self.is_empty = false;
        if field.name() == MESSAGE {
            return Ok(());
        }
        self.writer.write_str(field.name())?;
        self.writer.write_char('=')
    }

    fn text(&mut self, field: &Field, value: &str) -> fmt::Result {
        self.name(field)?;
        if field.name() == MESSAGE {
            return Escaped(&mut self.writer).write_str(value);
        }
        if value.bytes().any(|byte| !(b' '..=b'~').contains(&byte) || b"\"\\".contains(&byte)) {
            return write!(Escaped(&mut self.writer), "{value:?}");
        }
        self.writer.write_char('"')?;
        self.writer.write_str(value)?;
        self.writer.write_char('"')
    }
}

impl Visit for Line<'_> {
    fn record_str(&mut self, field: &Field, value: &str) {
        if self.written.is_ok() {
            self.written = self.text(field, value);
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if self.written.is_ok() {
            let named = self.name(field);
            self.written = named.and_then(|()| write!(Escaped(&mut self.writer), "{value:?}"));
        }
    }
}

/// A writer that escapes characters which could control a terminal.
struct Escaped<'line, 'writer>(&'line mut Writer<'writer>);

impl Write for Escaped<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let is_control = |it: char| it.is_control() && !matches!(it, '\n' | '\t');
        if !text.contains(is_control) {
            return self.0.write_str(text);
        }
        text.chars().try_for_each(|it| {
            if is_control(it) {
                write!(self.0, "{}", it.escape_default())
            } else {
                self.0.write_char(it)
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;
    use std::sync::{Arc, Mutex};
    use tracing_subscriber::fmt;

    #[derive(Clone, Default)]
    struct LogBuffer(Arc<Mutex<Vec<u8>>>);

    impl io::Write for LogBuffer {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl LogBuffer {
        fn text(&self) -> String {
            String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
        }
    }

    /// Returns the lines that this formatter and the layer's default formatter write for the same
    /// events.
    fn both(say: impl Fn()) -> [String; 2] {
        let (plain, own) = (LogBuffer::default(), LogBuffer::default());
        let (into, into_own) = (plain.clone(), own.clone());
        let subscriber = fmt().with_ansi(false).without_time();
        let of_plain = fmt().with_ansi(false).without_time().fmt_fields(PlainFields);
        let of_plain = of_plain.with_writer(move || into.clone()).finish();
        let of_own = subscriber.with_writer(move || into_own.clone()).finish();
        tracing::subscriber::with_default(of_plain, &say);
        tracing::subscriber::with_default(of_own, &say);
        [plain.text(), own.text()]
    }

    #[test]
    fn lines_are_those_of_the_layer() {
        let [plain, own] = both(|| {
            let span = tracing::info_span!(
                "request",
                request_id = "req_1",
                method = %"GET",
                client = tracing::field::Empty,
            );
            span.record("client", tracing::field::display("::1"));
            span.in_scope(|| {
                tracing::warn!(status = 503, took = 1.5, ok = false, "it \"failed\"\nagain");
                tracing::warn!(path = "/a \"b\"\\\u{1b}[31m", "café");
                tracing::warn!(why = ?Some("x"), empty = "");
            });
        });
        assert_eq!(plain, own);
        assert_eq!(plain.lines().count(), 4);
    }

    #[test]
    fn nothing_controls_a_terminal() {
        let [plain, _] =
            both(|| tracing::warn!(why = %"\u{1b}[31mred\u{7}\u{9b}", "\u{1b}]0;title"));
        assert!(!plain.contains(['\u{1b}', '\u{7}', '\u{9b}']), "{plain:?}");
        assert!(plain.contains("\\u{1b}[31mred"), "{plain:?}");
    }
}
