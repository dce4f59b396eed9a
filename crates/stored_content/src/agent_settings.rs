//! The stored settings of AI agents. Missing fields get their defaults, so that the settings that
//! an earlier version stored stay readable.

use domain::agent::{
    AgentConnection, AgentSettings, AgentTemplate, AnswerDelay, AnswerLimits, AnswerSchedule,
    AnswerTime, DelayTooLong, MicroDollars, ModelConnection, Temperature, TokenPrices,
};
use domain::keyword::Keyword as _;
use domain::number::saturating;
use serde::de::Error as _;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct SettingsRow {
    connection: AgentConnectionRow,
    quiet_seconds: u32,
    longest_seconds: u32,
    #[serde(default)]
    instructions: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    answers_per_hour: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tokens_per_day: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    resume_after_hours: Option<u32>,
    #[serde(default)]
    resume_on_close: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    schedule: Option<ScheduleRow>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    allowed_contacts: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    failure_text: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    person_phrases: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    templates: Vec<OfferedTemplateRow>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    link_hosts: Vec<String>,
}

#[derive(Serialize, Deserialize)]
struct OfferedTemplateRow {
    name: String,
    language: String,
}

/// Prices in millionths of a dollar.
#[derive(Serialize, Deserialize)]
struct PricesRow {
    input: u64,
    output: u64,
}

impl PricesRow {
    const fn of(prices: TokenPrices) -> Self {
        Self { input: prices.input.0, output: prices.output.0 }
    }

    const fn prices(&self) -> TokenPrices {
        TokenPrices { input: MicroDollars(self.input), output: MicroDollars(self.output) }
    }
}

const fn yes() -> bool {
    true
}

#[derive(Serialize, Deserialize)]
struct ScheduleRow {
    time: String,
    zone: String,
    hours: String,
}

impl From<&AnswerSchedule> for ScheduleRow {
    fn from(it: &AnswerSchedule) -> Self {
        let AnswerSchedule { time, zone, hours } = it;
        Self { time: time.as_str().to_owned(), zone: zone.clone(), hours: hours.to_string() }
    }
}

