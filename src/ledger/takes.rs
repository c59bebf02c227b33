//! Which devices this crate has taken in this process, and how often.

use crate::error::Error;
use crate::ffi::Api;
use std::sync::{Mutex, MutexGuard};

/// A device of one library, and its takes.
struct Taken {
    api: Api,
    device: i32,
    takes: usize,
    /// A forced reset of the device is under way. Until its end the device cannot be taken.
    ends: bool,
}

static TAKEN: Mutex<Vec<Taken>> = Mutex::new(Vec::new());

fn taken() -> MutexGuard<'static, Vec<Taken>> {
    TAKEN.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

impl Taken {
    fn is(&self, api: Api, device: i32) -> bool {
        self.device == device && self.api.is_of_the_library_of(api)
    }
}

/// Counts one more take, before the device is taken.
pub(crate) fn begin(api: Api, device: i32) -> Result<(), Error> {
    let mut all = taken();
    match all.iter_mut().find(|taken| taken.is(api, device)) {
        Some(taken) if taken.ends => return Err(Error::DeviceShared { device, takes: taken.takes }),
        Some(taken) => taken.takes += 1,
        None => all.push(Taken { api, device, takes: 1, ends: false }),
    }
    Ok(())
}

/// Counts one take less, after the device was given back.
pub(crate) fn end(api: Api, device: i32) {
    let mut all = taken();
    for taken in all.iter_mut().filter(|taken| taken.is(api, device)) {
        taken.takes = taken.takes.saturating_sub(1);
    }
    all.retain(|taken| taken.takes > 0);
}

/// The devices of this library that are taken, in any order.
pub(crate) fn in_use(api: Api) -> Vec<i32> {
    taken().iter().filter(|taken| taken.api.is_of_the_library_of(api)).map(|taken| taken.device).collect()
}

/// While this value exists, no other part of the process has taken the device or can take it.
pub(crate) struct ExclusiveDevice {
    api: Api,
    device: i32,
}

impl ExclusiveDevice {
    /// Returns an error if another part of the process has taken the device.
    pub(crate) fn on(api: Api, device: i32) -> Result<Self, Error> {
        let mut all = taken();
        let Some(taken) = all.iter_mut().find(|taken| taken.is(api, device)) else { return Ok(Self { api, device }) };
        if taken.takes > 1 || taken.ends {
            return Err(Error::DeviceShared { device, takes: taken.takes });
        }
        taken.ends = true;
        Ok(Self { api, device })
    }
}

impl Drop for ExclusiveDevice {
    fn drop(&mut self) {
        taken().iter_mut().filter(|taken| taken.is(self.api, self.device)).for_each(|taken| taken.ends = false);
    }
}
