//! The settings of an AI agent as its forms show them. Each page saves its own group of settings
//! and keeps the other groups.

use super::errors::beside_field;
use crate::browser::{FieldErrors, Form, PageError};
use domain::agent::{
    AgentConnection, AgentKind, AgentMode, AgentSettings, AgentTemplate, AnswerTime, BusinessHours,
    DAYS_OF_WEEK, MAX_OPENINGS, OpeningRow,
};
use domain::id::AccountId;
use domain::keyword::Keyword as _;
use persistence::records::AiAgent;
use service::agents::{AgentInput, ModelOptions, faults};

/// A group of settings. Each has a page of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SettingsGroup {
    /// The group on the page of the agent itself.
    General,
    Model,
    Hours,
    HandOver,
    Sending,
}

impl SettingsGroup {
    /// The groups whose pages are below the page of the agent.
    const BELOW: [Self; 4] = [Self::Model, Self::Hours, Self::HandOver, Self::Sending];

    /// Returns the groups of a kind of agent whose pages are below the page of the agent.
    pub fn below(kind: AgentKind) -> impl Iterator<Item = Self> {
        Self::BELOW.into_iter().filter(move |it| *it != Self::Model || kind == AgentKind::Model)
    }

    /// Returns the last part of the path of the page.
    pub const fn path(self) -> &'static str {
        match self {
            Self::General => "",
            Self::Model => "model",
            Self::Hours => "hours",
            Self::HandOver => "hand-over",
            Self::Sending => "sending",
        }
    }

    pub const fn title(self) -> &'static str {
        match self {
            Self::General => "Settings",
            Self::Model => "Model",
            Self::Hours => "Hours and limits",
            Self::HandOver => "Handing over",
            Self::Sending => "What it may send",
        }
    }

    /// Returns the sentence below the title.
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::General => "Answers customers on its numbers until a person takes over.",
            Self::Model => "The server and the model that answer, and what they cost.",
            Self::Hours => "When it answers, whom, and how often.",
            Self::HandOver => "How customers reach a person, and when the agent answers again.",
            Self::Sending => "What it may send besides its own words.",
        }
    }
}

/// The submitted fields, without the API key of the model's server.
#[derive(Default)]
pub(super) struct AgentValues {
    pub general: GeneralValues,
    pub model: ModelValues,
    pub hours: HoursValues,
    pub hand_over: HandOverValues,
    pub sending: SendingValues,
}

#[derive(Default)]
pub(super) struct GeneralValues {
    pub name: String,
    pub kind: String,
    pub mode: String,
    /// The address of a webhook.
    pub url: String,
    pub accounts: Vec<String>,
    pub instructions: String,
}

#[derive(Default)]
pub(super) struct ModelValues {
    pub base_url: String,
    pub model: String,
    pub fallback_model: String,
    pub max_tokens: String,
    pub temperature: String,
    pub input_price: String,
    pub output_price: String,
    pub fallback_input_price: String,
    pub fallback_output_price: String,
    pub has_tools: bool,
    pub sees_images: bool,
    pub transcription_model: String,
}

#[derive(Default)]
pub(super) struct HoursValues {
    pub answer_time: String,
    pub zone: String,
    /// The business hours, as lines that `BusinessHours` is parsed from.
    pub hours: String,
    /// The rows of these hours, with those that are not complete.
    pub openings: Vec<OpeningRow>,
    pub allowed_contacts: String,
    pub quiet: String,
    pub longest: String,
    pub answers_per_hour: String,
    pub tokens_per_day: String,
}

/// A row of the business hours on the page. Its fields are `day_`, `from_` and `to_` with its number.
pub(super) struct HoursRow {
    pub number: usize,
    pub days: Vec<HoursDay>,
    pub from: String,
    pub to: String,
}

pub(super) struct HoursDay {
    pub value: &'static str,
    pub title: &'static str,
    pub chosen: bool,
}

#[derive(Default)]
pub(super) struct HandOverValues {
    pub person_phrases: String,
    pub resume_after_hours: String,
    pub resume_on_close: bool,
    pub failure_text: String,
}

#[derive(Default)]
pub(super) struct SendingValues {
    /// The name and language of each template, as `template_value` joins them.
    pub templates: Vec<String>,
    pub link_hosts: String,
}

/// Returns the value of a template's checkbox.
pub(super) fn template_value(name: &str, language: &str) -> String {
    format!("{name}/{language}")
}

