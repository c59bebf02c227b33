//! Several runtimes on one device that hangs. The last one that is closed by force resets it for all of them.

use super::*;
use crate::common::{c_library, library_at};
use ascendcl_sim::Config;

/// As in `forcing`: a device that no other test leaves taken.
pub(super) const DEVICE: i32 = 2;

pub(super) const BRIEFLY: Duration = Duration::from_millis(20);

pub(super) fn alone_on_three() -> crate::common::Alone {
    let alone = alone();
    control::configure(crate::common::under_watch(Config::new().devices(3))).unwrap();
    alone
}

pub(super) fn open(default: bool) -> Runtime<Worker> {
    Runtime::open(
        Setup::builder().library(library()).device(DEVICE).default_context(default).teardown_timeout(BRIEFLY).build(),
    )
    .unwrap()
}

pub(super) type Work = Pending<Worker, ascendcl::DeviceBuffer<Worker, u8>>;

/// Work hangs from now on, and cannot be discarded.
pub(super) const HANGS: &str = "aclrtMemsetAsync=hang,aclrtStreamAbort=207000,aclrtDeviceTaskAbort=207000";

/// Queues work. Each runtime has its stream before the first one hangs: the device then answers nobody.
pub(super) fn hang<const N: usize>(runtimes: [&Runtime<Worker>; N]) -> [Work; N] {
    hang_and_fail(runtimes, "")
}

pub(super) fn hang_and_fail<const N: usize>(runtimes: [&Runtime<Worker>; N], more: &str) -> [Work; N] {
    let operands = runtimes.map(|runtime| {
        runtime.with(|current| (current.stream().unwrap(), current.device_buffer::<u8>(8).unwrap())).unwrap()
    });
    fail(&format!("{HANGS}{more}"));
    let mut operands = operands.into_iter();
    runtimes.map(|runtime| {
        let (stream, memory) = operands.next().unwrap();
        runtime.with(|current| stream.set_bytes(current, memory, 1).unwrap()).unwrap()
    })
}

/// The answer while another runtime has the device, and may be working there.
#[track_caller]
pub(super) fn is_refused(closed: Result<Vec<String>, CloseError>) {
    let Err(CloseError::Teardown { errors }) = closed else { panic!("{closed:?}") };
    let said = errors.last().unwrap().to_string();
    assert!(matches!(errors.last(), Some(Error::DeviceShared { device: DEVICE, .. })), "{said}");
    assert!(said.contains("has tried to close by force"), "{said}");
}

/// A runtime that is opened now works, and has the device for itself.
pub(super) fn works_anew() {
    for default in [false, true] {
        let next = open(default);
        next.with(|current| assert_eq!(current.upload(&[7_u8]).unwrap().to_vec(current).unwrap(), [7])).unwrap();
        assert_eq!(next.close_by_force(BRIEFLY).unwrap(), [""; 0]);
    }
}

#[proves(DEV_08, DEV_09, DEV_10)]
#[test]
fn runtimes_on_one_device_that_hangs_are_all_closed_by_force() {
    for defaults in [[false, false], [true, false], [false, true], [true, true]] {
        let alone = alone_on_three();
        let runtimes = defaults.map(open);
        let work = hang(runtimes.each_ref());
        let [first, second] = &runtimes;
        // A second try changes nothing, nor does a close without force.
        is_refused(first.close_by_force(BRIEFLY));
        is_refused(first.close_by_force(BRIEFLY));
        assert!(matches!(first.close(), Err(CloseError::Teardown { .. })));
        let lost = second.close_by_force(BRIEFLY).unwrap();
        nothing_fails();
        // A default context ends with all that it has.
        assert_eq!(lost.len(), defaults.iter().filter(|default| **default).count(), "{lost:?}");
        // The first one is told by its next close that it has nothing left.
        assert_eq!(first.close_by_force(BRIEFLY).unwrap(), [""; 0]);
        first.close().unwrap();
        works_anew();
        let next = open(false);
        next.with(|current| work.into_iter().for_each(|work| is_of_no_use(current, work))).unwrap();
        next.close().unwrap();
        drop(runtimes);
        sweep();
        alone.assert_nothing_lives();
    }
}

