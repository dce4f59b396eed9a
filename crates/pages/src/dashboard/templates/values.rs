//! The fields of the form for a template, and the components that they describe.

use super::checks::component_of;
use crate::browser::{FieldErrors, Form};
use api_types::json;
use api_types::template::PartWire;
use domain::keyword::Keyword as _;
use domain::template::parts::{MAX_BUTTONS, in_either_case};
use domain::template::variables::variables;
use domain::template::{
    ButtonType, Category, ComponentType, HeaderFormat, NewTemplate, ParameterFormat, PartInput,
    TemplateInput, TemplateStatus,
};
use domain::violation::Violations;
use persistence::records::Template;
use serde_json::{Map, Value};

pub const NAME: &str = "name";
const LANGUAGE: &str = "language";
const CATEGORY: &str = "category";
pub const ACCOUNT: &str = "account";
const HEADER: &str = "header";
const HEADER_TEXT: &str = "header_text";
const BODY: &str = "body";
const EXAMPLES: &str = "examples";
const FOOTER: &str = "footer";
/// The prefixes of the fields with examples; the name of the variable follows.
const HEADER_EXAMPLE: &str = "header_example.";
const BODY_EXAMPLE: &str = "body_example.";

/// The fields that can have an error, in the order of the form. The buttons follow.
const ORDER: [&str; 8] = [NAME, LANGUAGE, CATEGORY, ACCOUNT, HEADER_TEXT, BODY, EXAMPLES, FOOTER];
/// The fields with the labels of the buttons, and with the URLs or phone numbers that the buttons
/// open.
const BUTTON_TEXTS: [&str; MAX_BUTTONS] = [
    "button_1_text",
    "button_2_text",
    "button_3_text",
    "button_4_text",
    "button_5_text",
    "button_6_text",
    "button_7_text",
    "button_8_text",
    "button_9_text",
    "button_10_text",
];
const BUTTON_TARGETS: [&str; MAX_BUTTONS] = [
    "button_1_target",
    "button_2_target",
    "button_3_target",
    "button_4_target",
    "button_5_target",
    "button_6_target",
    "button_7_target",
    "button_8_target",
    "button_9_target",
    "button_10_target",
];

/// The minimum number of buttons for which the form has fields.
const MIN_BUTTON_FIELDS: usize = 3;
/// The maximum number of variables in a text for which the form has example fields.
const MAX_EXAMPLE_FIELDS: usize = 50;

/// The formats of a header that the form offers, with their names. Text is not among them, because
/// it is the default.
const HEADER_FORMATS: [(HeaderFormat, &str); 4] = [
    (HeaderFormat::Image, "Picture"),
    (HeaderFormat::Video, "Video"),
    (HeaderFormat::Document, "Document"),
    (HeaderFormat::Location, "Place on the map"),
];
/// The types of buttons that the form offers, with their names.
pub const BUTTON_TYPES: [(ButtonType, &str); 3] = [
    (ButtonType::QuickReply, "Quick reply"),
    (ButtonType::Url, "Link"),
    (ButtonType::PhoneNumber, "Phone call"),
];

/// The fields as they were submitted.
pub struct TemplateFormValues {
    pub name: String,
    pub language: String,
    pub category: String,
    pub account: String,
    /// The keyword of the header's format; empty for a text header or none.
    pub header: String,
    pub header_text: String,
    pub body: String,
    pub footer: String,
    /// The examples of the variables in the header and in the body.
    pub examples: Vec<ExampleField>,
    pub buttons: Vec<ButtonFields>,
    parameter_format: ParameterFormat,
    /// How long the channel tries to deliver messages of the template. The form has no field for
    /// it, but a change keeps it.
    message_send_ttl_seconds: Option<i64>,
}

/// The example of a variable.
pub struct ExampleField {
    pub field: String,
    pub id: String,
    pub variable: String,
    pub in_header: bool,
    pub value: String,
}

