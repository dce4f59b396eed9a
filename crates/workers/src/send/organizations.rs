//! The organizations whose messages this instance hands over, and the conversations being processed
//! in each. An organization is claimed as a whole in the database, and stays claimed for a while
//! after its last message. Which of its conversations are in progress is known only in memory.

use crate::heartbeat;
use domain::id::{ConversationId, OrganizationId};
use domain::instance::WorkKind;
use domain::time::Timestamp;
use futures_util::StreamExt as _;
use parking_lot::{Mutex, MutexGuard};
use persistence::Result;
use persistence::records::{Claim, Claimed, OrganizationTurn};
use platform::Deps;
use platform::clock::Stopwatch;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

/// Maximum number of organizations claimed at a time.
const CLAIMED_AT_ONCE: i64 = 64;
/// Number of organizations whose due messages are read at a time.
const READ_AT_ONCE: usize = 8;
/// Maximum number of conversations of one organization processed at a time, so that an organization
/// with a slow channel leaves room for others.
const MAX_OF_ONE: usize = 384;
/// The interval at which this instance looks for organizations whose messages another instance
/// accepted.
const SCAN_INTERVAL: Duration = Duration::from_millis(500);
/// How long an organization without due messages stays claimed.
const KEPT_FOR: Duration = Duration::from_secs(1);

/// The organizations that this instance has claimed, or still processes.
#[derive(Default)]
pub struct Organizations {
    claimed: BTreeMap<OrganizationId, ClaimedOrganization>,
    /// Organizations that may be claimed: the database did not answer the attempt to claim them.
    unknown: BTreeSet<OrganizationId>,
    scanned: Option<Stopwatch>,
    /// The time at which the next message of an unclaimed organization is due.
    next_unclaimed: Option<Timestamp>,
    /// The organization whose conversations were begun last. The next step begins with the
    /// organization after it.
    last_turn: Option<OrganizationId>,
}

struct ClaimedOrganization {
    /// The claim, or `None` if the other instances have considered this instance dead.
    claim: Option<Claim>,
    in_progress: Arc<Mutex<InProgress>>,
    /// The due time of the next conversation that is not in progress.
    due: Option<Timestamp>,
    /// The stopwatch restarts whenever something is due.
    quiet_since: Stopwatch,
    /// The stopwatch restarts whenever the due messages are read.
    looked: Stopwatch,
}

#[derive(Default)]
struct InProgress {
    conversations: BTreeSet<ConversationId>,
    /// Whether a conversation with more due messages has ended in the meantime.
    has_more: bool,
}

/// A conversation in progress. Dropping this value ends its work.
pub struct ConversationWork {
    pub claimed: Claimed,
    /// Whether the conversation still has due messages when it is released.
    pub has_more: bool,
    of: Arc<Mutex<InProgress>>,
}

impl Drop for ConversationWork {
    fn drop(&mut self) {
        let mut of = open(&self.of);
        of.conversations.remove(&self.claimed.conversation);
        of.has_more |= self.has_more;
    }
}

fn open(of: &Mutex<InProgress>) -> MutexGuard<'_, InProgress> {
    of.lock()
}

impl ClaimedOrganization {
    fn new(claim: Claim, now: Timestamp) -> Self {
        let (quiet_since, looked) = (Stopwatch::start(), Stopwatch::start());
        let in_progress = Arc::default();
        Self { claim: Some(claim), in_progress, due: Some(now), quiet_since, looked }
    }

    /// Whether a conversation of the organization is due or may be due.
    fn is_due(&self, deps: &Deps, now: Timestamp) -> bool {
        let holds = self.claim.is_some_and(|claim| deps.claims.holds(claim));
        // If a notification of another instance was lost, this regular read finds its messages.
        let is_old = deps.db.is_shared() && self.looked.elapsed() >= SCAN_INTERVAL;
        let is_known = self.due.is_some_and(|due| due <= now) || open(&self.in_progress).has_more;
        holds && (is_known || is_old)
    }

    /// Returns the number of additional conversations that may be processed.
    fn free_places(&self) -> usize {
        MAX_OF_ONE.saturating_sub(open(&self.in_progress).conversations.len())
    }

    /// Prepares a read of the due messages. Returns the conversations in progress. `has_more`
    /// records whether one of them ends during the read and still has due messages.
    fn begin_scan(&mut self) -> BTreeSet<ConversationId> {
        self.looked = Stopwatch::start();
        let mut open = open(&self.in_progress);
        open.has_more = false;
        open.conversations.clone()
    }

