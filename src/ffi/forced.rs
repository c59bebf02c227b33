//! Ends work that does not end by itself.

use super::call::call;
use super::wait::milliseconds;
use super::{Api, RawStream};
use crate::error::{Error, ObjectKind};
use ascendcl_macros::rule;
use std::time::Duration;

impl RawStream {
    /// Discards the work that is queued and has not run (`aclrtStreamAbort`). Refused for the default stream, which the
    /// library does not accept, and for streams of other code.
    #[rule(STREAM_17)]
    pub(crate) fn abort(&self, api: Api) -> Result<(), Error> {
        if !self.is_ours() {
            return Err(Error::StillRunning { what: ObjectKind::STREAM });
        }
        self.with_handle(|stream| {
            // SAFETY: the function asks for a live stream. `with_handle` passes the gate, so the stream is not
            // destroyed meanwhile (STREAM-07).
            let answer = unsafe { call!(api.aclrtStreamAbort(stream)) };
            answer.done(|| "discard the work of a stream".into())
        })
    }

    /// Destroys the stream with everything queued on it (`aclrtDestroyStreamForce`). Its work is over, or its device
    /// was reset by force. A remaining registration stays with the row, because the library may still have the
    /// allocator in its table under this handle.
    #[rule(STREAM_17)]
    pub(crate) fn destroy_by_force(&self, api: Api) -> Result<(), Error> {
        self.end_with(|stream| {
            // SAFETY: the function asks for a live stream that nobody uses (STREAM-07). `end_with` found the gate open
            // and has closed it.
            let answer = unsafe { call!(api.aclrtDestroyStreamForce(stream)) };
            answer.done(|| "destroy a stream by force".into())
        })
    }

    /// Lets the library get no further memory from the stream's allocators: a forced reset may end the stream with its
    /// registration.
    pub(crate) fn shut_allocators(&self) {
        self.allocators.shut();
    }

    /// Reverts [`shut_allocators`](Self::shut_allocators), because the stream still exists.
    pub(crate) fn reopen_allocators(&self) {
        self.allocators.reopen();
    }

    /// A forced reset has ended the stream. Ends its registration, too, which the library keeps under the handle.
    #[rule(ALLOC_16)]
    pub(crate) fn forget_allocators(&self, api: Api) {
        self.allocators.end_after_reset(api, self.raw());
    }
}

impl Api {
    /// Discards all work on the device (`aclrtDeviceTaskAbort`). Nothing else may use the device during the call
    /// (ERR-07).
    #[rule(ERR_07)]
    pub(crate) fn abort_tasks(self, device: i32, limit: Duration) -> Result<(), Error> {
        // The library refuses a longer limit.
        const LONGEST: Duration = Duration::from_secs(36 * 60);
        let limit = milliseconds(limit.min(LONGEST)).unsigned_abs();
        // SAFETY: the function takes numbers by value, and no pointer, so it requires only that its signature is that
        // of the table.
        let answer = unsafe { call!(self.aclrtDeviceTaskAbort(device, limit)) };
        answer.done(|| format!("discard the work of device {device}"))
    }

    /// Resets the device for the whole process (`aclrtResetDeviceForce`).
    #[rule(DEV_08, DEV_09)]
    pub(crate) fn reset_device_by_force(self, device: i32) -> Result<(), Error> {
        // SAFETY: the function takes a number by value, and no pointer. The library returns an error for an unknown
        // number.
        let answer = unsafe { call!(self.aclrtResetDeviceForce(device)) };
        answer.done(|| format!("reset device {device} by force"))?;
        self.resets().count_forced_reset(device);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::ptr::NonNull;
    use core::sync::atomic::{AtomicU32, Ordering};

    static LIMIT: AtomicU32 = AtomicU32::new(0);

    extern "C" fn abort(_: i32, limit: u32) -> i32 {
        LIMIT.store(limit, Ordering::Relaxed);
        0
    }

    #[test]
    fn work_is_discarded_within_a_limit_that_the_library_takes() {
        let find = |name: &str| NonNull::new((abort as *mut ()).cast()).filter(|_| name == "aclrtDeviceTaskAbort");
        // SAFETY: `Api::from_table` asks for addresses of functions with the table's signatures. This is one of
        // `aclrtDeviceTaskAbort`.
        let api = unsafe { Api::from_table("aborts", find) };
        for (limit, passed) in [(1, 1000), (36 * 60, 2_160_000), (3600, 2_160_000), (u64::MAX, 2_160_000)] {
            api.abort_tasks(0, Duration::from_secs(limit)).unwrap();
            assert_eq!(LIMIT.load(Ordering::Relaxed), passed, "{limit} s");
        }
    }
}