/// The fields of a button.
pub struct ButtonFields {
    /// The number of the button, from 1.
    pub number: usize,
    pub type_field: String,
    pub text_field: &'static str,
    pub target_field: &'static str,
    pub kind: ButtonType,
    pub text: String,
    /// The URL or the phone number.
    pub target: String,
    pub example_field: String,
    /// The reviewer's example of a URL with a variable, in a template that is changed. Otherwise
    /// empty.
    pub example: String,
}

impl TemplateFormValues {
    /// Returns the fields of a form that nobody has filled in.
    pub fn empty() -> Self {
        Self {
            language: "en_US".to_owned(),
            category: Category::Utility.as_str().to_owned(),
            ..Self::of(&Form::default())
        }
    }

    pub fn of(form: &Form) -> Self {
        // Browsers send each line break as CR LF.
        let text = |name: &str| form.typed(name).replace("\r\n", "\n");
        let line = |name: &str| form.typed(name).trim().to_owned();
        let (header_text, body) = (line(HEADER_TEXT), text(BODY).trim().to_owned());
        let mut formats = HEADER_FORMATS.into_iter().map(|(format, _)| format.as_str());
        let header = formats.find(|it| *it == form.value(HEADER)).unwrap_or_default().to_owned();
        let in_header = if header.is_empty() { header_text.as_str() } else { "" };
        let mut examples = examples(form, HEADER_EXAMPLE, in_header);
        examples.extend(self::examples(form, BODY_EXAMPLE, &body));
        let parameter_format = parameter_format(&examples);
        Self {
            name: line(NAME),
            language: line(LANGUAGE),
            category: form.value(CATEGORY).to_owned(),
            account: form.value(ACCOUNT).to_owned(),
            header,
            header_text,
            body,
            footer: line(FOOTER),
            examples,
            buttons: buttons(form),
            parameter_format,
            message_send_ttl_seconds: None,
        }
    }

    /// Returns the fields with a template's components, or `None` if the form cannot describe them:
    /// a template with cards, for example.
    pub fn of_template(template: &Template) -> Option<Self> {
        let stored: Value = serde_json::from_str(&template.components.0).ok()?;
        let parts: Vec<PartWire> = serde_json::from_value(stored.clone()).ok()?;
        let mut fields = Fields::default();
        for part in &parts {
            fields.add_part(&part.proposal())?;
        }
        let values = Self::of(&Form::with(fields.0)).changing(template);
        let proposed = ProposedComponents::of(&values).ok()?.stored().ok()?;
        let is_complete = serde_json::from_str::<Value>(&proposed).ok()? == stored;
        is_complete.then_some(values)
    }

    /// Takes what a change cannot change from a template.
    pub fn changing(self, template: &Template) -> Self {
        let keeps_category =
            self.category.is_empty() || template.status == TemplateStatus::Approved;
        Self {
            name: template.name.clone(),
            language: template.language.clone(),
            category: if keeps_category {
                template.category.as_str().to_owned()
            } else {
                self.category
            },
            account: template.account_id.to_string(),
            parameter_format: template.parameter_format,
            message_send_ttl_seconds: template.message_send_ttl_seconds.map(i64::from),
            ..self
        }
    }

    /// Whether the text of the header, the body or the footer is filled in.
    pub fn has_components(&self) -> bool {
        !self.body.is_empty() || !self.header_text.is_empty() || !self.footer.is_empty()
    }

    /// Returns the choices of the header: value and name.
    pub fn header_formats() -> Vec<(String, String)> {
        let text = std::iter::once((String::new(), "Text, or none".to_owned()));
        let others = HEADER_FORMATS
            .into_iter()
            .map(|(format, name)| (format.as_str().to_owned(), name.to_owned()));
        text.chain(others).collect()
    }
}

/// Returns the format of the variables: named if one of them is not a number.
fn parameter_format(examples: &[ExampleField]) -> ParameterFormat {
    let is_number = |it: &ExampleField| it.variable.bytes().all(|b| b.is_ascii_digit());
    if examples.iter().all(is_number) {
        ParameterFormat::Positional
    } else {
        ParameterFormat::Named
    }
}

