//! What JavaScript sees of a pool.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, Weak};
use std::thread;
use std::time::{Duration, Instant};

use napi::bindgen_prelude::{Function, ObjectFinalize};
use napi::threadsafe_function::ThreadsafeFunctionCallMode::NonBlocking;
use napi::{Env, Result};
use napi_derive::napi;

use crate::call::{Answer, lock};
use crate::free_list::Order;
use crate::pool::Pool;
use crate::run::call_all;

type Pools = HashMap<String, Weak<Pool>>;

/// All threads that load this file share it; another copy of the addon has its own.
static POOLS: LazyLock<Mutex<(u64, Pools)>> = LazyLock::new(Mutex::default);

/// The pool that another thread has made with this copy of the addon.
pub fn find_pool(key: &str) -> Result<Arc<Pool>, String> {
    let found = lock(&POOLS).1.get(key).and_then(Weak::upgrade);
    found.ok_or_else(|| {
        let message = "no pool has this key: it was stopped, or made by another copy of the addon";
        napi::Error::new("HOOK_UNKNOWN_POOL".to_owned(), message)
    })
}

fn parse_order(name: Option<&str>) -> Result<Order, String> {
    match name {
        None | Some("last-in") => Ok(Order::LastIn),
        Some("first-in") => Ok(Order::FirstIn),
        Some("least-loaded") => Ok(Order::LeastLoaded),
        Some(other) => {
            let message = format!("the order must be last-in, first-in or least-loaded, it is {other}");
            Err(napi::Error::new("HOOK_UNKNOWN_ORDER".to_owned(), message))
        }
    }
}

/// A call that ended without an answer.
#[napi(object)]
pub struct Failure {
    pub index: u32,
    pub code: String,
    pub message: String,
}

/// What a run came to.
#[napi(custom_finalize)]
pub struct Outcome {
    answers: Vec<Answer>,
    duration: Duration,
}

impl Outcome {
    /// What V8 does not see of it, and has to know to collect it in time.
    fn held_bytes(&self) -> i64 {
        self.answers.iter().flatten().map(|answer| answer.len() as i64).sum()
    }
}

impl ObjectFinalize for Outcome {
    fn finalize(self, env: Env) -> Result<()> {
        env.adjust_external_memory(-self.held_bytes()).map(drop)
    }
}

#[napi]
impl Outcome {
    /// From the first id to the last answer, as Rust sees it, ms.
    #[napi(getter)]
    pub fn duration_ms(&self) -> f64 {
        self.duration.as_secs_f64() * 1000.0
    }

    /// The answers in the order of the calls, null where there was an error.
    #[napi]
    pub fn answers(&self) -> Vec<Option<&str>> {
        self.answers.iter().map(|answer| answer.as_deref().ok()).collect()
    }

    #[napi]
    pub fn failures(&self) -> Vec<Failure> {
        let errors =
            self.answers.iter().enumerate().filter_map(|(index, answer)| Some((index, answer.as_ref().err()?)));
        errors
            .map(|(index, error)| Failure {
                index: index as u32,
                code: error.code.clone(),
                message: error.message.clone(),
            })
            .collect()
    }
}

/// Hooks of any number of threads, called from Rust.
#[napi]
pub struct HookPool {
    pool: Arc<Pool>,
    key: String,
}

#[napi]
impl HookPool {
    /// `order`: in which free permits are taken, `last-in` unless told.
    #[napi(constructor)]
    pub fn new(order: Option<String>) -> Result<Self, String> {
        let pool = Arc::new(Pool::new(parse_order(order.as_deref())?));
        let mut pools = lock(&POOLS);
        // The address tells copies of the addon apart, the number pools of one.
        let key = format!("{:x}-{}", &raw const POOLS as usize, pools.0);
        pools.0 += 1;
        pools.1.insert(key.clone(), Arc::downgrade(&pool));
        drop(pools);
        Ok(Self { pool, key })
    }

    /// By which a thread registers its hook.
    #[napi(getter)]
    pub fn key(&self) -> String {
        self.key.clone()
    }

    /// Threads that have registered.
    #[napi(getter)]
    pub fn lanes(&self) -> u32 {
        self.pool.lanes() as u32
    }

    /// Calls the hook `count` times at once from a thread of its own, then `done` with the outcome.
    #[napi]
    pub fn run(&self, count: u32, id_length: u32, deadline_ms: u32, done: Function<Outcome, ()>) -> Result<()> {
        let done = done.build_threadsafe_function::<Outcome>().callee_handled::<false>();
        let done = done.build_callback(|context| {
            context.env.adjust_external_memory(context.value.held_bytes())?;
            Ok(context.value)
        })?;
        let pool = self.pool.clone();
        let deadline = Duration::from_millis(deadline_ms.into());
        thread::Builder::new().name("hook-caller".to_owned()).spawn(move || {
            let began = Instant::now();
            let answers = call_all(&pool, count as usize, id_length as usize, deadline);
            let duration = began.elapsed();
            // Where the thread that asked is gone there is nobody to tell.
            done.call(Outcome { answers, duration }, NonBlocking);
        })?;
        Ok(())
    }

    /// Ends every call with an answer or `HOOK_STOPPED`, and lets the threads of the hooks go.
    #[napi]
    pub fn stop(&self) {
        lock(&POOLS).1.remove(&self.key);
        self.pool.stop();
    }
}

impl Drop for HookPool {
    fn drop(&mut self) {
        self.stop();
    }
}
