//! Random lives of several runtimes on two devices, in several threads: opened, entered, closed, closed by force, dropped and
//! swept, with handles that go from one to the other. Whatever they do: no call panics or lasts, no rule is broken, a wait
//! gives the right data or an error, and at the end all of them are closed and nothing is left.
//!
//! `ASCENDCL_RANDOM_LIVES=600` goes on with other seeds for so many seconds; `ASCENDCL_RANDOM_LIFE=17` runs that seed alone.

use super::*;
use crate::common::plans::try_next;
use ascendcl::DeviceBuffer;
use ascendcl::context::ContextId;
use ascendcl::stream::WhenDone;
use ascendcl_sim::{Config, Fault};
use std::pin::Pin;
use std::task::{self, Poll, Waker};

/// As in `forcing`: no other test leaves these devices taken.
const DEVICES: [i32; 2] = [2, 3];
const STEPS: usize = 40;
const SEEDS: u64 = 24;
/// The longest duration of one life.
const LASTS: Duration = Duration::from_secs(60);
/// How many runtimes there are at a time.
const MANY: usize = 5;

struct Random(u64);

impl Random {
    /// A number below `end`.
    fn below(&mut self, end: usize) -> usize {
        // The constants are Knuth's; the upper bits are the ones that vary.
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }

    fn one_in(&mut self, end: usize) -> bool {
        self.below(end) == 0
    }
}

/// Work of one of the runtimes, in flight or done.
struct Work {
    of: ContextId,
    value: u8,
    stream: Stream<Worker>,
    state: State,
}

enum State {
    Queued(Pending<Worker, DeviceBuffer<Worker, u8>>),
    Watched(WhenDone<Worker, DeviceBuffer<Worker, u8>>),
    Done(DeviceBuffer<Worker, u8>),
}

/// What the threads share.
struct World {
    runtimes: Mutex<Vec<Arc<Runtime<Worker>>>>,
    works: Mutex<Vec<Work>>,
    hangs: bool,
    /// How long each wait for the device may last.
    patience: Duration,
}

impl World {
    fn any(&self, random: &mut Random) -> Option<Arc<Runtime<Worker>>> {
        let runtimes = self.runtimes.lock().unwrap();
        if runtimes.is_empty() { None } else { Some(Arc::clone(&runtimes[random.below(runtimes.len())])) }
    }

    /// An error is one of a device that hangs, or of a runtime that is not there any more.
    fn is_due(&self, error: &Error) {
        let is_late = matches!(error, Error::Gone { .. } | Error::WrongContext { .. } | Error::DeviceShared { .. });
        assert!(is_late || self.hangs, "{error}");
        // No fault has a code of misuse: such a code comes of the crate. But for the one of work that was discarded.
        const DISCARDED: i32 = 107_023;
        let code = error.code().map_or(0, |code| code.number());
        let is_misuse = code != DISCARDED && (100_000..200_000).contains(&code);
        assert!(!is_misuse, "the library says that it was misused: {error}");
    }

    fn was_closed(&self, closed: Result<Vec<String>, CloseError>) {
        match closed {
            Ok(lost) => assert!(lost.is_empty() || self.hangs, "{lost:?}"),
            Err(CloseError::Busy { .. } | CloseError::Closing) => {}
            Err(CloseError::Teardown { errors }) => errors.iter().for_each(|error| self.is_due(error)),
            Err(refused) => panic!("{refused}"),
        }
    }

    fn open(&self, random: &mut Random) {
        if self.runtimes.lock().unwrap().len() >= MANY {
            return;
        }
        let (device, default) = (DEVICES[random.below(DEVICES.len())], random.one_in(3));
        let setup = Setup::builder().library(library()).device(device).default_context(default);
        match Runtime::open(setup.teardown_timeout(self.patience).build()) {
            Ok(runtime) => self.runtimes.lock().unwrap().push(Arc::new(runtime)),
            Err(error) => self.is_due(&error),
        }
    }

    /// Queues a set on a stream of its own, or on one that came from another runtime.
    fn queue(&self, random: &mut Random) {
        let Some(runtime) = self.any(random) else { return };
        let (of, value, other) = (runtime.id(), random.below(200) as u8, self.take(random));
        let queued = runtime.with(|current| {
            if let Some(other) = &other
                && let Ok(work) = other.stream.set_bytes(current, current.device_buffer::<u8>(8)?, value)
            {
                assert_eq!(other.of, of, "work was queued on a stream of another runtime");
                drop(work);
            }
            let (stream, buffer) = (current.stream()?, current.device_buffer::<u8>(8)?);
            let work = stream.set_bytes(current, buffer, value).map_err(Error::from)?;
            Ok(Work { of, value, stream, state: State::Queued(work) })
        });
        match queued.and_then(|queued| queued) {
            Ok(work) => self.give(work),
            Err(error) => self.is_due(&error),
        }
        other.into_iter().for_each(|work| self.give(work));
    }

