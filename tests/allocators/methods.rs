//! The library calls the methods of an allocator.

use super::null::{books, in_books, note};
use super::pool::{Pool, steps, work};
use ascendcl::{Acl, DeviceAllocator, Error, Thread, context::ContextId, memory::DeviceAddress};
use ascendcl_macros::proves;
use std::panic::{AssertUnwindSafe, catch_unwind, panic_any};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

#[proves(ALLOC_13, ALLOC_19)]
#[test]
fn work_on_a_stream_gets_its_memory_from_the_streams_own_allocator() {
    let books = books();
    in_books(&books, |current| {
        let one = current.stream().unwrap().register(current, Pool::new("one")).unwrap();
        let two = current.stream().unwrap().register(current, Pool::new("two")).unwrap();
        steps(&books);
        drop(work(current, &two));
        drop(work(current, &one));
        assert_eq!(
            steps(&books),
            ["MemcpyAsync", "two:allocate", "two:free", "MemcpyAsync", "one:allocate", "one:free"]
        );
        assert_eq!(one.with_allocator(|pool| (pool.name, pool.live())), Some(("one", 0)));
        assert!(!one.allocator_misbehaved());
    });
    assert!(books.log().iter().all(|word| !word.starts_with("null-")), "an address for each block");
}

#[proves(ALLOC_17)]
#[test]
fn the_library_may_propose_an_address_because_the_optional_member_is_always_set() {
    let books = books();
    in_books(&books, |current| {
        let stream = current.stream().unwrap().register(current, Pool::new("pool")).unwrap();
        books.propose(0xabc0);
        steps(&books);
        drop(work(current, &stream));
        assert_eq!(steps(&books), ["MemcpyAsync", "pool:near-0xabc0", "pool:allocate", "pool:free"]);
    });
}

#[proves(ALLOC_19)]
#[test]
fn an_allocator_without_memory_is_no_misbehaviour_of_its_own() {
    let books = books();
    in_books(&books, |current| {
        let mut pool = Pool::new("pool");
        pool.has_memory = false;
        let stream = current.stream().unwrap().register(current, pool).unwrap();
        steps(&books);
        drop(work(current, &stream));
        assert_eq!(steps(&books), ["MemcpyAsync", "pool:allocate", "null-block"]);
        assert!(!stream.allocator_misbehaved(), "to have no memory is an answer");
    });
}

#[proves(CB_09, ALLOC_19)]
#[test]
fn a_panic_in_a_method_does_not_reach_the_library_and_is_told_afterwards() {
    for (method, answer) in [("allocate", "null-block"), ("free", "pool:free"), ("near-0x40", "null-block")] {
        let books = books();
        in_books(&books, |current| {
            let stream = current.stream().unwrap().register(current, Pool::panics_in("pool", method)).unwrap();
            if method.starts_with("near") {
                books.propose(0x40);
            }
            steps(&books);
            drop(work(current, &stream));
            assert!(stream.allocator_misbehaved(), "{method}");
            assert_eq!(steps(&books).last().map(String::as_str), Some(answer), "{method}");
            // The stream and its allocator go on.
            stream.with_allocator(|pool| *pool.hook() = Box::new(|_| ())).unwrap();
            drop(work(current, &stream));
            assert_eq!(steps(&books).last().map(String::as_str), Some("pool:free"), "{method}");
        });
    }
}

#[proves(CB_09)]
#[test]
fn a_panic_while_telling_the_address_gives_the_library_no_block() {
    struct Unsure;
    // SAFETY: it never gets as far as handing out an address.
    unsafe impl DeviceAllocator for Unsure {
        type Block = ();
        fn allocate(&self, _: usize) -> Option<()> {
            Some(())
        }
        fn address(&self, (): &()) -> DeviceAddress {
            panic_any("which address?")
        }
        fn free(&self, (): ()) {
            note("free-was-called");
        }

        fn serves(&self, _: ContextId) -> bool {
            true
        }
    }
    let books = books();
    in_books(&books, |current| {
        let stream = current.stream().unwrap().register(current, Unsure).unwrap();
        steps(&books);
        drop(work(current, &stream));
        assert_eq!(steps(&books), ["MemcpyAsync", "null-block"]);
        assert!(stream.allocator_misbehaved());
    });
}

#[test]
fn work_queued_while_the_allocator_is_looked_at_gets_its_memory_from_it() {
    let books = books();
    in_books(&books, |current| {
        let stream = current.stream().unwrap().register(current, Pool::new("pool")).unwrap();
        steps(&books);
        stream.with_allocator(|_| drop(work(current, &stream))).unwrap();
        assert_eq!(steps(&books), ["MemcpyAsync", "pool:allocate", "pool:free"]);
        assert!(!stream.allocator_misbehaved());
        let inner = stream.with_allocator(|_| stream.with_allocator(|pool| pool.name));
        assert_eq!(inner, Some(Some("pool")));
    });
}

#[test]
fn a_panic_while_the_allocator_is_looked_at_leaves_it_usable() {
    let books = books();
    in_books(&books, |current| {
        let stream = current.stream().unwrap().register(current, Pool::new("pool")).unwrap();
        let panicked = catch_unwind(AssertUnwindSafe(|| stream.with_allocator(|_| panic_any("while looking"))));
        assert!(panicked.is_err());
        steps(&books);
        drop(work(current, &stream));
        assert_eq!(steps(&books), ["MemcpyAsync", "pool:allocate", "pool:free"]);
        assert!(!stream.allocator_misbehaved());
    });
}

#[proves(ALLOC_18)]
#[test]
fn nothing_of_the_library_can_be_begun_inside_a_method() {
    let books = books();
    let library = books.library();
    let refused = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&refused);
    in_books(&books, |current| {
        let pool = Pool::with("pool", move |method| {
            if method == "drop" {
                return;
            }
            let token = matches!(Thread::new(), Err(Error::InsideCallback));
            let begun = matches!(Acl::init(library.clone()), Err(Error::InsideCallback));
            let short = ascendcl::run(library.clone(), |_| Ok::<_, Error>(())).is_err();
            counted.fetch_add(usize::from(token && begun && short), Ordering::Relaxed);
        });
        let stream = current.stream().unwrap().register(current, pool).unwrap();
        drop(work(current, &stream));
    });
    assert_eq!(refused.load(Ordering::Relaxed), 2, "in `allocate` and in `free`");
    assert_eq!(books.calls("aclInit"), 1);
}

#[proves(ALLOC_18)]
#[test]
fn a_library_that_the_allocator_owns_is_out_of_reach_inside_a_method() {
    let books = books();
    let own = Mutex::new(Some(books.acl()));
    in_books(&books, |current| {
        let pool = Pool::with("pool", move |method| {
            if method == "drop" {
                return own.lock().unwrap().take().unwrap().close().unwrap();
            }
            let own = own.lock().unwrap();
            let answer = own.as_ref().unwrap().device_count();
            note(if matches!(answer, Err(Error::InsideCallback)) { "count-refused" } else { "count-answered" });
        });
        let stream = current.stream().unwrap().register(current, pool).unwrap();
        steps(&books);
        drop(work(current, &stream));
        assert_eq!(steps(&books), ["MemcpyAsync", "pool:allocate", "count-refused", "pool:free", "count-refused"]);
    });
}
