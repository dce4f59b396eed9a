//! Collects all faults of an input, by field (`docs/contract.md#errors`).

use crate::id::{Id, InvalidId, Kind};
use crate::keyword::keywords;
use crate::time::Timestamp;
use std::fmt;

keywords! {
    /// The kind of a fault, as a keyword for programs.
    pub enum Fault {
        /// The field is missing.
        Required = "required",
        /// The field does not exist.
        UnknownField = "unknown_field",
        /// The field has the wrong JSON type.
        WrongType = "wrong_type",
        /// The field is empty but needs a value.
        Empty = "empty",
        /// The field has more characters or entries than allowed.
        TooLong = "too_long",
        /// The number is out of bounds.
        OutOfRange = "out_of_range",
        /// The value is not one of the allowed values.
        NotOneOf = "not_one_of",
        /// The value has the wrong format.
        InvalidFormat = "invalid_format",
        /// The value must be unique, but occurs twice.
        Duplicate = "duplicate",
        /// The field is not allowed with the other fields of the request.
        NotAllowed = "not_allowed",
    }
}

/// A fault of one field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The field, such as `interactive.action.buttons[0].reply.title`.
    pub field: String,
    pub fault: Fault,
    /// A sentence that says what is expected.
    pub message: String,
}

/// Maximum number of faults in one answer.
pub const MAX_VIOLATIONS: usize = 100;

/// The faults found so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Violations(Vec<Violation>);

impl Violations {
    /// Adds a fault. Faults beyond [`MAX_VIOLATIONS`] are dropped, so that the answer to a request
    /// with many faults stays small.
    pub fn add(&mut self, field: &Field<'_>, fault: Fault, message: impl Into<String>) {
        if self.0.len() >= MAX_VIOLATIONS {
            return;
        }
        self.0.push(Violation { field: field.to_string(), fault, message: message.into() });
    }

    /// Returns `value`, or adds a fault that `field` is missing.
    pub fn require<T>(&mut self, field: &Field<'_>, value: Option<T>) -> Option<T> {
        if value.is_none() {
            self.add(field, Fault::Required, "this field is required");
        }
        value
    }

    /// Returns `text` if it has 1 to `most` characters, or else adds a fault.
    pub fn text(&mut self, field: &Field<'_>, text: &str, most: usize) -> Option<String> {
        if text.is_empty() {
            self.add(field, Fault::Empty, "must not be empty");
            return None;
        }
        let count = text.chars().count();
        if count > most {
            let message = format!("has {count} characters; at most {most} are allowed");
            self.add(field, Fault::TooLong, message);
            return None;
        }
        Some(text.to_owned())
    }

    /// Like [`Self::text`], for a required field.
    pub fn required_text(
        &mut self,
        field: &Field<'_>,
        text: Option<&str>,
        most: usize,
    ) -> Option<String> {
        let text = self.require(field, text)?;
        self.text(field, text, most)
    }

    /// Like [`Self::text`], for an optional field.
    pub fn optional_text(
        &mut self,
        field: &Field<'_>,
        text: Option<&str>,
        most: usize,
    ) -> Option<String> {
        text.and_then(|text| self.text(field, text, most))
    }

    /// Adds a fault if `field` is set, because it is not allowed in `context`.
    pub fn forbid<T>(&mut self, field: &Field<'_>, value: Option<&T>, context: &str) {
        if value.is_some() {
            let message = format!("is not allowed in {context}");
            self.add(field, Fault::NotAllowed, message);
        }
    }

    /// Returns the variant of a keyword, or adds a fault that lists the valid keywords.
    pub fn word<W: crate::keyword::Keyword>(&mut self, field: &Field<'_>, word: &str) -> Option<W> {
        let case = W::from_keyword(word);
        if case.is_none() {
            let message = format!("must be one of {}", W::listed());
            self.add(field, Fault::NotOneOf, message);
        }
        case
    }

    /// Like [`Self::word`], for an optional field.
    pub fn optional_word<W: crate::keyword::Keyword>(
        &mut self,
        field: &Field<'_>,
        word: Option<&str>,
    ) -> Option<W> {
        word.and_then(|word| self.word(field, word))
    }

    /// Parses an RFC 3339 time, or adds a fault.
    pub fn time(&mut self, field: &Field<'_>, text: &str) -> Option<Timestamp> {
        let at = Timestamp::parse(text);
        if at.is_none() {
            let message = "must be an RFC 3339 time, such as 2026-11-21T09:05:07Z";
            self.add(field, Fault::InvalidFormat, message);
        }
        at
    }

    /// Like [`Self::time`], for an optional field.
    pub fn optional_time(&mut self, field: &Field<'_>, text: Option<&str>) -> Option<Timestamp> {
        text.and_then(|text| self.time(field, text))
    }

    /// Parses an optional id, or adds a fault.
    pub fn optional_id<K: Kind>(&mut self, field: &Field<'_>, text: Option<&str>) -> Option<Id<K>> {
        let parsed: Result<Id<K>, _> = text?.parse();
        parsed
            .map_err(|wrong: InvalidId| self.add(field, Fault::InvalidFormat, wrong.to_string()))
            .ok()
    }

    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    #[must_use]
    pub const fn len(&self) -> usize {
        self.0.len()
    }

