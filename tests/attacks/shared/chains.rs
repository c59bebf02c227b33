//! Operators whose inputs are the outputs of others, in flight.

use super::super::{collect, fail, inside, nothing_fails};
use super::{Worker, held};
use crate::common::{alone, assert_lives, library};
use ascendcl::operator::{self, DeviceTensor, SharedTensor};
use ascendcl::{Brand, Current, Error, Pending, Runtime, Stream, stream::DefaultAllocator};
use ascendcl_macros::proves;
use ascendcl_sim::control;
use std::mem;

type Own<C> = Stream<C, DefaultAllocator>;
type Tensor<C> = Pending<C, DeviceTensor<C, f32>>;

fn stream<C: Brand>(current: &Current<C>) -> Own<C> {
    current.stream().unwrap().without_allocator()
}

fn upload<C: Brand>(current: &Current<C>, elements: &[f32]) -> DeviceTensor<C, f32> {
    current.upload_tensor(&[elements.len()], elements).unwrap()
}

/// `[1, 0, 3]` in flight.
fn first<C: Brand>(current: &Current<C>, stream: &Own<C>) -> Tensor<C> {
    let x = upload(current, &[1.0, -2.0, 3.0]);
    stream.launch(current, operator::relu(current, x).unwrap()).unwrap().into_outputs()
}

/// Twice as much as `x`, which several read.
fn doubled<C: Brand>(current: &Current<C>, stream: &Own<C>, x: Pending<C, SharedTensor<C, f32>>) -> Tensor<C> {
    let sum = operator::add(current, x.clone(), x).unwrap();
    stream.launch(current, sum).unwrap().into_outputs()
}

#[proves(OP_03, STREAM_04)]
#[test]
fn operators_follow_each_other_while_the_first_has_not_begun() {
    let alone = alone();
    inside(|current| {
        let (stream, go) = held(current);
        let stream = stream.without_allocator();
        let weights = current.upload_tensor(&[2, 2], &[1.0_f32, 1.0, 0.0, 1.0]).unwrap().into_shared();
        let (mut image, x) = (current.host_buffer::<f32>(2).unwrap(), current.device_buffer::<f32>(2).unwrap());
        image.copy_from_slice(&[1.0, -2.0]);
        // The input is in flight as well, and so is the copy of the result.
        let (image, x) = stream.copy_to_device(current, image, x).unwrap().split();
        let x = x.into_tensor(&[1, 2]).unwrap();
        assert_eq!(x.shape(), [1, 2]);
        let hidden = stream.launch(current, operator::mat_mul(current, x, weights.clone()).unwrap()).unwrap();
        let hidden = stream.launch(current, operator::relu(current, hidden.into_outputs()).unwrap()).unwrap();
        let y = stream.launch(current, operator::mat_mul(current, hidden.into_outputs(), weights).unwrap()).unwrap();
        let y = y.into_outputs().reshape(&[2]).unwrap().into_buffer();
        let y = stream.copy_to_host(current, y, current.host_buffer(2).unwrap()).unwrap();
        assert!(!y.is_complete(current).unwrap());
        go.send(()).unwrap();
        let (_image, (_y, y)) = image.join(y).unwrap().wait(current).unwrap();
        assert_eq!(*y, [1.0, 1.0]);
    });
    alone.assert_nothing_lives();
}

#[proves(STREAM_04)]
#[test]
fn an_input_in_flight_on_another_stream_is_refused_until_the_stream_has_adopted_it() {
    let alone = alone();
    inside(|current| {
        let ((other, go), own) = (held(current), stream(current));
        let x = first(current, &other.without_allocator());
        let refused = own.launch(current, operator::relu(current, x).unwrap()).map(drop).unwrap_err();
        assert!(matches!(refused.error, Error::OtherStream { .. }), "{}", refused.error);
        // Bound but not launched: its input is still in flight.
        let (x, room) = refused.value.into_tensors(current).unwrap();
        assert!(!x.is_complete(current).unwrap());
        drop(room);
        let event = current.event().unwrap();
        go.send(()).unwrap();
        drop((x, event));
        let other = stream(current);
        let (x, event) = (first(current, &other), current.event().unwrap());
        let recorded = other.record(current, event).unwrap();
        let x = own.adopt_after(current, x, &recorded).unwrap();
        let y = own.launch(current, operator::relu(current, x).unwrap()).unwrap().wait(current).unwrap();
        assert_eq!(y.into_tensors(current).unwrap().1.to_vec(current).unwrap(), [1.0, 0.0, 3.0]);
    });
    alone.assert_nothing_lives();
}