/// Work of a runtime that has ended. The wait may give the buffer, because the work is over.
fn is_of_no_use(current: &Current<Worker>, work: Work) {
    if let Ok(buffer) = work.wait(current) {
        assert!(buffer.to_vec(current).is_err() && buffer.free(current).is_err());
    }
}

/// The library does not let the device be reset. The next one that is closed by force tries again.
#[proves(DEV_08, DEV_09)]
#[test]
fn a_forced_reset_that_is_refused_leaves_all_of_them_to_the_next_try() {
    let alone = alone_on_three();
    let runtimes = [false, true, false].map(open);
    let refused = ",aclrtResetDeviceForce#1=507899,aclrtResetDeviceForce#2=507899,aclrtResetDeviceForce#3=507899";
    let _work = hang_and_fail(runtimes.each_ref(), refused);
    let [first, second, third] = &runtimes;
    for runtime in [first, second] {
        is_refused(runtime.close_by_force(BRIEFLY));
    }
    for runtime in [third, first, third] {
        let Err(CloseError::Teardown { errors }) = runtime.close_by_force(BRIEFLY) else { panic!("it is not reset") };
        assert!(
            matches!(errors.last(), Some(Error::Vendor(error)) if error.call == "aclrtResetDeviceForce"),
            "{errors:?}"
        );
    }
    nothing_fails();
    second.close_by_force(BRIEFLY).unwrap();
    for runtime in [third, first, second] {
        runtime.close().unwrap();
    }
    works_anew();
    drop(runtimes);
    sweep();
    alone.assert_nothing_lives();
}

/// What a dropped runtime had is released by the one that resets the device, and `sweep` gives its part back.
#[proves(DEV_08, DEV_10)]
#[test]
fn a_runtime_that_was_closed_by_force_in_vain_and_dropped_is_not_in_the_way() {
    let alone = alone_on_three();
    let [first, second] = [false, false].map(open);
    let _work = hang([&first, &second]);
    is_refused(first.close_by_force(BRIEFLY));
    drop(first);
    // It is tried, and stays given up.
    assert_ne!(runtime::sweep(Some(BRIEFLY)).len(), 0);
    assert_eq!(second.close_by_force(BRIEFLY).unwrap(), [""; 0]);
    nothing_fails();
    sweep();
    works_anew();
    drop(second);
    sweep();
    alone.assert_nothing_lives();
}

/// A runtime that was not closed by force may be working, whatever the others say.
#[proves(DEV_08)]
#[test]
fn a_device_is_not_reset_under_the_one_runtime_that_goes_on() {
    let alone = alone_on_three();
    let [first, second, goes_on] = [false, true, false].map(open);
    let kept = goes_on.with(|current| current.device_buffer::<u8>(8).unwrap()).unwrap();
    let _work = hang([&first, &second]);
    for runtime in [&first, &second, &second, &first] {
        is_refused(runtime.close_by_force(BRIEFLY));
        goes_on.with(|current| drop(current.stream().unwrap())).unwrap();
    }
    // One that failed to close without force has not given the device up either.
    goes_on.with(|current| drop(current.stream().unwrap().set_bytes(current, kept, 1).unwrap())).unwrap();
    assert!(matches!(goes_on.close(), Err(CloseError::Teardown { .. })));
    is_refused(first.close_by_force(BRIEFLY));
    drop(goes_on.close_by_force(BRIEFLY).unwrap());
    nothing_fails();
    for runtime in [&first, &second] {
        runtime.close().unwrap();
    }
    works_anew();
    drop((first, second, goes_on));
    sweep();
    alone.assert_nothing_lives();
}

/// Closes a runtime by force when it is dropped, on another thread.
struct Forces(Arc<Mutex<Vec<Result<Vec<String>, CloseError>>>>, Arc<Runtime<Worker>>);

impl Drop for Forces {
    fn drop(&mut self) {
        let closed = thread::scope(|scope| scope.spawn(|| self.1.close_by_force(Duration::ZERO)).join().unwrap());
        self.0.lock().unwrap().push(closed);
    }
}

