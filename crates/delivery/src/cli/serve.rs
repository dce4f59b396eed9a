//! `switchboard serve`: the whole service in one process, until it is asked to stop.

use super::closing;
use super::waiting::retrying;
use crate::checks::{self, Warnings};
use crate::tls::{self, Certificates};
use crate::{connections, demo, log, observe, output, server};
use actix_web::dev::ServerHandle;
use actix_web::{App, HttpServer, web};
use anyhow::{Context as _, Result};
use auth::seal::ClientStateKey;
use config::Settings;
use domain::id::InstanceId;
use domain::time::Timestamp;
use futures_util::FutureExt as _;
use http_layer::deps::ServerDeps;
use metrics_exporter_prometheus::PrometheusHandle;
use parking_lot::Mutex;
use persistence::lock::{self, ServerLock};
use persistence::{DatabaseLocation, Db, ReportWait};
use platform::BaseDeps;
use platform::account_channels::AccountChannels;
use platform::callback_queue::CallbackQueue;
use platform::clock::Clock;
use platform::deps::{DueOrganizations, FanOutProgress, Wakeups};
use platform::entropy::Entropy;
use platform::export_limiter::ExportLimiter;
use platform::files::Files;
use platform::held_accounts::HeldAccounts;
use platform::in_flight::InFlight;
use platform::inbox_turns::InboxTurns;
use platform::instance_claims::InstanceClaims;
use platform::login_throttle::LoginThrottle;
use platform::opt_out_words::OptOutWordsCache;
use platform::outbound::Outbound;
use platform::rate_limit::RateLimiter;
use platform::read_limiter::ReadLimiter;
use platform::sealing::Sealing;
use platform::send_rate::SendRates;
use platform::usage_counter::UsageCounter;
use service::setup;
use std::net::{SocketAddr, TcpListener};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64};
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::task::{AbortHandle, JoinHandle};

/// The time for which the server still answers after it was asked to stop. Each of these answers
/// has `Connection: close`, so that a client with a persistent connection learns of the stop from
/// an answer and not from a broken request.
const FAREWELL: Duration = Duration::from_secs(1);
/// The time in which workers finish what they have started. A call that is aborted may have reached
/// the channel and would be repeated. The time is longer than any call of the workers, and short
/// enough that the whole stop takes less than the 30 seconds of `docs/contract.md#operation`.
const WORKER_STOP_TIMEOUT: Duration = Duration::from_secs(25);
/// The delay of the first repeated check after the start, and the interval of the checks after
/// that.
const FIRST_CHECK_DELAY: Duration = Duration::from_secs(1);
const CHECK_INTERVAL: Duration = Duration::from_secs(30);
/// The time limit of each final write.
const FINAL_WRITE_TIMEOUT: Duration = Duration::from_secs(2);

pub struct Running {
    pub deps: Arc<ServerDeps>,
    /// Warnings from the start that may resolve.
    pub warnings: Arc<Warnings>,
    pub address: SocketAddr,
    handle: ServerHandle,
    listener: TcpListener,
    server: JoinHandle<std::io::Result<()>>,
    workers: Vec<JoinHandle<()>>,
    /// Tasks that are aborted when the workers have ended.
    tasks: Vec<JoinHandle<()>>,
    _lock: ServerLock,
}

impl Running {
    /// Starts the workers, and the tasks that run as long as the workers do.
    fn start_work(&mut self) {
        self.workers.extend(workers::start(&self.deps.service));
        self.tasks.extend(start_tasks(&self.deps, &self.warnings));
    }

    /// Stops accepting, finishes the requests in flight, and writes the last counts.
    pub async fn stop(self) -> Result<()> {
        self.deps.stop();
        let answered = async {
            tokio::join!(closing::close(&self.listener), tokio::time::sleep(FAREWELL));
            self.handle.stop(true).await;
            self.server.await
        };
        let (answered, ()) = tokio::join!(answered, finish(self.workers));
        self.tasks.iter().for_each(JoinHandle::abort);
        // Releases the claims, so that other instances can take over at once. Otherwise they would
        // first have to notice that this instance has stopped.
        let instance = self.deps.claims.instance();
        let left = async {
            self.deps.db.operator().leave(instance, self.deps.clock.now()).await.map(drop)
        };
        written("release of the claims", left).await;
        written("the last usage counts", self.deps.usage_counter.flush(&self.deps.db)).await;
        written("the checkpoint of SQLite's write-ahead log", self.deps.db.copy_log()).await;
        Ok(answered??)
    }
}

