//! Memory that objects of other crates kept, and that becomes a buffer again.

use super::*;

/// Memory goes to another crate and comes back: as often as the program likes, and with what was written.
#[proves(MEM_02, MEM_07)]
#[test]
fn kept_memory_becomes_a_buffer_again_when_nobody_else_has_it() {
    let alone = alone();
    inside(|current| {
        let kept = current.upload(&[1_u32, 2, 3]).unwrap().keep();
        let (other, start) = (kept.clone(), kept.start());
        let refused = kept.into_buffer::<u32, _>(current).unwrap_err();
        assert!(matches!(refused.error, Error::StillShared), "{refused}");
        assert_eq!(refused.value.start(), start);
        // The clone is forgotten: the memory is never had by one owner again, and stays until the end of the scope.
        mem::forget(other);
        let refused = refused.value.into_buffer::<u32, _>(current).unwrap_err();
        assert!(matches!(refused.error, Error::StillShared), "{refused}");
        drop(refused);
        collect(current);
        assert_lives!(device_blocks, 1);

        let mut buffer = current.upload(&[1_u32, 2, 3, 4]).unwrap();
        for turn in 0..3_u32 {
            buffer = std::thread::scope(|scope| scope.spawn(|| buffer.keep()).join().unwrap())
                .into_buffer::<u32, _>(current)
                .unwrap();
            assert_eq!(buffer.to_vec(current).unwrap(), [1 + turn, 2, 3, 4]);
            buffer.copy_from(current, &[2 + turn, 2, 3, 4]).unwrap();
        }
        let bytes = buffer.keep().into_buffer::<u8, _>(current).unwrap();
        assert_eq!(bytes.len(), 16);
        bytes.free(current).unwrap();
    });
    alone.assert_nothing_lives();
}

#[proves(MEM_07)]
#[test]
fn memory_that_was_kept_unwritten_or_of_another_size_is_refused_and_stays_kept() {
    let alone = alone();
    inside(|current| {
        let kept = current.device_buffer::<u16>(3).unwrap().keep();
        let refused = kept.into_buffer::<u16, _>(current).unwrap_err();
        assert_eq!(
            refused.error.to_string(),
            "the device memory was not written when it was kept: take it as `MaybeUninit` elements, and write it first \
             [MEM-07]"
        );
        let refused = refused.value.into_buffer::<mem::MaybeUninit<u32>, _>(current).unwrap_err();
        assert!(matches!(refused.error, Error::CannotCast { bytes: 6, size: 4, .. }), "{refused}");
        let kept = refused.value;
        assert_eq!(kept.clone().bytes(), 6);
        let buffer = kept.into_buffer::<mem::MaybeUninit<u16>, _>(current).unwrap();
        assert_eq!(buffer.write(current, &[7, 8, 9]).unwrap().to_vec(current).unwrap(), [7, 8, 9]);
    });
    alone.assert_nothing_lives();
}

#[proves(MEM_02)]
#[test]
fn shared_memory_is_kept_beside_its_other_readers() {
    let alone = alone();
    inside(|current| {
        let weights = current.upload(&(0_u8..128).collect::<Vec<_>>()).unwrap().into_shared();
        let (whole, part) = (weights.clone().keep(), weights.slice(64..96).unwrap().keep());
        assert_eq!(part.start(), whole.start().wrapping_byte_add(64));
        assert_eq!((whole.bytes(), part.bytes()), (128, 32));
        weights.check_usable(current).unwrap();
        let refused = whole.into_buffer::<u8, _>(current).unwrap_err();
        assert!(matches!(refused.error, Error::StillShared), "{refused}");
        drop(refused);
        let refused = weights.try_unshare(current).unwrap_err();
        assert!(matches!(refused.error, Error::StillShared), "the part is kept: {refused}");
        drop(refused);
        collect(current);
        assert_lives!(device_blocks, 1);
        let last = part.into_buffer::<u8, _>(current).unwrap();
        assert_eq!(last.to_vec(current).unwrap(), (64_u8..96).collect::<Vec<_>>());
        last.free(current).unwrap();

        // The memory of a tensor with one owner does not come back this way, also after the tensor was dropped.
        let tensor = current.upload_tensor(&[2], &[1_u8, 2]).unwrap();
        let raw = tensors(current, &tensor).unwrap().remove(0).unwrap().memory;
        let refused = raw.into_buffer::<u8, _>(current).unwrap_err();
        assert!(matches!(refused.error, Error::StillShared), "{refused}");
        assert_eq!(tensor.to_vec(current).unwrap(), [1, 2]);
        drop(tensor);
        let refused = refused.value.into_buffer::<u8, _>(current).unwrap_err();
        assert!(matches!(refused.error, Error::StillShared), "{refused}");
    });
    alone.assert_nothing_lives();
}

