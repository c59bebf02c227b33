//! Handles of destroyed objects that are given out again.

use super::support::*;
use super::switched;
use std::collections::BTreeSet;
use std::thread;

#[test]
fn a_new_object_has_the_handle_of_the_one_that_was_destroyed_last() {
    let _switched = switched(|config| config.reuse_handles(true));
    for _ in 0..10 {
        let (first, second) = (stream(), stream());
        ok!(aclrtDestroyStream(first));
        ok!(aclrtDestroyStream(second));
        assert_eq!((stream(), stream()), (second, first));
        ok!(aclrtDestroyStream(first));
        ok!(aclrtDestroyStream(second));
        let before = event();
        ok!(aclrtDestroyEvent(before));
        assert_eq!(event(), before);
        ok!(aclrtDestroyEvent(before));
        let (kept, before) = (context(0), context(0));
        ok!(aclrtDestroyContext(before));
        assert_eq!(context(0), before);
        ok!(aclrtDestroyContext(before));
        ok!(aclrtDestroyContext(kept));
        ok!(aclrtSetDevice(0));
    }
}

#[test]
fn a_stale_handle_names_a_stranger_and_nothing_says_so() {
    let _switched = switched(|config| config.reuse_handles(true));
    let stale = stream();
    ok!(aclrtDestroyStream(stale));
    assert_eq!(acl!(aclrtSynchronizeStream(stale)), ACL_ERROR_RT_INVALID_HANDLE);
    let stranger = stream();
    assert_eq!(stale, stranger);
    ok!(aclrtSynchronizeStream(stale));
    ok!(aclrtDestroyStream(stale));
    assert_eq!(acl!(aclrtDestroyStream(stranger)), ACL_ERROR_RT_INVALID_HANDLE);
    // A thread whose context was destroyed under it finds itself in a new one.
    let own = Shared(context(0));
    let (tell, told) = std::sync::mpsc::channel::<()>();
    let thread = beside(move || {
        told.recv().unwrap();
        let mut current = aclrtContext::NULL;
        (acl!(aclrtGetCurrentContext(&mut current)), Shared(current))
    });
    ok!(aclrtDestroyContext(own.get()));
    let other = context(1);
    assert_eq!(other, own.get());
    tell.send(()).unwrap();
    let (code, current) = thread.join().unwrap();
    assert_eq!((code, current.get()), (ACL_SUCCESS, other));
}

#[test]
fn no_two_live_objects_share_a_handle() {
    const THREADS: usize = 4;
    const ROUNDS: usize = 200;
    let _switched = switched(|config| config.reuse_handles(true));
    let threads: Vec<_> = (0..THREADS)
        .map(|_| {
            thread::spawn(|| {
                ok!(aclrtSetDevice(0));
                for _ in 0..ROUNDS {
                    let streams: Vec<_> = (0..4).map(|_| stream()).collect();
                    let distinct: BTreeSet<usize> = streams.iter().map(|stream| stream.0.addr()).collect();
                    assert_eq!(distinct.len(), streams.len());
                    launch(streams[0], || {});
                    // Each is destroyed once, and by the thread that made it.
                    streams.into_iter().for_each(|stream| ok!(aclrtDestroyStream(stream)));
                    let own = context(0);
                    ok!(aclrtDestroyContext(own));
                    ok!(aclrtSetDevice(0));
                    ok!(aclrtResetDevice(0));
                }
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

#[test]
fn without_the_switch_a_handle_is_new() {
    let _switched = switched(|config| config);
    let before = stream();
    ok!(aclrtDestroyStream(before));
    assert_ne!(stream(), before);
}

#[test]
fn a_stream_with_the_handle_of_a_default_stream_that_was_destroyed_is_no_default_stream() {
    let _switched = switched(|config| config.reuse_handles(true));
    let mut default = aclrtStream::NULL;
    ok!(aclrtCtxGetCurrentDefaultStream(&mut default));
    ok!(aclrtDestroyStream(default));
    let other = stream();
    assert_eq!(other, default);
    let block = malloc(4);
    assert_eq!(acl!(aclrtMemsetAsync(block, 4, 0, 4, aclrtStream::NULL)), ACL_ERROR_RT_STREAM_CONTEXT);
    assert_eq!(acl!(aclrtSynchronizeStream(aclrtStream::NULL)), ACL_ERROR_RT_INVALID_HANDLE);
    ok!(aclrtMemsetAsync(block, 4, 0, 4, other));
    ok!(aclrtSynchronizeStream(other));
}
