//! `switchboard listen`: forwards the events of a server to a program on this machine, signed as
//! webhooks are. Events are read in the order of their sequence. So no event is missed or forwarded
//! twice, even after an interruption. Events that somebody replays in the dashboard or by the API
//! are forwarded again.

mod forward;
mod keys;
mod polling;
mod printing;
mod redaction;
mod start;

use super::ServerArguments;
use super::api::{ApiClient, CallError};
use crate::cli::error::ErrorCode;
use crate::cli::values::Offered;
use crate::output;
use anyhow::{Context as _, Result};
use clap::{Args, ValueHint};
use domain::event::EventKind;
use domain::phone::PhoneNumber;
use domain::time::{Timestamp, seconds_in_words};
use forward::Forwarder;
use keys::{SessionKey, TerminalKeys};
use platform::clock::{Clock, Stopwatch};
use polling::poll_interval;
use printing::{EventPrinter, ListenFormat};
use serde::Deserialize;
use serde_json::value::RawValue;
use start::{SearchedPage, StartPoint, find_start};
use std::collections::VecDeque;
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};

/// The pause before a failed call is made again.
const RETRY_INTERVAL: Duration = Duration::from_secs(1);
/// The longest pause between two calls that does not count as an interruption. If the machine
/// sleeps, the pause is longer.
const LONGEST_PAUSE: Duration = Duration::from_secs(15);
/// Number of events per call.
const PAGE: i64 = 100;

#[derive(Debug, Args)]
pub struct ListenArguments {
    #[command(flatten)]
    server: ServerArguments,
    /// The URL that each event is posted to, such as `http://localhost:3000/webhooks`. Without it
    /// events are only printed.
    #[arg(long, value_name = "URL", value_hint = ValueHint::Url)]
    forward_to: Option<String>,
    /// Only events of these types, separated by commas, such as `message.received,message.failed`.
    #[arg(long, value_name = "TYPES", value_parser = Offered::keywords::<EventKind>(), hide_possible_values = true)]
    events: Option<String>,
    /// Only events of this number: its phone number or its id.
    #[arg(long, value_name = "NUMBER")]
    account: Option<String>,
    /// Begin with past events: those of the last `10m`, `2h` or `3d`, those since a time
    /// (2026-11-21T12:00:00Z), or those after a sequence.
    #[arg(long, value_name = "WHEN", value_parser = StartPoint::parse)]
    since: Option<StartPoint>,
    /// Hide texts, names and phone numbers in the events that are printed. Events are always
    /// forwarded unchanged.
    #[arg(long)]
    redact: bool,
    /// The format of the lines that are printed.
    #[arg(long, value_enum, default_value = "text")]
    output: ListenFormat,
    /// The same as `--output json`.
    #[arg(long, conflicts_with = "output")]
    json: bool,
    /// How many seconds the receiver has to answer.
    #[arg(long, value_name = "SECONDS", default_value = "15", value_parser = clap::value_parser!(u64).range(1..=300))]
    timeout: u64,
}

/// An event as it was read.
pub struct ListenedEvent {
    head: EventHead,
    /// The bytes that a webhook request would contain.
    body: Box<RawValue>,
}

/// The fields of an event that a session uses.
#[derive(Deserialize)]
struct EventHead {
    id: String,
    #[serde(rename = "type")]
    kind: String,
    timestamp: String,
    account_id: Option<String>,
    sequence: i64,
}

#[derive(Deserialize)]
struct EventsAnswer {
    data: Vec<Box<RawValue>>,
    pagination: EventsPosition,
    #[serde(default)]
    resends: Vec<ListenedResend>,
}

/// A request to get past events again, made in the dashboard or by the API.
#[derive(Clone, Copy, Deserialize)]
struct ListenedResend {
    number: i64,
    first_sequence: i64,
    last_sequence: i64,
}

#[derive(Deserialize)]
struct EventsPosition {
    has_more: bool,
    next_after: i64,
}

/// A part of the list of events.
struct ReadPage {
    events: Vec<ListenedEvent>,
    position: EventsPosition,
    resends: Vec<ListenedResend>,
    /// The time of the server's clock.
    at: Option<Timestamp>,
}

/// The events that a session reads: those of one server, and perhaps of one account only.
struct EventSource {
    api: ApiClient,
    kinds: Option<String>,
    /// The id of the account, if only its events are read.
    account: Option<String>,
}