/// The one that resets the device takes down what the others have. Another thread, or what is dropped there, does not do so
/// meanwhile.
#[proves(DEV_08, DEV_10)]
#[test]
fn a_runtime_is_not_closed_while_another_one_recovers_its_device() {
    let alone = alone_on_three();
    let [first, second] = [false, false].map(|default| Arc::new(open(default)));
    let told = Arc::<Mutex<Vec<_>>>::default();
    for runtime in [&first, &second] {
        let of_both = [&first, &second].map(|runtime| Forces(Arc::clone(&told), Arc::clone(runtime)));
        runtime
            .with(|current| mem::forget(current.stream().unwrap().register(current, Empty(of_both)).unwrap()))
            .unwrap();
    }
    let _work = hang([&first, &second]);
    is_refused(first.close_by_force(BRIEFLY));
    assert_eq!(second.close_by_force(BRIEFLY).unwrap(), [""; 0]);
    nothing_fails();
    let told = mem::take(&mut *told.lock().unwrap());
    assert!(told.iter().all(|told| matches!(told, Err(CloseError::Closing))), "{told:?}");
    assert_eq!(told.len(), 4);
    first.close().unwrap();
    works_anew();
    drop((first, second));
    sweep();
    alone.assert_nothing_lives();
}

/// Nobody can close it by force any more, so it is not in the way of those who do.
#[proves(DEV_08, DEV_10)]
#[test]
fn a_runtime_or_an_actor_that_was_dropped_while_its_work_hung_has_given_the_device_up() {
    for is_actor in [false, true] {
        let alone = alone_on_three();
        let second = open(false);
        let setup = || Setup::builder().library(library()).device(DEVICE).teardown_timeout(BRIEFLY).build();
        if is_actor {
            let actor = Actor::<Worker, _>::open(setup(), |current| {
                Ok((current.stream().unwrap(), current.device_buffer::<u8>(8).unwrap()))
            });
            let (actor, _work) = (actor.unwrap(), hang([&second]));
            let works = actor.call(|current, (stream, _)| {
                mem::forget(stream.set_bytes(current, current.device_buffer::<u8>(8).unwrap(), 1).unwrap());
            });
            works.unwrap();
            assert!(matches!(actor.close(), Err(CloseError::Teardown { .. })));
        } else {
            let first = open(false);
            let _work = hang([&first, &second]);
            drop(first);
        }
        assert_eq!(second.close_by_force(BRIEFLY).unwrap(), [""; 0]);
        nothing_fails();
        drop(second);
        sweep();
        works_anew();
        alone.assert_nothing_lives();
    }
}

/// An actor whose streams have work that hangs.
fn hanging_actors<const N: usize>() -> [Actor<Worker, Stream<Worker>>; N] {
    let setup = || Setup::builder().library(library()).device(DEVICE).build();
    let actors = [(); N].map(|()| Actor::<Worker, _>::open(setup(), |current| current.stream()).unwrap());
    fail(HANGS);
    for actor in &actors {
        let queues = actor.call(|current, stream| {
            mem::forget(stream.set_bytes(current, current.device_buffer::<u8>(8).unwrap(), 1).unwrap());
        });
        queues.unwrap();
    }
    actors
}

#[proves(DEV_08, DEV_09)]
#[test]
fn actors_on_a_device_that_hangs_are_closed_by_force_like_runtimes() {
    let alone = alone_on_three();
    let [alone_there] = hanging_actors();
    assert_eq!(alone_there.close_by_force(BRIEFLY).unwrap(), [""; 0]);
    nothing_fails();
    let [first, second, third] = hanging_actors();
    is_refused(first.close_by_force(BRIEFLY));
    is_refused(second.close_by_force(BRIEFLY));
    assert_eq!(third.close_by_force(BRIEFLY).unwrap(), [""; 0]);
    nothing_fails();
    sweep();
    works_anew();
    alone.assert_nothing_lives();
}

/// Neither keeps the other from it, again and again.
#[proves(DEV_08, DEV_10)]
#[test]
fn threads_that_close_runtimes_of_one_device_by_force_at_a_time_come_to_an_end() {
    let alone = alone_on_three();
    let begun = Instant::now();
    for _ in 0..8 {
        let runtimes = [false, true, false].map(open);
        let work = hang(runtimes.each_ref());
        let together = Barrier::new(runtimes.len());
        thread::scope(|scope| {
            for runtime in &runtimes {
                scope.spawn(|| {
                    together.wait();
                    while runtime.close_by_force(BRIEFLY).is_err() {}
                });
            }
        });
        nothing_fails();
        drop((runtimes, work));
        sweep();
        works_anew();
        alone.assert_nothing_lives();
    }
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
}

