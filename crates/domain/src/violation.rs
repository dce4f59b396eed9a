//! Collects all faults of an input, each with the field that has it (`docs/contract.md#errors`).

use crate::id::{Id, InvalidId, Kind};
use crate::keyword::keywords;
use crate::time::Timestamp;
use std::fmt;

keywords! {
    /// The kind of a fault. Programs read its keyword.
    pub enum Fault {
        /// The field is missing.
        Required = "required",
        /// There is no field of this name.
        UnknownField = "unknown_field",
        /// The field has the wrong JSON type.
        WrongType = "wrong_type",
        /// The field is empty, but must have a value.
        Empty = "empty",
        /// The text has too many characters, or the list too many entries.
        TooLong = "too_long",
        /// The number is too small or too large.
        OutOfRange = "out_of_range",
        /// The value is not one of the allowed values.
        NotOneOf = "not_one_of",
        /// The value has the wrong format.
        InvalidFormat = "invalid_format",
        /// The value must occur only once, but occurs twice.
        Duplicate = "duplicate",
        /// The field is not allowed together with the other fields of the request.
        NotAllowed = "not_allowed",
    }
}

/// A violation: one fault of one field of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The path of the field, such as `interactive.action.buttons[0].reply.title`.
    pub field: String,
    pub fault: Fault,
    /// A sentence that tells people what is expected.
    pub message: String,
}

/// Maximum number of faults in the answer to one request.
pub const MAX_VIOLATIONS: usize = 100;

/// The faults of an input that were found so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Violations(Vec<Violation>);

impl Violations {
    /// Adds a fault. After [`MAX_VIOLATIONS`] faults, further faults are dropped. The answer to a
    /// request with many faults thus stays small.
    pub fn add(&mut self, field: &Field<'_>, fault: Fault, message: impl Into<String>) {
        if self.0.len() >= MAX_VIOLATIONS {
            return;
        }
        self.0.push(Violation { field: field.to_string(), fault, message: message.into() });
    }

    /// Returns `value`. If `value` is `None`, adds the fault that `field` is missing.
    pub fn require<T>(&mut self, field: &Field<'_>, value: Option<T>) -> Option<T> {
        if value.is_none() {
            self.add(field, Fault::Required, "this field is required");
        }
        value
    }

    /// Returns `text` if it has 1 to `most` characters, otherwise adds a fault.
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

    /// Does the same as [`Self::text`]. Also adds a fault if the text is missing.
    pub fn required_text(
        &mut self,
        field: &Field<'_>,
        text: Option<&str>,
        most: usize,
    ) -> Option<String> {
        let text = self.require(field, text)?;
        self.text(field, text, most)
    }

    /// Does the same as [`Self::text`], if there is a text. A missing text is no fault.
    pub fn optional_text(
        &mut self,
        field: &Field<'_>,
        text: Option<&str>,
        most: usize,
    ) -> Option<String> {
        text.and_then(|text| self.text(field, text, most))
    }

    /// Adds a fault if `field` has a value, because the field is not allowed in `context`.
    pub fn forbid<T>(&mut self, field: &Field<'_>, value: Option<&T>, context: &str) {
        if value.is_some() {
            let message = format!("is not allowed in {context}");
            self.add(field, Fault::NotAllowed, message);
        }
    }

    /// Returns the variant that has the keyword `word`, or adds a fault that lists the valid
    /// keywords.
    pub fn word<W: crate::keyword::Keyword>(&mut self, field: &Field<'_>, word: &str) -> Option<W> {
        let case = W::from_keyword(word);
        if case.is_none() {
            let message = format!("must be one of {}", W::listed());
            self.add(field, Fault::NotOneOf, message);
        }
        case
    }

    /// Does the same as [`Self::word`], if there is a word. A missing word is no fault.
    pub fn optional_word<W: crate::keyword::Keyword>(
        &mut self,
        field: &Field<'_>,
        word: Option<&str>,
    ) -> Option<W> {
        word.and_then(|word| self.word(field, word))
    }

    /// Parses a time in the format of RFC 3339, or adds a fault.
    pub fn time(&mut self, field: &Field<'_>, text: &str) -> Option<Timestamp> {
        let at = Timestamp::parse(text);
        if at.is_none() {
            let message = "must be an RFC 3339 time, such as 2026-11-21T09:05:07Z";
            self.add(field, Fault::InvalidFormat, message);
        }
        at
    }

    /// Does the same as [`Self::time`], if there is a text. A missing text is no fault.
    pub fn optional_time(&mut self, field: &Field<'_>, text: Option<&str>) -> Option<Timestamp> {
        text.and_then(|text| self.time(field, text))
    }

    /// Parses an id. Adds a fault if the text is not an id of the expected type. A missing text is
    /// no fault.
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

    /// Adds all faults of another collection, without regard to [`MAX_VIOLATIONS`].
    pub fn append(&mut self, mut others: Self) {
        self.0.append(&mut others.0);
    }

    /// Adds the faults of an object that is a part of the input. `place` is the path of the object,
    /// such as `messages[2]`. The path of each fault then begins with `place`.
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

    /// Returns `value` if there are no faults. Otherwise returns the faults.
    ///
    /// Faults that only follow from another fault are removed. If a field has the wrong format, it
    /// is not also reported as missing or empty. If a field has the wrong JSON type, the field, the
    /// fields that contain it and the fields inside it are not also reported as missing or empty.
    ///
    /// If `value` is `None`, there must be a fault. If a bug has the effect that there is none, a
    /// general fault is added, so that the input is rejected nevertheless.
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

    /// Returns the faults, in the order in which they were found.
    #[must_use]
    pub fn into_vec(self) -> Vec<Violation> {
        self.0
    }
}

/// Whether the field `outer` contains the field `inner`.
fn holds(outer: &str, inner: &str) -> bool {
    inner.strip_prefix(outer).is_some_and(|rest| rest.starts_with(['.', '[']))
}

/// The path of a field in the input. Each step of the path is a value on the stack that refers to
/// the step before it. The path becomes a text only when there is a fault.
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
    /// Returns the path of a field at the top level of the input.
    #[must_use]
    pub const fn root(name: &'a str) -> Self {
        Self { parent: None, step: PathStep::Key(name) }
    }

    /// Returns the path of the field `name` in this object.
    #[must_use]
    pub const fn key(&'a self, name: &'a str) -> Self {
        Self { parent: Some(self), step: PathStep::Key(name) }
    }

    /// Returns the path of the entry at `index` in this list.
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
