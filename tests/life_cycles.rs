//! Real streams and events live by the declared life cycles: what their types offer is done on the simulator, up to six
//! calls in a row, and the monitor goes along to the state that the type then has.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use ascendcl::{Current, DeviceAddress, DeviceAllocator, Event, Fresh, Plain, Recorded, Stream, Unrecorded, With};
use ascendcl_rules::{event, stream};

const DEPTH: usize = 6;

#[derive(Debug)]
struct Empty;

// SAFETY: it never has a block.
unsafe impl DeviceAllocator for Empty {
    type Block = DeviceAddress;

    fn allocate(&mut self, _: usize) -> Option<DeviceAddress> {
        None
    }

    fn address(&self, block: &DeviceAddress) -> DeviceAddress {
        *block
    }

    fn free(&mut self, _: DeviceAddress) {}
}

enum AnyStream<'c> {
    Fresh(Stream<'c, Fresh>),
    Plain(Stream<'c, Plain>),
    With(Stream<'c, With<Empty>>),
    Gone,
}

impl<'c> AnyStream<'c> {
    fn at(&self) -> stream::At {
        match self {
            Self::Fresh(_) => stream::At::Fresh,
            Self::Plain(_) => stream::At::Plain,
            Self::With(_) => stream::At::With,
            Self::Gone => stream::At::End,
        }
    }

    /// Does the operation if the stream's type has it.
    fn step(self, current: &Current<'c>, op: stream::Op) -> Result<Self, Self> {
        use stream::Op::{Decline, Destroy, Register, Replace, Unregister};
        Ok(match (self, op) {
            (Self::Fresh(own), Register) => Self::With(own.register(current, Empty).unwrap()),
            (Self::Fresh(own), Decline) => Self::Plain(own.without_allocator()),
            (Self::With(own), Replace) => Self::With(own.replace(current, Empty).unwrap().0),
            (Self::With(own), Unregister) => Self::Fresh(own.unregister(current).unwrap().0),
            (Self::Fresh(own), Destroy) => own.destroy(current).map(|()| Self::Gone).unwrap(),
            (Self::Plain(own), Destroy) => own.destroy(current).map(|()| Self::Gone).unwrap(),
            (Self::With(own), Destroy) => own.destroy(current).map(|()| Self::Gone).unwrap(),
            (other, _) => return Err(other),
        })
    }
}

#[test]
fn a_stream_is_in_the_state_that_its_life_cycle_says() {
    use stream::Op::{Decline, Destroy, Register, Replace, Unregister};
    let machine = common::alone();
    in_a_context(|current| {
        let mut refused = 0;
        for life in lives(&[Register, Decline, Replace, Unregister, Destroy]) {
            let mut own = AnyStream::Fresh(current.stream().unwrap());
            let mut monitor = stream::Monitor::new();
            monitor.step(stream::Op::Create, stream::Outcome::Done).unwrap();
            for op in life {
                let step = own.step(current, op);
                assert_eq!(monitor.step(op, stream::Outcome::Done).is_ok(), step.is_ok(), "{op} at {}", monitor.at());
                refused += usize::from(step.is_err());
                own = step.unwrap_or_else(|same| same);
                assert_eq!(own.at(), monitor.at());
            }
            drop(own);
            let _ = current.collect();
        }
        assert!(refused > 0);
    });
    machine.assert_nothing_lives();
}

enum AnyEvent<'c> {
    Unrecorded(Event<'c, Unrecorded>),
    Recorded(Event<'c, Recorded>),
    Gone,
}

impl<'c> AnyEvent<'c> {
    fn at(&self) -> event::At {
        match self {
            Self::Unrecorded(_) => event::At::Unrecorded,
            Self::Recorded(_) => event::At::Recorded,
            Self::Gone => event::At::End,
        }
    }

    fn step(self, current: &Current<'c>, on: &Stream<'c, Plain>, op: event::Op) -> Result<Self, Self> {
        use event::Op::{Destroy, Measure, Record, Wait};
        Ok(match (self, op) {
            (Self::Unrecorded(own), Record) => Self::Recorded(on.record(current, own).unwrap()),
            (Self::Recorded(own), Record) => Self::Recorded(on.record(current, own).unwrap()),
            (Self::Recorded(own), Wait) => on.wait_for(current, &own).map(|()| Self::Recorded(own)).unwrap(),
            (Self::Recorded(own), Measure) => {
                assert_eq!(own.milliseconds_since(current, &own).unwrap(), 0.0);
                Self::Recorded(own)
            }
            (Self::Unrecorded(own), Destroy) => own.destroy(current).map(|()| Self::Gone).unwrap(),
            (Self::Recorded(own), Destroy) => own.destroy(current).map(|()| Self::Gone).unwrap(),
            (other, _) => return Err(other),
        })
    }
}

#[test]
fn an_event_is_in_the_state_that_its_life_cycle_says() {
    use event::Op::{Destroy, Measure, Record, Wait};
    let machine = common::alone();
    in_a_context(|current| {
        let on = current.stream().unwrap().without_allocator();
        for life in lives(&[Record, Wait, Measure, Destroy]) {
            let mut own = AnyEvent::Unrecorded(current.event().unwrap());
            let mut monitor = event::Monitor::new();
            monitor.step(event::Op::Create, event::Outcome::Done).unwrap();
            for op in life {
                let step = own.step(current, &on, op);
                assert_eq!(monitor.step(op, event::Outcome::Done).is_ok(), step.is_ok(), "{op} at {}", monitor.at());
                own = step.unwrap_or_else(|same| same);
                assert_eq!(own.at(), monitor.at());
            }
            drop(own);
            let _ = current.collect();
        }
    });
    machine.assert_nothing_lives();
}

fn in_a_context(program: impl FnOnce(&mut Current<'_>)) {
    ascendcl::run(ascendcl::Library::Simulator, |current| {
        program(current);
        Ok::<_, ascendcl::Error>(())
    })
    .unwrap();
}

/// Every sequence of [`DEPTH`] of these operations: shorter ones are their beginnings.
fn lives<O: Copy>(operations: &[O]) -> Vec<Vec<O>> {
    let longer = |lives: Vec<Vec<O>>, _| {
        lives.iter().flat_map(|life| operations.iter().map(|op| [life.as_slice(), &[*op]].concat())).collect()
    };
    (0..DEPTH).fold(vec![Vec::new()], longer)
}
