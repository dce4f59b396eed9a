//! Combines the queries of concurrent callers into batches. One call of a query is called a
//! *question*.
use crate::deadline::{CONNECTION, OPERATION, within_request};
use crate::{Error, Result};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

type WaitingCaller<A, R> = (A, oneshot::Sender<Result<R>>);
type Ask<A, R> = Arc<dyn Fn(Vec<A>) -> BoxFuture<'static, Result<Vec<R>>> + Send + Sync>;

/// The longest time that a caller waits for an answer. The previous batch and then the batch with
/// its question may each take the longest time of an operation.
const ANSWER: Duration = Duration::from_secs(2 * (CONNECTION.as_secs() + OPERATION.as_secs()));

/// The minimum number of questions of a large batch. Large batches mean that questions arrive
/// faster than they are answered.
const LARGE: usize = 16;

/// Collects questions while the previous batch is being answered. Without load, a question is sent
/// at once; under load, many questions share a round trip and a commit. No caller waits for a
/// timer.
pub struct Batcher<A, R> {
    queue: mpsc::Sender<WaitingCaller<A, R>>,
    large: Arc<AtomicU64>,
}

impl<A: Clone + Send + 'static, R: Send + 'static> Batcher<A, R> {
    /// Creates a batcher on the current tokio runtime. At most `lanes` batches run at a time, each
    /// with at most `most` questions. `ask` must return the answers in the order of the questions,
    /// and in bounded time.
    pub fn new(
        lanes: usize,
        most: usize,
        ask: impl Fn(Vec<A>) -> BoxFuture<'static, Result<Vec<R>>> + Send + Sync + 'static,
    ) -> Self {
        let (queue, waiting) = mpsc::channel(lanes * most * 4);
        let waiting = Arc::new(tokio::sync::Mutex::new(waiting));
        let ask: Ask<A, R> = Arc::new(ask);
        let large = Arc::default();
        for _ in 0..lanes {
            tokio::spawn(lane(waiting.clone(), most, ask.clone(), Arc::clone(&large)));
        }
        Self { queue, large }
    }

    /// Returns the number of large batches so far.
    #[must_use]
    pub fn large_batches(&self) -> u64 {
        self.large.load(Ordering::Relaxed)
    }

    /// Returns the answer to `question`, which may share a batch with other questions.
    ///
    /// # Errors
    ///
    /// [`Error::Unknown`] when the answer did not come in time.
    pub async fn submit(&self, question: A) -> Result<R> {
        self.ask_within(ANSWER, question).await
    }

    async fn ask_within(&self, limit: Duration, question: A) -> Result<R> {
        let (answer, answered) = oneshot::channel();
        let gone = || Error::Unknown("the server is shutting down".to_owned());
        let late = || Error::Unknown("the batch of queries was not answered in time".to_owned());
        let waiting = async {
            let sent = self.queue.send((question, answer)).await;
            sent.map_err(|_| gone())?;
            answered.await.map_err(|_| gone())?
        };
        let outcome = within_request(timeout(limit, waiting)).await;
        outcome.and_then(Result::ok).ok_or_else(late)?
    }
}

async fn lane<A: Clone + Send + 'static, R: Send + 'static>(
    waiting: Arc<tokio::sync::Mutex<mpsc::Receiver<WaitingCaller<A, R>>>>,
    most: usize,
    ask: Ask<A, R>,
    large: Arc<AtomicU64>,
) {
    let mut batch = Vec::with_capacity(most);
    while waiting.lock().await.recv_many(&mut batch, most).await > 0 {
        // Skips questions whose callers gave up while the previous batch was running.
        let (questions, callers): (Vec<A>, Vec<_>) =
            batch.drain(..).filter(|(_, caller)| !caller.is_closed()).unzip();
        if questions.is_empty() {
            continue;
        }
        if questions.len() >= LARGE {
            large.fetch_add(1, Ordering::Relaxed);
        }
        match guarded(&ask, questions.clone()).await {
            Ok(answers) => {
                let mut answers = answers.into_iter();
                for caller in callers {
                    // Sending fails if the caller no longer waits.
                    drop(caller.send(answers.next().ok_or_else(unanswered)));
                }
            }
            // One bad question makes its whole batch fail. Each question is then asked again alone,
            // so that only the bad one fails. A batch of one question is also asked again: the
            // question may have failed because another instance answered the same request at the
            // same time, and then the second attempt returns that answer.
            Err(error) if error.is_refusal() => {
                for (caller, question) in callers.into_iter().zip(questions) {
                    if !caller.is_closed() {
                        let alone = guarded(&ask, vec![question]).await;
                        drop(caller.send(alone.and_then(only)));
                    }
                }
            }
            Err(error) => {
                for caller in callers {
                    drop(caller.send(Err(error.for_another_caller())));
                }
            }
        }
    }
}