/// The fields of a form that describe the components of a template.
#[derive(Default)]
struct Fields(Vec<(String, String)>);

impl Fields {
    fn add(&mut self, name: impl Into<String>, value: &str) {
        self.0.push((name.into(), value.to_owned()));
    }

    /// Adds a component. Returns `None` if the form has no fields for it.
    fn add_part(&mut self, part: &PartInput<'_>) -> Option<()> {
        match part.kind.and_then(in_either_case)? {
            ComponentType::Header => match part.format.and_then(in_either_case)? {
                HeaderFormat::Text => self.add_text(HEADER_TEXT, HEADER_EXAMPLE, part)?,
                format => self.add(HEADER, format.as_str()),
            },
            ComponentType::Body => self.add_text(BODY, BODY_EXAMPLE, part)?,
            ComponentType::Footer => self.add(FOOTER, part.text?),
            ComponentType::Buttons => {
                for (button, number) in part.buttons.iter().flatten().zip(1..) {
                    self.add(format!("button_{number}_type"), button.kind?);
                    self.add(format!("button_{number}_text"), button.text?);
                    let target = button.url.or(button.phone_number).unwrap_or_default();
                    self.add(format!("button_{number}_target"), target);
                    let example = button.example.and_then(|all| all.first());
                    let example = example.map_or("", String::as_str);
                    self.add(format!("button_{number}_example"), example);
                }
            }
            _ => return None,
        }
        Some(())
    }

    /// Adds a text and the examples of its variables.
    fn add_text(&mut self, field: &str, prefix: &str, part: &PartInput<'_>) -> Option<()> {
        let text = part.text?;
        self.add(field, text);
        let example = part.example.as_ref();
        for variable in variables(text) {
            let value = example.and_then(|it| it.of(variable)).unwrap_or_default();
            self.add(format!("{prefix}{variable}"), value);
        }
        Some(())
    }
}

/// Returns the fields for the examples of the variables in a text.
fn examples(form: &Form, prefix: &str, text: &str) -> Vec<ExampleField> {
    let field = |(place, variable): (usize, &str)| {
        let field = format!("{prefix}{variable}");
        ExampleField {
            id: format!("{}-{place}", prefix.trim_end_matches('.')),
            variable: variable.to_owned(),
            in_header: prefix == HEADER_EXAMPLE,
            value: form.typed(&field).trim().to_owned(),
            field,
        }
    };
    variables(text).into_iter().take(MAX_EXAMPLE_FIELDS).enumerate().map(field).collect()
}

/// Returns the buttons of a form up to the last one that is filled in, and fields for one more.
fn buttons(form: &Form) -> Vec<ButtonFields> {
    let fields = BUTTON_TEXTS.into_iter().zip(BUTTON_TARGETS).zip(1..);
    let button = |((text_field, target_field), number): ((&'static str, &'static str), usize)| {
        let type_field = format!("button_{number}_type");
        let example_field = format!("button_{number}_example");
        let kind = ButtonType::from_keyword(form.value(&type_field));
        let kind = kind.filter(|it| BUTTON_TYPES.iter().any(|(known, _)| known == it));
        ButtonFields {
            number,
            kind: kind.unwrap_or(ButtonType::QuickReply),
            text: form.typed(text_field).trim().to_owned(),
            target: form.typed(target_field).trim().to_owned(),
            example: form.typed(&example_field).trim().to_owned(),
            type_field,
            text_field,
            target_field,
            example_field,
        }
    };
    let mut all: Vec<ButtonFields> = fields.map(button).collect();
    let last = all.iter().rposition(ButtonFields::is_filled).map_or(0, |place| place + 1);
    all.truncate(MIN_BUTTON_FIELDS.max(last + 1));
    all
}

impl ButtonFields {
    fn is_filled(&self) -> bool {
        !self.text.is_empty() || !self.target.is_empty()
    }

