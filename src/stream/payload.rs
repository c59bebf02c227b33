//! Values that can be in flight.

use crate::brand::{Brand, Inside};
use crate::ffi::RawStream;
use crate::memory::{DeviceBuffer, HostBuffer, SharedBuffer};

/// The values that a [`Pending`](super::Pending) can hold: buffers, tensors, bound models, operators, results of
/// callbacks, and tuples, arrays and vectors of these.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be waited for",
    label = "expected buffers, models, operators or results of callbacks that are in flight",
    note = "STREAM-04: a `Pending` holds what its stream uses, alone or in tuples of up to eight, arrays and vectors: \
            `pending.wait(current)?` gives it back",
    note = "see `ascendcl-explain STREAM-04`"
)]
pub trait Payload: sealed::Payload {}

impl<T: sealed::Payload> Payload for T {}

pub(crate) mod sealed {
    use super::{Inside, RawStream};

    #[diagnostic::on_unimplemented(
        message = "`{Self}` cannot be waited for",
        label = "expected buffers, models, operators or results of callbacks that are in flight",
        note = "STREAM-04: a `Pending` holds what its stream uses, alone or in tuples of up to eight, arrays and vectors: \
                `pending.wait(current)?` gives it back",
        note = "see `ascendcl-explain STREAM-04`"
    )]
    pub trait Payload {
        /// Notes that all work that used the value is known to be done.
        fn mark_work_done(&self, key: Inside); // MEM-02: only waiting ends the work: `pending.wait(current)?`
        /// Notes that the submissions of this stream so far complete after all work that used the value. That work was
        /// queued on the stream with the id `from.0`, up to the submission `from.1`.
        fn follow(&self, from: (u64, u64), queue: &RawStream, key: Inside); // STREAM-04: order streams by events: `wait_for`
        /// Notes that a wait has reported failed work that may have been work on the value. A value that can tell written
        /// memory from unwritten memory does not know any more what its work has written.
        fn note_failure(&mut self, _: Inside) {}
    }
}

impl<C: Brand, E> sealed::Payload for DeviceBuffer<C, E> {
    #[inline]
    fn mark_work_done(&self, _: Inside) {
        self.block().mark_idle();
    }

    fn follow(&self, _: (u64, u64), queue: &RawStream, _: Inside) {
        self.block().follow(queue);
    }
}

impl<C: Brand, E> sealed::Payload for SharedBuffer<C, E> {
    #[inline]
    fn mark_work_done(&self, _: Inside) {
        self.block().mark_idle();
    }

    fn follow(&self, _: (u64, u64), queue: &RawStream, _: Inside) {
        self.block().follow(queue);
    }
}

impl<C: Brand, E> sealed::Payload for HostBuffer<C, E> {
    #[inline]
    fn mark_work_done(&self, _: Inside) {
        self.block().mark_idle();
    }

    fn follow(&self, _: (u64, u64), queue: &RawStream, _: Inside) {
        self.block().follow(queue);
    }
}

impl sealed::Payload for () {
    #[inline]
    fn mark_work_done(&self, _: Inside) {}

    fn follow(&self, _: (u64, u64), _: &RawStream, _: Inside) {}
}

macro_rules! tuples {
    ($($($part:ident)+;)+) => { $(
        impl<$($part: sealed::Payload), +> sealed::Payload for ($($part,)+) {
            #[inline]
            fn mark_work_done(&self, key: Inside) {
                #[allow(non_snake_case)]
                let ($($part,)+) = self;
                $($part.mark_work_done(key);)+
            }

            fn follow(&self, from: (u64, u64), queue: &RawStream, key: Inside) {
                #[allow(non_snake_case)]
                let ($($part,)+) = self;
                $($part.follow(from, queue, key);)+
            }

            fn note_failure(&mut self, key: Inside) {
                #[allow(non_snake_case)]
                let ($($part,)+) = self;
                $($part.note_failure(key);)+
            }
        }
    )+ };
}
tuples! {
    A;
    A B;
    A B C;
    A B C D;
    A B C D E;
    A B C D E F;
    A B C D E F G;
    A B C D E F G H;
}

macro_rules! lists {
    ($([$($generics:tt)*] $list:ty;)+) => { $(
        impl<$($generics)*> sealed::Payload for $list {
            fn mark_work_done(&self, key: Inside) {
                self.iter().for_each(|part| part.mark_work_done(key));
            }

            fn follow(&self, from: (u64, u64), queue: &RawStream, key: Inside) {
                self.iter().for_each(|part| part.follow(from, queue, key));
            }

            fn note_failure(&mut self, key: Inside) {
                self.iter_mut().for_each(|part| part.note_failure(key));
            }
        }
    )+ };
}
lists! {
    [T: sealed::Payload] Vec<T>;
    [T: sealed::Payload] Option<T>;
    [T: sealed::Payload, const K: usize] [T; K];
}
