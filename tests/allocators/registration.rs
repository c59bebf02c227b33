//! Registering, replacing and unregistering an allocator, and their failures.

use super::null::{TIMEOUT, WORK_FAILED, books, in_books, refusal};
use super::pool::{Pool, steps, work};
use ascendcl::{Scoped, Stream, stream::CustomAllocator};
use ascendcl_macros::proves;

#[proves(ALLOC_11)]
#[test]
fn unregistering_synchronises_first_and_gives_the_allocator_back() {
    let books = books();
    in_books(&books, |current| {
        books.keep_blocks();
        let stream = current.stream().unwrap().register(current, Pool::new("pool")).unwrap();
        let copy = work(current, &stream);
        steps(&books);
        let (stream, pool) = stream.unregister(current).unwrap();
        assert_eq!(steps(&books), ["SynchronizeStreamWithTimeout", "pool:free", "Unregister"]);
        assert_eq!(pool.live(), 0);
        drop(pool);
        drop(copy);
        // Decided anew, also differently.
        let stream = stream.register(current, Pool::new("next")).unwrap();
        let (stream, _) = stream.unregister(current).unwrap();
        stream.without_allocator().destroy(current).unwrap();
        assert_eq!(steps(&books).last().map(String::as_str), Some("DestroyStream"));
    });
}

#[proves(ALLOC_08, ALLOC_09, ALLOC_11)]
#[test]
fn replacing_synchronises_first_gives_the_old_one_back_and_the_last_one_counts() {
    let books = books();
    in_books(&books, |current| {
        books.keep_blocks();
        let stream = current.stream().unwrap().register(current, Pool::new("one")).unwrap();
        drop(work(current, &stream));
        steps(&books);
        let (stream, one) = stream.replace(current, Pool::new("two")).unwrap();
        assert_eq!(steps(&books), ["SynchronizeStreamWithTimeout", "one:free", "Register"]);
        assert_eq!((one.name, one.live()), ("one", 0));
        drop(work(current, &stream));
        let (stream, two) = stream.replace(current, Pool::new("three")).unwrap();
        assert_eq!(two.name, "two");
        drop((one, two));
        stream.destroy(current).unwrap();
        assert_eq!(
            steps(&books),
            [
                "MemcpyAsync",
                "two:allocate",
                "SynchronizeStreamWithTimeout",
                "two:free",
                "Register",
                "one:drop",
                "two:drop",
                "SynchronizeStreamWithTimeout",
                "Unregister",
                "DestroyStream",
                "three:drop"
            ]
        );
    });
}

#[proves(ALLOC_08)]
#[test]
fn whatever_refuses_a_registration_the_stream_and_the_allocator_come_back() {
    for call in [
        "aclrtSynchronizeStreamWithTimeout",
        "aclrtAllocatorSetObjToDesc",
        "aclrtAllocatorSetAllocAdviseFuncToDesc",
        "aclrtAllocatorRegister",
    ] {
        let books = books();
        in_books(&books, |current| {
            books.refuse(call, WORK_FAILED, 1);
            let failed = current.stream().unwrap().register(current, Pool::new("pool")).unwrap_err();
            assert_eq!(refusal(&failed.error), (call, WORK_FAILED));
            let (stream, pool) = failed.value;
            assert_eq!(pool.name, "pool");
            let stream = stream.register(current, pool).unwrap();

            books.refuse(call, WORK_FAILED, 1);
            let failed = stream.replace(current, Pool::new("other")).unwrap_err();
            let (stream, other) = failed.value;
            assert_eq!(other.name, "other");
            drop(other);
            steps(&books);
            drop(work(current, &stream));
            assert_eq!(steps(&books), ["MemcpyAsync", "pool:allocate", "pool:free"], "{call}");
        });
    }
}

#[proves(ALLOC_12)]
#[test]
fn a_registration_that_cannot_be_ended_goes_on() {
    let books = books();
    in_books(&books, |current| {
        let stream = current.stream().unwrap().register(current, Pool::new("pool")).unwrap();
        books.refuse("aclrtAllocatorUnregister", TIMEOUT, 2);
        let failed = stream.unregister(current).unwrap_err();
        assert_eq!(refusal(&failed.error), ("aclrtAllocatorUnregister", TIMEOUT));
        let failed = failed.value.destroy(current).unwrap_err();
        assert_eq!(refusal(&failed.error), ("aclrtAllocatorUnregister", TIMEOUT));
        steps(&books);
        drop(work(current, &failed.value));
        assert_eq!(steps(&books), ["MemcpyAsync", "pool:allocate", "pool:free"]);
        let (stream, pool) = failed.value.unregister(current).unwrap();
        drop(pool);
        stream.destroy(current).unwrap();
    });
}

#[test]
fn a_stream_that_cannot_be_destroyed_comes_back_with_its_allocator_registered() {
    let books = books();
    in_books(&books, |current| {
        let stream = current.stream().unwrap().register(current, Pool::new("pool")).unwrap();
        books.refuse("aclrtDestroyStream", TIMEOUT, 1);
        let stream: Stream<Scoped<'_>, CustomAllocator<Pool>> = stream.destroy(current).unwrap_err().value;
        steps(&books);
        drop(work(current, &stream));
        assert_eq!(steps(&books), ["MemcpyAsync", "pool:allocate", "pool:free"]);
    });
}

#[proves(ALLOC_02)]
#[test]
fn a_product_without_allocators_is_told_before_the_library_is_asked() {
    let books = books();
    books.pose_as("Ascend310B4");
    in_books(&books, |current| {
        let failed = current.stream().unwrap().register(current, Pool::new("pool")).unwrap_err();
        assert_eq!(failed.error.to_string(), "Ascend310B4 does not support an allocator of the caller's [ALLOC-02]");
        let (stream, _pool) = failed.value;
        let asked = ["aclrtAllocatorCreateDesc", "aclrtAllocatorRegister", "aclrtSynchronizeStreamWithTimeout"];
        assert_eq!(asked.map(|call| books.calls(call)), [0; 3]);
        drop(work(current, &stream.without_allocator()));
    });
}
