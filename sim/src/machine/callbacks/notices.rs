//! Functions of the caller that hear of the states of streams and devices, by the names of their registrations.
//!
//! They run on the thread that makes the change, in the middle of its call.

use crate::abi::{Notice, OfAbort, OfDevice, OfStream};
use crate::failure::{Answer, Failure};
use crate::locks::lock;
use crate::machine::streams::stream::Stream;
use crate::machine::workers::user_code;
use ascendcl_rules::CB_11;
use ascendcl_sys::types::{aclrtDeviceState, aclrtStreamState};
use std::sync::Mutex;

/// Registrations in their order.
pub(crate) struct Register<F>(Mutex<Vec<(String, Notice<F>)>>);

pub(crate) static OF_STREAMS: Register<OfStream> = Register::new();
pub(crate) static OF_DEVICES: Register<OfDevice> = Register::new();
/// These are never called: no device of the simulator can abort its work.
pub(crate) static OF_ABORTS: Register<OfAbort> = Register::new();

impl<F: Copy> Register<F> {
    const fn new() -> Self {
        Self(Mutex::new(Vec::new()))
    }

    /// Registers what hears of it under this name; `None` takes the registration back, if there is one.
    pub(crate) fn set(&self, name: &str, notice: Option<Notice<F>>) -> Answer {
        let mut known = lock(&self.0);
        let Some(notice) = notice else {
            known.retain(|(other, _)| other != name);
            return Ok(());
        };
        if known.iter().any(|(other, _)| other == name) {
            let failure = Failure::refused(format!("a callback is registered as `{name}` already"));
            let fix = "choose a name of your own, or take the other one back first (a null callback under its name)";
            return Err(failure.breaks(CB_11, "one callback for each name", fix));
        }
        known.push((name.to_owned(), notice));
        Ok(())
    }

    /// The current registrations. The lock is not held while the functions run.
    fn all(&self) -> Vec<Notice<F>> {
        lock(&self.0).iter().map(|(_, notice)| *notice).collect()
    }

    fn clear(&self) {
        lock(&self.0).clear();
    }
}

pub(crate) fn stream_created(stream: &Stream) {
    tell_of_stream(stream, aclrtStreamState::ACL_RT_STREAM_STATE_CREATE_POST);
}

/// The stream can still be named.
pub(in crate::machine) fn stream_ends(stream: &Stream) {
    tell_of_stream(stream, aclrtStreamState::ACL_RT_STREAM_STATE_DESTROY_PRE);
}

fn tell_of_stream(stream: &Stream, state: aclrtStreamState) {
    for notice in OF_STREAMS.all() {
        user_code::run_within(0, || notice.tell(stream.handle(), state));
    }
}

pub(crate) fn device(id: u32, state: aclrtDeviceState) {
    for notice in OF_DEVICES.all() {
        user_code::run_within(0, || notice.tell(id.cast_signed(), state));
    }
}

/// As if nothing had been registered.
pub(in crate::machine) fn clear() {
    OF_STREAMS.clear();
    OF_DEVICES.clear();
    OF_ABORTS.clear();
}
