//! Forced teardown, with allocators whose drop runs code of the program.

use super::common::allocators::{Empty, Watch, Watched};
use super::common::{IN_TIME, acl, alone, assert_lives};
use super::leaving::{current_handle, sets_device};
use super::registrations::multiply;
use super::{fail, nothing_fails, undisturbed};
use crate::common::{c_library, library_at};
use crate::null::books;
use ascendcl::capture::CaptureMode;
use ascendcl::operator::mat_mul;
use ascendcl::raw::{Attach, EndingContext, EndsBefore};
use ascendcl::{Acl, Device, Error, Recovered, Thread};
use ascendcl_macros::proves;
use ascendcl_rules::{ALLOC_16, Finding};
use ascendcl_sim::{Calls, Checks, Config, Fault, Plan, control};
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const BRIEFLY: Duration = Duration::from_millis(20);

/// Notes, when its allocator ends, how many streams there are.
struct NotesStreams(Arc<Mutex<Vec<usize>>>);

impl Watch for NotesStreams {}

impl Drop for NotesStreams {
    fn drop(&mut self) {
        self.0.lock().unwrap().push(control::live().streams);
    }
}

#[proves(STREAM_17)]
#[test]
fn an_allocator_whose_stream_cannot_be_destroyed_by_force_ends_after_all_streams_were_aborted() {
    let alone = alone();
    let acl = acl();
    let mut thread = Thread::new().unwrap();
    let device = acl.device(&mut thread, 0).unwrap().with_teardown_timeout(BRIEFLY);
    let seen = Arc::new(Mutex::new(Vec::new()));
    let ended = device.with_current(&mut thread, |current| {
        for _ in 0..2 {
            let own = Watched::new(current, 1 << 16, NotesStreams(Arc::clone(&seen)));
            let stream = current.stream().unwrap().register(current, own).unwrap();
            mem::forget(stream.set_bytes(current, current.device_buffer::<u8>(64).unwrap(), 1).unwrap());
        }
        // The end of the scope and the first step of the recovery cannot wait for either of two streams. The one that
        // is not destroyed by force first is left to the last step.
        let waits = |call| (Calls::of("aclrtSynchronizeStreamWithTimeout").nth(call), Fault::Fails(507_899));
        let plan = (1..=4).map(waits).fold(Plan::new(), |plan, (calls, fault)| plan.at(calls, fault));
        let plan = plan.at(Calls::of("aclrtDestroyStream"), Fault::Fails(207_000));
        crate::begin(plan.at(Calls::of("aclrtDestroyStreamForce").nth(1), Fault::Fails(207_000)));
    });
    ended.unwrap_err();
    let streams = control::live().streams;
    let Recovered::Reset { lost } = device.recover(&mut thread, BRIEFLY).unwrap() else { panic!("it was not reset") };
    assert_eq!(lost, [""; 0]);
    assert_eq!(*seen.lock().unwrap(), [streams - 1; 2], "one stream was destroyed, and the other one was tried");
    nothing_fails();
    acl.close().unwrap();
    alone.assert_nothing_lives();
}

/// A device on which work hangs, in a scope that has ended. Each call in `refused` is refused with this code from then on.
fn hanging<'a>(acl: &'a Acl, thread: &mut Thread, refused: &[(&str, i32)]) -> Device<'a> {
    let device = acl.device(thread, 0).unwrap().with_teardown_timeout(BRIEFLY);
    let ended = device.with_current(thread, |current| {
        let hangs = Plan::new().at(Calls::of("aclrtMemsetAsync"), Fault::Hangs);
        let plan = refused.iter().fold(hangs, |plan, (call, code)| plan.at(Calls::of(*call), Fault::Fails(*code)));
        crate::begin(plan);
        let stream = current.stream().unwrap();
        mem::forget(stream.set_bytes(current, current.device_buffer::<u8>(64).unwrap(), 1).unwrap());
    });
    assert!(ended.is_err(), "it hangs");
    device
}

