//! Values of the program that panic when they are dropped, while another panic unwinds: that does not end the process,
//! the first panic continues, and everything is taken down.

mod others;
mod undelivered;

use super::panics::{AlwaysPanics, panic_of};
use super::{collect, inside};
use crate::common::allocators::Empty;
use crate::common::{acl, alone, assert_lives, library};
use ascendcl::capture::CaptureMode;
use ascendcl::raw::{Attach, EndingContext, EndsBefore};
use ascendcl::runtime;
use ascendcl::{Brand, Current, Error, Runtime, Thread};
use ascendcl_macros::proves;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind, panic_any};
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::time::Duration;

ascendcl::names!(Worker);

const LONG: Duration = Duration::from_secs(20);

/// An error whose value runs this when it is dropped.
struct Reason<D: FnMut()>(D);

impl<D: FnMut()> Drop for Reason<D> {
    fn drop(&mut self) {
        self.0();
    }
}

impl<D: FnMut()> std::fmt::Debug for Reason<D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Reason")
    }
}

impl<D: FnMut()> std::fmt::Display for Reason<D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a reason")
    }
}

impl<D: FnMut()> std::error::Error for Reason<D> {}

fn panics_always() {
    panic_any(AlwaysPanics);
}

/// Refuses to end so many times, with three errors each time. If it is to, it leaves a value each time. The errors and
/// the value panic when they are dropped.
struct Refuses {
    times: AtomicU32,
    leaves: bool,
}

impl Refuses {
    fn times(times: u32) -> Self {
        Self { times: AtomicU32::new(times), leaves: false }
    }

    fn and_leaves(times: u32) -> Self {
        Self { leaves: true, ..Self::times(times) }
    }
}

// SAFETY: it stands for nothing in the library.
unsafe impl Attach for Refuses {
    const NAME: &'static str = "refuser";
    const ENDS_BEFORE: EndsBefore = EndsBefore::Everything;

    fn take_down(&self, from: &EndingContext<'_>) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        if self.times.fetch_update(SeqCst, SeqCst, |times| times.checked_sub(1)).is_err() {
            return Ok(());
        }
        from.also_failed(Reason(panics_always));
        from.also_failed(Reason(panics_always));
        if self.leaves {
            from.drop_later(AlwaysPanics);
        }
        Err(Reason(panics_always).into())
    }
}

/// Leaves an object that refuses to end so many times.
fn leave_refusing<C: Brand>(current: &Current<C>, times: u32) {
    mem::forget(current.attach(Refuses::times(times), ()).map_err(Error::from).unwrap());
}

/// Leaves an allocator that panics with this message, and whose fields do not panic again.
fn leave_allocator<C: Brand>(current: &Current<C>, message: &'static str) {
    let stream = current.stream().unwrap().register(current, Empty(Says(message))).unwrap();
    mem::forget(stream);
}

