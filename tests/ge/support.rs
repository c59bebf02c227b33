//! What these tests share.

use crate::common::{self, Alone};
use ascendcl::ge::{Added, Engine, Graph, GraphSource, Loaded, Options, Place, Session, WithAllocator};
use ascendcl::operator::DeviceTensor;
use ascendcl::{
    Acl, Brand, ContextId, Current, DeviceAddress, DeviceAllocator, DeviceBuffer, PoolAllocator, PoolBlock, ScopeError,
    Scoped, Thread,
};
use ascendcl_ge_double::{Double, Upset};
use std::mem::MaybeUninit;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::thread::{self, ThreadId};

/// The simulator and the double, alone.
pub(crate) struct World {
    pub(crate) machine: Alone,
    pub(crate) double: Double,
}

pub(crate) fn world() -> World {
    let machine = common::alone();
    let double = Double::load().unwrap_or_else(|missing| panic!("{missing}"));
    double.reset();
    World { machine, double }
}

/// A library in a file, for the safe layer to load.
pub(crate) fn at(path: impl Into<PathBuf>) -> Place {
    // SAFETY: the file is absent, or no library, or one of the double's, which keep the shim's or the wrapper's signatures.
    unsafe { Place::at(path) }
}

impl World {
    pub(crate) fn place(&self) -> Place {
        self.double.place()
    }

    /// Runs a program in a session with these options, and takes everything down, down to the library.
    #[track_caller]
    pub(crate) fn session_with<R>(
        &self,
        options: &Options,
        program: impl for<'c> FnOnce(&mut Session<Scoped<'c>>, &mut Current<Scoped<'c>>) -> R,
    ) -> Result<R, ScopeError<Option<R>>> {
        let acl = common::acl();
        let mut thread = Thread::new().unwrap();
        let device = acl.device(&mut thread, 0).unwrap();
        let engine = Engine::init(&acl, &self.place(), &Options::new()).unwrap();
        let result = engine.session(&mut thread, &device, options, program);
        engine.close().unwrap();
        device.reset(&mut thread).unwrap();
        close(acl);
        result
    }

    /// As [`session_with`](Self::session_with), without options; nothing is left afterwards.
    #[track_caller]
    pub(crate) fn session<R>(
        &self,
        program: impl for<'c> FnOnce(&mut Session<Scoped<'c>>, &mut Current<Scoped<'c>>) -> R,
    ) -> R {
        let result = self.session_with(&Options::new(), program).unwrap();
        self.assert_nothing_lives();
        result
    }

    #[track_caller]
    pub(crate) fn assert_nothing_lives(&self) {
        for what in ["initialised", "sessions", "graphs", "allocators"] {
            assert_eq!(self.double.count(what), 0, "{what}");
        }
        self.machine.assert_nothing_lives();
        assert_eq!(ascendcl_sim::control::findings(), [], "what the simulator has to say");
    }

    pub(crate) fn fails(&self, call: &str) {
        self.double.upset(call, Upset::Fail);
    }

    /// The names of the calls, in order.
    pub(crate) fn calls(&self) -> Vec<String> {
        let name = |line: &String| line.split(' ').next().unwrap_or_default().to_owned();
        self.double.log().iter().map(name).collect()
    }
}

pub(crate) fn close(acl: Acl) {
    acl.close().unwrap();
}

pub(crate) fn digits<C: Brand>(session: &mut Session<C>, current: &Current<C>) -> Graph<C, Added> {
    session.add(current, GraphSource::onnx_file(&common::data("digits.onnx")), &Options::new()).unwrap()
}

/// A graph whose shapes are fixed.
pub(crate) fn two_digits<C: Brand>(session: &mut Session<C>, current: &Current<C>) -> Graph<C, Added> {
    session.add(current, GraphSource::onnx(&common::digits_in_batches_of(2)), &Options::new()).unwrap()
}

pub(crate) fn loaded_with<C: Brand, A: DeviceAllocator>(
    session: &mut Session<C>,
    current: &Current<C>,
    allocator: A,
) -> Graph<C, Loaded<WithAllocator<A>>> {
    let graph = two_digits(session, current).compile(session, current).unwrap();
    let stream = current.stream().unwrap();
    graph.register(session, current, stream, allocator).unwrap().load(session, current).unwrap()
}

/// The first images of the held-out digits.
pub(crate) fn images<C: Brand>(current: &Current<C>, count: usize) -> DeviceTensor<C, f32> {
    let (_, pixels) = common::digits();
    current.upload_tensor(&[count, 64], &pixels[..64 * count]).unwrap()
}

/// The largest of ten, for each of these images.
pub(crate) fn read_digits(probabilities: &[f32]) -> Vec<usize> {
    let largest = |row: &[f32]| (0..10).max_by(|a, b| row[*a].total_cmp(&row[*b])).unwrap();
    probabilities.chunks(10).map(largest).collect()
}

pub(crate) fn bytes<C: Brand>(current: &Current<C>, count: usize) -> DeviceBuffer<C, MaybeUninit<u8>> {
    current.device_buffer(count).unwrap()
}

/// What a [`Watched`] allocator was asked, by whom, and whether it is still there.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    pub(crate) allocated: AtomicUsize,
    pub(crate) advised: AtomicUsize,
    pub(crate) freed: AtomicUsize,
    /// Blocks that were out when the allocator was dropped; as many allocators as there are entries.
    pub(crate) dropped: Mutex<Vec<usize>>,
    pub(crate) threads: Mutex<Vec<ThreadId>>,
    /// After so many requests, the next one panics; never, if it is 0.
    pub(crate) panics_at: AtomicUsize,
}

impl Seen {
    /// Blocks that are out.
    pub(crate) fn out(&self) -> usize {
        self.allocated.load(SeqCst) + self.advised.load(SeqCst) - self.freed.load(SeqCst)
    }

    fn begins(&self, count: &AtomicUsize) {
        self.threads.lock().unwrap().push(thread::current().id());
        let left = self.panics_at.load(SeqCst);
        self.panics_at.store(left.saturating_sub(1), SeqCst);
        assert!(left != 1, "the allocator was told to panic");
        count.fetch_add(1, SeqCst);
    }
}

/// A pool that is watched.
#[derive(Debug)]
pub(crate) struct Watched {
    pool: PoolAllocator,
    seen: Arc<Seen>,
}

impl Watched {
    pub(crate) fn new(current: &Current<impl Brand>) -> (Self, Arc<Seen>) {
        let seen = Arc::<Seen>::default();
        (Self { pool: PoolAllocator::new(current, 1 << 20).unwrap(), seen: Arc::clone(&seen) }, seen)
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        let out = self.seen.out();
        self.seen.dropped.lock().unwrap().push(out);
    }
}

// SAFETY: the pool keeps the promises, and has all of the memory.
unsafe impl DeviceAllocator for Watched {
    type Block = PoolBlock;

    fn allocate(&self, bytes: usize) -> Option<PoolBlock> {
        self.seen.begins(&self.seen.allocated);
        self.pool.allocate(bytes)
    }

    fn address(&self, block: &PoolBlock) -> DeviceAddress {
        self.pool.address(block)
    }

    fn free(&self, block: PoolBlock) {
        self.seen.begins(&self.seen.freed);
        self.pool.free(block);
    }

    fn allocate_near(&self, bytes: usize, _: DeviceAddress) -> Option<PoolBlock> {
        self.seen.begins(&self.seen.advised);
        self.pool.allocate(bytes)
    }

    fn serves(&self, context: ContextId) -> bool {
        self.pool.serves(context)
    }
}
