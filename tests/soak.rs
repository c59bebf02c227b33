//! Waits of several threads. The simulator behaves like the vendor's library: a wait can miss the end of work when
//! another thread queues more, and handles are reused.
//!
//! Each test runs for `SOAK_SECONDS` (by default 2). A wait that never returns ends the process with a message.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use ascendcl::{Context, Current, Scoped, Thread};
use ascendcl_macros::proves;
use ascendcl_sim::{Config, control};
use common::scopes::in_context;
use common::{Alone, block_on, under_watch};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// A wait that has not come back after this is taken for one without an end.
const HANGS: Duration = Duration::from_secs(60);

fn seconds() -> Duration {
    Duration::from_secs(std::env::var("SOAK_SECONDS").ok().and_then(|seconds| seconds.parse().ok()).unwrap_or(2))
}

/// The machine as the vendor's, for one test alone; ends the process if the test does not come to its end.
struct Soak {
    alone: Alone,
    until: Instant,
    /// How many waits have come back, and how many are not enough.
    waits: AtomicUsize,
    least: usize,
    over: Arc<AtomicBool>,
}

impl Soak {
    fn begin(test: &'static str, least: usize) -> Self {
        let alone = common::alone();
        control::configure(under_watch(Config::new()).vendor_waits(true).reuse_handles(true)).unwrap();
        let (until, over) = (Instant::now() + seconds(), Arc::new(AtomicBool::new(false)));
        let done = Arc::clone(&over);
        thread::spawn(move || {
            while !done.load(SeqCst) {
                if Instant::now() > until + HANGS {
                    eprintln!("{test}: a wait has not come back for {HANGS:?}");
                    std::process::exit(1);
                }
                thread::sleep(Duration::from_millis(100));
            }
        });
        Self { alone, until, least, waits: AtomicUsize::new(0), over }
    }

    /// A machine that is busy may need longer for what makes the test worth anything.
    fn goes_on(&self) -> bool {
        Instant::now() < self.until || self.waits.load(SeqCst) <= self.least
    }

    /// So many waits have come back.
    fn came_back(&self, waits: usize) {
        self.waits.fetch_add(waits, SeqCst);
    }

    fn end(self) {
        assert!(self.waits.load(SeqCst) > self.least, "{:?} waits", self.waits);
        self.alone.assert_nothing_lives();
        control::configure(under_watch(Config::new())).unwrap();
    }
}

impl Drop for Soak {
    fn drop(&mut self) {
        self.over.store(true, SeqCst);
    }
}

/// Runs `program` on this new thread, in the context.
fn here<'c, R>(context: &'c Context<Scoped<'c>>, program: impl FnOnce(&mut Current<Scoped<'c>>) -> R) -> R {
    let mut thread = Thread::new().unwrap();
    context.enter(&mut thread, program).unwrap()
}

#[test]
fn work_that_another_thread_waits_for_comes_back() {
    let soak = Soak::begin("work_that_another_thread_waits_for_comes_back", 2);
    in_context(|context, thread| {
        let (sender, receiver) = mpsc::sync_channel(4);
        thread::scope(|scope| {
            let soak = &soak;
            scope.spawn(move || {
                here(context, |current| {
                    for work in receiver {
                        let work: ascendcl::Pending<Scoped<'_>, ascendcl::DeviceBuffer<Scoped<'_>, u32>> = work;
                        let buffer = work.wait(current).unwrap();
                        assert_eq!(buffer.to_vec(current).unwrap(), [u32::MAX; 64]);
                        soak.came_back(1);
                    }
                });
            });
            context
                .enter(thread, |current| {
                    let stream = current.stream().unwrap();
                    while soak.goes_on() {
                        let buffer = current.device_buffer::<u32>(64).unwrap();
                        let work = stream.set_bytes(current, buffer, 0xff).unwrap();
                        sender.send(work).unwrap();
                        drop(stream.launch_host_fn(current, || thread::sleep(Duration::from_millis(1))).unwrap());
                        assert!(current.collect().is_empty());
                    }
                    drop(sender);
                })
                .unwrap();
        });
    });
    soak.end();
}

