//! Devices without free streams or events, and objects that are dropped while they are in use.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use ascendcl_macros::proves;
use ascendcl_sim::{Config, control};
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
        while !stream.is_done(current).unwrap() {
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
