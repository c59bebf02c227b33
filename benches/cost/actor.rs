//! What a call of an actor costs beside the hop to another thread and back.

use crate::common;
use crate::count::median;
use ascendcl::runtime::Actor;
use std::hint::black_box;
use std::path::Path;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;
use std::time::Instant;

ascendcl::names!(Acted);

/// Batches of each kind; they take turns, so that both meet the same load of the machine.
const BATCHES: usize = 400;
const CALLS: u32 = 100;

/// A job of the plain thread: only the way there and back.
type Hop = Box<dyn FnOnce(&mut u64) + Send>;

/// Prints the medians, in nanoseconds per call.
pub(crate) fn times(library: &Path) {
    let actor = Actor::<Acted, u64>::open(common::library_at(library), |_| Ok(0)).unwrap();
    let (jobs, coming) = sync_channel::<Hop>(64);
    let plain = thread::spawn(move || {
        let mut state = 0;
        coming.iter().for_each(|job| job(&mut state));
    });
    let (mut hops, mut calls) = (Vec::new(), Vec::new());
    for _ in 0..BATCHES {
        hops.push(batch(|| hop(&jobs)));
        calls.push(batch(|| actor.call(|_, state| *state += black_box(1)).unwrap()));
    }
    drop(jobs);
    plain.join().unwrap();
    actor.close().unwrap();
    let (hop, call) = (median(hops), median(calls));
    println!("nanoseconds: a hop {hop:.0}, a call of an actor {call:.0}, difference {:.0}", call - hop);
}

/// A job is sent to another thread, which runs it and sends its result back.
fn hop(jobs: &SyncSender<Hop>) {
    let (answer, answered) = sync_channel(1);
    let job = move |state: &mut u64| {
        *state += black_box(1);
        answer.send(()).unwrap();
    };
    jobs.send(Box::new(job)).unwrap();
    answered.recv().unwrap();
}

fn batch(mut call: impl FnMut()) -> f64 {
    let start = Instant::now();
    (0..CALLS).for_each(|_| call());
    start.elapsed().as_secs_f64() * 1e9 / f64::from(CALLS)
}