/// Runs one batch. A panic becomes an internal error, so the lane keeps running and only the call
/// that caused it fails.
async fn guarded<A, R>(ask: &Ask<A, R>, questions: Vec<A>) -> Result<Vec<R>> {
    let asked = AssertUnwindSafe(async { ask(questions).await }).catch_unwind().await;
    asked.unwrap_or_else(|_| {
        tracing::error!("a batch panicked; its questions are asked one by one");
        Err(Error::Internal("a query panicked".to_owned()))
    })
}

fn only<R>(answers: Vec<R>) -> Result<R> {
    answers.into_iter().next().ok_or_else(unanswered)
}

fn unanswered() -> Error {
    Error::Internal("a question was not answered".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deadline::of_request_within;
    use futures_util::future::join_all;
    use std::future::pending;
    use std::sync::Mutex;

    const LANES: usize = 2;

    /// A batcher that answers each number with itself, panics at 0, and never answers a batch that
    /// contains a 1.
    fn numbers() -> (Batcher<u32, u32>, Arc<Mutex<Vec<u32>>>) {
        let asked = Arc::<Mutex<Vec<u32>>>::default();
        let seen = asked.clone();
        let batcher = Batcher::new(LANES, 1, move |batch: Vec<u32>| {
            seen.lock().unwrap().extend(&batch);
            assert!(!batch.contains(&0), "a zero");
            async move {
                if batch.contains(&1) {
                    pending::<()>().await;
                }
                Ok(batch)
            }
            .boxed()
        });
        (batcher, asked)
    }

    #[tokio::test]
    async fn a_panic_costs_its_batch_and_no_lane() {
        // Given more panics than there are lanes, of which each fails only its own callers,
        let (batcher, _) = numbers();
        let panicked = join_all((0..4 * LANES).map(|_| batcher.submit(0))).await;
        assert!(panicked.iter().all(|it| matches!(it, Err(Error::Internal(_)))), "{panicked:?}");

        // when others ask, then they are answered.
        let answers = join_all((2..20).map(|number| batcher.submit(number))).await;
        let answers: Vec<u32> = answers.into_iter().map(Result::unwrap).collect();
        assert_eq!(answers, (2..20).collect::<Vec<_>>());
    }

    /// The request of a caller in the tests below.
    #[derive(Clone, Copy, Debug, PartialEq)]
    enum TestQuestion {
        Fine(usize),
        BreaksARule,
        Panics,
        LosesTheConnection,
    }

    /// Returns a batcher whose batches fail as a whole, as a transaction does.
    fn transactions() -> Batcher<TestQuestion, usize> {
        Batcher::new(1, 128, |batch: Vec<TestQuestion>| {
            async move {
                let mut answers = Vec::new();
                for question in batch {
                    match question {
                        TestQuestion::Fine(number) => answers.push(number),
                        TestQuestion::BreaksARule => {
                            return Err(Error::Internal("a count went missing".to_owned()));
                        }
                        TestQuestion::Panics => panic!("a query panics"),
                        TestQuestion::LosesTheConnection => {
                            return Err(Error::Unknown("the connection was lost".to_owned()));
                        }
                    }
                }
                Ok(answers)
            }
            .boxed()
        })
    }

    #[tokio::test]
    async fn an_internal_error_fails_only_the_question_that_caused_it() {
        for fault in [TestQuestion::BreaksARule, TestQuestion::Panics] {
            // Given 127 callers that share a batch with one caller whose question makes the program
            // fail,
            let batcher = transactions();
            let mut questions: Vec<TestQuestion> = (0..127).map(TestQuestion::Fine).collect();
            questions.insert(64, fault);

            // when they all ask at once,
            let answers =
                join_all(questions.iter().map(|question| batcher.submit(*question))).await;

            // then this caller gets the internal error, and each of the others gets its own answer.
            for (question, answer) in questions.iter().zip(answers) {
                match question {
                    TestQuestion::Fine(number) => assert_eq!(answer.unwrap(), *number),
                    _ => assert!(answer.unwrap_err().is_internal(), "{fault:?}"),
                }
            }
        }
    }

    #[tokio::test]
    async fn a_batch_whose_outcome_is_unknown_is_not_repeated() {
        let batcher = transactions();
        let questions =
            [TestQuestion::Fine(1), TestQuestion::LosesTheConnection, TestQuestion::Fine(2)];
        let answers = join_all(questions.map(|question| batcher.submit(question))).await;
        assert!(answers.iter().all(|it| matches!(it, Err(Error::Unknown(_)))), "{answers:?}");
    }

    #[tokio::test]
    async fn a_question_without_an_answer_is_told_so() {
        // Given a query that returns one answer less than there are questions,
        let batcher = Batcher::new(1, 8, |mut batch: Vec<usize>| {
            batch.truncate(batch.len().saturating_sub(1).max(1));
            async move { Ok(batch) }.boxed()
        });

        // when several callers share a batch, then the last caller gets an error.
        let answers = join_all((0..3).map(|number| batcher.submit(number))).await;
        assert!(
            matches!(answers.as_slice(), [Ok(0), Ok(1), Err(Error::Internal(_))]),
            "{answers:?}"
        );
    }

    #[tokio::test]
    async fn who_waits_for_a_batch_that_never_ends_is_answered_in_time() {
        // Given lanes that all wait for an answer that never comes,
        let (batcher, asked) = numbers();
        let limit = Duration::from_millis(50);
        let stuck = join_all((0..LANES).map(|_| batcher.ask_within(limit, 1))).await;

        // then their callers learn that the outcome is unknown,
        assert!(stuck.iter().all(|it| matches!(it, Err(Error::Unknown(_)))), "{stuck:?}");
        // and so do callers whose question was never sent, outside a request and inside one.
        let behind = batcher.ask_within(limit, 2).await;
        assert!(matches!(behind, Err(Error::Unknown(_))), "{behind:?}");
        let behind = of_request_within(limit, || Duration::ZERO, batcher.submit(3)).await;
        assert!(matches!(behind, Err(Error::Unknown(_))), "{behind:?}");
        assert_eq!(*asked.lock().unwrap(), [1, 1]);
    }

    #[tokio::test]
    async fn a_question_whose_caller_has_given_up_is_not_asked() {
        // Given a question that waits behind one that is being answered,
        let asked = Arc::<Mutex<Vec<u32>>>::default();
        let (seen, go) = (asked.clone(), Arc::new(tokio::sync::Notify::new()));
        let gate = go.clone();
        let batcher = Batcher::new(1, 1, move |batch: Vec<u32>| {
            seen.lock().unwrap().extend(&batch);
            let gate = gate.clone();
            async move {
                gate.notified().await;
                Ok(batch)
            }
            .boxed()
        });
        let mut first = Box::pin(batcher.submit(1));
        assert!(first.as_mut().now_or_never().is_none());
        let mut second = Box::pin(batcher.submit(2));
        assert!(second.as_mut().now_or_never().is_none());

        // when its caller gives up, then the question is never asked.
        drop(second);
        go.notify_one();
        assert_eq!(first.await.unwrap(), 1);
        go.notify_one();
        assert_eq!(batcher.submit(3).await.unwrap(), 3);
        assert_eq!(*asked.lock().unwrap(), [1, 3]);
    }
}
