//! Several parts of one program have taken a device that hangs. The last one that gives it up recovers it for all.

use crate::common::{Alone, IN_TIME, acl, alone, library};
use crate::{fail, nothing_fails};
use ascendcl::error::ObjectKind;
use ascendcl::raw::{Attach, EndingContext, EndsBefore};
use ascendcl::runtime::{self, CloseError};
use ascendcl::{Acl, Device, Error, Failed, Recovered, RunError, Runtime, ScopeError, Setup, Thread};
use ascendcl_macros::proves;
use ascendcl_sim::{Config, control};
use std::mem;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Barrier, Mutex};
use std::thread;
use std::time::{Duration, Instant};

ascendcl::names!(pub Worker);

/// A device that no other test leaves taken.
pub(super) const DEVICE: i32 = 4;
pub(super) const BRIEFLY: Duration = Duration::from_millis(20);
/// Work hangs from now on, and cannot be discarded.
const HANGS: &str = "aclrtMemsetAsync=hang,aclrtStreamAbort=207000,aclrtDeviceTaskAbort=207000";

pub(super) fn alone_on_five() -> Alone {
    let alone = alone();
    control::configure(crate::common::under_watch(Config::new().devices(5))).unwrap();
    alone
}

pub(super) fn take<'a>(acl: &'a Acl, thread: &mut Thread) -> Device<'a> {
    acl.device(thread, DEVICE).unwrap().with_teardown_timeout(BRIEFLY)
}

/// Leaves work in a context of the device that cannot be taken down. `meanwhile` lets the device hang, when all streams are
/// there.
fn hangs(device: &Device<'_>, thread: &mut Thread, default: bool, meanwhile: impl FnOnce(&mut Thread)) {
    macro_rules! scope {
        ($open:ident) => {
            device.$open(thread, |context, thread| {
                let entered = context
                    .enter(thread, |current| (current.stream().unwrap(), current.device_buffer::<u8>(8).unwrap()));
                let (stream, memory) = entered.unwrap();
                meanwhile(thread);
                let hangs = |current: &mut _| mem::forget(stream.set_bytes(current, memory, 1).unwrap());
                context.enter(thread, hangs).unwrap();
            })
        };
    }
    let ended = if default { scope!(default_context) } else { scope!(context) };
    assert!(matches!(ended, Err(ScopeError::Teardown { .. })), "{ended:?}");
}

/// Takes the device twice, and leaves work in contexts of both that cannot be taken down.
fn two_that_hang<'a, 'b>(
    acl: &'a Acl,
    other: &'b Acl,
    thread: &mut Thread,
    defaults: [bool; 2],
) -> (Device<'a>, Device<'b>) {
    let (first, second) = (take(acl, thread), take(other, thread));
    hangs(&first, thread, defaults[0], |thread| hangs(&second, thread, defaults[1], |_| fail(HANGS)));
    (first, second)
}

pub(super) fn runtime() -> Runtime<Worker> {
    Runtime::open(Setup::builder().library(library()).device(DEVICE).teardown_timeout(BRIEFLY).build()).unwrap()
}

/// The device is not recovered, because another part has it. The error says where that part has taken it.
#[track_caller]
fn is_shared<T>(refused: Result<T, Error>, held_in_this_file: usize) {
    let Err(error) = refused else { panic!("it was recovered") };
    let Error::DeviceShared { device: DEVICE, held, .. } = &error else { panic!("{error}") };
    assert_eq!(held.matches("shared_devices.rs:").count(), held_in_this_file, "{error}");
    assert!(error.to_string().contains(&**held), "{error}");
}

pub(super) fn works(device: &Device<'_>, thread: &mut Thread) {
    let read = device.with_current(thread, |current| current.upload(&[7_u8]).unwrap().to_vec(current).unwrap());
    assert_eq!(read.unwrap(), [7]);
}

/// The device can be taken anew, and belongs to that take alone.
fn works_anew(acl: &Acl, thread: &mut Thread) {
    nothing_fails();
    let device = acl.device(thread, DEVICE).unwrap();
    works(&device, thread);
    let Recovered::Usable(device) = device.recover(thread, IN_TIME).unwrap() else { panic!("it was reset") };
    device.reset(thread).unwrap();
}

