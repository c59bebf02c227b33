//! Runtimes whose device hangs, and that are closed by force while the program keeps their values.

use super::{alone as alone_on_all_devices, *};
use crate::common::allocators::Watch;
use crate::common::allocators::Watched;
use ascendcl::raw::{Attach, EndingContext, EndsBefore, KeptStream};
use ascendcl::{DeviceBuffer, Event, event::Recorded, stream::WhenDone};
use ascendcl_sim::{Calls, Checks, Config, Fault, Plan};
use ascendcl_sys::types::aclrtStream;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, Ordering};

const BRIEFLY: Duration = Duration::from_millis(20);

/// A device that no other test takes. Some of them leave one taken for good, and a device that is taken elsewhere is not
/// reset by force.
const DEVICE: i32 = 2;

fn alone() -> crate::common::Alone {
    let alone = alone_on_all_devices();
    control::configure(crate::common::under_watch(Config::new().devices(3))).unwrap();
    alone
}

fn open() -> Runtime<Worker> {
    Runtime::open(Setup::builder().library(library()).device(DEVICE).build()).unwrap()
}

type Set = DeviceBuffer<Worker, u8>;

pub(super) struct Values {
    work: Pending<Worker, Set>,
    future: WhenDone<Worker, Set>,
    event: Event<Worker, Recorded>,
    kept: KeptStream,
    stream: Stream<Worker>,
    host: HostBuffer<Worker, u8>,
}

/// A runtime whose streams hang, and values of it. Each call in `refused` is refused from then on.
pub(super) fn hanging(refused: &[&str]) -> (Runtime<Worker>, Values) {
    let runtime = open();
    let values = runtime.with(|current| {
        let [stream, other, kept] = [(); 3].map(|()| current.stream().unwrap());
        let memory = || current.device_buffer::<u8>(64).unwrap();
        let (first, second, third, host) = (memory(), memory(), memory(), current.host_buffer(64).unwrap());
        let plan = |plan: Plan, name: &&str| plan.at(Calls::of(*name), Fault::Fails(207_000));
        let hangs = Plan::new().at(Calls::of("aclrtMemsetAsync"), Fault::Hangs);
        crate::begin(refused.iter().fold(hangs, plan));
        let work = stream.set_bytes(current, first, 1).unwrap();
        let event = stream.record(current, current.event().unwrap()).unwrap();
        let future = other.set_bytes(current, second, 1).unwrap().when_done(current, &other).unwrap();
        mem::forget(kept.set_bytes(current, third, 1).unwrap());
        mem::forget(other);
        Values { work, future, event, kept: kept.keep(), stream, host }
    });
    (runtime, values.unwrap())
}

/// The object is gone, or it is of a context that this thread is not in.
#[track_caller]
fn is_of_no_use<R>(result: Result<R, Error>) {
    let error = result.map(drop).unwrap_err();
    assert!(matches!(error, Error::Gone { .. } | Error::WrongContext { .. }), "{error:?}");
}

/// None of the values does anything, neither alone nor in another runtime of the name.
pub(super) fn are_of_no_use(values: Values) {
    let Values { work, future, event, kept, stream, host } = values;
    let pending = finish(future);
    let next = open();
    next.with(|current| {
        let own = current.stream().unwrap();
        is_of_no_use(own.wait_across_contexts(current, &event));
        is_of_no_use(own.wait_for(current, &event));
        is_of_no_use(event.is_complete(current));
        is_of_no_use(kept.lend(current));
        is_of_no_use(host.slice(current));
        is_of_no_use(stream.synchronize(current));
        for work in [work, pending] {
            assert!(own.set_bytes(current, current.device_buffer::<u8>(4).unwrap(), 0).unwrap().wait(current).is_ok());
            // Where its work is known to be over, the wait gives the buffer, which is of no use either.
            if let Ok(buffer) = work.wait(current) {
                is_of_no_use(buffer.to_vec(current));
                is_of_no_use(buffer.free(current).map_err(|failed| failed.error));
            }
        }
        drop(own);
    })
    .unwrap();
    next.close().unwrap();
}

#[proves(STREAM_17, DEV_10)]
#[test]
fn a_runtime_whose_streams_could_be_aborted_is_closed_and_loses_nothing() {
    let alone = alone();
    let (runtime, values) = hanging(&[]);
    let Err(CloseError::Teardown { errors }) = runtime.close() else { panic!("it hangs") };
    assert!(errors.iter().all(|error| error.code().is_some_and(|code| code.is_timeout())), "{errors:?}");
    assert_eq!(runtime.close_by_force(BRIEFLY).unwrap(), [""; 0]);
    nothing_fails();
    is_gone(runtime.with(|_| ()));
    runtime.close().unwrap();
    are_of_no_use(values);
    drop(runtime);
    sweep();
    alone.assert_nothing_lives();
}