/// Waits for the workers, and aborts those that take too long.
async fn finish(workers: Vec<JoinHandle<()>>) {
    let cut_off: Vec<_> = workers.iter().map(JoinHandle::abort_handle).collect();
    let finished = futures_util::future::join_all(workers);
    if tokio::time::timeout(WORKER_STOP_TIMEOUT, finished).await.is_err() {
        tracing::error!(
            "workers did not finish in time and were stopped; their calls may be repeated"
        );
        cut_off.iter().for_each(AbortHandle::abort);
    }
}

/// Waits for a final write, and logs its failure.
async fn written(what: &str, write: impl Future<Output = persistence::Result<()>>) {
    match tokio::time::timeout(FINAL_WRITE_TIMEOUT, write).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::error!(%error, what, "a final write failed"),
        Err(_) => tracing::error!(what, "a final write did not finish in time"),
    }
}

/// Starts a server. The workers start only if `work` is true. Tests call the workers' steps
/// themselves, and the demo starts the workers when its data is complete.
pub async fn start(settings: Settings, clock: Clock, work: bool) -> Result<Running> {
    let lock = lock::server(&settings.database).with_context(|| super::cannot_open(&settings))?;
    let report_wait = |what: &str| tracing::warn!("{what}");
    let db = Box::pin(open(&settings, clock.now(), &report_wait)).await?;
    let rate_limiter = Box::pin(open_rate_limiter(&settings, &report_wait)).await?;
    let warnings = Arc::new(Warnings::new(checks::before_start(&settings).await)?);
    let certificates = settings.tls.clone().map(Certificates::open).transpose()?;
    let outbound = Outbound::new(&settings.channel)?;
    let files = open_files(&settings)?;
    let sealing = Sealing::new(settings.channel.encryption_key.clone());
    let bind = settings.bind;
    let listener = TcpListener::bind(bind).with_context(|| {
        format!("cannot listen on {bind}; choose another address with SWITCHBOARD_BIND")
    })?;
    let address = listener.local_addr()?;
    let same_listener = listener.try_clone()?;
    let entropy = Entropy::system();
    let instance = InstanceId::new(clock.now(), entropy.bytes());
    db.operator().enter(instance).await?;
    let login_throttle = LoginThrottle::new(&entropy.bytes(), entropy.bytes())?;
    let client_state = client_state_key(&db, &entropy, &clock).await?;
    let (base_url, channel) = (settings.base_url.clone(), settings.channel.clone());
    let service = Arc::new(platform::Deps {
        base: BaseDeps { db, clock, entropy, sealing },
        usage_counter: UsageCounter::default(),
        claims: InstanceClaims::new(instance),
        login_throttle,
        outbound,
        files,
        settings: platform::settings::PlatformSettings { base_url, channel },
        held_accounts: HeldAccounts::default(),
        send_rates: SendRates::default(),
        account_channels: AccountChannels::default(),
        opt_out_words: OptOutWordsCache::default(),
        read_limiter: ReadLimiter::new(Handle::current()),
        export_limiter: ExportLimiter::default(),
        rate_limiter,
        faulty_requests: Mutex::default(),
        in_flight: InFlight::default(),
        wakeups: Wakeups::default(),
        inbox_turns: InboxTurns::default(),
        due: DueOrganizations::default(),
        callback_queue: CallbackQueue::default(),
        fan_out: FanOutProgress::default(),
        written_at: AtomicI64::new(0),
        stopping: AtomicBool::new(false),
    });
    let deps = Arc::new(ServerDeps { service, client_state, config: settings });
    let server = server::serve(deps.clone(), warnings.clone(), listener, certificates.as_ref())?;
    let handle = server.handle();
    let clock = deps.clock.clone();
    let tasks = certificates.map(|it| tokio::spawn(tls::run(it, clock))).into_iter().collect();
    let server = tokio::spawn(server);
    let (listener, workers) = (same_listener, Vec::new());
    let mut running =
        Running { deps, warnings, address, handle, listener, server, workers, tasks, _lock: lock };
    if work {
        running.start_work();
    }
    Ok(running)
}

