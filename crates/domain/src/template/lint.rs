//! Lints templates: finds parts of a template that the reviewer is known to reject
//! (`docs/contract.md#lint`). A template with findings is submitted all the same, because the
//! reviewer decides.

use super::input::{ButtonInput, PartInput};
use super::variables::variables;
use super::{ButtonType, Category, ComponentType, Language};
use crate::keyword::{Keyword, keywords};
use crate::violation::{Field, MAX_VIOLATIONS};
use unicode_properties::UnicodeEmoji as _;

keywords! {
    /// How likely the reviewer is to reject a template because of a finding.
    pub enum LintSeverity {
        /// The reviewer is known to reject templates with this finding.
        Error = "error",
        /// The reviewer often rejects templates with this finding.
        Warning = "warning",
    }
}

keywords! {
    /// A rule that the reviewer is known to apply. Each keyword names a fault.
    pub enum LintRule {
        /// The text begins or ends with a variable. Punctuation before or after it does not count.
        VariableAtEdge = "variable_at_edge",
        /// Two variables follow each other, with no word between them.
        AdjacentVariables = "adjacent_variables",
        /// The text has too few words for its variables.
        TooManyVariables = "too_many_variables",
        /// The template is for utility or authentication, but advertises something.
        PromotionalWord = "promotional_word",
        /// A link leads to a URL shortener, or to the channel's own site.
        UrlShortener = "url_shortener",
        /// A character for formatting, such as `*`, is opened but not closed.
        UnbalancedFormatting = "unbalanced_formatting",
        /// The text is in a script other than that of the template's language.
        LanguageMismatch = "language_mismatch",
        /// The text has more than two line breaks in a row, or more than four spaces in a row.
        ExcessiveSpace = "excessive_space",
        /// The header has line breaks, formatting or emoji.
        HeaderFormatting = "header_formatting",
        /// Quick reply buttons and other buttons alternate, instead of being in two groups.
        MixedButtons = "mixed_buttons",
        /// Two buttons have the same label.
        DuplicateButton = "duplicate_button",
        /// Most letters of the text are capitals.
        Shouting = "shouting",
    }
}

/// A finding: the rule that a text breaks, and the place of the fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LintFinding {
    pub rule: LintRule,
    pub severity: LintSeverity,
    /// A sentence that tells people what to change.
    pub message: String,
    /// The field with the fault, such as `components[0].text`.
    pub field: String,
}

/// Words of advertising, in the languages in which most templates are written.
const PROMOTIONAL: [&str; 44] = [
    "sale",
    "discount",
    "discounts",
    "% off",
    "offer",
    "offers",
    "deal",
    "deals",
    "promo",
    "promotion",
    "coupon",
    "voucher",
    "free shipping",
    "limited time",
    "buy now",
    "shop now",
    "order now",
    "best price",
    "cashback",
    "gift",
    "rabatt",
    "angebot",
    "angebote",
    "gutschein",
    "jetzt kaufen",
    "gratis",
    "schnäppchen",
    "oferta",
    "ofertas",
    "descuento",
    "descuentos",
    "promoción",
    "cupón",
    "compra ahora",
    "promotions",
    "remise",
    "soldes",
    "réduction",
    "bon plan",
    "desconto",
    "promoção",
    "cupom",
    "sconto",
    "offerta",
];

/// Hosts to which links must not lead: URL shorteners, and hosts of the channel itself. The
/// reviewer rejects templates with such links.
const SHORTENERS: [&str; 16] = [
    "bit.ly",
    "tinyurl.com",
    "goo.gl",
    "t.co",
    "ow.ly",
    "is.gd",
    "buff.ly",
    "rebrand.ly",
    "cutt.ly",
    "shorturl.at",
    "t.ly",
    "rb.gy",
    "bl.ink",
    "wa.me",
    "api.whatsapp.com",
    "chat.whatsapp.com",
];

/// The number of words that a text needs for each of its variables. One more word is needed in all:
/// a text with three variables needs seven words.
const WORDS_A_VARIABLE: usize = 2;
/// A text in capitals is reported only if it has at least this many letters.
const SHOUTED_LETTERS: usize = 20;

