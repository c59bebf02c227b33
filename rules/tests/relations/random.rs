//! Random programs: none makes the checker panic, and none that keeps the rules is found to break one.

use super::support::*;
use ascendcl_rules::*;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// A run takes the same programs each time. With `PROPTEST_CASES=6000` it takes so many, others each time; `PROPTEST_RNG_SEED=17`
/// takes those of this seed.
fn config() -> ProptestConfig {
    let by_hand = ["PROPTEST_CASES", "PROPTEST_RNG_SEED"].iter().any(|name| std::env::var_os(name).is_some());
    let given = ProptestConfig::default();
    if by_hand { given } else { ProptestConfig { cases: 400, rng_seed: RngSeed::Fixed(1), ..given } }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn no_sequence_of_events_panics(calls in prop::collection::vec(any_call(), 0..200)) {
        let mut checker = Checker::new();
        let mut open: Vec<Event> = Vec::new();
        for (event, outcome, overlaps) in calls {
            checker.judge(&event).iter().for_each(|finding| assert!(finding.to_string().lines().count() > 4));
            if overlaps {
                open.push(event);
            } else {
                checker.commit(&event, outcome);
            }
        }
        open.iter().rev().for_each(|event| checker.commit(event, Outcome::Success));
        open.iter().for_each(|event| checker.commit(event, Outcome::Refused));
    }

    #[test]
    fn no_correct_program_is_found_to_break_a_rule(steps in prop::collection::vec(any::<[u8; 4]>(), 0..200)) {
        let mut correct = Correct::new();
        steps.into_iter().for_each(|step| correct.step(step));
        correct.end();
        prop_assert!(correct.program.findings.is_empty(), "{}", correct.program.findings[0]);
    }
}

fn any_object() -> impl Strategy<Value = Object> {
    (prop::sample::select(Kind::ALL), 0_u64..4).prop_map(|(kind, number)| Object { kind, number })
}

fn any_call() -> impl Strategy<Value = (Event, Outcome, bool)> {
    let ops = prop::sample::select(Op::ALL);
    let outcomes = prop::sample::select(vec![
        Outcome::Success,
        Outcome::Created(1),
        Outcome::Created(2),
        Outcome::Created(u64::MAX),
        Outcome::Refused,
        Outcome::TimedOut,
        Outcome::WorkFailed,
        Outcome::NotReady,
    ]);
    let flags = prop::sample::subsequence(Flag::ALL, 0..4);
    let uses = prop::collection::vec(any_use(), 0..4);
    let thread = (0_u64..3, prop::option::of(0_u64..4), any::<bool>());
    (any_object(), ops, outcomes, uses, flags, thread).prop_map(|(object, op, outcome, uses, flags, thread)| {
        let (number, context, overlaps) = thread;
        let mut event = Event::new("aclCall", object, op, Thread(number)).in_context(context);
        (event.uses, event.flags) = (uses, flags);
        (event, outcome, overlaps)
    })
}

fn any_use() -> impl Strategy<Value = Use> {
    let memory = (
        prop::sample::select(vec![0, 1, 2, u64::MAX]),
        prop::sample::select(vec![0, 1, 64, u64::MAX]),
        prop::sample::select(Role::ALL),
        any::<bool>(),
        prop::sample::select(vec![None, DEVICE, HOST]),
    );
    prop_oneof![
        any_object().prop_map(Use::Queue),
        any_object().prop_map(Use::With),
        any_object().prop_map(Use::Inputs),
        any_object().prop_map(Use::Outputs),
        memory.prop_map(|(start, bytes, role, write, claimed)| {
            let access = if write { Access::Write } else { Access::Read };
            Use::Memory { span: Span::new(start, bytes), access, role, claimed }
        }),
    ]
}

/// A program that keeps the rules: it remembers who used what last, in the simplest way that is right, and waits for that
/// before anybody else uses it.
struct Correct {
    program: Program,
    streams: Vec<Object>,
    blocks: Vec<Block>,
    pinned: Vec<Object>,
    models: Vec<(Object, Object, usize)>,
}

#[derive(Clone, Copy)]
struct Block {
    object: Object,
    /// The stream whose work used it last, since it was awaited.
    user: Option<Object>,
}

