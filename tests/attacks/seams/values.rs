//! Lengths, ranges, paths and names of the program: conversions that run its code, and numbers that no memory has.

use super::*;
use ascendcl::memory::{Pages, Rows, bytes_in_arena};
use ascendcl::model::IndexOrName;
use ascendcl_macros::proves;
use std::cell::Cell;
use std::ops::{Bound, RangeBounds};
use std::path::Path;

/// A range that says something else each time.
struct Fickle(Cell<usize>);

impl RangeBounds<usize> for Fickle {
    fn start_bound(&self) -> Bound<&usize> {
        const STARTS: [usize; 3] = [0, 60, usize::MAX];
        Bound::Included(&STARTS[self.0.replace(self.0.get() + 1) % 3])
    }

    fn end_bound(&self) -> Bound<&usize> {
        const ENDS: [usize; 3] = [64, 8, usize::MAX];
        Bound::Included(&ENDS[self.0.replace(self.0.get() + 1) % 3])
    }
}

#[proves(COPY_01)]
#[test]
fn ranges_of_shared_memory_lie_inside_of_it_whatever_the_program_says() {
    let alone = alone();
    let runtime = open();
    runtime
        .with(|current| {
            let shared = current.upload(&(0..64).collect::<Vec<u8>>()).unwrap().into_shared();
            let extremes = [0, 1, 63, 64, 65, isize::MAX as usize, usize::MAX - 1, usize::MAX];
            for from in extremes {
                for to in extremes {
                    let bounds = [
                        (Bound::Included(from), Bound::Included(to)),
                        (Bound::Excluded(from), Bound::Excluded(to)),
                        (Bound::Included(from), Bound::Unbounded),
                        (Bound::Unbounded, Bound::Included(to)),
                    ];
                    for range in bounds {
                        let Ok(part) = shared.slice(range) else { continue };
                        assert_eq!(part.to_vec(current).unwrap().len(), part.len());
                        assert!(part.len() <= 64);
                        let again = part.slice(..).unwrap().slice(part.len()..).unwrap();
                        assert!(again.is_empty() && again.cast::<f64>().is_ok() == (again.as_raw().addr() % 8 == 0));
                    }
                }
            }
            for start in 0..6 {
                let Ok(part) = shared.slice(Fickle(Cell::new(start))) else { continue };
                assert_eq!(part.to_vec(current).unwrap().len(), part.len());
            }
        })
        .unwrap();
    runtime.close().unwrap();
    alone.assert_nothing_lives();
}

/// A path and a name that use the context each time they are asked.
struct Meddles<'a>(&'a Current<Worker>, &'static str);

impl AsRef<Path> for Meddles<'_> {
    fn as_ref(&self) -> &Path {
        drop(self.0.stream().unwrap());
        drop(upload(self.0, &self.0.stream().unwrap()));
        drop(self.0.collect());
        self.0.synchronize().unwrap();
        Path::new(self.1)
    }
}

impl<'a> From<Meddles<'a>> for IndexOrName<'static> {
    fn from(meddles: Meddles<'a>) -> Self {
        let _: &Path = meddles.as_ref();
        IndexOrName::from(0)
    }
}

#[proves(MEM_02, MODEL_14)]
#[test]
fn conversions_that_use_the_context_do_so_before_the_call_they_are_for() {
    let alone = alone();
    let runtime = open();
    let file: &'static str = Box::leak(crate::common::data("digits.onnx").display().to_string().into_boxed_str());
    runtime
        .with(|current| {
            let own = stream(current);
            let digits = current.load_model(Meddles(current, file)).unwrap();
            let mut bound = digits.bind(current, &[&[1, 64]], &[&[1, 10]]).unwrap();
            bound.write(current, Meddles(current, file), &[0.5_f32; 64]).unwrap();
            own.run_bound(current, &mut bound).unwrap();
            let scores = bound.read::<f32>(current, Meddles(current, file)).unwrap();
            let room = current.device_buffer::<f32>(10).unwrap();
            let taken = bound.exchange_output(current, Meddles(current, file), room).unwrap();
            assert_eq!(taken.to_vec(current).unwrap(), scores);
            assert!(current.load_operators(Meddles(current, "a folder that is not there")).is_err());
            // A conversion that panics leaves the model and the buffer where they are.
            struct Panics;
            impl From<Panics> for IndexOrName<'static> {
                fn from(_: Panics) -> Self {
                    panic!("in a conversion")
                }
            }
            let room = current.device_buffer::<f32>(10).unwrap();
            let exchanged = catch_unwind(AssertUnwindSafe(|| bound.replace_output(current, Panics, room).map(drop)));
            assert!(exchanged.is_err());
            own.run_bound(current, &mut bound).unwrap();
            assert_eq!(bound.read::<f32>(current, 0).unwrap(), scores);
            drop(current.collect());
        })
        .unwrap();
    runtime.close().unwrap();
    alone.assert_nothing_lives();
}