fn lost(recovered: Result<Recovered<'_>, Failed<Device<'_>>>) -> Vec<String> {
    match recovered {
        Ok(Recovered::Reset { lost }) => lost,
        other => panic!("{other:?}"),
    }
}

#[proves(DEV_08, DEV_09, DEV_10)]
#[test]
fn the_last_of_two_takes_that_is_recovered_resets_the_device_for_both() {
    for defaults in [[false, false], [true, false], [false, true], [true, true]] {
        let _alone = alone_on_five();
        let acl = acl();
        let mut thread = Thread::new().unwrap();
        let (first, second) = two_that_hang(&acl, &acl, &mut thread, defaults);
        let Err(Failed { error, value: first }) = first.recover(&mut thread, BRIEFLY) else { panic!("it was reset") };
        is_shared(Err::<(), _>(error), 1);
        let lost_by_both = lost(second.recover(&mut thread, BRIEFLY));
        assert_eq!(lost_by_both.len(), defaults.iter().filter(|default| **default).count(), "{lost_by_both:?}");
        // Nobody uses the first one any more. Its end calls nothing of the library.
        nothing_fails();
        let gone = first.context(&mut thread, |_, _| ());
        let Err(ScopeError::NotOpened(error)) = gone else { panic!("{gone:?}") };
        assert!(matches!(error, Error::Gone { what: ObjectKind::DEVICE }), "{error}");
        assert_eq!(error.to_string(), "the device was already reset by force: take it again [DEV-08]");
        let anew = acl.device(&mut thread, DEVICE).unwrap();
        match defaults[0] {
            true => first.reset(&mut thread).unwrap(),
            false => assert_eq!(lost(first.recover(&mut thread, BRIEFLY)), [""; 0]),
        }
        works(&anew, &mut thread);
        anew.reset(&mut thread).unwrap();
        works_anew(&acl, &mut thread);
        acl.close().unwrap();
    }
}

/// Also where the program has dropped its library with the device.
#[proves(DEV_08, DEV_10)]
#[test]
fn a_device_that_was_dropped_is_not_in_the_way_and_one_that_was_forgotten_is() {
    for (library_too, forgotten) in [(false, false), (true, false), (false, true)] {
        let alone = alone_on_five();
        let acl = acl();
        let mut thread = Thread::new().unwrap();
        let other = crate::common::acl();
        let (first, second) = two_that_hang(&other, &acl, &mut thread, [false, false]);
        if forgotten {
            mem::forget(first)
        } else {
            drop(first)
        }
        let other = (!library_too).then_some(other);
        if forgotten {
            let refused = second.recover(&mut thread, BRIEFLY).map(drop).unwrap_err();
            is_shared(Err::<(), _>(refused.error), 1);
            nothing_fails();
            refused.value.reset(&mut thread).unwrap();
        } else {
            assert_eq!(lost(second.recover(&mut thread, BRIEFLY)), [""; 0]);
            works_anew(&acl, &mut thread);
        }
        other.into_iter().for_each(|other| other.close().unwrap());
        acl.close().unwrap();
        if !library_too {
            alone.assert_nothing_lives();
        }
    }
}

/// Taking the device back is what a scope does.
#[proves(DEV_08)]
#[test]
fn a_device_that_is_used_again_after_its_recovery_was_refused_is_not_given_up() {
    let alone = alone_on_five();
    let acl = acl();
    let mut thread = Thread::new().unwrap();
    let (first, second) = two_that_hang(&acl, &acl, &mut thread, [false, false]);
    let first = first.recover(&mut thread, BRIEFLY).map(drop).unwrap_err().value;
    nothing_fails();
    works(&first, &mut thread);
    crate::must_not_call(HANGS);
    let refused = second.recover(&mut thread, BRIEFLY).map(drop).unwrap_err();
    // What hangs was released, so the first one is reset as usual, and the second one is alone.
    is_shared(Err::<(), _>(refused.error), 1);
    nothing_fails();
    first.reset(&mut thread).unwrap();
    let Recovered::Usable(second) = refused.value.recover(&mut thread, Duration::from_secs(20)).unwrap() else {
        panic!("it was reset")
    };
    works(&second, &mut thread);
    second.reset(&mut thread).unwrap();
    acl.close().unwrap();
    alone.assert_nothing_lives();
}