    /// Adds the faults of another collection. Their number is not limited here.
    pub fn append(&mut self, mut others: Self) {
        self.0.append(&mut others.0);
    }

    /// Adds the faults of an object in the input. `place` is the object's path, such as
    /// `messages[2]`.
    pub fn append_within(&mut self, place: &str, others: Self) {
        let moved = |it: Violation| {
            let field = if it.field.is_empty() {
                place.to_owned()
            } else {
                format!("{place}.{}", it.field)
            };
            Violation { field, ..it }
        };
        self.0.extend(others.0.into_iter().map(moved));
    }

    /// Returns `value` if there are no faults, otherwise the faults.
    ///
    /// Some faults follow from others and are removed. A field that could not be parsed is not
    /// reported as missing or empty too. If its JSON type is wrong, the fields that contain it or
    /// that it contains are not reported as missing or empty either.
    ///
    /// If `value` is `None`, there must be a fault. If there is none because of a bug, a general
    /// fault is added, so that the input is still rejected.
    pub fn finish<T>(mut self, value: Option<T>) -> Result<T, Self> {
        let unread =
            self.0.iter().filter(|it| matches!(it.fault, Fault::WrongType | Fault::InvalidFormat));
        let unread: Vec<(String, Fault)> = unread.map(|it| (it.field.clone(), it.fault)).collect();
        let explains = |field: &str, (unread, fault): &(String, Fault)| {
            let is_wrong_type = *fault == Fault::WrongType;
            field == unread || (is_wrong_type && (holds(field, unread) || holds(unread, field)))
        };
        self.0.retain(|it| {
            let is_missing = matches!(it.fault, Fault::Required | Fault::Empty);
            !is_missing || !unread.iter().any(|other| explains(&it.field, other))
        });
        match value {
            Some(value) if self.is_empty() => Ok(value),
            Some(_) => Err(self),
            None => {
                if self.is_empty() {
                    self.add(&Field::root(""), Fault::InvalidFormat, "is not valid");
                }
                Err(self)
            }
        }
    }

    /// Returns the faults in the order in which they were found.
    #[must_use]
    pub fn into_vec(self) -> Vec<Violation> {
        self.0
    }
}

/// Whether the field `outer` contains the field `inner`.
fn holds(outer: &str, inner: &str) -> bool {
    inner.strip_prefix(outer).is_some_and(|rest| rest.starts_with(['.', '[']))
}

/// The path of a field in the input. Each step is a value on the stack that refers to its parent.
/// The path is formatted only for a fault.
#[derive(Clone, Copy, Debug)]
pub struct Field<'a> {
    parent: Option<&'a Field<'a>>,
    step: PathStep<'a>,
}

#[derive(Clone, Copy, Debug)]
enum PathStep<'a> {
    Key(&'a str),
    Index(usize),
}

impl<'a> Field<'a> {
    /// Names a top-level field.
    #[must_use]
    pub const fn root(name: &'a str) -> Self {
        Self { parent: None, step: PathStep::Key(name) }
    }

    /// Names a field of this object.
    #[must_use]
    pub const fn key(&'a self, name: &'a str) -> Self {
        Self { parent: Some(self), step: PathStep::Key(name) }
    }

    /// Names an entry of this list.
    #[must_use]
    pub const fn index(&'a self, index: usize) -> Self {
        Self { parent: Some(self), step: PathStep::Index(index) }
    }
}

impl fmt::Display for Field<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(parent) = self.parent {
            fmt::Display::fmt(parent, out)?;
        }
        match self.step {
            PathStep::Key(name) if self.parent.is_some() => write!(out, ".{name}"),
            PathStep::Key(name) => out.write_str(name),
            PathStep::Index(index) => write!(out, "[{index}]"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_spelt_as_in_javascript() {
        let root = Field::root("interactive");
        let (action, mut faults) = (root.key("action"), Violations::default());
        let buttons = action.key("buttons");
        faults.text(&buttons.index(2).key("title"), "", 20);
        let found = faults.finish(Some(())).unwrap_err().into_vec();
        assert_eq!(found[0].field, "interactive.action.buttons[2].title");
        assert_eq!(found[0].fault, Fault::Empty);
    }

    #[test]
    fn what_could_not_be_read_is_not_also_missing() {
        let mut faults = Violations::default();
        let root = Field::root("interactive");
        let body = root.key("body");
        faults.add(&body, Fault::WrongType, "must be an object");
        faults.require(&body.key("text"), None::<()>);
        faults.require(&root, None::<()>);
        faults.require(&root.key("action"), None::<()>);
        faults.add(&root.key("type"), Fault::NotOneOf, "must be button");
        let found = faults.finish(None::<()>).unwrap_err().into_vec();
        let found: Vec<&str> = found.iter().map(|it| it.field.as_str()).collect();
        assert_eq!(found, ["interactive.body", "interactive.action", "interactive.type"]);
    }

    #[test]
    fn an_input_of_nothing_but_faults_is_answered_briefly() {
        let mut faults = Violations::default();
        for _ in 0..1_000_000 {
            faults.add(&Field::root("x"), Fault::Required, "this field is required");
        }
        assert_eq!(faults.len(), MAX_VIOLATIONS);
    }

    #[test]
    fn a_value_that_could_not_be_made_is_never_let_through() {
        assert_eq!(Violations::default().finish(None::<()>).unwrap_err().len(), 1);
    }
}