#[proves(MEM_02, OP_03)]
#[test]
fn what_an_operator_in_flight_uses_is_not_freed_although_all_handles_are_dropped() {
    let alone = alone();
    inside(|current| {
        let (stream, go) = held(current);
        let stream = stream.without_allocator();
        let (x, y) = {
            let x = upload(current, &[1.0, -2.0, 3.0]);
            stream.launch(current, operator::relu(current, x).unwrap()).unwrap().split()
        };
        drop(x);
        let z = stream.launch(current, operator::relu(current, y).unwrap()).unwrap();
        let (y, z) = z.split();
        let blocks = control::live().device_blocks;
        assert!(blocks >= 3, "input, output and the second output");
        drop((y, z));
        collect(current);
        assert_lives!(device_blocks, blocks, "none was freed");
        go.send(()).unwrap();
        stream.synchronize(current).unwrap();
        collect(current);
        assert_lives!(device_blocks, 0, "no handle and no work");
        assert_lives!(tensor_descriptions, 0, "the operators' descriptions went too");
    });
    alone.assert_nothing_lives();
}

#[proves(MEM_02)]
#[test]
fn forgotten_chains_end_with_their_scope() {
    let alone = alone();
    inside(|current| {
        let stream = stream(current);
        let x = first(current, &stream).into_shared();
        mem::forget(x.clone());
        mem::forget(doubled(current, &stream, x));
        mem::forget(operator::relu(current, first(current, &stream)).unwrap());
    });
    alone.assert_nothing_lives();
}

#[proves(MEM_02)]
#[test]
fn a_shared_output_in_flight_becomes_one_owners_only_after_the_work_of_all_its_names() {
    let alone = alone();
    inside(|current| {
        let (stream, go) = held(current);
        let stream = stream.without_allocator();
        let x = first(current, &stream).into_shared();
        // Dropped in flight, while another name lives.
        drop(x.clone());
        let y = doubled(current, &stream, x.clone());
        go.send(()).unwrap();
        let x = x.wait(current).unwrap();
        assert_eq!(y.wait(current).unwrap().to_vec(current).unwrap(), [2.0, 0.0, 6.0]);
        // The operators that had names of it end now.
        let mut x = x.try_unshare(current).unwrap();
        x.copy_from(current, &[7.0; 3]).unwrap();
        assert_eq!(x.to_vec(current).unwrap(), [7.0; 3]);
    });
    alone.assert_nothing_lives();
}

#[proves(MEM_02)]
#[test]
fn a_name_whose_reader_was_dropped_in_flight_is_not_given_to_one_owner() {
    let alone = alone();
    inside(|current| {
        let (other, go) = held(current);
        let other = other.without_allocator();
        let x = upload(current, &[1.0, -2.0, 3.0]).into_shared();
        // Work that reads one name, of which no handle is left.
        drop(other.launch(current, operator::relu(current, x.clone()).unwrap()).unwrap().split());
        let refused = x.try_unshare(current).unwrap_err();
        assert!(matches!(refused.error, Error::StillShared), "{}", refused.error);
        go.send(()).unwrap();
        other.synchronize(current).unwrap();
        refused.value.try_unshare(current).unwrap().free(current).unwrap();
    });
    alone.assert_nothing_lives();
}

#[proves(MEM_02)]
#[test]
fn a_buffer_shared_in_flight_is_read_before_it_is_written_again() {
    let alone = alone();
    inside(|current| {
        let (stream, go) = held(current);
        let buffer = stream.set_bytes(current, current.device_buffer::<u8>(4).unwrap(), 5).unwrap().into_shared();
        let other = buffer.clone();
        let copy = stream.copy_to_host(current, buffer, current.host_buffer(4).unwrap()).unwrap();
        drop(copy);
        go.send(()).unwrap();
        let buffer = other.wait(current).unwrap();
        assert_eq!(buffer.to_vec(current).unwrap(), [5; 4]);
        let mut buffer = buffer.try_unshare(current).unwrap();
        buffer.copy_from(current, &[6; 4]).unwrap();
        buffer.free(current).unwrap();
    });
    alone.assert_nothing_lives();
}

#[proves(ERR_02)]
#[test]
fn a_failure_of_the_first_operator_reaches_the_wait_for_the_last() {
    let alone = alone();
    inside(|current| {
        let stream = stream(current);
        fail("aclrtSynchronizeStreamWithTimeout#1=after:507015");
        let x = first(current, &stream);
        let failed = stream.synchronize(current).unwrap_err();
        assert_eq!(failed.code().unwrap().number(), 507_015);
        // The operator reads what the failed one should have written.
        let y = stream.launch(current, operator::relu(current, x).unwrap()).unwrap().into_outputs().into_shared();
        let (one, two) = (y.clone(), y);
        for work in [one, two] {
            let told = work.wait(current).unwrap_err();
            assert!(matches!(told.error, Error::WorkFailed { .. }), "{}", told.error);
            drop(told.value.wait(current).unwrap());
        }
        nothing_fails();
    });
    alone.assert_nothing_lives();
}

