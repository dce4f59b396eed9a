//! Errors of a submitted form, shown beside its fields.

use std::fmt::{Display, Write as _};

/// The errors of a form by field name. An error of the whole form has the empty name.
#[derive(Clone, Debug, Default)]
pub struct FieldErrors(Vec<(&'static str, String)>);

impl FieldErrors {
    pub fn one(field: &'static str, error: impl Display) -> Self {
        let mut errors = Self::default();
        errors.add(field, error);
        errors
    }

    /// Adds an error and formats it as a sentence. A field with several errors shows all of them.
    pub fn add(&mut self, field: &'static str, error: impl Display) {
        let error = sentence(&error.to_string());
        match self.0.iter_mut().find(|(it, _)| *it == field) {
            Some((_, before)) => {
                before.push(' ');
                before.push_str(&error);
            }
            None => self.0.push((field, error)),
        }
    }

    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    #[must_use]
    pub fn of(&self, field: &str) -> Option<&str> {
        self.0.iter().find(|(it, _)| *it == field).map(|(_, error)| error.as_str())
    }

    /// Returns the sentence above the form, if there are errors.
    #[must_use]
    pub fn summary(&self) -> Option<&str> {
        let beside = "Nothing was saved. Correct what is marked below and try again.";
        (!self.is_empty()).then(|| self.of("").unwrap_or(beside))
    }

    /// Returns the HTML attributes of a control that has a hint: its descriptions and whether it is
    /// invalid.
    ///
    /// The control whose error was added first gets the focus, so add errors in the order of the
    /// form. `id` is the id of the control and is not escaped, so it must not come from user input.
    #[must_use]
    pub fn control(&self, field: &str, id: &str) -> String {
        let mut attributes = format!(" aria-describedby=\"{id}-hint");
        self.wrong(&mut attributes, field, id);
        attributes
    }

    /// Returns the HTML attributes of a control without a hint. See [`Self::control`].
    #[must_use]
    pub fn bare_control(&self, field: &str, id: &str) -> String {
        let mut attributes = String::new();
        if self.of(field).is_some() {
            attributes.push_str(" aria-describedby=\"");
            self.wrong(&mut attributes, field, id);
        }
        attributes
    }

    /// Returns the HTML attributes of a control that may have a hint. See [`Self::control`].
    #[must_use]
    pub fn described(&self, field: &str, id: &str, has_hint: bool) -> String {
        if has_hint { self.control(field, id) } else { self.bare_control(field, id) }
    }

    /// Returns the HTML attributes of a group of controls.
    #[must_use]
    pub fn group(&self, field: &str, id: &str) -> String {
        if self.of(field).is_none() {
            return String::new();
        }
        let mut attributes = format!(" aria-describedby=\"{id}-error\"");
        if self.is_first(field) {
            attributes.push_str(" tabindex=\"-1\" autofocus");
        }
        attributes
    }

    fn is_first(&self, field: &str) -> bool {
        self.0.first().is_some_and(|(first, _)| *first == field)
    }

    fn wrong(&self, attributes: &mut String, field: &str, id: &str) {
        if self.of(field).is_none() {
            attributes.push('"');
            return;
        }
        let space = if attributes.ends_with('"') { "" } else { " " };
        // Writing to a string cannot fail.
        _ = write!(attributes, "{space}{id}-error\" aria-invalid=\"true\"");
        if self.is_first(field) {
            attributes.push_str(" autofocus");
        }
    }
}

/// Returns the text with a capital letter at its beginning and a period at its end. A URL at the
/// beginning is not changed.
#[must_use]
pub fn sentence(text: &str) -> String {
    let begins_with_url = text.split_whitespace().next().is_some_and(|it| it.contains("://"));
    let mut sentence: String = if begins_with_url {
        text.to_owned()
    } else {
        let mut letters = text.chars();
        let first = letters.next().into_iter().flat_map(char::to_uppercase);
        first.chain(letters).collect()
    };
    if !sentence.ends_with(['.', '!', '?']) {
        sentence.push('.');
    }
    sentence
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_a_sentence_beside_its_field() {
        let mut errors = FieldErrors::one("name", "a name needs at least one character");
        errors.add("rate", "Enter a number.");
        assert_eq!(errors.of("name"), Some("A name needs at least one character."));
        assert_eq!(errors.of("rate"), Some("Enter a number."));
        assert_eq!(
            errors.control("name", "name"),
            " aria-describedby=\"name-hint name-error\" aria-invalid=\"true\" autofocus"
        );
        assert_eq!(
            errors.bare_control("rate", "rate-1"),
            " aria-describedby=\"rate-1-error\" aria-invalid=\"true\""
        );
        assert_eq!(errors.control("url", "url"), " aria-describedby=\"url-hint\"");
        assert_eq!(errors.bare_control("url", "url"), "");
        assert!(FieldErrors::default().summary().is_none());
        errors.add("name", "too long");
        assert_eq!(errors.of("name"), Some("A name needs at least one character. Too long."));
        assert_eq!(
            sentence("https://a.example is not allowed"),
            "https://a.example is not allowed."
        );
        assert_eq!(errors.group("rate", "rate"), " aria-describedby=\"rate-error\"");
        let only = FieldErrors::one("scope", "choose one");
        let attributes = " aria-describedby=\"scope-error\" tabindex=\"-1\" autofocus";
        assert_eq!(only.group("scope", "scope"), attributes);
    }
}