    fn is_idle(&self) -> bool {
        open(&self.in_progress).conversations.is_empty()
    }
}

impl Organizations {
    /// Returns at most `most` conversations that are due, some of each organization in turn.
    pub async fn next(&mut self, deps: &Deps, most: usize) -> Result<Vec<ConversationWork>> {
        let now = deps.clock.now();
        self.forget_lost(deps);
        let wanted = self.wanted(deps, now).await?;
        if !wanted.is_empty() {
            self.claim(deps, wanted, now).await?;
        }
        let found = self.turns(deps, most, now).await;
        self.release_quiet(deps, now).await;
        found
    }

    /// Returns the time at which there may be work even if no notification comes.
    pub fn next_due(&self, deps: &Deps) -> Option<Timestamp> {
        let dues = self.claimed.values().filter_map(|it| it.due);
        let scan = deps.db.is_shared().then(|| deps.clock.now().plus(SCAN_INTERVAL));
        dues.chain(self.next_unclaimed).chain(scan).min()
    }

    /// Drops the claims that this instance made under an earlier id. The other instances considered
    /// it dead and have taken over its organizations. Conversations in progress are finished.
    fn forget_lost(&mut self, deps: &Deps) {
        let instance = deps.claims.instance();
        for organization in self.claimed.values_mut() {
            organization.claim = organization.claim.filter(|claim| claim.instance == instance);
        }
        self.claimed.retain(|_, it| it.claim.is_some() || !it.is_idle());
    }

    /// Returns the organizations that this instance should claim.
    async fn wanted(&mut self, deps: &Deps, now: Timestamp) -> Result<BTreeSet<OrganizationId>> {
        let mut wanted = std::mem::take(&mut self.unknown);
        for organization in deps.due.drain_elsewhere() {
            self.claimed.entry(organization).and_modify(|it| it.due = Some(now));
        }
        for organization in deps.due.drain() {
            match self.claimed.get_mut(&organization) {
                Some(claimed) if claimed.claim.is_some() => claimed.due = Some(now),
                _ => drop(wanted.insert(organization)),
            }
        }
        let is_busy = !wanted.is_empty() || self.claimed.values().any(|it| it.is_due(deps, now));
        let is_recent = self.scanned.as_ref().is_some_and(|since| since.elapsed() < SCAN_INTERVAL);
        if is_busy && is_recent {
            return Ok(wanted);
        }
        let found = deps.db.operator().unclaimed_work(WorkKind::Messages, CLAIMED_AT_ONCE).await;
        let found = match found {
            Ok(found) => found,
            Err(error) => {
                self.unknown = wanted;
                return Err(error);
            }
        };
        self.scanned = Some(Stopwatch::start());
        self.next_unclaimed = found.iter().map(|(_, due)| *due).find(|due| *due > now);
        wanted.extend(found.into_iter().filter(|(_, due)| *due <= now).map(|(it, _)| it));
        Ok(wanted)
    }

    async fn claim(
        &mut self,
        deps: &Deps,
        wanted: BTreeSet<OrganizationId>,
        now: Timestamp,
    ) -> Result<()> {
        loop {
            let claim = deps.claims.next_claim();
            if !deps.claims.holds(claim) {
                self.unknown = wanted;
                return Ok(());
            }
            let all = wanted.iter().copied().collect();
            match deps.db.operator().claim_work(claim, WorkKind::Messages, all).await {
                Ok(Some(claimed)) => {
                    for organization in claimed {
                        self.claimed
                            .entry(organization)
                            .and_modify(|it| (it.claim, it.due) = (Some(claim), Some(now)))
                            .or_insert_with(|| ClaimedOrganization::new(claim, now));
                    }
                    return self.notify(deps, wanted).await;
                }
                Ok(None) => {
                    heartbeat::enter(deps).await?;
                    self.forget_lost(deps);
                }
                Err(error) => {
                    self.unknown = wanted;
                    return Err(error);
                }
            }
        }
    }

    /// Notifies other instances of the organizations that this instance could not claim, because
    /// another has claimed them.
    async fn notify(&self, deps: &Deps, wanted: BTreeSet<OrganizationId>) -> Result<()> {
        let is_ours =
            |id: &OrganizationId| self.claimed.get(id).is_some_and(|it| it.claim.is_some());
        let organization_db: Vec<_> = wanted.into_iter().filter(|id| !is_ours(id)).collect();
        if organization_db.is_empty() { Ok(()) } else { deps.db.notify_work(organization_db).await }
    }

