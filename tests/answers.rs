//! What values say about themselves without a call that can be seen: lengths, libraries, lost copies.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use ascendcl::lane::LaneWorkspace;
use ascendcl::memory::DeviceAddress;
use ascendcl::model::{Load, ModelSource};
use ascendcl::{ElementType, Error, Input, Runtime};
use common::{acl, alone, digits, digits_in_batches_of, library};
use core::ptr::NonNull;

ascendcl::names!(Vision);

#[test]
fn a_runtime_and_the_library_say_on_what_they_run() {
    let _alone = alone();
    let runtime = Runtime::<Vision>::open(library()).unwrap();
    assert_eq!(runtime.library(), acl().library());
    assert_eq!(runtime.library().path().is_none(), runtime.library().is_simulator());
    assert_eq!(acl().soc_name(), runtime.with(|current| current.soc_name()).unwrap());
    runtime.close().unwrap();
}

#[test]
fn memory_says_how_long_it_is_and_copies_of_another_length_are_refused() {
    let _alone = alone();
    ascendcl::run(library(), |current| {
        assert!(!current.device_buffer::<f32>(3)?.is_empty());
        let mut host = current.host_buffer::<u16>(4)?;
        host[1..3].copy_from_slice(&[7, 8]);
        assert_eq!(host[..], [0, 7, 8, 0]);
        let shared = current.upload(&[1_u8, 2, 3])?.into_shared();
        let wrong = shared.copy_to(current, &mut [0; 2]);
        assert!(matches!(wrong, Err(Error::LengthMismatch { expected: 3, found: 2, .. })), "{wrong:?}");
        let mut right = [0; 3];
        shared.copy_to(current, &mut right)?;
        assert_eq!(right, [1, 2, 3]);
        let here = NonNull::from(&mut right).cast();
        assert_eq!(DeviceAddress::from(here).number(), here.as_ptr() as usize);
        Ok::<_, Error>(())
    })
    .unwrap();
}

#[test]
fn work_in_flight_keeps_its_shape_when_another_one_does_not_fit() {
    let _alone = alone();
    ascendcl::run(library(), |current| {
        let stream = current.stream()?;
        let room = current.device_buffer::<u8>(6)?;
        let work = stream.set_bytes(current, room, 9)?;
        let failed = work.into_tensor(&[2, 2]).unwrap_err();
        let work = failed.value.into_tensor(&[2, 3]).map_err(Error::from)?;
        let failed = work.reshape(&[4]).unwrap_err();
        assert_eq!(failed.value.shape(), [2, 3]);
        let work = failed.value.map(|tensor| tensor.into_buffer());
        while !work.is_complete(current)? {
            std::thread::yield_now();
        }
        assert_eq!(work.wait(current)?.to_vec(current)?, [9; 6]);
        Ok::<_, Error>(())
    })
    .unwrap();
}

#[test]
fn an_output_says_its_type_and_bytes_and_a_lane_the_bytes_of_its_workspace() {
    let _alone = alone();
    ascendcl::run(library(), |current| {
        let (image, (_, images)) = (digits_in_batches_of(2), digits());
        let workspace = current.workspace(1 << 20)?;
        let stream = current.stream()?.without_allocator();
        current.workspace_lane(stream, workspace, |current, mut lane| {
            assert_eq!(lane.bytes(), 1 << 20);
            let load: Load<'_, _, LaneWorkspace> = Load::builder().source(ModelSource::memory(&image)).build();
            let mut model = lane.load(current, load)?;
            let outputs = lane.run(current, &mut model, &[Input::new(&[2, 64], &images[..2 * 64])?])?;
            for output in &outputs {
                assert_eq!(output.element(), ElementType::F32);
                assert_eq!(output.as_bytes().len(), 4 * output.shape().iter().product::<usize>());
            }
            assert_eq!((&outputs).into_iter().count(), 1);
            Ok::<_, Error>(())
        })?;
        let workspace = current.workspace(4096)?;
        assert_eq!(current.workspace_mutex(workspace, |_, mutex| mutex.bytes()), 4096);
        Ok::<_, Error>(())
    })
    .unwrap();
}
