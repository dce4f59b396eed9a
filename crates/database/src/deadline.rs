//! Deadlines for waiting on the database.
//!
//! An operation waits `CONNECTION` for a connection, and on it may take `OPERATION`; a connection that
//! has not answered by then is closed. The operations of one request wait [`REQUEST`] all together, however
//! many there are, so that each request is answered in time.
use std::cell::Cell;
use std::time::Duration;
use tokio::time::timeout;

/// How long the operations of one request wait for the database, all together.
pub const REQUEST: Duration = Duration::from_secs(4);
/// How long an operation waits for a connection.
pub const CONNECTION: Duration = Duration::from_secs(3);
/// How long an operation, of several statements perhaps, may take on its connection.
pub const OPERATION: Duration = Duration::from_secs(3);

/// The same for one that joins two long histories, which happens once a person: some million messages.
pub const LONG_OPERATION: Duration = Duration::from_mins(1);

tokio::task_local! {
    static REQUEST_TIME: RequestTime;
}

struct RequestTime {
    elapsed: Box<dyn Fn() -> Duration>,
    left: Cell<Duration>,
}

/// Does the work of one request. `elapsed` is the time since some fixed moment.
///
/// Only what is awaited in the request's own task counts against [`REQUEST`]: neither a body that comes in
/// slowly nor what goes on after the answer.
pub async fn of_request<F: Future>(elapsed: impl Fn() -> Duration + 'static, work: F) -> F::Output {
    of_request_within(REQUEST, elapsed, work).await
}

/// The same with another bound.
pub async fn of_request_within<F: Future>(
    limit: Duration,
    elapsed: impl Fn() -> Duration + 'static,
    work: F,
) -> F::Output {
    let time = RequestTime { elapsed: Box::new(elapsed), left: Cell::new(limit) };
    REQUEST_TIME.scope(time, work).await
}

/// Waits until the request has used up its time; without a request, as long as it takes. `None` when the
/// time is over: had it been over before, `waiting` is not even begun.
pub async fn within_request<F: Future>(waiting: F) -> Option<F::Output> {
    let time = REQUEST_TIME.try_with(|time| (time.left.get(), (time.elapsed)()));
    let Ok((left, before)) = time else { return Some(waiting.await) };
    if left.is_zero() {
        return None;
    }
    let outcome = timeout(left, waiting).await.ok();
    REQUEST_TIME.with(|time| {
        let waited = (time.elapsed)().saturating_sub(before);
        time.left.set(left.saturating_sub(waited));
    });
    outcome
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::{pending, ready};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};

    /// A future that takes so long by the test's clock, and no real time.
    async fn take(clock: &AtomicU64, seconds: u64) {
        clock.fetch_add(seconds, Ordering::SeqCst);
        ready(()).await;
    }

    #[tokio::test]
    async fn the_operations_of_a_request_share_its_time() {
        // Given a request and a clock,
        let clock = Arc::new(AtomicU64::new(0));
        let read = clock.clone();
        let elapsed = move || Duration::from_secs(read.load(Ordering::SeqCst));
        of_request(elapsed, async {
            // when operations take three seconds and one, then that is all there was,
            assert_eq!(within_request(take(&clock, 3)).await, Some(()));
            assert_eq!(within_request(take(&clock, 1)).await, Some(()));
            assert_eq!(within_request(take(&clock, 0)).await, None);
        })
        .await;
        // and the time between operations does not count.
        let read = clock.clone();
        let elapsed = move || Duration::from_secs(read.load(Ordering::SeqCst));
        of_request(elapsed, async {
            assert_eq!(within_request(take(&clock, 3)).await, Some(()));
            take(&clock, 100).await;
            assert_eq!(within_request(take(&clock, 0)).await, Some(()));
        })
        .await;
    }

    #[tokio::test]
    async fn what_never_ends_is_given_up_when_the_time_is_over() {
        let (limit, elapsed) = (Duration::from_millis(20), || Duration::ZERO);
        let outcome = of_request_within(limit, elapsed, within_request(pending::<()>())).await;
        assert_eq!(outcome, None);
    }

    #[tokio::test]
    async fn outside_a_request_there_is_no_such_bound() {
        assert_eq!(within_request(ready(7)).await, Some(7));
    }
}
