//! What is wrong with an input, field by field, all of it at once (`docs/contract.md#errors`).

use crate::keyword::keywords;
use std::fmt;

keywords! {
    /// The kind of a fault, for machines.
    pub enum Fault {
        /// The field is missing.
        Required = "required",
        /// There is no such field.
        UnknownField = "unknown_field",
        /// The field has another JSON type.
        WrongType = "wrong_type",
        /// Empty where something is needed.
        Empty = "empty",
        /// More characters or entries than allowed.
        TooLong = "too_long",
        /// A number beyond its bounds.
        OutOfRange = "out_of_range",
        /// None of the values that are allowed.
        NotOneOf = "not_one_of",
        /// Not written as such a value is.
        InvalidFormat = "invalid_format",
        /// The same value twice where each must differ.
        Duplicate = "duplicate",
        /// It has no place beside the other fields.
        NotAllowed = "not_allowed",
    }
}

/// One fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Where: `interactive.action.buttons[0].reply.title`.
    pub field: String,
    /// What kind.
    pub fault: Fault,
    /// A sentence that says what would have been right.
    pub message: String,
}

/// Maximum number of faults that one answer lists.
pub const MAX_VIOLATIONS: usize = 100;

/// The faults found so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Violations(Vec<Violation>);

impl Violations {
    /// Notes a fault; beyond [`MAX_VIOLATIONS`] it is left out, for an input that is nothing but faults
    /// must not cost more to answer than to send.
    pub fn add(&mut self, field: &Field<'_>, fault: Fault, message: impl Into<String>) {
        if self.0.len() >= MAX_VIOLATIONS {
            return;
        }
        self.0.push(Violation { field: field.to_string(), fault, message: message.into() });
    }

    /// `value`, or a note that `field` is missing.
    pub fn require<T>(&mut self, field: &Field<'_>, value: Option<T>) -> Option<T> {
        if value.is_none() {
            self.add(field, Fault::Required, "this field is required");
        }
        value
    }

    /// `text` if it has 1 to `most` characters, or else a note.
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

    /// Like [`Self::text`] for a field that must be there.
    pub fn required_text(
        &mut self,
        field: &Field<'_>,
        text: Option<&str>,
        most: usize,
    ) -> Option<String> {
        let text = self.require(field, text)?;
        self.text(field, text, most)
    }

    /// Like [`Self::text`] for a field that may be left out.
    pub fn optional_text(
        &mut self,
        field: &Field<'_>,
        text: Option<&str>,
        most: usize,
    ) -> Option<String> {
        text.and_then(|text| self.text(field, text, most))
    }

    /// Notes that `field` has no place in this `context`, if it is there.
    pub fn forbid<T>(&mut self, field: &Field<'_>, value: Option<&T>, context: &str) {
        if value.is_some() {
            let message = format!("is not allowed in {context}");
            self.add(field, Fault::NotAllowed, message);
        }
    }

    /// The case of `word`, or a note that lists those there are.
    pub fn word<W: crate::keyword::Keyword>(&mut self, field: &Field<'_>, word: &str) -> Option<W> {
        let case = W::from_keyword(word);
        if case.is_none() {
            let message = format!("must be one of {}", W::listed());
            self.add(field, Fault::NotOneOf, message);
        }
        case
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.0.len()
    }

    /// Adds what was found elsewhere.
    pub fn append(&mut self, mut others: Self) {
        self.0.append(&mut others.0);
    }

    /// `value` when nothing was wrong, or else the faults.
    ///
    /// A value that could not be made always leaves a fault behind, so `None` without one cannot be;
    /// should it happen all the same, the caller is told so rather than let through.
    ///
    /// A field that could not be read is not also reported as missing or empty, nor is what it would hold.
    pub fn settle<T>(mut self, value: Option<T>) -> Result<T, Self> {
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

    /// The faults, in the order in which they were found.
    #[must_use]
    pub fn into_vec(self) -> Vec<Violation> {
        self.0
    }
}

/// Whether the field `inner` is somewhere in the field `outer`.
fn holds(outer: &str, inner: &str) -> bool {
    inner.strip_prefix(outer).is_some_and(|rest| rest.starts_with(['.', '[']))
}

/// A place in the input; created again on the stack at each step, spelt out only for a fault.
#[derive(Clone, Copy, Debug)]
pub struct Field<'a> {
    parent: Option<&'a Field<'a>>,
    step: Step<'a>,
}

#[derive(Clone, Copy, Debug)]
enum Step<'a> {
    Key(&'a str),
    Index(usize),
}

impl<'a> Field<'a> {
    /// A top-level field.
    #[must_use]
    pub const fn root(name: &'a str) -> Self {
        Self { parent: None, step: Step::Key(name) }
    }

    /// A field of this one.
    #[must_use]
    pub const fn key(&'a self, name: &'a str) -> Self {
        Self { parent: Some(self), step: Step::Key(name) }
    }

    /// An entry of this one.
    #[must_use]
    pub const fn index(&'a self, index: usize) -> Self {
        Self { parent: Some(self), step: Step::Index(index) }
    }
}

impl fmt::Display for Field<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(parent) = self.parent {
            fmt::Display::fmt(parent, out)?;
        }
        match self.step {
            Step::Key(name) if self.parent.is_some() => write!(out, ".{name}"),
            Step::Key(name) => out.write_str(name),
            Step::Index(index) => write!(out, "[{index}]"),
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
        let found = faults.settle(Some(())).unwrap_err().into_vec();
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
        let found = faults.settle(None::<()>).unwrap_err().into_vec();
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
        assert_eq!(Violations::default().settle(None::<()>).unwrap_err().len(), 1);
    }
}
