//! An inference service over several contexts: each has a model, a stream and staging memory. Requests come from an
//! executor with several threads, and wait for a free context. One that fails or takes too long is given up by force and
//! opened anew, and its request is tried once more. A lane is given back by the task that has it, so requests that are
//! cancelled, and devices that cannot be opened at once, cost no lane.

use crate::common::plans::{fail, nothing_fails};
use crate::common::{alone, data, digits, library, under_watch};
use crate::engine::best;
use ascendcl::runtime::CloseError;
use ascendcl::stream::{DefaultAllocator, WhenDone};
use ascendcl::{BoundModel, Error, HostBuffer, Runtime, Setup, Stream};
use ascendcl_sim::{Config, control};
use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::{Semaphore, oneshot};

ascendcl::names!(Pooled);

const PIXELS: usize = 64;
const CLASSES: usize = 10;

/// What a request needs. It goes into the work, and comes back with it.
struct Buffers {
    model: BoundModel<Pooled>,
    image: HostBuffer<Pooled, f32>,
    scores: HostBuffer<Pooled, f32>,
}

/// One context, and what was made in it.
struct Lane {
    device: i32,
    runtime: Runtime<Pooled>,
    stream: Stream<Pooled, DefaultAllocator>,
    /// `None` while work has them, and when they were lost with a failed step.
    buffers: Option<Buffers>,
}

type Scores = WhenDone<Pooled, (BoundModel<Pooled>, HostBuffer<Pooled, f32>)>;

/// Why a request was not answered.
#[derive(Debug)]
enum Failure {
    TooLate,
    Library(Error),
    NotOpened(Error),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLate => f.write_str("too late"),
            Self::Library(error) => write!(f, "tried twice: {error}"),
            Self::NotOpened(error) => write!(f, "not opened anew: {error}"),
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Library(error)
    }
}

impl Lane {
    fn open(device: i32, file: &PathBuf) -> Result<Self, Error> {
        let setup = Setup::builder().library(library()).device(device).build();
        let (runtime, (stream, buffers)) = Runtime::open_with(setup, |current| {
            let model = current.load_model(file)?.bind(current, &[&[1, PIXELS]], &[&[1, CLASSES]])?;
            let (image, scores) = (current.host_buffer(PIXELS)?, current.host_buffer(CLASSES)?);
            Ok((current.stream()?.without_allocator(), Buffers { model, image, scores }))
        })?;
        Ok(Self { device, runtime, stream, buffers: Some(buffers) })
    }

    /// Queues a request. The image is on the device when this returns, so its buffer comes back at once.
    fn queue(&mut self, pixels: &[f32]) -> Result<(Scores, HostBuffer<Pooled, f32>), Error> {
        let Self { runtime, stream, buffers, .. } = self;
        runtime.with(|current| {
            let lost = Error::Gone { what: ascendcl::error::ObjectKind::MODEL };
            let Buffers { model, mut image, scores } = buffers.take().ok_or(lost)?;
            image.slice_mut(current)?.copy_from_slice(pixels);
            let (image, model) = stream.copy_to_input(current, image, model, 0)?.wait(current)?;
            let model = stream.execute(current, model)?;
            let scored = stream.copy_from_output(current, model, 0, scores)?;
            Ok((scored.when_done(current, stream)?, image))
        })?
    }

    /// Takes the scores of work that is done, and everything back.
    fn finish(&mut self, done: <Scores as Future>::Output, image: HostBuffer<Pooled, f32>) -> Result<usize, Error> {
        let Self { runtime, buffers, .. } = self;
        runtime.with(|current| {
            let (model, scores) = done.wait(current)?;
            let digit = best(scores.slice(current)?);
            *buffers = Some(Buffers { model, image, scores });
            Ok(digit)
        })?
    }
}

struct Pool {
    file: PathBuf,
    lanes: usize,
    idle: Mutex<Vec<Lane>>,
    free: Arc<Semaphore>,
    reopened: AtomicUsize,
    limit: Duration,
}

impl Pool {
    fn open(devices: &[i32], file: PathBuf, limit: Duration) -> Result<Self, Error> {
        let idle = devices.iter().map(|device| Lane::open(*device, &file)).collect::<Result<Vec<_>, _>>()?;
        let (lanes, free) = (idle.len(), Arc::new(Semaphore::new(idle.len())));
        Ok(Self { file, lanes, idle: Mutex::new(idle), free, reopened: AtomicUsize::new(0), limit })
    }

    /// The digit in an image. A lane that fails is opened anew, and the request is tried once more there.
    async fn classify(self: &Arc<Self>, pixels: &[f32]) -> Result<usize, Failure> {
        // There are as many permits as idle lanes, and the semaphore is never closed.
        let permit = Arc::clone(&self.free).acquire_owned().await.unwrap();
        let (pool, pixels) = (Arc::clone(self), pixels.to_vec());
        let (answer, answered) = oneshot::channel();
        // The task has lane and permit, and gives both back together, also if the request is cancelled meanwhile.
        tokio::spawn(async move {
            let lane = pool.idle.lock().unwrap().pop().unwrap();
            let lane = pool.serve(lane, &pixels, answer).await;
            pool.idle.lock().unwrap().push(lane);
            drop(permit);
        });
        answered.await.unwrap()
    }

