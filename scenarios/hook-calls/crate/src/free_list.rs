//! Who may have a call in flight: pure bookkeeping, without threads and without Node.js.
//!
//! Invariants, held by `tests/free_list.rs` against random histories:
//! a lane's permits in flight and on the list add up to its depth, whatever dies, throws or answers
//! late; no call waits while a permit is free; each call is handed out once or returned to be ended;
//! of the free permits the one that the order names is taken.

use std::collections::{HashMap, VecDeque};

/// Names a lane for good: numbers are not used again, so a late answer cannot meet a new lane.
pub type LaneId = u64;

/// Which of the free permits a call takes. It matters only while there are more permits than calls:
/// a call that waits goes to the lane whose permit comes back.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Order {
    /// The last one in is the first one out: its thread is the one that slept least and whose caches
    /// are warm.
    #[default]
    LastIn,
    /// In turn, as from a channel.
    FirstIn,
    /// One of the lane with the fewest calls in flight, of several the last one in.
    LeastLoaded,
}

/// Permits of one lane.
struct Permits {
    in_flight: usize,
    depth: usize,
}

/// Free permits, and the calls that wait for one.
pub struct FreeList<C> {
    lanes: HashMap<LaneId, Permits>,
    /// One entry for each free permit, the last one in at the end.
    free: VecDeque<LaneId>,
    order: Order,
    waiting: VecDeque<C>,
    next: LaneId,
}

impl<C> FreeList<C> {
    pub fn new(order: Order) -> Self {
        Self { lanes: HashMap::new(), free: VecDeque::new(), order, waiting: VecDeque::new(), next: 0 }
    }

    /// A lane that takes `depth` calls at once, and those of the waiting calls that it takes now.
    pub fn add_lane(&mut self, depth: usize) -> (LaneId, Vec<C>) {
        let lane = self.next;
        self.next += 1;
        let taken: Vec<C> = self.waiting.drain(..depth.min(self.waiting.len())).collect();
        let in_flight = taken.len();
        self.free.extend((in_flight..depth).map(|_| lane));
        self.lanes.insert(lane, Permits { in_flight, depth });
        (lane, taken)
    }

    /// The lane that takes this call, or nothing: then it waits.
    pub fn submit(&mut self, call: C) -> Option<(LaneId, C)> {
        let Some(lane) = self.take_free() else {
            self.waiting.push_back(call);
            return None;
        };
        let permits = self.lanes.get_mut(&lane).expect("a free permit has a lane");
        permits.in_flight += 1;
        Some((lane, call))
    }

    fn take_free(&mut self) -> Option<LaneId> {
        match self.order {
            Order::LastIn => self.free.pop_back(),
            Order::FirstIn => self.free.pop_front(),
            Order::LeastLoaded => {
                let by_load = self.free.iter().enumerate().rev().min_by_key(|(_, lane)| self.lanes[*lane].in_flight);
                let (at, _) = by_load?;
                self.free.remove(at)
            }
        }
    }

    /// A permit comes back; the call that waits longest goes to the same lane with it. From a lane
    /// that is gone, or one that has none in flight, nothing comes back: no answer makes a permit.
    pub fn give_back(&mut self, lane: LaneId) -> Option<C> {
        let permits = self.lanes.get_mut(&lane).filter(|permits| permits.in_flight > 0)?;
        let next = self.waiting.pop_front();
        if next.is_none() {
            permits.in_flight -= 1;
            self.free.push_back(lane);
        }
        next
    }

    /// More calls for a permit in flight that covers a batch: no more than an even share of what
    /// waits, or one lane would empty the queue while others have nothing to do.
    pub fn take_more(&mut self, most: usize) -> Vec<C> {
        let share = self.waiting.len().div_ceil(self.lanes.len().max(1));
        self.waiting.drain(..share.min(most)).collect()
    }

    /// The lane is gone with its permits. Where it was the last one, nobody is left to take what
    /// waits: those calls come back to be ended.
    pub fn remove_lane(&mut self, lane: LaneId) -> Vec<C> {
        if self.lanes.remove(&lane).is_none() {
            return Vec::new();
        }
        self.free.retain(|&free| free != lane);
        if self.lanes.is_empty() { self.take_waiting() } else { Vec::new() }
    }

    /// All that wait, to be ended.
    pub fn take_waiting(&mut self) -> Vec<C> {
        self.waiting.drain(..).collect()
    }

    /// Free permits, those in flight, and the depths of all lanes together.
    pub fn permits(&self) -> (usize, usize, usize) {
        let in_flight = self.lanes.values().map(|permits| permits.in_flight).sum();
        let depth = self.lanes.values().map(|permits| permits.depth).sum();
        (self.free.len(), in_flight, depth)
    }

    /// Calls that wait for a permit.
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }
}
