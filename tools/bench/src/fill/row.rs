//! Rows in the databases' input formats: lines of `COPY`, or the values of an `INSERT`.

use std::fmt::Write as _;

use super::ids::Id;

/// The input format.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// The text format of `PostgreSQL`'s `COPY`.
    Copy,
    /// `SQLite` literals in parentheses.
    Values,
}

const DAY: i64 = 86_400;

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

    pub fn id(&mut self, value: &Id) -> &mut Self {
        self.separate();
        self.text.push_str(if self.format == Format::Copy { "" } else { "x'" });
        self.hex(value)
    }

    pub fn id_or_null(&mut self, value: Option<Id>) -> &mut Self {
        match value {
            Some(value) => self.id(&value),
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
        let (seconds, micros) = (micros.div_euclid(1_000_000), micros.rem_euclid(1_000_000));
        let (day, second) = (seconds.div_euclid(DAY), seconds.rem_euclid(DAY));
        let (year, month, day) = civil(day);
        let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
        self.write(format_args!(
            "{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}.{micros:06}+00"
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

/// Returns year, month and day of a day number since 1970. The calendar repeats every 400 years; in
/// this calculation the year begins in March.
const fn civil(day: i64) -> (i64, i64, i64) {
    let shifted = day + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year + era * 400 + if month <= 2 { 1 } else { 0 }, month, day)
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
