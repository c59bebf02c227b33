//! Allocators and a library that answers with failure although it did what it was asked.

use super::common::alone;
use super::inside;
use ascendcl::operator::Operator;
use ascendcl::{Current, Error, PoolAllocator, Stream, StreamState};
use ascendcl_macros::proves;
use ascendcl_sim::{Plan, control};

/// The library does what this function asks for once, and says that it failed.
fn fails_after(function: &str) {
    control::fail(format!("{function}#1=after:507899").parse().unwrap()).unwrap();
}

fn all_is_well() {
    control::fail(Plan::new()).unwrap();
}

fn pool<'c>(current: &Current<'c>) -> PoolAllocator {
    PoolAllocator::new(current, 1 << 20).unwrap()
}

/// Runs an operator that asks the stream's allocator for memory, if the stream has one.
fn multiply<'c, S: StreamState + ascendcl::CanExecute>(current: &Current<'c>, stream: &Stream<'c, S>) {
    let matrix = || current.upload_tensor(&[16, 16], &[1.0_f32; 256]).unwrap();
    let product = current.tensor::<f32>(&[16, 16]).unwrap();
    let operator = Operator::new("MatMul").with("transpose_x1", false).with("transpose_x2", false);
    let bound = operator.bind(current, (matrix(), matrix()), product).unwrap();
    let (_, product) = stream.launch(current, bound).unwrap().wait(current).unwrap().into_tensors(current).unwrap();
    assert_eq!(product.to_vec(current).unwrap(), [16.0; 256]);
}

#[proves(ALLOC_12)]
#[test]
fn an_allocator_that_came_back_from_a_registration_that_failed_halfway_is_not_called() {
    let alone = alone();
    inside(|current| {
        fails_after("aclrtAllocatorRegister");
        let (stream, allocator) = current.stream().unwrap().register(current, pool(current)).unwrap_err().value;
        all_is_well();
        allocator.release(current).unwrap();
        multiply(current, &stream.without_allocator());
    });
    alone.assert_nothing_lives();
}

#[proves(ALLOC_09, ALLOC_12)]
#[test]
fn the_allocator_that_was_to_be_replaced_serves_when_that_failed_halfway() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap().register(current, pool(current)).unwrap();
        fails_after("aclrtAllocatorRegister");
        let (stream, other) = stream.replace(current, pool(current)).unwrap_err().value;
        all_is_well();
        assert_eq!(other.statistics().misses, 0);
        other.release(current).unwrap();
        multiply(current, &stream);
        let (_stream, allocator) = stream.unregister(current).unwrap();
        assert_eq!(allocator.statistics().misses, 1, "asked for the operator's workspace");
    });
    alone.assert_nothing_lives();
}

#[proves(ALLOC_12)]
#[test]
fn a_stream_that_may_still_have_an_allocator_that_came_back_queues_nothing_any_more() {
    let alone = alone();
    inside(|current| {
        let plan = "aclrtAllocatorRegister#1=after:507899, aclrtAllocatorUnregister#1=507899";
        control::fail(plan.parse().unwrap()).unwrap();
        let (stream, allocator) = current.stream().unwrap().register(current, pool(current)).unwrap_err().value;
        all_is_well();
        allocator.release(current).unwrap();
        let matrix = || current.upload_tensor(&[16, 16], &[1.0_f32; 256]).unwrap();
        let product = ascendcl::operator::mat_mul(current, matrix(), matrix()).unwrap();
        let refused = stream.without_allocator().launch(current, product).unwrap_err();
        assert!(matches!(refused.error, Error::Gone { .. }), "{}", refused.error);
    });
    alone.assert_nothing_lives();
}

#[proves(ALLOC_09)]
#[test]
fn a_stream_that_may_still_have_an_allocator_that_came_back_works_with_another() {
    let alone = alone();
    inside(|current| {
        let plan = "aclrtAllocatorRegister#1=after:507899, aclrtAllocatorUnregister#1=507899";
        control::fail(plan.parse().unwrap()).unwrap();
        let (stream, allocator) = current.stream().unwrap().register(current, pool(current)).unwrap_err().value;
        all_is_well();
        let stream = stream.register(current, pool(current)).unwrap();
        multiply(current, &stream);
        assert_eq!((stream.pool_statistics().unwrap().misses, allocator.statistics().misses), (1, 0));
    });
    alone.assert_nothing_lives();
}

#[proves(ALLOC_12)]
#[test]
fn a_stream_whose_registration_ended_although_the_library_said_no_can_be_destroyed() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap().register(current, pool(current)).unwrap();
        fails_after("aclrtAllocatorUnregister");
        let stream = stream.unregister(current).unwrap_err().value;
        all_is_well();
        stream.destroy(current).unwrap();
    });
    alone.assert_nothing_lives();
}
