//! Limits drill: rate limits and ceilings hold over all instances while 64 clients constantly
//! exceed them.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::{Result, bail, ensure};
use serde_json::Value;

use super::super::site::Site;
use super::super::window::{self, Call};
use super::Stage;
use crate::proof::chance::Chance;
use crate::proof::evidence::zero;
use crate::proof::history;
use crate::proof::operator::{Organization, UNLIMITED};
use crate::proof::report::{Bound, Figure};
use crate::proof::sender::{Tally, code, text};
use bench::client::Client;
use bench::load::{Credentials, float};
use servers::clock::{self, Stopwatch};
use servers::interrupt;

const DRILL: &str = "limits";
const CLIENTS: u64 = 64;
const ME: &str = "/api/v1/me";
/// The rate limit of the key, in calls per minute.
const RATE: usize = 100;
const WINDOW: Duration = Duration::from_mins(1);
/// The interval at which the ceilings are raised, so that they are reached again and again.
const STEP: Duration = Duration::from_secs(20);
/// The amount by which the ceilings are raised.
const MORE: u64 = 300;
/// The load of the key has cycles: few calls for the duration `FEW`, then calls of all clients
/// until the cycle ends. With a constant load, the drill could not distinguish a sliding window
/// from a fixed window that starts with the first call.
const FEW: Duration = Duration::from_secs(15);
const CYCLE: Duration = Duration::from_secs(25);
/// The pause between a client's calls in milliseconds; it is up to twice as long.
const PAUSE: u64 = 40;
/// The number of contacts that receive messages until the monthly allowance is used up.
const PEOPLE: u64 = 20;

/// The plans with a ceiling.
const DAILY: &str = "daily";
const MONTHLY: &str = "monthly";

/// The keys that are called, and the counts of admitted calls.
struct Targets {
    port: u16,
    limited: Credentials,
    daily: Credentials,
    monthly: Credentials,
    watch: Stopwatch,
    stop: AtomicBool,
    calls: AtomicU64,
    messages: AtomicU64,
}

/// The answers that a client has received.
#[derive(Default)]
struct Seen {
    admitted: Vec<Call>,
    refused: Vec<Call>,
    other: Tally,
}

pub fn run(stage: &Stage) -> Result<Vec<Figure>> {
    let length = Duration::from_secs(u64::from(stage.minutes) * 60);
    ensure!(
        (clock::now() + length + WINDOW).date() == clock::now().date(),
        "the UTC day would end during the drill and reset the ceilings: start again after midnight UTC"
    );
    let site = Site::start(&stage.plan)?;
    site.operator().plan(DAILY, Some(MORE), None)?;
    site.operator().plan(MONTHLY, None, Some(MORE))?;
    let limited = site.operator().organization("Limited", UNLIMITED)?;
    let (daily, monthly) = (
        site.operator().organization("Daily", DAILY)?,
        site.operator().organization("Monthly", MONTHLY)?,
    );
    let targets = Targets {
        port: site.port,
        limited: site.operator().key(&limited.id, &RATE.to_string())?,
        daily: daily.key,
        monthly: monthly.key.clone(),
        watch: Stopwatch::start(),
        stop: AtomicBool::new(false),
        calls: AtomicU64::new(0),
        messages: AtomicU64::new(0),
    };
    let mut steps = Steps { ceiling: MORE, wrong: Vec::new() };
    let seen = targets.during(|| steps.climb(&site, &targets, length))?;
    let mut figures = of_window(&seen);
    figures.extend(of_ceilings(&targets, &steps));
    figures.push(of_history(&site, &monthly, steps.ceiling)?);
    let other: u64 = seen.other.values().sum();
    let each: Vec<String> =
        seen.other.iter().map(|(what, count)| format!("{what}: {count}")).collect();
    figures.push(
        zero(DRILL, "answers that are neither an admission nor a refusal".to_owned(), other)
            .noted(each.join(", ")),
    );
    Ok(figures)
}

/// The ceilings of both plans, which are raised step by step.
struct Steps {
    ceiling: u64,
    /// Descriptions of the steps at whose end the number of admitted calls or messages was not the
    /// ceiling.
    wrong: Vec<String>,
}

impl Steps {
    fn climb(&mut self, site: &Site, targets: &Targets, length: Duration) -> Result<()> {
        loop {
            interrupt::sleep(STEP.min(length.saturating_sub(targets.watch.elapsed())))?;
            let admitted = [&targets.calls, &targets.messages].map(|it| it.load(Ordering::Relaxed));
            if admitted != [self.ceiling; 2] {
                let [calls, messages] = admitted;
                self.wrong.push(format!(
                    "{calls} calls and {messages} messages at a ceiling of {}",
                    self.ceiling
                ));
            }
            if targets.watch.elapsed() >= length {
                return Ok(());
            }
            // If the rest of the drill is too short to reach another ceiling, the ceiling is not
            // raised.
            if length.saturating_sub(targets.watch.elapsed()) >= STEP / 2 {
                self.ceiling += MORE;
                site.operator().plan(DAILY, Some(self.ceiling), None)?;
                site.operator().plan(MONTHLY, None, Some(self.ceiling))?;
            }
        }
    }
}

