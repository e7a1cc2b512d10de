//! The side that calls: builds the ids, submits all calls, waits for all answers.

use std::sync::Arc;
use std::time::Duration;

use crate::call::{Answer, Call, HookError, Run};
use crate::pool::Pool;

/// An id of this length that ends in the number of its call.
pub fn build_id(index: usize, length: usize) -> String {
    let number = index.to_string();
    let mut id = "x".repeat(length.saturating_sub(number.len()));
    id.push_str(&number);
    id
}

/// Calls the hook `count` times at once. Every call has ended when this returns: those that have no
/// answer by the deadline end with `HOOK_DEADLINE`.
pub fn call_all(pool: &Pool, count: usize, id_length: usize, deadline: Duration) -> Vec<Answer> {
    let run = Run::new(count);
    let calls: Vec<Arc<Call>> = (0..count)
        .map(|index| {
            let call = Call::new(&run, index, build_id(index, id_length));
            pool.submit(call.clone());
            call
        })
        .collect();
    if !run.wait(deadline) {
        calls.iter().for_each(|call| call.end(Err(HookError::deadline())));
        pool.forget_ended();
        // One that another thread was about to end is ended within moments.
        run.wait(Duration::MAX);
    }
    run.take_answers()
}
