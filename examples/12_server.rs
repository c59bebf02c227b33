//! A server of several threads: `cargo run --release --example 12_server`.
//!
//! Clients send images of handwritten digits into a queue. Each worker thread has its own model, takes several requests
//! at a time, and answers them. All workers share one copy of the weights on the device. When the last client has
//! finished, the queue closes, the workers unload their models, and the program prints statistics.
//!
//! Runs on the vendor's library if one is installed, else on the simulator. Set `ASCENDCL_LIBRARY` to the path of a
//! library, or to `sim`, to choose.

#![allow(clippy::indexing_slicing, reason = "requests name images by their index")]

mod digits;

use ascendcl::{
    Acl, Brand, Context, Current, Library, Thread,
    model::{Load, ModelSource, Weights},
};
use digits::{CLASSES, Digits, PIXELS, data, most_likely};
use std::error::Error;
use std::process::ExitCode;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

ascendcl::names! {
    /// The context in which all workers classify.
    Classifies,
}

const WORKERS: usize = 4;
const CLIENTS: usize = 6;
/// How many times the clients send all images.
const ROUNDS: usize = 20;
/// How many requests of a client are open at a time.
const WINDOW: usize = 4;
/// The batch size of the model.
const BATCH: usize = 8;

type Failure = Box<dyn Error + Send + Sync>;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Failure> {
    let digits = Digits::read()?;
    let acl = Acl::init(Library::VendorOrSimulator)?;
    let mut thread = Thread::new()?;
    let device = acl.device(&mut thread, 0)?;

    let start = Instant::now();
    let served =
        device.named_context::<Classifies, _, _>(&mut thread, |context, thread| serve(context, thread, &digits));
    let (tallies, right) = served??;
    let elapsed = start.elapsed();

    for (worker, tally) in tallies.iter().enumerate() {
        println!("worker {worker}: {tally}");
    }
    let (sent, answered) = (ROUNDS * digits.labels.len(), tallies.iter().map(|tally| tally.latencies.len()).sum());
    println!("{right} of {sent} right: {:.1} %", 100.0 * right as f64 / sent as f64);
    println!("{:.0} images a second", sent as f64 / elapsed.as_secs_f64());

    device.reset(&mut thread)?;
    acl.close()?;
    if sent == answered { Ok(()) } else { Err(format!("{answered} of {sent} requests were answered").into()) }
}

/// An image to classify, and the channel for the answer.
struct Request {
    image: usize,
    asked: Instant,
    answer: Sender<(usize, usize)>,
}

/// Runs workers and clients until the clients have finished. Returns the statistics of each worker and the number of
/// right answers.
fn serve<C: Brand>(context: &Context<C>, thread: &mut Thread, digits: &Digits) -> Result<(Vec<Tally>, usize), Failure> {
    let file = data("digits-8.onnx");
    let source = ModelSource::file(&file);
    let weights = context.enter(thread, |current| current.weights(source))??;
    // If the queue is full, the client waits.
    let (requests, queue) = sync_channel(CLIENTS * WINDOW);
    // The workers own the queue. It closes when no worker is left, so no client waits forever.
    let queue = Arc::new(Mutex::new(queue));
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..WORKERS)
            .map(|_| {
                let (queue, weights) = (Arc::clone(&queue), &weights);
                scope.spawn(move || -> Result<Tally, Failure> {
                    let mut thread = Thread::new()?;
                    Ok(context.enter(&mut thread, |current| work(current, source, weights, &queue, digits))??)
                })
            })
            .collect();
        drop(queue);
        let clients: Vec<_> = (0..CLIENTS)
            .map(|client| {
                let requests = requests.clone();
                scope.spawn(move || ask(&requests, digits, client))
            })
            .collect();
        drop(requests);
        let right = clients.into_iter().map(|client| client.join().unwrap_or_default()).sum();
        let panicked = || Err("a worker panicked".into());
        let tallies = workers.into_iter().map(|worker| worker.join().unwrap_or_else(|_| panicked()));
        Ok((tallies.collect::<Result<_, _>>()?, right))
    })
}

/// Answers requests until there are no more.
fn work<C: Brand>(
    current: &mut Current<C>,
    source: ModelSource<'_>,
    weights: &Weights<C>,
    queue: &Mutex<Receiver<Request>>,
    digits: &Digits,
) -> Result<Tally, ascendcl::Error> {
    let model = current.load(Load::builder().source(source).weights(weights).build())?;
    let mut model = model.bind(current, &[&[BATCH, PIXELS]], &[&[BATCH, CLASSES]])?;
    let (mut tally, mut images) = (Tally::default(), [0.0; BATCH * PIXELS]);
    loop {
        let batch = next_batch(queue);
        if batch.is_empty() {
            break;
        }
        for (request, image) in batch.iter().zip(images.chunks_mut(PIXELS)) {
            image.copy_from_slice(digits.image(request.image));
        }
        model.write(current, "images", &images)?;
        model.run(current)?;
        let probabilities = model.read::<f32>(current, "probabilities")?;
        tally.runs += 1;
        for (request, row) in batch.into_iter().zip(probabilities.chunks(CLASSES)) {
            tally.latencies.push(request.asked.elapsed());
            // The client may have ended. The others continue.
            let _ = request.answer.send((request.image, most_likely(row)));
        }
    }
    model.into_model(current)?.unload(current)?;
    Ok(tally)
}

/// Waits for a request and takes the other queued requests with it. Empty if the queue is closed.
fn next_batch(queue: &Mutex<Receiver<Request>>) -> Vec<Request> {
    let queue = queue.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let first = queue.recv().ok();
    first.into_iter().chain(queue.try_iter()).take(BATCH).collect()
}

/// Sends the images of this client repeatedly. Returns the number of right answers.
fn ask(requests: &SyncSender<Request>, digits: &Digits, client: usize) -> usize {
    let own: Vec<_> = (client..digits.labels.len()).step_by(CLIENTS).collect();
    let mut right = 0;
    for images in (0..ROUNDS).flat_map(|_| own.chunks(WINDOW)) {
        let (answer, answers) = channel();
        for &image in images {
            let request = Request { image, asked: Instant::now(), answer: answer.clone() };
            if requests.send(request).is_err() {
                return right;
            }
        }
        drop(answer);
        right += answers.iter().filter(|(image, found)| digits.labels[*image] == *found).count();
    }
    right
}

/// The statistics of a worker.
#[derive(Default)]
struct Tally {
    runs: usize,
    /// From the request to the answer, of each image.
    latencies: Vec<Duration>,
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut sorted: Vec<_> = self.latencies.iter().map(|latency| 1e3 * latency.as_secs_f64()).collect();
        sorted.sort_by(f64::total_cmp);
        let at = |part: f64| sorted.get((part * sorted.len() as f64) as usize).copied().unwrap_or_default();
        let images = sorted.len();
        write!(f, "{images} images in {} runs; ", self.runs)?;
        write!(f, "latency {:.2} ms (median), {:.2} ms (99th percentile)", at(0.5), at(0.99))
    }
}