/// Opens the database and the standby for reads, if one is configured. The standby may be down.
async fn open(settings: &Settings, now: Timestamp, report_wait: ReportWait<'_>) -> Result<Db> {
    let db = super::open(settings, report_wait).await?;
    if matches!(settings.database, DatabaseLocation::Sqlite(_)) {
        // Only this instance uses the file, so every existing claim belongs to an instance that has
        // ended.
        db.operator().release_all(now).await?;
    }
    let unknown = Db::unknown_migrations(&settings.database).await;
    let unknown = unknown.with_context(|| super::cannot_open(settings))?;
    if !unknown.is_empty() {
        tracing::warn!(
            migrations = unknown.join(", "),
            "a newer version migrated the database, and this version may not work with it: run that version or a newer one, \
             unless a rolling update on PostgreSQL is in progress"
        );
    }
    if let Some(standby) = &settings.standby {
        let watched = db.read_from_standby(&standby.url, standby.connections);
        watched.context("cannot read from the standby in SWITCHBOARD_DATABASE_URL_READ")?;
    }
    Ok(db)
}

/// Starts the tasks that run until the workers have ended: the heartbeat that keeps their claims,
/// the listener for other instances, and the repeated checks of failed settings.
fn start_tasks(deps: &Arc<ServerDeps>, warnings: &Arc<Warnings>) -> Vec<JoinHandle<()>> {
    let (service, deps, warnings) = (deps.service.clone(), deps.clone(), warnings.clone());
    let listening = deps.service.clone();
    let heartbeat = tokio::spawn(async move { workers::heartbeat::run(&service).await });
    let listener = tokio::spawn(async move { workers::listener::run(&listening).await });
    let checks = tokio::spawn(async move {
        let mut wait = FIRST_CHECK_DELAY;
        loop {
            tokio::time::sleep(wait).await;
            wait = CHECK_INTERVAL;
            let check = warnings.check_again(&deps.config, &deps.files.reports);
            if AssertUnwindSafe(check).catch_unwind().await.is_err() {
                tracing::error!("a repeated check of the settings panicked; it is tried again");
            }
        }
    });
    vec![heartbeat, listener, checks]
}

/// Returns the key that encrypts state carried by browsers. The key is created once and shared by
/// all instances of the database.
pub(super) async fn client_state_key(
    db: &Db,
    entropy: &Entropy,
    clock: &Clock,
) -> Result<ClientStateKey> {
    let fresh: [u8; 32] = entropy.bytes();
    let key = db.server_key("client_state", fresh.to_vec(), clock.now()).await?;
    Ok(ClientStateKey::new(&key))
}

fn open_files(settings: &Settings) -> Result<Files> {
    let files = Files::open(&settings.files, &settings.temporary_folder());
    files.context("cannot open the file store of SWITCHBOARD_MEDIA_URL")
}

async fn open_rate_limiter(
    settings: &Settings,
    report_wait: ReportWait<'_>,
) -> Result<RateLimiter> {
    let open = async |_: ReportWait<'_>| checks::redis::open(settings).await;
    let what = "the Redis of SWITCHBOARD_REDIS_URL";
    let opened =
        retrying(what, settings.wait, report_wait, open, checks::redis::RedisFault::is_temporary)
            .await;
    opened.map_err(|fault| {
        let advice = fault.advice();
        anyhow::Error::new(fault).context(format!("cannot use {what}; {advice}"))
    })
}

/// Returns the text to print: the address to open in a browser. If nobody can sign in yet, the
/// address is a link that creates the first member.
async fn first_steps(deps: &ServerDeps, dashboard: &str) -> Result<String> {
    if !setup::is_needed(deps).await? {
        return Ok(format!("Open {dashboard} in a browser."));
    }
    let link = setup::link(&deps.client_state, &deps.clock, &deps.entropy, dashboard)?;
    Ok(format!(
        "Open {link}\n\
         in a browser to set up Switchboard. The link works for an hour, until the first member\n\
         exists; `switchboard admin setup-link` prints a new one. To look around with example\n\
         data instead, start `switchboard serve --demo` on an empty database."
    ))
}

