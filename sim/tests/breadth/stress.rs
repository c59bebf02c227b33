//! Several threads capture, replay, map and unmap the same things: nothing crashes, nothing hangs, and the machine is whole
//! afterwards.

use crate::common::Dice;
use crate::support::*;
use crate::world::*;
use ascendcl_sys::error_codes::*;
use ascendcl_sys::types::*;
use core::ffi::c_void;
use core::ptr::{null_mut, without_provenance_mut};
use std::sync::Mutex;
use std::thread;

const THREADS: u64 = 4;
const STEPS: usize = 3_000;
const UNIT: usize = 2 << 20;

/// Handles and addresses that every thread uses, by their numbers.
struct Things {
    context: usize,
    streams: Vec<usize>,
    events: Vec<usize>,
    instances: Mutex<Vec<usize>>,
    physical: Mutex<Vec<usize>>,
    range: usize,
    pinned: usize,
}

/// Picks and replaces numbers in the shared lists.
trait Picks {
    fn pick(&mut self, from: &[usize]) -> usize;
    fn put(&mut self, into: &Mutex<Vec<usize>>, number: usize);
}

impl Picks for Dice {
    fn pick(&mut self, from: &[usize]) -> usize {
        if from.is_empty() { 0 } else { from[self.roll(from.len())] }
    }

    /// Adds a number, in the place of an old one when there are many.
    fn put(&mut self, into: &Mutex<Vec<usize>>, number: usize) {
        let mut into = into.lock().unwrap();
        if into.len() < 8 {
            into.push(number);
        } else {
            let place = self.roll(8);
            into[place] = number;
        }
    }
}

fn step(dice: &mut Dice, things: &Things) {
    let stream = aclrtStream(without_provenance_mut(dice.pick(&things.streams)));
    let event = aclrtEvent(without_provenance_mut(dice.pick(&things.events)));
    let instance = aclmdlRI(without_provenance_mut(dice.pick(&things.instances.lock().unwrap())));
    let handle = aclrtDrvMemHandle(without_provenance_mut(dice.pick(&things.physical.lock().unwrap())));
    let unit = without_provenance_mut::<c_void>(things.range + dice.roll(4) * UNIT);
    let pinned = without_provenance_mut::<c_void>(things.pinned);
    match dice.roll(16) {
        0 => {
            let mode = aclmdlRICaptureMode(dice.roll(3) as u32);
            _ = call!(model_instance::aclmdlRICaptureBegin(stream, mode));
        }
        1 | 2 => {
            let mut made = aclmdlRI::NULL;
            if call!(model_instance::aclmdlRICaptureEnd(stream, &mut made)) == 0 {
                dice.put(&things.instances, made.0.addr());
            }
        }
        3 => _ = call!(model_instance::aclmdlRIExecuteAsync(instance, stream)),
        4 => _ = call!(model_instance::aclmdlRIDestroy(instance)),
        5 => _ = call!(event::aclrtRecordEvent(event, stream)),
        6 => _ = call!(event::aclrtStreamWaitEventWithTimeout(stream, event, 5)),
        7 => {
            let mut made = aclrtDrvMemHandle::NULL;
            let location = aclrtMemLocation { id: 0, kind: aclrtMemLocationType::ACL_MEM_LOCATION_TYPE_DEVICE };
            let properties = aclrtPhysicalMemProp {
                handleType: aclrtMemHandleType::ACL_MEM_HANDLE_TYPE_NONE,
                allocationType: aclrtMemAllocationType::ACL_MEM_ALLOCATION_TYPE_PINNED,
                memAttr: aclrtMemAttr::ACL_HBM_MEM_HUGE,
                location,
                reserve: 0,
            };
            if call!(memory::aclrtMallocPhysical(&mut made, UNIT * (1 + dice.roll(2)), &properties, 0)) == 0 {
                dice.put(&things.physical, made.0.addr());
            }
        }
        8 => _ = call!(memory::aclrtMapMem(unit, UNIT, 0, handle, 0)),
        9 => _ = call!(memory::aclrtMapMem(unit, 2 * UNIT, 0, handle, 0)),
        10 => _ = call!(memory::aclrtUnmapMem(unit)),
        11 => _ = call!(memory::aclrtFreePhysical(handle)),
        12 => _ = call!(copy::aclrtMemsetAsync(unit, UNIT, 1, UNIT, stream)),
        13 => _ = call!(copy::aclrtMemcpyAsync(unit, 4096, pinned, 4096, TO_DEVICE, stream)),
        14 => _ = call!(stream::aclrtSynchronizeStreamWithTimeout(stream, 5)),
        _ => _ = call!(copy::aclrtMemset(unit, UNIT, 2, 64)),
    }
}

#[test]
fn threads_that_capture_and_map_the_same_things_break_nothing() {
    let _world = world();
    let mut range = null_mut();
    ok!(memory::aclrtReserveMemAddress(&mut range, 5 * UNIT, 0, null_mut(), 0));
    let things = Things {
        context: context().0.addr(),
        streams: (0..6).map(|_| stream().0.addr()).collect(),
        events: (0..4).map(|_| event().0.addr()).collect(),
        instances: Mutex::default(),
        physical: Mutex::default(),
        range: range.addr(),
        pinned: pinned(&[1; 4096]).addr(),
    };
    thread::scope(|scope| {
        for seed in 1..=THREADS {
            let things = &things;
            scope.spawn(move || {
                ok!(device::aclrtSetCurrentContext(aclrtContext(without_provenance_mut(things.context))));
                let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
                (0..STEPS).for_each(|_| step(&mut dice, things));
            });
        }
    });
    // What is still captured ends with its streams, and what is mapped with the device.
    ok!(device::aclrtResetDevice(0));
    ok!(device::aclrtSetDevice(0));
    let free = free_bytes();
    assert_eq!(free, 8 << 30, "all memory came back");
    let (stream, place) = (stream(), device_memory(8));
    ok!(copy::aclrtMemsetAsync(place, 8, 7, 8, stream));
    synchronize(stream);
    assert_eq!(from_device(place, 8), [7; 8]);
    let gone = aclmdlRI(without_provenance_mut(dice_of(&things)));
    let codes = [ACL_ERROR_RT_INVALID_HANDLE, ACL_ERROR_INVALID_PARAM];
    assert!(codes.contains(&call!(model_instance::aclmdlRIDestroy(gone))));
}

/// Any of the instances, or 0.
fn dice_of(things: &Things) -> usize {
    Dice(1).pick(&things.instances.lock().unwrap())
}