/// Panics with a message when it is dropped.
struct Says(&'static str);

impl Drop for Says {
    fn drop(&mut self) {
        panic_any(self.0);
    }
}

/// Runs a program with a device, which a panic leaves to the end.
#[track_caller]
fn with_the_rest_taken_down(program: impl FnOnce(&ascendcl::Device<'_>, &mut Thread)) {
    let alone = alone();
    let acl = acl();
    let mut thread = Thread::new().unwrap();
    let device = acl.device(&mut thread, 0).unwrap();
    program(&device, &mut thread);
    device.reset(&mut thread).unwrap();
    acl.close().unwrap();
    alone.assert_nothing_lives();
}

#[proves(DEV_10)]
#[test]
fn a_result_is_dropped_beside_the_panic_of_an_allocator() {
    with_the_rest_taken_down(|device, thread| {
        let message = panic_of(|| {
            let _ = device.with_current(thread, |current| {
                leave_allocator(current, "the allocator's");
                AlwaysPanics
            });
        });
        assert_eq!(message, "the allocator's");
    });
}

#[proves(DEV_10)]
#[test]
fn errors_of_objects_are_dropped_beside_the_panic_of_the_program() {
    with_the_rest_taken_down(|device, thread| {
        let message = panic_of(|| {
            let _ = device.with_current(thread, |current| {
                leave_refusing(current, 1);
                panic!("the program's own");
            });
        });
        assert_eq!(message, "the program's own");
    });
}

#[proves(DEV_10)]
#[test]
fn errors_that_wait_for_a_collection_are_dropped_beside_the_panic_of_the_program() {
    with_the_rest_taken_down(|device, thread| {
        let message = panic_of(|| {
            let _ = device.with_current(thread, |current| {
                let ended = current.attach(Reports(2, panics_always), ()).map_err(Error::from).unwrap();
                ended.take_down(current).map_err(Error::from).unwrap();
                panic!("the program's own");
            });
        });
        assert_eq!(message, "the program's own");
    });
}

#[proves(DEV_10)]
#[test]
fn a_value_that_panics_leaves_the_errors_of_a_collection_to_the_next_one() {
    let alone = alone();
    inside(|current| {
        drop(current.attach(Refuses::and_leaves(1), ()).map_err(Error::from).unwrap());
        let panicked = catch_unwind(AssertUnwindSafe(|| current.collect().into_iter().for_each(mem::forget)));
        mem::forget(panicked.unwrap_err());
        assert_eq!(forgotten(current.collect()), 3, "the errors of the first collection");
    });
    alone.assert_nothing_lives();
}

/// How many errors there are. Dropping one panics.
fn forgotten(errors: Vec<Error>) -> usize {
    errors.into_iter().map(mem::forget).count()
}

#[proves(DEV_10, INIT_03)]
#[test]
fn the_short_form_resets_and_finalises_after_two_panics_and_continues_the_first() {
    let alone = alone();
    let panicked = catch_unwind(|| {
        let _ = ascendcl::run(library(), |current| {
            leave_allocator(current, "the allocator's");
            mem::forget(current.attach(Reports(2, panics_always), ()));
            if current.device_id() == 0 {
                panic_any(AlwaysPanics);
            }
            Ok::<_, Error>(())
        });
    });
    let payload = panicked.unwrap_err();
    assert!(payload.is::<AlwaysPanics>(), "the first panic is the program's");
    mem::forget(payload);
    let next = acl();
    assert!(!next.joined(), "the library was finalised");
    next.close().unwrap();
    alone.assert_nothing_lives();
}

#[proves(DEV_10, INIT_03)]
#[test]
fn the_short_form_resets_and_finalises_when_an_allocator_panics() {
    let alone = alone();
    let message = panic_of(|| {
        let _ = ascendcl::run(library(), |current| {
            leave_allocator(current, "the allocator's");
            Ok::<_, Error>(AlwaysPanics)
        });
    });
    assert_eq!(message, "the allocator's");
    let next = acl();
    assert!(!next.joined(), "the library was finalised");
    next.close().unwrap();
    alone.assert_nothing_lives();
}

#[proves(DEV_10)]
#[test]
fn a_reset_takes_down_each_context_although_the_first_one_panics() {
    let alone = alone();
    let acl = acl();
    let mut thread = Thread::new().unwrap();
    let device = acl.device(&mut thread, 0).unwrap();
    for refuser in [Refuses::and_leaves(2), Refuses::times(1)] {
        let scope = catch_unwind(AssertUnwindSafe(|| {
            let ended = device.with_current(&mut thread, |current| mem::forget(current.attach(refuser, ())));
            let _ = ended.map_err(mem::forget);
        }));
        let _ = scope.map_err(mem::forget);
    }
    assert_lives!(contexts, 2);
    let reset = catch_unwind(AssertUnwindSafe(|| device.reset(&mut thread).map_err(mem::forget).is_ok()));
    mem::forget(reset.unwrap_err());
    assert_lives!(contexts, 1);
    acl.close().unwrap();
    alone.assert_nothing_lives();
}

#[proves(GRAPH_07)]
#[test]
fn each_state_of_a_graphs_callbacks_is_dropped_although_all_of_them_panic() {
    let alone = alone();
    inside(|current| {
        let mut stream = current.stream().unwrap().without_allocator();
        let graph = stream.capture(current, CaptureMode::ThreadLocal, (), |capture, ()| {
            capture.launch_host_fn(AlwaysPanics, |_| ())?;
            capture.launch_host_fn(AlwaysPanics, |_| ())
        });
        let graph = graph.map_err(Error::from).unwrap();
        let panicked = catch_unwind(AssertUnwindSafe(|| graph.into_operands(current).map(drop)));
        mem::forget(panicked.unwrap_err());
        // The program's own panic, or its error, comes before those of the states.
        let message = panic_of(|| {
            let _ = stream.capture(current, CaptureMode::ThreadLocal, (), |capture, ()| {
                capture.launch_host_fn(AlwaysPanics, |_| ())?;
                capture.launch_host_fn(AlwaysPanics, |_| ())?;
                panic!("in the capture");
            });
        });
        assert_eq!(message, "in the capture");
        collect(current);
    });
    alone.assert_nothing_lives();
}

/// Ends, and reports this many errors, each of which does this when it is dropped.
struct Reports<D: Fn() + Clone>(usize, D);

// SAFETY: it stands for nothing in the library.
unsafe impl<D: Fn() + Clone + Send + Sync + 'static> Attach for Reports<D> {
    const NAME: &'static str = "reporter";
    const ENDS_BEFORE: EndsBefore = EndsBefore::Everything;

    fn take_down(&self, from: &EndingContext<'_>) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        (0..self.0).for_each(|_| from.also_failed(Reason(self.1.clone())));
        Ok(())
    }
}

#[proves(DEV_10)]
#[test]
fn errors_that_find_no_room_are_dropped_when_no_lock_is_held() {
    let alone = alone();
    let runtime: &'static Runtime<Worker> = Box::leak(Box::new(Runtime::open(library()).unwrap()));
    let (told, ended) = channel::<bool>();
    let told = Mutex::new(told);
    let drops = Arc::new(move || {
        // Only another thread can collect: this one is inside.
        let (done, waited) = channel();
        std::thread::spawn(move || {
            let errors = runtime.with(|current| current.collect()).unwrap();
            forgotten(errors);
            let _ = done.send(());
        });
        let _ = told.lock().unwrap().send(waited.recv_timeout(Duration::from_secs(5)).is_ok());
    });
    let drops = move || drops();
    runtime
        .with(|current| {
            let full = current.attach(Reports(64, || ()), ()).map_err(Error::from).unwrap();
            full.take_down(current).map_err(Error::from).unwrap();
            let more = current.attach(Reports(1, drops), ()).map_err(Error::from).unwrap();
            more.take_down(current).map_err(Error::from).unwrap();
        })
        .unwrap();
    assert!(ended.recv_timeout(LONG).unwrap(), "the other thread waited for a lock");
    runtime.close().unwrap();
    alone.assert_nothing_lives();
}

#[proves(DEV_08)]
#[test]
fn a_device_is_recovered_although_an_object_panics_in_each_step() {
    let alone = alone();
    let acl = acl();
    let mut thread = Thread::new().unwrap();
    let device = acl.device(&mut thread, 0).unwrap();
    let scope = catch_unwind(AssertUnwindSafe(|| {
        let scope = device.with_current(&mut thread, |current| mem::forget(current.attach(Refuses::and_leaves(4), ())));
        let _ = scope.map_err(mem::forget);
    }));
    let _ = scope.map_err(mem::forget);
    let recovered =
        catch_unwind(AssertUnwindSafe(|| device.recover(&mut thread, Duration::from_secs(1)).map(drop).map_err(drop)));
    mem::forget(recovered.unwrap_err());
    // It refused four times: in the scope, twice before the forced reset, and once after it.
    alone.assert_nothing_lives();
    acl.device(&mut thread, 0).unwrap().reset(&mut thread).unwrap();
    acl.close().unwrap();
}

#[proves(DEV_10)]
#[test]
fn a_sweep_goes_on_after_a_panic_and_its_errors_wait_for_the_next_one() {
    let alone = alone();
    let open = || Runtime::<Worker>::open(library()).unwrap();
    let (refuses, panics, also) = (open(), open(), open());
    refuses.with(|current| leave_refusing(current, 2)).unwrap();
    panics.with(|current| leave_allocator(current, "the allocator's")).unwrap();
    also.with(|current| mem::forget(current.stream().unwrap())).unwrap();
    drop((refuses, panics, also));
    assert_eq!(panic_of(|| mem::forget(runtime::sweep(None))), "the allocator's");
    assert_lives!(contexts, 1, "the others were taken down");
    assert_eq!(forgotten(runtime::sweep(None)), 3 + 3, "the errors of both sweeps");
    assert_eq!(forgotten(runtime::sweep(None)), 0);
    alone.assert_nothing_lives();
}