struct ListenSession {
    source: EventSource,
    forwarder: Option<Forwarder>,
    printer: EventPrinter,
    clock: Clock,
    /// The sequence of the last event that was handled.
    after: i64,
    /// The number of the last request to get events again.
    resends_after: i64,
    /// The requests to get events again that are not finished. The next event to handle belongs to
    /// the first one.
    again: VecDeque<ListenedResend>,
    /// The keys, if the session is on a terminal.
    keys: Option<TerminalKeys>,
    /// The last event that was printed.
    last: Option<ListenedEvent>,
    /// The time since the last event, or since the session began.
    quiet: Stopwatch,
}

pub async fn run(arguments: ListenArguments) -> Result<()> {
    let api = arguments.server.client()?;
    let secret = api.signing_secret();
    let timeout = Duration::from_secs(arguments.timeout);
    let url = arguments.forward_to.as_deref();
    let forwarder = url.map(|url| Forwarder::new(url, secret.clone(), timeout)).transpose()?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut stopped = std::pin::pin!(async {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    });
    let prepared = async {
        let account = account_id(&api, arguments.account).await?;
        let source = EventSource { api, kinds: arguments.events, account };
        let after = source.start(arguments.since).await?;
        let resends_after = source.last_resend(after).await?;
        anyhow::Ok((source, after, resends_after))
    };
    let (source, after, resends_after) = tokio::select! {
        prepared = prepared => prepared?,
        () = &mut stopped => return Ok(()),
    };
    let format = if arguments.json { ListenFormat::Json } else { arguments.output };
    let printer = EventPrinter { format, redacted: arguments.redact };
    let shown = forwarder.is_some().then(|| secret.reveal());
    printer.begin(source.api.base(), after, shown.as_deref())?;
    let clock = Clock::system();
    let is_text = printer.format == ListenFormat::Text;
    let keys = if is_text { TerminalKeys::begin() } else { None };
    if keys.is_some() {
        output::note("keys: r posts the last event again, d shows it, o opens it, q ends");
    }
    let again = VecDeque::new();
    let last = None;
    let mut session = ListenSession {
        source,
        forwarder,
        printer,
        clock,
        after,
        resends_after,
        again,
        keys,
        last,
        quiet: Stopwatch::start(),
    };
    tokio::select! {
        ended = session.follow() => ended,
        () = &mut stopped => {
            let after = session.after;
            output::note(&format!("stopped; `--since {after}` goes on after the last event"));
            Ok(())
        }
    }
}

/// Returns the id of the account that the argument names by its id or its phone number.
async fn account_id(api: &ApiClient, named: Option<String>) -> Result<Option<String>> {
    #[derive(Deserialize)]
    struct AccountsAnswer {
        data: Vec<NamedAccount>,
        next_after: Option<String>,
    }
    #[derive(Deserialize)]
    struct NamedAccount {
        id: String,
        phone_number: String,
    }
    let Some(named) = named else { return Ok(None) };
    let number = PhoneNumber::parse(&named).ok();
    let is_named = |it: &NamedAccount| {
        it.id == named || number.as_ref().is_some_and(|number| number.as_str() == it.phone_number)
    };
    let (mut usable, mut after) = (Vec::new(), None::<String>);
    loop {
        let query: Vec<_> = after.map(|id| ("after", id)).into_iter().collect();
        let answer = api.get("/api/v1/accounts", &query).await?;
        let AccountsAnswer { data, next_after } = answer.parse()?;
        if let Some(found) = data.iter().find(|it| is_named(it)) {
            return Ok(Some(found.id.clone()));
        }
        usable.extend(data.into_iter().map(|it| it.phone_number));
        if next_after.is_none() {
            break;
        }
        after = next_after;
    }
    Err(ErrorCode::NotFound.error(format!(
        "--account {named:?} is no number of this key; its numbers are {}",
        usable.join(", ")
    )))
}

impl EventSource {
    /// Reads the first events after a sequence.
    async fn read(&self, after: i64) -> Result<ReadPage> {
        self.read_with_resends(after, None).await
    }

    /// Reads the first events after a sequence, and the requests to get events again whose number
    /// is greater than `resends`.
    async fn read_with_resends(&self, after: i64, resends: Option<i64>) -> Result<ReadPage> {
        let mut query = vec![("after", after.to_string()), ("limit", PAGE.to_string())];
        if let Some(resends) = resends {
            query.push(("resends_after", resends.to_string()));
        }
        if let Some(kinds) = &self.kinds {
            query.push(("type", kinds.clone()));
        }
        let answer = self.api.get("/api/v1/events", &query).await?;
        let EventsAnswer { data, pagination, resends } = answer.parse()?;
        let events = data.into_iter().map(ListenedEvent::parse).collect::<Result<_>>()?;
        Ok(ReadPage { events, position: pagination, resends, at: answer.at })
    }

