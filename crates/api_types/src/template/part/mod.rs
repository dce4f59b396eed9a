//! Components of a template, in Meta's format. Fields that this version does not know are kept.

mod definition;
pub mod sample;
mod update;

pub use definition::definition;
pub use update::updated;

use crate::object::Object;
use crate::schema::LooseNumber;
use domain::keyword::Keyword;
use domain::template::parts::{
    MAX_BODY_LENGTH, MAX_BUTTON_TEXT_LENGTH, MAX_BUTTON_URL_LENGTH, MAX_BUTTONS, MAX_CARDS,
    MAX_CODE_EXPIRATION_MINUTES, MAX_OFFER_TEXT_LENGTH, MAX_SUPPORTED_APPS, MIN_CARDS,
    in_either_case,
};
use domain::template::{
    AppInput, ButtonInput, ButtonType, CardInput, ComponentType, ExampleInput, FlowButtonInput,
    HeaderFormat, OfferInput, OneTimeCodeType, PartInput,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A component of a template.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TemplatePart", extend("additionalProperties" = true))]
pub struct PartWire {
    /// The type of the component: `HEADER`, `BODY`, `FOOTER`, `BUTTONS`, `CAROUSEL` or
    /// `LIMITED_TIME_OFFER`. A type that this version does not know is passed to the reviewer, with
    /// a warning.
    #[serde(rename = "type")]
    #[schemars(required, extend("examples" = words::<ComponentType>()))]
    kind: Option<String>,
    /// For a header: the format, `TEXT`, `IMAGE`, `VIDEO`, `GIF`, `DOCUMENT`, `LOCATION` or
    /// `PRODUCT`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = words::<HeaderFormat>()))]
    format: Option<String>,
    /// The text with its variables: at most 1024 characters in a body, 60 in a header or a footer.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = MAX_BODY_LENGTH))]
    text: Option<String>,
    /// Examples for the variables, for the reviewer.
    #[serde(skip_serializing_if = "Option::is_none")]
    example: Option<Object<ExampleWire>>,
    /// The buttons, 1 to 10.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = MAX_BUTTONS))]
    buttons: Option<Vec<Object<TemplateButtonWire>>>,
    /// For the body of a one-time code, which has no text of its own: whether to warn against
    /// sharing the code.
    #[serde(skip_serializing_if = "Option::is_none")]
    add_security_recommendation: Option<bool>,
    /// For the footer of a one-time code: the number of minutes after which the code expires.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = MAX_CODE_EXPIRATION_MINUTES))]
    code_expiration_minutes: Option<i64>,
    /// For `LIMITED_TIME_OFFER`: the offer.
    #[serde(skip_serializing_if = "Option::is_none")]
    limited_time_offer: Option<Object<OfferWire>>,
    /// For `CAROUSEL`: 2 to 10 cards with the same components.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = MIN_CARDS, max = MAX_CARDS))]
    cards: Option<Vec<Object<TemplateCardWire>>>,
    #[serde(flatten)]
    #[schemars(skip)]
    unknown: Map<String, Value>,
}

/// A limited-time offer.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "LimitedTimeOffer", extend("additionalProperties" = true))]
struct OfferWire {
    /// The text of the offer.
    #[schemars(required, length(min = 1, max = MAX_OFFER_TEXT_LENGTH))]
    text: Option<String>,
    /// Whether messages show when the offer ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    has_expiration: Option<bool>,
    #[serde(flatten)]
    #[schemars(skip)]
    unknown: Map<String, Value>,
}

/// A card of a carousel.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TemplateCard", extend("additionalProperties" = true))]
struct TemplateCardWire {
    /// The components of the card: a HEADER with an image, a video or a product, a BODY except for
    /// a product, and BUTTONS.
    #[schemars(required)]
    components: Option<Vec<Object<PartWire>>>,
    #[serde(flatten)]
    #[schemars(skip)]
    unknown: Map<String, Value>,
}

/// Examples for the variables of a component.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TemplateExample", extend("additionalProperties" = true))]
struct ExampleWire {
    /// The example for the variable of a header.
    #[serde(skip_serializing_if = "Option::is_none")]
    header_text: Option<Vec<String>>,
    /// The examples for the variables of a body, in order: a list that contains one list.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Vec<Vec<String>>>")]
    body_text: Option<ExampleRows>,
    /// For a header with a file: the channel's handle of a sample file.
    #[serde(skip_serializing_if = "Option::is_none")]
    header_handle: Option<Vec<String>>,
    /// The example for the named variable of a header.
    #[serde(skip_serializing_if = "Option::is_none")]
    header_text_named_params: Option<Vec<Object<NamedExample>>>,
    /// The examples for the named variables of a body.
    #[serde(skip_serializing_if = "Option::is_none")]
    body_text_named_params: Option<Vec<Object<NamedExample>>>,
    #[serde(flatten)]
    #[schemars(skip)]
    unknown: Map<String, Value>,
}

/// Meta's list of lists, which contains one list. A flat list is accepted and read as that one.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(from = "RowsInput")]
struct ExampleRows(Vec<Vec<String>>);

#[derive(Deserialize)]
#[serde(untagged, expecting = "must be an array of arrays of strings")]
enum RowsInput {
    Many(Vec<Vec<String>>),
    One(Vec<String>),
}

impl From<RowsInput> for ExampleRows {
    fn from(given: RowsInput) -> Self {
        match given {
            RowsInput::Many(rows) => Self(rows),
            RowsInput::One(row) => Self(vec![row]),
        }
    }
}

/// An example for a named variable.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "NamedExample", extend("additionalProperties" = true))]
struct NamedExample {
    /// The name of the variable.
    param_name: Option<String>,
    /// The example value.
    example: Option<String>,
    #[serde(flatten)]
    #[schemars(skip)]
    unknown: Map<String, Value>,
}

/// A button of a template.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TemplateButton", extend("additionalProperties" = true))]
struct TemplateButtonWire {
    /// The type of the button: `QUICK_REPLY`, `URL`, `PHONE_NUMBER`, `COPY_CODE`, `OTP`, `FLOW`,
    /// `CATALOG`, `MPM`, `SPM`, `VOICE_CALL`, `CALL_PERMISSION_REQUEST` or `REQUEST_CONTACT_INFO`.
    /// A type that this version does not know is passed to the reviewer, with a warning.
    #[serde(rename = "type")]
    #[schemars(required, extend("examples" = words::<ButtonType>()))]
    kind: Option<String>,
    /// The label of the button.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = MAX_BUTTON_TEXT_LENGTH))]
    text: Option<String>,
    /// For `URL`: the URL that the button opens, which may end with `{{1}}`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = MAX_BUTTON_URL_LENGTH))]
    url: Option<String>,
    /// For `PHONE_NUMBER`: the number that the button calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<LooseNumber>")]
    phone_number: Option<String>,
    /// For `URL` with a variable: a list with one complete URL. For `COPY_CODE`: a list with one
    /// code.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Vec<String>>")]
    example: Option<Texts>,
    /// For `OTP`: the type, `COPY_CODE`, `ONE_TAP` or `ZERO_TAP`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = words::<OneTimeCodeType>()))]
    otp_type: Option<String>,
    /// For `OTP`: the label of the button that fills in the code.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = MAX_BUTTON_TEXT_LENGTH))]
    autofill_text: Option<String>,
    /// For `OTP` with `ZERO_TAP`: `true`, to accept Meta's terms.
    #[serde(skip_serializing_if = "Option::is_none")]
    zero_tap_terms_accepted: Option<bool>,
    /// For `OTP` with `ONE_TAP` or `ZERO_TAP`: the apps that may fill in the code.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = MAX_SUPPORTED_APPS))]
    supported_apps: Option<Vec<Object<AppWire>>>,
    /// For `FLOW`: the id of the flow. Set one of `flow_id`, `flow_name` and `flow_json`.
    #[serde(skip_serializing_if = "Option::is_none")]
    flow_id: Option<String>,
    /// For `FLOW`: the name of the flow.
    #[serde(skip_serializing_if = "Option::is_none")]
    flow_name: Option<String>,
    /// For `FLOW`: the flow itself, as JSON in a string.
    #[serde(skip_serializing_if = "Option::is_none")]
    flow_json: Option<String>,
    /// For `FLOW`: the action, `navigate` or `data_exchange`.
    #[serde(skip_serializing_if = "Option::is_none")]
    flow_action: Option<String>,
    /// For `FLOW`: the first screen.
    #[serde(skip_serializing_if = "Option::is_none")]
    navigate_screen: Option<String>,
    #[serde(flatten)]
    #[schemars(skip)]
    unknown: Map<String, Value>,
}

/// An Android app.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "SupportedApp", extend("additionalProperties" = true))]
struct AppWire {
    /// The package name of the app.
    #[schemars(required)]
    package_name: Option<String>,
    /// The hash of the app's signing key, 11 characters.
    #[schemars(required)]
    signature_hash: Option<String>,
    #[serde(flatten)]
    #[schemars(skip)]
    unknown: Map<String, Value>,
}

/// A list of strings. A single string is read as a list of one.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(from = "TextsInput")]
struct Texts(Vec<String>);

#[derive(Deserialize)]
#[serde(untagged, expecting = "must be an array of strings")]
enum TextsInput {
    Many(Vec<String>),
    One(String),
}

impl From<TextsInput> for Texts {
    fn from(given: TextsInput) -> Self {
        match given {
            TextsInput::Many(texts) => Self(texts),
            TextsInput::One(text) => Self(vec![text]),
        }
    }
}

impl TemplateButtonWire {
    fn proposal(&self) -> ButtonInput<'_> {
        ButtonInput {
            kind: self.kind.as_deref(),
            text: self.text.as_deref(),
            url: self.url.as_deref(),
            phone_number: self.phone_number.as_deref(),
            example: self.example.as_ref().map(|texts| texts.0.as_slice()),
            otp_type: self.otp_type.as_deref(),
            autofill_text: self.autofill_text.as_deref(),
            zero_tap_terms_accepted: self.zero_tap_terms_accepted,
            supported_apps: self
                .supported_apps
                .as_ref()
                .map(|all| all.iter().map(|it| it.input()).collect()),
            flow: FlowButtonInput {
                id: self.flow_id.as_deref(),
                name: self.flow_name.as_deref(),
                json: self.flow_json.as_deref(),
                action: self.flow_action.as_deref(),
                screen: self.navigate_screen.as_deref(),
            },
            unknown: names(&self.unknown),
        }
    }
}

