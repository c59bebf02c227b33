//! Inputs of models that read memory which others read, too.

use super::super::{collect, fail, inside, nothing_fails};
use super::{held, still_shared};
use crate::common::{alone, assert_lives, difference, library};
use ascendcl::model::{InputMemory, ModelSource};
use ascendcl::{BoundModel, Brand, Current, Error, Runtime, SharedBuffer, error::ObjectKind};
use ascendcl_macros::proves;
use ascendcl_sim::control;
use std::mem;

ascendcl::names!(Vision);

/// A model that subtracts four numbers from four, with its buffers.
fn subtracts<C: Brand>(current: &Current<C>) -> BoundModel<C> {
    let model = current.load(ModelSource::memory(&difference()).into()).unwrap();
    model.bind(current, &[&[4], &[4]], &[&[4]]).unwrap()
}

fn numbers<C: Brand>(current: &Current<C>) -> SharedBuffer<C, f32> {
    current.upload(&[1.0_f32, 2.0, 3.0, 4.0]).unwrap().into_shared()
}

#[proves(DATA_02, MEM_02)]
#[test]
fn one_memory_is_the_input_of_two_models_on_two_streams_at_once_and_of_a_copy() {
    let alone = alone();
    inside(|current| {
        let (first, second) = (held(current), held(current));
        let streams = [first.0.without_allocator(), second.0.without_allocator()];
        let shared = numbers(current);
        let mut models = [subtracts(current), subtracts(current)];
        for model in &mut models {
            model.write(current, 0, &[10.0_f32; 4]).unwrap();
            let InputMemory::Own(old) = model.share_input(current, 1, shared.clone()).unwrap() else { panic!("own") };
            assert_eq!(old.len(), 4);
        }
        let [one, two] = models;
        let (one, two) = (streams[0].execute(current, one).unwrap(), streams[1].execute(current, two).unwrap());
        let copy = streams[0].copy_to_host(current, shared.clone(), current.host_buffer(4).unwrap()).unwrap();
        let refused = shared.try_unshare(current).unwrap_err();
        assert!(still_shared(&refused.error));
        first.1.send(()).unwrap();
        second.1.send(()).unwrap();
        for model in [one.wait(current).unwrap(), two.wait(current).unwrap()] {
            assert_eq!(model.read::<f32>(current, 0).unwrap(), [9.0, 8.0, 7.0, 6.0]);
        }
        assert_eq!(*copy.wait(current).unwrap().1, [1.0, 2.0, 3.0, 4.0]);
    });
    alone.assert_nothing_lives();
}

#[proves(DATA_02, MEM_02)]
#[test]
fn an_input_that_reads_shared_memory_is_not_written_and_not_taken_as_a_buffer() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap().without_allocator();
        let (mut model, shared) = (subtracts(current), numbers(current));
        drop(model.share_input(current, "minuend", shared.clone()).unwrap());
        let is_shared = |error: &Error| matches!(error, Error::InputIsShared { name } if name == "minuend");
        assert!(is_shared(&model.write(current, 0, &[0.0_f32; 4]).unwrap_err()));
        let host = current.host_buffer::<f32>(4).unwrap();
        let refused = stream.copy_to_input(current, host, model, 0).unwrap_err();
        assert!(is_shared(&refused.error), "{}", refused.error);
        let (_, mut model) = refused.value;
        let own = current.upload(&[5.0_f32; 4]).unwrap();
        let refused = model.exchange_input(current, 0, own).unwrap_err();
        assert!(is_shared(&refused.error), "{}", refused.error);
        let refused = model.unshare_input(current, 1, refused.value).unwrap_err();
        assert!(matches!(&refused.error, Error::NotShared { name } if name == "subtrahend"), "{}", refused.error);
        drop(model.unshare_input(current, 0, refused.value).unwrap());
        model.write(current, 0, &[6.0_f32; 4]).unwrap();
        let mut owned = shared.try_unshare(current).unwrap();
        assert_eq!(owned.to_vec(current).unwrap(), [1.0, 2.0, 3.0, 4.0], "nobody wrote it");
        owned.copy_from(current, &[0.0; 4]).unwrap();
    });
    alone.assert_nothing_lives();
}

#[proves(MODEL_14, MEM_02)]
#[test]
fn a_model_that_was_dropped_in_flight_keeps_its_shared_input_until_it_is_done() {
    let alone = alone();
    inside(|current| {
        let (stream, go) = held(current);
        let stream = stream.without_allocator();
        let (mut model, shared) = (subtracts(current), numbers(current));
        drop(model.share_input(current, 0, shared.clone()).unwrap());
        drop(stream.execute(current, model).unwrap());
        collect(current);
        let refused = shared.try_unshare(current).unwrap_err();
        assert!(still_shared(&refused.error), "{}", refused.error);
        let blocks = control::live().device_blocks;
        drop(refused);
        collect(current);
        assert_lives!(device_blocks, blocks, "freed under a model");
        go.send(()).unwrap();
        stream.synchronize(current).unwrap();
        collect(current);
        collect(current);
        assert_lives!(device_blocks, 0);
    });
    alone.assert_nothing_lives();
}

#[proves(DATA_10, MEM_02)]
#[test]
fn shared_inputs_that_replace_each_other_come_back_and_forgotten_models_keep_theirs() {
    let alone = alone();
    inside(|current| {
        let (mut model, one, two) = (subtracts(current), numbers(current), numbers(current));
        drop(model.share_input(current, 0, one.clone()).unwrap());
        let one = one.try_unshare(current).unwrap_err().value;
        let InputMemory::Shared(old) = model.share_input(current, 0, two.clone()).unwrap() else { panic!("shared") };
        assert_eq!(old.to_vec(current).unwrap(), [1.0, 2.0, 3.0, 4.0]);
        drop(old);
        one.try_unshare(current).unwrap().free(current).unwrap();
        mem::forget(model);
        collect(current);
        assert!(still_shared(&two.try_unshare(current).unwrap_err().error));
    });
    alone.assert_nothing_lives();
}

