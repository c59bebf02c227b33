//! Waits for lists of work in flight.

use super::*;
use ascendcl::Pending;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;
use std::time::Instant;

type Work = Pending<Worker, DeviceBuffer<Worker, u8>>;

/// Work on a stream of its own, behind what is to be sent.
fn held(current: &Current<Worker>, value: u8) -> (Sender<()>, Work, Stream<Worker, DefaultAllocator>) {
    let own = stream(current);
    let release = hold(current, &own);
    (release, set(current, &own, value), own)
}

fn set(current: &Current<Worker>, own: &Stream<Worker, DefaultAllocator>, value: u8) -> Work {
    own.set_bytes(current, current.device_buffer::<u8>(8).unwrap(), value).unwrap()
}

#[track_caller]
fn is_late(error: &Error) {
    assert!(error.code().is_some_and(|code| code.is_timeout()), "{error}");
}

/// The buffers of the others come back, and what failed is waited for again.
#[proves(STREAM_04, ERR_02)]
#[test]
fn a_piece_that_fails_keeps_none_of_the_others_and_comes_back_as_work() {
    let alone = alone();
    let runtime = open();
    runtime
        .with(|current| {
            let streams = [(); 4].map(|()| stream(current));
            let works: Vec<_> = streams.iter().zip(0..).map(|(own, value)| set(current, own, value)).collect();
            fail("aclrtSynchronizeStreamWithTimeout#2=507899");
            let waited = current.wait_all(works);
            nothing_fails();
            assert_eq!(waited.len(), 4);
            for (value, waited) in (0_u8..).zip(waited) {
                let buffer = match waited {
                    Ok(buffer) => buffer,
                    Err(failed) => {
                        assert_eq!((value, failed.error.code().unwrap().number()), (1, 507_899));
                        failed.value.wait(current).unwrap()
                    }
                };
                assert_eq!(buffer.to_vec(current).unwrap(), [value; 8]);
            }
            assert!(current.wait_all(Vec::<Work>::new()).is_empty());
        })
        .unwrap();
    runtime.close().unwrap();
    alone.assert_nothing_lives();
}

/// What the list has given before is dropped while it works, and its memory is freed afterwards.
#[proves(MEM_02, STREAM_04)]
#[test]
fn a_list_that_panics_leaves_no_memory_under_the_work_that_it_has_given() {
    let alone = alone();
    let runtime = open();
    runtime
        .with(|current| {
            for limit in [Some(LONG), None] {
                let (release, first, own) = held(current, 1);
                let mut first = Some(first);
                let works = [(); 2].into_iter().map(|()| first.take().expect("the list has one piece"));
                let waiting = AssertUnwindSafe(|| match limit {
                    None => current.wait_all(works).len(),
                    Some(limit) => current.wait_all_within(works, limit).len(),
                });
                assert!(catch_unwind(waiting).is_err(), "it waits for a piece before it has the list");
                release.send(()).unwrap();
                let next = set(current, &own, 2).wait(current).unwrap();
                assert_eq!(next.to_vec(current).unwrap(), [2; 8]);
            }
        })
        .unwrap();
    runtime.close().unwrap();
    alone.assert_nothing_lives();
}

/// The second piece lets the first one go, so a wait between them would wait for ever.
#[proves(STREAM_04)]
#[test]
fn a_list_that_queues_its_work_is_made_before_the_first_wait() {
    let alone = alone();
    let runtime = open();
    runtime
        .with(|current| {
            for limit in [Some(LONG), None] {
                let streams = [stream(current), stream(current)];
                let release = hold(current, &streams[0]);
                let works = streams.iter().zip([1, 2]).map(|(own, value)| {
                    let work = set(current, own, value);
                    if value == 2 {
                        release.send(()).unwrap();
                    }
                    work
                });
                let waited = match limit {
                    None => current.wait_all(works),
                    Some(limit) => current.wait_all_within(works, limit),
                };
                for (waited, value) in waited.into_iter().zip([1, 2]) {
                    assert_eq!(waited.unwrap().to_vec(current).unwrap(), [value; 8]);
                }
            }
        })
        .unwrap();
    runtime.close().unwrap();
    alone.assert_nothing_lives();
}

