//! Which devices this crate has taken in this process, and how often. A *take* is one successful call that sets the
//! device, until it is reset.

use super::DeviceRow;
use crate::error::{Error, ObjectKind};
use crate::ffi::Api;
use core::panic::Location;
use std::sync::{Arc, Mutex, MutexGuard};

/// Where the program has taken a device.
pub(crate) type CodeLocation = &'static Location<'static>;

/// A device of one library, and its takes.
struct Taken {
    api: Api,
    device: i32,
    /// The place of each take.
    takes: Vec<CodeLocation>,
    /// Whether the device is being recovered. Until that ends, it cannot be taken.
    ends: bool,
    /// Takes that were [given up](give_up).
    given_up: Vec<Arc<DeviceRow>>,
}

static TAKEN: Mutex<Vec<Taken>> = Mutex::new(Vec::new());

fn taken() -> MutexGuard<'static, Vec<Taken>> {
    TAKEN.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

impl Taken {
    fn is(&self, api: Api, device: i32) -> bool {
        self.device == device && self.api.is_same_library(api)
    }

    fn is_needed(&self) -> bool {
        !self.takes.is_empty() || self.ends
    }

    fn end(&mut self, place: CodeLocation) {
        if let Some(at) = self.takes.iter().position(|known| *known == place) {
            self.takes.swap_remove(at);
        }
    }

    /// The error for a part of the program that needs the device for itself. Names the places of the takes of others that
    /// were not given up.
    fn shared_error(&self, own: Option<&DeviceRow>) -> Error {
        let mut held = self.takes.clone();
        let others = self.given_up.iter().map(|row| &**row).filter(|row| own.is_none_or(|own| !is(row, own)));
        for place in others.chain(own).map(DeviceRow::taken_at) {
            if let Some(at) = held.iter().position(|known| *known == place) {
                held.swap_remove(at);
            }
        }
        let held: Vec<_> = if self.ends { Vec::new() } else { held.iter().map(ToString::to_string).collect() };
        Error::DeviceShared { device: self.device, takes: self.takes.len(), held: held.join(", ").into() }
    }
}

fn is(row: &DeviceRow, other: &DeviceRow) -> bool {
    core::ptr::eq(&raw const *row, other)
}

/// Removes the entry that is not needed any more, if there is one. The caller drops it after the lock: a row may be dropped
/// with it, and values of the program with the row.
fn unneeded(all: &mut Vec<Taken>) -> Option<Taken> {
    all.iter().position(|taken| !taken.is_needed()).map(|at| all.swap_remove(at))
}

/// Counts one more take. Called before the device is set.
pub(crate) fn begin(api: Api, device: i32, place: CodeLocation) -> Result<(), Error> {
    let mut all = taken();
    match all.iter_mut().find(|taken| taken.is(api, device)) {
        Some(taken) if taken.ends => return Err(taken.shared_error(None)),
        Some(taken) => taken.takes.push(place),
        None => all.push(Taken { api, device, takes: vec![place], ends: false, given_up: Vec::new() }),
    }
    Ok(())
}

/// Counts one take less. Called after the device was reset.
pub(crate) fn end(api: Api, device: i32, place: CodeLocation) {
    let mut all = taken();
    all.iter_mut().filter(|taken| taken.is(api, device)).for_each(|taken| taken.end(place));
    let unneeded = unneeded(&mut all);
    drop(all);
    drop(unneeded);
}

/// Gives a take up: no thread enters its contexts any more, and none takes them down until [`take_back`]. Recovering
/// the device includes these contexts. A take that has ended cannot be given up.
pub(crate) fn give_up(row: &Arc<DeviceRow>) {
    let mut all = taken();
    for taken in all.iter_mut().filter(|taken| taken.is(row.api(), row.id())) {
        if !row.has_ended() && !taken.given_up.iter().any(|known| is(known, row)) {
            taken.given_up.push(Arc::clone(row));
        }
    }
}

/// Why a take that was given up is taken back.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum TakeBack {
    /// Its own part of the program goes on with it.
    ForItsOwner,
    /// Nobody has it any more, and a sweep tries again to take down what it has. That may take long on a device that hangs.
    ForASweep,
}

