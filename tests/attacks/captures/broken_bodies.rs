//! Bodies of conditions, and callbacks, that fail, that panic, and whose calls the library refuses.

use super::conditions::{alone_with_conditions, capture, nested, numbers};
use super::given_back::Bomb;
use super::*;
use crate::common::plans::try_next;
use crate::common::{assert_lives, library};
use ascendcl::Runtime;
use ascendcl::capture::Capture;
use ascendcl_macros::proves;
use std::panic::{AssertUnwindSafe, catch_unwind, panic_any};

ascendcl::names!(Breaking);

#[proves(GRAPH_01)]
#[test]
fn a_body_that_fails_or_panics_leaves_no_graph_and_streams_that_work() {
    let (alone, _books) = alone_with_conditions();
    inside(|current| {
        let mut inner = stream(current);
        for place in 0..8 {
            let stops = |at: usize, body: &mut Capture<'_, _>| match (place == 2 * at, place == 2 * at + 1) {
                (true, _) => panic_any(place),
                (_, true) => Err(Error::NotExecuted),
                _ => body.launch_host_fn(0, |_| ()),
            };
            let captured = catch_unwind(AssertUnwindSafe(|| {
                let (_, graph) = capture(current, |capture, (mut number, _), side| {
                    capture.run_if_else(side, &number, |body, is_true| {
                        stops(usize::from(is_true), body)?;
                        body.run_if(&mut inner, &number, |body| stops(2, body))
                    })?;
                    capture.run_while(side, &mut number, |body, _| stops(3, body))
                });
                assert!(matches!(graph.unwrap_err().error, Error::NotExecuted), "{place}");
            }));
            match place % 2 {
                0 => assert_eq!(captured.unwrap_err().downcast_ref(), Some(&place)),
                _ => captured.unwrap(),
            }
            inner.synchronize(current).unwrap();
            drop(echo(current, &mut inner));
            collect(current);
            assert_lives!(host_blocks, 0, "place {place}");
        }
    });
    alone.assert_nothing_lives();
}

#[proves(GRAPH_01, GRAPH_05, GRAPH_10)]
#[test]
fn each_call_of_a_condition_that_fails_and_pairs_of_them_leave_nothing() {
    let calls = [
        ("aclmdlRICaptureGetInfo", 3),
        ("aclmdlRICondHandleCreate", 3),
        ("aclmdlRICondHandleGetCondPtr", 3),
        ("aclrtMemsetAsync", 4),
        ("aclrtMemcpyAsync", 3),
        ("aclmdlRIAddCondTask", 3),
        ("aclmdlRICaptureToModelRIBegin", 4),
        ("aclmdlRICaptureEnd", 5),
        ("aclmdlRIDestroy", 1),
    ];
    let single = calls.iter().flat_map(|(call, times)| (1..=*times).map(move |at| format!("{call}#{at}=507899")));
    let single: Vec<_> = single.collect();
    let pairs = single
        .iter()
        .enumerate()
        .flat_map(|(at, first)| single[at + 1..].iter().step_by(3).map(move |second| format!("{first},{second}")));
    let plans: Vec<_> = single.iter().cloned().chain(pairs).collect();
    let (alone, _books) = alone_with_conditions();
    let mut idle = Vec::new();
    for plan in plans {
        let runtime = Runtime::<Breaking>::open(library()).unwrap();
        let graph = runtime.with(|current| {
            try_next(&plan);
            let graph = nested(current);
            if !try_next("") {
                idle.push(plan.clone());
            }
            graph
        });
        drop(graph.unwrap());
        runtime.with(|current| drop(current.collect())).unwrap();
        runtime.close().unwrap_or_else(|error| panic!("{plan}: {error}"));
        assert_eq!(control::live(), control::Live::default(), "{plan}");
    }
    // A graph is destroyed under a plan only where a call failed before.
    assert_eq!(idle, ["aclmdlRIDestroy#1=507899"], "a plan of which nothing came tries nothing");
    alone.assert_nothing_lives();
}

/// An error whose words panic.
#[derive(Debug)]
struct Wordless;

impl std::fmt::Display for Wordless {
    fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        panic_any("no words")
    }
}

impl std::error::Error for Wordless {}

