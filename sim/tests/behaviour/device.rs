//! Setting and resetting devices.

use crate::case::saw;
use crate::objects::{current_context, device_0, event, initialised, memory, stream};
use ascendcl_sys::types::*;
use core::ptr::null_mut;

pub(crate) const CASES: &[(&str, fn())] = &[
    ("device: id out of range, reset never set, null out args", wrong_arguments),
    ("device: set twice, reset three times", set_twice),
    ("device: set once, reset twice", reset_twice),
    ("device: reset with live objects, then use", reset_with_live_objects),
    ("device: reset, then destroy an unrecorded event", reset_then_destroy_event),
    ("device: reset, then query a recorded event", reset_then_query_event),
    ("device: reset + set again, then destroy old event", reset_and_set_then_destroy_event),
    ("device: two devices", two_devices),
];

fn wrong_arguments() {
    let (mut count, mut current) = (0, -9);
    initialised();
    prepare!(device::aclrtGetDeviceCount(&mut count));
    saw(format!("device count={count}"));
    row!("SetDevice(2) (count=2)", device::aclrtSetDevice(2));
    row!("SetDevice(-1)", device::aclrtSetDevice(-1));
    row!("SetDevice(1000)", device::aclrtSetDevice(1000));
    row!("GetDevice before any SetDevice", device::aclrtGetDevice(&mut current));
    saw(format!("d={current}"));
    row!("GetDevice(NULL)", device::aclrtGetDevice(null_mut()));
    row!("GetDeviceCount(NULL)", device::aclrtGetDeviceCount(null_mut()));
    row!("GetRunMode(NULL)", device::aclrtGetRunMode(null_mut()));
    row!("ResetDevice(0) never set", device::aclrtResetDevice(0));
    row!("ResetDevice(-1)", device::aclrtResetDevice(-1));
    row!("ResetDevice(5)", device::aclrtResetDevice(5));
    row!("ResetDeviceForce(0) never set", device::aclrtResetDeviceForce(0));
}

fn set_twice() {
    let (mut after_one, mut after_both) = (-9, -9);
    device_0();
    row!("SetDevice(0) again", device::aclrtSetDevice(0));
    row!("ResetDevice(0) 1st (set twice)", device::aclrtResetDevice(0));
    row!("GetDevice after 1 reset of 2 sets", device::aclrtGetDevice(&mut after_one));
    saw(format!("d={after_one}"));
    row!("ResetDevice(0) 2nd", device::aclrtResetDevice(0));
    row!("GetDevice after both resets", device::aclrtGetDevice(&mut after_both));
    saw(format!("d={after_both}"));
    row!("ResetDevice(0) 3rd", device::aclrtResetDevice(0));
    row!("ResetDeviceForce(0)", device::aclrtResetDeviceForce(0));
    row!("SetDevice(0) after", device::aclrtSetDevice(0));
    row!("ResetDeviceForce(0)", device::aclrtResetDeviceForce(0));
}

fn reset_twice() {
    device_0();
    row!("ResetDevice(0)", device::aclrtResetDevice(0));
    row!("ResetDevice(0) again (set once)", device::aclrtResetDevice(0));
}

fn reset_with_live_objects() {
    device_0();
    let (old, event, memory, context) = (stream(), event(), memory(64), current_context());
    let mut new = aclrtStream::NULL;
    row!("ResetDevice with live stream/event/memory", device::aclrtResetDevice(0));
    row!("SynchronizeStream(stream of the reset device)", stream::aclrtSynchronizeStream(old));
    row!("RecordEvent(event, stream) after reset", event::aclrtRecordEvent(event, old));
    row!("DestroyStream after reset", stream::aclrtDestroyStream(old));
    row!("Free after reset", memory::aclrtFree(memory));
    row!("SetCurrentContext(default ctx of the reset device)", device::aclrtSetCurrentContext(context));
    row!("SetDevice(0) again", device::aclrtSetDevice(0));
    row!("SynchronizeStream(old stream) after SetDevice again", stream::aclrtSynchronizeStream(old));
    row!("DestroyStream(old stream) after SetDevice again", stream::aclrtDestroyStream(old));
    row!("CreateStream after SetDevice again", stream::aclrtCreateStream(&mut new));
    row!("SynchronizeStream(new stream)", stream::aclrtSynchronizeStream(new));
}

fn reset_then_destroy_event() {
    device_0();
    let (_stream, event, _memory) = (stream(), event(), memory(64));
    row!("ResetDevice with live stream/event/memory", device::aclrtResetDevice(0));
    row!("DestroyEvent(event created before the reset, never recorded)", event::aclrtDestroyEvent(event));
}

fn reset_then_query_event() {
    device_0();
    let (stream, event) = (stream(), event());
    let mut status = aclrtEventRecordedStatus(9);
    prepare!(event::aclrtRecordEvent(event, stream));
    prepare!(stream::aclrtSynchronizeStream(stream));
    row!("ResetDevice", device::aclrtResetDevice(0));
    row!("QueryEventStatus(recorded event) after reset", event::aclrtQueryEventStatus(event, &mut status));
}

fn reset_and_set_then_destroy_event() {
    device_0();
    let event = event();
    row!("ResetDevice", device::aclrtResetDevice(0));
    row!("SetDevice(0) again", device::aclrtSetDevice(0));
    row!("DestroyEvent(event from before the reset)", event::aclrtDestroyEvent(event));
}

fn two_devices() {
    device_0();
    let (stream_0, memory_0) = (stream(), memory(64));
    let (mut current, mut new) = (-9, aclrtStream::NULL);
    row!("SetDevice(1)", device::aclrtSetDevice(1));
    prepare!(device::aclrtGetDevice(&mut current));
    saw(format!("current={current}"));
    let event_1 = event();
    row!("SynchronizeStream(stream of device 0) while device 1 current", stream::aclrtSynchronizeStream(stream_0));
    row!("RecordEvent(event of dev1, stream of dev0)", event::aclrtRecordEvent(event_1, stream_0));
    row!("Free(ptr of dev 0) while device 1 current", memory::aclrtFree(memory_0));
    row!("DestroyStream(stream of device 0) while device 1 current", stream::aclrtDestroyStream(stream_0));
    row!("ResetDevice(0) while device 1 current", device::aclrtResetDevice(0));
    row!("GetDevice", device::aclrtGetDevice(&mut current));
    saw(format!("current={current}"));
    row!("CreateStream (device 1 current)", stream::aclrtCreateStream(&mut new));
    prepare!(event::aclrtDestroyEvent(event_1));
    row!("ResetDevice(1)", device::aclrtResetDevice(1));
    row!("GetDevice", device::aclrtGetDevice(&mut current));
}
