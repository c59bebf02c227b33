//! Two calls of the library fail during the registration, replacement and removal of an allocator, in every pair.
//!
//! Whatever fails: every call returns, every allocator is returned or ends with its stream, accepted work has the right
//! result, no returned allocator is called, and nothing is left in the library.

use super::common::allocators::{Watch, Watched};
use super::common::plans::{nothing_fails, try_next};
use super::common::{acl, alone};
use ascendcl::operator::Operator;
use ascendcl::{Current, Error, Scoped, Stream, Thread, allocator::PoolStatistics, stream::CustomAllocator};
use ascendcl_macros::proves;
use ascendcl_sim::control;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The functions that are asked for, how often in one program, and whether one may also have its effect and fail.
const CALLS: [(&str, usize, bool); 9] = [
    ("aclrtAllocatorCreateDesc", 3, false),
    ("aclrtAllocatorSetObjToDesc", 2, true),
    ("aclrtAllocatorSetFreeFuncToDesc", 2, true),
    ("aclrtAllocatorSetGetAddrFromBlockFuncToDesc", 2, true),
    ("aclrtAllocatorRegister", 5, true),
    ("aclrtAllocatorUnregister", 4, true),
    ("aclrtAllocatorDestroyDesc", 4, false),
    ("aclrtDestroyStream", 3, false),
    ("aclrtSynchronizeStreamWithTimeout", 6, false),
];

/// Counts down when its allocator ends.
struct CountsDown(Arc<AtomicUsize>);

impl Watch for CountsDown {}

impl Drop for CountsDown {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Relaxed);
    }
}

/// Calls until it succeeds: two calls fail, and the third try meets no failure.
#[track_caller]
fn tries<T, R>(mut value: T, step: impl Fn(T) -> Result<R, T>) -> R {
    for _ in 0..3 {
        match step(value) {
            Ok(result) => return result,
            Err(back) => value = back,
        }
    }
    panic!("failed three times")
}

struct Program<'p, 'c> {
    current: &'p Current<Scoped<'c>>,
    alive: Arc<AtomicUsize>,
}

type Counted = Watched<CountsDown>;
type Counting<'c> = Stream<Scoped<'c>, CustomAllocator<Counted>>;

impl<'c> Program<'_, 'c> {
    fn allocator(&self) -> Counted {
        self.alive.fetch_add(1, Relaxed);
        Watched::new(self.current, 1 << 16, CountsDown(Arc::clone(&self.alive)))
    }

    fn run(&self) {
        let current = self.current;
        let stream = tries((current.stream().unwrap(), self.allocator()), |(stream, allocator)| {
            stream.register(current, allocator).map_err(|failed| failed.value)
        });
        self.work(&stream);
        let (stream, first) = tries((stream, self.allocator()), |(stream, next)| {
            let back = stream.replace(current, next).map_err(|failed| failed.value);
            back.inspect_err(|(stream, _)| self.work(stream))
        });
        let last = quiet(&first);
        self.work(&stream);
        assert_eq!(quiet(&first), last, "an allocator that came back was called");
        let (stream, second) = tries(stream, |stream| {
            stream.unregister(current).map_err(|failed| failed.value).inspect_err(|stream| self.work(stream))
        });
        let last = quiet(&second);
        let stream = tries((stream, self.allocator()), |(stream, allocator)| {
            stream.register(current, allocator).map_err(|failed| failed.value)
        });
        self.work(&stream);
        assert_eq!(self.alive.load(Relaxed), 3, "two came back, and one is registered");
        tries(stream, |stream| stream.destroy(current).map_err(|failed| failed.value));
        assert_eq!(quiet(&second), last, "an allocator that came back was called");
        drop((first, second));
    }

    /// An operator that asks the stream's allocator for memory. It is refused when the registered allocator is unknown,
    /// and has the right result otherwise.
    fn work(&self, stream: &Counting<'c>) {
        let current = self.current;
        let matrix = || current.upload_tensor(&[4, 4], &[1.0_f32; 16]).unwrap();
        let product = current.tensor::<f32>(&[4, 4]).unwrap();
        let operator = Operator::new("MatMul").with("transpose_x1", false).with("transpose_x2", false);
        let bound = operator.bind(current, (matrix(), matrix()), product).unwrap();
        let before = stream.with_allocator(|own| own.pool.statistics()).unwrap();
        match stream.launch(current, bound) {
            Ok(running) => {
                let Ok(done) = running.wait(current) else { return };
                let (_, product) = done.into_tensors(current).unwrap();
                assert_eq!(product.to_vec(current).unwrap(), [4.0; 16]);
                let after = stream.with_allocator(|own| own.pool.statistics()).unwrap();
                assert_eq!(after.hits + after.misses, before.hits + before.misses + 1, "its own allocator served it");
            }
            Err(failed) => assert!(matches!(failed.error, Error::AllocatorInDoubt), "{}", failed.error),
        }
    }
}