#[proves(MEM_04, COPY_01)]
#[test]
fn lengths_that_no_memory_has_are_errors_in_runtimes_and_their_parts() {
    let alone = alone();
    let runtime = open();
    runtime
        .with(|current| {
            for length in [usize::MAX, usize::MAX / 2, usize::MAX / 8, isize::MAX as usize, isize::MAX as usize / 8] {
                assert!(current.device_buffer::<f64>(length).is_err());
                assert!(current.host_buffer::<f64>(length).is_err());
                assert!(current.device_arena(length).is_err());
                assert!(Pages::<f64>::zeroed(length).is_err());
                assert!(bytes_in_arena::<f64>(length) > length / 2);
                let mut arena = current.device_arena(256).unwrap();
                assert!(arena.take::<f64>(length).is_err());
                assert_eq!(arena.remaining(), 256);
                let rows = Rows::builder().width(2).height(length).from_pitch(3).to_pitch(3).build();
                let (from, to) = (current.host_buffer::<u8>(16).unwrap(), current.device_buffer::<u8>(16).unwrap());
                let to = to.zero(current).unwrap();
                assert!(stream(current).copy_rows_to_device(current, from, to, rows).is_err());
            }
            let nothing = current.device_buffer::<f64>(0).unwrap().zero(current).unwrap();
            let shared = nothing.into_shared();
            let (one, two) = (shared.clone(), shared.slice(0..0).unwrap());
            let own = stream(current);
            let copied =
                own.copy_to_host(current, one, current.host_buffer(0).unwrap()).unwrap().wait(current).unwrap();
            drop((two, copied));
            let nothing = shared.try_unshare(current).unwrap();
            own.copy_on_device(current, nothing, current.device_buffer(0).unwrap()).unwrap().wait(current).unwrap();
        })
        .unwrap();
    runtime.close().unwrap();
    alone.assert_nothing_lives();
}

#[proves(MEM_02)]
#[test]
fn parts_of_other_elements_that_are_taken_back_have_the_length_of_their_bytes() {
    let alone = alone();
    let runtime = open();
    runtime
        .with(|current| {
            let bytes: Vec<u8> = (0..=255).collect();
            let shared = current.upload(&bytes).unwrap().into_shared();
            let part = shared.slice(64..192).unwrap().cast::<u32>().unwrap();
            drop(shared);
            let mut owned = part.try_unshare(current).unwrap();
            assert_eq!(owned.len(), 32);
            owned.copy_from(current, &[0x0101_0101; 32]).unwrap();
            assert!(owned.copy_from(current, &[0; 33]).is_err());
            let again = owned.into_shared().cast::<u8>().unwrap();
            assert_eq!(again.to_vec(current).unwrap(), [1; 128]);
            assert!(again.slice(1..9).unwrap().cast::<u64>().is_err());
            // Each is a name of its own: the first in flight keeps the second from being taken back.
            let own = stream(current);
            let release = hold(current, &own);
            let copy = own.copy_to_host(current, again.clone(), current.host_buffer(128).unwrap()).unwrap();
            let failed = again.try_unshare(current).unwrap_err();
            drop(copy);
            let failed = failed.value.try_unshare(current).unwrap_err();
            assert!(matches!(failed.error, Error::StillRunning { .. }), "{failed}");
            release.send(()).unwrap();
            own.synchronize(current).unwrap();
            failed.value.try_unshare(current).unwrap();
        })
        .unwrap();
    runtime.close().unwrap();
    alone.assert_nothing_lives();
}