pub(super) fn template_of(value: &str) -> Option<AgentTemplate> {
    let (name, language) = value.split_once('/')?;
    Some(AgentTemplate { name: name.to_owned(), language: language.to_owned() })
}

fn or_else(text: String, default: &str) -> String {
    if text.is_empty() { default.to_owned() } else { text }
}

fn is_in(form: &Form, name: &str) -> bool {
    form.values(name).next().is_some()
}

impl AgentValues {
    /// Returns the defaults of a new agent.
    pub fn of_new() -> Self {
        let general = GeneralValues {
            kind: AgentKind::Model.as_str().to_owned(),
            mode: AgentMode::Draft.as_str().to_owned(),
            ..GeneralValues::default()
        };
        let model = ModelValues { has_tools: true, ..ModelValues::default() };
        Self { general, model, ..Self::default() }
    }

    pub fn of_form(form: &Form) -> Self {
        let value = |name: &str| form.value(name).trim().to_owned();
        let (hours, openings) = submitted_hours(form);
        Self {
            general: GeneralValues {
                name: value("name"),
                kind: value("kind"),
                mode: value("mode"),
                url: value("url"),
                accounts: form.values("account").map(str::to_owned).collect(),
                instructions: form.value("instructions").to_owned(),
            },
            model: ModelValues {
                base_url: value("base_url"),
                model: value("model"),
                fallback_model: value("fallback_model"),
                max_tokens: value("max_tokens"),
                temperature: value("temperature"),
                input_price: value("input_price"),
                output_price: value("output_price"),
                fallback_input_price: value("fallback_input_price"),
                fallback_output_price: value("fallback_output_price"),
                has_tools: !form.value("has_tools").is_empty(),
                sees_images: !form.value("sees_images").is_empty(),
                transcription_model: value("transcription_model"),
            },
            hours: HoursValues {
                answer_time: or_else(value("answer_time"), AnswerTime::Always.as_str()),
                zone: or_else(value("zone"), "UTC"),
                hours,
                openings,
                allowed_contacts: form.value("allowed_contacts").to_owned(),
                quiet: value("quiet"),
                longest: value("longest"),
                answers_per_hour: value("answers_per_hour"),
                tokens_per_day: value("tokens_per_day"),
            },
            hand_over: HandOverValues {
                person_phrases: form.value("person_phrases").to_owned(),
                resume_after_hours: value("resume_after_hours"),
                resume_on_close: !form.value("resume_on_close").is_empty(),
                failure_text: value("failure_text"),
            },
            sending: SendingValues {
                templates: form.values("template").map(str::to_owned).collect(),
                link_hosts: form.value("link_hosts").to_owned(),
            },
        }
    }

    pub fn of_agent(agent: &AiAgent, accounts: &[AccountId]) -> Result<Self, PageError> {
        let settings = agent.settings().map_err(persistence::Error::from)?;
        let optional = |number: Option<String>| number.unwrap_or_default();
        let url = match &settings.connection {
            AgentConnection::Webhook { url } => url.clone(),
            AgentConnection::Model(_) | AgentConnection::Api => String::new(),
        };
        Ok(Self {
            general: GeneralValues {
                name: agent.name.clone(),
                kind: agent.kind.as_str().to_owned(),
                mode: agent.mode.as_str().to_owned(),
                url,
                accounts: accounts.iter().map(ToString::to_string).collect(),
                instructions: settings.instructions.clone(),
            },
            model: ModelValues::of(&settings),
            hours: HoursValues {
                answer_time: settings.schedule.time.as_str().to_owned(),
                zone: settings.schedule.zone,
                hours: settings.schedule.hours.to_string(),
                openings: settings.schedule.hours.rows(),
                allowed_contacts: settings.allowed_contacts.join("\n"),
                quiet: settings.delay.quiet().as_secs().to_string(),
                longest: settings.delay.longest().as_secs().to_string(),
                answers_per_hour: settings.limits.per_hour.to_string(),
                tokens_per_day: optional(settings.limits.tokens_per_day.map(|it| it.to_string())),
            },
            hand_over: HandOverValues {
                person_phrases: settings.person_phrases.join("\n"),
                resume_after_hours: optional(
                    settings.resume_after_hours.map(|hours| hours.to_string()),
                ),
                resume_on_close: settings.resume_on_close,
                failure_text: settings.failure_text.unwrap_or_default(),
            },
            sending: SendingValues {
                templates: settings
                    .templates
                    .iter()
                    .map(|it| template_value(&it.name, &it.language))
                    .collect(),
                link_hosts: settings.link_hosts.join("\n"),
            },
        })
    }

