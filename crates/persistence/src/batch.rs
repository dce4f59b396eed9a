//! Gathers what concurrent callers ask for, and asks it once.
use crate::{Error, Result};
use futures_util::future::BoxFuture;
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot};

type Waiting<A, R> = (A, oneshot::Sender<Result<R>>);
type Ask<A, R> = Arc<dyn Fn(Vec<A>) -> BoxFuture<'static, Result<Vec<R>>> + Send + Sync>;

/// While one batch is on its way the next one gathers: alone, a question goes at once; under load,
/// many share a round trip and a commit. Nobody waits on a timer.
pub struct Batcher<A, R> {
    queue: mpsc::Sender<Waiting<A, R>>,
}

impl<A: Clone + Send + 'static, R: Send + 'static> Batcher<A, R> {
    /// `ask` answers a batch in its order; `lanes` batches may be on their way at a time, each of
    /// `most` at most. Runs on the current tokio runtime.
    pub fn new(
        lanes: usize,
        most: usize,
        ask: impl Fn(Vec<A>) -> BoxFuture<'static, Result<Vec<R>>> + Send + Sync + 'static,
    ) -> Self {
        let (queue, waiting) = mpsc::channel(lanes * most * 4);
        let waiting = Arc::new(tokio::sync::Mutex::new(waiting));
        let ask: Ask<A, R> = Arc::new(ask);
        for _ in 0..lanes {
            tokio::spawn(lane(waiting.clone(), most, ask.clone()));
        }
        Self { queue }
    }

    /// The answer to `question`, with which others may have travelled.
    pub async fn ask(&self, question: A) -> Result<R> {
        let (answer, answered) = oneshot::channel();
        let gone = || Error::Unknown("the server is shutting down".to_owned());
        let sent = self.queue.send((question, answer)).await;
        sent.map_err(|_| gone())?;
        answered.await.map_err(|_| gone())?
    }
}

async fn lane<A: Clone + Send + 'static, R: Send + 'static>(
    waiting: Arc<tokio::sync::Mutex<mpsc::Receiver<Waiting<A, R>>>>,
    most: usize,
    ask: Ask<A, R>,
) {
    let mut batch = Vec::with_capacity(most);
    while waiting.lock().await.recv_many(&mut batch, most).await > 0 {
        let (questions, callers): (Vec<A>, Vec<_>) = batch.drain(..).unzip();
        match ask(questions.clone()).await {
            Ok(answers) => {
                for (caller, answer) in callers.into_iter().zip(answers) {
                    // Whoever no longer waits does not want the answer.
                    drop(caller.send(Ok(answer)));
                }
            }
            // One bad question fails its batch: then each goes alone, and only that one fails. One that
            // was alone goes once more: what stood in its way may be the answer (another instance
            // has answered the same request).
            Err(error) if error.is_refusal() => {
                for (caller, question) in callers.into_iter().zip(questions) {
                    let alone = ask(vec![question]).await;
                    drop(caller.send(alone.and_then(only)));
                }
            }
            Err(error) => {
                for caller in callers {
                    drop(caller.send(Err(error.again())));
                }
            }
        }
    }
}

fn only<R>(answers: Vec<R>) -> Result<R> {
    let first = answers.into_iter().next();
    first.ok_or_else(|| Error::Unknown("a question was not answered".to_owned()))
}
