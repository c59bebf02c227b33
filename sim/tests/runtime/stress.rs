//! Several threads do anything to everything: nothing crashes, nothing hangs, nothing is left.

use super::support::*;
use ascendcl_sim::control;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::Duration;

const THREADS: u64 = 4;
const STEPS: usize = if cfg!(debug_assertions) { 2_000 } else { 40_000 };

/// Handles that any thread may use and destroy, dead ones among them.
#[derive(Default)]
struct Things {
    streams: Mutex<Vec<Shared<aclrtStream>>>,
    events: Mutex<Vec<Shared<aclrtEvent>>>,
    contexts: Mutex<Vec<Shared<aclrtContext>>>,
    blocks: Mutex<Vec<Shared<*mut std::ffi::c_void>>>,
    launched: AtomicUsize,
    ran: Arc<AtomicUsize>,
}

/// Picks and replaces things in the shared lists.
trait Picks {
    fn pick<T: Copy>(&mut self, from: &Mutex<Vec<Shared<T>>>, none: T) -> T;
    fn put<T: Copy>(&mut self, into: &Mutex<Vec<Shared<T>>>, thing: T);
}

impl Picks for Dice {
    fn pick<T: Copy>(&mut self, from: &Mutex<Vec<Shared<T>>>, none: T) -> T {
        let from = from.lock().unwrap();
        if from.is_empty() { none } else { from[self.roll(from.len())].get() }
    }

    /// A new thing, in the place of an old one when there are many.
    fn put<T: Copy>(&mut self, into: &Mutex<Vec<Shared<T>>>, thing: T) {
        const MOST: usize = 24;
        let mut into = into.lock().unwrap();
        if into.len() < MOST {
            into.push(Shared(thing));
        } else {
            let place = self.roll(MOST);
            into[place] = Shared(thing);
        }
    }
}

fn step(dice: &mut Dice, things: &Things) {
    let stream = dice.pick(&things.streams, aclrtStream::NULL);
    let event = dice.pick(&things.events, aclrtEvent::NULL);
    let context = dice.pick(&things.contexts, aclrtContext::NULL);
    let block = dice.pick(&things.blocks, std::ptr::null_mut());
    match dice.roll(40) {
        0..=7 => _ = acl!(aclrtMemsetAsync(block, 64, 1, 64, stream)),
        8..=11 => _ = acl!(aclrtRecordEvent(event, stream)),
        12..=14 => _ = acl!(aclrtStreamWaitEvent(stream, event)),
        15 => _ = acl!(aclrtStreamWaitEventWithTimeout(stream, event, 1)),
        16..=19 => {
            let ran = Arc::clone(&things.ran);
            let code = boxed(move || _ = ran.fetch_add(1, SeqCst));
            match acl!(aclrtLaunchHostFunc(stream, Some(run_boxed), code)) {
                ACL_SUCCESS => _ = things.launched.fetch_add(1, SeqCst),
                // SAFETY: refused, so it was not taken.
                _ => unsafe { run_boxed(code) },
            }
        }
        20..=22 => _ = acl!(aclrtSynchronizeStreamWithTimeout(stream, 1)),
        23 => _ = acl!(aclrtSynchronizeDeviceWithTimeout(1)),
        24 => _ = acl!(aclrtSynchronizeEventWithTimeout(event, 1)),
        25 if dice.roll(6) == 0 => _ = acl!(aclrtStreamAbort(stream)),
        26 if dice.roll(6) == 0 => _ = acl!(aclrtDestroyStream(stream)),
        27 if dice.roll(6) == 0 => _ = acl!(aclrtDestroyStreamForce(stream)),
        28 if dice.roll(6) == 0 => _ = acl!(aclrtDestroyEvent(event)),
        29 => _ = acl!(aclrtFree(block)),
        30 if dice.roll(8) == 0 => _ = acl!(aclrtSetCurrentContext(context)),
        31 if dice.roll(12) == 0 => _ = acl!(aclrtDestroyContext(context)),
        32 if dice.roll(8) == 0 => _ = acl!(aclrtSetDevice(dice.roll(2) as i32)),
        33 if dice.roll(6) == 0 => _ = acl!(aclrtResetDevice(dice.roll(2) as i32)),
        34 if dice.roll(24) == 0 => _ = acl!(aclrtResetDeviceForce(dice.roll(2) as i32)),
        35..=36 => {
            let mut stream = aclrtStream::NULL;
            if acl!(aclrtCreateStream(&mut stream)) == ACL_SUCCESS {
                dice.put(&things.streams, stream);
            }
        }
        37 => {
            let mut event = aclrtEvent::NULL;
            if acl!(aclrtCreateEvent(&mut event)) == ACL_SUCCESS {
                dice.put(&things.events, event);
            }
        }
        38 if dice.roll(6) == 0 => {
            let mut context = aclrtContext::NULL;
            if acl!(aclrtCreateContext(&mut context, dice.roll(2) as i32)) == ACL_SUCCESS {
                dice.put(&things.contexts, context);
            }
        }
        _ => {
            let mut block = std::ptr::null_mut();
            let policy = aclrtMemMallocPolicy::ACL_MEM_MALLOC_NORMAL_ONLY;
            if acl!(aclrtMalloc(&mut block, 64, policy)) == ACL_SUCCESS {
                dice.put(&things.blocks, block);
            }
        }
    }
}

#[test]
fn threads_that_do_anything_neither_crash_nor_hang() {
    let _machine = fresh();
    for round in 0..4 {
        all_at_once(round);
    }
}

fn all_at_once(round: u64) {
    let things = Arc::new(Things::default());
    let (end, ended) = mpsc::channel();
    for seed in (1..=THREADS).map(|thread| thread + round * THREADS) {
        let (things, end) = (Arc::clone(&things), end.clone());
        thread::spawn(move || {
            let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
            acl!(aclrtSetDevice(0));
            for _ in 0..STEPS {
                step(&mut dice, &things);
            }
            end.send(()).unwrap();
        });
    }
    for _ in 0..THREADS {
        ended.recv_timeout(Duration::from_secs(120)).expect("a thread hangs");
    }
    control::reset();
    assert!(control::live().is_empty(), "{:?}", control::live());
    // Every quota is whole again.
    for device in 0..2 {
        let (mut streams, mut events, mut free, mut total) = (0, 0, 0, 0);
        ok!(aclrtSetDevice(device));
        ok!(aclrtGetStreamAvailableNum(&mut streams));
        ok!(aclrtGetEventAvailNum(&mut events));
        ok!(aclrtGetMemInfo(aclrtMemAttr::ACL_HBM_MEM, &mut free, &mut total));
        assert_eq!((streams, events, free), (1983, 65536, total));
        ok!(aclrtResetDevice(device));
    }
    println!("{} host functions launched, {} run or refused", things.launched.load(SeqCst), things.ran.load(SeqCst));
}