/// The books of a returned allocator: the library has no block of it.
#[track_caller]
fn quiet(allocator: &Counted) -> PoolStatistics {
    let statistics = allocator.pool.statistics();
    assert_eq!(statistics.blocks_in_use, 0, "the library has a block of an allocator that came back");
    statistics
}

/// Runs the program with a plan, and says how many calls have failed. The library is well again when the scope ends.
fn run(plan: &str) -> usize {
    control::reset();
    let alive = Arc::new(AtomicUsize::new(0));
    let acl = acl();
    let mut thread = Thread::new().unwrap();
    let device = acl.device(&mut thread, 0).unwrap();
    let ended = device.with_current(&mut thread, |current| {
        try_next(plan);
        Program { current, alive: Arc::clone(&alive) }.run();
        let failed = control::injected().len();
        nothing_fails();
        failed
    });
    device.reset(&mut thread).unwrap();
    acl.close().unwrap();
    assert_eq!(alive.load(Relaxed), 0, "allocators that nobody dropped");
    assert_eq!(control::live(), control::Live::default(), "objects that are still alive");
    let found: Vec<_> = control::take_findings().iter().map(ToString::to_string).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
    ended.unwrap()
}

#[proves(ALLOC_08, ALLOC_09, ALLOC_11, ALLOC_12)]
#[test]
fn whatever_two_calls_fail_every_allocator_comes_back_and_nothing_is_left() {
    let _alone = alone();
    let mut faults = Vec::new();
    for (call, times, also_after) in CALLS {
        for time in 1..=times {
            faults.push(format!("{call}#{time}=507899"));
            if also_after {
                faults.push(format!("{call}#{time}=after:507899"));
            }
            if call.ends_with("egister") {
                // A code that says that the arguments were wrong, of a call that had its effect.
                faults.push(format!("{call}#{time}=after:107000"));
            }
        }
    }
    let now = Arc::new(Mutex::new(String::new()));
    let (says, ended) = mpsc::channel();
    let told = Arc::clone(&now);
    let sweep = std::thread::spawn(move || {
        let mut failed = [0; 3];
        for (index, first) in faults.iter().enumerate() {
            for second in faults.iter().skip(index) {
                let plan = format!("{first}, {second}");
                plan.clone_into(&mut told.lock().unwrap());
                failed[run(&plan)] += 1;
                says.send(()).unwrap();
            }
        }
        failed
    });
    // The next run ends, or the sweep does.
    let last = loop {
        match ended.recv_timeout(Duration::from_secs(30)) {
            Ok(()) => (),
            Err(RecvTimeoutError::Disconnected) => break sweep.join(),
            Err(RecvTimeoutError::Timeout) => panic!("never came back: {}", now.lock().unwrap()),
        }
    };
    let Ok([none, one, two]) = last else { panic!("with {}", now.lock().unwrap()) };
    println!("{} pairs: {two} failed twice, {one} once, {none} never", none + one + two);
    assert!(two > 800, "the pairs meet the program's calls: {two}");
}
