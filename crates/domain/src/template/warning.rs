//! What of a template is passed to the reviewer without having been checked here.

use crate::keyword::keywords;
use crate::violation::{Field, MAX_VIOLATIONS, Violations};

keywords! {
    /// Why something was not checked.
    pub enum Unchecked {
        /// Its type is not one that this version knows.
        UnknownType = "unknown_type",
        /// There is no such field as far as this version knows.
        UnknownField = "unknown_field",
    }
}

/// Something that the reviewer gets as it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateWarning {
    /// Where: `components[1].buttons[0].type`.
    pub field: String,
    /// Why it was not checked.
    pub code: Unchecked,
    /// A sentence about it.
    pub message: String,
}

/// What is found while the parts are read: faults refuse the template, warnings do not.
#[derive(Debug)]
pub struct Findings<'a> {
    /// The faults.
    pub faults: &'a mut Violations,
    /// The warnings, at most [`MAX_VIOLATIONS`].
    pub warnings: Vec<TemplateWarning>,
}

impl<'a> Findings<'a> {
    /// Nothing is found yet but `faults`.
    pub const fn new(faults: &'a mut Violations) -> Self {
        Self { faults, warnings: Vec::new() }
    }

    /// Notes the fields that nobody knows here.
    pub fn unknown_fields(&mut self, at: &Field<'_>, names: &[&str]) {
        for name in names {
            let message =
                "this version does not know the field; it is passed to the reviewer as it is";
            self.warn(&at.key(name), Unchecked::UnknownField, message);
        }
    }

    /// Notes a type that nobody knows here.
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
