//! Limits, indices and vectors at the ends of what their types have.

use super::*;
use ascendcl::runtime;
use ascendcl::{Acl, Recovered, Setup, Thread};
use std::time::Instant;

/// `Instant::now() + Duration::MAX` overflows.
#[proves(STREAM_16)]
#[test]
fn a_limit_longer_than_all_time_is_none() {
    let alone = alone();
    let setup = || Setup::builder().library(library()).teardown_timeout(Duration::MAX).build();
    let [first, second, dropped] = [(); 3].map(|()| Runtime::<Worker>::open(setup()).unwrap());
    first
        .with(|current| {
            let own = stream(current);
            let mut model = executed(current, &own);
            own.run_bound_within(current, &mut model, Duration::MAX).unwrap();
            let work = own.set_bytes(current, current.device_buffer::<u8>(8).unwrap(), 1).unwrap();
            drop(work.wait_within(current, Duration::MAX).unwrap());
            own.synchronize_within(current, Duration::MAX).unwrap();
            current.synchronize_within(Duration::MAX).unwrap();
            assert!(current.collect_within(Duration::MAX).is_empty());
        })
        .unwrap();
    drop(dropped);
    first.close_within(Duration::MAX).unwrap();
    assert!(second.close_by_force(Duration::MAX).unwrap().is_empty());
    assert!(runtime::sweep(Some(Duration::MAX)).is_empty());
    let acl: Acl = crate::common::acl();
    let mut thread = Thread::new().unwrap();
    let device = acl.device(&mut thread, 0).unwrap();
    let Recovered::Usable(device) = device.recover(&mut thread, Duration::MAX).unwrap() else { panic!("it was reset") };
    assert!(device.reset_by_force(&mut thread, Duration::MAX).unwrap().is_empty());
    drop(thread);
    acl.close().unwrap();
    alone.assert_nothing_lives();
}

#[proves(STREAM_16, DEV_10)]
#[test]
fn a_limit_of_no_time_ends_each_wait_for_work_that_is_held_and_none_for_work_that_is_over() {
    let alone = alone();
    let runtime = open();
    let begun = Instant::now();
    runtime
        .with(|current| {
            let own = stream(current);
            let mut model = executed(current, &own);
            own.synchronize_within(current, Duration::ZERO).unwrap();
            let release = hold(current, &own);
            let is_late = |error: Error| assert!(error.code().is_some_and(|code| code.is_timeout()), "{error}");
            is_late(own.synchronize_within(current, Duration::ZERO).unwrap_err());
            is_late(current.synchronize_within(Duration::ZERO).unwrap_err());
            let work = own.set_bytes(current, current.device_buffer::<u8>(8).unwrap(), 1).unwrap();
            let work = work.wait_within(current, Duration::ZERO).unwrap_err();
            is_late(work.error);
            is_late(own.run_bound_within(current, &mut model, Duration::ZERO).unwrap_err());
            // Nothing that the work uses is collected, and the collection does not wait.
            drop(model);
            assert!(current.collect_within(Duration::ZERO).is_empty());
            release.send(()).unwrap();
            assert_eq!(work.value.wait(current).unwrap().to_vec(current).unwrap(), [1; 8]);
            own.synchronize(current).unwrap();
        })
        .unwrap();
    assert!(begun.elapsed() < LONG);
    runtime.close_within(Duration::ZERO).unwrap();
    alone.assert_nothing_lives();
}

/// The memory of the vector itself is lent to the library, and not that of a copy.
#[proves(COPY_05)]
#[test]
fn a_vector_with_room_to_grow_comes_back_with_it_and_an_empty_one_too() {
    let alone = alone();
    let runtime = open();
    runtime
        .with(|current| {
            let own = stream(current);
            for length in [0, 1, 5] {
                let mut vector = Vec::with_capacity(100);
                vector.extend((0..length).map(|number| number as u16));
                let (start, room) = (vector.as_ptr(), vector.capacity());
                let buffer = current.pageable_buffer(vector);
                let copy = own.copy_to_device(current, buffer, current.device_buffer(length).unwrap()).unwrap();
                let (buffer, device) = copy.wait(current).unwrap();
                let (_, buffer) = own.copy_to_host(current, device, buffer).unwrap().wait(current).unwrap();
                let mut vector = buffer.into_vec(current).unwrap();
                assert_eq!((vector.as_ptr(), vector.capacity(), vector.len()), (start, room, length));
                vector.resize(100, 7);
                assert_eq!(vector.as_ptr(), start);
            }
        })
        .unwrap();
    runtime.close().unwrap();
    alone.assert_nothing_lives();
}

/// Places whose sum with a length overflows, and ports that no model has.
#[proves(COPY_01, DATA_08)]
#[test]
fn places_and_ports_at_the_end_of_all_numbers_are_errors_and_give_everything_back() {
    let alone = alone();
    let runtime = open();
    runtime
        .with(|current| {
            let own = stream(current);
            let (mut host, mut device) = (current.host_buffer::<u32>(8).unwrap(), current.upload(&[3_u32; 8]).unwrap());
            #[allow(clippy::reversed_empty_ranges, reason = "an attack")]
            let parts = [
                (usize::MAX..usize::MAX, 0),
                (0..1, usize::MAX),
                (5..2, 0),
                (0..usize::MAX, 1),
                (usize::MAX - 1..1, 9),
            ];
            for (part, at) in parts {
                let refused = own.copy_part_to_device(current, host, part.clone(), device, at).unwrap_err();
                assert!(matches!(refused.error, Error::NoSuchPart { .. }), "{}", refused.error);
                (host, device) = refused.value;
                let refused = own.copy_part_to_host(current, device, part, host, at).unwrap_err();
                assert!(matches!(refused.error, Error::NoSuchPart { .. }), "{}", refused.error);
                (device, host) = refused.value;
            }
            assert_eq!(device.to_vec(current).unwrap(), [3; 8]);
            let mut model = executed(current, &own);
            let last = usize::MAX;
            let is_none =
                |error: Error| assert!(matches!(error, Error::NoSuchInput { index: usize::MAX, .. }), "{error}");
            is_none(model.write(current, last, &[1.0_f32]).unwrap_err());
            is_none(model.write_bytes(current, last, &[1]).unwrap_err());
            is_none(model.exchange_input(current, last, current.upload(&[1.0_f32; 4]).unwrap()).unwrap_err().error);
            let host = current.host_buffer::<f32>(4).unwrap();
            let refused = own.copy_to_input(current, host, model, last).unwrap_err();
            is_none(refused.error);
            let (host, model) = refused.value;
            let refused = own.copy_from_output(current, model, last, host).unwrap_err();
            assert!(matches!(refused.error, Error::NoSuchOutput { index: usize::MAX, .. }), "{}", refused.error);
            let (model, _) = refused.value;
            assert!(matches!(model.read::<f32>(current, last), Err(Error::NoSuchOutput { .. })));
            assert_eq!(model.read::<f32>(current, 0).unwrap(), [3.0; 4]);
        })
        .unwrap();
    runtime.close().unwrap();
    alone.assert_nothing_lives();
}
