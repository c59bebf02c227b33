//! Queues of data, and the routes between them. What comes into a queue that has routes goes on to the queue at the end of
//! each route, as soon as all of them have room. No graph takes from a queue here: the program receives what it sent.

use super::kind::Kind;
use crate::abi::Address;
use crate::failure::{Answer, Failure};
use crate::locks::{expired, lock, wait};
use crate::machine::live::Live;
use ascendcl_sys::constants::{
    ACL_TDT_QUEUE_ROUTE_BIND, ACL_TDT_QUEUE_ROUTE_BIND_ABNORMAL, ACL_TDT_QUEUE_ROUTE_UNBIND,
};
use ascendcl_sys::error_codes::{ACL_ERROR_FAILURE, ACL_ERROR_RT_QUEUE_EMPTY, ACL_ERROR_RT_QUEUE_FULL};
use ascendcl_sys::types::*;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ffi::CString;
use std::sync::{Arc, Condvar, Mutex};
use std::time::Instant;

/// What a queue is made with.
#[derive(Clone)]
pub(crate) struct Attributes {
    /// Empty for a queue without a name.
    pub(crate) name: CString,
    pub(crate) depth: u32,
}

impl Default for Attributes {
    fn default() -> Self {
        const DEPTH: u32 = 8;
        Self { name: CString::default(), depth: DEPTH }
    }
}

#[derive(Clone, Copy)]
pub(crate) struct Route {
    pub(crate) source: u32,
    pub(crate) target: u32,
    pub(crate) status: u32,
}

impl Route {
    pub(crate) fn new(source: u32, target: u32) -> Self {
        Self { source, target, status: ACL_TDT_QUEUE_ROUTE_UNBIND }
    }
}

/// Which routes are asked for; `None` was not set.
#[derive(Clone, Copy, Default)]
pub(crate) struct Query {
    pub(crate) mode: Option<u32>,
    pub(crate) source: Option<u32>,
    pub(crate) target: Option<u32>,
}

pub(crate) static ATTRIBUTES: Kind<acltdtQueueAttr, Attributes> = Kind::new("queue attribute");
pub(crate) static ROUTES: Kind<acltdtQueueRoute, Route> = Kind::new("queue route");
pub(crate) static ROUTE_LISTS: Kind<acltdtQueueRouteList, Vec<Route>> = Kind::new("list of queue routes");
pub(crate) static QUERIES: Kind<acltdtQueueRouteQueryInfo, Query> = Kind::new("query of queue routes");

#[derive(Clone)]
struct Message {
    data: Arc<[u8]>,
    user_data: Arc<[u8]>,
}

struct Queue {
    device: u32,
    name: CString,
    depth: usize,
    waiting: VecDeque<Message>,
}

struct Queues {
    /// The number of the next queue.
    next: u32,
    all: BTreeMap<u32, Queue>,
    /// Pairs of source and target.
    routes: BTreeSet<(u32, u32)>,
}

static QUEUES: Mutex<Queues> = Mutex::new(Queues { next: 0, all: BTreeMap::new(), routes: BTreeSet::new() });
static MOVED: Condvar = Condvar::new();

/// How many entries a queue has at least.
pub(crate) const SMALLEST_QUEUE: u32 = 2;

/// Answers the queue's number.
pub(crate) fn create(device: u32, attributes: Attributes) -> Answer<u32> {
    let Attributes { name, depth } = attributes;
    if depth < SMALLEST_QUEUE {
        return Err(Failure::refused(format!("the queue's depth is {depth}, expected at least {SMALLEST_QUEUE}")));
    }
    let mut queues = lock(&QUEUES);
    if !name.is_empty() && queues.all.values().any(|queue| queue.device == device && queue.name == name) {
        return Err(Failure::invalid(format!("the device has a queue {name:?} already")));
    }
    let id = queues.next;
    queues.next = id.wrapping_add(1);
    queues.all.insert(id, Queue { device, name, depth: depth as usize, waiting: VecDeque::new() });
    Ok(id)
}

pub(crate) fn destroy(device: u32, id: u32) -> Answer {
    let mut queues = lock(&QUEUES);
    queues.find(device, id)?;
    if queues.routes.iter().any(|(source, target)| *source == id || *target == id) {
        return Err(Failure::new(ACL_ERROR_FAILURE, format!("queue {id} has routes: unbind them first")));
    }
    queues.all.remove(&id);
    MOVED.notify_all();
    Ok(())
}

/// Copies the data; the program's memory is free again when this returns.
pub(crate) fn enqueue(device: u32, id: u32, data: &[u8], user_data: &[u8], deadline: Option<Instant>) -> Answer {
    let message = Message { data: data.into(), user_data: user_data.into() };
    let mut queues = lock(&QUEUES);
    while !queues.find(device, id)?.has_room() {
        if expired(deadline) {
            let depth = queues.find(device, id)?.depth;
            return Err(Failure::new(ACL_ERROR_RT_QUEUE_FULL, format!("the queue is full: its depth is {depth}")));
        }
        queues = wait(&MOVED, queues, deadline);
    }
    queues.find(device, id)?.waiting.push_back(message);
    queues.pass_on();
    Ok(())
}

