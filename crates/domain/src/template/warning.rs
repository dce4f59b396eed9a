//! Warnings about parts of a template that are submitted to the reviewer unchecked.

use crate::keyword::keywords;
use crate::violation::{Field, MAX_VIOLATIONS, Violations};

keywords! {
    /// The reason why a part of a template was not checked.
    pub enum Unchecked {
        /// The part has a type that this version of Switchboard does not know.
        UnknownType = "unknown_type",
        /// The part is a field that this version of Switchboard does not know.
        UnknownField = "unknown_field",
    }
}

/// A warning about a part of a template that is submitted to the reviewer unchecked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateWarning {
    /// The field that was not checked, such as `components[1].buttons[0].type`.
    pub field: String,
    pub code: Unchecked,
    pub message: String,
}

/// The faults and warnings that were found while a template was parsed. Only faults reject it.
#[derive(Debug)]
pub struct Findings<'a> {
    pub faults: &'a mut Violations,
    /// The warnings so far, at most [`MAX_VIOLATIONS`].
    pub warnings: Vec<TemplateWarning>,
}

impl<'a> Findings<'a> {
    /// Creates a collection without warnings. New faults are added to `faults`.
    pub const fn new(faults: &'a mut Violations) -> Self {
        Self { faults, warnings: Vec::new() }
    }

    /// Adds a warning for each of these fields, which this version of Switchboard does not know.
    pub fn unknown_fields(&mut self, at: &Field<'_>, names: &[&str]) {
        for name in names {
            let message =
                "this version does not know the field; it is passed to the reviewer as it is";
            self.warn(&at.key(name), Unchecked::UnknownField, message);
        }
    }

    /// Adds a warning for a type that this version of Switchboard does not know.
    pub fn unknown_type(&mut self, at: &Field<'_>, word: &str) {
        let message =
            format!("this version does not know {word}; it is passed to the reviewer as it is");
        self.warn(at, Unchecked::UnknownType, message);
    }

    fn warn(&mut self, at: &Field<'_>, code: Unchecked, message: impl Into<String>) {
        if self.warnings.len() < MAX_VIOLATIONS {
            let (field, message) = (at.to_string(), message.into());
            self.warnings.push(TemplateWarning { field, code, message });
        }
    }
}