/// Reverts [`give_up`], because the calling thread is about to use the contexts or to take them down. Returns whether the
/// take was given up, and an error while the device is being recovered, or if a sweep would keep a thread from
/// recovering it.
pub(crate) fn take_back(row: &DeviceRow, why: TakeBack) -> Result<bool, Error> {
    let mut all = taken();
    let is_in = |taken: &Taken| taken.given_up.iter().position(|known| is(known, row));
    let Some((taken, at)) = all.iter_mut().find_map(|taken| is_in(taken).map(|at| (taken, at))) else {
        return Ok(false);
    };
    if taken.ends || (why == TakeBack::ForASweep && WaitForOthers::is_on(row)) {
        return Err(taken.shared_error(None));
    }
    taken.given_up.swap_remove(at);
    Ok(true)
}

/// A thread that has given its take up, and waits for the other takes to be given up. While it waits, no sweep takes one
/// back.
pub(crate) struct WaitForOthers {
    api: Api,
    device: i32,
}

/// The libraries and devices of these waits. They are not among the takes: a wait may outlast all takes of its device.
static WAITING: Mutex<Vec<(Api, i32)>> = Mutex::new(Vec::new());

fn waiting() -> MutexGuard<'static, Vec<(Api, i32)>> {
    WAITING.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

impl WaitForOthers {
    pub(crate) fn on(row: &DeviceRow) -> Self {
        let (api, device) = (row.api(), row.id());
        waiting().push((api, device));
        Self { api, device }
    }

    /// Whether a thread waits for the takes of this device.
    fn is_on(row: &DeviceRow) -> bool {
        waiting().iter().any(|(api, device)| *device == row.id() && api.is_same_library(row.api()))
    }
}

impl Drop for WaitForOthers {
    fn drop(&mut self) {
        let mut all = waiting();
        let is_own = |(api, device): &(Api, i32)| *device == self.device && api.is_same_library(self.api);
        if let Some(at) = all.iter().position(is_own) {
            all.swap_remove(at);
        }
    }
}

/// Whether a take of the device was given up, and was not taken back.
pub(crate) fn is_given_up(api: Api, device: i32) -> bool {
    taken().iter().any(|taken| taken.is(api, device) && !taken.given_up.is_empty())
}

/// The devices of this library that are taken, in any order.
pub(crate) fn in_use(api: Api) -> Vec<i32> {
    let is_of_it = |taken: &&Taken| !taken.takes.is_empty() && taken.api.is_same_library(api);
    taken().iter().filter(is_of_it).map(|taken| taken.device).collect()
}

/// While this value exists, no other part of the process has taken the device or can take it, apart from takes that were
/// given up.
pub(crate) struct ExclusiveDevice {
    api: Api,
    device: i32,
    given_up: Vec<Arc<DeviceRow>>,
}

impl ExclusiveDevice {
    /// Returns an error if a part of the process other than `own` has taken the device, and has not given it up, or if a
    /// reset has ended `own`.
    pub(crate) fn on(own: &DeviceRow) -> Result<Self, Error> {
        let (api, device) = (own.api(), own.id());
        let mut all = taken();
        // A reset stores this before it ends the take, so it is known under the lock.
        if own.has_ended() {
            return Err(Error::Gone { what: ObjectKind::DEVICE });
        }
        let Some(taken) = all.iter_mut().find(|taken| taken.is(api, device)) else {
            return Ok(Self { api, device, given_up: Vec::new() });
        };
        let given_up: Vec<_> = taken.given_up.iter().filter(|row| !is(row, own)).cloned().collect();
        if taken.takes.len() > 1 + given_up.len() || taken.ends {
            return Err(taken.shared_error(Some(own)));
        }
        taken.ends = true;
        Ok(Self { api, device, given_up })
    }

