//! Attacks on temporary borrows: lent slices, turns, proofs of idleness, streams of futures.

use super::common::alone;
use super::{collect, inside};
use ascendcl::operator::{Operator, relu};
use ascendcl::{
    Current, Error, Input, Scoped,
    allocator::PoolAllocator,
    model::OutputBuffer,
    stream::{AllocatorGroup, StreamOps},
};
use ascendcl_macros::proves;
use ascendcl_sim::control;
use std::cell::Cell;
use std::mem;
use std::ops::Deref;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::mpsc::channel;
use std::task::{Context, Poll, Waker};

fn pool<'c>(current: &Current<Scoped<'c>>) -> PoolAllocator {
    PoolAllocator::new(current, 1 << 16).unwrap()
}

/// Another stream each time.
struct Fickle<'a, 'c> {
    streams: [&'a StreamOps<Scoped<'c>>; 2],
    asked: Cell<usize>,
}

impl<'c> Deref for Fickle<'_, 'c> {
    type Target = StreamOps<Scoped<'c>>;

    fn deref(&self) -> &StreamOps<Scoped<'c>> {
        let asked = self.asked.get();
        self.asked.set(asked + 1);
        self.streams[asked % 2]
    }
}

#[test]
fn a_pointer_that_names_another_stream_each_time_is_asked_once() {
    let alone = alone();
    inside(|current| {
        let (one, two) = (current.stream().unwrap(), current.stream().unwrap());
        let (go, wait) = channel::<()>();
        drop(one.launch_host_fn(current, move || wait.recv().is_ok()).unwrap());
        let work = one.set_bytes(current, current.device_buffer::<u8>(4).unwrap(), 1).unwrap();
        let mut fickle = Fickle { streams: [&one, &two], asked: Cell::new(0) };
        let mut work = pin!(work.into_future(current, &mut fickle).unwrap());
        two.synchronize(current).unwrap();
        let mut task = Context::from_waker(Waker::noop());
        go.send(()).unwrap();
        let buffer = loop {
            match work.as_mut().poll(&mut task) {
                Poll::Ready(buffer) => break buffer.unwrap(),
                Poll::Pending => std::thread::yield_now(),
            }
        };
        assert_eq!(buffer.to_vec(current).unwrap(), [1; 4]);
        drop(buffer);
        assert_eq!(fickle.asked.get(), 1);
    });
    alone.assert_nothing_lives();
}

#[proves(ALLOC_11)]
#[test]
fn swapped_proofs_of_idleness_trim_the_pool_that_they_prove_idle() {
    let alone = alone();
    inside(|current| {
        let mut one = current.stream().unwrap().register(current, pool(current)).unwrap();
        let mut two = current.stream().unwrap().register(current, pool(current)).unwrap();
        {
            let (mut first, mut second) = (one.idle(current).unwrap(), two.idle(current).unwrap());
            mem::swap(&mut first, &mut second);
            mem::forget(first);
            assert_eq!(second.trim(current).unwrap(), 1 << 16);
        }
        assert_eq!(one.pool_statistics().unwrap().reserved_bytes, 0);
        assert_eq!(two.pool_statistics().unwrap().reserved_bytes, 1 << 16);
        // Both are still of use.
        one.grow_pool(current, 1 << 16).unwrap();
        let x = || current.upload_tensor(&[4], &[-1.0_f32; 4]).unwrap();
        for stream in [&one, &two] {
            let work = stream.launch(current, relu(current, x()).unwrap()).unwrap();
            drop(work.wait(current).unwrap());
        }
    });
    alone.assert_nothing_lives();
}

#[proves(ALLOC_10, ALLOC_11)]
#[test]
fn swapped_permits_run_their_own_groups_only() {
    let alone = alone();
    inside(|current| {
        let (mut one, mut two) = (
            AllocatorGroup::new(current, pool(current)).unwrap(),
            AllocatorGroup::new(current, pool(current)).unwrap(),
        );
        let member = one.attach(current, current.stream().unwrap()).unwrap();
        mem::swap(&mut one, &mut two);
        let refused = one.begin(&member).unwrap_err();
        assert!(matches!(refused.error, Error::OtherGroup));
        let turn = two.begin(&member).unwrap();
        let x = current.upload_tensor(&[4], &[-1.0_f32; 4]).unwrap();
        let work = turn.launch(current, relu(current, x).unwrap()).unwrap();
        // Any owner of the turn's event can wait for it. That does not move the group.
        let event = turn.record(current, current.event().unwrap()).unwrap();
        let mut group = turn.finish(current).unwrap();
        let other = current.stream().unwrap();
        let work = other.adopt_after(current, work, &event).unwrap();
        assert_eq!(group.idle().trim(current).unwrap(), 1 << 16);
        drop(work.wait(current).unwrap());
        let group = group.into_allocator().unwrap_err().value;
        drop(member.detach(current).unwrap());
        group.into_allocator().unwrap().release(current).unwrap();
        refused.value.into_allocator().unwrap().release(current).unwrap();
    });
    alone.assert_nothing_lives();
}

