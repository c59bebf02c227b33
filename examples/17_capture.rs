//! Captures a batch of the digits model and replays it: `cargo run --release --example 17_capture [rounds]`.
//!
//! A batch is three tasks: the copy of the images to the device, the model, and the copy of the scores back. Queued one by
//! one, they are three calls of the library per batch. Captured, they are one call. The example prints the graph as a
//! picture, and the time of both ways: for all of a batch, and for the calls that queue it.
//!
//! Runs on the vendor's library if one is installed, else on the simulator. Set `ASCENDCL_LIBRARY` to choose.

mod digits;

use ascendcl::capture::{CaptureMode, CapturedGraph};
use ascendcl::library::Library;
use ascendcl::stream::DefaultAllocator;
use ascendcl::{BoundModel, Brand, Current, Error, HostBuffer, Stream};
use digits::{CLASSES, Digits, PIXELS, data};
use std::process::ExitCode;
use std::time::{Duration, Instant};

const BATCH: usize = 8;
const ROUNDS: usize = 2000;

/// Images, model, scores.
type Batch<C> = (HostBuffer<C, f32>, BoundModel<C>, HostBuffer<C, f32>);

fn main() -> ExitCode {
    let rounds = std::env::args().nth(1).and_then(|rounds| rounds.parse().ok()).unwrap_or(ROUNDS);
    match Digits::read().map_err(Into::into).and_then(|digits| compare(&digits, rounds)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn compare(digits: &Digits, rounds: usize) -> Result<(), Box<dyn std::error::Error>> {
    let (queued, replayed) = ascendcl::run(Library::VendorOrSimulator, |current| {
        let mut stream = current.stream()?.without_allocator();
        let mut batch = batch(current, digits)?;
        // The first batch includes the library's one-time set-up, so it is not measured.
        batch = queue(current, &stream, batch, &mut Times::default())?;
        let right = digits.right(batch.2.slice(current)?);
        let mut queued = Times::default();
        for _ in 0..rounds {
            batch = queue(current, &stream, batch, &mut queued)?;
        }
        let mut graph = capture(current, &mut stream, batch)?;
        println!("{}", graph.to_mermaid());
        graph.operands(current)?.2.fill(0.0);
        let mut replayed = Times::default();
        for _ in 0..rounds {
            graph = replay(current, &stream, graph, &mut replayed)?;
        }
        let again = digits.right(graph.operands(current)?.2);
        println!("{right} of {BATCH} images right one by one, {again} by the graph");
        Ok::<_, Error>((queued, replayed))
    })?;
    queued.print("three calls", rounds);
    replayed.print("one replay", rounds);
    println!(
        "a replay takes {:.0} % of the time of three calls, and {:.0} % of the time to queue them",
        percent(replayed.all, queued.all),
        percent(replayed.queueing, queued.queueing)
    );
    Ok(())
}

/// The first images, the model, and room for the scores.
fn batch<C: Brand>(current: &Current<C>, digits: &Digits) -> Result<Batch<C>, Error> {
    let mut images = current.host_buffer(BATCH * PIXELS)?;
    images.slice_mut(current)?.copy_from_slice(digits.first(BATCH));
    let model = current.load_model(data("digits.onnx"))?;
    let model = model.bind(current, &[&[BATCH, PIXELS]], &[&[BATCH, CLASSES]])?;
    Ok((images, model, current.host_buffer(BATCH * CLASSES)?))
}

/// Queues the three tasks one by one, and waits for them.
fn queue<C: Brand>(
    current: &Current<C>,
    stream: &Stream<C, DefaultAllocator>,
    (images, model, scores): Batch<C>,
    times: &mut Times,
) -> Result<Batch<C>, Error> {
    let start = Instant::now();
    let (images, model) = stream.copy_to_input(current, images, model, 0)?.split();
    let model = stream.execute(current, model)?;
    let work = images.join(stream.copy_from_output(current, model, 0, scores)?)?;
    times.queueing += start.elapsed();
    let (images, (model, scores)) = work.wait(current)?;
    times.all += start.elapsed();
    Ok((images, model, scores))
}

/// The same three tasks as a graph, which owns what they use.
fn capture<C: Brand>(
    current: &mut Current<C>,
    stream: &mut Stream<C, DefaultAllocator>,
    batch: Batch<C>,
) -> Result<CapturedGraph<C, Batch<C>>, Error> {
    let graph = stream.capture(current, CaptureMode::Relaxed, batch, |capture, (images, mut model, mut scores)| {
        capture.copy_to_input(&images, &mut model, 0)?;
        capture.execute(&mut model)?;
        capture.copy_from_output(&model, 0, &mut scores)
    });
    Ok(graph?)
}

/// Queues one replay, and waits for it.
fn replay<C: Brand>(
    current: &Current<C>,
    stream: &Stream<C, DefaultAllocator>,
    graph: CapturedGraph<C, Batch<C>>,
    times: &mut Times,
) -> Result<CapturedGraph<C, Batch<C>>, Error> {
    let start = Instant::now();
    let work = stream.replay(current, graph)?;
    times.queueing += start.elapsed();
    let graph = work.wait(current)?;
    times.all += start.elapsed();
    Ok(graph)
}

#[derive(Default)]
struct Times {
    all: Duration,
    queueing: Duration,
}

impl Times {
    fn print(&self, title: &str, rounds: usize) {
        let each = |time: Duration| time.as_secs_f64() * 1e6 / rounds.max(1) as f64;
        println!("{title:11}: {:7.1} µs per batch, {:6.1} µs of it to queue", each(self.all), each(self.queueing));
    }
}

fn percent(part: Duration, whole: Duration) -> f64 {
    100.0 * part.as_secs_f64() / whole.as_secs_f64()
}