    /// Waits for work, and looks at what it did, in any of the runtimes.
    fn wait(&self, random: &mut Random) {
        let (Some(runtime), Some(work)) = (self.any(random), self.take(random)) else { return };
        let Work { of, value, stream, state } = work;
        let is_own = runtime.id() == of;
        let mut left = None;
        let state = match state {
            // Its thread looks at the event, also while the runtime is being closed.
            State::Watched(mut future) => {
                match Pin::new(&mut future).poll(&mut task::Context::from_waker(Waker::noop())) {
                    Poll::Ready(work) => State::Queued(work),
                    Poll::Pending => return self.give(Work { of, value, stream, state: State::Watched(future) }),
                }
            }
            other => other,
        };
        let is_watched = random.one_in(3);
        let waited = runtime.with(|current| {
            let buffer = match state {
                State::Done(buffer) => buffer,
                State::Watched(_) => unreachable!("it was polled"),
                State::Queued(work) if is_watched => {
                    left = Some(match work.when_done(current, &stream) {
                        Ok(future) => State::Watched(future),
                        Err(failed) => State::Queued(failed.value),
                    });
                    return Ok(None);
                }
                State::Queued(work) => match work.wait_within(current, self.patience) {
                    Ok(buffer) => buffer,
                    Err(failed) => {
                        left = Some(State::Queued(failed.value));
                        return Err(failed.error);
                    }
                },
            };
            let read = buffer.to_vec(current);
            left = Some(State::Done(buffer));
            read.map(Some)
        });
        match waited.and_then(|read| read) {
            Ok(None) => {}
            Ok(Some(read)) => {
                assert_eq!((read, is_own), (vec![value; 8], true), "of another one, or not the right data")
            }
            Err(error) => self.is_due(&error),
        }
        if let Some(state) = left {
            self.give(Work { of, value, stream, state });
        }
    }

    fn take(&self, random: &mut Random) -> Option<Work> {
        let mut works = self.works.lock().unwrap();
        let at = random.below(works.len().max(1));
        (at < works.len()).then(|| works.swap_remove(at))
    }

    fn give(&self, work: Work) {
        self.works.lock().unwrap().push(work);
    }

    /// Takes a device beside the runtimes, and resets it by force if nobody has it.
    fn reset_by_force(&self, random: &mut Random) {
        let (mut thread, acl) = (Thread::new().unwrap(), Acl::init(library()).unwrap());
        // The limit is also the wait for the runtimes, most of which stay.
        let limit = Duration::from_millis(20);
        match acl.device(&mut thread, DEVICES[random.below(DEVICES.len())]) {
            Ok(device) => match device.reset_by_force(&mut thread, limit) {
                Ok(lost) => self.was_closed(Ok(lost)),
                Err(failed) => {
                    self.is_due(&failed.error);
                    failed.value.reset(&mut thread).unwrap_or_else(|failed| self.is_due(&failed.error));
                }
            },
            Err(error) => self.is_due(&error),
        }
        acl.close().unwrap_or_else(|failed| self.is_due(&failed.error));
    }

    fn step(&self, random: &mut Random) {
        match random.below(17) {
            0..=1 => self.open(random),
            2..=6 => self.queue(random),
            7..=10 => self.wait(random),
            11 => match self.take(random) {
                Some(work) if random.one_in(2) => mem::forget(work),
                work => drop(work),
            },
            12 => self.any(random).into_iter().for_each(|runtime| {
                let limit = if random.one_in(2) { Duration::ZERO } else { Duration::from_millis(1) };
                self.was_closed(runtime.close_within(limit).map(|()| Vec::new()));
            }),
            13 => {
                self.any(random).into_iter().for_each(|runtime| self.was_closed(runtime.close_by_force(self.patience)))
            }
            14 => {
                let mut runtimes = self.runtimes.lock().unwrap();
                let left =
                    (!runtimes.is_empty()).then(|| random.below(runtimes.len())).map(|at| runtimes.swap_remove(at));
                drop((runtimes, left));
            }
            15 => self.reset_by_force(random),
            _ => runtime::sweep(Some(self.patience)).iter().for_each(|error| self.is_due(error)),
        }
    }
}

