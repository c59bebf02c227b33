//! The fate of an allocator when its stream is dropped, forgotten or stuck, or when the allocator itself panics.

use super::null::{Books, TIMEOUT, books, in_books};
use super::pool::{Pool, steps, work};
use ascendcl::{ScopeError, Thread, allocator::PoolAllocator};
use ascendcl_macros::proves;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

#[proves(ALLOC_11, ALLOC_12, ALLOC_16)]
#[test]
fn a_dropped_stream_gives_its_allocator_up_last_and_once() {
    let books = books();
    in_books(&books, |current| {
        books.keep_blocks();
        let stream = current.stream().unwrap().register(current, Pool::new("pool")).unwrap();
        drop(work(current, &stream));
        drop(stream);
        steps(&books);
        assert!(current.collect().is_empty());
        assert_eq!(
            steps(&books),
            ["SynchronizeStreamWithTimeout", "pool:free", "Unregister", "DestroyStream", "pool:drop"]
        );
        let stream = current.stream().unwrap().register(current, Pool::new("next")).unwrap();
        drop(work(current, &stream));
        steps(&books);
    });
    let steps = steps(&books);
    let drops = |step: &&String| step.ends_with(":drop");
    assert_eq!(steps.iter().filter(drops).count(), 1);
    assert_eq!(steps.last().map(String::as_str), Some("next:drop"), "{steps:?}");
}

#[proves(STREAM_05, ALLOC_16)]
#[test]
fn a_forgotten_stream_is_unregistered_before_it_is_destroyed() {
    let books = books();
    in_books(&books, |current| {
        books.keep_blocks();
        let stream = current.stream().unwrap().register(current, Pool::new("pool")).unwrap();
        drop(work(current, &stream));
        mem::forget(stream);
        steps(&books);
    });
    let steps = steps(&books);
    assert_eq!(
        steps[..5],
        ["SynchronizeStreamWithTimeout", "pool:free", "SynchronizeStreamWithTimeout", "Unregister", "DestroyStream"]
    );
}

#[proves(ALLOC_12)]
#[test]
fn the_allocator_of_a_forgotten_stream_is_dropped_with_its_scope() {
    let books = books();
    in_books(&books, |current| {
        mem::forget(current.stream().unwrap().register(current, Pool::new("pool")).unwrap());
    });
    assert_eq!(steps(&books).last().map(String::as_str), Some("pool:drop"));
}

#[test]
fn an_allocator_that_panics_when_it_is_dropped_leaves_a_device_that_resets() {
    let books = books();
    let acl = books.acl();
    let mut thread = Thread::new().unwrap();
    let device = acl.device(&mut thread, 0).unwrap();
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        device.with_current(&mut thread, |current| {
            let stream = current.stream().unwrap().register(current, Pool::panics_in("bomb", "drop")).unwrap();
            drop(work(current, &stream));
        })
    }));
    assert_eq!(panicked.unwrap_err().downcast_ref::<&str>(), Some(&"in the allocator"));
    assert_eq!(books.live(), "device 0 taken 1 time(s) + initialised");
    device.reset(&mut thread).unwrap();
    acl.close().unwrap();
    books.assert_closed();
}

#[test]
fn an_allocator_that_panics_during_a_reset_does_not_hide_another_stuck_context() {
    let books = books();
    let acl = books.acl();
    let mut thread = Thread::new().unwrap();
    let device = acl.device(&mut thread, 0).unwrap().with_teardown_timeout(Duration::from_millis(1));
    for hook in ["drop", "never"] {
        books.refuse_no_more("aclrtSynchronizeStreamWithTimeout");
        let scope = device.with_current(&mut thread, |current| {
            drop(current.stream().unwrap().register(current, Pool::panics_in("pool", hook)).unwrap());
            books.refuse("aclrtSynchronizeStreamWithTimeout", TIMEOUT, 2);
        });
        assert!(matches!(scope, Err(ScopeError::Teardown { .. })));
    }
    let panicked = catch_unwind(AssertUnwindSafe(|| device.reset(&mut thread)));
    assert!(panicked.is_err());
    acl.close().unwrap();
    books.assert_closed();
}

