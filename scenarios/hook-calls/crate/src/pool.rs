//! Lanes and the calls between them. Knows of threads, but not of Node.js.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};

use crate::call::{Call, HookError, lock};
use crate::free_list::{FreeList, LaneId, Order};

/// Wakes the thread of a lane; false where that thread is gone.
pub type Wake = Box<dyn Fn() -> bool + Send + Sync>;

/// What a lane has to do.
#[derive(Default)]
struct Work {
    inbox: VecDeque<Arc<Call>>,
    /// In the hook or behind a promise that it returned, by ticket.
    held: HashMap<u32, Arc<Call>>,
    tickets: u32,
}

/// The side of a lane that other threads see.
pub struct Lane {
    pub id: LaneId,
    /// None once closed: what comes later is ended at once.
    work: Mutex<Option<Work>>,
    wake: Mutex<Option<Wake>>,
}

impl Lane {
    /// The next call with its id, on a ticket under which it is answered. Calls that have ended
    /// while they waited are passed over, with how many those were: their permits come back.
    pub fn next(&self) -> (Option<(u32, String)>, usize) {
        let mut passed_over = 0;
        if let Some(work) = lock(&self.work).as_mut() {
            while let Some(call) = work.inbox.pop_front() {
                if let Some(id) = call.take_id() {
                    return (Some((work.hold(call), id)), passed_over);
                }
                passed_over += 1;
            }
        }
        (None, passed_over)
    }

    /// Puts calls of a batch on tickets, beside the one whose permit they share.
    pub fn hold(&self, calls: Vec<Arc<Call>>) -> Vec<(u32, String)> {
        let mut work = lock(&self.work);
        let Some(work) = work.as_mut() else {
            calls.iter().for_each(|call| call.end(Err(HookError::worker_exited())));
            return Vec::new();
        };
        let taken = calls.into_iter().filter_map(|call| call.take_id().map(|id| (call, id)));
        taken.map(|(call, id)| (work.hold(call), id)).collect()
    }

    /// The call of a ticket, which is used up; nothing for a second answer.
    pub fn redeem(&self, ticket: u32) -> Option<Arc<Call>> {
        lock(&self.work).as_mut()?.held.remove(&ticket)
    }

    pub fn has_work(&self) -> bool {
        lock(&self.work).as_ref().is_some_and(|work| !work.inbox.is_empty())
    }

    pub fn push(&self, call: Arc<Call>) {
        match lock(&self.work).as_mut() {
            Some(work) => work.inbox.push_back(call),
            None => call.end(Err(HookError::worker_exited())),
        }
    }

    pub fn wake(&self) -> bool {
        lock(&self.wake).as_ref().is_some_and(|wake| wake())
    }

    fn forget_ended(&self) {
        if let Some(work) = lock(&self.work).as_mut() {
            work.held.retain(|_, call| !call.has_ended());
        }
    }

    fn close(&self, error: &HookError) {
        let work = lock(&self.work).take();
        for call in work.into_iter().flat_map(|work| work.inbox.into_iter().chain(work.held.into_values())) {
            call.end(Err(error.clone()));
        }
        // Let go of outside the lock: its drop calls into Node.js.
        let wake = lock(&self.wake).take();
        drop(wake);
    }
}

impl Work {
    fn hold(&mut self, call: Arc<Call>) -> u32 {
        let ticket = self.tickets;
        self.tickets = ticket.wrapping_add(1);
        self.held.insert(ticket, call);
        ticket
    }
}

struct State {
    list: FreeList<Arc<Call>>,
    lanes: HashMap<LaneId, Arc<Lane>>,
    is_stopped: bool,
    /// Before the first lane calls wait for it; after the last one nobody comes.
    has_had_lanes: bool,
}

/// Hooks of the same name on any number of threads.
pub struct Pool {
    state: Mutex<State>,
}

impl Pool {
    pub fn new(order: Order) -> Self {
        let list = FreeList::new(order);
        let state = State { list, lanes: HashMap::new(), is_stopped: false, has_had_lanes: false };
        Self { state: Mutex::new(state) }
    }

    /// A lane for `depth` calls at once; nothing where the pool is stopped.
    pub fn add_lane(&self, depth: usize, wake: Wake) -> Option<Arc<Lane>> {
        let mut state = lock(&self.state);
        if state.is_stopped {
            return None;
        }
        state.has_had_lanes = true;
        let (id, taken) = state.list.add_lane(depth);
        let has_work = !taken.is_empty();
        let work = Work { inbox: taken.into(), ..Work::default() };
        let lane = Arc::new(Lane { id, work: Mutex::new(Some(work)), wake: Mutex::new(Some(wake)) });
        state.lanes.insert(id, lane.clone());
        drop(state);
        if has_work {
            lane.wake();
        }
        Some(lane)
    }

    /// Hands the call to a free lane, or has it wait for one. Every call that comes here ends.
    pub fn submit(&self, call: Arc<Call>) {
        let mut state = lock(&self.state);
        if state.is_stopped {
            drop(state);
            return call.end(Err(HookError::stopped()));
        }
        if state.has_had_lanes && state.lanes.is_empty() {
            drop(state);
            return call.end(Err(HookError::no_worker()));
        }
        let Some((id, call)) = state.list.submit(call) else { return };
        let lane = state.lanes[&id].clone();
        drop(state);
        lane.push(call);
        if !lane.wake() {
            self.remove_lane(id);
        }
    }

    /// A permit comes back from this lane, which takes the next call with it, if one waits.
    pub fn give_back(&self, lane: &Lane) {
        if let Some(call) = lock(&self.state).list.give_back(lane.id) {
            lane.push(call);
        }
    }

    /// Waiting calls for a batch.
    pub fn take_more(&self, most: usize) -> Vec<Arc<Call>> {
        if most == 0 { Vec::new() } else { lock(&self.state).list.take_more(most) }
    }

    /// The thread of this lane is gone.
    pub fn remove_lane(&self, id: LaneId) {
        let mut state = lock(&self.state);
        let orphans = state.list.remove_lane(id);
        let lane = state.lanes.remove(&id);
        drop(state);
        if let Some(lane) = lane {
            lane.close(&HookError::worker_exited());
        }
        for call in orphans {
            call.end(Err(HookError::no_worker()));
        }
    }

    /// Ended calls leave nothing behind at the lanes that have not answered them.
    pub fn forget_ended(&self) {
        let lanes: Vec<Arc<Lane>> = lock(&self.state).lanes.values().cloned().collect();
        lanes.iter().for_each(|lane| lane.forget_ended());
    }

    /// Ends what waits and what is in flight. Lanes let their threads go.
    pub fn stop(&self) {
        let mut state = lock(&self.state);
        state.is_stopped = true;
        let waiting = state.list.take_waiting();
        let lanes = std::mem::take(&mut state.lanes);
        for id in lanes.keys() {
            state.list.remove_lane(*id);
        }
        drop(state);
        for lane in lanes.values() {
            lane.close(&HookError::stopped());
        }
        for call in waiting {
            call.end(Err(HookError::stopped()));
        }
    }

    /// Lanes that live.
    pub fn lanes(&self) -> usize {
        lock(&self.state).lanes.len()
    }
}