impl Targets {
    /// Makes calls while `work` runs.
    fn during(&self, work: impl FnOnce() -> Result<()>) -> Result<Seen> {
        thread::scope(|scope| {
            let clients: Vec<_> =
                (0..CLIENTS).map(|number| scope.spawn(move || self.client(number))).collect();
            let worked = work();
            self.stop.store(true, Ordering::Relaxed);
            let mut all = Seen::default();
            for client in clients {
                let Ok(seen) = client.join() else { bail!("a client panicked") };
                let seen = seen?;
                all.admitted.extend(seen.admitted);
                all.refused.extend(seen.refused);
                for (what, count) in seen.other {
                    *all.other.entry(what).or_default() += count;
                }
            }
            worked.map(|()| all)
        })
    }

    fn client(&self, number: u64) -> Result<Seen> {
        let (mut seen, mut chance) = (Seen::default(), Chance::new(number));
        let client = |key| crate::proof::operator::client(self.port, key);
        let (mut limited, mut daily, mut monthly) =
            (client(&self.limited), client(&self.daily), client(&self.monthly));
        for turn in 0_u64.. {
            if self.stop.load(Ordering::Relaxed) {
                break;
            }
            interrupt::check()?;
            if self.everybody_calls() || number == 0 && chance.below(5) == 0 {
                self.take_a_place(&mut limited, &mut seen);
            }
            note(daily.ask_once("GET", ME, &[], ""), 200, &self.calls, &mut seen);
            let to = format!("+1202620{:04}", (number + turn) % PEOPLE);
            let sent = text(&mut monthly, &to, &format!("{number}-{turn}"));
            note(sent, 201, &self.messages, &mut seen);
            thread::sleep(chance.millis(PAUSE, PAUSE));
        }
        Ok(seen)
    }

    fn everybody_calls(&self) -> bool {
        self.watch.elapsed().as_millis() % CYCLE.as_millis() >= FEW.as_millis()
    }

    /// Makes a call with the rate-limited key.
    fn take_a_place(&self, client: &mut Client, seen: &mut Seen) {
        let begun = self.watch.elapsed();
        let answer = client.ask_once("GET", ME, &[], "");
        let call = Call { begun, ended: self.watch.elapsed() };
        match answer {
            Ok(answer) if answer.status == 200 => seen.admitted.push(call),
            Ok(answer) if answer.status == 429 => seen.refused.push(call),
            other => unexpected(other, seen),
        }
    }
}

/// Records the answer to a call under a plan with a ceiling.
fn note(answer: Result<bench::client::Answer>, admitted: u16, count: &AtomicU64, seen: &mut Seen) {
    match answer {
        Ok(answer) if answer.status == admitted => {
            count.fetch_add(1, Ordering::Relaxed);
        }
        Ok(answer) if answer.status == 403 && code(&answer) == "plan_limit_exceeded" => {}
        other => unexpected(other, seen),
    }
}

fn unexpected(answer: Result<bench::client::Answer>, seen: &mut Seen) {
    let what = match answer {
        Ok(answer) => format!("{} {}", answer.status, code(&answer)),
        Err(error) => format!("no answer ({})", error.root_cause()),
    };
    *seen.other.entry(what).or_default() += 1;
}

fn of_window(seen: &Seen) -> Vec<Figure> {
    let most = window::most_admitted(&seen.admitted, WINDOW);
    let wrong = window::refused_with_room(&seen.admitted, &seen.refused, WINDOW, RATE);
    let limit = float(RATE as u64);
    let admitted = float(seen.admitted.len() as u64);
    vec![
        Figure::new(
            DRILL,
            "calls of the key refused",
            float(seen.refused.len() as u64),
            Bound::None,
        ),
        Figure::new(
            DRILL,
            "most calls of the key admitted within 60 s",
            float(most as u64),
            Bound::AtMost(limit),
        ),
        zero(DRILL, "calls of the key refused although there was room".to_owned(), wrong as u64),
        Figure::new(DRILL, "calls of the key admitted in all", admitted, Bound::None),
    ]
}

fn of_ceilings(targets: &Targets, steps: &Steps) -> Vec<Figure> {
    let ceiling = float(steps.ceiling);
    let count = |it: &AtomicU64| float(it.load(Ordering::Relaxed));
    vec![
        Figure::new(
            DRILL,
            "calls admitted under the day's ceiling",
            count(&targets.calls),
            Bound::Exactly(ceiling),
        ),
        Figure::new(
            DRILL,
            "messages admitted under the month's ceiling",
            count(&targets.messages),
            Bound::Exactly(ceiling),
        ),
        zero(
            DRILL,
            "steps of the ceilings at whose end another number was admitted".to_owned(),
            steps.wrong.len() as u64,
        )
        .noted(steps.wrong.first().cloned().unwrap_or_default()),
    ]
}

/// Checks that as many messages are stored as were admitted.
fn of_history(site: &Site, monthly: &Organization, ceiling: u64) -> Result<Figure> {
    let mut client = site.client(&monthly.key);
    let mut kept = 0;
    for person in 0..PEOPLE {
        let path =
            format!("/api/v1/conversations/history?phone_number=%2B1202620{person:04}&limit=1");
        let page = history::get(&mut client, &path)?;
        kept += page.pointer("/pagination/total").and_then(Value::as_u64).unwrap_or_default();
    }
    let what = "messages in the histories under the month's ceiling";
    Ok(Figure::new(DRILL, what, float(kept), Bound::Exactly(float(ceiling))))
}