/// Returns the address of the dashboard. This is the base URL, or a local address if the system
/// chose the port, because the base URL cannot contain that port.
fn dashboard_url(settings: &Settings, address: SocketAddr) -> String {
    if settings.bind.port() == 0 {
        demo::reachable(settings, address)
    } else {
        settings.base_url.clone()
    }
}

/// Creates the missing demo data, starts the workers, and prints commands and URLs to try.
async fn show_demo(running: &mut Running, dashboard: &str) -> Result<()> {
    let prepared = demo::prepare(&running.deps).await?;
    running.start_work();
    demo::print(&running.deps, prepared, running.address, dashboard).await
}

/// Runs the server until SIGTERM, SIGINT or SIGQUIT.
pub async fn serve(settings: Settings, with_demo: bool) -> Result<()> {
    let _log = log::start(&settings);
    connections::raise_file_limit();
    let metrics = observe::metrics()?;
    observe::build_info(&settings.database);
    tokio::spawn(observe::run_histogram_upkeep(metrics.clone()));
    let (metrics_bind, is_default) = (settings.metrics_bind, settings.metrics_bind_is_default);
    let mut signals = Signals::listen()?;
    let starting = start(settings, Clock::system(), !with_demo);
    let mut running = tokio::select! {
        running = starting => running?,
        signal = signals.wait_for_stop() => end_before_start(signal),
    };
    serve_metrics(metrics, metrics_bind, is_default);
    tracing::info!(address = %running.address, "ready");
    let dashboard = dashboard_url(&running.deps.config, running.address);
    if with_demo {
        if let Err(error) = Box::pin(show_demo(&mut running, &dashboard)).await {
            running.stop().await?;
            return Err(error);
        }
    } else if let Err(error) = output::line(first_steps(&running.deps, &dashboard).await?) {
        // Standard output may be closed, for example if only the log is read. The server runs in
        // spite of that.
        tracing::debug!(%error, "the address to open is not printed");
    }
    let signal = signals.wait_for_stop().await;
    tracing::info!(signal, "stopping");
    running.stop().await?;
    tracing::info!("stopped");
    Ok(())
}

/// The signals that the server handles. Three of them ask it to stop. The three others are ignored,
/// because by default they would kill the process.
pub(super) struct Signals {
    terminate: Signal,
    interrupt: Signal,
    quit: Signal,
    _ignored: [Signal; 3],
}

impl Signals {
    pub(super) fn listen() -> std::io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            quit: signal(SignalKind::quit())?,
            _ignored: [
                signal(SignalKind::hangup())?,
                signal(SignalKind::user_defined1())?,
                signal(SignalKind::user_defined2())?,
            ],
        })
    }

    /// Waits for a signal that asks the server to stop, and returns its name.
    pub(super) async fn wait_for_stop(&mut self) -> &'static str {
        tokio::select! {
            _ = self.terminate.recv() => "SIGTERM",
            _ = self.interrupt.recv() => "SIGINT",
            _ = self.quit.recv() => "SIGQUIT",
        }
    }
}

/// Exits at once. Nothing has started yet that must end in order, and there is no other way to
/// interrupt a migration.
fn end_before_start(signal: &str) -> ! {
    tracing::info!(signal, "stopping before the start was complete");
    std::process::exit(0)
}

/// Serves metrics on a separate address. If that fails, the server runs without metrics. An operator
/// who did not choose the address may not want metrics, so then the failure is a warning.
fn serve_metrics(handle: PrometheusHandle, bind: SocketAddr, is_default: bool) {
    let app = move || {
        let handle = handle.clone();
        let render = move || {
            let handle = handle.clone();
            async move { handle.render() }
        };
        App::new()
            .route("/metrics", web::get().to(render.clone()))
            .route("/metrics", web::head().to(render))
    };
    match HttpServer::new(app).workers(1).disable_signals().bind(bind) {
        Ok(server) => drop(tokio::spawn(server.run())),
        Err(error) if is_default => {
            tracing::warn!(%error, %bind, "the server works, but no metrics are served; if you need them, set SWITCHBOARD_METRICS_BIND to a free address");
        }
        Err(error) => {
            tracing::error!(%error, %bind, "no metrics are served; choose another SWITCHBOARD_METRICS_BIND");
        }
    }
}
