//! What an operation costs a thread while others do the same in one runtime.

use crate::common;
use crate::count::median;
use ascendcl::{Current, Runtime};
use std::fs;
use std::path::Path;
use std::sync::Barrier;
use std::thread;

ascendcl::names!(Together);

/// Rounds of each thread in a batch.
const ROUNDS: u32 = 100_000;
/// The numbers of threads take turns, so that all of them meet the same load of the machine.
const BATCHES: usize = 21;
const THREADS: [usize; 3] = [1, 2, 4];

type Here = Current<Together>;

/// An operation, and what it is called. Each has the objects that it needs to itself.
const OPERATIONS: [(&str, fn(&Here, u32)); 4] = [
    ("make and free a device buffer", |current, rounds| {
        (0..rounds).for_each(|_| current.device_buffer::<u8>(64).unwrap().free(current).unwrap());
    }),
    ("make and destroy a stream", |current, rounds| {
        (0..rounds).for_each(|_| current.stream().unwrap().destroy(current).unwrap());
    }),
    ("make and destroy an event", |current, rounds| {
        (0..rounds).for_each(|_| current.event().unwrap().destroy(current).unwrap());
    }),
    ("queue a copy and wait for it", |current, rounds| {
        let stream = current.stream().unwrap();
        let mut buffers = (current.host_buffer::<u8>(64).unwrap(), current.upload(&[0_u8; 64]).unwrap());
        for _ in 0..rounds {
            buffers = stream.copy_to_device(current, buffers.0, buffers.1).unwrap().wait(current).unwrap();
        }
    }),
];

/// Prints the medians: nanoseconds of the processor per round and thread.
pub(crate) fn times(library: &Path) {
    let runtime = Runtime::<Together>::open(common::library_at(library)).unwrap();
    println!("nanoseconds of processor time per round, with {THREADS:?} threads in one runtime");
    for (name, operation) in OPERATIONS {
        let mut times = THREADS.map(|_| Vec::new());
        for _ in 0..BATCHES {
            for (threads, times) in THREADS.into_iter().zip(&mut times) {
                times.push(batch(&runtime, threads, operation));
            }
        }
        println!("{name}: {}", times.map(|times| format!("{:.0}", median(times))).join(", "));
    }
    runtime.close().unwrap();
}

/// What the average thread needed for a round.
fn batch(runtime: &Runtime<Together>, threads: usize, operation: fn(&Here, u32)) -> f64 {
    let together = Barrier::new(threads);
    let one = || {
        let work = |current: &mut Here| {
            operation(current, ROUNDS / 10);
            together.wait();
            let before = on_processor();
            operation(current, ROUNDS);
            on_processor() - before
        };
        runtime.with(work).unwrap()
    };
    let all: f64 = thread::scope(|scope| {
        let running: Vec<_> = (0..threads).map(|_| scope.spawn(one)).collect();
        running.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    all / threads as f64 / f64::from(ROUNDS)
}

/// The nanoseconds that this thread has spent on a processor.
fn on_processor() -> f64 {
    // The kernel writes the time down when it looks at the thread.
    thread::yield_now();
    let written = fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    written.split(' ').next().unwrap().parse().unwrap()
}
