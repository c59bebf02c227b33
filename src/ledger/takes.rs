//! Which devices this crate has taken in this process, and how often. A *take* is one successful call that sets the
//! device, until it is reset.

use super::DeviceRow;
use crate::error::Error;
use crate::ffi::Api;
use std::sync::{Arc, Mutex, MutexGuard};

/// A device of one library, and its takes.
struct Taken {
    api: Api,
    device: i32,
    takes: usize,
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
        self.device == device && self.api.is_of_the_library_of(api)
    }

    fn is_needed(&self) -> bool {
        self.takes > 0 || self.ends
    }
}

/// Counts one more take. Called before the device is set.
pub(crate) fn begin(api: Api, device: i32) -> Result<(), Error> {
    let mut all = taken();
    match all.iter_mut().find(|taken| taken.is(api, device)) {
        Some(taken) if taken.ends => return Err(Error::DeviceShared { device, takes: taken.takes }),
        Some(taken) => taken.takes += 1,
        None => all.push(Taken { api, device, takes: 1, ends: false, given_up: Vec::new() }),
    }
    Ok(())
}

/// Counts one take less. Called after the device was reset.
pub(crate) fn end(api: Api, device: i32) {
    let mut all = taken();
    for taken in all.iter_mut().filter(|taken| taken.is(api, device)) {
        taken.takes = taken.takes.saturating_sub(1);
    }
    all.retain(Taken::is_needed);
}

/// Gives a take up: no thread enters its contexts any more, and none takes them down until [`take_back`]. Recovering
/// the device includes these contexts.
pub(crate) fn give_up(row: &Arc<DeviceRow>) {
    taken()
        .iter_mut()
        .filter(|taken| taken.is(row.api(), row.id()))
        .for_each(|taken| taken.given_up.push(Arc::clone(row)));
}

/// Reverts [`give_up`], because the calling thread is about to take the contexts down. Returns whether the take was
/// given up, or `None` while the device is being recovered.
pub(crate) fn take_back(row: &Arc<DeviceRow>) -> Option<bool> {
    let mut all = taken();
    let is_in = |taken: &Taken| taken.given_up.iter().position(|known| Arc::ptr_eq(known, row));
    let Some((taken, at)) = all.iter_mut().find_map(|taken| is_in(taken).map(|at| (taken, at))) else {
        return Some(false);
    };
    if taken.ends {
        return None;
    }
    taken.given_up.swap_remove(at);
    Some(true)
}

/// The devices of this library that are taken, in any order.
pub(crate) fn in_use(api: Api) -> Vec<i32> {
    let is_of_it = |taken: &&Taken| taken.takes > 0 && taken.api.is_of_the_library_of(api);
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
    /// Returns an error if a part of the process other than `own` has taken the device, and has not given it up.
    pub(crate) fn on(own: &DeviceRow) -> Result<Self, Error> {
        let (api, device) = (own.api(), own.id());
        let mut all = taken();
        let Some(taken) = all.iter_mut().find(|taken| taken.is(api, device)) else {
            return Ok(Self { api, device, given_up: Vec::new() });
        };
        let is_other = |row: &&Arc<DeviceRow>| !core::ptr::eq(&raw const ***row, own);
        let given_up: Vec<_> = taken.given_up.iter().filter(is_other).cloned().collect();
        if taken.takes > 1 + given_up.len() || taken.ends {
            return Err(Error::DeviceShared { device, takes: taken.takes });
        }
        taken.ends = true;
        Ok(Self { api, device, given_up })
    }

    /// The other takes, which were given up. Nobody takes them back while this value exists.
    pub(crate) fn given_up(&self) -> &[Arc<DeviceRow>] {
        &self.given_up
    }

    /// Records that the device was recovered: the take of `own` is no longer given up.
    pub(crate) fn is_recovered(&self, own: &DeviceRow) {
        let is_other = |row: &Arc<DeviceRow>| !core::ptr::eq(&raw const **row, own);
        let mut all = taken();
        all.iter_mut()
            .filter(|taken| taken.is(self.api, self.device))
            .for_each(|taken| taken.given_up.retain(is_other));
    }
}

impl Drop for ExclusiveDevice {
    fn drop(&mut self) {
        let mut all = taken();
        all.iter_mut().filter(|taken| taken.is(self.api, self.device)).for_each(|taken| taken.ends = false);
        all.retain(Taken::is_needed);
    }
}
