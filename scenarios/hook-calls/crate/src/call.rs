//! One call of a hook, and the run that waits for all of its calls.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::Duration;

/// How a call can end without an answer: `code` is what a program can tell apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookError {
    pub code: String,
    pub message: String,
}

impl HookError {
    pub fn new(code: &str, message: &str) -> Self {
        Self { code: code.to_owned(), message: message.to_owned() }
    }

    pub fn deadline() -> Self {
        Self::new("HOOK_DEADLINE", "the hook did not answer in time")
    }

    pub fn worker_exited() -> Self {
        Self::new("HOOK_WORKER_EXITED", "the thread of the hook ended with the call in flight")
    }

    pub fn stopped() -> Self {
        Self::new("HOOK_STOPPED", "the pool was stopped")
    }

    pub fn no_worker() -> Self {
        Self::new("HOOK_NO_WORKER", "no thread is left that has the hook")
    }
}

/// What a call ends with.
pub type Answer = Result<String, HookError>;

/// A lock whose holder panicked still guards plain data here, and a panic must not spread.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// A call on its way. Whoever ends it first decides: a late answer finds it ended.
pub struct Call {
    index: usize,
    id: Mutex<Option<String>>,
    ended: AtomicBool,
    run: Arc<Run>,
}

impl Call {
    pub fn new(run: &Arc<Run>, index: usize, id: String) -> Arc<Self> {
        Arc::new(Self { index, id: Mutex::new(Some(id)), ended: AtomicBool::new(false), run: run.clone() })
    }

    /// The id, moved out to the hook; nothing where the call has ended while it waited.
    pub fn take_id(&self) -> Option<String> {
        lock(&self.id).take().filter(|_| !self.has_ended())
    }

    pub fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Acquire)
    }

    pub fn end(&self, answer: Answer) {
        if !self.ended.swap(true, Ordering::AcqRel) {
            self.run.end(self.index, answer);
        }
    }
}

/// The answers of a run so far.
struct Answers {
    by_index: Vec<Option<Answer>>,
    left: usize,
}

/// `count` calls of which all must end.
pub struct Run {
    answers: Mutex<Answers>,
    all_ended: Condvar,
}

impl Run {
    pub fn new(count: usize) -> Arc<Self> {
        Arc::new(Self {
            answers: Mutex::new(Answers { by_index: (0..count).map(|_| None).collect(), left: count }),
            all_ended: Condvar::new(),
        })
    }

    fn end(&self, index: usize, answer: Answer) {
        let mut answers = lock(&self.answers);
        answers.by_index[index] = Some(answer);
        answers.left -= 1;
        // Only the last one wakes: a thread that is woken for each of a thousand calls would take
        // the core from the hooks.
        if answers.left == 0 {
            self.all_ended.notify_all();
        }
    }

    /// Whether all calls have ended within that time.
    pub fn wait(&self, most: Duration) -> bool {
        let answers = lock(&self.answers);
        let waited = self.all_ended.wait_timeout_while(answers, most, |answers| answers.left > 0);
        waited.unwrap_or_else(|poisoned| poisoned.into_inner()).0.left == 0
    }

    /// The answers in the order of the calls; those that have not ended are missing.
    pub fn take_answers(&self) -> Vec<Answer> {
        std::mem::take(&mut lock(&self.answers).by_index).into_iter().flatten().collect()
    }
}
