//! Classifies digits for several requests at a time, with a runtime and a pool of workers.

#![allow(dead_code, reason = "each program uses a part")]

use super::digits::{CLASSES, PIXELS, data, most_likely};
use ascendcl::runtime::CloseError;
use ascendcl::{BoundModel, Error, HostBuffer, Runtime, Setup, Stream, stream::DefaultAllocator};
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::time::timeout;

ascendcl::names! {
    /// The context that the service works in.
    Digits,
}

/// Any thread can use it. The order of its fields does not matter.
pub(crate) struct Service {
    idle: Mutex<Vec<Worker>>,
    places: Semaphore,
    runtime: Runtime<Digits>,
}

/// A stream, a model and its buffers. Each request has its own while it is under way, because a wait covers all work on a
/// stream.
struct Worker {
    stream: Stream<Digits, DefaultAllocator>,
    model: BoundModel<Digits>,
    pixels: HostBuffer<Digits, f32>,
    scores: HostBuffer<Digits, f32>,
}

#[derive(Debug)]
pub(crate) enum Failure {
    Library(Error),
    /// The request's limit has passed. Its worker is lost: the worker's objects are taken down when no work uses them any
    /// more.
    TooLate,
    /// The service takes no more requests.
    Closed,
}

impl Service {
    /// At most `workers` requests are under way at a time; the others wait.
    pub(crate) fn open(setup: impl Into<Setup>, workers: usize) -> Result<Self, Error> {
        let runtime = Runtime::open(setup)?;
        Ok(Self { idle: Mutex::default(), places: Semaphore::new(workers), runtime })
    }

    // ANCHOR: classify
    /// The digit that the image shows. No thread is blocked while the device works.
    pub(crate) async fn classify(&self, image: &[f32], limit: Duration) -> Result<usize, Failure> {
        let _place = self.places.acquire().await.map_err(|_| Failure::Closed)?;
        let Worker { stream, model, mut pixels, scores } = self.worker()?;
        let (stream, done) = self.runtime.with(|current| {
            pixels.slice_mut(current)?.copy_from_slice(image);
            let (pixels, model) = stream.copy_to_input(current, pixels, model, 0)?.split();
            let model = stream.execute(current, model)?;
            let work = stream.copy_from_output(current, model, 0, scores)?.join(pixels)?;
            let done = work.when_done(current, &stream)?;
            Ok::<_, Error>((stream, done))
        })??;
        // No context is current here, and the task may go on on another thread.
        let work = timeout(limit, done).await.map_err(|_| Failure::TooLate)?;
        let (worker, digit) = self.runtime.with(|current| {
            let ((model, scores), pixels) = work.wait(current)?;
            let digit = most_likely(scores.slice(current)?);
            Ok::<_, Error>((Worker { stream, model, pixels, scores }, digit))
        })??;
        self.idle().push(worker);
        Ok(digit)
    }
    // ANCHOR_END: classify

    /// Waits at most `limit` for threads that are inside. The wait for work has the limit of `Setup::teardown_timeout`.
    pub(crate) fn close(&self, limit: Duration) -> Result<(), CloseError> {
        self.places.close();
        self.runtime.close_within(limit)
    }

    /// An idle worker, or a new one.
    fn worker(&self) -> Result<Worker, Error> {
        if let Some(worker) = self.idle().pop() {
            return Ok(worker);
        }
        self.runtime.with(|current| {
            // Frees the objects of cancelled requests whose work is over by now.
            current.collect().iter().for_each(|error| eprintln!("warning: {error}"));
            let model = current.load_model(data("digits.onnx"))?;
            Ok(Worker {
                stream: current.stream()?.without_allocator(),
                model: model.bind(current, &[&[1, PIXELS]], &[&[1, CLASSES]])?,
                pixels: current.host_buffer(PIXELS)?,
                scores: current.host_buffer(CLASSES)?,
            })
        })?
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Worker>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Library(error)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Library(error) => error.fmt(f),
            Self::TooLate => f.write_str("the device did not answer in time"),
            Self::Closed => f.write_str("the service is closed"),
        }
    }
}