    /// Whether the button has this type. `kind` is the keyword.
    pub fn is(&self, kind: &str) -> bool {
        self.kind.as_str() == kind
    }

    /// Returns the button in the format of the API.
    fn to_json(&self) -> Value {
        let mut button = object([("type", self.kind.as_str().into())]);
        button.insert("text".to_owned(), self.text.as_str().into());
        if self.kind == ButtonType::PhoneNumber {
            button.insert("phone_number".to_owned(), self.target.as_str().into());
        } else if self.kind == ButtonType::Url || !self.target.is_empty() {
            button.insert("url".to_owned(), self.target.as_str().into());
        }
        if !variables(&self.target).is_empty() {
            // The reviewer needs a whole URL as an example.
            let start = self.target.split_once("{{").map_or("", |(start, _)| start);
            let example = if self.example.starts_with(start) && !self.example.is_empty() {
                self.example.clone()
            } else {
                self.target.replace("{{1}}", "1")
            };
            button.insert("example".to_owned(), Value::from(vec![example]));
        }
        Value::Object(button)
    }
}

fn object<K: Into<String>, const N: usize>(fields: [(K, Value); N]) -> Map<String, Value> {
    fields.into_iter().map(|(name, value)| (name.into(), value)).collect()
}

/// The fields of the form that describe a component.
enum FormPart {
    Header,
    Body,
    Footer,
    /// The buttons that are filled in, by their index in the form.
    Buttons(Vec<usize>),
}

/// The components that a form describes, in the format of the API.
pub struct ProposedComponents {
    parts: Vec<PartWire>,
    of: Vec<FormPart>,
}

impl ProposedComponents {
    pub fn of(values: &TemplateFormValues) -> serde_json::Result<Self> {
        let (mut parts, mut of) = (Vec::new(), Vec::new());
        let mut add = |kind: ComponentType, from: FormPart, fields: Map<String, Value>| {
            let mut part = object([("type", kind.as_str().into())]);
            part.extend(fields);
            parts.push(Value::Object(part));
            of.push(from);
        };
        if !values.header.is_empty() {
            let fields = object([("format", values.header.as_str().into())]);
            add(ComponentType::Header, FormPart::Header, fields);
        } else if !values.header_text.is_empty() {
            let format = HeaderFormat::Text.as_str();
            let mut fields = object([("format", format.into())]);
            fields.extend(with_examples(values, true, &values.header_text));
            add(ComponentType::Header, FormPart::Header, fields);
        }
        let body = with_examples(values, false, &values.body);
        add(ComponentType::Body, FormPart::Body, body);
        if !values.footer.is_empty() {
            let fields = object([("text", values.footer.as_str().into())]);
            add(ComponentType::Footer, FormPart::Footer, fields);
        }
        let filled = values.buttons.iter().enumerate().filter(|(_, it)| it.is_filled());
        let (places, buttons): (Vec<usize>, Vec<Value>) =
            filled.map(|(place, it)| (place, it.to_json())).unzip();
        if !buttons.is_empty() {
            let fields = object([("buttons", buttons.into())]);
            add(ComponentType::Buttons, FormPart::Buttons(places), fields);
        }
        Ok(Self { parts: serde_json::from_value(Value::Array(parts))?, of })
    }

    /// Returns the components in their stored form.
    pub fn stored(&self) -> serde_json::Result<String> {
        let kept: Vec<PartWire> = self.parts.iter().map(PartWire::kept).collect();
        json::write(&kept)
    }

