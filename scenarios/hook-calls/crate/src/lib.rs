//! Calls JavaScript hooks from Rust: `resolveId(id)`, many times at once, on whichever threads have
//! registered the hook.
//!
//! One block of calls is followed through five files: [`run`] builds the ids and waits, [`pool`]
//! hands each call to a lane by the [`free_list`], `lane` runs the hook on its own thread, and
//! [`call`] takes the one result that each call ends with. All `unsafe` is in `text`, which brings
//! strings into V8 and out of it with as few copies as Node-API allows.
//!
//! A *lane* is a hook with the thread it lives on: the main thread or a worker thread. A *permit* is
//! the right to have one call in flight on a lane.

pub mod call;
pub mod free_list;
pub mod pool;
pub mod run;

// Without Node.js nothing calls them: what is tested by cargo is the rest.
#[cfg(not(test))]
mod addon;
#[cfg(not(test))]
mod lane;
#[cfg(not(test))]
mod text;
