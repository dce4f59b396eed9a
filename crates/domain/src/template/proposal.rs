//! Proposals of templates. A proposal must follow all rules of this module before it is submitted
//! to the reviewer (`docs/contract.md#templates`).

use super::input::PartInput;
use super::lint::{LintFinding, lint};
use super::parts;
use super::warning::{Findings, TemplateWarning};
use super::{Category, Definition, Language, ParameterFormat, TemplateName};
use crate::violation::{Fault, Field, Violations};

/// The fields of a request to create or change a template, before they are checked.
#[derive(Clone, Debug, Default)]
pub struct TemplateInput<'a> {
    pub name: Option<&'a str>,
    pub language: Option<&'a str>,
    pub category: Option<&'a str>,
    pub parameter_format: Option<&'a str>,
    pub components: Option<Vec<PartInput<'a>>>,
    pub message_send_ttl_seconds: Option<i64>,
}

/// A template that follows all rules. It can be stored and submitted for review.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NewTemplate {
    pub name: TemplateName,
    pub language: Language,
    pub category: Category,
    pub parameter_format: ParameterFormat,
    pub definition: Definition,
    /// The number of seconds for which the channel tries to deliver a message of this template, or
    /// `None` for the channel's default.
    pub message_send_ttl_seconds: Option<i32>,
    /// Warnings about the parts that are submitted to the reviewer unchecked.
    pub warnings: Vec<TemplateWarning>,
    /// The findings of the lint: parts of the template that the reviewer is known to reject.
    pub lint: Vec<LintFinding>,
}

impl NewTemplate {
    /// Parses a proposal. All faults are collected, not only the first.
    pub fn parse(proposal: &TemplateInput<'_>, faults: &mut Violations) -> Option<Self> {
        let name = TemplateName::parse(&Field::root("name"), proposal.name, faults);
        let language = Language::parse(&Field::root("language"), proposal.language, faults);
        let at = Field::root("category");
        let category = faults.require(&at, proposal.category);
        let category = category.and_then(|word| faults.word(&at, word));
        let at = Field::root("parameter_format");
        let parameter_format = proposal
            .parameter_format
            .map_or(Some(ParameterFormat::Positional), |word| faults.word(&at, word));
        // If the format is not valid, there is a fault for it already. The variables are then
        // checked as if the format were positional, because a check needs some format.
        let format = parameter_format.unwrap_or(ParameterFormat::Positional);
        let at = Field::root("components");
        let components = faults.require(&at, proposal.components.as_deref());
        let ttl = send_ttl(proposal.message_send_ttl_seconds, category, faults);
        let mut findings = Findings::new(faults);
        let definition =
            components.map(|parts| parts::parse(&at, parts, category, format, &mut findings));
        let warnings = findings.warnings;
        let (language, category) = (language?, category?);
        let lint = lint(category, &language, components.unwrap_or_default());
        Some(Self {
            name: name?,
            language,
            category,
            parameter_format: parameter_format?,
            definition: definition?,
            message_send_ttl_seconds: ttl,
            warnings,
            lint,
        })
    }
}