    /// Returns the saved settings of an agent, with the groups that the form contains replaced by
    /// its values. A page of the settings submits its own group to the playground, and the
    /// playground submits all of them.
    pub fn of_draft(agent: &AiAgent, form: &Form) -> Result<Self, PageError> {
        let mut values = Self::of_agent(agent, &[])?;
        let typed = Self::of_form(form);
        if is_in(form, "instructions") {
            values.general.instructions = typed.general.instructions;
        }
        if is_in(form, "base_url") {
            values.model = typed.model;
        }
        if is_in(form, "link_hosts") {
            values.sending = typed.sending;
        }
        Ok(values)
    }

    /// Returns the fields of a draft that the playground carries in hidden fields. The instructions
    /// are not among them.
    pub fn carried(&self) -> Vec<(&'static str, String)> {
        let flag = |it: bool| if it { "yes".to_owned() } else { String::new() };
        let Self { model, sending, .. } = self;
        let mut fields = vec![
            ("base_url", model.base_url.clone()),
            ("model", model.model.clone()),
            ("fallback_model", model.fallback_model.clone()),
            ("max_tokens", model.max_tokens.clone()),
            ("temperature", model.temperature.clone()),
            ("input_price", model.input_price.clone()),
            ("output_price", model.output_price.clone()),
            ("fallback_input_price", model.fallback_input_price.clone()),
            ("fallback_output_price", model.fallback_output_price.clone()),
            ("has_tools", flag(model.has_tools)),
            ("sees_images", flag(model.sees_images)),
            ("transcription_model", model.transcription_model.clone()),
            ("link_hosts", sending.link_hosts.clone()),
        ];
        fields.extend(sending.templates.iter().map(|it| ("template", it.clone())));
        fields
    }

    pub fn is_kind(&self, kind: AgentKind) -> bool {
        self.general.kind == kind.as_str()
    }

    /// Returns the input of these groups. The settings of the other groups stay as they are.
    pub fn input<'a>(
        &'a self,
        sections: &[SettingsGroup],
        api_key: &'a str,
    ) -> Result<AgentInput<'a>, FieldErrors> {
        let (mut input, mut errors) = (AgentInput::default(), FieldErrors::default());
        for section in sections {
            input = match section {
                SettingsGroup::General => self.add_general(input, &mut errors),
                SettingsGroup::Model => self.model.add(input, api_key, &mut errors),
                SettingsGroup::Hours => self.hours.add(input, &mut errors),
                SettingsGroup::HandOver => self.hand_over.add(input, &mut errors),
                SettingsGroup::Sending => self.sending.add(input),
            };
        }
        for (field, sentence) in faults(&input).iter().filter_map(beside_field) {
            errors.add(field, sentence);
        }
        if errors.is_empty() { Ok(input) } else { Err(errors) }
    }

    /// Returns the part of a draft's input that a model is asked with.
    pub fn draft_input<'a>(&'a self, api_key: &'a str) -> Result<AgentInput<'a>, FieldErrors> {
        let input = self.input(&[SettingsGroup::Model, SettingsGroup::Sending], api_key)?;
        Ok(AgentInput { instructions: Some(&self.general.instructions), ..input })
    }

    fn add_general<'a>(
        &'a self,
        input: AgentInput<'a>,
        errors: &mut FieldErrors,
    ) -> AgentInput<'a> {
        let values = &self.general;
        let mode = AgentMode::from_keyword(&values.mode);
        if mode.is_none() {
            errors.add("mode", "Choose a mode.");
        }
        let accounts: Option<Vec<AccountId>> =
            values.accounts.iter().map(|id| id.parse().ok()).collect();
        if accounts.is_none() {
            errors.add("account", "Choose numbers of this organization.");
        }
        AgentInput {
            name: Some(&values.name),
            mode,
            accounts,
            url: self.is_kind(AgentKind::Webhook).then_some(values.url.as_str()),
            instructions: self.is_kind(AgentKind::Model).then_some(values.instructions.as_str()),
            ..input
        }
    }
}

/// Reads a whole number. An empty text is `None`.
fn number(errors: &mut FieldErrors, field: &'static str, text: &str) -> Option<u32> {
    if text.is_empty() {
        return None;
    }
    let read: Option<u32> = text.replace([',', ' '], "").parse().ok();
    if read.is_none() {
        errors.add(field, "Enter a whole number.");
    }
    read
}

