//! The thread of a hook: takes calls off its lane and runs the hook, until nothing waits or its turn
//! is over.

use std::sync::{Arc, OnceLock, Weak};
use std::time::{Duration, Instant};

use napi::bindgen_prelude::{FnArgs, Function, FunctionRef};
use napi::threadsafe_function::ThreadsafeFunctionCallMode::NonBlocking;
use napi::{Env, Result, Status};
use napi_derive::napi;

use crate::addon::find_pool;
use crate::call::HookError;
use crate::pool::{Lane, Pool};
use crate::text::{FromHook, ToHook, in_scope};

/// `(ticket, id) => answer`; anything but a string: answered under the ticket before or later.
type Single = FnArgs<(u32, ToHook)>;
/// `(tickets, ids) => answers`.
type Batch = FnArgs<(Vec<u32>, Vec<ToHook>)>;

/// How a lane works.
#[napi(object)]
pub struct LaneOptions {
    /// Calls that may be handed to this thread at once; the hook still runs one after the other.
    pub depth: u32,
    /// Calls that one call of JavaScript may take together.
    pub batch: u32,
    /// How long calls are run before the event loop has its turn, microseconds; 0 = one call a turn.
    pub turn_micros: u32,
}

/// What the thread of a hook has in hand of its lane.
#[napi]
pub struct HookLane {
    lane: Arc<Lane>,
}

#[napi]
impl HookLane {
    /// The answer of a call whose hook returned a promise. A second or late one goes nowhere.
    #[napi]
    pub fn answer(&self, ticket: u32, text: String) {
        if let Some(call) = self.lane.redeem(ticket) {
            call.end(Ok(text));
        }
    }

    /// Ends a call with an error.
    #[napi]
    pub fn refuse(&self, ticket: u32, code: String, message: String) {
        if let Some(call) = self.lane.redeem(ticket) {
            call.end(Err(HookError { code, message }));
        }
    }
}

/// The functions of one lane, and how far a turn goes.
struct Runner {
    pool: Arc<Pool>,
    single: FunctionRef<Single, FromHook>,
    batch: FunctionRef<Batch, Vec<FromHook>>,
    most: usize,
    turn: Duration,
}

impl Runner {
    /// One turn on the thread of the lane.
    fn run(&self, env: &Env, lane: &Lane) {
        let began = Instant::now();
        loop {
            let (next, passed_over) = lane.next();
            (0..passed_over).for_each(|_| self.pool.give_back(lane));
            let Some(first) = next else {
                // What was passed over may have made room for calls that wait.
                if lane.has_work() {
                    continue;
                }
                return;
            };
            // An error here is JavaScript being ended, as the functions themselves throw nothing: the
            // thread is going, and what it holds is ended when it is gone.
            if !matches!(in_scope(env, || self.call(env, lane, first)), Ok(Ok(()))) {
                return;
            }
            self.pool.give_back(lane);
            if began.elapsed() >= self.turn {
                if lane.has_work() {
                    lane.wake();
                }
                return;
            }
        }
    }

    fn call(&self, env: &Env, lane: &Lane, first: (u32, String)) -> Result<()> {
        let more = lane.hold(self.pool.take_more(self.most - 1));
        if more.is_empty() {
            let (ticket, id) = first;
            let answer = self.single.borrow_back(env)?.call((ticket, ToHook(id)).into())?;
            end(lane, ticket, answer);
            return Ok(());
        }
        let (tickets, ids): (Vec<u32>, Vec<ToHook>) =
            std::iter::once(first).chain(more).map(|(ticket, id)| (ticket, ToHook(id))).unzip();
        let answers = self.batch.borrow_back(env)?.call((tickets.clone(), ids).into())?;
        for (ticket, answer) in tickets.into_iter().zip(answers) {
            end(lane, ticket, answer);
        }
        Ok(())
    }
}

fn end(lane: &Lane, ticket: u32, FromHook(answer): FromHook) {
    let call = answer.and_then(|text| lane.redeem(ticket).map(|call| (call, text)));
    if let Some((call, text)) = call {
        call.end(Ok(text));
    }
}

/// Registers the hook of this thread with the pool of that key. The lane lives until the pool stops or
/// the thread ends, and keeps the thread alive until then.
#[napi]
pub fn register(
    env: Env,
    key: String,
    single: Function<Single, FromHook>,
    batch: Function<Batch, Vec<FromHook>>,
    options: LaneOptions,
) -> Result<HookLane, String> {
    let pool = find_pool(&key)?;
    add_lane(&env, pool, single, batch, &options)
        .map_err(|error| napi::Error::new("HOOK_FAILED".to_owned(), error.reason.clone()))?
        .ok_or_else(|| napi::Error::new("HOOK_STOPPED".to_owned(), "the pool was stopped"))
}

fn add_lane(
    env: &Env,
    pool: Arc<Pool>,
    single: Function<Single, FromHook>,
    batch: Function<Batch, Vec<FromHook>>,
    options: &LaneOptions,
) -> Result<Option<HookLane>> {
    let runner = Runner {
        pool: pool.clone(),
        single: single.create_ref()?,
        batch: batch.create_ref()?,
        most: options.batch.max(1) as usize,
        turn: Duration::from_micros(options.turn_micros.into()),
    };
    // Weak: the function is held by what wakes it, which the lane holds.
    let own = Arc::new(OnceLock::<Weak<Lane>>::new());
    let seen = own.clone();
    let turn = env.create_function_from_closure::<(), (), _>("turn", move |context| {
        if let Some(lane) = seen.get().and_then(Weak::upgrade) {
            runner.run(context.env, &lane);
        }
        Ok(())
    })?;
    let waker = turn.build_threadsafe_function::<()>().callee_handled::<false>().build()?;
    let wake = Box::new(move || waker.call((), NonBlocking) == Status::Ok);
    let Some(lane) = pool.add_lane(options.depth.max(1) as usize, wake) else {
        return Ok(None);
    };
    let _ = own.set(Arc::downgrade(&lane));
    let id = lane.id;
    // Weak: the main thread lives longer than its pools.
    let pool = Arc::downgrade(&pool);
    env.add_env_cleanup_hook((), move |()| {
        if let Some(pool) = pool.upgrade() {
            pool.remove_lane(id);
        }
    })?;
    Ok(Some(HookLane { lane }))
}