    /// Returns the components as input for the domain.
    pub fn inputs(&self) -> Vec<PartInput<'_>> {
        self.parts.iter().map(PartWire::proposal).collect()
    }

    /// Parses the template, or returns all its faults beside their fields.
    pub fn parse(&self, values: &TemplateFormValues) -> Result<NewTemplate, FieldErrors> {
        let input = TemplateInput {
            name: Some(&values.name),
            language: Some(&values.language),
            category: Some(&values.category),
            parameter_format: Some(values.parameter_format.as_str()),
            components: Some(self.inputs()),
            message_send_ttl_seconds: values.message_send_ttl_seconds,
        };
        let mut faults = Violations::default();
        let parsed = NewTemplate::parse(&input, &mut faults);
        faults.finish(parsed).map_err(|faults| {
            let faults = faults.into_vec().into_iter();
            let mut faults: Vec<(&'static str, String)> =
                faults.map(|it| (self.field_of(&it.field), it.message)).collect();
            // Sorted, because the field with the first error gets the focus.
            faults.sort_by_key(|(field, _)| place_of(field));
            let mut errors = FieldErrors::default();
            for (field, message) in faults {
                errors.add(field, message);
            }
            errors
        })
    }

    /// Returns the field of the form that a fault is about.
    fn field_of(&self, field: &str) -> &'static str {
        let Some((index, rest)) = component_of(field) else {
            let known = [NAME, LANGUAGE, CATEGORY].into_iter().find(|it| *it == field);
            return known.unwrap_or(BODY);
        };
        match self.of.get(index) {
            Some(FormPart::Header | FormPart::Body) if rest.starts_with("example") => EXAMPLES,
            Some(FormPart::Header) => HEADER_TEXT,
            Some(FormPart::Footer) => FOOTER,
            Some(FormPart::Buttons(places)) => button_field(places, rest),
            Some(FormPart::Body) | None => BODY,
        }
    }
}

/// Returns the field of a button that a fault is about. `field` is its path in the component, such as
/// `buttons[0].text`.
fn button_field(places: &[usize], field: &str) -> &'static str {
    let within = field.strip_prefix("buttons[").and_then(|it| it.split_once(']'));
    let Some((index, rest)) = within else { return BUTTON_TEXTS[0] };
    let place = index.parse::<usize>().ok().and_then(|index| places.get(index));
    let fields = if rest == ".text" { &BUTTON_TEXTS } else { &BUTTON_TARGETS };
    place.and_then(|place| fields.get(*place)).copied().unwrap_or(BUTTON_TEXTS[0])
}

/// Returns the place of a field in the form.
fn place_of(field: &str) -> usize {
    let buttons = BUTTON_TEXTS.into_iter().zip(BUTTON_TARGETS);
    let buttons = buttons.flat_map(|(text, target)| [text, target]);
    ORDER.into_iter().chain(buttons).position(|it| it == field).unwrap_or_default()
}

/// Returns the fields of a component with a text and the examples of its variables.
fn with_examples(values: &TemplateFormValues, in_header: bool, text: &str) -> Map<String, Value> {
    let mut fields = object([("text", text.into())]);
    let examples = values.examples.iter().filter(|it| it.in_header == in_header);
    let mut examples: Vec<&ExampleField> = examples.collect();
    if examples.is_empty() {
        return fields;
    }
    let name = if in_header { "header_text" } else { "body_text" };
    let example = match values.parameter_format {
        ParameterFormat::Named => {
            let named = examples.iter().map(|it| {
                Value::Object(object([
                    ("param_name", it.variable.as_str().into()),
                    ("example", it.value.as_str().into()),
                ]))
            });
            let named: Vec<Value> = named.collect();
            object([(format!("{name}_named_params"), named.into())])
        }
        ParameterFormat::Positional => {
            examples.sort_by_key(|it| it.variable.parse::<u32>().ok());
            let row: Vec<Value> = examples.iter().map(|it| it.value.as_str().into()).collect();
            let row = Value::Array(row);
            object([(name, if in_header { row } else { Value::Array(vec![row]) })])
        }
    };
    fields.insert("example".to_owned(), Value::Object(example));
    fields
}

#[cfg(test)]
mod tests {
    use super::*;
    use persistence::Document;