    /// Returns the number of the last request to get events again that was made before the session.
    async fn last_resend(&self, after: i64) -> Result<i64> {
        loop {
            match self.read_with_resends(after, Some(0)).await {
                Ok(page) => return Ok(page.resends.last().map_or(0, |it| it.number)),
                Err(error) => wait_if_throttled(error).await?,
            }
        }
    }

    /// Returns the sequence after which the session begins.
    async fn start(&self, since: Option<StartPoint>) -> Result<i64> {
        let since = match since {
            Some(StartPoint::After(sequence)) => {
                // This read detects wrong credentials before the session begins.
                self.read(sequence).await?;
                return Ok(sequence);
            }
            Some(StartPoint::At(at)) => Some(at),
            Some(StartPoint::Ago(ago)) => {
                // The time of the server is used, because the clock of this machine may be wrong.
                let now = self.read(0).await?.at.context("the server does not tell the time")?;
                Some(now.minus(ago))
            }
            None => None,
        };
        find_start(since, async |after| self.search(after).await).await
    }

    /// Reads the first events after a sequence that the search needs. The server may answer with an
    /// empty page in the middle of the list.
    async fn search(&self, after: i64) -> Result<SearchedPage> {
        let mut after = after;
        loop {
            let page = match self.read(after).await {
                Ok(page) => page,
                Err(error) => {
                    wait_if_throttled(error).await?;
                    continue;
                }
            };
            let has_more = page.position.has_more;
            if page.events.is_empty() && has_more {
                after = page.position.next_after;
                continue;
            }
            let time = |event: &ListenedEvent| {
                let at = Timestamp::parse(&event.head.timestamp);
                Ok((event.head.sequence, at.context("the time of an event cannot be read")?))
            };
            let events = page.events.iter().map(time).collect::<Result<_>>()?;
            return Ok(SearchedPage { events, has_more });
        }
    }

    fn includes(&self, event: &ListenedEvent) -> bool {
        self.account.is_none() || event.head.account_id == self.account
    }
}

/// Waits if the key has reached its rate limit, and returns any other error.
async fn wait_if_throttled(error: anyhow::Error) -> Result<()> {
    let wait = match error.downcast_ref::<CallError>() {
        Some(call) if call.is_throttled() => call.retry_after(RETRY_INTERVAL),
        _ => None,
    };
    let Some(wait) = wait else { return Err(error) };
    let seconds = seconds_in_words(wait.as_secs());
    output::note(&format!("the key has reached its rate limit; waiting for {seconds}"));
    tokio::time::sleep(wait).await;
    Ok(())
}

impl ListenSession {
    /// Handles events until the credentials stop working.
    async fn follow(&mut self) -> Result<()> {
        // The number of events since the end of an interruption. `None` once all of them were
        // handled.
        let mut caught_up = None::<usize>;
        loop {
            let (handled, has_more) = match self.read_once().await {
                Ok(read) => read,
                Err(error) => {
                    let call = error.downcast_ref::<CallError>();
                    if call.is_some_and(CallError::is_throttled) {
                        wait_if_throttled(error).await?;
                        continue;
                    }
                    let Some(wait) = call.and_then(|it| it.retry_after(RETRY_INTERVAL)) else {
                        return Err(error);
                    };
                    if caught_up.is_none() {
                        output::note(&format!("{error}. Trying again until it answers"));
                    }
                    caught_up.get_or_insert(0);
                    tokio::time::sleep(wait).await;
                    continue;
                }
            };
            if let Some(before) = caught_up {
                caught_up = Some(before + handled);
            }
            if has_more {
                continue;
            }
            if let Some(count) = caught_up.take() {
                let events = if count == 1 { "event" } else { "events" };
                output::note(&format!("caught up {count} {events}"));
            }
            match self.pause().await? {
                Pause::Over => {}
                Pause::Slept => caught_up = Some(0),
                Pause::Quit => return Ok(()),
            }
        }
    }

    /// Handles one page of events that were requested again, if there are any, and one page of new
    /// events, so that neither has to wait for all of the other. Returns the number of new events,
    /// and whether there is more to do.
    async fn read_once(&mut self) -> Result<(usize, bool)> {
        self.handle_again().await?;
        let page = self.source.read_with_resends(self.after, Some(self.resends_after)).await?;
        if let Some(last) = page.resends.last() {
            self.resends_after = last.number;
            self.again.extend(page.resends.iter().copied());
        }
        let has_more = page.position.has_more;
        let has_resends = !page.resends.is_empty();
        let handled = self.handle(page).await?;
        if handled > 0 || has_resends {
            self.quiet = Stopwatch::start();
        }
        Ok((handled, has_more || !self.again.is_empty()))
    }