impl ScheduleRow {
    /// Returns an error if a value is unknown, because a later version wrote it. With a default
    /// instead, the agent could answer at the wrong time.
    fn read(self) -> serde_json::Result<AnswerSchedule> {
        let time = AnswerTime::from_keyword(&self.time);
        let time = time.ok_or_else(|| serde_json::Error::custom("an unknown time"))?;
        let hours = self.hours.parse().map_err(serde_json::Error::custom)?;
        Ok(AnswerSchedule { time, zone: self.zone, hours })
    }
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum AgentConnectionRow {
    Model {
        base_url: String,
        model: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fallback_model: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        max_tokens: Option<u32>,
        /// In hundredths.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        temperature: Option<u32>,
        #[serde(default)]
        is_trusted: bool,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        prices: Option<PricesRow>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fallback_prices: Option<PricesRow>,
        #[serde(default = "yes")]
        has_tools: bool,
        #[serde(default)]
        sees_images: bool,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        transcription_model: Option<String>,
    },
    Webhook {
        url: String,
    },
    Api,
}

/// Encodes settings.
pub fn encode(settings: &AgentSettings) -> serde_json::Result<String> {
    let connection = match &settings.connection {
        AgentConnection::Model(it) => AgentConnectionRow::Model {
            base_url: it.base_url.clone(),
            model: it.model.clone(),
            fallback_model: it.fallback_model.clone(),
            max_tokens: it.max_tokens,
            temperature: it.temperature.map(Temperature::hundredths),
            is_trusted: it.is_trusted,
            prices: it.prices.map(PricesRow::of),
            fallback_prices: it.fallback_prices.map(PricesRow::of),
            has_tools: it.has_tools,
            sees_images: it.sees_images,
            transcription_model: it.transcription_model.clone(),
        },
        AgentConnection::Webhook { url } => AgentConnectionRow::Webhook { url: url.clone() },
        AgentConnection::Api => AgentConnectionRow::Api,
    };
    let seconds = |it: std::time::Duration| saturating(it.as_secs(), u32::MAX);
    serde_json::to_string(&SettingsRow {
        connection,
        quiet_seconds: seconds(settings.delay.quiet()),
        longest_seconds: seconds(settings.delay.longest()),
        instructions: settings.instructions.clone(),
        answers_per_hour: Some(settings.limits.per_hour),
        tokens_per_day: settings.limits.tokens_per_day,
        resume_after_hours: settings.resume_after_hours,
        resume_on_close: settings.resume_on_close,
        schedule: Some(ScheduleRow::from(&settings.schedule)),
        allowed_contacts: settings.allowed_contacts.clone(),
        failure_text: settings.failure_text.clone(),
        person_phrases: settings.person_phrases.clone(),
        templates: settings
            .templates
            .iter()
            .map(|it| OfferedTemplateRow { name: it.name.clone(), language: it.language.clone() })
            .collect(),
        link_hosts: settings.link_hosts.clone(),
    })
}

/// Decodes stored settings.
pub fn decode(stored: &str) -> serde_json::Result<AgentSettings> {
    let row: SettingsRow = serde_json::from_str(stored)?;
    let connection = match row.connection {
        AgentConnectionRow::Model {
            base_url,
            model,
            fallback_model,
            max_tokens,
            temperature,
            is_trusted,
            prices,
            fallback_prices,
            has_tools,
            sees_images,
            transcription_model,
        } => AgentConnection::Model(ModelConnection {
            base_url,
            model,
            fallback_model,
            max_tokens,
            temperature: temperature.map(Temperature::from_hundredths),
            is_trusted,
            prices: prices.as_ref().map(PricesRow::prices),
            fallback_prices: fallback_prices.as_ref().map(PricesRow::prices),
            has_tools,
            sees_images,
            transcription_model,
        }),
        AgentConnectionRow::Webhook { url } => AgentConnection::Webhook { url },
        AgentConnectionRow::Api => AgentConnection::Api,
    };
    let defaults = AnswerLimits::default();
    Ok(AgentSettings {
        connection,
        // An earlier version may have allowed a longer delay. Such a delay is replaced by the
        // default.
        delay: AnswerDelay::parse(row.quiet_seconds, row.longest_seconds)
            .unwrap_or_else(|DelayTooLong| AnswerDelay::default()),
        instructions: row.instructions,
        limits: AnswerLimits {
            per_hour: row.answers_per_hour.unwrap_or(defaults.per_hour),
            tokens_per_day: row.tokens_per_day,
        },
        resume_after_hours: row.resume_after_hours,
        resume_on_close: row.resume_on_close,
        schedule: row.schedule.map(ScheduleRow::read).transpose()?.unwrap_or_default(),
        allowed_contacts: row.allowed_contacts,
        failure_text: row.failure_text,
        person_phrases: row.person_phrases,
        templates: row
            .templates
            .into_iter()
            .map(|it| AgentTemplate { name: it.name, language: it.language })
            .collect(),
        link_hosts: row.link_hosts,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_as_they_were_written() {
        let model = AgentConnection::Model(ModelConnection {
            base_url: "http://localhost:11434/v1".to_owned(),
            model: "llama3".to_owned(),
            fallback_model: Some("phi3".to_owned()),
            max_tokens: Some(400),
            temperature: Some(Temperature::from_hundredths(70)),
            is_trusted: true,
            prices: Some(TokenPrices { input: MicroDollars(0), output: MicroDollars(400_000) }),
            fallback_prices: None,
            has_tools: false,
            sees_images: true,
            transcription_model: Some("whisper-1".to_owned()),
        });
        let webhook = AgentConnection::Webhook { url: "https://bot.example/turn".to_owned() };
        for connection in [model, webhook, AgentConnection::Api] {
            let settings = AgentSettings {
                connection,
                delay: AnswerDelay::parse(0, 60).unwrap(),
                instructions: "Be brief.".to_owned(),
                limits: AnswerLimits { per_hour: 3, tokens_per_day: Some(9000) },
                resume_after_hours: Some(12),
                resume_on_close: true,
                schedule: AnswerSchedule {
                    time: AnswerTime::Outside,
                    zone: "Europe/Berlin".to_owned(),
                    hours: "mon-fri 09:00-17:00\nsat 22:00-02:00".parse().unwrap(),
                },
                allowed_contacts: vec!["+16505551234".to_owned()],
                failure_text: Some("Somebody will answer soon.".to_owned()),
                person_phrases: vec!["the boss".to_owned()],
                templates: vec![AgentTemplate {
                    name: "order_update".to_owned(),
                    language: "en".to_owned(),
                }],
                link_hosts: vec!["juniper.example".to_owned()],
            };
            assert_eq!(decode(&encode(&settings).unwrap()).unwrap(), settings);
        }
        let short = r#"{"connection":{"kind":"api"},"quiet_seconds":8,"longest_seconds":9999}"#;
        let read = decode(short).unwrap();
        assert_eq!(read.delay, AnswerDelay::default());
        assert_eq!(read.limits, AnswerLimits::default());
    }
}