    /// For a part of the program that has no take any more: one of the takes that are left, if all of them were given up.
    /// `None` if none is left, if one is in use, or while the device is being recovered.
    pub(crate) fn of_given_up(api: Api, device: i32) -> Option<(Arc<DeviceRow>, Self)> {
        let mut all = taken();
        let taken = all.iter_mut().find(|taken| taken.is(api, device))?;
        let mut given_up: Vec<_> = taken.given_up.iter().filter(|row| !row.has_ended()).cloned().collect();
        if taken.takes.len() > given_up.len() || taken.ends {
            return None;
        }
        let row = given_up.pop()?;
        taken.ends = true;
        Some((row, Self { api, device, given_up }))
    }

    /// The other takes, which were given up. Nobody takes them back while this value exists.
    pub(crate) fn given_up(&self) -> &[Arc<DeviceRow>] {
        &self.given_up
    }

    /// Records that the device was recovered: the take of `own` is no longer given up.
    pub(crate) fn mark_recovered(&self, own: &DeviceRow) {
        let mut all = taken();
        all.iter_mut()
            .filter(|taken| taken.is(self.api, self.device))
            .for_each(|taken| taken.given_up.retain(|row| !is(row, own)));
    }
}

impl Drop for ExclusiveDevice {
    fn drop(&mut self) {
        let mut all = taken();
        all.iter_mut().filter(|taken| taken.is(self.api, self.device)).for_each(|taken| taken.ends = false);
        let unneeded = unneeded(&mut all);
        drop(all);
        drop(unneeded);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that fails says where")]

    use super::*;

    const DEVICE: i32 = 3;

    /// Takes of a device, of another one, and of a device of another library with the number of the first.
    fn takes() -> [Arc<DeviceRow>; 3] {
        let (library, other) = (Api::without_functions(), Api::without_functions());
        assert!(!library.is_same_library(other));
        [(library, DEVICE), (library, DEVICE + 1), (other, DEVICE)].map(|(api, device)| {
            let row = Arc::new(DeviceRow::of_a_test(api, device));
            begin(api, device, row.taken_at()).unwrap();
            row
        })
    }

    fn sweep_may_take(row: &Arc<DeviceRow>) -> bool {
        let Ok(was_given_up) = take_back(row, TakeBack::ForASweep) else { return false };
        assert!(was_given_up);
        give_up(row);
        true
    }

    #[test]
    fn a_wait_for_others_keeps_sweeps_from_its_own_device_and_no_other() {
        let rows = takes();
        rows.iter().for_each(give_up);
        let [own, next, elsewhere] = &rows;
        let wait = WaitForOthers::on(own);
        assert_eq!(rows.each_ref().map(sweep_may_take), [false, true, true]);
        assert!(take_back(own, TakeBack::ForItsOwner).unwrap());
        give_up(own);
        // Waits for other devices come and go.
        for other in [next, elsewhere] {
            drop(WaitForOthers::on(other));
            assert_eq!(rows.each_ref().map(sweep_may_take), [false, true, true]);
        }
        // So does a second one for this device.
        drop(WaitForOthers::on(own));
        assert_eq!(rows.each_ref().map(sweep_may_take), [false, true, true]);
        drop(wait);
        assert_eq!(rows.each_ref().map(sweep_may_take), [true; 3]);
    }

    #[test]
    fn a_device_is_given_up_and_recovered_for_itself() {
        let rows = takes();
        let [own, next, elsewhere] = &rows;
        let are_given_up = || rows.each_ref().map(|row| is_given_up(row.api(), row.id()));
        assert_eq!(are_given_up(), [false; 3]);
        give_up(own);
        assert_eq!(are_given_up(), [true, false, false]);
        give_up(next);
        give_up(elsewhere);
        for row in [elsewhere, next, own] {
            let (found, exclusive) = ExclusiveDevice::of_given_up(row.api(), row.id()).unwrap();
            assert!(Arc::ptr_eq(&found, row) && exclusive.given_up().is_empty());
            // One thread recovers a device at a time.
            assert!(ExclusiveDevice::of_given_up(row.api(), row.id()).is_none());
            assert!(take_back(row, TakeBack::ForItsOwner).is_err());
            drop(exclusive);
            assert!(ExclusiveDevice::of_given_up(row.api(), row.id()).is_some());
        }
        own.end_of_a_test();
        assert!(ExclusiveDevice::of_given_up(own.api(), own.id()).is_none(), "a take that has ended");
    }
}
