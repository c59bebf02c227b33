//! Real objects follow the declared life cycles. The test makes every sequence of up to six calls that the types allow
//! on the simulator, and compares each state with the monitor's.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use ascendcl::{
    Acl, BoundModel, Current, Event, Input, Library, Model, Pending, Scoped, Stream, Thread,
    event::{Recorded, Unrecorded},
    stream::{CustomAllocator, DefaultAllocator, Undecided},
};
use ascendcl_rules::{acl, context, device, event, model, stream};
use ascendcl_sim::{Config, control};
use common::allocators::Empty;

const DEPTH: usize = 6;

/// Whether an object that was made so may live on so.
macro_rules! accepted {
    ($object:ident after $made:ident) => {
        |life: &[$object::Op]| {
            let mut monitor = $object::Monitor::new();
            monitor.step($object::Op::$made, $object::Outcome::Done).is_ok()
                && life.iter().all(|op| monitor.step(*op, $object::Outcome::Done).is_ok())
        }
    };
}

enum AnyStream<'c> {
    Undecided(Stream<Scoped<'c>, Undecided>),
    DefaultAllocator(Stream<Scoped<'c>, DefaultAllocator>),
    With(Stream<Scoped<'c>, CustomAllocator<Empty>>),
    Gone,
}

impl<'c> AnyStream<'c> {
    fn at(&self) -> stream::At {
        match self {
            Self::Undecided(_) => stream::At::Undecided,
            Self::DefaultAllocator(_) => stream::At::DefaultAllocator,
            Self::With(_) => stream::At::CustomAllocator,
            Self::Gone => stream::At::End,
        }
    }

    /// Does the operation if the stream's type has it.
    fn step(self, current: &Current<Scoped<'c>>, op: stream::Op) -> Result<Self, Self> {
        use stream::Op::{Decline, Destroy, Register, Replace, Unregister};
        Ok(match (self, op) {
            (Self::Undecided(own), Register) => Self::With(own.register(current, Empty(())).unwrap()),
            (Self::Undecided(own), Decline) => Self::DefaultAllocator(own.without_allocator()),
            (Self::With(own), Replace) => Self::With(own.replace(current, Empty(())).unwrap().0),
            (Self::With(own), Unregister) => Self::Undecided(own.unregister(current).unwrap().0),
            (Self::Undecided(own), Destroy) => own.destroy(current).map(|()| Self::Gone).unwrap(),
            (Self::DefaultAllocator(own), Destroy) => own.destroy(current).map(|()| Self::Gone).unwrap(),
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
        for life in lives(&[Register, Decline, Replace, Unregister, Destroy], accepted!(stream after Create)) {
            let mut own = AnyStream::Undecided(current.stream().unwrap());
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
    Unrecorded(Event<Scoped<'c>, Unrecorded>),
    Recorded(Event<Scoped<'c>, Recorded>),
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

    fn step(
        self,
        current: &Current<Scoped<'c>>,
        on: &Stream<Scoped<'c>, DefaultAllocator>,
        op: event::Op,
    ) -> Result<Self, Self> {
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
        for life in lives(&[Record, Wait, Measure, Destroy], accepted!(event after Create)) {
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

enum AnyModel<'c> {
    Loaded(Model<Scoped<'c>>),
    Running(Pending<Scoped<'c>, BoundModel<Scoped<'c>>>),
    Gone,
}

impl<'c> AnyModel<'c> {
    fn at(&self) -> model::At {
        match self {
            Self::Loaded(_) => model::At::Loaded,
            Self::Running(_) => model::At::Running,
            Self::Gone => model::At::End,
        }
    }

    fn step(
        self,
        current: &mut Current<Scoped<'c>>,
        on: &Stream<Scoped<'c>, DefaultAllocator>,
        op: model::Op,
    ) -> Result<Self, Self> {
        use model::Op::{Execute, Run, Unload, Wait};
        Ok(match (self, op) {
            (Self::Loaded(mut own), Run) => {
                let input = Input::new(&[1, 64], &[0.0_f32; 64]).unwrap();
                own.run(current, &[input]).unwrap();
                Self::Loaded(own)
            }
            (Self::Loaded(own), Execute) => {
                let own = own.bind(current, &[&[1, 64]], &[&[1, 10]]).unwrap();
                Self::Running(on.execute(current, own).unwrap())
            }
            (Self::Running(own), Execute) => Self::Running(on.execute(current, own).unwrap()),
            (Self::Running(own), Wait) => Self::Loaded(own.wait(current).unwrap().into_model(current).unwrap()),
            (Self::Loaded(own), Unload) => own.unload(current).map(|()| Self::Gone).unwrap(),
            (other, _) => return Err(other),
        })
    }
}

#[test]
fn a_model_is_in_the_state_that_its_life_cycle_says() {
    use model::Op::{Execute, Run, Unload, Wait};
    let machine = common::alone();
    in_a_context(|current| {
        let on = current.stream().unwrap().without_allocator();
        for life in lives(&[Run, Execute, Wait, Unload], accepted!(model after Load)) {
            let mut own = AnyModel::Loaded(current.load_model(common::data("digits.onnx")).unwrap());
            let mut monitor = model::Monitor::new();
            monitor.step(model::Op::Load, model::Outcome::Done).unwrap();
            for op in life {
                let step = own.step(current, &on, op);
                assert_eq!(monitor.step(op, model::Outcome::Done).is_ok(), step.is_ok(), "{op} at {}", monitor.at());
                own = step.unwrap_or_else(|same| same);
                assert_eq!(own.at(), monitor.at());
            }
            drop(own);
            on.synchronize(current).unwrap();
            let _ = current.collect();
        }
    });
    machine.assert_nothing_lives();
}

#[test]
fn a_device_is_set_and_reset_as_its_life_cycle_says() {
    use device::Op::{Reset, ResetOnce, Set, SetAgain};
    let machine = common::alone();
    let acl = Acl::init(Library::Simulator).unwrap();
    let mut thread = Thread::new().unwrap();
    for life in lives(&[true, false], |_| true) {
        let mut taken = vec![acl.device(&mut thread, 0).unwrap()];
        let mut monitor = device::Monitor::new();
        monitor.step(Set, device::Outcome::Done).unwrap();
        for take in life {
            let op = match (take, taken.len()) {
                (true, _) => SetAgain,
                (false, 1) => Reset,
                (false, _) => ResetOnce,
            };
            if take {
                taken.push(acl.device(&mut thread, 0).unwrap());
            } else {
                taken.pop().unwrap().reset(&mut thread).unwrap();
            }
            monitor.step(op, device::Outcome::Done).unwrap();
            // The simulator becomes another machine only while no device is set.
            let is_set = control::configure(Config::new()).is_err();
            assert_eq!((monitor.at() == device::At::Set, taken.is_empty()), (is_set, !is_set), "after {op}");
            if taken.is_empty() {
                break;
            }
        }
        taken.into_iter().for_each(|device| device.reset(&mut thread).unwrap());
    }
    acl.close().unwrap();
    machine.assert_nothing_lives();
}

#[test]
fn the_library_and_a_context_live_as_their_life_cycles_say() {
    use context::Op::{Create, Destroy, MakeCurrent};
    let machine = common::alone();
    for turns in 0..DEPTH {
        let mut library = acl::Monitor::new();
        let mut monitor = context::Monitor::new();
        let acl = Acl::init(Library::Simulator).unwrap();
        library.step(acl::Op::Init, acl::Outcome::Done).unwrap();
        let mut thread = Thread::new().unwrap();
        let device = acl.device(&mut thread, 0).unwrap();
        device
            .context(&mut thread, |context, thread| {
                monitor.step(Create, context::Outcome::Done).unwrap();
                for _ in 0..turns {
                    context.enter(thread, |current| assert_eq!(current.device_id(), 0)).unwrap();
                    monitor.step(MakeCurrent, context::Outcome::Done).unwrap();
                }
                assert_eq!((control::live().contexts, monitor.at()), (1, context::At::Live));
            })
            .unwrap();
        monitor.step(Destroy, context::Outcome::Done).unwrap();
        assert_eq!((control::live().contexts, monitor.at()), (0, context::At::End));
        device.reset(&mut thread).unwrap();
        acl.close().unwrap();
        library.step(acl::Op::Finalize, acl::Outcome::Done).unwrap();
        assert_eq!(library.at(), acl::At::End);
    }
    machine.assert_nothing_lives();
}

fn in_a_context(program: impl FnOnce(&mut Current<Scoped<'_>>)) {
    ascendcl::run(ascendcl::Library::Simulator, |current| {
        program(current);
        Ok::<_, ascendcl::Error>(())
    })
    .unwrap();
}

/// Every sequence of [`DEPTH`] of these operations; one that is refused ends its sequence, for it changes nothing.
fn lives<O: Copy>(operations: &[O], accepted: impl Fn(&[O]) -> bool) -> Vec<Vec<O>> {
    let longer = |life: Vec<O>| match accepted(&life) {
        true => operations.iter().map(|op| [life.as_slice(), &[*op]].concat()).collect(),
        false => vec![life],
    };
    (0..DEPTH).fold(vec![Vec::new()], |lives, _| lives.into_iter().flat_map(&longer).collect())
}