#[proves(MEM_08, DATA_02)]
#[test]
fn a_part_is_an_input_where_models_take_it_and_comes_back_where_not() {
    let alone = alone();
    inside(|current| {
        let weights = current.upload(&(0_u8..64).map(f32::from).collect::<Vec<_>>()).unwrap().into_shared();
        let mut model = subtracts(current);
        let past = model.share_input(current, 0, weights.slice(1..5).unwrap()).unwrap_err();
        assert!(matches!(past.error, Error::MisalignedPart { past: 4, alignment: 64 }), "{}", past.error);
        assert_eq!(past.value.to_vec(current).unwrap(), [1.0, 2.0, 3.0, 4.0]);
        let short = model.share_input(current, 0, weights.slice(16..19).unwrap()).unwrap_err();
        assert!(matches!(short.error, Error::LengthMismatch { expected: 4, found: 3, .. }), "{}", short.error);
        let other = model.share_input(current, 0, weights.slice(16..20).unwrap().cast::<i32>().unwrap()).unwrap_err();
        assert!(matches!(other.error, Error::Input(_)), "{}", other.error);
        let third = model.share_input(current, 2, weights.slice(16..20).unwrap()).unwrap_err();
        assert!(matches!(third.error, Error::NoSuchInput { index: 2, count: 2 }), "{}", third.error);
        drop(model.share_input(current, 0, weights.slice(16..20).unwrap()).unwrap());
        drop(model.share_input(current, 1, weights.slice(48..52).unwrap()).unwrap());
        drop((weights, past, short, other, third));
        collect(current);
        model.run(current).unwrap();
        assert_eq!(model.read::<f32>(current, 0).unwrap(), [-32.0; 4]);
    });
    alone.assert_nothing_lives();
}

/// The last name of a part is a buffer: it replaces an input or an output under the same rule.
#[proves(MEM_08)]
#[test]
fn a_buffer_that_is_a_part_is_no_models_memory_where_it_begins_anywhere() {
    let alone = alone();
    inside(|current| {
        let mut model = subtracts(current);
        let part = current.upload(&[0.0_f32; 16]).unwrap().into_shared().slice(2..6).unwrap();
        let refused = model.exchange_input(current, 0, part.try_unshare(current).unwrap()).unwrap_err();
        assert!(matches!(refused.error, Error::MisalignedPart { past: 8, .. }), "{}", refused.error);
        let refused = refused.value.into_tensor(&[4]).unwrap_err();
        assert!(matches!(refused.error, Error::MisalignedPart { past: 8, .. }), "{}", refused.error);
        let part = current.upload(&[0.0_f32; 32]).unwrap().into_shared().slice(16..20).unwrap();
        drop(model.exchange_input(current, 0, part.try_unshare(current).unwrap()).unwrap());
        model.write(current, 0, &[3.0_f32; 4]).unwrap();
        model.write(current, 1, &[1.0_f32; 4]).unwrap();
        model.run(current).unwrap();
        assert_eq!(model.read::<f32>(current, 0).unwrap(), [2.0; 4]);
    });
    alone.assert_nothing_lives();
}

/// A call that fails may have done its work all the same: the model has the memory that the library uses.
#[proves(DATA_02)]
#[test]
fn a_refused_share_leaves_the_memory_with_whom_it_is() {
    let alone = alone();
    for (plan, shared) in [("aclUpdateDataBuffer#1=507899", false), ("aclUpdateDataBuffer#1=after:507899", true)] {
        inside(|current| {
            let (mut model, table) = (subtracts(current), numbers(current));
            model.write(current, 0, &[5.0_f32; 4]).unwrap();
            model.write(current, 1, &[1.0_f32; 4]).unwrap();
            fail(plan);
            let answer = model.share_input(current, 1, table.clone());
            nothing_fails();
            assert_eq!(answer.is_ok(), shared, "{plan}");
            drop(answer);
            collect(current);
            assert_eq!(table.try_unshare(current).is_err(), shared, "{plan}");
            model.run(current).unwrap();
            let expected = if shared { [4.0, 3.0, 2.0, 1.0] } else { [4.0; 4] };
            assert_eq!(model.read::<f32>(current, 0).unwrap(), expected, "{plan}");
            model.write(current, 1, &[0.0_f32; 4]).map_err(|error| assert!(shared, "{error}")).ok();
        });
        alone.assert_nothing_lives();
    }
}

#[proves(MEM_11)]
#[test]
fn memory_of_another_context_of_the_same_name_is_no_input() {
    let alone = alone();
    let (one, two) = (open(), open());
    let shared = one.with(|current| numbers(current)).unwrap();
    two.with(|current| {
        let mut model = subtracts(current);
        let refused = model.share_input(current, 0, shared.clone()).unwrap_err();
        assert!(
            matches!(refused.error, Error::WrongContext { what: ObjectKind::DEVICE_MEMORY, .. }),
            "{}",
            refused.error
        );
        model.write(current, 0, &[0.0_f32; 4]).unwrap();
    })
    .unwrap();
    one.with(|current| shared.try_unshare(current).unwrap().free(current).unwrap()).unwrap();
    one.close().unwrap();
    two.close().unwrap();
    alone.assert_nothing_lives();
}

fn open() -> Runtime<Vision> {
    Runtime::open(library()).unwrap()
}