    /// Reads the due conversations of claimed organizations.
    async fn turns(
        &mut self,
        deps: &Deps,
        most: usize,
        now: Timestamp,
    ) -> Result<Vec<ConversationWork>> {
        let mut left = most;
        let mut turns = Vec::new();
        let in_turn = self.in_turn(deps, now);
        for (place, id) in in_turn.iter().copied().enumerate() {
            let Some(organization) = self.claimed.get_mut(&id) else { continue };
            let Some(claim) = organization.claim else { continue };
            let share = left.div_ceil(in_turn.len() - place).min(organization.free_places());
            if share == 0 {
                continue;
            }
            left -= share;
            self.last_turn = Some(id);
            let in_progress = organization.begin_scan();
            // Reports about accounts that arrive after this number was drawn may not be in the data
            // that is read.
            let look = deps.claims.next_claim().number;
            let turn = async move {
                let organization_db = deps.db.organization(id);
                (id, organization_db.organization_turn(claim, look, in_progress, share, now).await)
            };
            turns.push(turn);
        }
        let turns: Vec<_> =
            futures_util::stream::iter(turns).buffer_unordered(READ_AT_ONCE).collect().await;
        let (mut found, mut failed) = (Vec::new(), None);
        for (id, turn) in turns {
            match turn {
                Ok(turn) => found.extend(self.begin(id, turn)),
                Err(error) => {
                    // The organization is read again in the next step.
                    self.claimed.entry(id).and_modify(|it| it.due = Some(now));
                    failed = Some(error);
                }
            }
        }
        match failed {
            Some(error) if found.is_empty() => Err(error),
            _ => Ok(found),
        }
    }

    /// Returns the organizations with due messages in round-robin order: the first is the one that
    /// follows `last_turn`.
    fn in_turn(&self, deps: &Deps, now: Timestamp) -> Vec<OrganizationId> {
        let due = self.claimed.iter().filter(|(_, it)| it.is_due(deps, now)).map(|(id, _)| *id);
        let (before, behind): (Vec<_>, Vec<_>) = due.partition(|id| Some(*id) <= self.last_turn);
        behind.into_iter().chain(before).collect()
    }

    fn begin(&mut self, id: OrganizationId, turn: OrganizationTurn) -> Vec<ConversationWork> {
        let Some(organization) = self.claimed.get_mut(&id) else { return Vec::new() };
        organization.due = turn.next_due;
        if !turn.due.is_empty() {
            organization.quiet_since = Stopwatch::start();
        }
        let begin = |claimed: Claimed| {
            open(&organization.in_progress).conversations.insert(claimed.conversation);
            ConversationWork { claimed, has_more: false, of: organization.in_progress.clone() }
        };
        turn.due.into_iter().map(begin).collect()
    }

    /// Releases organizations that have had no due messages for a while.
    async fn release_quiet(&mut self, deps: &Deps, now: Timestamp) {
        let soon = now.plus(KEPT_FOR);
        let is_quiet = |it: &ClaimedOrganization| {
            let is_due = it.is_due(deps, now) || it.due.is_some_and(|due| due <= soon);
            !is_due && it.is_idle() && it.quiet_since.elapsed() >= KEPT_FOR
        };
        self.release_those(deps, is_quiet).await;
    }

    /// Releases all organizations that have no conversation in progress.
    pub async fn release(&mut self, deps: &Deps) {
        self.release_those(deps, ClaimedOrganization::is_idle).await;
    }

    async fn release_those(&mut self, deps: &Deps, which: impl Fn(&ClaimedOrganization) -> bool) {
        let gone: Vec<_> = self
            .claimed
            .iter()
            .filter(|(_, it)| which(it))
            .filter_map(|(id, it)| Some((*id, it.claim?)))
            .collect();
        if gone.is_empty() {
            return;
        }
        self.claimed.retain(|id, _| gone.iter().all(|(gone, _)| gone != id));
        if let Err(error) = deps.db.operator().release_work(WorkKind::Messages, gone.clone()).await
        {
            tracing::error!(%error, "the claims on organizations were not released");
            self.unknown.extend(gone.into_iter().map(|(id, _)| id));
        }
    }
}