/// Whatever its elements are to be: the owner of the tensor has it.
#[proves(MEM_02)]
#[test]
fn memory_of_a_tensor_with_one_owner_is_refused_before_its_length_is_looked_at() {
    let alone = alone();
    inside(|current| {
        let tensor = current.upload_tensor(&[3], &[1_u8, 2, 3]).unwrap();
        let raw = tensors(current, &tensor).unwrap().remove(0).unwrap().memory;
        let refused = raw.into_buffer::<u64, _>(current).unwrap_err();
        assert!(matches!(refused.error, Error::StillShared), "{refused}");
        assert_eq!(tensor.to_vec(current).unwrap(), [1, 2, 3]);
    });
    alone.assert_nothing_lives();
}

/// Work of the other crate has the memory in flight. It is dropped, swapped, and unwound, and the memory does not come back.
#[proves(MEM_02, STREAM_04)]
#[test]
fn kept_memory_in_flight_does_not_come_back_before_a_wait() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap();
        let release = super::super::hold(current, &stream);
        let (mut kept, mut idle) =
            (current.upload(&[1_u8; 64]).unwrap().keep(), current.upload(&[2_u8]).unwrap().keep());
        let mut counter = Counter::new(current);
        counter.memory.push(kept.clone());
        let caught = catch_unwind(AssertUnwindSafe(|| {
            let _work = counted(current, &stream, counter, |_| Ok(())).map_err(|failed| failed.error).unwrap();
            panic!("with work in flight");
        }));
        assert!(caught.is_err());
        mem::swap(&mut kept, &mut idle);
        assert_eq!(kept.into_buffer::<u8, _>(current).unwrap().len(), 1);
        let refused = idle.into_buffer::<u8, _>(current).unwrap_err();
        assert!(matches!(refused.error, Error::StillRunning { what: ObjectKind::DEVICE_MEMORY }), "{refused}");
        release.send(()).unwrap();
        stream.synchronize(current).unwrap();
        assert_eq!(refused.value.into_buffer::<u8, _>(current).unwrap().to_vec(current).unwrap(), [1; 64]);
    });
    alone.assert_nothing_lives();
}

#[proves(MEM_11)]
#[test]
fn kept_memory_of_another_context_or_library_or_of_an_ended_one_does_not_come_back() {
    let alone = alone();
    let _books = crate::null::books();
    let open = || Runtime::<Worker>::open(library()).unwrap();
    let (own, other) = (open(), open());
    let null = Runtime::<Worker>::open(crate::common::library_at(crate::common::null_library())).unwrap();
    let mut kept = own.with(|current| current.upload(&[3_u8; 8]).unwrap().keep()).unwrap();
    let mut refused_by = |stranger: &Runtime<Worker>| {
        stranger
            .with(|current| {
                let failed = kept.clone().into_buffer::<u8, _>(current).unwrap_err();
                assert!(matches!(failed.error, Error::WrongContext { .. }), "{failed}");
                kept = failed.value;
            })
            .unwrap();
    };
    refused_by(&other);
    refused_by(&null);
    own.close().unwrap();
    // The address may be another block's by now.
    refused_by(&other);
    other.close().unwrap();
    null.close().unwrap();
    drop(kept);
    alone.assert_nothing_lives();
}

#[proves(MEM_11)]
#[test]
fn shared_memory_of_another_runtime_with_the_name_is_of_no_use() {
    let alone = alone();
    let runtimes = [(); 2].map(|()| Runtime::<Worker>::open(library()).unwrap());
    let [own, other] = &runtimes;
    let shared = own.with(|current| current.upload(&[3_u8; 8]).unwrap().into_shared()).unwrap();
    own.with(|current| shared.check_usable(current).unwrap()).unwrap();
    let refused = other.with(|current| shared.check_usable(current).unwrap_err()).unwrap();
    assert!(matches!(refused, Error::WrongContext { .. }), "{refused}");
    drop(shared);
    runtimes.iter().for_each(|runtime| runtime.close().unwrap());
    alone.assert_nothing_lives();
}
