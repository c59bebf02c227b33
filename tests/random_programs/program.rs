//! A program: the steps of each thread, a machine, and its faults.

use crate::random::Random;
use ascendcl_sim::{Checks, Config};
use std::time::Duration;

/// A program as data. Steps that find nothing to work on do nothing, so any part of a program is a program.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub(crate) machine: Machine,
    pub(crate) faults: Faults,
    /// The context is a view of the device's default one.
    pub(crate) in_default_context: bool,
    /// What the threads still have at the end is forgotten, and not dropped.
    pub(crate) forgets: bool,
    /// A program that recovers its device resets it in any case.
    pub(crate) resets: bool,
    pub(crate) threads: Vec<Vec<Step>>,
}

/// What releases and products differ in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Machine {
    pub(crate) on_device: bool,
    /// Where the manual says more than the library that was measured.
    pub(crate) documented: bool,
    vendor_waits: bool,
    reuse_handles: bool,
    copy_at_once: bool,
    slow_destroy: bool,
}

/// What does not fail in programs of several threads: a thread that cannot leave a context, and ends, keeps the context
/// for good. The vendor's library never frees it then, and the crate says so (CTX-11, CTX-14).
pub(crate) const NOT_REFUSED: &str = "aclrtSetCurrentContext";

/// The same, with two failures after the call that sets the device: then the default context is unknown.
pub(crate) const NOT_UNTOLD: &str = "aclrtGetCurrentContext";

/// What goes wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Faults {
    /// As the simulator takes it.
    pub(crate) plan: String,
    pub(crate) kind: Kind,
    /// After a hang the program recovers the device; else the device goes on by itself. What hangs in a default context
    /// or on a default stream can be lost for good then, so such a program uses neither.
    pub(crate) recovers: bool,
    /// A call that fails fails each time.
    pub(crate) last: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// Nothing, or work that is slow.
    None,
    /// One call fails.
    One,
    /// Several calls fail.
    Several,
    /// The devices are full.
    Full,
    /// The devices are lost.
    Lost,
    /// The devices hang.
    Hangs,
}

/// A step, and numbers that choose what it works on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub(crate) what: What,
    pub(crate) a: u16,
    pub(crate) b: u16,
}

macro_rules! kinds_of_steps {
    ($($what:ident * $weight:literal),+ $(,)?) => {
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(crate) enum What { $($what),+ }

        /// Each kind as often as its weight says.
        const STEPS: &[(What, u64)] = &[$((What::$what, $weight)),+];
    };
}

kinds_of_steps! {
    // Streams, events, pools.
    Stream * 5, PooledStream * 4, FreshStream * 1, EndStream * 3, Synchronize * 3,
    TrimPool * 2, ReplacePool * 2, UnregisterPool * 2, RegisterPool * 2,
    Record * 6, RecordAgain * 3, WaitForEvent * 5, SynchronizeEvent * 3, QueryEvent * 2, MeasureEvents * 2, EndEvent * 2,
    // Memory.
    Upload * 5, HostBuffer * 6, PageableBuffer * 4, WriteDevice * 3, FillHost * 3, CheckDevice * 5, CheckHost * 5,
    EndDeviceBuffer * 3, EndHostBuffer * 3, Lend * 3,
    // Work.
    SetBytes * 8, CopyToDevice * 9, CopyToHost * 9, CopyOnDevice * 5, CopyPart * 5, Share * 4, CallBack * 4,
    LoadModel * 2, WriteInput * 3, Execute * 6, RunModel * 2, ReadOutput * 3, CopyToInput * 3, CopyFromOutput * 3, EndModel * 2,
    Operator * 6, LaunchAgain * 3, WorkspaceLane * 1, AllocatorGroup * 1,
    // Captured graphs.
    Capture * 4, Replay * 12, UseOperands * 4, EndGraph * 2, UpdateGraph * 3, Condition * 3, PooledGraph * 6,
    // Work in flight.
    Wait * 12, WaitWithin * 4, Await * 5, PollAndDrop * 2, PollAndGoOn * 2, ForgetFuture * 2, Query * 3, JoinAndWait * 4,
    TakeOver * 6, DropFlight * 3, ForgetFlight * 2, WaitForAll * 2,
    // Contexts and threads.
    EnterSame * 2, EnterOther * 2, EnterOuter * 2, Leave * 4, Give * 6, Take * 6, Collect * 4, SynchronizeAll * 2, Foreign * 1,
    SecondThread * 1, CloseByForce * 2,
}

impl Program {
    /// The program that these numbers make.
    pub(crate) fn of(mut random: Random) -> Self {
        let threads = random.one_of(&[1, 1, 2, 2, 3]);
        let mut faults = Faults::random(&mut random);
        if threads > 1 && matches!(faults.kind, Kind::One | Kind::Several) {
            // If several faults hit one call, the first counts, and these have no effect.
            faults.plan = format!("{NOT_REFUSED}=slow:0us,{NOT_UNTOLD}=slow:0us,{}", faults.plan);
        }
        let recovers = faults.recovers;
        let longest = if faults.kind == Kind::Hangs { 15 } else { 70 };
        let sum: u64 = STEPS.iter().map(|(_, weight)| weight).sum();
        let step = |random: &mut Random| {
            let mut left = random.below(sum);
            let found = STEPS.iter().find(|(_, weight)| {
                let here = left < *weight;
                left = left.saturating_sub(*weight);
                here
            });
            Step { what: found.unwrap().0, a: random.next() as u16, b: random.next() as u16 }
        };
        let mut steps = || {
            let length = 5 + random.below(longest);
            let mut steps: Vec<_> = (0..length).map(|_| step(&mut random)).collect();
            if random.below(2) == 0 {
                steps.push(Step { what: What::WaitForAll, a: 0, b: 0 });
            }
            steps
        };
        let (several, threads) = (threads, (0..threads).map(|_| steps()).collect());
        Self {
            machine: Machine {
                on_device: random.once_in(5),
                documented: random.once_in(2),
                vendor_waits: random.once_in(2),
                // The checker takes the end of one object for that of the next with the same handle, when two threads
                // meet so.
                reuse_handles: random.once_in(2) && several == 1,
                copy_at_once: random.once_in(4),
                slow_destroy: random.once_in(100),
            },
            faults,
            in_default_context: random.once_in(5) && !recovers,
            forgets: random.once_in(3),
            resets: random.once_in(2),
            threads,
        }
    }
}

