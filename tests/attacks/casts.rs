//! Buffers as elements of another type.

use super::*;
use crate::common::{assert_lives, library, onnx};
use ascendcl::capture::CaptureMode;
use ascendcl::{Bool, ElementType, Input, Runtime, error::ObjectKind, model::ModelSource, operator::Operator};
use ascendcl_macros::proves;
use std::mem::{self, MaybeUninit};
use std::panic::{AssertUnwindSafe, catch_unwind};

ascendcl::names!(Worker);

#[test]
fn a_cast_that_does_not_fit_gives_the_buffer_back_and_another_one_moves_no_byte() {
    let alone = alone();
    inside(|current| {
        let bytes = current.upload(&[1_u8, 0, 2, 0, 3, 0]).unwrap();
        let start = bytes.as_raw();
        let refused = bytes.cast::<u32>().unwrap_err();
        assert!(matches!(refused.error, Error::CannotCast { bytes: 6, size: 4, .. }), "{refused}");
        assert_eq!(refused.value.to_vec(current).unwrap(), [1, 0, 2, 0, 3, 0]);
        let shorts = refused.value.cast::<u16>().unwrap();
        assert_eq!((shorts.as_raw(), shorts.len()), (start, 3));
        assert_eq!(shorts.to_vec(current).unwrap(), [1, 2, 3].map(u16::from_le));
        // Any byte may be there: none becomes a `bool` unseen.
        let truths = shorts.cast::<Bool>().unwrap().to_vec(current).unwrap();
        assert!(bool::try_from(truths[0]).unwrap() && !bool::try_from(truths[1]).unwrap());
        assert!(matches!(bool::try_from(truths[2]), Err(Error::NoTruthValue { byte: 2 })));
        let none = current.upload::<u8>(&[]).unwrap().cast::<f64>().unwrap();
        assert!(none.is_empty() && none.to_vec(current).unwrap().is_empty());
    });
    alone.assert_nothing_lives();
}

/// A buffer that was cast is the same memory: it is freed once, after the work that uses it.
#[proves(MEM_01, MEM_02)]
#[test]
fn a_cast_buffer_is_freed_once_and_not_under_work_that_uses_it() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap();
        let release = hold(current, &stream);
        let (one, two) = (current.upload(&[1_u32]).unwrap(), current.upload(&[2_u32]).unwrap());
        let (mut one, mut two) = (one.cast::<u8>().unwrap(), two.cast::<u8>().unwrap());
        mem::swap(&mut one, &mut two);
        let work = stream.set_bytes(current, one, 5).unwrap();
        two.free(current).unwrap();
        drop(work);
        collect(current);
        assert_lives!(device_blocks, 1, "in flight");
        release.send(()).unwrap();
        stream.synchronize(current).unwrap();
        collect(current);
        assert_lives!(device_blocks, 0);
        mem::forget(current.upload(&[3_u64]).unwrap().cast::<f64>().unwrap());
        let caught = catch_unwind(AssertUnwindSafe(|| {
            let _buffer = current.upload(&[4_u64]).unwrap().cast::<f64>().unwrap();
            panic!("with a buffer");
        }));
        assert!(caught.is_err());
        let mut arena = current.device_arena(256).unwrap();
        let part = arena.take::<u32>(16).unwrap().write(current, &[6; 16]).unwrap();
        let part = std::thread::scope(|scope| scope.spawn(|| part.cast::<f32>().unwrap()).join().unwrap());
        assert_eq!(part.to_vec(current).unwrap(), [f32::from_bits(6); 16]);
        let refused = arena.reset(current).unwrap_err();
        assert!(matches!(refused, Error::StillShared), "{refused}");
        part.free(current).unwrap();
        arena.reset(current).unwrap();
    });
    alone.assert_nothing_lives();
}

#[proves(MEM_11)]
#[test]
fn a_cast_buffer_belongs_to_its_context_as_before() {
    let alone = alone();
    let open = || Runtime::<Worker>::open(library()).unwrap();
    let (own, other) = (open(), open());
    let buffer = own.with(|current| current.upload(&[1_u32]).unwrap().cast::<u8>().unwrap()).unwrap();
    let buffer = other
        .with(|current| {
            let refused = buffer.to_vec(current).unwrap_err();
            assert!(matches!(refused, Error::WrongContext { what: ObjectKind::DEVICE_MEMORY, .. }), "{refused}");
            buffer.free(current).unwrap_err().value
        })
        .unwrap();
    own.with(|current| buffer.free(current).unwrap()).unwrap();
    [own, other].into_iter().for_each(|runtime| runtime.close().unwrap());
    alone.assert_nothing_lives();
}

