//! Several takes of one device, and takes of several devices: which of them is in the way of a recovery, and what the error
//! says of them. Nothing hangs here.

use super::undisturbed;
use crate::common::{acl, library, under_watch};
use ascendcl::{Acl, Device, Error, Recovered, Thread};
use ascendcl_macros::proves;
use ascendcl_sim::{Config, control};
use std::time::Duration;

/// Devices that no other test leaves taken.
const ONE: i32 = 2;
const TWO: i32 = 3;

const BRIEFLY: Duration = Duration::from_millis(20);

/// Recovers a device that nobody else has.
#[track_caller]
fn usable<'a>(device: Device<'a>, thread: &mut Thread) -> Device<'a> {
    match device.recover(thread, BRIEFLY) {
        Ok(Recovered::Usable(device)) => device,
        other => panic!("{other:?}"),
    }
}

/// Tries to recover a device that another part has. The device is then given up. Also returns the lines at which the others
/// have taken it.
#[track_caller]
fn shared<'a>(device: Device<'a>, thread: &mut Thread, expected: usize) -> (Device<'a>, String) {
    let refused = device.recover(thread, BRIEFLY).map(drop).unwrap_err();
    let Error::DeviceShared { takes, held, .. } = refused.error else { panic!("{}", refused.error) };
    assert_eq!(takes, expected);
    (refused.value, held.into())
}

/// Runs the attack with a library and a token, and closes the library.
fn with_acl(attack: impl FnOnce(&Acl, &mut Thread)) {
    let (alone, _others) = undisturbed();
    control::configure(under_watch(Config::new().devices(4))).unwrap();
    let acl = acl();
    let mut thread = Thread::new().unwrap();
    attack(&acl, &mut thread);
    drop(thread);
    acl.close().unwrap();
    alone.assert_nothing_lives();
}

#[track_caller]
fn reset<const N: usize>(devices: [Device<'_>; N], thread: &mut Thread) {
    devices.into_iter().for_each(|device| device.reset(thread).unwrap());
}

#[proves(DEV_08)]
#[test]
fn a_take_that_was_reset_is_not_counted_and_one_that_is_kept_is() {
    with_acl(|acl, thread| {
        let [first, kept, last] = [(); 3].map(|()| acl.device(thread, ONE).unwrap());
        first.reset(thread).unwrap();
        let (last, _) = shared(last, thread, 2);
        kept.reset(thread).unwrap();
        let last = usable(last, thread);
        reset([last], thread);
    });
}

#[proves(DEV_08)]
#[test]
fn a_take_is_in_the_way_again_after_it_recovered_the_device() {
    with_acl(|acl, thread| {
        let first = acl.device(thread, ONE).unwrap();
        let second = acl.device(thread, ONE).unwrap();
        let (first, _) = shared(first, thread, 2);
        // The first one is given up, however often the second one recovers the device.
        let second = usable(second, thread);
        let second = usable(second, thread);
        let (first, _) = shared(first, thread, 2);
        reset([first, second], thread);
    });
}

#[proves(DEV_08)]
#[test]
fn the_error_names_the_place_of_the_take_that_was_not_given_up() {
    with_acl(|acl, thread| {
        let first = acl.device(thread, ONE).unwrap();
        let second = acl.device(thread, ONE).unwrap();
        let kept = (acl.device(thread, ONE).unwrap(), line!());
        let (second, _) = shared(second, thread, 3);
        let (first, held) = shared(first, thread, 3);
        assert_eq!(held, format!("{}:{}:25", file!(), kept.1));
        reset([first, second, kept.0], thread);
    });
}

#[proves(DEV_08)]
#[test]
fn the_error_does_not_name_the_place_of_a_take_that_was_reset() {
    with_acl(|acl, thread| {
        let (kept, line) = (acl.device(thread, ONE).unwrap(), line!());
        let second = acl.device(thread, ONE).unwrap();
        second.reset(thread).unwrap();
        let (last, held) = shared(acl.device(thread, ONE).unwrap(), thread, 2);
        assert_eq!(held, format!("{}:{line}:33", file!()));
        reset([kept, last], thread);
    });
}

/// Both devices are taken at one place of the program.
#[proves(DEV_08)]
#[test]
fn takes_of_two_devices_are_counted_by_device() {
    with_acl(|acl, thread| {
        let take = |thread: &mut Thread, id| acl.device(thread, id).unwrap();
        let (zero, one) = (take(thread, ONE), take(thread, TWO));
        let zero = usable(zero, thread);
        let one = usable(one, thread);
        zero.reset(thread).unwrap();
        let (again, _) = shared(acl.device(thread, TWO).unwrap(), thread, 2);
        reset([one, again], thread);
    });
}

#[proves(DEV_08)]
#[test]
fn a_device_that_was_dropped_is_given_up_for_itself_alone() {
    let (_alone, _others) = undisturbed();
    control::configure(under_watch(Config::new().devices(4))).unwrap();
    let (acl, other) = (acl(), crate::common::acl());
    let mut thread = Thread::new().unwrap();
    let dropped = acl.device(&mut thread, ONE).unwrap();
    let [kept, own] = [(); 2].map(|()| other.device(&mut thread, TWO).unwrap());
    drop(dropped);
    let (own, _) = shared(own, &mut thread, 2);
    reset([kept, own], &mut thread);
    other.close().unwrap();
    acl.close().unwrap();
}

/// The devices of another library are other devices.
#[proves(DEV_12)]
#[test]
fn the_short_form_needs_no_device_because_another_library_has_taken_one() {
    let (alone, books) = undisturbed();
    let other = books.acl();
    let mut thread = Thread::new().unwrap();
    let device = other.device(&mut thread, 1).unwrap();
    drop(thread);
    let ran = ascendcl::run(library(), |current| Ok::<_, Error>(current.device_id()));
    assert_eq!(ran.unwrap(), 0);
    device.reset(&mut Thread::new().unwrap()).unwrap();
    other.close().unwrap();
    books.assert_closed();
    alone.assert_nothing_lives();
}
