//! Refusals of the library to end parts of a graph, with the code that stands for a handle which has gone.

use super::super::common::alone;
use super::super::{fail, in_context, inside, nothing_fails};
use super::{CaptureMode, stream};
use ascendcl::Thread;
use ascendcl_macros::proves;
use std::sync::mpsc::channel;
use std::time::Duration;

/// Such a code says that the handle has gone only after a call for it that was refused.
#[proves(GRAPH_07, STREAM_20)]
#[test]
fn a_first_refusal_with_the_code_of_a_dead_handle_does_not_end_a_part_of_a_graph() {
    let alone = alone();
    for plan in ["aclmdlRIDestroy#1=107017", "aclrtDestroyLabelList#1=107000", "aclrtDestroyLabel#1=107017"] {
        for plan in [plan.to_owned(), plan.replace('=', "=after:")] {
            inside(|current| {
                let mut build = current.build_graph(current.upload(&[0_u32]).unwrap()).unwrap();
                build.add(current, |tasks, index| tasks.switch(&index, 2, |_, _| Ok(()))).unwrap();
                let graph = build.end(current).unwrap();
                fail(&plan);
                let kept = graph.into_operands(current).unwrap_err();
                nothing_fails();
                assert!(kept.error.code().is_some(), "{plan}: {}", kept.error);
                drop(kept.value.into_operands(current).unwrap());
            });
            alone.assert_nothing_lives();
        }
    }
}

/// A thread destroys a stream whose capture the library refused to end, and another thread captures a stream meanwhile.
#[proves(GRAPH_04)]
#[test]
fn a_capture_that_was_refused_its_end_takes_no_other_capture_with_it() {
    let alone = alone();
    in_context(|context, thread| {
        let (begins, begun) = channel::<()>();
        let (release, released) = channel::<()>();
        let captures = move || {
            let captured = context.enter(&mut Thread::new().unwrap(), |current| {
                let mut own = stream(current);
                let buffer = current.upload(&[1_u8; 4]).unwrap();
                let graph = own.capture(current, CaptureMode::Relaxed, buffer, |capture, mut buffer| {
                    begins.send(()).unwrap();
                    released.recv_timeout(Duration::from_secs(20)).unwrap();
                    capture.set_bytes(&mut buffer, 7)
                });
                drop(own.replay(current, graph.unwrap()).unwrap().wait(current).unwrap());
            });
            captured.unwrap();
        };
        let entered = context.enter(thread, |current| {
            let mut own = stream(current);
            let buffer = current.upload(&[1_u8; 4]).unwrap();
            fail("aclmdlRICaptureEnd=507899");
            drop(own.capture(current, CaptureMode::Relaxed, buffer, |_, _| Ok(())));
            nothing_fails();
            std::thread::scope(|threads| {
                let other = threads.spawn(captures);
                begun.recv_timeout(Duration::from_secs(20)).unwrap();
                own.destroy(current).unwrap();
                release.send(()).unwrap();
                other.join().unwrap();
            });
        });
        entered.unwrap();
    });
    alone.assert_nothing_lives();
}