#[proves(STREAM_16, MEM_02)]
#[test]
fn one_limit_is_for_all_pieces_and_what_is_over_comes_back() {
    let alone = alone();
    let runtime = open();
    runtime
        .with(|current| {
            let held: [_; 3] = [1, 2, 3].map(|value| held(current, value));
            let (own, begun) = (stream(current), Instant::now());
            let (mut releases, mut works, mut streams) = (Vec::new(), Vec::new(), Vec::new());
            for (release, work, stream) in held {
                releases.push(release);
                works.push(work);
                streams.push(stream);
            }
            works.push(set(current, &own, 4));
            own.synchronize(current).unwrap();
            let waited = current.wait_all_within(works, Duration::from_millis(20));
            assert!(begun.elapsed() < LONG);
            let mut late = Vec::new();
            for (number, waited) in (1..).zip(waited) {
                match waited {
                    Ok(buffer) => assert_eq!((number, buffer.to_vec(current).unwrap()), (4, vec![4; 8])),
                    Err(failed) => {
                        is_late(&failed.error);
                        late.push(failed.value);
                    }
                }
            }
            assert_eq!(late.len(), 3);
            // Dropped and forgotten pieces keep their memory until they are over.
            drop(late.pop());
            mem::forget(late.pop());
            assert!(current.collect_within(Duration::ZERO).is_empty());
            releases.iter().for_each(|release| release.send(()).unwrap());
            let waited = current.wait_all(late);
            assert_eq!(waited[0].as_ref().unwrap().to_vec(current).unwrap(), [1; 8]);
            drop(streams);
        })
        .unwrap();
    runtime.close().unwrap();
    alone.assert_nothing_lives();
}

/// The work that is over first comes first, wherever it is in the list.
#[proves(STREAM_04)]
#[test]
fn pieces_come_in_the_order_in_which_they_are_over_and_the_rest_stays() {
    let alone = alone();
    let runtime = open();
    // The callbacks of a context run one after the other, so each context has one that waits.
    let contexts = [(); 3].map(|()| open());
    let (mut releases, mut events) = (Vec::new(), Vec::new());
    for context in &contexts {
        let (release, event) = context
            .with(|current| {
                let own = stream(current);
                (hold(current, &own), own.record(current, current.event().unwrap()).unwrap())
            })
            .unwrap();
        releases.push(release);
        events.push(event);
    }
    runtime
        .with(|current| {
            let streams: Vec<_> = events.iter().map(|_| stream(current)).collect();
            for (own, event) in streams.iter().zip(&events) {
                own.wait_across_contexts(current, event).unwrap();
            }
            let mut works: Vec<_> = streams.iter().zip(0..).map(|(own, value)| set(current, own, value)).collect();
            assert!(current.wait_any_within(&mut works, Duration::from_millis(20)).is_none());
            assert!(current.wait_any_within(&mut works, Duration::ZERO).is_none());
            for (release, (index, value)) in [(1, (1, 1)), (2, (1, 2)), (0, (0, 0))] {
                releases[release].send(()).unwrap();
                let (found, waited) = current.wait_any_within(&mut works, LONG).unwrap();
                assert_eq!((found, waited.unwrap().to_vec(current).unwrap()), (index, vec![value; 8]));
            }
            assert!(works.is_empty() && current.wait_any(&mut works).is_none());
            assert!(current.wait_any_within(&mut works, Duration::MAX).is_none());
        })
        .unwrap();
    drop(events);
    runtime.close().unwrap();
    contexts.iter().for_each(|context| context.close().unwrap());
    alone.assert_nothing_lives();
}