#[proves(DEV_08, DEV_09, ERR_07)]
#[test]
fn a_runtime_is_reset_by_force_under_values_that_are_kept() {
    let alone = alone();
    let (runtime, values) = hanging(&["aclrtStreamAbort", "aclrtDeviceTaskAbort"]);
    let lost = runtime.close_by_force(BRIEFLY).unwrap();
    nothing_fails();
    assert!(lost.iter().all(|lost| !lost.is_empty()), "{lost:?}");
    is_gone(runtime.with(|_| ()));
    runtime.close().unwrap();
    assert_eq!(runtime.close_by_force(BRIEFLY).unwrap(), [""; 0]);
    are_of_no_use(values);
    drop(runtime);
    sweep();
    alone.assert_nothing_lives();
}

/// For attacks that leave a context. That the library is finalised then is a finding, which strict checks would answer with
/// a failure. Answers no where the simulator gives handles out again: a later test would get that of the context.
pub(super) fn may_leave_a_context() -> bool {
    control::configure(Config::new().devices(3).checks(Checks::Report)).unwrap();
    !std::env::var("ASCENDCL_SIM").is_ok_and(|words| words.contains("reuse-handles"))
}

/// What could not be ended after the reset either is lost, with the context: its events are not asked for any more, and
/// nothing waits for them.
#[proves(DEV_08, EVENT_06, INIT_01)]
#[test]
fn values_of_a_runtime_that_is_lost_with_its_context_end() {
    let alone = alone();
    if !may_leave_a_context() {
        return;
    }
    let (runtime, values) = hanging(&["aclrtStreamAbort", "aclrtDeviceTaskAbort", "aclrtDestroyEvent"]);
    let lost = runtime.close_by_force(BRIEFLY).unwrap();
    assert!(matches!(&*lost, [lost] if lost.contains("event(s)")), "{lost:?}");
    nothing_fails();
    are_of_no_use(values);
    drop(runtime);
    sweep();
    // The context lives on.
    control::reset();
    alone.assert_nothing_but_the_end_was_found();
}

/// The reset by force is refused; or it takes place, and the library is not finalised. What is left is tried again.
#[proves(DEV_09, INIT_07)]
#[test]
fn a_runtime_whose_last_steps_are_refused_is_closed_the_next_time() {
    let alone = alone();
    for step in ["aclrtResetDeviceForce", "aclFinalizeReference"] {
        let (runtime, values) = hanging(&["aclrtStreamAbort", "aclrtDeviceTaskAbort", step]);
        let Err(CloseError::Teardown { errors }) = runtime.close_by_force(BRIEFLY) else { panic!("{step}") };
        assert!(matches!(errors.last(), Some(Error::Vendor(error)) if error.call == step), "{errors:?}");
        nothing_fails();
        runtime.close().unwrap();
        are_of_no_use(values);
        drop(runtime);
        sweep();
    }
    alone.assert_nothing_lives();
}

/// The first one has reset the device, and could not take its context down. The device is another runtime's by now.
#[proves(DEV_08, DEV_09)]
#[test]
fn a_runtime_that_has_reset_its_device_does_not_reset_it_under_the_next_one() {
    let alone = alone();
    let refused = ["aclrtStreamAbort", "aclrtDeviceTaskAbort", "aclrtSetCurrentContext", "aclFinalizeReference"];
    let (runtime, values) = hanging(&refused);
    let Err(CloseError::Teardown { errors }) = runtime.close_by_force(BRIEFLY) else { panic!("it is finalised") };
    assert!(matches!(errors.last(), Some(Error::Vendor(error)) if error.call == "aclFinalizeReference"), "{errors:?}");
    nothing_fails();
    let next = open();
    let kept = next.with(|current| current.upload(&[7_u8; 64]).unwrap()).unwrap();
    fail("aclrtDestroyContext=207000");
    let Err(CloseError::Teardown { .. }) = runtime.close() else { panic!("the context was destroyed") };
    // What is refused once is not lost for that.
    fail("aclrtDestroyContext#1=207000");
    assert_eq!(runtime.close_by_force(Duration::from_secs(1)).unwrap(), [""; 0]);
    nothing_fails();
    next.with(|current| assert_eq!(kept.to_vec(current).unwrap(), [7; 64])).unwrap();
    next.close().unwrap();
    are_of_no_use(values);
    drop(runtime);
    sweep();
    alone.assert_nothing_lives();
}

