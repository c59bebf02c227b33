//! The checker and the declared life cycles are of one mind: a call that the monitor of its object refuses breaks a rule
//! for the checker, and a life that the monitor accepts breaks none.

use super::support::*;
use ascendcl_rules::*;

const DEPTH: usize = 5;

/// Where an operation leads, if it can be done.
macro_rules! declared {
    ($life:ident, $at:expr, $op:ident) => {
        $at.after($life::Op::$op, $life::Outcome::Done)
    };
}

/// Plays every life: operations that are accepted, and at most one at its end that is not.
fn agree<At: Copy, Op: Copy + std::fmt::Debug>(
    made: At,
    operations: &[Op],
    after: impl Fn(At, Op) -> Option<At>,
    play: impl Fn(&mut Program, &[(At, Op)]),
) {
    let (mut lives, mut accepted, mut refused) = (vec![(Vec::new(), made)], 0, 0);
    while let Some((life, at)) = lives.pop() {
        for op in operations {
            let life = [life.as_slice(), &[(at, *op)]].concat();
            let found = findings(|p| play(p, &life));
            let names: Vec<Op> = life.iter().map(|(_, op)| *op).collect();
            match after(at, *op) {
                Some(next) => {
                    accepted += 1;
                    assert!(found.is_empty(), "{names:?}: {}", found[0]);
                    if life.len() < DEPTH {
                        lives.push((life, next));
                    }
                }
                None => {
                    refused += 1;
                    assert!(
                        !found.is_empty(),
                        "{names:?} is refused by the monitor and breaks nothing for the checker"
                    );
                }
            }
        }
    }
    assert!(accepted > operations.len() && refused > operations.len(), "{accepted} accepted, {refused} refused");
}

#[derive(Clone, Copy, Debug)]
enum OnEvent {
    Record,
    Wait,
    Measure,
    Destroy,
}

/// Without the reset, which does no harm to an event that was never recorded.
#[test]
fn on_events() {
    use OnEvent::*;
    let after = |at: event::At, op| match op {
        Record => declared!(event, at, Record),
        Wait => declared!(event, at, Wait),
        Measure => declared!(event, at, Measure),
        Destroy => declared!(event, at, Destroy),
    };
    agree(event::At::Unrecorded, &[Record, Wait, Measure, Destroy], after, |p, life| {
        let (stream, other, mark) = (p.stream(), p.stream(), p.mark());
        for (_, op) in life {
            match op {
                Record => p.record(mark, stream),
                Wait => p.wait(other, mark),
                Measure => {
                    p.sync(stream);
                    p.elapsed(mark, mark);
                }
                Destroy => p.destroy(mark),
            }
        }
    });
}

#[derive(Clone, Copy, Debug)]
enum OnStream {
    Register,
    Execute,
    Destroy,
}

/// In C, who executes first has decided, and who registers again replaces. The stream is waited for in between.
#[test]
fn on_streams() {
    use OnStream::*;
    let after = |at: stream::At, op| match (at, op) {
        (stream::At::Undecided, Execute) => declared!(stream, declared!(stream, at, Decline)?, Execute),
        (_, Execute) => declared!(stream, at, Execute),
        (stream::At::CustomAllocator, Register) => declared!(stream, at, Replace),
        (_, Register) => declared!(stream, at, Register),
        (_, Destroy) => declared!(stream, at, Destroy),
    };
    agree(stream::At::Undecided, &[Register, Execute, Destroy], after, |p, life| {
        let own = p.stream();
        for (at, op) in life {
            match op {
                Register => {
                    let descriptor = p.descriptor(&Member::ALL, 1);
                    p.register(own, descriptor);
                }
                Execute => {
                    p.allocating_work(own);
                    p.sync(own);
                }
                Destroy => {
                    // The safe layer's streams do both at once.
                    if *at == stream::At::CustomAllocator {
                        p.unregister(own);
                    }
                    p.destroy(own);
                }
            }
        }
    });
}

#[derive(Clone, Copy, Debug)]
enum OnModel {
    Run,
    Execute,
    Unload,
}

/// The wait is played where it is declared: nothing is wrong with waiting for nothing.
#[test]
fn on_models() {
    use OnModel::*;
    for waits in [false, true] {
        let after = |at: model::At, op| match op {
            Run => declared!(model, at, Run),
            Execute if waits => declared!(model, declared!(model, at, Execute)?, Wait),
            Execute => declared!(model, at, Execute),
            Unload => declared!(model, at, Unload),
        };
        agree(model::At::Loaded, &[Run, Execute, Unload], after, |p, life| {
            let (a, b, stream) = (p.malloc(64), p.malloc(64), p.stream());
            let (own, (input, _), (output, _)) = (p.load(None, None), p.dataset(a), p.dataset(b));
            for (_, op) in life {
                match op {
                    Run => p.run(own, input, output, None),
                    Execute => {
                        p.run(own, input, output, stream);
                        if waits {
                            p.sync(stream);
                        }
                    }
                    Unload => p.unload(own),
                }
            }
        });
    }
}

#[derive(Clone, Copy, Debug)]
enum OnDataset {
    Add,
    Execute,
    Destroy,
}

#[test]
fn on_datasets() {
    use OnDataset::*;
    for waits in [false, true] {
        let after = |at: dataset::At, op| match op {
            Add => declared!(dataset, at, Add),
            Execute if waits => declared!(dataset, declared!(dataset, at, Execute)?, Wait),
            Execute => declared!(dataset, at, Execute),
            Destroy => declared!(dataset, at, Destroy),
        };
        agree(dataset::At::Idle, &[Add, Execute, Destroy], after, |p, life| {
            let (a, b, stream) = (p.malloc(64), p.malloc(64), p.stream());
            let (model, (own, _), (output, _)) = (p.load(None, None), p.dataset(a), p.dataset(b));
            for (_, op) in life {
                match op {
                    Add => {
                        let buffer = p.data_buffer(a, 64);
                        p.add(own, buffer);
                    }
                    Execute => {
                        p.run(model, own, output, stream);
                        if waits {
                            p.sync(stream);
                        }
                    }
                    Destroy => p.destroy(own),
                }
            }
        });
    }
}

/// A descriptor is registered when each of its four life cycles allows that.
#[test]
fn on_descriptors() {
    for set in 0_u8..16 {
        let has = |bit: u8| set & (1 << bit) != 0;
        let mut members = vec![Member::AllocateNear];
        let mut allowed = true;
        let mut needs = |bit, member, registers: [bool; 2]| {
            members.extend(has(bit).then_some(member));
            allowed &= registers[usize::from(has(bit))];
        };
        macro_rules! registers {
            ($life:ident: $without:ident, $with:ident) => {
                [$life::At::$without, $life::At::$with].map(|at| declared!($life, at, Register).is_some())
            };
        }
        needs(0, Member::Object, registers!(descriptor_object: NoObject, Object));
        needs(1, Member::Allocate, registers!(descriptor_allocate: NoAllocate, Allocate));
        needs(2, Member::Free, registers!(descriptor_free: NoFree, Free));
        needs(3, Member::Address, registers!(descriptor_address: NoAddress, Address));
        let found = broken(|p| {
            let (descriptor, stream) = (p.descriptor(&members, 1), p.stream());
            p.register(stream, descriptor);
        });
        assert_eq!(found.is_empty(), allowed, "{members:?}");
        assert_eq!(allowed, set == 15);
    }
}
