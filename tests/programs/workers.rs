//! One context, several worker threads, shared weights, and a shutdown that loses no request.

use crate::common::{alone, digits, digits_in_batches_of, library};
use crate::engine::best;
use ascendcl::{
    Error, Input, Runtime,
    model::{Load, ModelSource, Weights},
};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

ascendcl::names!(Serving);

struct Request {
    image: Vec<f32>,
    answer: Sender<usize>,
}

struct Service {
    workers: Vec<JoinHandle<Result<usize, Error>>>,
    requests: Sender<Request>,
    weights: Weights<Serving>,
    runtime: Arc<Runtime<Serving>>,
}

impl Service {
    fn open(workers: usize) -> Result<Self, Error> {
        let runtime = Arc::new(Runtime::open(library())?);
        let image: Arc<[u8]> = digits_in_batches_of(1).into();
        let weights = runtime.with(|current| current.weights(ModelSource::memory(&image)))??;
        let (requests, coming) = channel();
        let coming = Arc::new(Mutex::new(coming));
        let workers = (0..workers)
            .map(|_| {
                let (runtime, weights) = (Arc::clone(&runtime), weights.clone());
                let (image, coming) = (Arc::clone(&image), Arc::clone(&coming));
                std::thread::spawn(move || work(&runtime, &image, &weights, &coming))
            })
            .collect();
        Ok(Self { workers, requests, weights, runtime })
    }

    /// Waits for the requests that are under way. Answers how many each worker served.
    fn close(self) -> Vec<usize> {
        drop(self.requests);
        let served = self.workers.into_iter().map(|worker| worker.join().unwrap().unwrap()).collect();
        self.runtime.close_within(Duration::from_secs(10)).unwrap();
        drop(self.weights);
        served
    }
}

fn work(
    runtime: &Runtime<Serving>,
    image: &[u8],
    weights: &Weights<Serving>,
    coming: &Mutex<Receiver<Request>>,
) -> Result<usize, Error> {
    let load = || Load::builder().source(ModelSource::memory(image)).weights(weights).build();
    let mut model = runtime.with(|current| current.load(load()))??;
    let mut served = 0;
    loop {
        let next = coming.lock().unwrap().recv();
        let Ok(Request { image, answer }) = next else { break };
        let scores =
            runtime.with(|current| model.run(current, &[Input::new(&[1, 64], &image)?])?.get(0)?.to_vec::<f32>())??;
        served += 1;
        // The thread that asked may have ended.
        let _ = answer.send(best(&scores));
    }
    runtime.with(|current| model.unload(current))??;
    Ok(served)
}

#[test]
fn workers_with_shared_weights_serve_what_came_and_end() {
    let alone = alone();
    let (labels, pixels) = digits();
    let service = Service::open(3).unwrap();
    let answers: Vec<_> = pixels
        .chunks(64)
        .take(100)
        .map(|image| {
            let (answer, answered) = channel();
            service.requests.send(Request { image: image.to_vec(), answer }).unwrap();
            answered
        })
        .collect();
    // Closed while requests wait: all of them are answered.
    let served = service.close();
    assert_eq!(served.iter().sum::<usize>(), 100);
    let right = answers.iter().zip(labels).filter(|(answered, label)| answered.recv().unwrap() == *label).count();
    assert!(right > 90, "{right} of 100 are right");
    alone.assert_nothing_lives();
}