#[proves(STREAM_17)]
#[test]
fn a_stream_that_was_aborted_and_is_not_destroyed_otherwise_is_destroyed_by_force() {
    let alone = alone();
    let acl = acl();
    let mut thread = Thread::new().unwrap();
    let refused = [("aclrtDestroyStream", 207_000), ("aclrtDeviceTaskAbort", 207_000)];
    let device = hanging(&acl, &mut thread, &refused);
    let Recovered::Usable(device) = device.recover(&mut thread, IN_TIME).unwrap() else { panic!("it was reset") };
    nothing_fails();
    device.reset(&mut thread).unwrap();
    acl.close().unwrap();
    alone.assert_nothing_lives();
}

/// On a thread that this crate has never used, other code has made the device's default context current. After the forced reset
/// the thread has no context, also if the library does not say to which device the context belonged.
#[proves(CTX_06, DEV_08)]
#[test]
fn a_default_context_that_other_code_chose_is_not_made_current_after_a_forced_reset() {
    for unknown in [false, true] {
        let (alone, _others) = undisturbed();
        let acl = acl();
        let mut refused = vec![("aclrtStreamAbort", 207_000), ("aclrtDeviceTaskAbort", 207_000)];
        refused.extend(unknown.then_some(("aclrtGetDevice", 507_899)));
        let device = hanging(&acl, &mut Thread::new().unwrap(), &refused);
        let recovers = || {
            sets_device(0);
            assert_ne!(current_handle(), 0);
            let recovered = device.recover(&mut Thread::new().unwrap(), BRIEFLY).unwrap();
            assert!(matches!(recovered, Recovered::Reset { .. }), "it was not reset");
            assert_eq!(current_handle(), 0);
        };
        std::thread::scope(|threads| threads.spawn(recovers).join().unwrap());
        nothing_fails();
        acl.close().unwrap();
        alone.assert_nothing_lives();
    }
}

/// A descriptor that the library kept once ends with its stream.
#[proves(STREAM_17, ALLOC_08)]
#[test]
fn a_descriptor_that_could_not_be_destroyed_at_once_is_destroyed_with_the_aborted_stream() {
    let alone = alone();
    let acl = acl();
    let mut thread = Thread::new().unwrap();
    let device = acl.device(&mut thread, 0).unwrap().with_teardown_timeout(BRIEFLY);
    let ended = device.with_current(&mut thread, |current| {
        let stream = current.stream().unwrap().register(current, Empty(())).unwrap();
        let memory = current.device_buffer::<u8>(64).unwrap();
        fail("aclrtMemsetAsync=hang,aclrtAllocatorDestroyDesc#1=207000,aclrtDeviceTaskAbort=207000");
        mem::forget(stream.set_bytes(current, memory, 1).unwrap());
    });
    ended.unwrap_err();
    let Recovered::Usable(device) = device.recover(&mut thread, IN_TIME).unwrap() else { panic!("it was reset") };
    nothing_fails();
    assert_lives!(allocator_descriptors, 0);
    device.reset(&mut thread).unwrap();
    acl.close().unwrap();
    alone.assert_nothing_lives();
}

/// Counts how often its allocator is asked for memory.
struct Asked(Arc<AtomicUsize>);

