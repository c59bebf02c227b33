//! Tensors that several operators read.

use super::super::extensions::hold;
use super::super::leaving::{resets_device, sets_device};
use super::super::{collect, fail, inside, nothing_fails, undisturbed};
use super::{held, still_running};
use crate::common::{alone, assert_lives};
use ascendcl::Error;
use ascendcl::operator::{self, Operator};
use ascendcl_macros::proves;
use std::mem;

#[proves(OP_03, MEM_02)]
#[test]
fn one_tensor_is_twice_the_input_of_one_operator_and_the_input_of_two_at_once() {
    let alone = alone();
    inside(|current| {
        let (first, second) =
            (current.stream().unwrap().without_allocator(), current.stream().unwrap().without_allocator());
        let x = current.upload_tensor(&[3], &[1.0_f32, 2.0, 3.0]).unwrap().into_shared();
        let square = operator::mul(current, x.clone(), x.clone()).unwrap();
        let y = current.upload_tensor(&[3], &[1.0_f32; 3]).unwrap();
        let sum = operator::add(current, y, x.clone()).unwrap();
        let (square, sum) = (first.launch(current, square).unwrap(), second.launch(current, sum).unwrap());
        let ((_, square), (_, sum)) = (
            square.wait(current).unwrap().into_tensors(current).unwrap(),
            sum.wait(current).unwrap().into_tensors(current).unwrap(),
        );
        assert_eq!(square.to_vec(current).unwrap(), [1.0, 4.0, 9.0]);
        assert_eq!(sum.to_vec(current).unwrap(), [2.0, 3.0, 4.0]);
        assert_eq!(x.try_unshare(current).unwrap().to_vec(current).unwrap(), [1.0, 2.0, 3.0]);
    });
    alone.assert_nothing_lives();
}

#[proves(OP_03, MEM_02)]
#[test]
fn an_operator_that_was_dropped_in_flight_keeps_its_shared_input() {
    let alone = alone();
    inside(|current| {
        let (stream, go) = held(current);
        let stream = stream.without_allocator();
        let x = current.upload_tensor(&[3], &[1.0_f32, 2.0, 3.0]).unwrap().into_shared();
        let square = operator::mul(current, x.clone(), x.clone()).unwrap();
        drop(stream.launch(current, square).unwrap());
        collect(current);
        let refused = x.try_unshare(current).unwrap_err();
        assert!(matches!(refused.error, Error::StillShared) || still_running(&refused.error), "{}", refused.error);
        go.send(()).unwrap();
        stream.synchronize(current).unwrap();
        collect(current);
        refused.value.try_unshare(current).unwrap().into_buffer().free(current).unwrap();
    });
    alone.assert_nothing_lives();
}

#[proves(OP_03, MEM_02)]
#[test]
fn a_forgotten_operator_keeps_its_shared_input_and_a_refused_one_does_not() {
    let alone = alone();
    inside(|current| {
        let x = current.upload_tensor(&[3], &[1.0_f32, 2.0, 3.0]).unwrap().into_shared();
        let failed = operator::mat_mul(current, x.clone(), x.clone()).map(drop).unwrap_err();
        assert!(matches!(failed.error, Error::OperatorShapes(_)), "{}", failed.error);
        drop(failed);
        let room = current.tensor::<f32>(&[3]).unwrap();
        let failed = Operator::new("NoSuchOperator").bind(current, x.clone(), room).map(drop).unwrap_err();
        drop(failed);
        let x = x.try_unshare(current).unwrap().into_shared();
        mem::forget(operator::relu(current, x.clone()).unwrap());
        collect(current);
        let refused = x.try_unshare(current).unwrap_err();
        assert!(matches!(refused.error, Error::StillShared), "{}", refused.error);
        assert_lives!(device_blocks, 2, "the input and the forgotten output");
    });
    alone.assert_nothing_lives();
}

#[proves(MEM_08)]
#[test]
fn a_part_of_shared_memory_is_a_tensor_of_an_operator() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap().without_allocator();
        let weights = current.upload(&(0_u8..32).map(f32::from).collect::<Vec<_>>()).unwrap().into_shared();
        let past = weights.slice(18..22).unwrap().into_tensor(&[4]).unwrap_err();
        assert!(matches!(past.error, Error::MisalignedPart { past: 8, alignment: 64 }), "{}", past.error);
        assert_eq!(past.value.to_vec(current).unwrap(), [18.0, 19.0, 20.0, 21.0], "as it was");
        drop(past);
        let (x, y) = (weights.slice(16..20).unwrap(), weights.slice(..4).unwrap());
        let wrong = x.into_tensor(&[5]).unwrap_err();
        assert!(matches!(wrong.error, Error::Input(_)), "{}", wrong.error);
        let (x, y) = (wrong.value.into_tensor(&[2, 2]).unwrap(), y.into_tensor(&[2, 2]).unwrap());
        drop(weights);
        collect(current);
        let sum = stream.launch(current, operator::add(current, x, y).unwrap()).unwrap();
        let ((x, _), sum) = sum.wait(current).unwrap().into_tensors(current).unwrap();
        assert_eq!(sum.to_vec(current).unwrap(), [16.0, 18.0, 20.0, 22.0]);
        assert_eq!((x.shape(), x.to_vec(current).unwrap()), (&[2, 2][..], vec![16.0, 17.0, 18.0, 19.0]));
    });
    alone.assert_nothing_lives();
}

