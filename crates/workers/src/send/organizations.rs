//! The organizations whose messages this instance hands over, and the conversations being processed
//! in each. An organization is claimed as a whole and kept for a while after its last message.
//! Claims of conversations within it are only in memory.

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
/// Maximum number of conversations of one organization processed at a time, so that conversations
/// with a slow channel leave room for others.
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
    /// Organizations whose claim is uncertain, because the database did not answer.
    unknown: BTreeSet<OrganizationId>,
    scanned: Option<Stopwatch>,
    /// The time at which messages of an unclaimed organization become due.
    next_unclaimed: Option<Timestamp>,
    /// The organization with the last turn. The next turn begins after it.
    last_turn: Option<OrganizationId>,
}

struct ClaimedOrganization {
    /// The claim. `None` after the others have considered this instance dead.
    claim: Option<Claim>,
    in_progress: Arc<Mutex<InProgress>>,
    /// The due time of the next conversation that is not being processed.
    due: Option<Timestamp>,
    /// The time since which nothing was due.
    quiet_since: Stopwatch,
    /// The time of the last look at the due messages.
    looked: Stopwatch,
}

#[derive(Default)]
struct InProgress {
    conversations: BTreeSet<ConversationId>,
    /// Whether a conversation has ended that still has due messages.
    has_more: bool,
}

/// A conversation that is being processed, until this is dropped.
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

    /// Whether a conversation is or may be due.
    fn is_due(&self, deps: &Deps, now: Timestamp) -> bool {
        let holds = self.claim.is_some_and(|claim| deps.claims.holds(claim));
        // Messages accepted by another instance are found here if their notification was lost.
        let is_old = deps.db.is_shared() && self.looked.elapsed() >= SCAN_INTERVAL;
        let is_known = self.due.is_some_and(|due| due <= now) || open(&self.in_progress).has_more;
        holds && (is_known || is_old)
    }

    /// Returns the number of additional conversations that may be processed.
    fn free_places(&self) -> usize {
        MAX_OF_ONE.saturating_sub(open(&self.in_progress).conversations.len())
    }

    /// Begins a look at the due messages. Returns the conversations being processed. Any that end
    /// from now on are noted in `has_more`.
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

    /// Returns the time at which there may be work without a notification.
    pub fn next_due(&self, deps: &Deps) -> Option<Timestamp> {
        let dues = self.claimed.values().filter_map(|it| it.due);
        let scan = deps.db.is_shared().then(|| deps.clock.now().plus(SCAN_INTERVAL));
        dues.chain(self.next_unclaimed).chain(scan).min()
    }

    /// Drops the claims of an earlier id. The other instances considered this one dead and have
    /// taken its organizations; conversations still being processed come to an end.
    fn forget_lost(&mut self, deps: &Deps) {
        let instance = deps.claims.instance();
        for organization in self.claimed.values_mut() {
            organization.claim = organization.claim.filter(|claim| claim.instance == instance);
        }
        self.claimed.retain(|_, it| it.claim.is_some() || !it.is_idle());
    }

    /// Returns the organizations to claim.
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

    /// Notifies the instances that have claimed the organizations which this one could not claim.
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
            // What is learned about accounts from now on is not in the data read.
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
                    // The organization is looked at again.
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

    /// Returns the organizations with due messages, beginning after the one with the last turn.
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

    /// Releases organizations without due messages for a while.
    async fn release_quiet(&mut self, deps: &Deps, now: Timestamp) {
        let soon = now.plus(KEPT_FOR);
        let is_quiet = |it: &ClaimedOrganization| {
            let is_due = it.is_due(deps, now) || it.due.is_some_and(|due| due <= soon);
            !is_due && it.is_idle() && it.quiet_since.elapsed() >= KEPT_FOR
        };
        self.release_those(deps, is_quiet).await;
    }

    /// Releases all organizations of which no conversation is being processed.
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