/// The order of the tasks of several threads is open. What each of them waits for is its own.
#[proves(THREAD_02)]
#[test]
fn a_default_stream_on_several_threads_gives_back_what_each_has_queued() {
    let soak = Soak::begin("a_default_stream_on_several_threads_gives_back_what_each_has_queued", 6);
    in_context(|context, _| {
        thread::scope(|scope| {
            for number in 0..3_u8 {
                let soak = &soak;
                scope.spawn(move || {
                    here(context, |current| {
                        while soak.goes_on() {
                            let stream = current.default_stream();
                            let slow =
                                stream.launch_host_fn(current, || thread::sleep(Duration::from_millis(1))).unwrap();
                            let buffer = current.device_buffer::<u32>(16).unwrap();
                            let work = stream.set_bytes(current, buffer, number).unwrap();
                            let buffer = work.wait(current).unwrap();
                            assert_eq!(buffer.to_vec(current).unwrap(), [u32::from_ne_bytes([number; 4]); 16]);
                            slow.wait(current).unwrap().into_result().unwrap();
                            soak.came_back(2);
                        }
                    });
                });
            }
        });
    });
    soak.end();
}

#[test]
fn events_and_the_whole_context_are_waited_for_while_others_queue() {
    let soak = Soak::begin("events_and_the_whole_context_are_waited_for_while_others_queue", 2);
    in_context(|context, thread| {
        thread::scope(|scope| {
            let soak = &soak;
            for _ in 0..2 {
                scope.spawn(move || {
                    here(context, |current| {
                        while soak.goes_on() {
                            let stream = current.default_stream();
                            drop(stream.launch_host_fn(current, || {}).unwrap());
                            thread::sleep(Duration::from_millis(2));
                            assert!(current.collect().is_empty());
                        }
                    });
                });
            }
            context
                .enter(thread, |current| {
                    while soak.goes_on() {
                        // The others queue while these waits are under way.
                        let work = || thread::sleep(Duration::from_millis(5));
                        let stream = current.default_stream();
                        drop(stream.launch_host_fn(current, work).unwrap());
                        let event = stream.record(current, current.event().unwrap()).unwrap();
                        event.synchronize(current).unwrap();
                        assert!(event.is_complete(current).unwrap());
                        event.destroy(current).unwrap();
                        drop(stream.launch_host_fn(current, work).unwrap());
                        current.synchronize().unwrap();
                        soak.came_back(2);
                    }
                })
                .unwrap();
        });
    });
    soak.end();
}

#[test]
fn a_limit_is_not_reported_for_work_that_is_done() {
    /// The work takes a hundredth of it, but for a machine that is busy.
    const LIMIT: Duration = Duration::from_secs(10);
    let soak = Soak::begin("a_limit_is_not_reported_for_work_that_is_done", 3);
    in_context(|context, thread| {
        context
            .enter(thread, |current| {
                let stream = current.stream().unwrap();
                while soak.goes_on() {
                    // The awaited work is done long before the limit. Another thread queues once during the wait.
                    let slow = stream.launch_host_fn(current, || thread::sleep(Duration::from_millis(100))).unwrap();
                    let event = stream.record(current, current.event().unwrap()).unwrap();
                    let after = thread::scope(|scope| {
                        let waiter = scope.spawn(|| {
                            here(context, |current| {
                                event.synchronize_within(current, LIMIT).unwrap();
                                slow.wait_within(current, LIMIT).unwrap().into_result().unwrap();
                            });
                        });
                        thread::sleep(Duration::from_millis(20));
                        let after = stream.launch_host_fn(current, || {}).unwrap();
                        waiter.join().unwrap();
                        after
                    });
                    after.wait(current).unwrap().into_result().unwrap();
                    event.destroy(current).unwrap();
                    soak.came_back(3);
                }
            })
            .unwrap();
    });
    soak.end();
}

#[test]
fn futures_come_while_another_thread_queues() {
    let soak = Soak::begin("futures_come_while_another_thread_queues", 2);
    in_context(|context, thread| {
        context
            .enter(thread, |current| {
                thread::scope(|scope| {
                    scope.spawn(|| {
                        here(context, |current| {
                            while soak.goes_on() {
                                let stream = current.default_stream();
                                drop(stream.launch_host_fn(current, || {}).unwrap());
                                thread::sleep(Duration::from_millis(2));
                                assert!(current.collect().is_empty());
                            }
                        });
                    });
                    while soak.goes_on() {
                        let mut stream = current.default_stream();
                        let buffer = current.device_buffer::<u32>(16).unwrap();
                        let work = stream.set_bytes(current, buffer, 1).unwrap();
                        let buffer = block_on(work.into_future(current, &mut stream).unwrap()).0.unwrap();
                        buffer.free(current).unwrap();
                        soak.came_back(1);
                    }
                });
            })
            .unwrap();
    });
    soak.end();
}
