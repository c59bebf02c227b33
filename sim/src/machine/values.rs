//! Values in memory that a stream writes, and that streams wait for.
//!
//! Anybody can write the value that a stream waits for, the host too, so that nobody tells when it changes: a thread looks
//! again and again while something is waited for.

use super::locks::lock;
use super::memory::Hold;
use super::point::Duty;
use super::stream::Stream;
use super::waiting::Link;
use crate::abi::Address;
use crate::failure::Answer;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// When a wait is over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Until {
    /// The value is not less, as the sign of the difference says.
    AtLeast,
    Equal,
    AnyBit,
    /// Some bit is set in neither.
    Nor,
}

impl Until {
    fn holds(self, found: u64, wanted: u64) -> bool {
        match self {
            Self::AtLeast => found.wrapping_sub(wanted) as i64 >= 0,
            Self::Equal => found == wanted,
            Self::AnyBit => found & wanted != 0,
            Self::Nor => !(found | wanted) != 0,
        }
    }
}

/// What a stream waits for.
#[derive(Clone)]
pub(crate) struct Wanted {
    pub(crate) address: Address,
    /// Keeps the memory in place.
    pub(crate) _hold: Hold,
    pub(crate) value: u64,
    pub(crate) until: Until,
}

impl Wanted {
    fn is_there(&self) -> bool {
        let mut bytes = [0; 8];
        bytes.iter_mut().zip(self.address.bytes(8)).for_each(|(to, from)| *to = from);
        self.until.holds(u64::from_ne_bytes(bytes), self.value)
    }
}

#[derive(Default)]
struct Watch {
    waits: Vec<(Wanted, Duty)>,
    /// Whether the thread is there; it leaves when nothing is waited for.
    watched: bool,
}

static WATCH: Mutex<Watch> = Mutex::new(Watch { waits: Vec::new(), watched: false });

pub(crate) fn write(stream: &Arc<Stream>, address: Address, hold: Hold, value: u64) -> Answer {
    let write = move |_| {
        let _kept = &hold;
        address.write(&value.to_ne_bytes());
        Ok(())
    };
    stream.submit_each(write).map(drop)
}

/// Lets what follows on the stream wait for a value.
pub(crate) fn hold_up(stream: &Arc<Stream>, wanted: Wanted) -> Answer {
    stream.submit_wait_each(Link::Later, None, move |point| {
        let duty = Duty::new(point);
        if wanted.is_there() {
            return duty.fulfil();
        }
        let watched = {
            let mut watch = lock(&WATCH);
            watch.waits.push((wanted.clone(), duty));
            std::mem::replace(&mut watch.watched, true)
        };
        if !watched && thread::Builder::new().name("ascendcl-sim-values".into()).spawn(look).is_err() {
            lock(&WATCH).watched = false;
        }
    })
}

fn look() {
    const PAUSE: Duration = Duration::from_micros(200);
    loop {
        let over: Vec<(Wanted, Duty)> = {
            let mut watch = lock(&WATCH);
            if watch.waits.is_empty() {
                watch.watched = false;
                return;
            }
            watch.waits.extract_if(.., |(wanted, duty)| !duty.is_awaited() || wanted.is_there()).collect()
        };
        for (wanted, duty) in over {
            duty.fulfil();
            drop(wanted);
        }
        thread::sleep(PAUSE);
    }
}
