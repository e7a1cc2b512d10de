//! Random histories of a free list against a model of what is true of it.

use std::collections::{BTreeMap, HashSet};

use hook_calls::free_list::{FreeList, LaneId, Order};
use proptest::prelude::*;

#[derive(Debug, Clone)]
enum Step {
    AddLane(usize),
    Submit,
    /// A worker answers, throws or comes to its end: the permit comes back.
    GiveBack(usize),
    /// It answers again, or after its death.
    GiveBackLate(usize),
    TakeMore(usize),
    Die(usize),
    Stop,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        2 => (1usize..4).prop_map(Step::AddLane),
        8 => Just(Step::Submit),
        6 => any::<usize>().prop_map(Step::GiveBack),
        2 => any::<usize>().prop_map(Step::GiveBackLate),
        1 => (0usize..5).prop_map(Step::TakeMore),
        1 => any::<usize>().prop_map(Step::Die),
        1 => Just(Step::Stop),
    ];
    prop::collection::vec(step, 1..200)
}

/// What the history has made of lanes and calls.
#[derive(Default)]
struct Model {
    /// Depth and permits in flight of each lane that lives.
    lanes: BTreeMap<LaneId, (usize, usize)>,
    /// Free permits, the last one in at the end.
    free: Vec<LaneId>,
    ever: Vec<LaneId>,
    submitted: usize,
    gone: HashSet<usize>,
}

impl Model {
    fn hand(&mut self, lane: LaneId, call: usize) {
        let (depth, in_flight) = self.lanes.get_mut(&lane).expect("only lanes that live get calls");
        *in_flight += 1;
        assert!(*in_flight <= *depth, "a permit was doubled");
        self.end(call);
    }

    /// Whether the order allows that a call takes a free permit of this lane, which is then taken.
    fn take(&mut self, order: Order, lane: LaneId) -> bool {
        let at = match order {
            Order::LastIn => self.free.len().checked_sub(1),
            Order::FirstIn => self.free.first().map(|_| 0),
            Order::LeastLoaded => {
                let least = self.lanes.values().filter(|(depth, in_flight)| in_flight < depth).map(|lane| lane.1).min();
                if least != Some(self.lanes[&lane].1) {
                    return false;
                }
                self.free.iter().position(|free| *free == lane)
            }
        };
        at.is_some_and(|at| self.free.remove(at) == lane)
    }

    fn end(&mut self, call: usize) {
        assert!(self.gone.insert(call), "call {call} was handed out twice");
    }

    fn busy(&self) -> Vec<LaneId> {
        self.lanes.iter().filter(|(_, (_, in_flight))| *in_flight > 0).map(|(lane, _)| *lane).collect()
    }
}

fn orders() -> impl Strategy<Value = Order> {
    prop_oneof![Just(Order::LastIn), Just(Order::FirstIn), Just(Order::LeastLoaded)]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_permit_is_lost_or_doubled_and_no_call_forgotten(order in orders(), steps in steps()) {
        let mut list = FreeList::new(order);
        let mut model = Model::default();
        for step in steps {
            match step {
                Step::AddLane(depth) => {
                    let (lane, taken) = list.add_lane(depth);
                    prop_assert!(!model.ever.contains(&lane), "a number was used again");
                    model.ever.push(lane);
                    model.lanes.insert(lane, (depth, 0));
                    model.free.extend((taken.len()..depth).map(|_| lane));
                    for call in taken {
                        model.hand(lane, call);
                    }
                }
                Step::Submit => {
                    let call = model.submitted;
                    model.submitted += 1;
                    if let Some((lane, call)) = list.submit(call) {
                        prop_assert!(model.take(order, lane), "{order:?} does not take a permit of this lane");
                        model.hand(lane, call);
                    }
                }
                Step::GiveBack(nth) => {
                    let busy = model.busy();
                    if busy.is_empty() {
                        continue;
                    }
                    let lane = busy[nth % busy.len()];
                    model.lanes.get_mut(&lane).unwrap().1 -= 1;
                    match list.give_back(lane) {
                        Some(call) => model.hand(lane, call),
                        None => model.free.push(lane),
                    }
                }
                Step::GiveBackLate(nth) => {
                    let idle: Vec<LaneId> = model.ever.iter().copied()
                        .filter(|lane| model.lanes.get(lane).is_none_or(|(_, in_flight)| *in_flight == 0)).collect();
                    if !idle.is_empty() {
                        prop_assert_eq!(list.give_back(idle[nth % idle.len()]), None);
                    }
                }
                Step::TakeMore(most) => {
                    let taken = list.take_more(most);
                    prop_assert!(taken.len() <= most);
                    for call in taken {
                        model.end(call);
                    }
                }
                Step::Die(nth) => {
                    if model.ever.is_empty() {
                        continue;
                    }
                    let lane = model.ever[nth % model.ever.len()];
                    model.lanes.remove(&lane);
                    model.free.retain(|free| *free != lane);
                    for call in list.remove_lane(lane) {
                        prop_assert!(model.lanes.is_empty(), "calls were ended that others could have taken");
                        model.end(call);
                    }
                }
                Step::Stop => {
                    for call in list.take_waiting() {
                        model.end(call);
                    }
                }
            }
            let (free, in_flight, depth) = list.permits();
            prop_assert_eq!(free + in_flight, depth, "a permit was lost");
            prop_assert_eq!(free, model.free.len());
            prop_assert_eq!(in_flight, model.lanes.values().map(|(_, in_flight)| in_flight).sum::<usize>());
            prop_assert_eq!(depth, model.lanes.values().map(|(depth, _)| depth).sum::<usize>());
            prop_assert_eq!(list.waiting() + model.gone.len(), model.submitted, "a call was forgotten");
            prop_assert!(list.waiting() == 0 || free == 0, "a call waits beside a free permit");
        }
    }
}
