//! Callbacks that a stream waits for: what is queued behind them begins when they have returned.

use crate::support::*;
use ascendcl_sim::exports::model_instance::*;
use std::ffi::c_void;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::mpsc;

/// How the work behind the callback is queued.
#[derive(Clone, Copy, PartialEq)]
enum Queued {
    OnItsStream,
    /// On another stream, which waits for an event that was recorded behind the callback.
    BehindAnEvent,
    /// On another stream, without an order.
    Anywhere,
}

/// A stream with a callback that does `inside` when `later` has been queued.
fn run(queued: Queued, inside: impl FnOnce() + Send + 'static, later: impl FnOnce(aclrtStream)) {
    run_on(stream(), queued, inside, later);
}

fn run_on(own: aclrtStream, queued: Queued, inside: impl FnOnce() + Send + 'static, later: impl FnOnce(aclrtStream)) {
    let (other, mark, context) = (stream(), event(), Shared::new(current()));
    let (go, gone) = mpsc::channel();
    launch(own, move || {
        gone.recv().unwrap();
        ok!(aclrtSetCurrentContext(context.get()));
        inside();
    });
    if queued == Queued::BehindAnEvent {
        ok!(aclrtRecordEvent(mark, own));
        ok!(aclrtStreamWaitEvent(other, mark));
    }
    later(if queued == Queued::OnItsStream { own } else { other });
    go.send(()).unwrap();
    sync(own);
    sync(other);
}

#[test]
fn a_callback_reads_what_work_behind_it_overwrites() {
    let read = |default: bool, queued| {
        let block = malloc(64);
        ok!(aclrtMemset(block, 64, 1, 64));
        let read = Shared::new(block);
        let inside = move || {
            let mut bytes = [0_u8; 64];
            ok!(aclrtMemcpy(bytes.as_mut_ptr().cast(), 64, read.get(), 64, TO_HOST));
        };
        let own = if default { aclrtStream::NULL } else { stream() };
        run_on(own, queued, inside, |stream| ok!(aclrtMemsetAsync(block, 64, 9, 64, stream)));
    };
    for default in [false, true] {
        assert_eq!(broken(|| read(default, Queued::OnItsStream)), []);
        assert_eq!(broken(|| read(default, Queued::BehindAnEvent)), []);
        assert_eq!(broken(|| read(default, Queued::Anywhere)), [rules::COPY_07]);
    }
}

#[test]
fn a_callback_produces_what_work_behind_it_reads() {
    let produce = |queued, by_a_copy: bool| {
        let (block, pinned) = (malloc(64), malloc_host(64));
        ok!(aclrtMemset(block, 64, 1, 64));
        let written = Shared::new(block);
        let inside = move || {
            if by_a_copy {
                let bytes = [7_u8; 64];
                ok!(aclrtMemcpy(written.get(), 64, bytes.as_ptr().cast(), 64, TO_DEVICE));
            } else {
                ok!(aclrtMemset(written.get(), 64, 7, 64));
            }
        };
        run(queued, inside, |stream| queue_copy(pinned, block, TO_HOST, stream));
    };
    for by_a_copy in [false, true] {
        assert_eq!(broken(|| produce(Queued::OnItsStream, by_a_copy)), []);
        assert_eq!(broken(|| produce(Queued::BehindAnEvent, by_a_copy)), []);
        assert_eq!(broken(|| produce(Queued::Anywhere, by_a_copy)), [rules::COPY_04]);
    }
}

// SAFETY: part of POSIX.
unsafe extern "C" {
    safe fn pthread_self() -> usize;
}

/// As in a program with a reporting thread, which here is the test's own: it runs the callback when all is queued.
#[test]
fn a_callback_of_a_reporting_thread_holds_up_its_stream_if_it_blocks() {
    static DONE: AtomicUsize = AtomicUsize::new(0);
    unsafe extern "C" fn read(block: *mut c_void) {
        let mut bytes = [0_u8; 64];
        ok!(aclrtMemcpy(bytes.as_mut_ptr().cast(), 64, block, 64, TO_HOST));
        DONE.fetch_add(1, SeqCst);
    }
    let run = |kind| {
        let (me, stream, block) = (pthread_self() as u64, stream(), malloc(64));
        ok!(aclrtSubscribeReport(me, stream));
        for round in 0..3 {
            ok!(aclrtMemsetAsync(block, 64, round, 64, stream));
            ok!(aclrtLaunchCallback(Some(read), block, kind, stream));
        }
        ok!(aclrtMemsetAsync(block, 64, 3, 64, stream));
        // One call may run several of them.
        while DONE.load(SeqCst) < 3 {
            ok!(aclrtProcessReport(5000));
        }
        DONE.store(0, SeqCst);
        sync(stream);
        ok!(aclrtUnSubscribeReport(me, stream));
    };
    assert_eq!(broken(|| run(aclrtCallbackBlockType::ACL_CALLBACK_BLOCK)), []);
    assert_eq!(broken(|| run(aclrtCallbackBlockType::ACL_CALLBACK_NO_BLOCK)).first(), Some(&rules::COPY_07));
}

/// The function runs behind a copy to the block that it reads.
#[test]
fn a_host_function_of_a_replay_comes_behind_the_work_before_and_allocates_nothing() {
    unsafe extern "C" fn reads(what: *mut c_void) {
        // SAFETY: the argument below: it is never freed.
        let (context, block) = unsafe { *what.cast::<(aclrtContext, *mut c_void)>() };
        let mut bytes = [0_u8; 64];
        acl!(aclrtSetCurrentContext(context));
        acl!(aclrtMemcpy(bytes.as_mut_ptr().cast(), 64, block, 64, TO_HOST));
    }
    unsafe extern "C" fn allocates(_: *mut c_void) {
        acl!(aclrtMalloc(&mut std::ptr::null_mut(), 64, aclrtMemMallocPolicy::ACL_MEM_MALLOC_HUGE_FIRST));
    }
    let run = |function: unsafe extern "C" fn(*mut c_void)| {
        broken_by(|| {
            let (stream, block, pinned) = (stream(), malloc(64), malloc_host(64));
            let what = std::ptr::from_mut(Box::leak(Box::new((current(), block)))).cast();
            let graph = crate::graphs::captured(stream, || ok!(aclrtLaunchHostFunc(stream, Some(function), what)));
            for _ in 0..2 {
                queue_copy(block, pinned, TO_DEVICE, stream);
                ok!(aclmdlRIExecuteAsync(graph, stream));
                sync(stream);
            }
            ok!(aclmdlRIDestroy(graph));
        })
    };
    assert_eq!(run(reads), []);
    assert_eq!(run(allocates), [(rules::CB_01, "aclrtMalloc")]);
}
