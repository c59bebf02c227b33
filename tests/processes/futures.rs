//! Futures in a forked child that has a library of its own.

use super::common::{alone, block_on, library_at, shared_simulator};
use super::ending_of;
use ascendcl::{Library, Runtime};
use ascendcl_macros::proves;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread::sleep;
use std::time::Duration;

ascendcl::names!(Server);

/// The futures of this process have a thread, which a child does not have.
#[proves(THREAD_05)]
#[test]
fn a_forked_child_that_loads_a_library_of_its_own_does_not_wait_for_the_futures_thread_of_its_parent() {
    fn future_ends(library: Library) -> bool {
        let runtime = Runtime::<Server>::open(library).unwrap();
        let under_way = runtime.with(|current| {
            let stream = current.stream().unwrap();
            let slow = stream.launch_host_fn(current, || sleep(Duration::from_millis(100))).unwrap();
            slow.when_done(current, &stream).unwrap()
        });
        let (done, _) = block_on(under_way.unwrap());
        runtime.with(|current| done.wait(current).unwrap().into_result().unwrap()).unwrap();
        // The same where a future is awaited that borrows its stream.
        let awaited = runtime.with(|current| {
            let mut stream = current.stream().unwrap();
            let slow = stream.launch_host_fn(current, || sleep(Duration::from_millis(100))).unwrap();
            block_on(slow.into_future(current, &mut stream).unwrap()).0.unwrap().into_result()
        });
        awaited.unwrap().unwrap();
        runtime.close().is_ok()
    }
    let (alone, library) = (alone(), shared_simulator());
    assert!(future_ends(Library::Simulator));
    assert_eq!(in_child!(future_ends(library_at(library))), "refused");
    alone.assert_nothing_lives();
}