/// Closes a runtime on a device that hung and works again. A wait of the close may be over before the work is, however long
/// that takes the machine.
fn closes(runtime: &Runtime<Worker>) -> Result<(), CloseError> {
    let begun = Instant::now();
    loop {
        let closed = runtime.close();
        let is_late = |error: &Error| error.code().is_some_and(|code| code.is_timeout());
        match closed {
            Err(error) if error.errors().iter().any(is_late) && begun.elapsed() < LASTS => {}
            closed => return closed,
        }
    }
}

/// Runs a life. Answers whether its work hung.
fn live(seed: u64) -> bool {
    let alone = alone();
    control::configure(crate::common::under_watch(Config::new().devices(4))).unwrap();
    let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x5555);
    let (threads, hangs) = (1 + random.below(3), random.one_in(2));
    // Work hangs from some point on, and may be discarded or not.
    let refused =
        ["aclrtStreamAbort=207000,aclrtDeviceTaskAbort=207000", "aclrtStreamAbort=207000", "aclrtMemset#9=slow:1ms"];
    let (from, refused) = (1 + random.below(12), refused[random.below(refused.len())]);
    try_next(&if hangs {
        format!("aclrtMemsetAsync#{from}+=hang,{refused}")
    } else {
        "aclrtMemsetAsync=slow:200us".into()
    });
    let patience = if hangs { Duration::from_millis(20) } else { Duration::from_secs(10) };
    let world = World { runtimes: Mutex::default(), works: Mutex::default(), hangs, patience };
    thread::scope(|scope| {
        for thread in 0..threads {
            let (world, mut random) = (&world, Random(seed ^ (thread as u64 + 1) << 40));
            scope.spawn(move || (0..STEPS).for_each(|_| world.step(&mut random)));
        }
    });
    let World { runtimes, works, .. } = world;
    let runtimes = runtimes.into_inner().unwrap();
    let has_hung = control::injected().iter().any(|injected| injected.fault == Fault::Hangs);
    if random.one_in(2) {
        nothing_fails();
        runtimes.iter().for_each(|runtime| drop(runtime.close()));
    } else {
        // Each but the last one on a device may be refused.
        for _ in 0..2 {
            runtimes.iter().for_each(|runtime| drop(runtime.close_by_force(patience)));
        }
        nothing_fails();
    }
    for runtime in &runtimes {
        closes(runtime).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        is_gone(runtime.with(|_| ()));
    }
    drop((runtimes, works.into_inner().unwrap()));
    sweep();
    // A thread may leave a context at the moment in which another one resets the device of the context before (the catalogue
    // says so of CTX-06).
    let found: Vec<_> = control::take_findings().iter().map(ToString::to_string).collect();
    assert!(
        found.iter().all(|found| found.starts_with("CTX-06 is broken by aclrtSetCurrentContext")),
        "{}",
        found.join("\n")
    );
    alone.assert_nothing_lives();
    has_hung
}

#[proves(DEV_08, DEV_10, CTX_11, STREAM_09)]
#[test]
fn no_life_of_several_runtimes_breaks_a_rule_panics_lasts_or_leaves_anything() {
    let number = |name: &str| std::env::var(name).ok().map(|text| text.parse::<u64>().expect(name));
    if let Some(seed) = number("ASCENDCL_RANDOM_LIFE") {
        live(seed);
        return;
    }
    let told = |seed: u64| {
        let begun = Instant::now();
        let hung = catch_unwind(|| live(seed)).unwrap_or_else(|panic| {
            eprintln!("again: ASCENDCL_RANDOM_LIFE={seed}");
            std::panic::resume_unwind(panic)
        });
        assert!(begun.elapsed() < LASTS, "seed {seed} lasts");
        hung
    };
    let hung = (0..SEEDS).filter(|seed| told(*seed)).count();
    assert!(hung >= SEEDS as usize / 4, "work hung in {hung} lives of {SEEDS}");
    let (begun, limit) = (Instant::now(), number("ASCENDCL_RANDOM_LIVES").unwrap_or(0));
    let others = std::time::UNIX_EPOCH.elapsed().unwrap().as_micros() as u64;
    (others..).take_while(|_| begun.elapsed().as_secs() < limit).for_each(|seed| {
        told(seed);
    });
}