/// Finds the parts of a template that the reviewer is known to reject.
#[must_use]
pub fn lint(category: Category, language: &Language, parts: &[PartInput<'_>]) -> Vec<LintFinding> {
    let mut found = LintFindings { category, language: Some(language), all: Vec::new() };
    let at = Field::root("components");
    found.parts(&at, parts);
    found.all
}

/// Finds the parts of a message's text that are known to be rejected. `of` has the category and the
/// language of the template that the message uses. `of` is `None` for a message without a template.
#[must_use]
pub fn lint_text(
    of: Option<(Category, &Language)>,
    at: &Field<'_>,
    text: &str,
) -> Vec<LintFinding> {
    let category = of.map_or(Category::Marketing, |(category, _)| category);
    let language = of.map(|(_, language)| language);
    let mut found = LintFindings { category, language, all: Vec::new() };
    found.text(at, text);
    found.all
}

struct LintFindings<'a> {
    category: Category,
    /// The language in which the text must be written. `None` if it is not known.
    language: Option<&'a Language>,
    all: Vec<LintFinding>,
}

impl LintFindings<'_> {
    fn add(&mut self, at: &Field<'_>, rule: LintRule, message: impl Into<String>) {
        use LintRule::{
            LanguageMismatch, PromotionalWord, Shouting, UnbalancedFormatting, VariableAtEdge,
        };
        if self.all.len() >= MAX_VIOLATIONS {
            return;
        }
        let severity = match rule {
            VariableAtEdge | PromotionalWord | UnbalancedFormatting | LanguageMismatch
            | Shouting => LintSeverity::Warning,
            _ => LintSeverity::Error,
        };
        self.all.push(LintFinding {
            rule,
            severity,
            message: message.into(),
            field: at.to_string(),
        });
    }

    fn parts(&mut self, at: &Field<'_>, parts: &[PartInput<'_>]) {
        for (index, part) in parts.iter().enumerate() {
            let at = at.index(index);
            let kind = part.kind.map(str::to_ascii_uppercase);
            let kind = kind.as_deref().and_then(ComponentType::from_keyword);
            if let Some(text) = part.text {
                let at = at.key("text");
                self.text(&at, text);
                if kind == Some(ComponentType::Body) {
                    self.variables(&at, text);
                }
                if kind == Some(ComponentType::Header) {
                    self.header(&at, text);
                }
            }
            let buttons = at.key("buttons");
            self.buttons(&buttons, part.buttons.as_deref().unwrap_or_default());
            let cards = at.key("cards");
            for (index, card) in part.cards.iter().flatten().enumerate() {
                let at = cards.index(index);
                let components = at.key("components");
                self.parts(&components, card.components.as_deref().unwrap_or_default());
            }
        }
    }

    /// Applies the rules that hold for texts of every kind.
    fn text(&mut self, at: &Field<'_>, text: &str) {
        let lower = text.to_lowercase();
        if self.category != Category::Marketing
            && let Some(word) = PROMOTIONAL.iter().find(|word| holds_word(&lower, word))
        {
            let category = self.category;
            let message = format!(
                "\"{word}\" advertises, so the reviewer may reject the template or make it marketing; its category is {category}"
            );
            self.add(at, LintRule::PromotionalWord, message);
        }
        self.link(at, &lower);
        if let Some(mark) = unbalanced(text) {
            let message = format!("{mark} is opened and not closed");
            self.add(at, LintRule::UnbalancedFormatting, message);
        }
        if text.contains("\n\n\n") || text.contains("     ") {
            let message = "must have at most two line breaks and four spaces in a row";
            self.add(at, LintRule::ExcessiveSpace, message);
        }
        if let Some(language) = self.language
            && let Some((expected, other)) = other_script(language, text)
        {
            let message = format!(
                "is mostly in {other} script, and the language {language} is written in {expected} script"
            );
            self.add(at, LintRule::LanguageMismatch, message);
        }
        if is_shouted(text) {
            let message = "is mostly in capital letters, which the reviewer takes for spam";
            self.add(at, LintRule::Shouting, message);
        }
    }

    fn link(&mut self, at: &Field<'_>, lower: &str) {
        if let Some(host) = SHORTENERS.iter().find(|host| holds_host(lower, host)) {
            let message = format!("has a link to {host}; use a link to your own domain");
            self.add(at, LintRule::UrlShortener, message);
        }
    }

    fn variables(&mut self, at: &Field<'_>, text: &str) {
        let count = variables(text).len();
        if count == 0 {
            return;
        }
        let ends = text.trim_matches(|it: char| {
            it.is_whitespace() || it.is_ascii_punctuation() && it != '{' && it != '}'
        });
        if ends.starts_with("{{") || ends.ends_with("}}") {
            let message = "has only punctuation around a variable at an end; put a word there";
            self.add(at, LintRule::VariableAtEdge, message);
        }
        let pieces: Vec<&str> = text.split("}}").collect();
        let between = pieces.iter().skip(1).filter_map(|it| it.split_once("{{")).map(|it| it.0);
        if between.into_iter().any(|it| it.trim().is_empty()) {
            let message = "has two variables in a row; put a word between them";
            self.add(at, LintRule::AdjacentVariables, message);
        }
        let plain = text.split("{{").enumerate().map(|(place, piece)| {
            if place == 0 { piece } else { piece.split_once("}}").map_or("", |it| it.1) }
        });
        let words = plain
            .flat_map(str::split_whitespace)
            .filter(|it| it.chars().any(char::is_alphanumeric))
            .count();
        let uses = text.matches("{{").count();
        let needed = WORDS_A_VARIABLE * uses + 1;
        if words < needed && !self.language.is_some_and(has_no_spaces) {
            let message = format!(
                "has {words} words for {uses} variables; write at least {needed}, or use fewer variables"
            );
            self.add(at, LintRule::TooManyVariables, message);
        }
    }

    fn header(&mut self, at: &Field<'_>, text: &str) {
        let is_wrong = |it: char| {
            matches!(it, '\n' | '*' | '~' | '`')
                || (!it.is_ascii() && it.is_emoji_char() && !it.is_alphanumeric())
        };
        if text.chars().any(is_wrong) {
            let message = "has a line break, formatting or an emoji, which a header cannot have";
            self.add(at, LintRule::HeaderFormatting, message);
        }
    }

    fn buttons(&mut self, at: &Field<'_>, buttons: &[ButtonInput<'_>]) {
        let is_reply = |it: &ButtonInput<'_>| {
            it.kind.is_some_and(|kind| kind.eq_ignore_ascii_case(ButtonType::QuickReply.as_str()))
        };
        let changes = buttons
            .windows(2)
            .filter(|two| matches!(two, [one, other] if is_reply(one) != is_reply(other)));
        if changes.count() > 1 {
            let message = "has quick replies between other buttons; put all quick replies together";
            self.add(at, LintRule::MixedButtons, message);
        }
        let mut labels: Vec<&str> = Vec::new();
        for (index, button) in buttons.iter().enumerate() {
            let at = at.index(index);
            if let Some(label) = button.text {
                if labels.contains(&label) {
                    let message = format!("there is another button with the label {label:?}");
                    self.add(&at.key("text"), LintRule::DuplicateButton, message);
                }
                labels.push(label);
            }
            if let Some(url) = button.url {
                self.link(&at.key("url"), &url.to_lowercase());
            }
        }
    }
}

