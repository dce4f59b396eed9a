//! The parts of a template as they come in, before anything is judged.

/// A part as it came in.
#[derive(Clone, Debug, Default)]
pub struct PartInput<'a> {
    /// One of [`super::ComponentType`], in either case, or a type that this version does not know.
    pub kind: Option<&'a str>,
    /// Of a header: one of [`super::HeaderFormat`], in either case, or one that this version does not know.
    pub format: Option<&'a str>,
    /// The text, of a header, a body or a footer.
    pub text: Option<&'a str>,
    /// What the variables may be, for the reviewer.
    pub example: Option<Example<'a>>,
    /// The buttons.
    pub buttons: Option<Vec<ButtonInput<'a>>>,
    /// Of the body of a one-time code: whether it warns against sharing the code.
    pub add_security_recommendation: Option<bool>,
    /// Of the footer of a one-time code: after how many minutes the code expires.
    pub code_expiration_minutes: Option<i64>,
    /// The offer.
    pub limited_time_offer: Option<OfferInput<'a>>,
    /// The cards of a carousel, each with its parts.
    pub cards: Option<Vec<CardInput<'a>>>,
    /// Names of fields that this version does not know.
    pub unknown: Vec<&'a str>,
}

/// Examples of what variables may be.
#[derive(Clone, Debug, Default)]
pub struct Example<'a> {
    /// In order.
    pub positional: Option<&'a [String]>,
    /// By name: `param_name` and `example`.
    pub named: Vec<(Option<&'a str>, Option<&'a str>)>,
    /// Names of fields that this version does not know.
    pub unknown: Vec<&'a str>,
}

/// A button as it came in.
#[derive(Clone, Debug, Default)]
pub struct ButtonInput<'a> {
    /// One of [`super::ButtonType`], in either case, or a type that this version does not know.
    pub kind: Option<&'a str>,
    /// What it says.
    pub text: Option<&'a str>,
    /// The address it opens, which may end with one variable.
    pub url: Option<&'a str>,
    /// The number it calls.
    pub phone_number: Option<&'a str>,
    /// What the variable may be, or the code.
    pub example: Option<&'a [String]>,
    /// Of a one-time code: one of [`super::OneTimeCodeType`], in either case.
    pub otp_type: Option<&'a str>,
    /// Of a one-time code: what the button says that fills it in.
    pub autofill_text: Option<&'a str>,
    /// Of a one-time code that is filled in without a tap: that Meta's terms are accepted.
    pub zero_tap_terms_accepted: Option<bool>,
    /// Of a one-time code: the applications that may have it filled in.
    pub supported_apps: Option<Vec<AppInput<'a>>>,
    /// Of a flow: which one; exactly one of the three is there.
    pub flow: FlowInput<'a>,
    /// Names of fields that this version does not know.
    pub unknown: Vec<&'a str>,
}

/// Which flow a button opens.
#[derive(Clone, Copy, Debug, Default)]
pub struct FlowInput<'a> {
    /// Its id.
    pub id: Option<&'a str>,
    /// Its name.
    pub name: Option<&'a str>,
    /// Its definition.
    pub json: Option<&'a str>,
    /// What it does first.
    pub action: Option<&'a str>,
    /// The screen that opens first.
    pub screen: Option<&'a str>,
}

/// An Android application.
#[derive(Clone, Debug, Default)]
pub struct AppInput<'a> {
    /// Its package.
    pub package_name: Option<&'a str>,
    /// The hash of its signing key.
    pub signature_hash: Option<&'a str>,
    /// Names of fields that this version does not know.
    pub unknown: Vec<&'a str>,
}

/// A limited-time offer as it came in.
#[derive(Clone, Debug, Default)]
pub struct OfferInput<'a> {
    /// What is offered.
    pub text: Option<&'a str>,
    /// Whether each message says when it ends.
    pub has_expiration: Option<bool>,
    /// Names of fields that this version does not know.
    pub unknown: Vec<&'a str>,
}

/// A card as it came in.
#[derive(Clone, Debug, Default)]
pub struct CardInput<'a> {
    /// Its parts.
    pub components: Option<Vec<PartInput<'a>>>,
    /// Names of fields that this version does not know.
    pub unknown: Vec<&'a str>,
}