/// A thread waits for the first of a list while another one queues more on one of the streams.
#[proves(STREAM_04, ERR_02)]
#[test]
fn a_piece_of_which_the_library_says_nothing_or_a_failure_leaves_the_list_with_its_error() {
    let alone = alone();
    let runtime = open();
    runtime
        .with(|current| {
            let own = stream(current);
            for plan in ["aclrtStreamQuery#1=507899", "aclrtSynchronizeStreamWithTimeout#1=507899"] {
                let (release, work, first) = held(current, 1);
                let mut works = vec![work, set(current, &own, 2)];
                if plan.contains("Query") {
                    fail(plan);
                    let (index, waited) = current.wait_any(&mut works).unwrap();
                    nothing_fails();
                    let failed = waited.unwrap_err();
                    assert_eq!((index, failed.error.code().unwrap().number()), (0, 507_899));
                    works.insert(0, failed.value);
                } else {
                    fail(plan);
                    let (index, waited) = current.wait_any(&mut works).unwrap();
                    nothing_fails();
                    let failed = waited.unwrap_err();
                    assert_eq!((index, failed.error.code().unwrap().number()), (1, 507_899));
                    works.push(failed.value);
                }
                release.send(()).unwrap();
                let mut sum = 0;
                while let Some((_, waited)) = current.wait_any(&mut works) {
                    sum += waited.unwrap().to_vec(current).unwrap()[0];
                }
                assert_eq!(sum, 3);
                drop(first);
            }
        })
        .unwrap();
    runtime.close().unwrap();
    alone.assert_nothing_lives();
}

/// Work of another runtime of the name comes back with an error, and stays what it is.
#[proves(STREAM_09, MEM_11)]
#[test]
fn a_list_with_work_of_another_runtime_of_the_name_gives_that_back() {
    let alone = alone();
    let (runtime, other) = (open(), open());
    let (release, theirs, their_stream) = other.with(|current| held(current, 7)).unwrap();
    let mut theirs = runtime
        .with(|current| {
            let mut waited = current.wait_all(vec![theirs, set(current, &stream(current), 1)]);
            assert_eq!(waited.pop().unwrap().unwrap().to_vec(current).unwrap(), [1; 8]);
            let failed = waited.pop().unwrap().unwrap_err();
            assert!(matches!(failed.error, Error::WrongContext { .. }), "{}", failed.error);
            vec![failed.value]
        })
        .unwrap();
    let begun = Instant::now();
    let asked = runtime.with(|current| current.wait_any_within(&mut theirs, Duration::from_millis(20))).unwrap();
    assert!(begun.elapsed() < LONG);
    if let Some((_, waited)) = asked {
        theirs.push(waited.unwrap_err().value);
    }
    release.send(()).unwrap();
    other
        .with(|current| {
            let (_, waited) = current.wait_any(&mut theirs).unwrap();
            assert_eq!(waited.unwrap().to_vec(current).unwrap(), [7; 8]);
            drop(their_stream);
        })
        .unwrap();
    [runtime, other].into_iter().for_each(|runtime| runtime.close().unwrap());
    alone.assert_nothing_lives();
}

/// Threads wait for lists of one context at once; one of them leaves by a panic in the middle.
#[proves(THREAD_03, MEM_02)]
#[test]
fn threads_that_wait_for_lists_at_once_get_their_own_and_one_that_panics_disturbs_nobody() {
    let alone = alone();
    let runtime = open();
    thread::scope(|threads| {
        for number in 0..4_u8 {
            let runtime = &runtime;
            threads.spawn(move || {
                let worked = runtime.with(|current| {
                    for round in 0..10 {
                        let streams = [(); 3].map(|()| stream(current));
                        let mut works: Vec<_> =
                            streams.iter().map(|own| set(current, own, 10 * number + round)).collect();
                        while let Some((_, waited)) = current.wait_any(&mut works) {
                            assert_eq!(waited.unwrap().to_vec(current).unwrap(), [10 * number + round; 8]);
                            let panicked =
                                catch_unwind(AssertUnwindSafe(|| assert!(number != 3 || round != 5, "as wanted")));
                            if panicked.is_err() {
                                break;
                            }
                        }
                    }
                });
                worked.unwrap();
            });
        }
    });
    runtime.close().unwrap();
    alone.assert_nothing_lives();
}
