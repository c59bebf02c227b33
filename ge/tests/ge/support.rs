//! Helpers that these tests share.

use crate::common::allocators::{Watch, Watched};
use crate::common::{self, Alone};
use ascendcl::operator::DeviceTensor;
use ascendcl::{Brand, Current, Device, DeviceAllocator, DeviceBuffer, ScopeError, Scoped, Thread};
use ascendcl_ge::{Added, Engine, Graph, GraphSource, Loaded, Options, Place, Session, WithAllocator};
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
    // SAFETY: the file is absent, or no library, or one of the double's, which keep the shim's or the wrapper's
    // signatures.
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
        self.with_engine(&self.place(), &Options::new(), |engine, device, thread| {
            engine.session(thread, device, options, program)
        })
    }

    /// Runs a program with an engine from this library and a device, then closes everything.
    #[track_caller]
    pub(crate) fn with_engine<R>(
        &self,
        place: &Place,
        options: &Options,
        program: impl for<'a> FnOnce(&Engine<'a>, &Device<'a>, &mut Thread) -> R,
    ) -> R {
        let acl = common::acl();
        let mut thread = Thread::new().unwrap();
        let device = acl.device(&mut thread, 0).unwrap();
        let engine = Engine::init(&acl, place, options).unwrap();
        let result = program(&engine, &device, &mut thread);
        engine.close().unwrap();
        device.reset(&mut thread).unwrap();
        acl.close().unwrap();
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

pub(crate) fn bytes<C: Brand>(current: &Current<C>, count: usize) -> DeviceBuffer<C, MaybeUninit<u8>> {
    current.device_buffer(count).unwrap()
}

/// What a [`watched`] pool was asked, by which threads, and whether it is still there.
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

/// Counts the calls of its pool in a [`Seen`] that the test keeps.
#[derive(Debug)]
pub(crate) struct Counts(Arc<Seen>);

impl Watch for Counts {
    fn allocates(&self) {
        self.0.begins(&self.0.allocated);
    }

    fn allocates_near(&self) {
        self.0.begins(&self.0.advised);
    }

    fn frees(&self) {
        self.0.begins(&self.0.freed);
    }
}

impl Drop for Counts {
    fn drop(&mut self) {
        let out = self.0.out();
        self.0.dropped.lock().unwrap().push(out);
    }
}

/// A pool, and what it was asked.
pub(crate) fn watched(current: &Current<impl Brand>) -> (Watched<Counts>, Arc<Seen>) {
    let seen = Arc::<Seen>::default();
    (Watched::new(current, 1 << 20, Counts(Arc::clone(&seen))), seen)
}
