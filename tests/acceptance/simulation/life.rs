//! One life of the server: from opening the database to a crash or the end of the simulation.

use super::stage::Stage;
use crate::cloud::TestRng;
use domain::id::InstanceId;
use parking_lot::Mutex;
use persistence::Db;
use platform::account_channels::AccountChannels;
use platform::callback_queue::CallbackQueue;
use platform::clock::Stopwatch;
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
use platform::settings::PlatformSettings;
use platform::usage_counter::UsageCounter;
use platform::{BaseDeps, Deps};
use std::cell::Cell;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::runtime::{Builder, Handle, Runtime};

/// On average one in this number of actions is chosen for a crash. It crashes only if it has enough
/// polls.
const CRASH_OF: usize = 7;
/// The poll at which an action crashes is below this number.
const POLLS: usize = 16;
/// The most rounds of half an hour in which everything must be done at the end.
const STRIDES: usize = 60;

thread_local! {
    /// The number of polls of this thread's futures.
    static MOMENTS: Cell<usize> = const { Cell::new(0) };
}

/// Returns the number of polls since the last call.
pub fn moments() -> usize {
    MOMENTS.take()
}

/// A future that is dropped at a chosen poll.
pub struct UntilCrash<F> {
    work: Pin<Box<F>>,
    polls: Option<usize>,
}

impl<F: Future> Future for UntilCrash<F> {
    type Output = Option<F::Output>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        MOMENTS.set(MOMENTS.get() + 1);
        match &mut self.polls {
            Some(0) => return Poll::Ready(None),
            Some(left) => *left -= 1,
            None => {}
        }
        self.work.as_mut().poll(context).map(Some)
    }
}

/// Runs an action that may crash.
pub fn until_crash<F: Future>(chance: &mut TestRng, work: F) -> UntilCrash<F> {
    let polls = (chance.roll(CRASH_OF) == 0).then(|| chance.roll(POLLS));
    UntilCrash { work: Box::pin(work), polls }
}

impl Stage {
    /// Creates a runtime with a single thread, so that a crash stops all tasks between two awaits.
    pub fn runtime(&mut self) -> Runtime {
        self.lives += 1;
        Builder::new_current_thread().enable_all().build().unwrap()
    }

    /// Ends all tasks, and waits until the writer thread has closed the database file.
    pub fn end_life(&self, runtime: Runtime) {
        drop(runtime);
        let file = self.database.url.strip_prefix("sqlite:").unwrap();
        let is_open = || {
            let files = std::fs::read_dir("/proc/self/fd").unwrap();
            let targets = files.filter_map(|it| std::fs::read_link(it.ok()?.path()).ok());
            targets.into_iter().any(|it| it.to_string_lossy().starts_with(file))
        };
        let watch = Stopwatch::start();
        while is_open() {
            assert!(watch.elapsed() < Duration::from_secs(20), "the database is still open");
            std::thread::sleep(Duration::from_millis(1)); // real time: a thread ends
        }
    }

    /// Returns the dependencies of a server that has just started on this database.
    pub async fn deps(&self, throttle: Option<LoginThrottle>) -> Deps {
        let seed = self.seed.wrapping_mul(1_000_003).wrapping_add(self.lives);
        let (entropy, clock) = (Entropy::seeded(seed), self.clock.clone());
        let db = Db::open(&self.settings.database, 2, &|_: &str| ()).await.unwrap();
        let instance = InstanceId::new(clock.now(), entropy.bytes());
        db.operator().release_all(clock.now()).await.unwrap();
        db.operator().enter(instance).await.unwrap();
        let channel = self.settings.channel.clone();
        let sealing = Sealing::new(channel.encryption_key.clone());
        Deps {
            base: BaseDeps { db, clock, entropy, sealing },
            usage_counter: UsageCounter::default(),
            claims: InstanceClaims::new(instance),
            login_throttle: throttle
                .unwrap_or_else(|| LoginThrottle::new(&[1; 32], [2; 16]).unwrap()),
            outbound: Outbound::new(&channel).unwrap(),
            files: Files::open(&self.settings.files, &self.settings.temporary_folder()).unwrap(),
            settings: PlatformSettings { base_url: self.settings.base_url.clone(), channel },
            held_accounts: HeldAccounts::default(),
            send_rates: SendRates::default(),
            account_channels: AccountChannels::default(),
            opt_out_words: OptOutWordsCache::default(),
            read_limiter: ReadLimiter::new(Handle::current()),
            export_limiter: ExportLimiter::default(),
            rate_limiter: RateLimiter::default(),
            faulty_requests: Mutex::default(),
            in_flight: InFlight::default(),
            wakeups: Wakeups::default(),
            inbox_turns: InboxTurns::default(),
            due: DueOrganizations::default(),
            callback_queue: CallbackQueue::default(),
            fan_out: FanOutProgress::default(),
            written_at: AtomicI64::new(0),
            stopping: AtomicBool::new(false),
        }
    }

    /// Runs actions until the next crash, or until no actions are left.
    pub fn live(&mut self, chance: &mut TestRng, left: &mut usize) {
        let runtime = self.runtime();
        runtime.block_on(async {
            // The start can crash too.
            let throttle = self.login_throttle.take();
            let started = until_crash(chance, self.deps(throttle)).await;
            let Some(deps) = started.map(Arc::new) else {
                self.model.crashes += 1;
                return;
            };
            while *left > 0 {
                *left -= 1;
                if !self.act(&deps, chance).await {
                    self.model.crashes += 1;
                    break;
                }
            }
            self.login_throttle = Arc::into_inner(deps).map(|it| it.login_throttle);
        });
        self.end_life(runtime);
    }

    /// Stops all faults, and runs the workers until everything is done.
    pub fn heal(&mut self) {
        self.calm();
        let runtime = self.runtime();
        runtime.block_on(async {
            let throttle = self.login_throttle.take();
            let deps = Arc::new(self.deps(throttle).await);
            self.exchange_all_again(&deps).await;
            for callback in std::mem::take(&mut self.model.unanswered) {
                self.report(&deps, &callback).await;
            }
            for _ in 0..STRIDES {
                workers::run_until_idle(&deps).await.unwrap();
                workers::agents::step(&deps).await.unwrap();
                workers::run_until_idle(&deps).await.unwrap();
                self.pass_time();
                if self.is_done(&deps).await {
                    return;
                }
            }
            panic!("seed {}: not everything was done in the end", self.seed);
        });
        self.end_life(runtime);
    }
}