#[proves(OP_03)]
#[test]
fn a_launch_that_fails_gives_back_the_operator_with_its_input_in_flight() {
    let alone = alone();
    inside(|current| {
        let stream = stream(current);
        let x = first(current, &stream);
        fail("aclopExecuteV2#1=500002");
        let refused = stream.launch(current, operator::relu(current, x).unwrap()).map(drop).unwrap_err();
        nothing_fails();
        assert_eq!(refused.error.code().unwrap().number(), 500_002);
        let y = stream.launch(current, refused.value).unwrap().into_outputs();
        assert_eq!(y.wait(current).unwrap().to_vec(current).unwrap(), [1.0, 0.0, 3.0]);
    });
    alone.assert_nothing_lives();
}

#[proves(OP_03)]
#[test]
fn an_operator_whose_end_was_refused_is_not_launched_and_gives_its_tensors_the_next_time() {
    let alone = alone();
    inside(|current| {
        let stream = stream(current);
        let operator = operator::relu(current, upload(current, &[1.0, -2.0])).unwrap();
        fail("aclDestroyDataBuffer#2=507899");
        let refused = operator.into_tensors(current).unwrap_err();
        nothing_fails();
        let refused = stream.launch(current, refused.value).map(drop).unwrap_err();
        assert!(matches!(refused.error, Error::Gone { .. }), "{}", refused.error);
        let (x, _room) = refused.value.into_tensors(current).unwrap();
        assert_eq!(x.to_vec(current).unwrap(), [1.0, -2.0]);
    });
    alone.assert_nothing_lives();
}

#[proves(OP_03)]
#[test]
fn a_program_that_makes_an_operator_for_each_step_does_not_collect_operators() {
    let alone = alone();
    inside(|current| {
        let stream = stream(current);
        let mut x = first(current, &stream);
        let mut most = 0;
        for step in 0..600 {
            x = stream.launch(current, operator::relu(current, x).unwrap()).unwrap().into_outputs();
            most = most.max(control::live().operator_attributes);
            if step % 10 == 0 {
                stream.synchronize(current).unwrap();
            }
        }
        assert!(most <= 100, "{most} operators at once");
        assert_eq!(x.wait(current).unwrap().to_vec(current).unwrap(), [1.0, 0.0, 3.0]);
    });
    alone.assert_nothing_lives();
}

#[proves(OP_03, MEM_13)]
#[test]
fn memory_that_dropped_steps_used_is_there_again_when_the_device_is_full() {
    let alone = alone();
    inside(|current| {
        let stream = stream(current);
        let mut x = first(current, &stream);
        for _ in 0..4 {
            x = stream.launch(current, operator::relu(current, x).unwrap()).unwrap().into_outputs();
        }
        let x = x.wait(current).unwrap();
        let before = control::live().device_blocks;
        fail("aclrtMalloc#1=207001");
        let y = upload(current, &[0.0; 3]);
        nothing_fails();
        let freed = before - control::live().device_blocks;
        assert_eq!(freed, 4, "five steps left their inputs, and there is one more tensor");
        assert_eq!((x.to_vec(current).unwrap(), y.to_vec(current).unwrap()), (vec![1.0, 0.0, 3.0], vec![0.0; 3]));
    });
    alone.assert_nothing_lives();
}

#[proves(STREAM_04)]
#[test]
fn a_chain_of_a_runtime_goes_on_on_another_thread() {
    let alone = alone();
    let runtime = Runtime::<Worker>::open(library()).unwrap();
    let (stream, x) = runtime
        .with(|current| {
            let stream = stream(current);
            let x = first(current, &stream);
            (stream, x)
        })
        .unwrap();
    let result = std::thread::scope(|threads| {
        let runtime = &runtime;
        let go_on = move || {
            runtime
                .with(|current| {
                    let y = doubled(current, &stream, x.into_shared());
                    y.wait(current).unwrap().to_vec(current).unwrap()
                })
                .unwrap()
        };
        threads.spawn(go_on).join().unwrap()
    });
    assert_eq!(result, [2.0, 0.0, 6.0]);
    runtime.close().unwrap();
    alone.assert_nothing_lives();
}

#[proves(MEM_02)]
#[test]
fn lists_of_inputs_in_flight_and_idle_are_mixed() {
    let alone = alone();
    inside(|current| {
        let stream = stream(current);
        let (x, y) = (first(current, &stream), first(current, &stream));
        let room = current.tensor::<f32>(&[3]).unwrap();
        let operator = operator::Operator::new("Add").bind(current, vec![x, y], room).map_err(Error::from).unwrap();
        let both = stream.launch(current, operator).unwrap().into_outputs();
        let sum = operator::add(current, both, upload(current, &[1.0; 3])).unwrap();
        let (inputs, sum) = stream.launch(current, sum).unwrap().split();
        let ((both, ones), sum) = inputs.join(sum).unwrap().wait(current).unwrap();
        assert_eq!(both.to_vec(current).unwrap(), [2.0, 0.0, 6.0]);
        assert_eq!(sum.to_vec(current).unwrap(), [3.0, 1.0, 7.0]);
        ones.free(current).unwrap();
    });
    alone.assert_nothing_lives();
}
