//! Rows in the databases' input formats: lines of `COPY`, or the values of an `INSERT`.

use std::fmt::Write as _;

use domain::id::{Id, Kind};
use domain::keyword::Keyword;
use time::OffsetDateTime;

/// The input format.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// The text format of `PostgreSQL`'s `COPY`.
    Copy,
    /// `SQLite` literals in parentheses.
    Values,
}

/// The text of several rows, built value by value.
pub struct Rows {
    format: Format,
    text: String,
    is_first: bool,
}

impl Rows {
    pub fn new(format: Format) -> Self {
        Self { format, text: String::new(), is_first: true }
    }

    /// Returns the text so far.
    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn clear(&mut self) {
        self.text.clear();
    }

    pub fn begin(&mut self) {
        self.is_first = true;
        if self.format == Format::Values {
            self.text.push_str(if self.text.is_empty() { "(" } else { ",\n(" });
        }
    }

    pub fn end(&mut self) {
        self.text.push_str(if self.format == Format::Values { ")" } else { "\n" });
    }

    pub fn null(&mut self) -> &mut Self {
        self.raw("\\N", "NULL")
    }

    pub fn int(&mut self, value: i64) -> &mut Self {
        self.separate();
        self.write(format_args!("{value}"));
        self
    }

    pub fn bool(&mut self, value: bool) -> &mut Self {
        if value { self.raw("t", "1") } else { self.raw("f", "0") }
    }

    /// Appends the keyword of a state, type or another enum.
    pub fn word(&mut self, value: impl Keyword) -> &mut Self {
        self.text_value(value.as_str())
    }

    /// Appends the keyword, or NULL.
    pub fn word_or_null(&mut self, value: Option<impl Keyword>) -> &mut Self {
        match value {
            Some(value) => self.word(value),
            None => self.null(),
        }
    }

    pub fn text_value(&mut self, value: &str) -> &mut Self {
        self.separate();
        match self.format {
            Format::Copy => {
                for letter in value.chars() {
                    match letter {
                        '\\' => self.text.push_str("\\\\"),
                        '\n' => self.text.push_str("\\n"),
                        '\t' => self.text.push_str("\\t"),
                        '\r' => self.text.push_str("\\r"),
                        other => self.text.push(other),
                    }
                }
            }
            Format::Values => {
                self.text.push('\'');
                for (place, part) in value.split('\'').enumerate() {
                    if place > 0 {
                        self.text.push_str("''");
                    }
                    self.text.push_str(part);
                }
                self.text.push('\'');
            }
        }
        self
    }

    pub fn bytes(&mut self, value: &[u8]) -> &mut Self {
        self.separate();
        self.text.push_str(if self.format == Format::Copy { "\\\\x" } else { "x'" });
        self.hex(value)
    }

    pub fn id<K: Kind>(&mut self, value: Id<K>) -> &mut Self {
        self.separate();
        self.text.push_str(if self.format == Format::Copy { "" } else { "x'" });
        self.hex(value.uuid().as_bytes())
    }

    pub fn id_or_null<K: Kind>(&mut self, value: Option<Id<K>>) -> &mut Self {
        match value {
            Some(value) => self.id(value),
            None => self.null(),
        }
    }

    fn hex(&mut self, value: &[u8]) -> &mut Self {
        for byte in value {
            for digit in [byte >> 4, byte & 15] {
                self.text.push(char::from_digit(u32::from(digit), 16).unwrap_or('0'));
            }
        }
        if self.format == Format::Values {
            self.text.push('\'');
        }
        self
    }

    /// Appends a time in microseconds since 1970.
    pub fn time(&mut self, micros: i64) -> &mut Self {
        if self.format == Format::Values {
            return self.int(micros);
        }
        self.separate();
        let Ok(at) = OffsetDateTime::from_unix_timestamp_nanos(i128::from(micros) * 1000) else {
            return self;
        };
        let (year, month, day) = at.to_calendar_date();
        let (hour, minute, second, micros) = at.to_hms_micro();
        self.write(format_args!(
            "{year:04}-{:02}-{day:02} {hour:02}:{minute:02}:{second:02}.{micros:06}+00",
            u8::from(month)
        ));
        self
    }

    /// Appends a time in microseconds since 1970, or NULL.
    pub fn time_or_null(&mut self, micros: Option<i64>) -> &mut Self {
        match micros {
            Some(micros) => self.time(micros),
            None => self.null(),
        }
    }

    fn raw(&mut self, copy: &str, values: &str) -> &mut Self {
        self.separate();
        self.text.push_str(if self.format == Format::Copy { copy } else { values });
        self
    }

    fn separate(&mut self) {
        if !self.is_first {
            self.text.push(if self.format == Format::Copy { '\t' } else { ',' });
        }
        self.is_first = false;
    }

    fn write(&mut self, arguments: std::fmt::Arguments<'_>) {
        // Writing into a string cannot fail.
        let _ = self.text.write_fmt(arguments);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(format: Format) -> String {
        let mut rows = Rows::new(format);
        for _ in 0..2 {
            rows.begin();
            rows.int(-7).null().bool(true).bytes(&[0, 0xAB]).text_value("it's\ta \\ line\n");
            rows.time(1_795_439_372_929_634).time(951_782_400_000_001);
            rows.end();
        }
        rows.text
    }

    #[test]
    fn both_databases_are_written_to_in_their_own_way() {
        let line = "-7\t\\N\tt\t\\\\x00ab\tit's\\ta \\\\ line\\n\t\
            2026-11-23 13:09:32.929634+00\t2000-02-29 00:00:00.000001+00\n";
        assert_eq!(row(Format::Copy), [line, line].concat());
        let values = "(-7,NULL,1,x'00ab','it''s\ta \\ line\n',1795439372929634,951782400000001)";
        assert_eq!(row(Format::Values), [values, values].join(",\n"));
    }
}
