//! Classifies digits for several requests at a time, with a runtime and a pool of workers.

#![allow(dead_code, reason = "each program uses a part")]

use super::digits::{CLASSES, PIXELS, data, most_likely};
use ascendcl::runtime::CloseError;
use ascendcl::{BoundModel, Current, Error, HostBuffer, Runtime, Setup, Stream, stream::DefaultAllocator};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
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
    /// As many as there are workers. A request that has a place has a worker.
    places: Arc<Semaphore>,
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
    /// The request's limit has passed. Its worker comes back when the work is over.
    TooLate,
    /// The service takes no more requests.
    Closed,
    /// The executor ended the request, or its task panicked.
    Lost,
}

impl Service {
    /// At most `workers` requests are under way at a time; the others wait. The workers are made here, because loading a model
    /// blocks the thread.
    pub(crate) fn open(setup: impl Into<Setup>, workers: usize) -> Result<Self, Error> {
        let make = |current: &mut Current<Digits>| (0..workers).map(|_| Worker::new(current)).collect();
        let (runtime, idle) = Runtime::open_with(setup, make)?;
        Ok(Self { idle: Mutex::new(idle), places: Arc::new(Semaphore::new(workers)), runtime })
    }

    /// The digit that the image shows. Answers after `limit` at the latest, also if the device hangs. That includes the time
    /// that the request waits for its turn.
    // ANCHOR: classify
    pub(crate) async fn classify(self: &Arc<Self>, image: &[f32], limit: Duration) -> Result<usize, Failure> {
        let (service, image) = (Arc::clone(self), image.to_vec());
        let answer = async {
            let place = Arc::clone(&service.places).acquire_owned().await.map_err(|_| Failure::Closed)?;
            // This task has the worker and its place until the work is over. A request that is late or cancelled drops only
            // its wait for the task, and the next one gets the place when the device is ready for it.
            let task = tokio::spawn(async move {
                let _place = place;
                service.run(&image).await
            });
            task.await.map_err(|_| Failure::Lost)?
        };
        timeout(limit, answer).await.map_err(|_| Failure::TooLate)?
    }

    async fn run(self: &Arc<Self>, image: &[f32]) -> Result<usize, Failure> {
        let Worker { stream, model, mut pixels, scores } = self.worker().await?;
        let (stream, done) = self.runtime.with(|current| {
            pixels.slice_mut(current)?.copy_from_slice(image);
            let (pixels, model) = stream.copy_to_input(current, pixels, model, 0)?.split();
            let model = stream.execute(current, model)?;
            let work = stream.copy_from_output(current, model, 0, scores)?.join(pixels)?;
            let done = work.when_done(current, &stream)?;
            Ok::<_, Error>((stream, done))
        })??;
        // No context is current here, and the task may go on on another thread.
        let work = done.await;
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

    /// An idle worker; or a new one, if a request has failed and lost its worker.
    async fn worker(self: &Arc<Self>) -> Result<Worker, Failure> {
        if let Some(worker) = self.idle().pop() {
            return Ok(worker);
        }
        let service = Arc::clone(self);
        // On a thread that may block.
        let made = tokio::task::spawn_blocking(move || {
            service.runtime.with(|current| {
                // Frees what failed requests have left, if no work uses it any more. It does not wait for a device that hangs.
                let errors = current.collect_within(Duration::ZERO);
                errors.iter().for_each(|error| eprintln!("warning: {error}"));
                Worker::new(current)
            })
        });
        Ok(made.await.map_err(|_| Failure::Lost)???)
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Worker>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Worker {
    fn new(current: &Current<Digits>) -> Result<Self, Error> {
        let model = current.load_model(data("digits.onnx"))?;
        Ok(Self {
            stream: current.stream()?.without_allocator(),
            model: model.bind(current, &[&[1, PIXELS]], &[&[1, CLASSES]])?,
            pixels: current.host_buffer(PIXELS)?,
            scores: current.host_buffer(CLASSES)?,
        })
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
            Self::TooLate => f.write_str("there was no answer in time"),
            Self::Closed => f.write_str("the service is closed"),
            Self::Lost => f.write_str("the task of the request ended without an answer"),
        }
    }
}
