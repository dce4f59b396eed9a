//! The components of a template before they are checked.

/// A component of a template.
#[derive(Clone, Debug, Default)]
pub struct PartInput<'a> {
    /// A keyword of [`super::ComponentType`] in any case, or a type that this version does not
    /// know.
    pub kind: Option<&'a str>,
    /// The format of a header: a keyword of [`super::HeaderFormat`] in any case, or a format that
    /// this version does not know.
    pub format: Option<&'a str>,
    /// The text of a header, a body or a footer.
    pub text: Option<&'a str>,
    /// Examples of the variables' values, for the reviewer.
    pub example: Option<ExampleInput<'a>>,
    pub buttons: Option<Vec<ButtonInput<'a>>>,
    /// Whether the body of a one-time code warns against sharing the code.
    pub add_security_recommendation: Option<bool>,
    /// The number of minutes after which a one-time code expires, in a footer.
    pub code_expiration_minutes: Option<i64>,
    pub limited_time_offer: Option<OfferInput<'a>>,
    /// The cards of a carousel, each with its components.
    pub cards: Option<Vec<CardInput<'a>>>,
    /// Names of fields that this version does not know.
    pub unknown: Vec<&'a str>,
}

/// Examples of the values of variables.
#[derive(Clone, Debug, Default)]
pub struct ExampleInput<'a> {
    /// The values of numbered variables, in order.
    pub positional: Option<&'a [String]>,
    /// The values of named variables: `param_name` and `example` of each.
    pub named: Vec<(Option<&'a str>, Option<&'a str>)>,
    /// Names of fields that this version does not know.
    pub unknown: Vec<&'a str>,
}

impl<'a> ExampleInput<'a> {
    /// Returns the example of a variable, given its number or its name.
    #[must_use]
    pub fn of(&self, variable: &str) -> Option<&'a str> {
        let by_number = || {
            let place = variable.parse::<usize>().ok()?.checked_sub(1)?;
            self.positional?.get(place).map(String::as_str)
        };
        let by_name = || {
            let named = self.named.iter().find(|(name, _)| *name == Some(variable));
            named.and_then(|(_, example)| *example)
        };
        by_number().or_else(by_name).filter(|it| !it.is_empty())
    }
}

/// A button of a template.
#[derive(Clone, Debug, Default)]
pub struct ButtonInput<'a> {
    /// A keyword of [`super::ButtonType`] in any case, or a type that this version does not know.
    pub kind: Option<&'a str>,
    /// The label.
    pub text: Option<&'a str>,
    /// The URL, which may end with one variable.
    pub url: Option<&'a str>,
    pub phone_number: Option<&'a str>,
    /// An example of the variable's value, or of the code.
    pub example: Option<&'a [String]>,
    /// A keyword of [`super::OneTimeCodeType`] in any case, for a one-time code.
    pub otp_type: Option<&'a str>,
    /// The label of the button that fills in a one-time code.
    pub autofill_text: Option<&'a str>,
    /// Whether the sender accepts Meta's terms for one-time codes that are filled in without a tap.
    pub zero_tap_terms_accepted: Option<bool>,
    /// The apps that may fill in a one-time code.
    pub supported_apps: Option<Vec<AppInput<'a>>>,
    /// The flow to open. Exactly one of `id`, `name` and `json` must be set.
    pub flow: FlowButtonInput<'a>,
    /// Names of fields that this version does not know.
    pub unknown: Vec<&'a str>,
}

/// The flow that a button opens.
#[derive(Clone, Copy, Debug, Default)]
pub struct FlowButtonInput<'a> {
    pub id: Option<&'a str>,
    pub name: Option<&'a str>,
    /// The definition of the flow.
    pub json: Option<&'a str>,
    /// The first action of the flow.
    pub action: Option<&'a str>,
    /// The first screen.
    pub screen: Option<&'a str>,
}

/// An Android app.
#[derive(Clone, Debug, Default)]
pub struct AppInput<'a> {
    pub package_name: Option<&'a str>,
    /// The hash of the app's signing key.
    pub signature_hash: Option<&'a str>,
    /// Names of fields that this version does not know.
    pub unknown: Vec<&'a str>,
}

/// A limited-time offer.
#[derive(Clone, Debug, Default)]
pub struct OfferInput<'a> {
    pub text: Option<&'a str>,
    /// Whether each message contains the end of the offer.
    pub has_expiration: Option<bool>,
    /// Names of fields that this version does not know.
    pub unknown: Vec<&'a str>,
}

/// A card of a carousel.
#[derive(Clone, Debug, Default)]
pub struct CardInput<'a> {
    pub components: Option<Vec<PartInput<'a>>>,
    /// Names of fields that this version does not know.
    pub unknown: Vec<&'a str>,
}
