//! Devices without free streams or events, and objects that are dropped while they are in use.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use ascendcl::{Brand, Current, Error, Stream};
use ascendcl_macros::proves;
use ascendcl_sim::{Config, Plan, control};
use common::alone;
use common::scopes::inside;

#[proves(STREAM_11, EVENT_08)]
#[test]
fn dropped_streams_and_events_do_not_use_the_device_up() {
    let alone = alone();
    control::reset();
    control::configure(common::under_watch(Config::new().streams(8).events(8))).unwrap();
    inside(|current| {
        for _ in 0..40 {
            drop(current.stream().unwrap());
            drop(current.event().unwrap());
        }
        // Each is dropped with work that was queued and not waited for.
        for _ in 0..40 {
            let stream = current.stream().unwrap();
            drop(stream.set_bytes(current, current.device_buffer::<u8>(64).unwrap(), 1).unwrap());
            drop(stream.record(current, current.event().unwrap()).unwrap());
        }
        // Handles that are there keep theirs.
        let mut kept = Vec::new();
        let full = loop {
            match current.stream() {
                Ok(stream) => kept.push(stream),
                Err(error) => break error,
            }
        };
        assert!(kept.len() >= 5 && !full.to_string().contains("collect"), "{} streams, {full}", kept.len());
    });
    alone.assert_nothing_lives();
}

#[proves(STREAM_11)]
#[test]
fn a_full_device_says_that_collecting_would_help_while_dropped_streams_still_work() {
    let alone = alone();
    control::reset();
    control::configure(common::under_watch(Config::new().streams(6))).unwrap();
    inside(|current| {
        let (open, opened) = std::sync::mpsc::channel::<()>();
        let opened = std::sync::Arc::new(std::sync::Mutex::new(opened));
        let full = loop {
            match current.stream() {
                Ok(stream) => {
                    let waits = std::sync::Arc::clone(&opened);
                    drop(stream.launch_host_fn(current, move || waits.lock().unwrap().recv().is_ok()).unwrap());
                }
                Err(error) => break error,
            }
        };
        assert_eq!(full.code().unwrap().number(), 207_008);
        let said = full.to_string();
        assert!(said.contains("`current.collect()`") && said.contains("dropped"), "{said}");
        drop(open);
        assert!(current.collect().is_empty());
        drop(current.stream().unwrap());
    });
    alone.assert_nothing_lives();
}

#[proves(STREAM_01, MEM_02)]
#[test]
fn collecting_frees_what_is_done_though_nobody_waited_for_it() {
    let alone = alone();
    inside(|current| {
        let mut stream = current.stream().unwrap();
        let blocks = control::live().device_blocks;
        let work = stream.set_bytes(current, current.device_buffer::<u8>(64).unwrap(), 1).unwrap();
        drop(work.into_future(current, &mut stream).unwrap());
        drop(stream.set_bytes(current, current.device_buffer::<u8>(64).unwrap(), 1).unwrap());
        while !stream.is_complete(current).unwrap() {
            std::thread::yield_now();
        }
        assert!(current.collect().is_empty());
        assert_eq!(control::live().device_blocks, blocks);
        // What is not done is not waited for: its stream has a handle.
        let (open, opened) = std::sync::mpsc::channel::<()>();
        drop(stream.launch_host_fn(current, move || opened.recv().is_ok()).unwrap());
        drop(stream.set_bytes(current, current.device_buffer::<u8>(64).unwrap(), 1).unwrap());
        assert!(current.collect().is_empty());
        assert_eq!(control::live().device_blocks, blocks + 1);
        drop(open);
    });
    alone.assert_nothing_lives();
}

/// All streams that the device still has. What was queued on them is over, and nobody has waited for it.
fn all_streams<C: Brand>(current: &Current<C>) -> Vec<Stream<C>> {
    let streams: Vec<_> = std::iter::from_fn(|| current.stream().ok()).collect();
    for stream in &streams {
        let set = stream.set_bytes(current, current.device_buffer::<u8>(64).unwrap(), 1).unwrap();
        while !set.is_complete(current).unwrap() {
            std::thread::yield_now();
        }
    }
    streams
}

fn numbers(errors: &[Error]) -> Vec<i32> {
    errors.iter().map(|error| error.code().unwrap().number()).collect()
}

/// A failure that the library tells once is kept for the collection, whatever the second wait says. One that it tells
/// each time is not over.
#[proves(STREAM_11, ERR_02)]
#[test]
fn making_room_for_a_stream_loses_no_failure_of_a_dropped_one() {
    for (second, is_kept) in [("507046", true), ("after:507015", false)] {
        let alone = alone();
        control::reset();
        control::configure(common::under_watch(Config::new().streams(3))).unwrap();
        inside(|current| {
            drop(all_streams(current));
            let wait = "aclrtSynchronizeStream";
            let plan = [wait, "aclrtSynchronizeStreamWithTimeout"]
                .map(|wait| format!("{wait}#1=after:507015,{wait}#2={second},{wait}#3={second},{wait}#4={second}"));
            control::fail(plan.join(",").parse().unwrap()).unwrap();
            let made = current.stream();
            control::fail(Plan::new()).unwrap();
            let told = numbers(&current.collect());
            eprintln!("{second}: {made:?} {told:?}");
            assert_eq!(told.contains(&507_015), is_kept, "{told:?}");
        });
        alone.assert_nothing_lives();
    }
}

#[proves(STREAM_11)]
#[test]
fn a_dropped_stream_that_is_not_destroyed_at_once_makes_room_at_the_second_try() {
    let alone = alone();
    control::reset();
    control::configure(common::under_watch(Config::new().streams(3))).unwrap();
    inside(|current| {
        let mut streams = all_streams(current);
        drop(streams.pop());
        control::fail("aclrtDestroyStream#1=507899".parse().unwrap()).unwrap();
        streams.push(current.stream().unwrap());
        control::fail(Plan::new()).unwrap();
    });
    alone.assert_nothing_lives();
}