/// Checks the number of seconds for which the channel tries to deliver a message. Meta's bounds for
/// it depend on the category of the template.
fn send_ttl(
    seconds: Option<i64>,
    category: Option<Category>,
    faults: &mut Violations,
) -> Option<i32> {
    let (seconds, category) = (seconds?, category?);
    let (least, most) = category.send_ttl_bounds();
    // In Meta's API, -1 stands for 30 days.
    let is_longest = seconds == -1 && category != Category::Marketing;
    if !is_longest && !(least..=most).contains(&seconds) {
        let message = format!("must be {least} to {most} for the category {category}");
        faults.add(&Field::root("message_send_ttl_seconds"), Fault::OutOfRange, message);
    }
    i32::try_from(seconds).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::template::{AppInput, ButtonInput, CardInput, ExampleInput, OfferInput, Unchecked};

    fn body<'a>(text: &'a str, examples: &'a [String]) -> PartInput<'a> {
        let example = ExampleInput { positional: Some(examples), ..ExampleInput::default() };
        let kind = Some("BODY");
        PartInput { kind, text: Some(text), example: Some(example), ..PartInput::default() }
    }

    fn parsed(
        category: &str,
        components: Vec<PartInput<'_>>,
        format: &str,
    ) -> Result<NewTemplate, Violations> {
        let proposal = TemplateInput {
            name: Some("order_update"),
            language: Some("en_US"),
            category: Some(category),
            parameter_format: Some(format),
            components: Some(components),
            message_send_ttl_seconds: None,
        };
        let mut faults = Violations::default();
        let parsed = NewTemplate::parse(&proposal, &mut faults);
        faults.finish(parsed)
    }

    fn listed(parsed: Result<NewTemplate, Violations>) -> Vec<(String, String)> {
        let found = parsed.map_or_else(Violations::into_vec, |_| Vec::new());
        found.into_iter().map(|it| (it.field, it.fault.to_string())).collect()
    }

    fn faults(components: Vec<PartInput<'_>>, format: &str) -> Vec<(String, String)> {
        listed(parsed("utility", components, format))
    }

    fn one(field: &str, fault: &str) -> Vec<(String, String)> {
        vec![(field.to_owned(), fault.to_owned())]
    }

    #[test]
    fn a_body_with_its_examples_is_enough() {
        let examples = ["Ada".to_owned(), "1024".to_owned()];
        assert_eq!(faults(vec![body("Hello {{1}}, {{2}} is sent.", &examples)], "positional"), []);
    }

    #[test]
    fn gaps_ends_and_missing_examples_are_faults() {
        let one_example = ["Ada".to_owned()];
        let of_text = one("components[0].text", "invalid_format");
        let of_example = one("components[0].example.body_text", "required");
        assert_eq!(faults(vec![body("Hello {{2}}.", &one_example)], "positional"), of_text);
        assert_eq!(faults(vec![body("{{1}} hello", &one_example)], "positional"), of_text);
        assert_eq!(faults(vec![body("Hello {{1}}.", &[])], "positional"), of_example);
        assert_eq!(faults(vec![body("A {{1}}, {{2}}.", &one_example)], "positional"), of_example);
    }

    #[test]
    fn a_variable_at_an_end_does_not_hide_that_examples_are_missing() {
        let found = faults(vec![body("{{1}} hello {{2}}", &["Ada".to_owned()])], "positional");
        let expected = [
            one("components[0].text", "invalid_format"),
            one("components[0].example.body_text", "required"),
        ];
        assert_eq!(found, expected.concat());
    }

    #[test]
    fn there_is_one_body_and_at_most_one_of_the_others() {
        assert_eq!(faults(vec![], "positional"), one("components", "required"));
        let twice = vec![body("A", &[]), body("B", &[])];
        assert_eq!(faults(twice, "positional"), one("components[1]", "duplicate"));
    }

    #[test]
    fn named_variables_have_named_examples() {
        let mut part = body("Hello {{first_name}}.", &[]);
        let field = "components[0].example.body_text_named_params";
        assert_eq!(faults(vec![part.clone()], "named"), one(field, "required"));
        part.example = Some(ExampleInput {
            named: vec![(Some("first_name"), Some("Ada"))],
            ..ExampleInput::default()
        });
        assert_eq!(faults(vec![part], "named"), []);
    }

    #[test]
    fn ten_buttons_are_enough() {
        let button =
            ButtonInput { kind: Some("QUICK_REPLY"), text: Some("Yes"), ..ButtonInput::default() };
        let buttons = |count| PartInput {
            kind: Some("buttons"),
            buttons: Some(vec![button.clone(); count]),
            ..PartInput::default()
        };
        assert_eq!(faults(vec![body("A", &[]), buttons(10)], "positional"), []);
        let found = faults(vec![body("A", &[]), buttons(11)], "positional");
        assert_eq!(found, one("components[1].buttons", "too_long"));
    }

    fn part(kind: &str) -> PartInput<'_> {
        PartInput { kind: Some(kind), ..PartInput::default() }
    }

    fn buttons(buttons: Vec<ButtonInput<'_>>) -> PartInput<'_> {
        PartInput { buttons: Some(buttons), ..part("BUTTONS") }
    }

    fn one_time_code(otp_type: &str) -> ButtonInput<'_> {
        ButtonInput { kind: Some("OTP"), otp_type: Some(otp_type), ..ButtonInput::default() }
    }

    fn code(minutes: i64, button: ButtonInput<'_>) -> Vec<(String, String)> {
        let body = PartInput { add_security_recommendation: Some(true), ..part("BODY") };
        let footer = PartInput { code_expiration_minutes: Some(minutes), ..part("FOOTER") };
        listed(parsed("authentication", vec![body, footer, buttons(vec![button])], "positional"))
    }

    #[test]
    fn a_one_time_code_has_no_text_of_its_own() {
        assert_eq!(code(5, one_time_code("COPY_CODE")), []);
        assert_eq!(
            code(91, one_time_code("copy_code")),
            one("components[1].code_expiration_minutes", "out_of_range")
        );
        let apps = || {
            Some(vec![AppInput {
                package_name: Some("com.example"),
                signature_hash: Some("K8a/AINcGX7"),
                ..AppInput::default()
            }])
        };
        let tap = ButtonInput {
            supported_apps: apps(),
            autofill_text: Some("Autofill"),
            ..one_time_code("ONE_TAP")
        };
        assert_eq!(code(5, tap.clone()), []);
        let zero = ButtonInput { otp_type: Some("ZERO_TAP"), ..tap };
        let terms = one("components[2].buttons[0].zero_tap_terms_accepted", "required");
        assert_eq!(code(5, zero.clone()), terms);
        assert_eq!(code(5, ButtonInput { zero_tap_terms_accepted: Some(true), ..zero }), []);
        let bad = vec![AppInput {
            package_name: Some("com.example"),
            signature_hash: Some("short"),
            ..AppInput::default()
        }];
        let bad = ButtonInput { supported_apps: Some(bad), ..one_time_code("ONE_TAP") };
        assert_eq!(
            code(5, bad),
            one("components[2].buttons[0].supported_apps[0].signature_hash", "invalid_format")
        );
        let text = vec![body("Your code", &[]), buttons(vec![one_time_code("COPY_CODE")])];
        let found = listed(parsed("authentication", text, "positional"));
        assert_eq!(found, one("components[0].text", "not_allowed"));
        let elsewhere = vec![part("BODY"), buttons(vec![one_time_code("COPY_CODE")])];
        assert_eq!(faults(elsewhere, "positional"), one("category", "not_allowed"));
    }

    fn card(text: &str) -> CardInput<'_> {
        let header = PartInput { format: Some("IMAGE"), ..part("HEADER") };
        let reply =
            ButtonInput { kind: Some("QUICK_REPLY"), text: Some("More"), ..ButtonInput::default() };
        let components = Some(vec![header, body(text, &[]), buttons(vec![reply])]);
        CardInput { components, ..CardInput::default() }
    }

    fn carousel(cards: Vec<CardInput<'_>>) -> Vec<(String, String)> {
        let cards = PartInput { cards: Some(cards), ..part("CAROUSEL") };
        listed(parsed("marketing", vec![body("Look", &[]), cards], "positional"))
    }

    #[test]
    fn cards_are_two_to_ten_and_alike() {
        assert_eq!(carousel(vec![card("A"), card("B")]), []);
        assert_eq!(carousel(vec![card("A")]), one("components[1].cards", "required"));
        assert_eq!(carousel(vec![card("A"); 11]), one("components[1].cards", "too_long"));
        let mut other = card("B");
        other.components.as_mut().unwrap().remove(1);
        let unlike = one("components[1].cards[1].components", "invalid_format");
        assert_eq!(carousel(vec![card("A"), other]), unlike);
        let long = "x".repeat(161);
        let found = carousel(vec![card("A"), card(&long)]);
        assert_eq!(found.first().unwrap().0, "components[1].cards[1].components[1].text");
        let ten: Vec<_> = (0..10).map(|_| card(&long)).collect();
        let of_text = |(field, _): &&(String, String)| field.ends_with("components[1].text");
        assert_eq!(
            carousel(ten).iter().filter(of_text).count(),
            10,
            "one fault in each of ten cards"
        );
    }

    #[test]
    fn what_this_version_does_not_know_is_passed_on_with_a_warning() {
        let dance = PartInput { unknown: vec!["steps"], ..part("DANCE") };
        let sing = ButtonInput { kind: Some("SING"), text: Some("La"), ..ButtonInput::default() };
        let made =
            parsed("utility", vec![body("A", &[]), dance, buttons(vec![sing])], "positional");
        let warnings = made.unwrap().warnings;
        let found: Vec<_> = warnings.iter().map(|it| (it.field.as_str(), it.code)).collect();
        let expected = [
            ("components[1].steps", Unchecked::UnknownField),
            ("components[1].type", Unchecked::UnknownType),
            ("components[2].buttons[0].type", Unchecked::UnknownType),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn an_offer_has_a_short_text_and_no_footer() {
        let offer = |text| PartInput {
            limited_time_offer: Some(OfferInput {
                text: Some(text),
                has_expiration: Some(true),
                ..OfferInput::default()
            }),
            ..part("LIMITED_TIME_OFFER")
        };
        let copy = vec!["CARIBE25".to_owned()];
        let copy =
            ButtonInput { kind: Some("COPY_CODE"), example: Some(&copy), ..ButtonInput::default() };
        let with = |text, more: Vec<PartInput<'static>>| {
            let parts = vec![body("Good news", &[]), offer(text), buttons(vec![copy.clone()])];
            listed(parsed("marketing", parts.into_iter().chain(more).collect(), "positional"))
        };
        assert_eq!(with("Expiring offer!", vec![]), []);
        let field = "components[1].limited_time_offer.text";
        assert_eq!(with("An offer that is too long", vec![]), one(field, "too_long"));
        let footer = PartInput { text: Some("Bye"), ..part("FOOTER") };
        assert_eq!(with("Expiring offer!", vec![footer]), one("components", "not_allowed"));
    }

    #[test]
    fn how_long_the_channel_tries_depends_on_the_category() {
        let ttl = |category: Category, seconds| {
            let mut faults = Violations::default();
            let read = send_ttl(Some(seconds), Some(category), &mut faults);
            faults.finish(read).ok()
        };
        assert_eq!(ttl(Category::Authentication, 60), Some(60));
        assert_eq!(ttl(Category::Authentication, -1), Some(-1));
        assert_eq!(ttl(Category::Utility, -1), Some(-1));
        assert_eq!(ttl(Category::Marketing, -1), None);
        assert_eq!(ttl(Category::Utility, 29), None);
        assert_eq!(ttl(Category::Marketing, 43_200), Some(43_200));
        assert_eq!(ttl(Category::Marketing, i64::MAX), None);
    }
}