    /// Answers a request, and returns a lane that can take the next one.
    async fn serve(&self, mut lane: Lane, pixels: &[f32], answer: oneshot::Sender<Result<usize, Failure>>) -> Lane {
        let device = lane.device;
        let tried = self.tries(&mut lane, pixels).await;
        if tried.is_ok() {
            // Nobody may wait for the answer any more.
            let _ = answer.send(tried);
            return lane;
        }
        // The step that failed had the buffers.
        let mut lane = match self.opens_anew(lane) {
            Ok(opened) => opened,
            Err(error) => {
                // The others serve what comes.
                let _ = answer.send(Err(Failure::NotOpened(error)));
                return self.opens_at_last(device).await;
            }
        };
        let tried = self.tries(&mut lane, pixels).await;
        let is_well = tried.is_ok();
        let _ = answer.send(tried);
        if is_well {
            return lane;
        }
        match self.opens_anew(lane) {
            Ok(lane) => lane,
            Err(_) => self.opens_at_last(device).await,
        }
    }

    async fn tries(&self, lane: &mut Lane, pixels: &[f32]) -> Result<usize, Failure> {
        let (scores, image) = lane.queue(pixels)?;
        match tokio::time::timeout(self.limit, scores).await {
            Ok(done) => Ok(lane.finish(done, image)?),
            Err(_) => Err(Failure::TooLate),
        }
    }

    fn opens_anew(&self, lane: Lane) -> Result<Lane, Error> {
        self.reopened.fetch_add(1, Ordering::Relaxed);
        let Lane { device, runtime, .. } = lane;
        // It waits for the device, and loads a model.
        tokio::task::block_in_place(|| {
            runtime.close_by_force(Duration::from_millis(50))?;
            Lane::open(device, &self.file)
        })
    }

    /// Opens a lane on a device that does not answer at the moment.
    async fn opens_at_last(&self, device: i32) -> Lane {
        loop {
            tokio::time::sleep(Duration::from_millis(20)).await;
            if let Ok(lane) = tokio::task::block_in_place(|| Lane::open(device, &self.file)) {
                break lane;
            }
        }
    }

    /// Waits for the requests under way.
    async fn close(&self) -> Result<(), CloseError> {
        let all = self.free.acquire_many(u32::try_from(self.lanes).unwrap()).await.unwrap();
        all.forget();
        self.idle.lock().unwrap().drain(..).try_for_each(|lane| lane.runtime.close())
    }
}

#[test]
fn a_pool_answers_all_requests_although_a_device_fails_once() {
    let alone = alone();
    control::configure(under_watch(Config::new().devices(3))).unwrap();
    let (labels, pixels) = digits();
    let executor = tokio::runtime::Builder::new_multi_thread().worker_threads(3).enable_time().build().unwrap();
    let pool = Arc::new(Pool::open(&[0, 1, 2], data("digits.onnx"), Duration::from_secs(5)).unwrap());
    let right = executor.block_on(async {
        let requests: Vec<_> = (0..60)
            .map(|index| {
                let (pool, image) = (Arc::clone(&pool), pixels[index * PIXELS..][..PIXELS].to_vec());
                if index == 20 {
                    control::fail("aclmdlExecuteAsync#7=507018".parse().unwrap()).unwrap();
                }
                tokio::spawn(async move { pool.classify(&image).await.unwrap_or_else(|failure| panic!("{failure}")) })
            })
            .collect();
        let mut right = 0;
        for (request, label) in requests.into_iter().zip(&labels) {
            right += usize::from(request.await.unwrap() == *label);
        }
        right
    });
    control::fail(ascendcl_sim::Plan::new()).unwrap();
    assert!(right > 50, "{right} of 60 are right");
    assert!(pool.reopened.load(Ordering::Relaxed) >= 1, "one device failed");
    executor.block_on(pool.close()).unwrap();
    alone.assert_nothing_lives();
}

/// The one lane answers after each of them.
#[test]
fn a_cancelled_request_and_a_device_that_does_not_open_at_once_cost_no_lane() {
    const IN_TIME: Duration = Duration::from_secs(30);
    let alone = alone();
    let (labels, pixels) = digits();
    let executor = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_time().build().unwrap();
    let pool = Arc::new(Pool::open(&[0], data("digits.onnx"), IN_TIME).unwrap());
    executor.block_on(async {
        let image = &pixels[..PIXELS];
        let answers = || async {
            let answer = tokio::time::timeout(IN_TIME, pool.classify(image)).await.expect("a lane is there");
            assert_eq!(answer.unwrap(), labels[0]);
        };
        for _ in 0..3 {
            fail("aclmdlExecuteAsync#1=slow:200ms");
            let (own, pixels) = (Arc::clone(&pool), image.to_vec());
            let request = tokio::spawn(async move { own.classify(&pixels).await });
            while control::injected().is_empty() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            request.abort();
            assert!(request.await.unwrap_err().is_cancelled());
            nothing_fails();
            answers().await;
        }
        assert_eq!(pool.reopened.load(Ordering::Relaxed), 0, "the lane went on");
        fail("aclmdlExecuteAsync#1=507018, aclrtCreateContext#1=507899");
        let refused = tokio::time::timeout(IN_TIME, pool.classify(image)).await.expect("an answer");
        assert!(matches!(refused, Err(Failure::NotOpened(_))), "{refused:?}");
        answers().await;
        assert_eq!(pool.reopened.load(Ordering::Relaxed), 1);
        nothing_fails();
        pool.close().await.unwrap();
    });
    alone.assert_nothing_lives();
}
