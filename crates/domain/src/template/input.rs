//! The components of a template as a request contains them, before they are checked.

/// A component of a template as a request contains it.
#[derive(Clone, Debug, Default)]
pub struct PartInput<'a> {
    /// The type of the component: a keyword of [`super::ComponentType`] in upper or lower case, or
    /// a type that this version of Switchboard does not know.
    pub kind: Option<&'a str>,
    /// The format of a header: a keyword of [`super::HeaderFormat`] in upper or lower case, or a
    /// format that this version of Switchboard does not know.
    pub format: Option<&'a str>,
    /// The text of a header, a body or a footer.
    pub text: Option<&'a str>,
    /// Examples of values for the variables, which the reviewer reads.
    pub example: Option<ExampleInput<'a>>,
    pub buttons: Option<Vec<ButtonInput<'a>>>,
    /// Whether the channel adds a warning against sharing the one-time code to the body.
    pub add_security_recommendation: Option<bool>,
    /// The number of minutes after which a one-time code expires. It belongs to a footer.
    pub code_expiration_minutes: Option<i64>,
    pub limited_time_offer: Option<OfferInput<'a>>,
    /// The cards of a carousel, each with its own components.
    pub cards: Option<Vec<CardInput<'a>>>,
    /// Names of those fields of the component that this version of Switchboard does not know.
    pub unknown: Vec<&'a str>,
}

/// Examples of values for the variables of a text.
#[derive(Clone, Debug, Default)]
pub struct ExampleInput<'a> {
    /// The examples for numbered variables, in the order of the numbers.
    pub positional: Option<&'a [String]>,
    /// The examples for named variables. Each is a pair of the fields `param_name` and `example`.
    pub named: Vec<(Option<&'a str>, Option<&'a str>)>,
    /// Names of those fields of the example that this version of Switchboard does not know.
    pub unknown: Vec<&'a str>,
}

impl<'a> ExampleInput<'a> {
    /// Returns the example of the variable with this number or this name, or `None` if it has none.
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

/// A button of a template as a request contains it.
#[derive(Clone, Debug, Default)]
pub struct ButtonInput<'a> {
    /// The type of the button: a keyword of [`super::ButtonType`] in upper or lower case, or a type
    /// that this version of Switchboard does not know.
    pub kind: Option<&'a str>,
    /// The label of the button.
    pub text: Option<&'a str>,
    /// The URL that the button opens. It may end with one variable.
    pub url: Option<&'a str>,
    pub phone_number: Option<&'a str>,
    /// An example of the value of the URL's variable, or of the code that the button copies.
    pub example: Option<&'a [String]>,
    /// The way in which a one-time code gets into the app: a keyword of [`super::OneTimeCodeType`]
    /// in upper or lower case.
    pub otp_type: Option<&'a str>,
    /// The label of the button if it fills in a one-time code instead of copying it.
    pub autofill_text: Option<&'a str>,
    /// Whether the sender accepts Meta's terms for one-time codes that are filled in without a tap.
    pub zero_tap_terms_accepted: Option<bool>,
    /// The Android apps that may fill in a one-time code.
    pub supported_apps: Option<Vec<AppInput<'a>>>,
    /// The flow that the button opens. Exactly one of `id`, `name` and `json` must be set.
    pub flow: FlowButtonInput<'a>,
    /// Names of those fields of the button that this version of Switchboard does not know.
    pub unknown: Vec<&'a str>,
}

/// The flow that a button opens.
#[derive(Clone, Copy, Debug, Default)]
pub struct FlowButtonInput<'a> {
    pub id: Option<&'a str>,
    pub name: Option<&'a str>,
    /// The definition of the flow, as JSON.
    pub json: Option<&'a str>,
    /// The way in which the flow begins: the field `flow_action`, such as `navigate`.
    pub action: Option<&'a str>,
    /// The screen with which the flow begins: the field `navigate_screen`.
    pub screen: Option<&'a str>,
}

/// An Android app that may fill in a one-time code.
#[derive(Clone, Debug, Default)]
pub struct AppInput<'a> {
    pub package_name: Option<&'a str>,
    /// The hash of the key with which the app is signed.
    pub signature_hash: Option<&'a str>,
    /// Names of those fields of the app that this version of Switchboard does not know.
    pub unknown: Vec<&'a str>,
}

/// The limited-time offer of a template as a request contains it.
#[derive(Clone, Debug, Default)]
pub struct OfferInput<'a> {
    pub text: Option<&'a str>,
    /// Whether each message must contain the time at which the offer ends.
    pub has_expiration: Option<bool>,
    /// Names of those fields of the offer that this version of Switchboard does not know.
    pub unknown: Vec<&'a str>,
}

/// A card of a carousel as a request contains it.
#[derive(Clone, Debug, Default)]
pub struct CardInput<'a> {
    pub components: Option<Vec<PartInput<'a>>>,
    /// Names of those fields of the card that this version of Switchboard does not know.
    pub unknown: Vec<&'a str>,
}