/// Whichever gives it up last.
#[proves(DEV_08, DEV_09, DEV_10)]
#[test]
fn devices_and_runtimes_recover_what_they_share() {
    for last_is_a_runtime in [false, true] {
        let alone = alone_on_five();
        let acl = acl();
        let own = runtime();
        let mut thread = Thread::new().unwrap();
        let work =
            own.enter(&mut thread, |current| (current.stream().unwrap(), current.device_buffer::<u8>(8).unwrap()));
        let (stream, memory) = work.unwrap();
        let device = take(&acl, &mut thread);
        hangs(&device, &mut thread, false, |_| fail(HANGS));
        own.enter(&mut thread, |current| mem::forget(stream.set_bytes(current, memory, 1).unwrap())).unwrap();
        let closes = || thread::scope(|scope| scope.spawn(|| own.close_by_force(BRIEFLY)).join().unwrap());
        if last_is_a_runtime {
            let refused = device.recover(&mut thread, BRIEFLY).map(drop).unwrap_err();
            is_shared(Err::<(), _>(refused.error), 1);
            assert_eq!(closes().unwrap(), [""; 0]);
            nothing_fails();
            refused.value.reset(&mut thread).unwrap();
        } else {
            let Err(CloseError::Teardown { mut errors }) = closes() else { panic!("it was closed") };
            is_shared(Err::<(), _>(errors.pop().unwrap()), 1);
            assert_eq!(lost(device.recover(&mut thread, BRIEFLY)), [""; 0]);
        }
        works_anew(&acl, &mut thread);
        drop(thread);
        own.close().unwrap();
        acl.close().unwrap();
        alone.assert_nothing_lives();
    }
}

#[proves(DEV_08, DEV_10)]
#[test]
fn a_run_that_could_not_end_is_not_in_the_way_of_a_recovery() {
    let _alone = alone_on_five();
    let setup = Setup::builder().library(library()).device(DEVICE).teardown_timeout(BRIEFLY).build();
    let ended = ascendcl::run(setup, |current| {
        let (stream, memory) = (current.stream()?, current.device_buffer::<u8>(8)?);
        fail(HANGS);
        mem::forget(stream.set_bytes(current, memory, 1)?);
        Ok::<_, Error>(())
    });
    assert!(matches!(ended, Err(RunError::Teardown { .. })), "{ended:?}");
    let acl = acl();
    let mut thread = Thread::new().unwrap();
    let device = acl.device(&mut thread, DEVICE).unwrap();
    assert_eq!(lost(device.recover(&mut thread, BRIEFLY)), [""; 0]);
    works_anew(&acl, &mut thread);
    acl.close().unwrap();
}

/// Tells when it ends, and then waits for an answer.
struct Asks(Mutex<(Sender<()>, Receiver<()>)>);

// SAFETY: it stands for nothing in the library.
unsafe impl Attach for Asks {
    const NAME: &'static str = "object that asks";
    const ENDS_BEFORE: EndsBefore = EndsBefore::Streams;

    fn take_down(&self, _: &EndingContext<'_>) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        let asks = self.0.lock().unwrap();
        asks.0.send(())?;
        Ok(asks.1.recv_timeout(Duration::from_secs(20))?)
    }
}