    fn form(fields: &[(&str, &str)]) -> TemplateFormValues {
        let required = [
            (NAME, "order_update"),
            (LANGUAGE, "en_US"),
            (CATEGORY, "utility"),
            (BODY, "Hello {{2}}, {{1}} is ready."),
        ];
        // If a name occurs twice, the form uses the first value.
        let fields = fields.iter().chain(&required);
        let fields = fields.map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        TemplateFormValues::of(&Form::with(fields.collect()))
    }

    /// Returns a template with the components of a form.
    fn template(values: &TemplateFormValues, status: TemplateStatus) -> Template {
        let components = ProposedComponents::of(values).unwrap().stored().unwrap();
        Template {
            components: Document(components),
            parameter_format: values.parameter_format,
            ..api_types::sample::template(status)
        }
    }

    #[test]
    fn the_components_of_a_form_fill_it_again() {
        let positional = form(&[
            (BODY, "Hello {{2}},\n{{1}} is ready."),
            ("body_example.1", "Bread"),
            ("body_example.2", "Ada"),
            (HEADER_TEXT, "For {{1}} today"),
            ("header_example.1", "Ada"),
            (FOOTER, "Acme"),
            ("button_1_text", "Track"),
            ("button_1_type", "URL"),
            ("button_1_target", "https://acme.example/{{1}}"),
            ("button_1_example", "https://acme.example/orders"),
            ("button_2_text", "Call"),
            ("button_2_type", "PHONE_NUMBER"),
            ("button_2_target", "+12025550190"),
        ]);
        let named = form(&[(BODY, "Hello {{first_name}}."), ("body_example.first_name", "Ada")]);
        let picture = form(&[(BODY, "Hello."), (HEADER, "IMAGE")]);
        for values in [positional, named, picture] {
            let stored = template(&values, TemplateStatus::Rejected);
            let read = TemplateFormValues::of_template(&stored).unwrap();
            assert_eq!(read.body, values.body);
            assert_eq!(read.name, stored.name);
            let again = ProposedComponents::of(&read).unwrap().stored().unwrap();
            assert_eq!(again, stored.components.0);
        }
    }

    #[test]
    fn the_form_does_not_describe_every_template() {
        for components in [
            r#"[{"type":"BODY","text":"Hello."},{"type":"CAROUSEL","cards":[]}]"#,
            r#"[{"type":"BODY","add_security_recommendation":true}]"#,
            r#"[{"type":"BODY","text":"Hello."},{"type":"BUTTONS","buttons":[{"type":"COPY_CODE","example":"A"}]}]"#,
            r#"[{"type":"BODY","text":" Hello. "}]"#,
            "no JSON",
        ] {
            let stored = Template {
                components: Document(components.to_owned()),
                ..api_types::sample::template(TemplateStatus::Rejected)
            };
            assert!(TemplateFormValues::of_template(&stored).is_none(), "{components}");
        }
    }

    #[test]
    fn an_example_of_another_link_is_not_kept() {
        let fields = |target| {
            form(&[
                ("button_1_text", "Track"),
                ("button_1_type", "URL"),
                ("button_1_target", target),
                ("button_1_example", "https://acme.example/o/1024"),
            ])
        };
        let stored = |target| ProposedComponents::of(&fields(target)).unwrap().stored().unwrap();
        assert!(stored("https://acme.example/o/{{1}}").contains("https://acme.example/o/1024"));
        assert!(stored("https://acme.example/p/{{1}}").contains("https://acme.example/p/1"));
    }

    #[test]
    fn an_approved_template_keeps_its_category() {
        let marketing = |status| {
            let values = form(&[(CATEGORY, "marketing")]);
            let stored = template(&values, status);
            values.changing(&stored).category
        };
        assert_eq!(marketing(TemplateStatus::Rejected), "marketing");
        assert_eq!(marketing(TemplateStatus::Approved), "utility");
    }

    fn errors(fields: &[(&str, &str)]) -> Vec<(&'static str, String)> {
        let values = form(fields);
        let Err(errors) = ProposedComponents::of(&values).unwrap().parse(&values) else {
            return Vec::new();
        };
        let of = |field: &'static str| errors.of(field).map(|it| (field, it.to_owned()));
        let buttons = BUTTON_TEXTS.into_iter().chain(BUTTON_TARGETS);
        ORDER.into_iter().chain(buttons).filter_map(of).collect()
    }

