//! What fills a template in, in Meta's shape.

use crate::object::Object;
use crate::schema::{Address, OneOf};
use domain::content::template::{COMPONENTS, MAX_PARAMETER_LENGTH, MAX_PAYLOAD_LENGTH, PARAMETERS};
use domain::content::{ButtonKind, ComponentParameters, Parameter, ParameterPlace};
use domain::violation::{Fault, Field, Violations};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The parameters of one component of a template.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TemplateComponent")]
pub struct ComponentWire {
    /// Which part of the template.
    #[serde(rename = "type")]
    #[schemars(required, extend("enum" = COMPONENTS))]
    kind: Option<String>,
    /// Of a button: what it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<OneOf<ButtonKind>>")]
    sub_type: Option<String>,
    /// Of a button: which one, from `0` to `9`. A number is taken too.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    index: Option<Index>,
    /// What fills in the variables, in order.
    #[serde(default)]
    #[schemars(length(max = MAX_PARAMETERS))]
    parameters: Vec<Object<ParameterWire>>,
}

/// A button's index. Meta writes it as a number or as a text; here it is always a text, for generated
/// clients cannot read a field of two types.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(from = "IndexInput")]
struct Index(String);

#[derive(Deserialize)]
#[serde(untagged)]
enum IndexInput {
    Number(i64),
    Text(String),
}

impl From<IndexInput> for Index {
    fn from(given: IndexInput) -> Self {
        match given {
            IndexInput::Number(number) => Self(number.to_string()),
            IndexInput::Text(text) => Self(text),
        }
    }
}

/// What fills in one variable.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TemplateParameter")]
struct ParameterWire {
    /// What it is; the field of that name holds it.
    #[serde(rename = "type")]
    #[schemars(required, extend("enum" = PARAMETERS))]
    kind: Option<String>,
    /// The variable's name, where the template names its variables.
    #[serde(skip_serializing_if = "Option::is_none")]
    parameter_name: Option<String>,
    /// The words.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = MAX_PARAMETER_LENGTH))]
    text: Option<String>,
    /// The picture.
    #[serde(skip_serializing_if = "Option::is_none")]
    image: Option<Object<FileWire>>,
    /// The film.
    #[serde(skip_serializing_if = "Option::is_none")]
    video: Option<Object<FileWire>>,
    /// The file.
    #[serde(skip_serializing_if = "Option::is_none")]
    document: Option<Object<FileWire>>,
    /// What a quick reply sends back.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = MAX_PAYLOAD_LENGTH))]
    payload: Option<String>,
}

/// A file at an address.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "LinkedFile")]
struct FileWire {
    /// Its address.
    #[schemars(required, with = "Address")]
    link: Option<String>,
    /// What a document is called on the other side.
    #[serde(skip_serializing_if = "Option::is_none")]
    filename: Option<String>,
}

/// A header, a body and ten buttons.
pub const MAX_COMPONENTS: usize = 12;
/// More than any template of 1024 characters can have.
const MAX_PARAMETERS: usize = 256;

/// Reads `components` of a send, with all their faults.
pub fn parse(
    components: &[Object<ComponentWire>],
    faults: &mut Violations,
) -> Vec<ComponentParameters> {
    let all = Field::root("components");
    let mut parsed = Vec::new();
    if components.len() > MAX_COMPONENTS {
        let message =
            format!("has {} entries; at most {MAX_COMPONENTS} are allowed", components.len());
        faults.add(&all, Fault::TooLong, message);
    }
    for (index, component) in components.iter().take(MAX_COMPONENTS).enumerate() {
        let at = all.index(index);
        let index = component.index.as_ref().map(|index| index.0.parse().unwrap_or(-1));
        let (kind, sub_type) = (component.kind.as_deref(), component.sub_type.as_deref());
        let place = ParameterPlace::parse(&at, kind, sub_type, index, faults);
        let list = at.key("parameters");
        if component.parameters.len() > MAX_PARAMETERS {
            let message = format!("has more than {MAX_PARAMETERS} entries");
            faults.add(&list, Fault::TooLong, message);
        }
        let parameters = component.parameters.iter().take(MAX_PARAMETERS).enumerate();
        let parameters = parameters.filter_map(|(i, it)| it.parse(&list.index(i), faults));
        let parameters = parameters.collect();
        parsed.extend(place.map(|place| ComponentParameters::new(place, parameters)));
    }
    parsed
}

impl ParameterWire {
    fn parse(&self, at: &Field<'_>, faults: &mut Violations) -> Option<Parameter> {
        let link =
            |file: &Option<Object<FileWire>>| file.as_ref().and_then(|file| file.link.clone());
        match faults.require(&at.key("type"), self.kind.as_deref())? {
            "text" => {
                Parameter::text(at, self.parameter_name.as_deref(), self.text.as_deref(), faults)
            }
            "image" => Parameter::link(&at.key("image"), link(&self.image).as_deref(), faults)
                .map(Parameter::Image),
            "video" => Parameter::link(&at.key("video"), link(&self.video).as_deref(), faults)
                .map(Parameter::Video),
            "document" => {
                let name = self.document.as_ref().and_then(|file| file.filename.clone());
                Parameter::link(&at.key("document"), link(&self.document).as_deref(), faults)
                    .map(|link| Parameter::Document(link, name))
            }
            "payload" => Parameter::payload(at, self.payload.as_deref(), faults),
            _ => {
                let message = format!("must be one of {}", PARAMETERS.join(", "));
                faults.add(&at.key("type"), Fault::NotOneOf, message);
                None
            }
        }
    }
}