#[test]
fn an_allocator_that_panics_when_a_collection_drops_it_leaves_the_context_usable() {
    let books = books();
    in_books(&books, |current| {
        drop(current.stream().unwrap().register(current, Pool::panics_in("bomb", "drop")).unwrap());
        let kept = current.upload(&[1_u8, 2, 3]).unwrap();
        drop(current.upload(&[4_u8]).unwrap());
        let panicked = catch_unwind(AssertUnwindSafe(|| current.collect().len()));
        assert!(panicked.is_err());
        assert_eq!(kept.to_vec(current).unwrap(), [1, 2, 3]);
        assert!(current.collect().is_empty());
        current.stream().unwrap().destroy(current).unwrap();
    });
}

#[test]
fn an_allocator_that_panics_when_destroying_drops_it_is_gone_with_its_stream() {
    let books = books();
    in_books(&books, |current| {
        let stream = current.stream().unwrap().register(current, Pool::panics_in("bomb", "drop")).unwrap();
        drop(work(current, &stream));
        let panicked = catch_unwind(AssertUnwindSafe(|| stream.destroy(current).unwrap()));
        assert!(panicked.is_err());
        assert!(current.collect().is_empty());
        assert_eq!(books.live(), "1 context + device 0 taken 1 time(s) + initialised");
    });
}

#[proves(ALLOC_11, ALLOC_12)]
#[test]
fn a_stuck_stream_keeps_its_allocator_until_the_device_is_given_back() {
    let books = books();
    let acl = books.acl();
    let mut thread = Thread::new().unwrap();
    let device = acl.device(&mut thread, 0).unwrap();
    let scope = device.with_current(&mut thread, |current| {
        books.keep_blocks();
        let stream = current.stream().unwrap().register(current, Pool::new("pool")).unwrap();
        drop(work(current, &stream));
        books.refuse_to_synchronize(TIMEOUT);
        steps(&books);
    });
    assert!(matches!(scope, Err(ScopeError::Teardown { .. })));
    let failed = device.reset(&mut thread).unwrap_err();
    assert!(steps(&books).iter().all(|step| !step.contains(':')), "the allocator is left alone");
    books.synchronize_again();
    failed.value.reset(&mut thread).unwrap();
    acl.close().unwrap();
    assert_eq!(
        steps(&books),
        [
            "SynchronizeStreamWithTimeout",
            "pool:free",
            "SynchronizeStreamWithTimeout",
            "Unregister",
            "DestroyStream",
            "pool:drop"
        ]
    );
    books.assert_closed();
}

#[proves(ALLOC_11, ALLOC_14)]
#[test]
fn a_pool_keeps_what_came_back_until_its_stream_is_known_to_be_idle() {
    let books = books();
    in_books(&books, |current| {
        let pool = PoolAllocator::new(current, 4096).unwrap();
        let mut stream = current.stream().unwrap().register(current, pool).unwrap();
        let copy = work(current, &stream);
        let used = stream.pool_statistics().unwrap();
        assert_eq!(
            (used.misses, used.blocks_in_use, used.reserved_bytes),
            (1, 0, 4096),
            "the block came back after the launch"
        );
        assert!(current.collect().is_empty());
        assert_eq!(books.calls("aclrtFree"), 0, "the copy may still use it");
        books.log();
        assert_eq!(stream.idle(current).unwrap().trim(current).unwrap(), 4096);
        assert_eq!(steps_of_memory(&books), ["aclrtSynchronizeStreamWithTimeout", "aclrtFree"]);
        assert_eq!(stream.pool_statistics().unwrap().reserved_bytes, 0);
        drop(copy);

        // Nothing is given back without the proof.
        stream.grow_pool(current, 4096).unwrap();
        books.refuse("aclrtSynchronizeStreamWithTimeout", TIMEOUT, 3);
        assert!(stream.idle(current).is_err());
        assert_eq!(stream.pool_statistics().unwrap().reserved_bytes, 4096);
    });
}

fn steps_of_memory(books: &Books) -> Vec<String> {
    let told = ["aclrtSynchronizeStreamWithTimeout", "aclrtFree"];
    books.log().into_iter().filter(|call| told.contains(&call.as_str())).collect()
}
