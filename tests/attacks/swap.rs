//! Values of the same type that are swapped.

use super::{collect, in_context, inside, model, upload};
use crate::common::{acl, alone, assert_lives};
use ascendcl::{Input, Thread};
use ascendcl_macros::proves;
use ascendcl_sim::control;
use std::mem;

#[proves(MEM_02)]
#[test]
fn swapped_copies_in_flight_wait_for_the_right_stream() {
    let alone = alone();
    inside(|current| {
        let (one, two) = (current.stream().unwrap(), current.stream().unwrap());
        let (mut first, mut second) = (upload(current, &one), upload(current, &two));
        mem::swap(&mut first, &mut second);
        let (mut host, target) = first.wait(current).unwrap();
        host.fill(1.0);
        target.free(current).unwrap();
        drop(second);
        one.destroy(current).unwrap();
        two.destroy(current).unwrap();
    });
    alone.assert_nothing_lives();
}

#[proves(STREAM_05, MEM_02)]
#[test]
fn swapped_streams_are_each_synchronised_before_their_memory_goes() {
    let alone = alone();
    inside(|current| {
        let (mut one, mut two) = (current.stream().unwrap(), current.stream().unwrap());
        drop(upload(current, &one));
        mem::swap(&mut one, &mut two);
        // This is the other stream: what is in flight on the first stays.
        one.synchronize(current).unwrap();
        collect(current);
        assert_lives!(device_blocks, 1);
        two.synchronize(current).unwrap();
        collect(current);
        assert_lives!(device_blocks, 0);
    });
    alone.assert_nothing_lives();
}

#[test]
fn swapped_buffers_take_their_stamps_with_them() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap();
        let (host, target) = (current.host_buffer::<f32>(1024).unwrap(), current.upload(&[0.0; 1024]).unwrap());
        let (mut host, target) = stream.copy_to_device(current, host, target).unwrap().wait(current).unwrap();
        let mut other = current.host_buffer::<f32>(1024).unwrap();
        mem::swap(&mut host, &mut other);
        let copy = stream.copy_to_host(current, target, host).unwrap();
        other.free(current).unwrap();
        drop(copy);
        collect(current);
        let live = control::live();
        assert_eq!((live.device_blocks, live.host_blocks), (1, 1), "in flight");
    });
    alone.assert_nothing_lives();
}

#[proves(MODEL_14)]
#[test]
fn a_replaced_model_is_unloaded_once() {
    let alone = alone();
    inside(|current| {
        let mut one = model(current);
        let two = mem::replace(&mut one, model(current));
        two.unload(current).unwrap();
        one.run(current, &[Input::new(&[1, 64], &[0.0_f32; 64]).unwrap()]).unwrap();
        drop(mem::replace(&mut one, model(current)));
        collect(current);
        assert_lives!(models, 1);
    });
    alone.assert_nothing_lives();
}

#[test]
fn swapped_refusals_give_back_what_they_hold() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap();
        let refused = || {
            let (host, target) = (current.host_buffer::<u8>(2).unwrap(), current.device_buffer::<u8>(3).unwrap());
            stream.copy_to_device(current, host, target).unwrap_err()
        };
        let (mut one, mut two) = (refused(), refused());
        mem::swap(&mut one.value, &mut two.value);
        mem::swap(&mut one.value.0, &mut two.value.0);
        let (host, target) = one.value;
        host.free(current).unwrap();
        target.free(current).unwrap();
        drop(two);
    });
    alone.assert_nothing_lives();
}

#[proves(DEV_06, CTX_07)]
#[test]
fn swapped_devices_are_reset_each_by_its_own_number() {
    let alone = alone();
    let acl = acl();
    let mut thread = Thread::new().unwrap();
    let mut zero = acl.device(&mut thread, 0).unwrap();
    let mut one = acl.device(&mut thread, 1).unwrap();
    mem::swap(&mut zero, &mut one);
    assert_eq!((zero.id(), one.id()), (1, 0));
    one.context(&mut thread, |context, thread| {
        assert_eq!(context.device_id(), 0);
        zero.with_current(thread, |current| mem::forget(current.stream().unwrap())).unwrap();
        context.enter(thread, |current| mem::forget(current.stream().unwrap())).unwrap();
    })
    .unwrap();
    zero.reset(&mut thread).unwrap();
    one.reset(&mut thread).unwrap();
    acl.close().unwrap();
    alone.assert_nothing_lives();
}

#[proves(INIT_05, INIT_07)]
#[test]
fn swapped_libraries_are_closed_once_each() {
    let alone = alone();
    let (mut first, mut second) = (acl(), acl());
    let mut thread = Thread::new().unwrap();
    mem::forget(first.device(&mut thread, 0).unwrap());
    mem::forget(second.device(&mut thread, 0).unwrap());
    mem::swap(&mut first, &mut second);
    first.close().unwrap();
    second.close().unwrap();
    alone.assert_nothing_lives();
}

#[test]
fn a_context_entered_twice_is_the_same_context() {
    let alone = alone();
    in_context(|context, thread| {
        context
            .enter(thread, |outer| {
                let stream = outer.stream().unwrap();
                let copy = context
                    .enter(outer, |inner| {
                        let copy = upload(inner, &stream);
                        drop(inner.stream().unwrap());
                        copy
                    })
                    .unwrap();
                copy.wait(outer).unwrap();
                stream.destroy(outer).unwrap();
            })
            .unwrap();
    });
    alone.assert_nothing_lives();
}
