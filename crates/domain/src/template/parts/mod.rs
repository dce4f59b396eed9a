//! Parses the components of a proposed template, with Meta's structure and bounds.
//!
//! Types and fields that this version of Switchboard does not know are passed on to the reviewer
//! unchecked. Each of them adds a warning (`docs/contract.md#manage-templates`).

mod button;
mod card;
mod text;

use super::input::{OfferInput, PartInput};
use super::warning::Findings;
use super::{
    BodyPart, ButtonType, Category, ComponentType, Definition, FooterPart, HeaderFormat,
    HeaderPart, OfferPart, ParameterFormat,
};
use crate::keyword::Keyword;
use crate::violation::{Fault, Field};
use text::{TextComponent, with_variables};

/// Maximum number of characters in the body of a template without a limited-time offer.
pub const MAX_BODY_LENGTH: usize = 1024;
/// Maximum number of characters in the body of a template with a limited-time offer.
pub const MAX_OFFER_BODY_LENGTH: usize = 600;
/// Maximum number of characters in the text of a limited-time offer.
pub const MAX_OFFER_TEXT_LENGTH: usize = 16;
/// Maximum number of characters in the text of a header or a footer.
pub const MAX_LINE_LENGTH: usize = 60;
/// Maximum number of characters in the body of a carousel's card.
pub const MAX_CARD_BODY_LENGTH: usize = 160;
pub const MAX_BUTTONS: usize = 10;
pub const MAX_CARD_BUTTONS: usize = 2;
pub const MIN_CARDS: usize = 2;
pub const MAX_CARDS: usize = 10;
/// Maximum number of characters in the label of a button.
pub const MAX_BUTTON_TEXT_LENGTH: usize = 25;
/// Maximum number of characters in the URL of a button.
pub const MAX_BUTTON_URL_LENGTH: usize = 2000;
/// Maximum number of characters in a code that a button copies.
pub const MAX_COUPON_CODE_LENGTH: usize = 20;
/// Maximum number of minutes after which a one-time code may expire.
pub const MAX_CODE_EXPIRATION_MINUTES: i64 = 90;
/// Maximum number of apps that may fill in a one-time code.
pub const MAX_SUPPORTED_APPS: usize = 5;
/// Maximum number of components in a template. There are six known types, each of which may occur
/// once. The same number is left for types that this version of Switchboard does not know.
pub const MAX_PARTS: usize = 12;