impl Correct {
    fn new() -> Self {
        let mut program = Program::new();
        program.init();
        program.set(0);
        program.on(1).set(0);
        program.on(0);
        let streams = (0..3).map(|_| program.stream()).collect();
        Self { program, streams, blocks: Vec::new(), pinned: Vec::new(), models: Vec::new() }
    }

    fn step(&mut self, [what, a, b, how]: [u8; 4]) {
        self.program.on(u64::from(how >> 7));
        let stream = self.streams[usize::from(a) % self.streams.len()];
        match what % 8 {
            0 => {
                let pinned = how % 2 == 1;
                let object = if pinned { self.program.malloc_host(256) } else { self.program.malloc(256) };
                self.pinned.extend(pinned.then_some(object));
                self.blocks.push(Block { object, user: None });
            }
            1..=3 if !self.blocks.is_empty() => {
                let [to, from] = [a, b].map(|index| usize::from(index) % self.blocks.len());
                if to != from {
                    self.order(to, stream, how);
                    self.order(from, stream, how);
                    self.program.copy(self.blocks[to].object, self.blocks[from].object, stream);
                    self.blocks[to].user = Some(stream);
                    self.blocks[from].user = Some(stream);
                }
            }
            4 => self.wait(stream, how),
            5 if self.blocks.len() > 1 => {
                let index = usize::from(b) % self.blocks.len();
                if self.models.iter().all(|(_, _, used)| *used != index && *used != self.blocks.len() - 1) {
                    self.settle(index, how);
                    let block = self.blocks.swap_remove(index).object;
                    self.free(block);
                }
            }
            6 if !self.blocks.is_empty() => {
                let [to, from] = [a, b].map(|index| usize::from(index) % self.blocks.len());
                if to != from {
                    self.settle(to, how);
                    self.settle(from, how);
                    self.program.copy(self.blocks[to].object, self.blocks[from].object, None);
                }
            }
            _ => self.run(stream, how),
        }
    }

    /// Lets the stream wait for what the block's last user does.
    fn order(&mut self, block: usize, stream: Object, how: u8) {
        let Some(user) = self.blocks[block].user.filter(|user| *user != stream) else { return };
        if how.is_multiple_of(2) {
            let mark = self.program.mark();
            self.program.record(mark, user);
            self.program.wait(stream, mark);
            self.program.destroy(mark);
        } else {
            self.wait(user, how);
        }
    }

    /// Waits for what the block's last user does.
    fn settle(&mut self, block: usize, how: u8) {
        if let Some(user) = self.blocks[block].user {
            self.wait(user, how);
        }
    }

    fn wait(&mut self, stream: Object, how: u8) {
        match how % 4 {
            0 => self.program.sync(stream),
            1 => self.program.sync_device(),
            2 => self.program.call("aclrtStreamQuery", stream, Op::Query),
            _ => {
                let mark = self.program.mark();
                self.program.record(mark, stream);
                self.program.call("aclrtSynchronizeEvent", mark, Op::Synchronize);
                self.program.destroy(mark);
            }
        }
        for block in &mut self.blocks {
            block.user = block.user.filter(|user| *user != stream && how % 4 != 1);
        }
    }

    /// A model of its own for each run, on a block of its own.
    fn run(&mut self, stream: Object, how: u8) {
        let object = self.program.malloc(256);
        let model = self.program.load(None, None);
        let (data, _) = self.program.dataset(object);
        self.program.run(model, data, data, stream);
        self.blocks.push(Block { object, user: Some(stream) });
        self.models.push((model, data, self.blocks.len() - 1));
        if how.is_multiple_of(2) {
            self.wait(stream, how / 2);
        }
    }

    fn free(&mut self, block: Object) {
        if self.pinned.contains(&block) { self.program.free_host(block) } else { self.program.free(block) }
    }

    fn end(&mut self) {
        self.program.on(0);
        self.program.sync_device();
        for (model, ..) in std::mem::take(&mut self.models) {
            self.program.unload(model);
        }
        for stream in std::mem::take(&mut self.streams) {
            self.program.destroy(stream);
        }
        for block in std::mem::take(&mut self.blocks) {
            self.free(block.object);
        }
        self.program.reset(0);
        self.program.on(1).reset(0);
    }
}
