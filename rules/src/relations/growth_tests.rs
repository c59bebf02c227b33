//! What the checker keeps of right programs that run for a long time.

use super::*;

const ROUNDS: u64 = 50;
const CONTEXT: u64 = 1000;

/// A process with a device, whose calls come from these threads.
struct Program(Checker, u64);

impl Program {
    fn new() -> Self {
        let mut program = Self(Checker::new(), 0x1_0000);
        program.call(0, Object::PROCESS, Op::Initialise, &[], Outcome::Success);
        program.set(0);
        program
    }

    fn event(thread: u64, object: Object, op: Op, uses: &[Use]) -> Event {
        let event = Event::new("the call", object, op, Thread(thread)).in_context(Some(CONTEXT));
        uses.iter().fold(event, |event, used| event.using(*used))
    }

    fn call(&mut self, thread: u64, object: Object, op: Op, uses: &[Use], outcome: Outcome) {
        let found = self.0.observe(&Self::event(thread, object, op, uses), outcome);
        assert!(found.is_empty(), "{found:?}");
    }

    fn set(&mut self, thread: u64) {
        self.call(thread, Object::device(0), Op::Set, &[], Outcome::Created(CONTEXT));
    }

    fn fresh(&mut self) -> u64 {
        self.1 += 0x100;
        self.1
    }

    fn stream(&mut self) -> Object {
        let number = self.fresh();
        self.call(0, Object::stream(0), Op::Create, &[], Outcome::Created(number));
        Object::stream(number)
    }

    fn mark(&mut self) -> Object {
        let number = self.fresh();
        let event = Self::event(0, Object::event(0), Op::Create, &[]).flag(crate::events::Flag::Waitable);
        assert!(self.0.observe(&event, Outcome::Created(number)).is_empty());
        Object::event(number)
    }

    /// Queues a callback; what comes back begins it.
    fn launch(&mut self, stream: Object, outcome: Outcome) -> Object {
        let callback = Object::callback(self.fresh());
        let uses = [Use::Queue(stream), Use::With(callback)];
        self.call(0, stream, Op::LaunchHostFunction, &uses, outcome);
        callback
    }

    /// Lets the first stream wait for work of a new one.
    fn waits_for_another(&mut self, first: Object, mark: Object) -> Object {
        let other = self.stream();
        self.call(0, mark, Op::Record, &[Use::Queue(other)], Outcome::Success);
        self.call(0, mark, Op::Await, &[Use::Queue(first)], Outcome::Success);
        other
    }

    fn sync(&mut self, stream: Object) {
        self.call(0, stream, Op::Synchronize, &[], Outcome::Success);
    }

    fn sets(&self) -> usize {
        self.0.world.devices.values().map(|device| device.sets.len()).sum()
    }
}

#[test]
fn a_device_that_is_set_again_and_again_takes_one_place_per_thread() {
    let mut program = Program::new();
    for round in 1..ROUNDS {
        program.set(0);
        program.set(round);
        program.call(round, Object::PROCESS, Op::EndThread, &[], Outcome::Success);
    }
    program.set(ROUNDS);
    assert!(program.sets() <= 3, "two threads, and those that have ended: {}", program.sets());
    // Each of them counts.
    for _ in 0..2 * ROUNDS {
        assert!(program.0.world.contexts.get(Object::context(CONTEXT)).is_some());
        program.call(0, Object::device(0), Op::Reset, &[], Outcome::Success);
    }
    assert_eq!(program.sets(), 0);
    assert!(program.0.world.contexts.get(Object::context(CONTEXT)).is_none());
}

#[test]
fn the_host_forgets_streams_that_end_before_a_callback_behind_them() {
    let mut program = Program::new();
    let (first, mark) = (program.stream(), program.mark());
    for _ in 0..ROUNDS {
        let other = program.waits_for_another(first, mark);
        let callback = program.launch(first, Outcome::Success);
        program.sync(other);
        program.call(0, other, Op::Destroy, &[], Outcome::Success);
        program.call(7, callback, Op::Begin, &[], Outcome::Success);
    }
    let known = program.0.world.host.len();
    assert!(known <= 2, "{known} streams for one that lives");
}

#[test]
fn the_host_forgets_streams_that_end_during_a_wait_for_what_is_behind_them() {
    let mut program = Program::new();
    program.set(1);
    let (first, mark) = (program.stream(), program.mark());
    for _ in 0..ROUNDS {
        let other = program.waits_for_another(first, mark);
        let wait = Program::event(1, first, Op::Synchronize, &[]);
        assert!(program.0.judge(&wait).is_empty());
        program.sync(other);
        program.call(0, other, Op::Destroy, &[], Outcome::Success);
        program.0.commit(&wait, Outcome::Success);
    }
    let known = program.0.world.host.len();
    assert!(known <= 2, "{known} streams for one that lives");
}

#[test]
fn a_callback_that_never_begins_leaves_nothing() {
    let mut program = Program::new();
    let stays = program.stream();
    for _ in 0..ROUNDS {
        program.launch(stays, Outcome::Refused);
        for discards in [Op::DestroyForce, Op::Abort] {
            let stream = program.stream();
            program.launch(stream, Outcome::Success);
            program.call(0, stream, discards, &[], Outcome::Success);
            if discards == Op::Abort {
                program.sync(stream);
                program.call(0, stream, Op::Destroy, &[], Outcome::Success);
            }
        }
    }
    let world = &program.0.world;
    assert_eq!((world.callbacks.len(), world.running.len()), (0, 0));
    program.launch(stays, Outcome::Success);
    assert_eq!(program.0.world.callbacks.len(), 1, "one that may begin");
}

/// Streams hand their results to one stream, which waits behind a callback of each.
#[test]
fn callbacks_that_have_run_leave_nothing() {
    let mut program = Program::new();
    let (waits, mark) = (program.stream(), program.mark());
    for ends in [false, true] {
        let mut stream = program.stream();
        for _ in 0..ROUNDS {
            let callback = program.launch(stream, Outcome::Success);
            program.call(0, mark, Op::Record, &[Use::Queue(stream)], Outcome::Success);
            program.call(0, mark, Op::Await, &[Use::Queue(waits)], Outcome::Success);
            let mut begins = Program::event(7, callback, Op::Begin, &[]);
            begins.inside = Some(stream);
            assert!(program.0.observe(&begins, Outcome::Success).is_empty());
            if ends {
                program.sync(waits);
                program.call(0, stream, Op::Destroy, &[], Outcome::Success);
                stream = program.stream();
            }
        }
        let world = &program.0.world;
        let behind: usize = world.streams.live().map(|(_, stream)| stream.data.behind.len()).sum();
        assert!(behind <= 2 && world.running.len() <= 2, "{behind} and {}", world.running.len());
    }
}