/// Parses the components of a template. All faults are collected, not only the first.
pub fn parse(
    at: &Field<'_>,
    parts: &[PartInput<'_>],
    category: Option<Category>,
    format: ParameterFormat,
    findings: &mut Findings<'_>,
) -> Definition {
    let mut definition = Definition::default();
    let has_offer = parts.iter().any(|it| is(it, ComponentType::LimitedTimeOffer));
    let reader = TemplateFacts { category, format, has_offer, has_code: has_code(parts) };
    let mut seen: Vec<ComponentType> = Vec::new();
    for (index, part) in parts.iter().take(MAX_PARTS).enumerate() {
        let at = at.index(index);
        part_unknown(&at, part, findings);
        let Some(kind) = known_type::<ComponentType>(&at.key("type"), part.kind, findings) else {
            continue;
        };
        if seen.contains(&kind) {
            findings.faults.add(&at, Fault::Duplicate, format!("there is a {kind} already"));
            continue;
        }
        seen.push(kind);
        reader.part(kind, &LocatedPart { at: &at, part }, &mut definition, findings);
    }
    if parts.len() > MAX_PARTS {
        let message = format!("has {} entries; at most {MAX_PARTS} are allowed", parts.len());
        findings.faults.add(at, Fault::TooLong, message);
    }
    if !seen.contains(&ComponentType::Body) {
        findings.faults.add(at, Fault::Required, "a component of type BODY is required");
    }
    beside_each_other(at, &seen, findings);
    for kind in [ComponentType::Carousel, ComponentType::LimitedTimeOffer] {
        if seen.contains(&kind) && category.is_some_and(|it| it != Category::Marketing) {
            let message = format!("a component of type {kind} needs the category marketing");
            findings.faults.add(&Field::root("category"), Fault::NotAllowed, message);
        }
    }
    reader.authentication(at, &definition, findings);
    definition
}

/// Adds a fault for each pair of components that must not be in the same template.
fn beside_each_other(at: &Field<'_>, seen: &[ComponentType], findings: &mut Findings<'_>) {
    use ComponentType::{Buttons, Carousel, Footer, Header, LimitedTimeOffer};
    let never = [
        (LimitedTimeOffer, Footer),
        (Carousel, Header),
        (Carousel, Footer),
        (Carousel, Buttons),
        (Carousel, LimitedTimeOffer),
    ];
    for (one, other) in never {
        if seen.contains(&one) && seen.contains(&other) {
            let message = format!("a template with a {one} has no {other}");
            findings.faults.add(at, Fault::NotAllowed, message);
        }
    }
}

/// Adds a warning for each field that this version of Switchboard does not know, in a component, in
/// its example and in its offer.
fn part_unknown(at: &Field<'_>, part: &PartInput<'_>, findings: &mut Findings<'_>) {
    findings.unknown_fields(at, &part.unknown);
    if let Some(example) = &part.example {
        findings.unknown_fields(&at.key("example"), &example.unknown);
    }
    if let Some(offer) = &part.limited_time_offer {
        findings.unknown_fields(&at.key("limited_time_offer"), &offer.unknown);
    }
}

/// Returns the variant that has the keyword `word`, in upper or lower case. If this version of
/// Switchboard does not know the keyword, adds a warning. If there is no keyword, adds a fault.
fn known_type<K: Keyword>(
    at: &Field<'_>,
    word: Option<&str>,
    findings: &mut Findings<'_>,
) -> Option<K> {
    let word = findings.faults.require(at, word)?;
    let known = in_either_case(word);
    if known.is_none() && findings.faults.text(at, word, MAX_LINE_LENGTH).is_some() {
        findings.unknown_type(at, word);
    }
    known
}

/// Returns the variant that has the keyword `word`, in upper or lower case.
#[must_use]
pub fn in_either_case<K: Keyword>(word: &str) -> Option<K> {
    K::ALL.iter().copied().find(|known| known.as_str().eq_ignore_ascii_case(word))
}

fn is(part: &PartInput<'_>, kind: ComponentType) -> bool {
    part.kind.is_some_and(|word| word.eq_ignore_ascii_case(kind.as_str()))
}

/// Whether the template has a button for a one-time code. If so, the channel writes the text of the
/// body.
fn has_code(parts: &[PartInput<'_>]) -> bool {
    let buttons = parts.iter().filter_map(|part| part.buttons.as_ref()).flatten();
    let mut kinds = buttons.filter_map(|button| button.kind);
    kinds.any(|kind| kind.eq_ignore_ascii_case(ButtonType::OneTimeCode.as_str()))
}

/// A component, with its place in the request.
struct LocatedPart<'a> {
    at: &'a Field<'a>,
    part: &'a PartInput<'a>,
}

/// Facts about the template as a whole, which the checks of its components need.
struct TemplateFacts {
    category: Option<Category>,
    format: ParameterFormat,
    has_offer: bool,
    has_code: bool,
}

impl TemplateFacts {
    fn part(
        &self,
        kind: ComponentType,
        place: &LocatedPart<'_>,
        definition: &mut Definition,
        findings: &mut Findings<'_>,
    ) {
        place.forbid_foreign_fields(kind, self.has_code, findings);
        match kind {
            ComponentType::Header => definition.header = self.header(place, findings),
            ComponentType::Body => {
                if let Some(body) = self.body(place, findings) {
                    definition.body = body;
                }
            }
            ComponentType::Footer => definition.footer = self.footer(place, findings),
            ComponentType::Buttons => {
                definition.buttons = button::list(place, MAX_BUTTONS, findings);
            }
            ComponentType::Carousel => definition.cards = self.cards(place, findings),
            ComponentType::LimitedTimeOffer => definition.offer = offer(place, findings),
        }
    }

    fn header(&self, place: &LocatedPart<'_>, findings: &mut Findings<'_>) -> Option<HeaderPart> {
        let at = place.at.key("format");
        let Some(format) = known_type::<HeaderFormat>(&at, place.part.format, findings) else {
            return place.part.format.is_some().then_some(HeaderPart::Unknown);
        };
        let Some(other) = format.without_text() else {
            let text = TextComponent {
                place,
                format: self.format,
                examples: ("header_text", "header_text_named_params"),
            };
            return text.header(findings).map(HeaderPart::Text);
        };
        let context = format!("a header of format {format}");
        findings.faults.forbid(&place.at.key("text"), place.part.text.as_ref(), &context);
        Some(other)
    }

    fn body(&self, place: &LocatedPart<'_>, findings: &mut Findings<'_>) -> Option<BodyPart> {
        if self.has_code {
            let context = "the body of a one-time code; the channel writes it";
            findings.faults.forbid(&place.at.key("text"), place.part.text.as_ref(), context);
            let with_recommendation = place.part.add_security_recommendation == Some(true);
            return Some(BodyPart::OneTimeCode { with_recommendation });
        }
        let most = if self.has_offer { MAX_OFFER_BODY_LENGTH } else { MAX_BODY_LENGTH };
        let text = findings.faults.required_text(&place.at.key("text"), place.part.text, most)?;
        let examples = ("body_text", "body_text_named_params");
        with_variables(&TextComponent { place, format: self.format, examples }, &text, findings);
        Some(BodyPart::Text(text))
    }

    fn footer(&self, place: &LocatedPart<'_>, findings: &mut Findings<'_>) -> Option<FooterPart> {
        if !self.has_code {
            return text::footer(place, findings).map(FooterPart::Text);
        }
        let at = place.at.key("code_expiration_minutes");
        let context = "the footer of a one-time code; it has code_expiration_minutes";
        findings.faults.forbid(&place.at.key("text"), place.part.text.as_ref(), context);
        let minutes = findings.faults.require(&at, place.part.code_expiration_minutes)?;
        if !(1..=MAX_CODE_EXPIRATION_MINUTES).contains(&minutes) {
            let message = format!("must be 1 to {MAX_CODE_EXPIRATION_MINUTES}");
            findings.faults.add(&at, Fault::OutOfRange, message);
        }
        u8::try_from(minutes).ok().map(FooterPart::CodeExpiration)
    }

    /// Checks a template for one-time codes. Its category must be `authentication`. It must have
    /// exactly one button, and no components besides that button, the body and a footer.
    fn authentication(&self, at: &Field<'_>, definition: &Definition, findings: &mut Findings<'_>) {
        if !self.has_code {
            return;
        }
        if self.category.is_some_and(|it| it != Category::Authentication) {
            let message = "a button of type OTP needs the category authentication";
            findings.faults.add(&Field::root("category"), Fault::NotAllowed, message);
        }
        let others = definition.header.is_some()
            || definition.offer.is_some()
            || !definition.cards.is_empty();
        if others || definition.buttons.len() > 1 {
            let message =
                "a template for a one-time code has a BODY, at most a FOOTER, and one button";
            findings.faults.add(at, Fault::NotAllowed, message);
        }
    }
}

impl LocatedPart<'_> {
    /// Adds a fault for each field of this component that only components of other types can have.
    fn forbid_foreign_fields(
        &self,
        kind: ComponentType,
        has_code: bool,
        findings: &mut Findings<'_>,
    ) {
        use ComponentType::{Body, Buttons, Carousel, Footer, Header, LimitedTimeOffer};
        let Self { at, part } = self;
        let mut only = |home: ComponentType, field: &str, is_there: bool, hint: &str| {
            if home != kind {
                let context = format!("a component of type {kind}; {hint}");
                findings.faults.forbid(&at.key(field), is_there.then_some(&()), &context);
            }
        };
        only(Buttons, "buttons", part.buttons.is_some(), "buttons are a component of their own");
        only(Header, "format", part.format.is_some(), "only a header has one");
        only(Carousel, "cards", part.cards.is_some(), "cards are a component of type CAROUSEL");
        let hint = "an offer is a component of type LIMITED_TIME_OFFER";
        only(LimitedTimeOffer, "limited_time_offer", part.limited_time_offer.is_some(), hint);
        let (body, footer) = (part.add_security_recommendation, part.code_expiration_minutes);
        let hint = "only the body of a one-time code has one";
        only(Body, "add_security_recommendation", body.is_some(), hint);
        let hint = "only the footer of a one-time code has one";
        only(Footer, "code_expiration_minutes", footer.is_some(), hint);
        if matches!(kind, Buttons | Carousel | LimitedTimeOffer) {
            let context = format!("a component of type {kind}; its entries have their own");
            findings.faults.forbid(&at.key("text"), part.text.as_ref(), &context);
        }
        if !has_code {
            let context = "a template without a button of type OTP";
            findings.faults.forbid(
                &at.key("add_security_recommendation"),
                body.filter(|_| kind == Body).as_ref(),
                context,
            );
            findings.faults.forbid(
                &at.key("code_expiration_minutes"),
                footer.filter(|_| kind == Footer).as_ref(),
                context,
            );
        }
    }
}

fn offer(place: &LocatedPart<'_>, findings: &mut Findings<'_>) -> Option<OfferPart> {
    let at = place.at.key("limited_time_offer");
    let given = place.part.limited_time_offer.as_ref();
    let OfferInput { text, has_expiration, .. } = findings.faults.require(&at, given)?;
    let text = findings.faults.required_text(&at.key("text"), *text, MAX_OFFER_TEXT_LENGTH)?;
    Some(OfferPart { text, has_expiration: *has_expiration == Some(true) })
}