/// What an actor keeps. It panics when it is dropped.
struct Panicking;

impl Drop for Panicking {
    fn drop(&mut self) {
        panic!("an actor's own");
    }
}

#[proves(DEV_08, DEV_10)]
#[test]
fn an_actor_whose_own_value_panics_is_closed_by_force_all_the_same() {
    let alone = alone_on_three();
    let setup = || Setup::builder().library(library()).device(DEVICE).build();
    let actor = Actor::<Worker, _>::open(setup(), |current| Ok((Panicking, current.stream()?))).unwrap();
    fail(HANGS);
    let queued = actor.call(|current, (_, stream)| {
        mem::forget(stream.set_bytes(current, current.device_buffer::<u8>(8).unwrap(), 1).unwrap());
    });
    queued.unwrap();
    let panicked = catch_unwind(AssertUnwindSafe(|| actor.close_by_force(BRIEFLY)));
    assert_eq!(panicked.unwrap_err().downcast_ref::<&str>(), Some(&"an actor's own"));
    nothing_fails();
    sweep();
    works_anew();
    alone.assert_nothing_lives();
}

/// By a callback, and in a forked child: it would wait for ever. Afterwards it ends as one that was dropped.
#[proves(CB_01, THREAD_05, DEV_10)]
#[test]
fn an_actor_is_not_closed_by_force_where_it_could_not_be_waited_for() {
    let alone = alone_on_three();
    let open = || Actor::<Worker, ()>::open(Setup::builder().library(library()).device(DEVICE).build(), |_| Ok(()));
    let own = open().unwrap();
    let told = Arc::<Mutex<Vec<_>>>::default();
    let (runtime, place) = (self::open(false), Mutex::new(Some(open().unwrap())));
    let into = Arc::clone(&told);
    let closes = move || {
        let actor = place.lock().unwrap().take().unwrap();
        into.lock().unwrap().push(actor.close_by_force(BRIEFLY));
    };
    runtime
        .with(|current| {
            let stream = current.stream().unwrap();
            stream.launch_host_fn(current, closes).unwrap().wait(current).unwrap().into_result().unwrap();
        })
        .unwrap();
    runtime.close().unwrap();
    let told = mem::take(&mut *told.lock().unwrap());
    assert!(matches!(&*told, [Err(CloseError::Refused(Error::InsideCallback))]), "{told:?}");
    let own = in_a_forked_child(
        own,
        |own| matches!(own.close_by_force(BRIEFLY), Err(CloseError::Refused(error)) if is_forked(&error)),
    );
    assert_eq!(own.close_by_force(BRIEFLY).unwrap(), [""; 0]);
    let until = Instant::now() + Duration::from_secs(10);
    while control::live() != control::Live::default() && Instant::now() < until {
        thread::sleep(Duration::from_millis(1));
    }
    alone.assert_nothing_lives();
}

/// Whoever has another device, or a device of another library that has the same number, is no reason to refuse.
#[proves(DEV_08, DEV_10)]
#[test]
fn a_runtime_is_closed_by_force_whatever_others_have_beside_its_device() {
    ascendcl::names!(Beside);
    let alone = alone_on_three();
    let three = include_str!("../../null/library.c").replace("{ *count = 1; return 0; }", "{ *count = 3; return 0; }");
    let other = library_at(c_library("three-devices", &three));
    let on =
        |library, device| Runtime::<Beside>::open(Setup::builder().library(library).device(device).build()).unwrap();
    let third = on(library(), 0);
    let theirs = on(other, DEVICE);
    for _ in 0..2 {
        let next = open(false);
        let [work] = hang([&next]);
        assert!(matches!(next.close(), Err(CloseError::Teardown { .. })));
        assert_eq!(next.close_by_force(BRIEFLY).unwrap(), [""; 0]);
        nothing_fails();
        drop(work);
    }
    works_anew();
    theirs.close().unwrap();
    third.close().unwrap();
    sweep();
    alone.assert_nothing_lives();
}
