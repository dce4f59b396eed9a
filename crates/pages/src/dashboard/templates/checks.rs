//! Reasons for which the reviewer is known to reject a template (`docs/contract.md#lint`).

use crate::browser::sentence;
use domain::template::parts::in_either_case;
use domain::template::{ComponentType, LintFinding, LintSeverity, NewTemplate, PartInput};

/// A reason why the reviewer may reject a template, as pages show it.
pub struct ReviewerCheck {
    /// The CSS class of the color.
    pub class: &'static str,
    pub icon: &'static str,
    /// The name of the component that the finding is about.
    pub title: &'static str,
    pub sentence: String,
}

/// Returns the findings in a template with these components.
pub fn checks(new: &NewTemplate, parts: &[PartInput<'_>]) -> Vec<ReviewerCheck> {
    let check = |it: &LintFinding| {
        let (class, icon) = match it.severity {
            LintSeverity::Error => ("bad", "circle-x"),
            LintSeverity::Warning => ("warn", "triangle-alert"),
        };
        let part = component_of(&it.field).and_then(|(index, _)| parts.get(index));
        let title = title(part.and_then(|it| it.kind));
        ReviewerCheck { class, icon, title, sentence: sentence(&it.message) }
    };
    new.lint.iter().map(check).collect()
}

/// Returns the index of the component that a field is in, and the rest of the field's path:
/// `components[1].text` is `(1, "text")`.
pub fn component_of(field: &str) -> Option<(usize, &str)> {
    let (index, rest) = field.strip_prefix("components[")?.split_once(']')?;
    Some((index.parse().ok()?, rest.trim_start_matches('.')))
}

/// Returns the name of a component on pages.
pub fn title(kind: Option<&str>) -> &'static str {
    match kind.and_then(in_either_case) {
        Some(ComponentType::Header) => "Header",
        Some(ComponentType::Body) => "Body",
        Some(ComponentType::Footer) => "Footer",
        Some(ComponentType::Buttons) => "Buttons",
        Some(ComponentType::Carousel) => "Cards",
        Some(ComponentType::LimitedTimeOffer) => "Offer",
        None => "Component",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_in_a_component() {
        assert_eq!(component_of("components[1].text"), Some((1, "text")));
        let button = "components[3].buttons[0].url";
        assert_eq!(component_of(button), Some((3, "buttons[0].url")));
        assert_eq!(component_of("components[2]"), Some((2, "")));
        for field in ["name", "components", "components[x].text", "components[1"] {
            assert_eq!(component_of(field), None, "{field}");
        }
        assert_eq!(title(Some("body")), "Body");
        assert_eq!(title(Some("DANCE")), "Component");
    }
}
