//! Tensors in flight that the next operator overwrites.

use super::super::{collect, fail, inside, nothing_fails};
use super::held;
use crate::common::{alone, assert_lives};
use ascendcl::operator::{DeviceTensor, Operator};
use ascendcl::{Brand, Current, Error, Pending, operator};
use ascendcl_macros::proves;
use std::mem;

const COUNT: usize = 4;

fn tensor<C: Brand>(current: &Current<C>, number: f32) -> DeviceTensor<C, f32> {
    current.upload_tensor(&[COUNT], &[number; COUNT]).unwrap()
}

#[proves(OP_03, STREAM_04)]
#[test]
fn an_output_in_flight_is_the_output_of_the_next_operator_on_its_stream() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap().without_allocator();
        // Two tensors change places again and again, and nobody waits before the end.
        let first = Operator::new("Relu").bind(current, tensor(current, 3.0), tensor(current, 0.0)).unwrap();
        let (mut from, mut to) = stream.launch(current, first).unwrap().split();
        for _ in 0..5 {
            let next = Operator::new("Relu").bind(current, to, from).unwrap();
            (from, to) = stream.launch(current, next).unwrap().split();
        }
        let host = current.host_buffer::<f32>(COUNT).unwrap();
        let copy = stream.copy_to_host(current, to.into_buffer(), host).unwrap();
        assert_eq!(*copy.wait(current).unwrap().1, [3.0; COUNT]);
        assert_eq!(from.wait(current).unwrap().to_vec(current).unwrap(), [3.0; COUNT]);
        let outputs = [(); 2].map(|()| stream.set_bytes(current, current.device_buffer::<f32>(COUNT).unwrap(), 0));
        let [one, two] = outputs.map(|set| set.unwrap().into_tensor(&[COUNT]).unwrap());
        let both = Operator::new("Add").bind(current, (one, tensor(current, 5.0)), vec![two]).unwrap();
        let (_, sums) = stream.launch(current, both).unwrap().wait(current).unwrap().into_tensors(current).unwrap();
        assert_eq!(sums[0].to_vec(current).unwrap(), [5.0; COUNT]);
    });
    alone.assert_nothing_lives();
}

/// An output of the first stream, where it is behind something that does not end.
fn in_flight<C: Brand>(
    current: &Current<C>,
    stream: &ascendcl::Stream<C, ascendcl::stream::DefaultAllocator>,
) -> Pending<C, DeviceTensor<C, f32>> {
    let relu = operator::relu(current, tensor(current, 2.0)).unwrap();
    stream.launch(current, relu).unwrap().into_outputs()
}

#[proves(OP_03, STREAM_04)]
#[test]
fn an_output_in_flight_on_another_stream_is_not_written() {
    let alone = alone();
    inside(|current| {
        let (stream, go) = held(current);
        let (stream, other) = (stream.without_allocator(), current.stream().unwrap().without_allocator());
        let output = in_flight(current, &stream);
        let next = Operator::new("Relu").bind(current, tensor(current, 7.0), output).unwrap();
        let refused = other.launch(current, next).unwrap_err();
        assert!(matches!(refused.error, Error::OtherStream { .. }), "{}", refused.error);
        // The operator can be taken apart, and its output is in flight as before.
        let (x, output) = refused.value.into_tensors(current).unwrap();
        let next = Operator::new("Relu").bind(current, x, vec![output]).unwrap();
        let refused = other.launch(current, next).unwrap_err();
        assert!(matches!(refused.error, Error::OtherStream { .. }), "{}", refused.error);
        let next = stream.launch(current, refused.value).unwrap();
        go.send(()).unwrap();
        let (_, output) = next.wait(current).unwrap().into_tensors(current).unwrap();
        assert_eq!(output[0].to_vec(current).unwrap(), [7.0; COUNT]);
    });
    alone.assert_nothing_lives();
}

#[proves(OP_03, MEM_02)]
#[test]
fn an_output_that_two_operators_write_is_not_freed_before_both_are_over() {
    let alone = alone();
    inside(|current| {
        for forgets in [false, true] {
            let (stream, go) = held(current);
            let stream = stream.without_allocator();
            let output = in_flight(current, &stream);
            let next = Operator::new("Relu").bind(current, tensor(current, 7.0), output).unwrap();
            let launched = stream.launch(current, next).unwrap();
            if forgets {
                mem::forget(launched)
            } else {
                drop(launched)
            }
            let before = ascendcl_sim::control::live().device_blocks;
            collect(current);
            assert_lives!(device_blocks, before, "both operators are in flight");
            go.send(()).unwrap();
            stream.destroy(current).unwrap();
            collect(current);
            assert_lives!(device_blocks, if forgets { 2 } else { 0 });
        }
    });
    alone.assert_nothing_lives();
}

#[proves(OP_03, MEM_02)]
#[test]
fn a_launch_that_fails_over_an_output_in_flight_gives_it_back_as_it_was_or_in_doubt() {
    let alone = alone();
    inside(|current| {
        for plan in ["aclopExecuteV2=507899", "aclopExecuteV2=after:507899,aclrtSynchronizeStreamWithTimeout=507899"] {
            let stream = current.stream().unwrap().without_allocator();
            let output = in_flight(current, &stream);
            let next = Operator::new("Relu").bind(current, tensor(current, 7.0), output).unwrap();
            fail(plan);
            let refused = stream.launch(current, next).unwrap_err();
            nothing_fails();
            let is_in_doubt = plan.contains("after");
            let next = match refused.value.into_tensors(current) {
                Ok((_, output)) => {
                    assert!(!is_in_doubt);
                    assert_eq!(output.wait(current).unwrap().to_vec(current).unwrap(), [2.0; COUNT]);
                    continue;
                }
                Err(refused) => {
                    let still_runs = matches!(refused.error, Error::StillRunning { .. });
                    assert!(is_in_doubt && still_runs, "{}", refused.error);
                    refused.value
                }
            };
            // The failure of the wait is told first, and by the output's wait, too.
            drop(stream.synchronize(current).unwrap_err());
            stream.synchronize(current).unwrap();
            let (_, output) = next.into_tensors(current).unwrap();
            let output = output.wait(current).unwrap_err().value.wait(current).unwrap();
            assert!(matches!(output.to_vec(current), Err(Error::InDoubt { .. })));
            output.into_buffer().free(current).unwrap();
        }
    });
    alone.assert_nothing_lives();
}

/// The failure of the work that wrote the output before is told by the wait for the work that writes it now.
#[proves(ERR_02)]
#[test]
fn the_failure_of_earlier_work_on_an_output_is_told() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap().without_allocator();
        let output = in_flight(current, &stream);
        fail("aclrtSynchronizeStreamWithTimeout#1=507011");
        drop(stream.synchronize(current).unwrap_err());
        nothing_fails();
        let next = Operator::new("Relu").bind(current, tensor(current, 7.0), output).unwrap();
        let failed = stream.launch(current, next).unwrap().wait(current).unwrap_err();
        assert!(matches!(failed.error, Error::WorkFailed { .. }), "{}", failed.error);
        let (_, output) = failed.value.wait(current).unwrap().into_tensors(current).unwrap();
        assert_eq!(output.to_vec(current).unwrap(), [7.0; COUNT]);
    });
    alone.assert_nothing_lives();
}