/// The one that recovers the device takes down the contexts of the others.
#[proves(DEV_08, DEV_10)]
#[test]
fn a_device_is_neither_used_nor_reset_while_another_part_recovers_it() {
    let alone = alone_on_five();
    let acl = acl();
    let mut thread = Thread::new().unwrap();
    let (first, second) = (take(&acl, &mut thread), take(&acl, &mut thread));
    let ((asks, asked), (answers, answered)) = (channel(), channel());
    let attaches = |thread: &mut Thread| {
        let attached = second.context(thread, |context, thread| {
            let attached = context.enter(thread, |current| {
                drop(current.attach(Asks(Mutex::new((asks, answered))), ()).unwrap());
                let (stream, memory) = (current.stream().unwrap(), current.device_buffer::<u8>(8).unwrap());
                fail(HANGS);
                mem::forget(stream.set_bytes(current, memory, 1).unwrap());
            });
            attached.unwrap();
        });
        assert!(attached.is_err());
    };
    hangs(&first, &mut thread, false, attaches);
    let first = first.recover(&mut thread, BRIEFLY).map(drop).unwrap_err().value;
    let acl_there = &acl;
    thread::scope(|scope| {
        scope.spawn(move || {
            let (acl, mut thread) = (acl_there, Thread::new().unwrap());
            asked.recv_timeout(Duration::from_secs(20)).unwrap();
            let Err(ScopeError::NotOpened(error)) = first.context(&mut thread, |_, _| ()) else {
                panic!("it was used")
            };
            is_shared(Err::<(), _>(error), 0);
            let refused = first.reset(&mut thread).unwrap_err();
            is_shared(Err::<(), _>(refused.error), 0);
            // Another device that is recovered meanwhile has nothing to do with it.
            let other = acl.device(&mut thread, 1).unwrap();
            let Recovered::Usable(other) = other.recover(&mut thread, IN_TIME).unwrap() else { panic!("it was reset") };
            other.reset(&mut thread).unwrap();
            is_shared(acl.device(&mut thread, DEVICE).map(drop), 0);
            answers.send(()).unwrap();
            // What the scope keeps is given up again.
            drop(refused.value);
        });
        assert_eq!(lost(second.recover(&mut thread, BRIEFLY)), [""; 0]);
    });
    works_anew(&acl, &mut thread);
    acl.close().unwrap();
    alone.assert_nothing_lives();
}

/// Each on a thread of its own, again and again.
#[proves(DEV_08)]
#[test]
fn threads_that_recover_one_device_at_a_time_all_come_to_an_end() {
    let alone = alone_on_five();
    let begun = Instant::now();
    for _ in 0..8 {
        let acl = acl();
        let together = Barrier::new(3);
        thread::scope(|scope| {
            for default in [false, false, false] {
                let (acl, together) = (&acl, &together);
                scope.spawn(move || {
                    let mut thread = Thread::new().unwrap();
                    let mut device = acl.device(&mut thread, DEVICE).unwrap().with_teardown_timeout(BRIEFLY);
                    if together.wait().is_leader() {
                        hangs(&device, &mut thread, default, |_| fail(HANGS));
                    }
                    together.wait();
                    while let Err(failed) = device.recover(&mut thread, BRIEFLY).map(drop) {
                        device = failed.value;
                    }
                });
            }
        });
        works_anew(&acl, &mut Thread::new().unwrap());
        acl.close().unwrap();
        alone.assert_nothing_lives();
    }
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    assert!(runtime::sweep(None).is_empty());
}

ascendcl::names!(Elsewhere);

/// Takes the device on another thread when it ends.
struct Takes(Arc<Mutex<Option<Result<(), Error>>>>);

// SAFETY: it stands for nothing in the library.
unsafe impl Attach for Takes {
    const NAME: &'static str = "object that takes the device";
    const ENDS_BEFORE: EndsBefore = EndsBefore::Streams;

    fn take_down(&self, _: &EndingContext<'_>) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        let setup = Setup::builder().library(library()).device(DEVICE).build();
        let opened = thread::spawn(move || Runtime::<Elsewhere>::open(setup).map(drop)).join().unwrap();
        *self.0.lock().unwrap() = Some(opened);
        Ok(())
    }
}

#[proves(DEV_08)]
#[test]
fn a_device_is_not_taken_while_it_is_recovered() {
    let alone = alone_on_five();
    let taken = Arc::default();
    let acl = acl();
    let mut thread = Thread::new().unwrap();
    let device = acl.device(&mut thread, DEVICE).unwrap().with_teardown_timeout(BRIEFLY);
    let ended = device.with_current(&mut thread, |current| {
        fail("aclrtMemsetAsync=hang");
        let stream = current.stream().unwrap();
        mem::forget(stream.set_bytes(current, current.device_buffer::<u8>(64).unwrap(), 1).unwrap());
        drop(current.attach(Takes(Arc::clone(&taken)), ()).unwrap());
    });
    assert!(matches!(ended, Err(ScopeError::Teardown { .. })), "{ended:?}");
    let Recovered::Usable(device) = device.recover(&mut thread, IN_TIME).unwrap() else { panic!("it was reset") };
    nothing_fails();
    let taken = taken.lock().unwrap().take();
    assert!(matches!(taken, Some(Err(Error::DeviceShared { device: DEVICE, takes: 1, .. }))), "{taken:?}");
    device.reset(&mut thread).unwrap();
    acl.close().unwrap();
    alone.assert_nothing_lives();
}