#[proves(COPY_04)]
#[test]
fn a_panic_while_slices_are_lent_twice_over_waits_for_both_before_they_are_used_again() {
    let alone = alone();
    inside(|current| {
        let (mut outer, mut inner) = ([0_u8; 4096], [0_u8; 4096]);
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            current.copy_scope(|current, copies| {
                let (stream, source) = (current.stream().unwrap(), current.upload(&[1_u8; 4096]).unwrap());
                mem::forget(copies.copy_to_host(current, &stream, source, &mut outer).unwrap());
                let lent: Result<(), _> = current.copy_scope(|current, copies| {
                    let source = current.upload(&[2_u8; 4096]).unwrap();
                    mem::forget(copies.copy_to_host(current, &stream, source, &mut inner).unwrap());
                    drop(stream.destroy(current));
                    panic!("with two copies in flight")
                });
                lent
            })
        }));
        assert!(panicked.is_err());
        assert_eq!((outer, inner), ([1; 4096], [2; 4096]));
        collect(current);
    });
    alone.assert_nothing_lives();
}

#[proves(COPY_04)]
#[test]
fn lent_slices_without_elements_and_of_one_memory_read_twice_are_copied() {
    let alone = alone();
    inside(|current| {
        let image = [3_u16; 128];
        let mut nothing: [u16; 0] = [];
        let lent = current.copy_scope(|current, copies| {
            let (one, two) = (current.stream().unwrap(), current.default_stream());
            let target = |length| current.device_buffer::<u16>(length).unwrap();
            let first = copies.copy_to_device(current, &one, &image, target(128)).unwrap();
            let second = copies.copy_to_device(current, &two, &image[..64], target(64)).unwrap();
            let none = copies.copy_to_device(current, &one, &image[..0], target(0)).unwrap();
            drop(copies.copy_to_host(current, &one, none, &mut nothing).unwrap());
            (first, second)
        });
        let (first, second) = lent.unwrap();
        assert_eq!(first.wait(current).unwrap().to_vec(current).unwrap(), [3; 128]);
        assert_eq!(second.wait(current).unwrap().to_vec(current).unwrap(), [3; 64]);
    });
    alone.assert_nothing_lives();
}

#[proves(MEM_04)]
#[test]
fn sizes_beyond_all_memory_are_errors_wherever_they_are_given() {
    let alone = alone();
    inside(|current| {
        // The library is not asked: a sum of this size and of bytes that it adds would be a small number.
        let is_beyond = |error: &Error| matches!(error, Error::TooShort { have, .. } if *have == isize::MAX as usize);
        assert!(current.workspace(usize::MAX).is_err_and(|error| is_beyond(&error)));
        assert!(current.host_buffer::<u64>(usize::MAX).is_err());
        assert!(current.device_buffer::<f32>(usize::MAX / 2).is_err());
        // The library itself judges the largest size of a slice.
        let most = current.device_buffer::<u8>(isize::MAX as usize).unwrap_err();
        assert!(matches!(most, Error::Vendor(_)), "{most}");
        assert!(current.tensor::<u8>(&[usize::MAX, 2]).is_err());
        assert!(PoolAllocator::new(current, usize::MAX).is_err_and(|error| is_beyond(&error)));
        let mut stream = current.stream().unwrap().register(current, pool(current)).unwrap();
        assert!(stream.grow_pool(current, usize::MAX).is_err_and(|error| is_beyond(&error)));
        assert!(stream.idle(current).unwrap().grow(current, usize::MAX).is_err());
        let model = super::model(current);
        let refused = model.bind_with(current, &[&[1, 64]], &[OutputBuffer::AtMost(usize::MAX)]).unwrap_err();
        assert!(is_beyond(&refused.error), "{}", refused.error);
        assert!(refused.value.bind(current, &[&[usize::MAX, 64]], &[&[1, 10]]).is_err());
        assert!(Input::new::<f32>(&[usize::MAX, usize::MAX], &[]).is_err());
    });
    alone.assert_nothing_lives();
}

#[proves(OP_02)]
#[test]
fn tensors_without_elements_of_the_longest_shapes_go_through_operators() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap().without_allocator();
        let empty = || current.upload_tensor::<f32>(&[0, usize::MAX], &[]).unwrap();
        if let Ok(bound) = relu(current, empty()) {
            drop(stream.launch(current, bound).map(|work| drop(work.wait(current))));
        }
        let sum = Operator::new("Add").bind(current, (empty(), empty()), current.tensor::<f32>(&[0, 7]).unwrap());
        if let Ok(bound) = sum {
            drop(stream.launch(current, bound).map(|work| drop(work.wait(current))));
        }
        if let Ok(bound) = ascendcl::operator::softmax(current, empty(), 1) {
            drop(stream.launch(current, bound).map(|work| drop(work.wait(current))));
        }
        let tall = current.upload_tensor::<f32>(&[usize::MAX, 0], &[]).unwrap();
        if let Ok(bound) = ascendcl::operator::mat_mul(current, empty(), tall) {
            drop(stream.launch(current, bound).map(|work| drop(work.wait(current))));
        }
        drop(current.synchronize());
    });
    assert_eq!(control::live(), control::Live::default());
    drop(alone);
}
