//! Locks that a thread of the parent holds during a fork. They stay locked in the child forever.

use super::common::{acl, alone, data};
use super::{ending_of, is_forked};
use ascendcl::operator::relu;
use ascendcl::{Context, Current, Scoped, Thread, model::OutputBuffer};
use ascendcl_macros::proves;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

/// Takes the locks of the rows over and over.
fn collect_until(context: &Context<Scoped<'_>>, stops: &AtomicBool) {
    let mut thread = Thread::new().unwrap();
    let collects = |current: &mut Current<Scoped<'_>>| {
        while !stops.load(Ordering::Relaxed) {
            assert!(current.collect().is_empty());
        }
    };
    context.enter(&mut thread, collects).unwrap();
}

/// A thread takes the locks of the rows one after the other, and has one of them at most forks.
#[proves(THREAD_05)]
#[test]
fn a_forked_child_takes_no_lock_that_a_thread_of_its_parent_may_have() {
    const FORKS: usize = 24;
    let alone = alone();
    let acl = acl();
    let mut thread = Thread::new().unwrap();
    let device = acl.device(&mut thread, 0).unwrap();
    let scope = device.context(&mut thread, |context, thread| {
        let entered = context.enter(thread, |current| {
            let shape = [1, 64];
            let [model, fixed, open] = [(); 3].map(|()| current.load_model(data("digits.onnx")).unwrap());
            let mut fixed = fixed.bind(current, &[&shape], &[&[1, 10]]).unwrap();
            let mut open = open.bind_with(current, &[&shape], &[OutputBuffer::ByLibrary]).unwrap();
            [&mut fixed, &mut open].into_iter().for_each(|model| model.run(current).unwrap());
            let stream = current.stream().unwrap().without_allocator();
            let mut fixed = stream.execute(current, fixed).unwrap().wait(current).unwrap();
            let tensor = current.upload_tensor(&[2], &[1_i32, 5]).unwrap();
            // The lock of a shelf is held for as long as it takes to look at all of these.
            let rows: Vec<_> = (0..200).map(|_| current.pageable_buffer(vec![1_u8])).collect();
            let streams: Vec<_> = (0..100).map(|_| current.stream().unwrap()).collect();
            let stops = AtomicBool::new(false);
            let wrong = std::thread::scope(|scope| {
                scope.spawn(|| collect_until(context, &stops));
                let mut wrong = Vec::new();
                macro_rules! refused {
                    ($($what:literal: $call:expr;)+) => { $(
                        for _ in 0..FORKS {
                            let outcome = in_child!(is_forked($call));
                            if outcome != "refused" {
                                wrong.push(format!("{}: {outcome}", $what));
                                break;
                            }
                        }
                    )+ };
                }
                refused! {
                    "default stream": current.default_stream().synchronize(current);
                    "pageable buffer": current.pageable_buffer(vec![1_u8; 64]).free(current);
                    "stream": current.stream();
                    "event": current.event();
                    "device buffer": current.device_buffer::<u8>(64);
                    "load": current.load_model(data("digits.onnx"));
                    "bind": model.bind(current, &[&shape], &[&[1, 10]]);
                    "reshape": fixed.reshape(current, &[&shape]);
                    "run": fixed.run(current);
                    "run with an output of the library's": open.run(current);
                    "execute": stream.execute(current, fixed);
                    "execute with an output of the library's": stream.execute(current, open);
                    "into_model": fixed.into_model(current);
                    "operator": relu(current, tensor);
                }
                stops.store(true, Ordering::Relaxed);
                wrong
            });
            assert_eq!(wrong, [""; 0]);
            drop((rows, streams));
        });
        entered.unwrap();
    });
    scope.unwrap();
    device.reset(&mut thread).unwrap();
    acl.close().unwrap();
    alone.assert_nothing_lives();
}