impl Program {
    /// One operator on a stream whose pool is trimmed before. The second allocation of the program gives the pool new
    /// memory.
    pub(crate) fn with_a_pool_that_is_trimmed(plan: &str) -> Self {
        let step = |what| Step { what, a: 0, b: 0 };
        let faults = Faults { plan: plan.into(), kind: Kind::One, recovers: false, last: false };
        let steps = [What::PooledStream, What::TrimPool, What::Operator, What::WaitForAll];
        let threads = vec![steps.map(step).to_vec()];
        Self { faults, in_default_context: false, forgets: false, threads, ..Self::of(Random::new(0)) }
    }

    /// With these steps of each thread only.
    pub(crate) fn with_steps(mut self, kept: &[Vec<usize>]) -> Self {
        for (steps, kept) in self.threads.iter_mut().zip(kept) {
            *steps = kept.iter().map(|at| steps[*at]).collect();
        }
        self
    }
}

impl Faults {
    fn random(random: &mut Random) -> Self {
        const CODES: [i32; 4] = [507_899, 207_001, 207_000, 507_018];
        /// What a call of these did although it failed is no contradiction to what the program knows.
        const ALTHOUGH: [&str; 5] =
            ["aclrtMemcpyAsync", "aclmdlExecuteAsync", "aclopExecuteV2", "aclrtRecordEvent", "aclrtStreamWaitEvent"];
        const AFTERWARDS: [&str; 6] = [
            NOT_REFUSED,
            NOT_REFUSED,
            "aclrtSynchronizeStreamWithTimeout",
            "aclrtDestroyStream",
            "aclrtFree",
            "aclmdlUnload",
        ];
        /// What ends something, or shows that it is over. The library refuses it until it is well again.
        const ENDS: [&str; 18] = [
            "aclmdlRICaptureEnd",
            "aclmdlRIDestroy",
            "aclmdlRIUnbindStream",
            "aclmdlRIBuildEnd",
            "aclmdlRICaptureTaskUpdateEnd",
            "aclmdlDestroyDataset",
            "aclDestroyDataBuffer",
            "aclDestroyTensorDesc",
            "aclmdlUnload",
            "aclrtDestroyEvent",
            "aclrtDestroyStream",
            "aclrtDestroyLabelList",
            "aclrtAllocatorDestroyDesc",
            "aclrtAllocatorUnregister",
            "aclrtFree",
            "aclrtFreeHost",
            "aclrtSynchronizeStreamWithTimeout",
            "aclrtDestroyContext",
        ];
        let refused = |random: &mut Random| format!("{}={}", random.one_of(&ENDS), random.one_of(&CODES));
        let position = |random: &mut Random| {
            let last = random.one_of(&[30, 120, 400]);
            1 + random.below(last)
        };
        let fails = |random: &mut Random| format!("*#{}={}", position(random), random.one_of(&CODES));
        let (kind, plan) = match random.below(100) {
            0..22 => (Kind::None, String::new()),
            22..28 => {
                let count = 1 + random.below(3);
                (Kind::Several, (0..count).map(|_| refused(random)).collect::<Vec<_>>().join(","))
            }
            28..35 => {
                // What puts back, waits and takes down comes seldom among all calls.
                let call = random.one_of(&AFTERWARDS);
                (Kind::One, format!("{call}#{}={}", 1 + random.below(12), random.one_of(&CODES)))
            }
            35..45 => (Kind::None, format!("*#1=slow:{}us", 50 + random.below(400))),
            45..67 => (Kind::One, fails(random)),
            67..75 => (Kind::One, format!("{}#{}=after:507899", random.one_of(&ALTHOUGH), 1 + random.below(6))),
            75..85 => {
                let count = 2 + random.below(3);
                (Kind::Several, (0..count).map(|_| fails(random)).collect::<Vec<_>>().join(","))
            }
            85..91 => (Kind::Full, format!("*#{}=full", position(random))),
            91..98 => (Kind::Lost, format!("*#{}=lost", position(random))),
            _ => (Kind::Hangs, format!("*#{}=hang", position(random))),
        };
        let last = kind == Kind::Several && !plan.contains('#');
        Self { plan, kind, recovers: random.once_in(2) && kind == Kind::Hangs, last }
    }

    /// How long the end of a scope waits for each stream.
    pub(crate) fn patience(&self) -> Duration {
        Duration::from_millis(if self.kind == Kind::Hangs { 30 } else { 20_000 })
    }
}

impl Machine {
    pub(crate) fn config(self) -> Config {
        Config::new()
            .devices(crate::forcing::DEVICES)
            .on_device(self.on_device)
            .documented(self.documented)
            .vendor_waits(self.vendor_waits)
            .reuse_handles(self.reuse_handles)
            .copy_at_once(self.copy_at_once)
            .slow_destroy(self.slow_destroy)
            .checks(Checks::Report)
    }
}