#[proves(DEV_08)]
#[test]
fn a_device_that_another_runtime_has_is_not_reset_under_it() {
    let alone = alone();
    let other = open();
    let kept = other.with(|current| current.upload(&[7_u8; 64]).unwrap()).unwrap();
    let (runtime, values) = hanging(&["aclrtStreamAbort", "aclrtDeviceTaskAbort"]);
    for _ in 0..2 {
        let error = runtime.close_by_force(BRIEFLY).unwrap_err();
        assert!(matches!(error.errors().last(), Some(Error::DeviceShared { .. })), "{error}");
    }
    nothing_fails();
    other.with(|current| assert_eq!(kept.to_vec(current).unwrap(), [7; 64])).unwrap();
    drop(kept);
    other.close().unwrap();
    drop(runtime.close_by_force(BRIEFLY).unwrap());
    are_of_no_use(values);
    drop(runtime);
    sweep();
    alone.assert_nothing_lives();
}

#[proves(DEV_10, CTX_11)]
#[test]
fn a_runtime_is_not_closed_by_force_under_a_thread_that_is_inside() {
    let alone = alone();
    let (runtime, values) = hanging(&["aclrtStreamAbort", "aclrtDeviceTaskAbort"]);
    runtime
        .with(|current| {
            let refused = runtime.close_by_force(BRIEFLY);
            assert!(matches!(refused, Err(CloseError::Refused(Error::ThreadTaken))), "{refused:?}");
            let elsewhere = thread::scope(|scope| scope.spawn(|| runtime.close_by_force(BRIEFLY)).join().unwrap());
            assert!(matches!(elsewhere, Err(CloseError::Busy { inside: 1 })), "{elsewhere:?}");
            assert_eq!(values.host.slice(current).unwrap(), [0; 64]);
        })
        .unwrap();
    drop(runtime.close_by_force(BRIEFLY).unwrap());
    nothing_fails();
    are_of_no_use(values);
    alone.assert_nothing_lives();
}

struct Panics;

impl Watch for Panics {}

impl Drop for Panics {
    fn drop(&mut self) {
        panic!("an allocator is dropped");
    }
}

#[proves(DEV_09)]
#[test]
fn an_allocator_that_panics_while_its_runtime_is_closed_by_force_leaves_the_rest_to_the_sweep() {
    let alone = alone();
    for refused in [&[][..], &["aclrtStreamAbort", "aclrtDeviceTaskAbort"]] {
        let runtime = open();
        runtime
            .with(|current| {
                let pool = Watched::new(current, 1 << 16, Panics);
                let stream = current.stream().unwrap().register(current, pool).unwrap();
                let plan = |plan: Plan, name: &&str| plan.at(Calls::of(*name), Fault::Fails(207_000));
                let hangs = Plan::new().at(Calls::of("aclrtMemsetAsync"), Fault::Hangs);
                let memory = current.device_buffer::<u8>(64).unwrap();
                crate::begin(refused.iter().fold(hangs, plan));
                mem::forget(stream.set_bytes(current, memory, 1).unwrap());
            })
            .unwrap();
        let caught = catch_unwind(AssertUnwindSafe(|| runtime.close_by_force(BRIEFLY)));
        nothing_fails();
        assert!(caught.is_err());
        drop(runtime.close_by_force(BRIEFLY).unwrap());
        drop(runtime);
        drop(runtime::sweep(Some(Duration::from_secs(10))));
        let next = open();
        next.with(|current| drop(current.upload(&[1_u8]).unwrap())).unwrap();
        next.close().unwrap();
    }
    assert_eq!(control::live().contexts, 0);
    drop(alone);
}

/// Nobody but the other code can end its stream, so a reset by force loses the context. It is lost once, and what has been
/// closed is not closed again.
#[proves(DEV_09, STREAM_01)]
#[test]
fn a_runtime_with_a_hanging_stream_of_other_code_is_lost_once() {
    loses_a_stream_of_other_code("aclrtResetDeviceForce");
}