/// Whether `lower`, a text in lowercase, contains a word or phrase, and not only as a part of a
/// longer word.
fn holds_word(lower: &str, word: &str) -> bool {
    let is_letter = |it: Option<char>| it.is_some_and(char::is_alphanumeric);
    lower.match_indices(word).any(|(at, found)| {
        let before = lower.get(..at).and_then(|it| it.chars().next_back());
        let after = lower.get(at + found.len()..).and_then(|it| it.chars().next());
        let begins_with_letter = word.chars().next().is_some_and(char::is_alphanumeric);
        !(is_letter(after) || begins_with_letter && is_letter(before))
    })
}

/// Whether `lower`, a text in lowercase, contains a link to this host.
fn holds_host(lower: &str, host: &str) -> bool {
    lower.match_indices(host).any(|(at, found)| {
        let before = lower.get(..at).and_then(|it| it.chars().next_back());
        let after = lower.get(at + found.len()..).and_then(|it| it.chars().next());
        let is_name = |it: char| it.is_alphanumeric() || matches!(it, '-' | '.');
        !before.is_some_and(is_name) && !after.is_some_and(|it| it.is_alphanumeric() || it == '-')
    })
}

/// Returns the formatting character that is opened but not closed in a text, or `None` if there is
/// none.
fn unbalanced(text: &str) -> Option<&'static str> {
    if text.matches("```").count() % 2 == 1 {
        return Some("```");
    }
    let words: Vec<char> = text.chars().collect();
    for (mark, name) in [('*', "*"), ('~', "~"), ('_', "_")] {
        // A formatting character between two letters or digits has no effect, so it does not count.
        let at_edge = |place: usize| {
            let is_letter = |it: Option<&char>| it.is_some_and(|it| it.is_alphanumeric());
            let before = place.checked_sub(1).and_then(|before| words.get(before));
            !(is_letter(before) && is_letter(words.get(place + 1)))
        };
        let count =
            (0..words.len()).filter(|place| words.get(*place) == Some(&mark) && at_edge(*place));
        if count.count() % 2 == 1 {
            return Some(name);
        }
    }
    None
}

