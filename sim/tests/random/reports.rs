//! Threads that run callbacks.

use crate::support::*;
use std::ffi::c_void;
use std::sync::Mutex;
use std::time::Duration;

pub(crate) fn own_thread() -> u64 {
    // SAFETY: part of POSIX.
    unsafe extern "C" {
        safe fn pthread_self() -> usize;
    }
    pthread_self() as u64
}

/// The threads of one run: who has calls to make, and who is in a callback that may wait for the others.
pub(crate) struct Threads(Mutex<Counts>);

struct Counts {
    calling: usize,
    inside: usize,
}

impl Threads {
    pub(crate) fn new(count: usize) -> Self {
        Self(Mutex::new(Counts { calling: count, inside: 0 }))
    }

    /// Runs callbacks until no thread can wait for this one's any more.
    pub(crate) fn leave(&self) {
        self.0.lock().unwrap().calling -= 1;
        while self.enter() {
            acl!(aclrtProcessReport(1));
            self.0.lock().unwrap().inside -= 1;
            std::thread::sleep(Duration::from_micros(200));
        }
    }

    fn enter(&self) -> bool {
        let mut counts = self.0.lock().unwrap();
        let needed = counts.calling > 0 || counts.inside > 0;
        counts.inside += usize::from(needed);
        needed
    }
}

pub(crate) unsafe extern "C" fn nothing(_: *mut c_void) {}

/// Waits for the device, which now and then waits for it.
pub(crate) unsafe extern "C" fn waits(_: *mut c_void) {
    acl!(aclrtSetDevice(0));
    acl!(aclrtSynchronizeDevice());
}

pub(crate) unsafe extern "C" fn resets(_: *mut c_void) {
    acl!(aclrtSetDevice(0));
    acl!(aclrtResetDevice(0));
}

pub(crate) fn one_of(choice: u8) -> aclrtCallback {
    match choice % 16 {
        0 => Some(waits),
        1 => Some(resets),
        _ => Some(nothing),
    }
}