#[proves(OP_03, STREAM_04)]
#[test]
fn an_operator_that_was_waited_for_is_taken_apart_while_its_first_stream_works() {
    let alone = alone();
    inside(|current| {
        let (first, second) =
            (current.stream().unwrap().without_allocator(), current.stream().unwrap().without_allocator());
        let x = current.upload_tensor(&[2], &[-1.0_f32, 1.0]).unwrap();
        let relu = first.launch(current, operator::relu(current, x).unwrap()).unwrap().wait(current).unwrap();
        let release = hold(current, &first);
        let relu = second.launch(current, relu).unwrap().wait(current).unwrap();
        let (x, y) = relu.into_tensors(current).unwrap();
        release.send(()).unwrap();
        assert_eq!((x.to_vec(current).unwrap(), y.to_vec(current).unwrap()), (vec![-1.0, 1.0], vec![0.0, 1.0]));
    });
    alone.assert_nothing_lives();
}

#[proves(OP_03, STREAM_04)]
#[test]
fn an_operator_that_another_stream_took_over_ends_when_that_stream_was_waited_for() {
    let alone = alone();
    inside(|current| {
        let (first, second) = (current.stream().unwrap().without_allocator(), current.stream().unwrap());
        let x = current.upload_tensor(&[2], &[-1.0_f32, 1.0]).unwrap();
        let work = first.launch(current, operator::relu(current, x).unwrap()).unwrap();
        let event = first.record(current, current.event().unwrap()).unwrap();
        drop(second.adopt_after(current, work, &event).unwrap());
        second.synchronize(current).unwrap();
        collect(current);
        assert_lives!(tensor_descriptions, 0);
    });
    alone.assert_nothing_lives();
}

/// The call fails, and queues nothing or something; the wait after it shows that this is over.
#[proves(OP_03, ERR_01)]
#[test]
fn tensors_of_an_operator_whose_launch_failed_are_read_when_the_stream_was_waited_for() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap().without_allocator();
        let x = current.upload_tensor(&[2], &[-1.0_f32, 1.0]).unwrap();
        let relu = stream.launch(current, operator::relu(current, x).unwrap()).unwrap().wait(current).unwrap();
        fail("aclopExecuteV2#1=after:507899");
        let failed = stream.launch(current, relu).unwrap_err();
        nothing_fails();
        let (x, y) = failed.value.into_tensors(current).unwrap();
        assert_eq!((x.to_vec(current).unwrap(), y.to_vec(current).unwrap()), (vec![-1.0, 1.0], vec![0.0, 1.0]));
    });
    alone.assert_nothing_lives();
}

const LOST: &str = "aclopExecuteV2#1=after:507899, aclrtSynchronizeStreamWithTimeout=507046";

/// The first launch may be running. The second one is refused before it is queued.
#[proves(OP_03, MEM_02)]
#[test]
fn an_operator_whose_first_launch_may_run_is_not_taken_apart_after_a_second_one_was_refused() {
    let (alone, _others) = undisturbed();
    inside(|current| {
        let stream = current.stream().unwrap().without_allocator();
        let x = current.upload_tensor(&[2], &[-1.0_f32, 1.0]).unwrap();
        let relu = operator::relu(current, x).unwrap();
        let release = hold(current, &stream);
        fail(LOST);
        let lost = stream.launch(current, relu).unwrap_err();
        fail("aclrtSetCurrentContext=507899");
        current.foreign(|| sets_device(1));
        let refused = stream.launch(current, lost.value).unwrap_err();
        nothing_fails();
        current.foreign(|| resets_device(1));
        let refused = refused.value.into_tensors(current).unwrap_err();
        assert!(matches!(refused.error, Error::StillRunning { .. }), "{}", refused.error);
        release.send(()).unwrap();
        stream.synchronize(current).unwrap();
        drop(refused.value.into_tensors(current).unwrap());
    });
    alone.assert_nothing_lives();
}

/// A launch on the same stream comes after the one that may run, so a wait covers both.
#[proves(OP_03, MEM_02)]
#[test]
fn tensors_of_an_operator_that_was_lost_and_launched_again_await_its_stream_alone() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap().without_allocator();
        let x = current.upload_tensor(&[2], &[-1.0_f32, 1.0]).unwrap();
        fail(LOST);
        let lost = stream.launch(current, operator::relu(current, x).unwrap()).unwrap_err();
        nothing_fails();
        let relu = stream.launch(current, lost.value).unwrap().wait(current).unwrap();
        let (_other, go) = held(current);
        drop(relu.into_tensors(current).unwrap());
        let blocks = ascendcl_sim::control::live().device_blocks;
        collect(current);
        assert_lives!(device_blocks, blocks - 2);
        go.send(()).unwrap();
    });
    alone.assert_nothing_lives();
}