/// Bytes for an input of a model are compared, too, where the model says that they are truth values.
#[proves(MEM_07)]
#[test]
fn a_model_gets_no_byte_that_is_no_truth_value() {
    let alone = alone();
    inside(|current| {
        let image = onnx::opposite();
        let mut model = current.load(ModelSource::memory(&image).into()).unwrap();
        let none = |refused: Error| assert!(matches!(refused, Error::NoTruthValue { byte: 2 }), "{refused}");
        let (as_bytes, typed) = (Input::new(&[2], &[1_u8, 2]), Input::from_bytes(&[2], ElementType::Bool, &[2, 0]));
        for input in [as_bytes.unwrap(), typed.unwrap()] {
            none(model.run(current, &[input]).unwrap_err());
        }
        let truths = [true, false].map(Bool::from);
        let right = Input::new(&[2], &truths).unwrap();
        assert_eq!(model.run(current, &[right]).unwrap().get(0).unwrap().as_bytes(), [0, 1]);

        let mut bound = model.bind(current, &[&[2]], &[&[2]]).unwrap();
        none(bound.write_bytes(current, 0, &[1, 2]).unwrap_err());
        none(bound.write(current, 0, &[2_u8, 1]).unwrap_err());
        bound.write(current, 0, &[0_u8, 1]).unwrap();
        let stream = current.stream().unwrap().without_allocator();
        stream.run_bound(current, &mut bound).unwrap();
        assert_eq!(bound.read_bytes(current, 0).unwrap(), [1, 0]);

        // Also not by a queued copy.
        let mut pinned = current.host_buffer::<u8>(2).unwrap();
        pinned.copy_from_slice(&[0, 2]);
        let refused = stream.copy_to_input(current, pinned, bound, 0).unwrap_err();
        none(refused.error);
        let (mut pinned, bound) = refused.value;
        let refused = stream.copy_to_input(current, current.pageable_buffer(vec![2_u8, 0]), bound, 0).unwrap_err();
        none(refused.error);
        pinned.copy_from_slice(&[1, 0]);
        let (_, bound) = stream.copy_to_input(current, pinned, refused.value.1, 0).unwrap().split();
        let bound = stream.execute(current, bound).unwrap().wait(current).unwrap();
        assert_eq!(bound.read_bytes(current, 0).unwrap(), [0, 1]);

        let (mut stream, given) = (stream, current.upload_tensor(&[2], &truths).unwrap());
        let (cast, output) = (Operator::new("Cast"), current.upload_tensor(&[2], &[9.0_f32; 2]).unwrap());
        let operator =
            cast.with("dst_type", i64::from(ElementType::F32.number())).bind(current, given, output).unwrap();
        let mut graph = stream
            .capture(current, CaptureMode::Relaxed, operator, |capture, mut cast| capture.launch(&mut cast))
            .unwrap();
        let mut access = graph.operands(current).unwrap();
        none(access.write(current, 0, &[2_u8, 1]).unwrap_err());
        access.write(current, 0, &[0_u8, 1]).unwrap();
        let mut graph = stream.replay(current, graph).unwrap().wait(current).unwrap();
        assert_eq!(graph.operands(current).unwrap().tensors().1.to_vec(current).unwrap(), [0.0, 1.0]);
    });
    alone.assert_nothing_lives();
}

/// The memory stays in doubt, and does not count as written for other code, either.
#[proves(MEM_02, MEM_07)]
#[test]
fn memory_that_is_to_be_written_again_has_lost_nothing_but_its_elements() {
    let alone = alone();
    inside(|current| {
        let written = current.upload(&[1_u16, 2]).unwrap();
        let start = written.as_raw();
        let again = written.into_unwritten();
        assert_eq!((again.as_raw(), again.len()), (start, 2));
        let refused = again.keep().into_buffer::<u16, _>(current).unwrap_err();
        assert!(matches!(refused.error, Error::NotWritten { .. }), "{refused}");
        let again = refused.value.into_buffer::<MaybeUninit<u16>, _>(current).unwrap();
        assert_eq!(again.write(current, &[3, 4]).unwrap().to_vec(current).unwrap(), [3, 4]);

        let (stream, memory) = (current.stream().unwrap(), current.upload(&[5_u8; 8]).unwrap());
        fail("aclrtMemsetAsync=507899, aclrtSynchronizeStreamWithTimeout=507899, aclrtSynchronizeStream=507899");
        let failed = stream.set_bytes(current, memory, 1).unwrap_err();
        nothing_fails();
        let failed = failed.value.into_unwritten().write(current, &[6; 8]).unwrap_err();
        assert!(matches!(failed.error, Error::InDoubt { .. }), "{failed}");
    });
    alone.assert_nothing_lives();
}
