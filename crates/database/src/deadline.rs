//! Deadlines for waiting on the database.
//!
//! An operation waits up to `CONNECTION` for a connection, and may take `OPERATION` on it. A
//! connection that has not answered by then is closed. All operations of one request together wait
//! at most [`REQUEST`], so that each request is answered in time.
use std::cell::Cell;
use std::time::Duration;
use tokio::time::timeout;

/// The longest time that all operations of one request together wait for the database.
pub const REQUEST: Duration = Duration::from_secs(4);
/// The longest time that an operation waits for a connection.
pub const CONNECTION: Duration = Duration::from_secs(3);
/// The longest time that an operation, which may have several statements, takes on its connection.
pub const OPERATION: Duration = Duration::from_secs(3);

/// The longest time of a long operation. Such an operation merges two conversations, which may have
/// millions of messages. A contact is merged at most once.
pub const LONG_OPERATION: Duration = Duration::from_mins(1);

tokio::task_local! {
    static REQUEST_TIME: RequestTime;
}

struct RequestTime {
    elapsed: Box<dyn Fn() -> Duration>,
    left: Cell<Duration>,
}

/// Runs the work of one request under the limit [`REQUEST`]. `elapsed` returns the time since some
/// fixed moment.
///
/// Only waiting for the database in the request's own task counts against the limit. Waiting for a
/// slow request body does not count, nor does work that continues after the answer.
pub async fn of_request<F: Future>(elapsed: impl Fn() -> Duration + 'static, work: F) -> F::Output {
    of_request_within(REQUEST, elapsed, work).await
}

/// Runs the work of one request under the limit `limit`.
pub async fn of_request_within<F: Future>(
    limit: Duration,
    elapsed: impl Fn() -> Duration + 'static,
    work: F,
) -> F::Output {
    let time = RequestTime { elapsed: Box::new(elapsed), left: Cell::new(limit) };
    REQUEST_TIME.scope(time, work).await
}

/// Awaits `waiting` for at most the time that the request has left. Outside of a request there is
/// no limit. Returns `None` when the time is used up. If the time was used up before the call,
/// `waiting` is never polled.
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

    /// Advances the test's clock by `seconds` without taking real time.
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
            // when operations take three seconds and one second, then the request's time is used
            // up,
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
