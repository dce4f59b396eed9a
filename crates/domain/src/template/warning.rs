//! Warnings about parts of a template that the reviewer gets unchecked.

use crate::keyword::keywords;
use crate::violation::{Field, MAX_VIOLATIONS, Violations};

keywords! {
    /// The reason why a part was not checked.
    pub enum Unchecked {
        /// This version does not know the type.
        UnknownType = "unknown_type",
        /// This version does not know the field.
        UnknownField = "unknown_field",
    }
}

/// A part of a template that the reviewer gets unchecked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateWarning {
    /// The field, such as `components[1].buttons[0].type`.
    pub field: String,
    pub code: Unchecked,
    pub message: String,
}

/// The results of parsing: faults and warnings. Only faults reject a template.
#[derive(Debug)]
pub struct Findings<'a> {
    pub faults: &'a mut Violations,
    /// The warnings, at most [`MAX_VIOLATIONS`].
    pub warnings: Vec<TemplateWarning>,
}

impl<'a> Findings<'a> {
    /// Starts without warnings. New faults are added to `faults`.
    pub const fn new(faults: &'a mut Violations) -> Self {
        Self { faults, warnings: Vec::new() }
    }

    /// Adds a warning for each unknown field.
    pub fn unknown_fields(&mut self, at: &Field<'_>, names: &[&str]) {
        for name in names {
            let message =
                "this version does not know the field; it is passed to the reviewer as it is";
            self.warn(&at.key(name), Unchecked::UnknownField, message);
        }
    }

    /// Adds a warning for an unknown type.
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
