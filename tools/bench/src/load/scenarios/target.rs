//! The server under load: Switchboard, or the bare handler, which receives the same bytes.

use anyhow::{Result, bail, ensure};

use super::super::companions::Bare;
use super::super::measured::{Measured, Subject, count};
use super::super::stage::Stage;
use super::super::switchboard::{Credentials, Switchboard};
use super::super::usage::Processor;
use super::super::wrk::{self, Outcome, Requests};

const WARM_UP_SECONDS: u32 = 2;
/// The number of single-use requests that are prepared for each second of the warm-up. For the
/// measurement, the rate of the warm-up determines how many requests are needed. `SPARE` times as
/// many are prepared, plus this number.
const MOST_PER_SECOND: u64 = 25_000;
const SPARE: f64 = 1.5;

pub enum Target {
    /// The handler that does nothing.
    Bare(Bare),
    Switchboard(Box<Switchboard>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// A status below 400.
    Success,
    /// A status of 400 or above, except for this number of answers.
    Refusal(u64),
}

impl Target {
    /// Starts a new server for a subject.
    pub fn start(stage: &Stage, subject: Subject) -> Result<Self> {
        Self::start_with(stage, subject, &[])
    }

    /// Starts a new server for a subject; these settings apply to Switchboard only.
    pub fn start_with(
        stage: &Stage,
        subject: Subject,
        settings: &[(&'static str, String)],
    ) -> Result<Self> {
        Ok(match subject {
            Subject::Bare => Self::Bare(stage.bare()?),
            database => Self::Switchboard(Box::new(stage.switchboard(database, settings)?)),
        })
    }

    /// Returns the server if it is Switchboard.
    pub fn switchboard(&self) -> Option<&Switchboard> {
        match self {
            Self::Bare(_) => None,
            Self::Switchboard(server) => Some(server),
        }
    }

    /// Returns the key for the calls.
    pub fn key(&self) -> Credentials {
        self.switchboard().map_or_else(Credentials::placeholder, |server| server.key.clone())
    }

    /// Warms up, waits until nothing is left to do, and measures.
    pub fn measure(
        &self,
        stage: &Stage,
        requests: &Requests,
        seconds: u32,
        expected: Expected,
    ) -> Result<Measured> {
        self.load(stage, requests, seconds, expected).map(|(measured, _)| measured)
    }

    /// Measures like [`Self::measure`], and returns wrk's own outcome too.
    pub fn load(
        &self,
        stage: &Stage,
        requests: &Requests,
        seconds: u32,
        expected: Expected,
    ) -> Result<(Measured, Outcome)> {
        let warm_up = self.warm_up(stage, requests, expected)?;
        let enough = match self {
            // The bare handler ignores the body, so the same requests can be sent more than once.
            Self::Bare(_) => MOST_PER_SECOND,
            Self::Switchboard(_) => {
                count(warm_up.per_second * SPARE * f64::from(seconds)) + MOST_PER_SECOND
            }
        };
        let bodies = wrk::bodies(stage, requests, enough)?;
        let processor = Processor::watch(self.process())?;
        let outcome = wrk::run(stage, self.port(), requests, seconds, &bodies)?;
        let percent = processor.percent()?;
        self.check(outcome, expected)?;
        let measured = Measured::of(outcome.per_second)
            .with("p50_ms", outcome.p50)
            .with("p99_ms", outcome.p99)
            .with("cpu_percent", percent);
        Ok((measured, outcome))
    }

    /// Runs the load without a warm-up.
    pub fn only_load(
        &self,
        stage: &Stage,
        requests: &Requests,
        seconds: u32,
        expected: Expected,
    ) -> Result<Outcome> {
        let bodies = wrk::bodies(stage, requests, MOST_PER_SECOND)?;
        let outcome = wrk::run(stage, self.port(), requests, seconds, &bodies)?;
        self.check(outcome, expected)?;
        Ok(outcome)
    }

    /// Runs a short load and waits until nothing is left to do.
    pub fn warm_up(
        &self,
        stage: &Stage,
        requests: &Requests,
        expected: Expected,
    ) -> Result<Outcome> {
        let enough = MOST_PER_SECOND * u64::from(WARM_UP_SECONDS);
        let bodies = wrk::bodies(stage, requests, enough)?;
        let outcome = wrk::run(stage, self.port(), requests, WARM_UP_SECONDS, &bodies)?;
        self.check(outcome, expected)?;
        if let Some(server) = self.switchboard() {
            server.drain()?;
        }
        Ok(outcome)
    }

    /// Fails if the answers are not as expected, because the measured numbers would then mean
    /// nothing.
    fn check(&self, outcome: Outcome, expected: Expected) -> Result<()> {
        ensure!(outcome.requests > 0, "no request was answered");
        let wrong = match (self, expected) {
            (Self::Bare(_), _) | (_, Expected::Success) => outcome.refused,
            (_, Expected::Refusal(but)) => (outcome.requests - outcome.refused).saturating_sub(but),
        };
        if wrong + outcome.broken == 0 {
            return Ok(());
        }
        let words = self.switchboard().map(Switchboard::last_words).unwrap_or_default();
        bail!(
            "{wrong} of {} answers are not as expected, {} requests have none, so the numbers mean nothing. Logged last:\n{words}",
            outcome.requests,
            outcome.broken
        )
    }

    pub fn port(&self) -> u16 {
        match self {
            Self::Bare(bare) => bare.port(),
            Self::Switchboard(server) => server.port(),
        }
    }

    fn process(&self) -> u32 {
        match self {
            Self::Bare(bare) => bare.process(),
            Self::Switchboard(server) => server.process(),
        }
    }
}