impl ascendcl::error::ExtensionError for Wordless {
    fn rules(&self) -> &'static [ascendcl_rules::RuleId] {
        &[]
    }
}

#[test]
fn an_error_of_a_body_whose_words_panic_leaves_no_graph_and_streams_that_work() {
    let (alone, _books) = alone_with_conditions();
    inside(|current| {
        let (mut main, mut side) = (stream(current), stream(current));
        let panic = catch_unwind(AssertUnwindSafe(|| {
            let operands = numbers(current);
            let captured = main.capture(current, CaptureMode::Relaxed, operands, |capture, (number, _)| {
                // The program goes on as if nothing had happened.
                let body = |_: &mut Capture<'_, _>| Err(ascendcl::error::Extension::of(Wordless).into());
                drop(catch_unwind(AssertUnwindSafe(|| capture.run_if(&mut side, &number, body))));
                Ok(())
            });
            captured.map(drop).map_err(|failed| failed.error)
        }));
        assert!(matches!(panic, Ok(Err(Error::CaptureBroken { .. }))));
        for stream in [&mut main, &mut side] {
            stream.synchronize(current).unwrap();
            drop(echo(current, stream));
        }
    });
    alone.assert_nothing_lives();
}

/// A switch without all its cases is never replayed, whatever the program makes of its own error.
#[proves(GRAPH_08, STREAM_20)]
#[test]
fn an_error_of_a_case_whose_words_panic_leaves_no_graph() {
    let alone = alone();
    inside(|current| {
        let mut build = current.build_graph(numbers(current)).unwrap();
        let added = build.add(current, |tasks, (number, _)| {
            let case = |_: &mut Capture<'_, _, _>, _| Err(ascendcl::error::Extension::of(Wordless).into());
            drop(catch_unwind(AssertUnwindSafe(|| tasks.switch(&number, 3, case))));
            Ok(())
        });
        added.unwrap();
        let refused = build.end(current).unwrap_err();
        assert!(matches!(refused.error, Error::CaptureBroken { .. }), "{}", refused.error);
        drop(refused.value.into_operands(current).unwrap());
    });
    alone.assert_nothing_lives();
}

/// The library may have taken the callback.
#[proves(CB_08, GRAPH_05)]
#[test]
fn a_callback_whose_call_failed_and_whose_state_panics_leaves_no_graph() {
    let alone = alone();
    for plan in ["aclrtLaunchHostFunc=507899", "aclrtLaunchHostFunc=after:507899"] {
        inside(|current| {
            let mut stream = stream(current);
            fail(plan);
            let panic = catch_unwind(AssertUnwindSafe(|| {
                let operands = io(current);
                let captured = stream.capture(current, CaptureMode::Relaxed, operands, |capture, _| {
                    // The program goes on as if nothing had happened.
                    let launch = || capture.launch_host_fn(Bomb("the capture"), |bomb| assert!(!bomb.0.is_empty()));
                    let refused = catch_unwind(AssertUnwindSafe(launch));
                    assert_eq!(refused.unwrap().unwrap_err().code().unwrap().number(), 507_899, "{plan}");
                    Ok(())
                });
                assert!(captured.is_err(), "{plan}: a graph without its callback");
            }));
            assert_eq!(
                panic.unwrap_err().downcast_ref(),
                Some(&"the capture"),
                "{plan}: the state goes with the graph"
            );
            let mut build = current.build_graph(io(current)).unwrap();
            fail(plan);
            let added = build.add(current, |tasks, _| {
                drop(catch_unwind(AssertUnwindSafe(|| tasks.launch_host_fn(Bomb("the build"), |_| ()))));
                Ok(())
            });
            fail("");
            added.unwrap();
            let refused = build.end(current).unwrap_err();
            assert!(matches!(refused.error, Error::CaptureBroken { .. }), "{plan}: {}", refused.error);
            let panic = catch_unwind(AssertUnwindSafe(|| drop(refused.value.into_operands(current))));
            assert_eq!(panic.unwrap_err().downcast_ref(), Some(&"the build"), "{plan}");
            drop(echo(current, &mut stream));
            collect(current);
        });
    }
    alone.assert_nothing_lives();
}