fn is_shouted(text: &str) -> bool {
    let letters = text.chars().filter(|it| it.is_lowercase() || it.is_uppercase());
    let (mut capitals, mut all) = (0_usize, 0_usize);
    for letter in letters {
        all += 1;
        capitals += usize::from(letter.is_uppercase());
    }
    all >= SHOUTED_LETTERS && capitals * 10 > all * 7
}

/// Returns the script of the language and the script of the text, if most letters of the text are
/// not in the script of the language. Otherwise returns `None`.
fn other_script(language: &Language, text: &str) -> Option<(&'static str, &'static str)> {
    let expected = script_of_language(&language.to_string());
    let plain = text.split("{{").enumerate().map(|(place, piece)| {
        if place == 0 { piece } else { piece.split_once("}}").map_or("", |it| it.1) }
    });
    let (mut all, mut counts) = (0_usize, Vec::<(&'static str, usize)>::new());
    for script in plain.flat_map(str::chars).filter_map(script_of) {
        all += 1;
        match counts.iter_mut().find(|(name, _)| *name == script) {
            Some((_, count)) => *count += 1,
            None => counts.push((script, 1)),
        }
    }
    let (most, count) = counts.into_iter().max_by_key(|(_, count)| *count)?;
    let is_same = most == expected || (expected == "Japanese" && most == "Chinese");
    (!is_same && all >= 5 && count * 2 > all).then_some((expected, most))
}

fn script_of_language(language: &str) -> &'static str {
    match language.split('_').next().unwrap_or_default() {
        "ru" | "uk" | "bg" | "mk" | "kk" | "ky" => "Cyrillic",
        "ar" | "fa" | "ur" | "prs" | "ps" => "Arabic",
        "he" => "Hebrew",
        "el" => "Greek",
        "zh" => "Chinese",
        "ja" => "Japanese",
        "ko" => "Korean",
        "hi" | "mr" => "Devanagari",
        "bn" => "Bengali",
        "ta" => "Tamil",
        "te" => "Telugu",
        "kn" => "Kannada",
        "ml" => "Malayalam",
        "gu" => "Gujarati",
        "pa" => "Gurmukhi",
        "th" => "Thai",
        "lo" => "Lao",
        "ka" => "Georgian",
        "si" => "Sinhala",
        _ => "Latin",
    }
}

/// Whether the language is written without spaces between words.
fn has_no_spaces(language: &Language) -> bool {
    let language = language.to_string();
    let script = script_of_language(&language);
    matches!(script, "Chinese" | "Japanese" | "Thai" | "Lao")
}

const fn script_of(letter: char) -> Option<&'static str> {
    Some(match letter {
        'a'..='z' | 'A'..='Z' | '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' => "Latin",
        '\u{370}'..='\u{3ff}' | '\u{1f00}'..='\u{1fff}' => "Greek",
        '\u{400}'..='\u{52f}' => "Cyrillic",
        '\u{590}'..='\u{5ff}' => "Hebrew",
        '\u{600}'..='\u{6ff}' | '\u{750}'..='\u{77f}' => "Arabic",
        '\u{900}'..='\u{97f}' => "Devanagari",
        '\u{980}'..='\u{9ff}' => "Bengali",
        '\u{a00}'..='\u{a7f}' => "Gurmukhi",
        '\u{a80}'..='\u{aff}' => "Gujarati",
        '\u{b80}'..='\u{bff}' => "Tamil",
        '\u{c00}'..='\u{c7f}' => "Telugu",
        '\u{c80}'..='\u{cff}' => "Kannada",
        '\u{d00}'..='\u{d7f}' => "Malayalam",
        '\u{d80}'..='\u{dff}' => "Sinhala",
        '\u{e00}'..='\u{e7f}' => "Thai",
        '\u{e80}'..='\u{eff}' => "Lao",
        '\u{10a0}'..='\u{10ff}' => "Georgian",
        '\u{3040}'..='\u{30ff}' => "Japanese",
        '\u{ac00}'..='\u{d7a3}' => "Korean",
        '\u{4e00}'..='\u{9fff}' => "Chinese",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::violation::Violations;

    fn language(text: &str) -> Language {
        Language::parse(&Field::root("language"), Some(text), &mut Violations::default()).unwrap()
    }

    fn rules(category: Category, of: &str, part: PartInput<'_>) -> Vec<&'static str> {
        let found = lint(category, &language(of), &[part]);
        found.into_iter().map(|it| it.rule.as_str()).collect()
    }

    fn body(category: Category, of: &str, text: &str) -> Vec<&'static str> {
        rules(
            category,
            of,
            PartInput { kind: Some("body"), text: Some(text), ..PartInput::default() },
        )
    }

    fn utility(text: &str) -> Vec<&'static str> {
        body(Category::Utility, "en_US", text)
    }

    #[test]
    fn what_the_reviewer_accepts_has_no_finding() {
        for text in [
            "Hello {{1}}, your order {{2}} has left the warehouse and arrives tomorrow.",
            "Your code is *{{1}}* and it is valid for ten minutes.",
            "See https://example.com/orders for the details of snake_case_names.",
            "Your officer offered_help at 5 * 3 * 2.",
        ] {
            assert_eq!(utility(text), Vec::<&str>::new(), "{text}");
        }
        assert!(body(Category::Marketing, "en", "Everything is 20 % off in our sale.").is_empty());
        assert!(body(Category::Utility, "ru", "Ваш заказ отправлен сегодня утром.").is_empty());
        assert!(body(Category::Utility, "ja", "ご注文 {{1}} を発送しました。").is_empty());
        assert!(body(Category::Utility, "zh_CN", "您的订单{{1}}已发货。").is_empty());
    }

    #[test]
    fn each_rule_is_found() {
        for (text, rule) in [
            ("Hello {{1}} {{2}}, your order has left the warehouse today.", "adjacent_variables"),
            ("Hello {{1}}{{2}}, your order has left the warehouse today.", "adjacent_variables"),
            ("Hello there my friend, your order is {{1}}.", "variable_at_edge"),
            ("Hi {{1}}, see {{2}} now", "too_many_variables"),
            ("Your order has a discount of five dollars.", "promotional_word"),
            ("Get 20% off your next order with us.", "promotional_word"),
            ("Track it at https://bit.ly/abc today.", "url_shortener"),
            ("Your order is *on its way to you.", "unbalanced_formatting"),
            ("Your order\n\n\nis on its way.", "excessive_space"),
            ("Ваш заказ отправлен сегодня утром.", "language_mismatch"),
            ("YOUR ORDER IS ON ITS WAY TO YOU", "shouting"),
        ] {
            assert!(utility(text).contains(&rule), "{text}: {:?}", utility(text));
        }
        let header = |text| {
            rules(
                Category::Utility,
                "en",
                PartInput { kind: Some("HEADER"), text: Some(text), ..PartInput::default() },
            )
        };
        assert_eq!(header("Your *order*"), ["header_formatting"]);
        assert_eq!(header("Your order 🎉"), ["header_formatting"]);
        assert!(header("Your order 1042").is_empty());
    }

    #[test]
    fn buttons_are_grouped_and_differ() {
        let button = |kind, text| ButtonInput {
            kind: Some(kind),
            text: Some(text),
            ..ButtonInput::default()
        };
        let of = |buttons: Vec<ButtonInput<'static>>| {
            let part =
                PartInput { kind: Some("BUTTONS"), buttons: Some(buttons), ..PartInput::default() };
            let found = lint(Category::Utility, &language("en"), &[part]);
            found.into_iter().map(|it| (it.rule.as_str(), it.field)).collect::<Vec<_>>()
        };
        let reply = |text| button("QUICK_REPLY", text);
        assert!(of(vec![reply("Yes"), reply("No"), button("URL", "Open")]).is_empty());
        let mixed = of(vec![reply("Yes"), button("URL", "Open"), reply("No")]);
        assert_eq!(mixed, [("mixed_buttons", "components[0].buttons".to_owned())]);
        let same = of(vec![reply("Yes"), reply("Yes")]);
        assert_eq!(same, [("duplicate_button", "components[0].buttons[1].text".to_owned())]);
        let short = ButtonInput { url: Some("https://wa.me/1"), ..button("URL", "Open") };
        assert_eq!(of(vec![short]), [("url_shortener", "components[0].buttons[0].url".to_owned())]);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read(text in "(\\{\\{|\\}\\}|1|[*_~`]|sale| |\n|\\PC){0,40}") {
            let found = utility(&text);
            proptest::prop_assert!(found.len() < 12);
        }
    }
}