#[proves(DEV_09)]
#[test]
fn what_ended_with_a_default_context_is_told_also_when_the_library_is_not_finalised_at_once() {
    let alone = alone();
    let setup = Setup::builder().library(library()).device(DEVICE).default_context(true).build();
    let runtime = Runtime::<Worker>::open(setup).unwrap();
    let hangs = |current: &mut Current<Worker>| {
        fail("aclrtMemsetAsync=hang,aclrtStreamAbort=207000,aclrtDeviceTaskAbort=207000,aclFinalizeReference#1=207000");
        mem::forget(current.stream().unwrap().set_bytes(current, current.device_buffer::<u8>(64).unwrap(), 1).unwrap());
    };
    runtime.with(hangs).unwrap();
    let Err(CloseError::Teardown { .. }) = runtime.close_by_force(BRIEFLY) else { panic!("it was finalised") };
    assert_eq!(runtime.close_by_force(BRIEFLY).unwrap(), ["1 stream(s), 1 block(s) of memory"]);
    nothing_fails();
    drop(runtime);
    sweep();
    control::reset();
    alone.assert_nothing_but_the_end_was_found();
}

/// The library refuses to be finalised after the reset. The next try finalises it, and says what was lost.
#[proves(DEV_09, INIT_07)]
#[test]
fn a_runtime_that_is_lost_and_whose_library_is_not_finalised_at_once_is_closed_later() {
    loses_a_stream_of_other_code("aclFinalizeReference");
}

/// Work of a runtime on a stream of other code hangs. This call is refused once.
fn loses_a_stream_of_other_code(refused: &str) {
    let alone = alone();
    if !may_leave_a_context() {
        return;
    }
    let runtime = open();
    runtime
        .with(|current| {
            let mut theirs = aclrtStream::NULL;
            // SAFETY: there is a place for the handle.
            assert_eq!(unsafe { current.library().as_raw().aclrtCreateStream(&mut theirs) }, Ok(0));
            // SAFETY: it is a stream of this context, which nobody destroys.
            let stream = unsafe { current.adopt_stream(NonNull::new(theirs.0).unwrap()) }.unwrap();
            let hangs = Plan::new().at(Calls::of("aclrtMemsetAsync"), Fault::Hangs);
            let hangs = hangs.at(Calls::of("aclrtDeviceTaskAbort"), Fault::Fails(207_000));
            let hangs = hangs.at(Calls::of("aclrtStreamAbort"), Fault::Fails(207_000));
            // The reset ends the hang, but nothing confirms that the work on this stream is over.
            let hangs = hangs.at(Calls::of("aclrtSynchronizeStreamWithTimeout"), Fault::Fails(507_046));
            let hangs = hangs.at(Calls::of("aclrtStreamQuery"), Fault::Fails(507_046));
            crate::begin(hangs.at(Calls::of(refused).nth(1), Fault::Fails(207_000)));
            mem::forget(stream.set_bytes(current, current.device_buffer::<u8>(64).unwrap(), 1).unwrap());
        })
        .unwrap();
    let Err(CloseError::Teardown { .. }) = runtime.close_by_force(BRIEFLY) else { panic!("{refused} was not refused") };
    assert!(
        control::injected().iter().all(|fault| fault.call != "aclrtStreamAbort"),
        "work of other code was discarded"
    );
    assert_eq!(runtime.close_by_force(BRIEFLY).unwrap(), ["1 stream(s), 1 block(s) of memory"]);
    runtime.close().unwrap();
    assert_eq!(runtime.close_by_force(BRIEFLY).unwrap(), [""; 0]);
    nothing_fails();
    drop(runtime);
    sweep();
    // The context lives on.
    control::reset();
    alone.assert_nothing_but_the_end_was_found();
}

/// An error that panics when it is dropped.
#[derive(Debug)]
struct PanicsWhenDropped;

impl std::fmt::Display for PanicsWhenDropped {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("it does not end the first time")
    }
}

impl std::error::Error for PanicsWhenDropped {}

impl Drop for PanicsWhenDropped {
    fn drop(&mut self) {
        panic!("an error is dropped");
    }
}

/// Ends at the second try.
struct Refuses(AtomicBool);

// SAFETY: it stands for nothing in the library.
unsafe impl Attach for Refuses {
    const NAME: &'static str = "object that refuses";
    const ENDS_BEFORE: EndsBefore = EndsBefore::Streams;

    fn take_down(&self, _: &EndingContext<'_>) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        if self.0.swap(true, Ordering::SeqCst) { Ok(()) } else { Err(Box::new(PanicsWhenDropped)) }
    }
}

#[proves(DEV_10)]
#[test]
fn an_error_that_panics_when_it_is_dropped_does_not_end_a_close_by_force() {
    let alone = alone();
    let runtime = open();
    runtime.with(|current| drop(current.attach(Refuses(AtomicBool::new(false)), ()).unwrap())).unwrap();
    assert_eq!(runtime.close_by_force(BRIEFLY).unwrap(), [""; 0]);
    runtime.close().unwrap();
    alone.assert_nothing_lives();
}