/// Returns the business hours of a form, as lines and as rows. A form has rows, or the field `hours`
/// with lines.
fn submitted_hours(form: &Form) -> (String, Vec<OpeningRow>) {
    if is_in(form, "hours") {
        let hours = form.value("hours").to_owned();
        let read: Result<BusinessHours, _> = hours.parse();
        // The lines that cannot be read are reported when the form is checked.
        let rows = match read {
            Ok(read) => read.rows(),
            Err(_) => Vec::new(),
        };
        return (hours, rows);
    }
    let row = |number: usize| {
        let from = form.values(&format!("from_{number}")).next()?.trim().to_owned();
        let to = form.value(&format!("to_{number}")).trim().to_owned();
        let field = format!("day_{number}");
        let days = DAYS_OF_WEEK.map(|day| form.values(&field).any(|it| it == day));
        Some(OpeningRow { days, from, to })
    };
    let rows = (0..MAX_OPENINGS).map_while(row).filter(|row| !row.is_blank());
    let rows: Vec<OpeningRow> = rows.collect();
    let complete = rows.iter().filter(|row| row.is_complete());
    let lines: Vec<String> = complete.map(ToString::to_string).collect();
    (lines.join("\n"), rows)
}

/// Returns the lines that are not empty.
fn lines(text: &str) -> Vec<String> {
    text.lines().map(str::trim).filter(|it| !it.is_empty()).map(str::to_owned).collect()
}

impl ModelValues {
    fn of(settings: &AgentSettings) -> Self {
        let AgentConnection::Model(it) = &settings.connection else { return Self::default() };
        let optional = |text: Option<String>| text.unwrap_or_default();
        Self {
            base_url: it.base_url.clone(),
            model: it.model.clone(),
            fallback_model: optional(it.fallback_model.clone()),
            max_tokens: optional(it.max_tokens.map(|most| most.to_string())),
            temperature: optional(it.temperature.map(|temperature| temperature.to_string())),
            input_price: optional(it.prices.map(|prices| prices.input.to_string())),
            output_price: optional(it.prices.map(|prices| prices.output.to_string())),
            fallback_input_price: optional(
                it.fallback_prices.map(|prices| prices.input.to_string()),
            ),
            fallback_output_price: optional(
                it.fallback_prices.map(|prices| prices.output.to_string()),
            ),
            has_tools: it.has_tools,
            sees_images: it.sees_images,
            transcription_model: optional(it.transcription_model.clone()),
        }
    }

    fn add<'a>(
        &'a self,
        input: AgentInput<'a>,
        api_key: &'a str,
        errors: &mut FieldErrors,
    ) -> AgentInput<'a> {
        let api_key = api_key.trim();
        AgentInput {
            base_url: Some(&self.base_url),
            model: Some(&self.model),
            fallback_model: Some(&self.fallback_model),
            api_key: (!api_key.is_empty()).then_some(api_key),
            // An empty field removes the limit.
            max_tokens: Some(number(errors, "max_tokens", &self.max_tokens).unwrap_or(0)),
            model_options: ModelOptions {
                input_price: Some(&self.input_price),
                output_price: Some(&self.output_price),
                fallback_input_price: Some(&self.fallback_input_price),
                fallback_output_price: Some(&self.fallback_output_price),
                temperature: Some(&self.temperature),
                has_tools: Some(self.has_tools),
                sees_images: Some(self.sees_images),
                transcription_model: Some(&self.transcription_model),
            },
            ..input
        }
    }
}

impl HoursValues {
    /// Returns the rows that the page shows: those with hours, and at least one to fill in.
    pub fn rows(&self) -> Vec<HoursRow> {
        const TITLES: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
        let blank = if self.openings.is_empty() { 2 } else { 1 };
        let blank = std::iter::repeat_n(OpeningRow::default(), blank);
        let row = |(number, row): (usize, OpeningRow)| {
            let days = DAYS_OF_WEEK.into_iter().zip(TITLES).zip(row.days);
            let day = |((value, title), chosen)| HoursDay { value, title, chosen };
            HoursRow { number, days: days.map(day).collect(), from: row.from, to: row.to }
        };
        self.openings.iter().cloned().chain(blank).enumerate().map(row).collect()
    }