    #[test]
    fn a_form_becomes_the_components_of_the_api() {
        let values = form(&[
            (BODY, "Hello {{2}},\r\n{{1}} is ready. "),
            ("body_example.1", "Bread"),
            ("body_example.2", "Ada"),
            (HEADER_TEXT, "For {{1}} today"),
            ("header_example.1", "Ada"),
            (FOOTER, "Acme"),
            ("button_2_text", "Track"),
            ("button_2_type", "URL"),
            ("button_2_target", "https://acme.example/{{1}}"),
            ("button_3_text", "Thanks"),
        ]);
        let proposed = ProposedComponents::of(&values).unwrap();
        assert!(proposed.parse(&values).is_ok());
        let stored: Value = serde_json::from_str(&proposed.stored().unwrap()).unwrap();
        let expected = serde_json::json!([
            {
                "type": "HEADER",
                "format": "TEXT",
                "text": "For {{1}} today",
                "example": {"header_text": ["Ada"]},
            },
            {
                "type": "BODY",
                "text": "Hello {{2}},\n{{1}} is ready.",
                "example": {"body_text": [["Bread", "Ada"]]},
            },
            {"type": "FOOTER", "text": "Acme"},
            {
                "type": "BUTTONS",
                "buttons": [
                    {
                        "type": "URL",
                        "text": "Track",
                        "url": "https://acme.example/{{1}}",
                        "example": ["https://acme.example/1"],
                    },
                    {"type": "QUICK_REPLY", "text": "Thanks"},
                ],
            },
        ]);
        assert_eq!(stored, expected);
        assert_eq!(values.buttons.len(), 4, "there are fields for one more button");
    }

    #[test]
    fn a_word_as_a_variable_makes_all_of_them_named() {
        let fields = [(BODY, "Hello {{first_name}}."), ("body_example.first_name", "Ada")];
        let values = form(&fields);
        let proposed = ProposedComponents::of(&values).unwrap();
        let parsed = proposed.parse(&values).unwrap();
        assert_eq!(parsed.parameter_format, ParameterFormat::Named);
        assert!(proposed.stored().unwrap().contains("body_text_named_params"));
        let mixed = errors(&[(BODY, "Hello {{first_name}}, {{1}} is ready.")]);
        assert_eq!(mixed.first().unwrap().0, BODY);
    }

    #[test]
    fn each_fault_is_beside_its_field() {
        let found = errors(&[
            (NAME, "Order Update"),
            (LANGUAGE, "english"),
            (CATEGORY, ""),
            (HEADER_TEXT, "{{1}} and {{2}} too"),
            (FOOTER, "For {{1}}"),
            ("button_1_text", "Track"),
            ("button_1_type", "URL"),
            ("button_1_target", "acme"),
            ("button_3_target", "https://acme.example/"),
        ]);
        let fields: Vec<&str> = found.iter().map(|(field, _)| *field).collect();
        let expected = [
            NAME,
            LANGUAGE,
            CATEGORY,
            HEADER_TEXT,
            EXAMPLES,
            FOOTER,
            "button_3_text",
            "button_1_target",
            "button_3_target",
        ];
        assert_eq!(fields, expected);
        assert_eq!(errors(&[(BODY, "")]).first().unwrap().0, BODY);
    }

    #[test]
    fn a_header_with_a_file_has_no_text() {
        let fields = [(BODY, "Hello."), (HEADER, "IMAGE"), (HEADER_TEXT, "Ignored {{1}}")];
        let values = form(&fields);
        let stored = ProposedComponents::of(&values).unwrap().stored().unwrap();
        assert!(stored.contains(r#""format":"IMAGE""#) && !stored.contains("Ignored"), "{stored}");
        assert!(values.examples.is_empty());
    }
}
