//! A request per task of an executor with several threads, with a time limit, and requests that are cancelled.

use crate::common::{alone, data, digits};
use crate::engine::best;
use ascendcl::{Error, HostBuffer, Library, Plain, Prepared, Runtime, Stream};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::time::timeout;

ascendcl::names!(Requests);

const PIXELS: usize = 64;
const CLASSES: usize = 10;

/// What a request has for itself while it is under way: work on one stream is waited for together.
struct Lane {
    stream: Stream<Requests, Plain>,
    model: Prepared<Requests>,
    pixels: HostBuffer<Requests, f32>,
    scores: HostBuffer<Requests, f32>,
}

struct Server {
    idle: Mutex<Vec<Lane>>,
    places: Semaphore,
    runtime: Runtime<Requests>,
}

#[derive(Debug)]
enum Failure {
    Library(Error),
    TooLate,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Library(error)
    }
}

impl Server {
    fn open(lanes: usize) -> Result<Self, Error> {
        let runtime = Runtime::open(Library::Simulator)?;
        Ok(Self { idle: Mutex::default(), places: Semaphore::new(lanes), runtime })
    }

    /// A lane that is idle, or a new one.
    fn lane(&self) -> Result<Lane, Error> {
        if let Some(lane) = self.idle.lock().unwrap().pop() {
            return Ok(lane);
        }
        self.runtime.with(|current| {
            // What cancelled requests have left.
            drop(current.collect());
            let model = current.load_model(data("digits.onnx"))?;
            Ok(Lane {
                stream: current.stream()?.without_allocator(),
                model: model.prepare(current, &[&[1, PIXELS]], &[&[1, CLASSES]])?,
                pixels: current.host_buffer(PIXELS)?,
                scores: current.host_buffer(CLASSES)?,
            })
        })?
    }

    async fn classify(&self, image: &[f32], limit: Duration) -> Result<usize, Failure> {
        let _place = self.places.acquire().await.unwrap();
        let Lane { stream, model, mut pixels, scores } = self.lane()?;
        let (stream, done) = self.runtime.with(|current| {
            pixels.slice_mut(current)?.copy_from_slice(image);
            let (pixels, model) = stream.copy_to_input(current, pixels, model, 0)?.split();
            let model = stream.execute(current, model)?;
            let work = stream.copy_from_output(current, model, 0, scores)?.join(pixels)?;
            let done = work.when_done(current, &stream)?;
            Ok::<_, Error>((stream, done))
        })??;
        let Ok(work) = timeout(limit, done).await else { return Err(Failure::TooLate) };
        let (lane, best) = self.runtime.with(|current| {
            let ((model, scores), pixels) = work.wait(current)?;
            let best = best(scores.slice(current)?);
            Ok::<_, Error>((Lane { stream, model, pixels, scores }, best))
        })??;
        self.idle.lock().unwrap().push(lane);
        Ok(best)
    }
}

#[test]
fn two_hundred_spawned_requests_are_answered_and_cancelled_ones_leave_nothing() {
    let alone = alone();
    let (labels, pixels) = digits();
    let executor = tokio::runtime::Builder::new_multi_thread().worker_threads(3).enable_time().build().unwrap();
    let server = Arc::new(Server::open(4).unwrap());
    let right = executor.block_on(async {
        let requests: Vec<_> = (0..200)
            .map(|index| {
                let (server, image) = (Arc::clone(&server), pixels[index * PIXELS..][..PIXELS].to_vec());
                tokio::spawn(async move { server.classify(&image, Duration::from_secs(30)).await.unwrap() })
            })
            .collect();
        let mut right = 0;
        for (request, label) in requests.into_iter().zip(&labels) {
            right += usize::from(request.await.unwrap() == *label);
        }
        // Time limits that are over at once, and tasks that are aborted in the middle.
        for index in 0..20 {
            let (server, image) = (Arc::clone(&server), pixels[index * PIXELS..][..PIXELS].to_vec());
            let task = tokio::spawn(async move { server.classify(&image, Duration::ZERO).await });
            if index % 2 == 0 {
                task.abort();
            }
            match task.await {
                Err(aborted) => assert!(aborted.is_cancelled()),
                Ok(Ok(_) | Err(Failure::TooLate)) => {}
                Ok(Err(Failure::Library(error))) => panic!("{error}"),
            }
        }
        right
    });
    assert!(right > 180, "{right} of 200 are right");
    // Cancelled work is still in flight, and is waited for.
    server.runtime.close().unwrap();
    drop(server);
    alone.assert_nothing_lives();
}
