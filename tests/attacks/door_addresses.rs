//! Addresses of tensors and of memory in flight, for code of other libraries.

use super::door::set_raw;
use super::*;
use crate::common::assert_lives;
use ascendcl::operator;
use ascendcl_macros::proves;
use std::mem;

#[proves(MEM_02)]
#[test]
fn an_address_stays_the_same_in_each_form_of_the_memory() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap();
        let tensor = current.upload_tensor(&[4], &[1_u8, 2, 3, 4]).unwrap();
        let start = tensor.as_raw();
        let any = tensor.into_any();
        assert_eq!(any.as_raw(), start);
        let shared = any.into_shared();
        assert_eq!((shared.as_raw(), shared.clone().as_raw()), (start, start));
        let typed = shared.into_typed::<u8>().unwrap();
        assert_eq!(typed.as_raw(), start);
        let buffer = typed.try_unshare(current).unwrap().into_buffer();
        let work = stream.set_bytes(current, buffer, 7).unwrap();
        assert_eq!(work.as_raw(), start);
        let work = work.into_tensor(&[2, 2]).unwrap();
        assert_eq!(work.as_raw(), start);
        let work = work.into_shared();
        assert_eq!((work.as_raw(), work.clone().as_raw()), (start, start));
        let shared = work.into_buffer();
        assert_eq!(shared.as_raw(), start);
        let copy = stream.copy_to_host(current, shared, current.host_buffer(4).unwrap()).unwrap();
        let (shared, _host) = copy.split();
        assert_eq!(shared.as_raw(), start);
        assert_eq!(shared.wait(current).unwrap().as_raw(), start);
    });
    alone.assert_nothing_lives();
}

/// Other code queues behind the work, on its stream: the wait covers both. Swapped work has the address of its own memory.
#[proves(STREAM_04, MEM_02)]
#[test]
fn other_code_writes_behind_the_work_that_has_the_address() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap();
        let release = hold(current, &stream);
        let set = |value| stream.set_bytes(current, current.device_buffer::<u8>(64).unwrap(), value).unwrap();
        let (mut first, mut second) = (set(1), set(2));
        let addresses = (first.as_raw(), second.as_raw());
        mem::swap(&mut first, &mut second);
        assert_eq!((second.as_raw(), first.as_raw()), addresses);
        let to = first.as_raw();
        // The operand of `submit` has the same address, and stays in flight.
        // SAFETY: all of the buffer is set, on this stream.
        let written = unsafe {
            stream.submit(current, "aclrtMemsetAsync", first, |stream, memory| {
                assert_eq!(memory.start, to);
                set_raw(current, stream, to, memory.bytes, 9)
            })
        };
        let written = written.unwrap();
        assert_eq!(written.as_raw(), to);
        drop(second);
        collect(current);
        assert_lives!(device_blocks, 2, "in flight");
        release.send(()).unwrap();
        assert_eq!(written.wait(current).unwrap().to_vec(current).unwrap(), [9; 64]);
    });
    alone.assert_nothing_lives();
}

#[proves(OP_03)]
#[test]
fn the_tensors_of_an_operator_in_flight_have_their_addresses() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap().without_allocator();
        let x = current.upload_tensor(&[2], &[1.0_f32, -2.0]).unwrap();
        let at = x.as_raw();
        let bound = operator::relu(current, x).unwrap();
        let out = bound.tensors().1.as_raw();
        let (input, output) = stream.launch(current, bound).unwrap().split();
        assert_eq!((input.as_raw(), output.as_raw()), (at, out));
        mem::forget(input);
        assert_eq!(output.wait(current).unwrap().to_vec(current).unwrap(), [1.0, 0.0]);
    });
    alone.assert_nothing_lives();
}