impl AppWire {
    fn input(&self) -> AppInput<'_> {
        AppInput {
            package_name: self.package_name.as_deref(),
            signature_hash: self.signature_hash.as_deref(),
            unknown: names(&self.unknown),
        }
    }
}

impl TemplateCardWire {
    fn proposal(&self) -> CardInput<'_> {
        let parts = self.components.as_ref();
        CardInput {
            components: parts.map(|all| all.iter().map(|it| it.proposal()).collect()),
            unknown: names(&self.unknown),
        }
    }
}

fn names(unknown: &Map<String, Value>) -> Vec<&str> {
    unknown.keys().map(String::as_str).collect()
}

impl PartWire {
    /// Returns the component as input for the domain, which validates it.
    #[must_use]
    pub fn proposal(&self) -> PartInput<'_> {
        let is = |kind: &str| self.kind.as_deref().is_some_and(|it| it.eq_ignore_ascii_case(kind));
        let example = self.example.as_ref().map(|given| {
            let (positional, named) = if is("HEADER") {
                (given.header_text.as_deref(), &given.header_text_named_params)
            } else {
                let first = given.body_text.as_ref().and_then(|rows| rows.0.first());
                (first.map(Vec::as_slice), &given.body_text_named_params)
            };
            let named = named.iter().flatten();
            let named = named.map(|it| (it.param_name.as_deref(), it.example.as_deref()));
            ExampleInput { positional, named: named.collect(), unknown: names(&given.unknown) }
        });
        PartInput {
            kind: self.kind.as_deref(),
            format: self.format.as_deref(),
            text: self.text.as_deref(),
            example,
            buttons: self.buttons.as_ref().map(|all| all.iter().map(|it| it.proposal()).collect()),
            add_security_recommendation: self.add_security_recommendation,
            code_expiration_minutes: self.code_expiration_minutes,
            limited_time_offer: self.limited_time_offer.as_ref().map(|it| OfferInput {
                text: it.text.as_deref(),
                has_expiration: it.has_expiration,
                unknown: names(&it.unknown),
            }),
            cards: self.cards.as_ref().map(|all| all.iter().map(|it| it.proposal()).collect()),
            unknown: names(&self.unknown),
        }
    }

    /// Returns the component as it is stored: keywords that this version knows are in capitals, as
    /// Meta writes them.
    #[must_use]
    pub fn kept(&self) -> Self {
        let mut kept = self.clone();
        kept.kind = capitals::<ComponentType>(self.kind.as_ref());
        kept.format = capitals::<HeaderFormat>(self.format.as_ref());
        for button in kept.buttons.iter_mut().flatten() {
            button.0.kind = capitals::<ButtonType>(button.0.kind.as_ref());
            button.0.otp_type = capitals::<OneTimeCodeType>(button.0.otp_type.as_ref());
        }
        for card in kept.cards.iter_mut().flatten() {
            for part in card.0.components.iter_mut().flatten() {
                part.0 = part.0.kept();
            }
        }
        kept
    }
}

/// Returns a keyword that this version knows in capitals, as Meta writes it, and any other word
/// unchanged.
fn capitals<K: Keyword>(word: Option<&String>) -> Option<String> {
    word.map(|word| {
        in_either_case::<K>(word).map_or_else(|| word.clone(), |it| it.as_str().to_owned())
    })
}

/// Returns the keywords of a vocabulary that may grow, to list them as examples.
fn words<K: Keyword>() -> Vec<&'static str> {
    K::ALL.iter().map(|word| word.as_str()).collect()
}