impl Watch for Asked {
    fn allocates(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// A library whose work hangs until this function, which takes a while, has discarded it. It counts how often it is asked
/// for the state of an event, in that time and before.
fn hangs_until(function: &str) -> String {
    let source = include_str!("../null/library.c").replace(
        "typedef void *handle;\n",
        "typedef void *handle;\n\
         int usleep(unsigned);\n\
         static int hangs = 1, stopping, asked[2];\n\
         int null_asked(int stopping) { return __atomic_load_n(&asked[stopping], __ATOMIC_RELAXED); }\n\
         static aclError stops(void) {\n\
             __atomic_store_n(&stopping, 1, __ATOMIC_SEQ_CST);\n\
             usleep(50000);\n\
             hangs = __atomic_exchange_n(&stopping, 0, __ATOMIC_SEQ_CST) - 1;\n\
             return 0;\n\
         }\n",
    );
    let changed = [
        ("(void)stream; (void)timeout; return 0;", "(void)stream; (void)timeout; return hangs ? 507046 : 0;"),
        ("callback(called_with);\n    *status = 0;", "callback(called_with);\n    *status = hangs;"),
        (
            "(void)event; *status = 1; return 0;",
            "(void)event; *status = !hangs;\n\
             __atomic_add_fetch(&asked[__atomic_load_n(&stopping, __ATOMIC_SEQ_CST)], 1, __ATOMIC_RELAXED);\n\
             return 0;",
        ),
    ];
    let source = changed.iter().fold(source, |source, (old, new)| {
        assert_eq!(source.matches(old).count(), 1, "{old}");
        source.replace(old, new)
    });
    source + function
}

/// The thread that watches futures asks for the states of their events, in no scope.
#[proves(ERR_07)]
#[test]
fn nothing_is_asked_of_the_library_while_it_discards_the_work_of_a_stream_or_a_device() {
    let functions = [
        "aclError aclrtStreamAbort(handle stream) { (void)stream; return stops(); }\n",
        "aclError aclrtDeviceTaskAbort(int32_t id, uint32_t limit) { (void)id; (void)limit; return stops(); }\n",
    ];
    for (function, name) in functions.into_iter().zip(["discards-a-stream", "discards-all-work"]) {
        let _others = books();
        let path = c_library(name, &hangs_until(function));
        // SAFETY: the library has no initialisers.
        let library = unsafe { libloading::Library::new(&path) }.unwrap();
        // SAFETY: the function has this signature.
        let asked = unsafe { *library.get::<unsafe extern "C" fn(i32) -> i32>("null_asked").unwrap() };
        let acl = Acl::init(library_at(path)).unwrap();
        let mut thread = Thread::new().unwrap();
        let device = acl.device(&mut thread, 0).unwrap().with_teardown_timeout(BRIEFLY);
        let ended = device.with_current(&mut thread, |current| {
            let mut stream = current.stream().unwrap();
            let set = stream.set_bytes(current, current.device_buffer::<u8>(64).unwrap(), 1).unwrap();
            mem::forget(set.into_future(current, &mut stream).unwrap());
            // SAFETY: the function takes 0 or 1.
            while unsafe { asked(0) } == 0 {
                std::thread::yield_now();
            }
        });
        ended.unwrap_err();
        let recovered = device.recover(&mut thread, IN_TIME).unwrap();
        let Recovered::Usable(device) = recovered else { panic!("{recovered:?}") };
        // SAFETY: the function takes 0 or 1.
        assert_eq!(unsafe { asked(1) }, 0, "{name}");
        device.reset(&mut thread).unwrap();
        acl.close().unwrap();
    }
}

/// Panics where the allocator ends.
struct Panics;

impl Watch for Panics {}

impl Drop for Panics {
    fn drop(&mut self) {
        panic!("the allocator ends");
    }
}

/// The stream with the allocator is destroyed when it was aborted, or after the reset.
#[proves(STREAM_17, DEV_08)]
#[test]
fn an_allocator_that_panics_when_it_ends_does_not_keep_a_device_from_its_recovery() {
    for abort in ["", ",aclrtStreamAbort=207000"] {
        let alone = alone();
        let acl = acl();
        let mut thread = Thread::new().unwrap();
        let device = acl.device(&mut thread, 0).unwrap().with_teardown_timeout(BRIEFLY);
        let ended = device.with_current(&mut thread, |current| {
            let stream = current.stream().unwrap();
            let stream = stream.register(current, Watched::new(current, 1 << 16, Panics)).unwrap();
            let memory = current.device_buffer::<u8>(64).unwrap();
            fail(&format!("aclrtMemsetAsync=hang,aclrtDeviceTaskAbort=207000{abort}"));
            mem::forget(stream.set_bytes(current, memory, 1).unwrap());
        });
        ended.unwrap_err();
        let recovers = AssertUnwindSafe(|| drop(device.recover(&mut thread, BRIEFLY)));
        let panic = catch_unwind(recovers).unwrap_err();
        assert_eq!(panic.downcast_ref(), Some(&"the allocator ends"));
        assert_lives!(contexts, 0);
        nothing_fails();
        let device = acl.device(&mut thread, 0).unwrap();
        device.reset(&mut thread).unwrap();
        acl.close().unwrap();
        alone.assert_nothing_lives();
    }
}

/// A forced reset ends no capture in a context that was created. The library ends it afterwards.
#[proves(GRAPH_01, DEV_08)]
#[test]
fn a_capture_that_could_not_be_ended_is_ended_after_a_forced_reset() {
    // So often the library is asked before the reset.
    let refused: String = (1..=6).map(|call| format!("aclmdlRICaptureEnd#{call}=507899,")).collect();
    let alone = alone();
    let acl = acl();
    let mut thread = Thread::new().unwrap();
    let device = acl.device(&mut thread, 0).unwrap().with_teardown_timeout(BRIEFLY);
    let ended = device.with_current(&mut thread, |current| {
        let mut captured = current.stream().unwrap().without_allocator();
        let (stream, memory) = (current.stream().unwrap(), current.device_buffer::<u8>(64).unwrap());
        fail(&format!("{refused}aclrtMemsetAsync=hang,aclrtStreamAbort=207000,aclrtDeviceTaskAbort=207000"));
        let none = captured.capture(current, CaptureMode::Relaxed, (), |_, ()| Err::<(), _>(Error::NotExecuted));
        drop(none.unwrap_err());
        mem::forget(stream.set_bytes(current, memory, 1).unwrap());
    });
    ended.unwrap_err();
    let recovered = device.recover(&mut thread, BRIEFLY).unwrap();
    let refusals = control::injected().iter().filter(|fault| fault.call == "aclmdlRICaptureEnd").count();
    nothing_fails();
    assert_eq!(refusals, 6, "it was not ended before the reset");
    let Recovered::Reset { lost } = recovered else { panic!("it was not reset") };
    assert_eq!(lost, [""; 0]);
    acl.close().unwrap();
    alone.assert_nothing_lives();
}

/// Streams of the new default context have the handles of streams that the reset has ended. Whether the library refuses to end
/// their registrations or not, the allocator of a lost stream serves no other one.
#[proves(ALLOC_16, MEM_01)]
#[test]
fn a_stream_of_the_next_default_context_does_not_inherit_the_allocator_of_a_lost_one() {
    for refused in ["", ",aclrtAllocatorUnregister=507899"] {
        let alone = alone();
        control::configure(Config::new().checks(Checks::Report).reuse_handles(true)).unwrap();
        let acl = acl();
        let mut thread = Thread::new().unwrap();
        let device = acl.device(&mut thread, 0).unwrap().with_teardown_timeout(BRIEFLY);
        let (asked, mut lost) = (Arc::new(AtomicUsize::new(0)), Vec::new());
        let ended = device.default_context(&mut thread, |context, thread| {
            context.enter(thread, |current| {
                for _ in 0..3 {
                    let own = Watched::new(current, 1 << 20, Asked(Arc::clone(&asked)));
                    let stream = current.stream().unwrap().register(current, own).unwrap();
                    multiply(current, &stream);
                    lost.push(stream.as_raw().addr());
                }
                let (stream, memory) = (current.stream().unwrap(), current.device_buffer::<u8>(64).unwrap());
                fail(&format!("aclrtMemsetAsync=hang,aclrtStreamAbort=207000,aclrtDeviceTaskAbort=207000{refused}"));
                mem::forget(stream.set_bytes(current, memory, 1).unwrap());
            })
        });
        ended.unwrap_err();
        let Recovered::Reset { .. } = device.recover(&mut thread, BRIEFLY).unwrap() else { panic!("it was not reset") };
        nothing_fails();
        let before = asked.swap(0, Ordering::Relaxed);
        assert!(before > 0, "the allocators served the lost streams");
        let device = acl.device(&mut thread, 0).unwrap();
        let ended = device.default_context(&mut thread, |context, thread| {
            context.enter(thread, |current| {
                // The default stream of the context has the handle of one of the lost ones.
                let mut heirs: Vec<_> = (0..8).map(|_| current.stream().unwrap().without_allocator()).collect();
                heirs.retain(|stream| lost.contains(&stream.as_raw().addr()));
                assert!(heirs.len() >= 2, "no handle is used again");
                for stream in heirs {
                    if refused.is_empty() {
                        multiply(current, &stream);
                    } else {
                        let matrix = || current.upload_tensor(&[16, 16], &[1.0_f32; 256]).unwrap();
                        let product = mat_mul(current, matrix(), matrix()).unwrap();
                        drop(stream.launch(current, product).unwrap_err());
                    }
                }
            })
        });
        ended.unwrap().unwrap();
        assert_eq!(asked.load(Ordering::Relaxed), 0, "no lost allocator is asked");
        device.reset(&mut thread).unwrap();
        acl.close().unwrap();
        // The library was finalised over what was lost, with the registrations that it has refused to end.
        let found = control::take_findings();
        assert_eq!(found.iter().any(|found| found.rule == ALLOC_16), !refused.is_empty());
        let is_meant = |found: &Finding| found.rule == ALLOC_16 || found.call.name.starts_with("aclFinalize");
        assert!(found.iter().all(is_meant), "{found:?}");
        drop(alone);
    }
}

/// An object of other code that counts, and panics, when it hears that it is lost.
struct PanicsWhenLost(Arc<AtomicUsize>);

// SAFETY: it stands for nothing in the library.
unsafe impl Attach for PanicsWhenLost {
    const NAME: &'static str = "object";
    const ENDS_BEFORE: EndsBefore = EndsBefore::Context;

    fn take_down(&self, _: &EndingContext<'_>) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        Ok(())
    }

    fn on_lost(&self) {
        assert!(Thread::new().is_err(), "the thread is taken");
        self.0.fetch_add(1, Ordering::Relaxed);
        panic!("it is lost");
    }
}

#[proves(DEV_08)]
#[test]
fn an_attached_object_that_panics_when_it_is_lost_does_not_keep_a_device_from_its_recovery() {
    let alone = alone();
    let acl = acl();
    let mut thread = Thread::new().unwrap();
    let device = acl.device(&mut thread, 0).unwrap().with_teardown_timeout(BRIEFLY);
    let lost = Arc::new(AtomicUsize::new(0));
    let ended = device.default_context(&mut thread, |context, thread| {
        context.enter(thread, |current| {
            for _ in 0..2 {
                drop(current.attach(PanicsWhenLost(Arc::clone(&lost)), ()).unwrap());
            }
            let (stream, memory) = (current.stream().unwrap(), current.device_buffer::<u8>(64).unwrap());
            fail("aclrtMemsetAsync=hang,aclrtStreamAbort=207000,aclrtDeviceTaskAbort=207000");
            mem::forget(stream.set_bytes(current, memory, 1).unwrap());
        })
    });
    ended.unwrap_err();
    let panic = catch_unwind(AssertUnwindSafe(|| drop(device.recover(&mut thread, BRIEFLY)))).unwrap_err();
    assert_eq!(panic.downcast_ref(), Some(&"it is lost"));
    assert_eq!(lost.load(Ordering::Relaxed), 2);
    nothing_fails();
    acl.device(&mut thread, 0).unwrap().reset(&mut thread).unwrap();
    acl.close().unwrap();
    alone.assert_nothing_lives();
}
