//! Code of the program that runs while a context ends, and enters other contexts meanwhile.

use super::{fail, nothing_fails};
use crate::common::allocators::Empty;
use crate::common::{acl, alone, library};
use ascendcl::raw::{Attach, EndingContext, EndsBefore};
use ascendcl::runtime::CloseError;
use ascendcl::{Acl, Current, Device, Error, RunError, Runtime, ScopeError, Scoped, Thread};
use ascendcl_macros::proves;
use std::mem;
use std::sync::{Arc, Mutex};
use std::time::Duration;

ascendcl::names!(Worker);

/// What a value found when it was dropped.
type Found = Arc<Mutex<Vec<Vec<u8>>>>;

/// Works in another runtime when it is dropped, and opens a new one there, whose context may get the place of the one that
/// has just ended.
struct Works {
    runtime: Arc<Runtime<Worker>>,
    found: Found,
}

impl Works {
    fn here(&self) {
        let read = |runtime: &Runtime<Worker>, byte| {
            runtime.with(|current| current.upload(&[byte; 4]).unwrap().to_vec(current).unwrap()).unwrap()
        };
        let first = read(&self.runtime, 1);
        let next = Runtime::<Worker>::open(library()).unwrap();
        let second = read(&next, 2);
        let third = read(&self.runtime, 3);
        next.close().unwrap();
        self.found.lock().unwrap().extend([first, second, third]);
    }
}

impl Drop for Works {
    fn drop(&mut self) {
        self.here();
    }
}

/// A scope whose end could not wait for its streams, and that leaves this value in an allocator.
fn leave<'a>(acl: &'a Acl, thread: &mut Thread, works: Works) -> Device<'a> {
    let device = acl.device(thread, 0).unwrap().with_teardown_timeout(Duration::from_millis(5));
    let ended = device.with_current(thread, |current| leaves(current, works));
    assert!(matches!(ended, Err(ScopeError::Teardown { .. })), "{ended:?}");
    nothing_fails();
    device
}

fn leaves(current: &mut Current<Scoped<'_>>, works: Works) {
    mem::forget(current.stream().unwrap().register(current, Empty(works)).unwrap());
    fail("aclrtSynchronizeStreamWithTimeout=507899");
}

/// The close of the library takes the context down. It has no token of the thread, which can enter other contexts.
#[proves(CTX_03, CTX_09, DEV_10)]
#[test]
fn a_value_that_is_dropped_when_the_library_closes_works_in_another_context() {
    let alone = alone();
    let (runtime, found) = (Arc::new(Runtime::open(library()).unwrap()), Found::default());
    let acl = acl();
    {
        let mut thread = Thread::new().unwrap();
        drop(leave(&acl, &mut thread, Works { runtime: Arc::clone(&runtime), found: Arc::clone(&found) }));
    }
    acl.close().unwrap();
    assert_eq!(*found.lock().unwrap(), [[1; 4], [2; 4], [3; 4]]);
    runtime.close().unwrap();
    drop(runtime);
    alone.assert_nothing_lives();
}

/// The same at the end of the short form, which could not take the context down before.
#[proves(CTX_03, CTX_09, DEV_10)]
#[test]
fn a_value_that_is_dropped_when_the_short_form_ends_works_in_another_context() {
    let alone = alone();
    let (runtime, found) = (Arc::new(Runtime::open(library()).unwrap()), Found::default());
    let works = Works { runtime: Arc::clone(&runtime), found: Arc::clone(&found) };
    let ran = ascendcl::run(library(), |current| {
        mem::forget(current.stream()?.register(current, Empty(works))?);
        // The end of the scope, and the reset of the device: the close of the library succeeds.
        fail("aclrtSynchronizeStreamWithTimeout#1=507899,aclrtSynchronizeStreamWithTimeout#2=507899");
        Ok::<_, ascendcl::Error>(())
    });
    nothing_fails();
    assert!(matches!(ran, Err(RunError::Teardown { .. })), "{ran:?}");
    assert_eq!(*found.lock().unwrap(), [[1; 4], [2; 4], [3; 4]]);
    runtime.close().unwrap();
    drop(runtime);
    alone.assert_nothing_lives();
}

/// Tries to enter another context where it is taken down, as [`Attach::take_down`] says.
struct Enters(Arc<Runtime<Worker>>, Arc<Mutex<Vec<bool>>>);

// SAFETY: it stands for nothing in the library.
unsafe impl Attach for Enters {
    const NAME: &'static str = "object";
    const ENDS_BEFORE: EndsBefore = EndsBefore::Everything;

    fn take_down(&self, _: &EndingContext<'_>) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        let closed = self.0.close().map_err(|error| match error {
            CloseError::Refused(error) => error,
            other => other.into(),
        });
        let refused = [self.0.with(|_| ()), closed, Thread::new().map(drop)];
        self.1.lock().unwrap().extend(refused.map(|refused| matches!(refused, Err(Error::ThreadTaken))));
        Ok(())
    }
}

/// The thread has its token, or none, when the library closes. Afterwards it is as it was.
#[proves(CTX_05, DEV_10)]
#[test]
fn an_object_that_ends_when_the_library_closes_enters_no_context() {
    for has_token in [false, true] {
        let alone = alone();
        let (runtime, told) = (Arc::new(Runtime::open(library()).unwrap()), Arc::new(Mutex::new(Vec::new())));
        let acl = acl();
        let mut thread = Thread::new().unwrap();
        let device = acl.device(&mut thread, 0).unwrap().with_teardown_timeout(Duration::from_millis(5));
        let ended = device.with_current(&mut thread, |current| {
            drop(current.attach(Enters(Arc::clone(&runtime), Arc::clone(&told)), current.stream().unwrap()).unwrap());
            fail("aclrtSynchronizeStreamWithTimeout=507899");
        });
        assert!(matches!(ended, Err(ScopeError::Teardown { .. })), "{ended:?}");
        nothing_fails();
        drop(device);
        let thread = has_token.then_some(thread);
        acl.close().unwrap();
        assert_eq!((told.lock().unwrap().as_slice(), Thread::new().is_err()), ([true; 3].as_slice(), has_token));
        drop(thread);
        runtime.close().unwrap();
        drop(runtime);
        alone.assert_nothing_lives();
    }
}