/// Waits until something is in the queue and stores its length by `tell`. It stays in the queue if it does not fit.
pub(crate) fn dequeue(
    device: u32,
    id: u32,
    (data, size): (Address, usize),
    (user_data, user_size): (Address, usize),
    mut tell: impl FnMut(usize),
    deadline: Option<Instant>,
) -> Answer {
    let mut queues = lock(&QUEUES);
    let length = loop {
        if let Some(first) = queues.find(device, id)?.waiting.front() {
            break first.data.len();
        }
        if expired(deadline) {
            return Err(Failure::new(ACL_ERROR_RT_QUEUE_EMPTY, "nothing came into the queue in time"));
        }
        queues = wait(&MOVED, queues, deadline);
    };
    tell(length);
    if length > size {
        return Err(Failure::refused(format!("{length} bytes are in the queue, and there is room for {size}")));
    }
    let first = queues.find(device, id)?.waiting.pop_front();
    queues.pass_on();
    drop(queues);
    if let Some(first) = first {
        data.write(&first.data);
        user_data.write(first.user_data.get(..user_size).unwrap_or(&first.user_data));
    }
    Ok(())
}

/// Stores the new status in each route. Some may be bound although another fails.
pub(crate) fn bind(device: u32, routes: &mut [Route]) -> Answer {
    let mut queues = lock(&QUEUES);
    for route in &mut *routes {
        let pair = (route.source, route.target);
        let exist = queues.find(device, pair.0).is_ok() && queues.find(device, pair.1).is_ok();
        let goes = exist && !queues.leads_to(pair.1, pair.0) && queues.routes.insert(pair);
        route.status = if goes { ACL_TDT_QUEUE_ROUTE_BIND } else { ACL_TDT_QUEUE_ROUTE_BIND_ABNORMAL };
    }
    queues.pass_on();
    judge(routes, ACL_TDT_QUEUE_ROUTE_BIND, "a queue does not exist, it was bound before, or a circle would arise")
}

pub(crate) fn unbind(routes: &mut [Route]) -> Answer {
    let mut queues = lock(&QUEUES);
    for route in &mut *routes {
        let known = queues.routes.remove(&(route.source, route.target));
        route.status = if known { ACL_TDT_QUEUE_ROUTE_UNBIND } else { ACL_TDT_QUEUE_ROUTE_BIND_ABNORMAL };
    }
    // What waited for room at the end of such a route waits for the others alone.
    queues.pass_on();
    judge(routes, ACL_TDT_QUEUE_ROUTE_UNBIND, "it is not bound")
}

fn judge(routes: &[Route], wanted: u32, reason: &str) -> Answer {
    let Some(Route { source, target, .. }) = routes.iter().find(|route| route.status != wanted) else {
        return Ok(());
    };
    Err(Failure::new(ACL_ERROR_FAILURE, format!("the route from queue {source} to queue {target}: {reason}")))
}

/// The bound routes for which `wanted` holds.
pub(crate) fn routes(wanted: impl Fn(u32, u32) -> bool) -> Vec<Route> {
    let queues = lock(&QUEUES);
    let found = queues.routes.iter().filter(|(source, target)| wanted(*source, *target));
    found.map(|&(source, target)| Route { source, target, status: ACL_TDT_QUEUE_ROUTE_BIND }).collect()
}

impl Queue {
    fn has_room(&self) -> bool {
        self.waiting.len() < self.depth
    }
}

impl Queues {
    fn find(&mut self, device: u32, id: u32) -> Answer<&mut Queue> {
        let queue = self.all.get_mut(&id).filter(|queue| queue.device == device);
        queue.ok_or_else(|| Failure::refused(format!("the current device has no queue {id}")))
    }

    /// Whether what comes into `from` comes to `to` in the end.
    fn leads_to(&self, from: u32, to: u32) -> bool {
        // Not by recursion: a chain of routes is as long as the program makes it.
        let (mut open, mut seen) = (vec![from], BTreeSet::new());
        while let Some(queue) = open.pop() {
            if queue == to {
                return true;
            }
            if seen.insert(queue) {
                open.extend(self.targets(queue));
            }
        }
        false
    }

    fn targets(&self, source: u32) -> Vec<u32> {
        self.routes.range((source, 0)..=(source, u32::MAX)).map(|(_, target)| *target).collect()
    }

    /// Moves what can go on along its routes. There is no circle, so this ends.
    fn pass_on(&mut self) {
        let sources: BTreeSet<u32> = self.routes.iter().map(|(source, _)| *source).collect();
        let mut moved = true;
        while moved {
            moved = false;
            for source in &sources {
                let targets = self.targets(*source);
                let room = |target| self.all.get(target).is_some_and(Queue::has_room);
                if !targets.iter().all(room) {
                    continue;
                }
                let Some(message) = self.all.get_mut(source).and_then(|queue| queue.waiting.pop_front()) else {
                    continue;
                };
                moved = true;
                for target in targets {
                    if let Some(queue) = self.all.get_mut(&target) {
                        queue.waiting.push_back(message.clone());
                    }
                }
            }
        }
        MOVED.notify_all();
    }
}

pub(in crate::machine) fn count(live: &mut Live) {
    let described = ATTRIBUTES.len() + ROUTES.len() + ROUTE_LISTS.len() + QUERIES.len();
    live.tensor_channel_objects += described + lock(&QUEUES).all.len();
}

pub(in crate::machine) fn clear() {
    ATTRIBUTES.clear();
    ROUTES.clear();
    ROUTE_LISTS.clear();
    QUERIES.clear();
    let mut queues = lock(&QUEUES);
    queues.all.clear();
    queues.routes.clear();
    MOVED.notify_all();
}
