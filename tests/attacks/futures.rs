//! Futures that hold handles and never finish.

use super::{collect, in_context, inside, model, upload, with_device};
use crate::common::{acl, alone};
use ascendcl::{Context, Current, Thread};
use ascendcl_macros::proves;
use ascendcl_sim::control;
use std::cell::RefCell;
use std::mem;
use std::pin::{Pin, pin};
use std::task::{Context as Task, Poll, Waker};

/// Is pending once.
struct Yields(bool);

impl Future for Yields {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, _: &mut Task<'_>) -> Poll<()> {
        if mem::replace(&mut self.0, true) { Poll::Ready(()) } else { Poll::Pending }
    }
}

async fn yields() {
    Yields(false).await;
}

fn poll<T>(future: Pin<&mut impl Future<Output = T>>) -> Poll<T> {
    future.poll(&mut Task::from_waker(Waker::noop()))
}

#[test]
fn a_future_that_was_polled_once_and_forgotten_leaves_nothing() {
    let alone = alone();
    inside(|current| {
        let mut future = Box::pin(async {
            let stream = current.stream().unwrap();
            let copy = upload(current, &stream);
            let model = model(current);
            yields().await;
            (copy, model)
        });
        assert!(poll(future.as_mut()).is_pending());
        mem::forget(future);
        // The borrow of `current` ended, and what the future made lives on in the scope.
        collect(current);
        assert_eq!(control::live().models, 1);
        current.stream().unwrap().destroy(current).unwrap();
    });
    alone.assert_nothing_lives();
}

#[proves(MEM_02, COPY_04)]
#[test]
fn a_future_that_is_dropped_between_two_polls_leaves_its_copy_in_flight() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap();
        {
            let mut future = pin!(async {
                let copy = upload(current, &stream);
                yields().await;
                copy.wait(current).map(drop)
            });
            assert!(poll(future.as_mut()).is_pending());
        }
        collect(current);
        assert_eq!(control::live().device_blocks, 1, "the copy may still run");
        stream.synchronize(current).unwrap();
        collect(current);
        assert_eq!(control::live().device_blocks, 0);
    });
    alone.assert_nothing_lives();
}

#[proves(MEM_02, COPY_04)]
#[test]
fn a_cancelled_wait_gives_nothing_back_early() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap();
        let slot = RefCell::new(Some(upload(current, &stream)));
        let mut future = Box::pin(async {
            let copy = slot.borrow_mut().take().unwrap();
            yields().await;
            copy.wait(current).unwrap()
        });
        assert!(poll(future.as_mut()).is_pending());
        drop(future);
        assert!(slot.borrow().is_none());
        drop(stream);
        collect(current);
        let live = control::live();
        assert_eq!((live.streams, live.device_blocks), (0, 0), "the stream was synchronised, then both went");
    });
    alone.assert_nothing_lives();
}

async fn works_in<'c>(context: &'c Context<'c>, thread: &RefCell<&mut Thread>) {
    let enter = |program: &mut dyn FnMut(&mut Current<'c>)| context.enter(&mut **thread.borrow_mut(), program).unwrap();
    let mut stream = None;
    enter(&mut |current| stream = Some(current.stream().unwrap()));
    yields().await;
    enter(&mut |current| stream.take().unwrap().destroy(current).unwrap());
}

#[test]
fn futures_of_two_contexts_take_turns_on_one_thread() {
    let alone = alone();
    with_device(acl(), |device, thread| {
        device
            .context(thread, |one, thread| {
                device
                    .context(thread, |two, thread| {
                        let thread = RefCell::new(thread);
                        let (mut first, mut second) =
                            (Box::pin(works_in(one, &thread)), Box::pin(works_in(two, &thread)));
                        assert!(poll(first.as_mut()).is_pending());
                        assert!(poll(second.as_mut()).is_pending());
                        assert_eq!(control::live().streams, 2);
                        assert!(poll(first.as_mut()).is_ready());
                        mem::forget(second);
                    })
                    .unwrap();
            })
            .unwrap();
    });
    alone.assert_nothing_lives();
}

#[test]
fn a_future_with_a_stream_goes_to_another_thread_between_two_polls() {
    let alone = alone();
    in_context(|context, thread| {
        let stream = context.enter(thread, |current| current.stream().unwrap()).unwrap();
        let mut future = Box::pin(async move {
            yields().await;
            let mut thread = Thread::new().unwrap();
            context.enter(&mut thread, |current| stream.destroy(current).unwrap()).unwrap();
        });
        assert!(poll(future.as_mut()).is_pending());
        std::thread::scope(|scope| {
            scope.spawn(move || assert!(poll(future.as_mut()).is_ready()));
        });
    });
    alone.assert_nothing_lives();
}