    fn add<'a>(&'a self, input: AgentInput<'a>, errors: &mut FieldErrors) -> AgentInput<'a> {
        let answer_time = AnswerTime::from_keyword(&self.answer_time);
        if answer_time.is_none() {
            errors.add("answer_time", "Choose when the agent answers.");
        }
        if !self.openings.iter().all(OpeningRow::is_complete) {
            errors.add("hours", "Choose the days, the beginning and the end of each row.");
        }
        let quiet_seconds = number(errors, "quiet", &self.quiet);
        let longest_seconds = number(errors, "longest", &self.longest);
        let answers_per_hour = number(errors, "answers_per_hour", &self.answers_per_hour);
        let tokens_per_day = number(errors, "tokens_per_day", &self.tokens_per_day);
        AgentInput {
            answer_time,
            zone: Some(&self.zone),
            hours: Some(&self.hours),
            allowed_contacts: Some(lines(&self.allowed_contacts)),
            quiet_seconds,
            longest_seconds,
            answers_per_hour,
            // An empty field removes the limit.
            tokens_per_day: Some(tokens_per_day.unwrap_or(0).into()),
            ..input
        }
    }
}

impl HandOverValues {
    fn add<'a>(&'a self, input: AgentInput<'a>, errors: &mut FieldErrors) -> AgentInput<'a> {
        let hours = number(errors, "resume_after_hours", &self.resume_after_hours);
        AgentInput {
            person_phrases: Some(lines(&self.person_phrases)),
            // An empty field means that the agent is not resumed after a time.
            resume_after_hours: Some(hours.unwrap_or(0)),
            resume_on_close: Some(self.resume_on_close),
            failure_text: Some(&self.failure_text),
            ..input
        }
    }
}

impl SendingValues {
    fn add<'a>(&'a self, input: AgentInput<'a>) -> AgentInput<'a> {
        AgentInput {
            templates: Some(self.templates.iter().filter_map(|it| template_of(it)).collect()),
            link_hosts: Some(self.link_hosts.lines().map(str::to_owned).collect()),
            ..input
        }
    }
}

/// Returns a summary of the settings of a group, in a few words.
pub(super) fn summary(section: SettingsGroup, settings: &AgentSettings) -> String {
    let facts: Vec<String> = match section {
        SettingsGroup::General => Vec::new(),
        SettingsGroup::Model => match &settings.connection {
            AgentConnection::Model(it) => {
                let host = it.base_url.split_once("://").map_or("", |(_, rest)| rest);
                let host = host.split(['/', '?']).next().unwrap_or_default();
                let unpriced = it.prices.is_none().then(|| "no prices".to_owned());
                [it.model.clone(), host.to_owned()].into_iter().chain(unpriced).collect()
            }
            AgentConnection::Webhook { .. } | AgentConnection::Api => Vec::new(),
        },
        SettingsGroup::Hours => {
            let time = match settings.schedule.time {
                AnswerTime::Always => "Always".to_owned(),
                AnswerTime::Inside => format!("In business hours, {}", settings.schedule.zone),
                AnswerTime::Outside => {
                    format!("Outside business hours, {}", settings.schedule.zone)
                }
            };
            let only = match settings.allowed_contacts.len() {
                0 => "every customer".to_owned(),
                1 => "1 customer".to_owned(),
                count => format!("{count} customers"),
            };
            vec![time, only, format!("{} answers an hour", settings.limits.per_hour)]
        }
        SettingsGroup::HandOver => {
            let hours = settings.resume_after_hours.map(|it| format!("Resumes after {it} h"));
            let closed = settings.resume_on_close.then(|| "Resumes when closed".to_owned());
            let by_hand =
                (hours.is_none() && closed.is_none()).then(|| "Resumes by hand".to_owned());
            let text =
                settings.failure_text.as_ref().map(|_| "tells customers of a failure".to_owned());
            [hours, closed, by_hand, text].into_iter().flatten().collect()
        }
        SettingsGroup::Sending => {
            let templates = match settings.templates.len() {
                0 => "No templates".to_owned(),
                1 => "1 template".to_owned(),
                count => format!("{count} templates"),
            };
            let hosts = match settings.link_hosts.as_slice() {
                [] => "links to any host".to_owned(),
                [host] => format!("links to {host}"),
                hosts => format!("links to {} hosts", hosts.len()),
            };
            vec![templates, hosts]
        }
    };
    facts.join(" · ")
}
