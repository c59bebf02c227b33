//! Handles that are never dropped.

use super::{collect, in_context, inside, model, upload};
use crate::common::{acl, alone, assert_lives};
use ascendcl::{Acl, Device, HostBuffer, Model, Scoped, Stream, Thread};
use ascendcl_macros::proves;
use ascendcl_sim::control;
use std::cell::RefCell;
use std::mem::{self, ManuallyDrop};
use std::rc::Rc;
use std::sync::{Arc, Mutex, OnceLock};

#[proves(STREAM_01)]
#[test]
fn leaked_boxes_of_handles_are_taken_down() {
    let alone = alone();
    inside(|current| {
        let _: &mut Stream<Scoped<'_>> = Box::leak(Box::new(current.stream().unwrap()));
        Box::leak(Box::new(current.upload(&[1.0_f32]).unwrap()));
        Box::leak(Box::new(current.host_buffer::<u8>(3).unwrap()));
        Box::leak(Box::new(model(current)));
        collect(current);
        let live = control::live();
        assert_eq!((live.streams, live.models, live.host_blocks), (1, 1, 1), "still named");
    });
    alone.assert_nothing_lives();
}

#[test]
fn handles_that_are_manually_dropped_and_never_are_taken_down() {
    let alone = alone();
    inside(|current| {
        let stream = ManuallyDrop::new(current.stream().unwrap());
        let _copy = ManuallyDrop::new(upload(current, &stream));
        let _model = ManuallyDrop::new(model(current));
    });
    alone.assert_nothing_lives();
}

#[test]
fn cycles_of_pointers_that_hold_handles_are_taken_down() {
    struct Node<'c> {
        _stream: Stream<Scoped<'c>>,
        _model: Model<Scoped<'c>>,
        itself: RefCell<Option<Rc<Node<'c>>>>,
    }
    let alone = alone();
    inside(|current| {
        let (stream, model) = (current.stream().unwrap(), model(current));
        let node = Rc::new(Node { _stream: stream, _model: model, itself: RefCell::new(None) });
        *node.itself.borrow_mut() = Some(Rc::clone(&node));
        collect(current);
        assert_lives!(streams, 1);
    });
    alone.assert_nothing_lives();
}

#[test]
fn a_leaked_cell_that_was_set_once_is_no_place_to_hide_a_stream() {
    let alone = alone();
    in_context(|context, thread| {
        let cell: &OnceLock<Stream<Scoped<'_>>> = Box::leak(Box::new(OnceLock::new()));
        context.enter(thread, |current| cell.set(current.stream().unwrap()).unwrap()).unwrap();
        context.enter(thread, |current| collect(current)).unwrap();
        assert_lives!(streams, 1);
    });
    alone.assert_nothing_lives();
}

#[proves(MEM_02)]
#[test]
fn a_forgotten_copy_keeps_its_memory_until_it_is_done() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap();
        mem::forget(upload(current, &stream));
        stream.synchronize(current).unwrap();
        collect(current);
        let live = control::live();
        assert_eq!((live.device_blocks, live.host_blocks), (1, 1), "a forgotten handle names them");
    });
    alone.assert_nothing_lives();
}

#[proves(STREAM_05, MEM_02)]
#[test]
fn a_forgotten_copy_and_a_dropped_stream_go_in_the_right_order() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap();
        mem::forget(upload(current, &stream));
        drop(upload(current, &stream));
        drop(stream);
        collect(current);
        assert_lives!(streams, 1, "the forgotten copy names its stream");
    });
    alone.assert_nothing_lives();
}

#[test]
fn what_a_failed_call_gave_back_can_be_forgotten() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap();
        let (host, target) = (current.host_buffer::<f32>(2).unwrap(), current.device_buffer::<f32>(3).unwrap());
        mem::forget(stream.copy_to_device(current, host, target).unwrap_err());
        mem::forget(current.device_buffer::<f32>(2).unwrap().write(current, &[0.0; 5]).unwrap_err());
    });
    alone.assert_nothing_lives();
}

#[proves(MEM_01)]
#[test]
fn a_leaked_pinned_slice_stays_readable_to_the_end_of_the_scope() {
    let alone = alone();
    inside(|current| {
        let host = current.host_buffer::<i32>(64).unwrap();
        let leaked: &mut HostBuffer<Scoped<'_>, i32> = Box::leak(Box::new(host));
        let slice: &mut [i32] = leaked;
        slice.fill(7);
        drop(current.host_buffer::<i32>(64).unwrap());
        collect(current);
        assert!(slice.iter().all(|element| *element == 7));
    });
    alone.assert_nothing_lives();
}

#[test]
fn a_forgotten_token_stays_taken_and_only_this_thread_suffers() {
    let alone = alone();
    std::thread::spawn(|| {
        mem::forget(Thread::new().unwrap());
        assert_eq!(
            Thread::new().unwrap_err().to_string(),
            "this thread already has its `Thread`, or is inside a context: pass that `Thread` or that `current` on instead of \
             asking for another; `runtime.enter(current, ...)` enters one runtime inside another; open, close and sweep \
             runtimes outside of it, or on another thread [THREAD-01]"
        );
    })
    .join()
    .unwrap();
    inside(|current| mem::forget(current.stream().unwrap()));
    alone.assert_nothing_lives();
}

#[proves(INIT_05)]
#[test]
fn a_forgotten_library_stays_initialised_and_the_next_user_joins() {
    let alone = alone();
    mem::forget(acl());
    let next = acl();
    assert!(next.joined());
    next.close().unwrap();
    let third = acl();
    assert!(third.joined(), "the forgotten one was never closed");
    third.close().unwrap();
    alone.assert_nothing_lives();
}

#[test]
fn a_library_and_a_device_in_statics_have_scopes_like_any_other() {
    static ACL: OnceLock<Acl> = OnceLock::new();
    static DEVICE: OnceLock<Device<'static>> = OnceLock::new();
    let alone = alone();
    let mut thread = Thread::new().unwrap();
    let device = DEVICE.get_or_init(|| ACL.get_or_init(acl).device(&mut thread, 0).unwrap());
    device.with_current(&mut thread, |current| mem::forget(current.stream().unwrap())).unwrap();
    alone.assert_nothing_lives();
}

#[test]
fn a_shared_library_that_is_leaked_leaves_nothing_of_its_scopes() {
    let alone = alone();
    let shared = Arc::new(Mutex::new(Some(acl())));
    mem::forget(Arc::clone(&shared));
    let mut thread = Thread::new().unwrap();
    {
        let guard = shared.lock().unwrap();
        let device = guard.as_ref().unwrap().device(&mut thread, 0).unwrap();
        device.with_current(&mut thread, |current| mem::forget(model(current))).unwrap();
        mem::forget(device);
    }
    shared.lock().unwrap().take().unwrap().close().unwrap();
    alone.assert_nothing_lives();
}