    /// Handles a page of the first request to get events again.
    async fn handle_again(&mut self) -> Result<()> {
        let Some(request) = self.again.front().copied() else { return Ok(()) };
        let page = self.source.read(request.first_sequence - 1).await?;
        let position = page.position;
        // After this point nothing is read that could fail, so no event is handled twice after an
        // error.
        let is_over = !position.has_more || position.next_after >= request.last_sequence;
        if is_over {
            self.again.pop_front();
        } else if let Some(first) = self.again.front_mut() {
            first.first_sequence = position.next_after + 1;
        }
        let is_asked = |event: &ListenedEvent| event.head.sequence <= request.last_sequence;
        let events: Vec<_> = page
            .events
            .into_iter()
            .filter(is_asked)
            .filter(|it| self.source.includes(it))
            .collect();
        for event in events {
            self.tell(&event, true).await?;
            self.last = Some(event);
        }
        Ok(())
    }

    /// Forwards and prints an event.
    async fn tell(&self, event: &ListenedEvent, is_resent: bool) -> Result<()> {
        let forwarded = match &self.forwarder {
            Some(forwarder) => {
                Some(forwarder.post(&event.head.id, event.body.get(), &self.clock).await)
            }
            None => None,
        };
        self.printer.print(event, forwarded.as_ref(), is_resent)
    }

    /// Waits before the next call, and meanwhile performs the actions of keys.
    async fn pause(&mut self) -> Result<Pause> {
        // The wall clock is used, because the monotonic clock stands still while a machine sleeps.
        let begun = self.clock.wall();
        let mut over = std::pin::pin!(tokio::time::sleep(poll_interval(self.quiet.elapsed())));
        loop {
            let key = async {
                match &mut self.keys {
                    Some(keys) => keys.next().await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = &mut over => break,
                key = key => {
                    if key == SessionKey::Quit {
                        return Ok(Pause::Quit);
                    }
                    self.act(key).await?;
                }
            }
        }
        let slept = self.clock.wall().since(begun) > LONGEST_PAUSE;
        Ok(if slept { Pause::Slept } else { Pause::Over })
    }

    /// Performs the action of a key on the last event.
    async fn act(&self, key: SessionKey) -> Result<()> {
        let Some(event) = &self.last else {
            output::note("there was no event yet");
            return Ok(());
        };
        match key {
            SessionKey::Again => {
                let Some(forwarder) = &self.forwarder else {
                    output::note("there is no --forward-to to post it to");
                    return Ok(());
                };
                let again = forwarder.post(&event.head.id, event.body.get(), &self.clock).await;
                self.printer.print(event, Some(&again), true)?;
            }
            SessionKey::Details => self.printer.details(event)?,
            SessionKey::Open => open(&page_of(self.source.api.base(), event)),
            SessionKey::Quit => {}
        }
        Ok(())
    }

    /// Forwards and prints the events of a page. Returns their number.
    async fn handle(&mut self, page: ReadPage) -> Result<usize> {
        let mut handled = 0;
        for event in page.events {
            if self.source.includes(&event) {
                self.tell(&event, false).await?;
                handled += 1;
            }
            self.after = event.head.sequence;
            if self.source.includes(&event) {
                self.last = Some(event);
            }
        }
        self.after = self.after.max(page.position.next_after);
        Ok(handled)
    }
}

/// The end of a pause.
enum Pause {
    Over,
    /// This machine slept during the pause.
    Slept,
    /// A key ended the session.
    Quit,
}

/// Returns the URL of the page about an event's object. The page is found by the search, which
/// opens every kind of id.
fn page_of(base: &str, event: &ListenedEvent) -> String {
    #[derive(Deserialize)]
    struct EventSubject {
        data: SubjectId,
    }
    #[derive(Deserialize)]
    struct SubjectId {
        id: String,
    }
    let subject = serde_json::from_str::<EventSubject>(event.body.get());
    let id = subject.map_or_else(|_| event.head.id.clone(), |it| it.data.id);
    format!("{base}/search?q={id}")
}

/// Opens an address in the browser of this machine, and prints it.
fn open(address: &str) {
    output::note(address);
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let silent = || std::process::Stdio::null();
    let started = std::process::Command::new(program)
        .arg(address)
        .stdin(silent())
        .stdout(silent())
        .stderr(silent())
        .spawn();
    if let Err(error) = started {
        output::note(&format!("{program} cannot be started: {error}"));
    }
}

impl ListenedEvent {
    fn parse(body: Box<RawValue>) -> Result<Self> {
        let head = serde_json::from_str(body.get()).context("an event cannot be read")?;
        Ok(Self { head, body })
    }
}
