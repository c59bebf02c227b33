//! What the simulator costs: submitting a task, many streams, many tasks, and a model over `rten` alone.
//!
//! `cargo bench -p ascendcl-sim --bench speed` prints the figures, and fails where one is over its bound. With
//! `-- --instructions` it counts a model's instructions alone (valgrind).

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, missing_docs)]

mod instructions;
mod model;

use ascendcl_sim::exports::{callback::*, device::*, process::*, stream::*};
use ascendcl_sys::types::aclrtStream;
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::time::{Duration, Instant};

/// Calls a C function that has to succeed.
macro_rules! ok {
    ($name:ident($($arg:expr),* $(,)?)) => {
        // SAFETY: the arguments are what the signature says, and memory of queued work outlives its stream's next wait.
        assert_eq!(unsafe { $name($($arg),*) }, 0, stringify!($name))
    };
}
pub(crate) use ok;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    if words == ["--instructions"] {
        return end(instructions::counts());
    }
    ok!(aclInit(null()));
    ok!(aclrtSetDevice(0));
    let within = match words.as_slice() {
        ["one", model, side, rounds] => {
            instructions::one(model, side, rounds.parse().unwrap());
            true
        }
        _ => figures() & instructions::counts(),
    };
    ok!(aclrtResetDevice(0));
    ok!(aclFinalize());
    end(within);
}

fn end(within: bool) {
    if !within {
        std::process::exit(1);
    }
}

fn figures() -> bool {
    model::times();
    let bounds = [
        bound("submitting an empty task, median", submit(), Duration::from_micros(1)),
        bound("1,983 streams and the default stream: one task each, made, run and destroyed", streams(), SECONDS),
        bound("a million tasks over 64 streams", tasks(), SECONDS),
    ];
    !bounds.contains(&false)
}

const SECONDS: Duration = Duration::from_secs(5);

fn bound(what: &str, took: Duration, most: Duration) -> bool {
    println!("{what}: {took:?} (at most {most:?})");
    took <= most
}

/// The middle of the times.
pub(crate) fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

unsafe extern "C" fn nothing(_: *mut c_void) {}

pub(crate) fn stream() -> aclrtStream {
    let mut stream = aclrtStream(null_mut());
    ok!(aclrtCreateStream(&mut stream));
    stream
}

fn submit() -> Duration {
    const ROUNDS: usize = 300_000;
    const TOGETHER: usize = 1_000;
    let stream = stream();
    let mut times = Vec::with_capacity(ROUNDS);
    for _ in 0..ROUNDS / TOGETHER {
        for _ in 0..TOGETHER {
            let start = Instant::now();
            ok!(aclrtLaunchHostFunc(stream, Some(nothing), null_mut()));
            times.push(start.elapsed());
        }
        ok!(aclrtSynchronizeStream(stream));
    }
    ok!(aclrtDestroyStream(stream));
    median(times)
}

fn streams() -> Duration {
    let before = resident();
    let start = Instant::now();
    let streams: Vec<aclrtStream> = (1..1984).map(|_| stream()).collect();
    let mut left = 1;
    ok!(aclrtGetStreamAvailableNum(&mut left));
    assert_eq!(left, 0);
    for stream in &streams {
        ok!(aclrtLaunchHostFunc(*stream, Some(nothing), null_mut()));
    }
    ok!(aclrtSynchronizeDevice());
    println!("memory of 1,984 streams: {} KiB", resident().saturating_sub(before) >> 10);
    for stream in streams {
        ok!(aclrtDestroyStream(stream));
    }
    start.elapsed()
}

fn tasks() -> Duration {
    const TASKS: usize = 1_000_000;
    let streams: Vec<aclrtStream> = (0..64).map(|_| stream()).collect();
    let before = resident();
    let mut most = before;
    let start = Instant::now();
    for task in 0..TASKS {
        ok!(aclrtLaunchHostFunc(streams[task % streams.len()], Some(nothing), null_mut()));
        if task % 10_000 == 0 {
            most = most.max(resident());
        }
    }
    for stream in &streams {
        ok!(aclrtSynchronizeStream(*stream));
    }
    let took = start.elapsed();
    println!("memory of a million tasks: {} KiB at most", most.saturating_sub(before) >> 10);
    for stream in streams {
        ok!(aclrtDestroyStream(stream));
    }
    took
}

/// Bytes of memory that the process has; 0 where the system does not say.
fn resident() -> usize {
    const PAGE: usize = 4096;
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    statm.split(' ').nth(1).and_then(|pages| pages.parse::<usize>().ok()).unwrap_or(0) * PAGE
}
