//! A pipeline that classifies images in batches on two streams:
//! `cargo run --release --example 06_pipeline [rounds]`.
//!
//! The host decodes a batch and copies it to the device. The model runs, and the scores are copied back. The three
//! steps on the device are queued together on one stream, without a wait between them: each step takes the buffers of
//! the previous one while they are in flight. With one stream the host waits for a batch before it decodes the next one
//! into the same memory. With two streams the host decodes one batch while another is on the device, which is faster.
//! Events between the steps measure the time of each step.
//!
//! Runs on the vendor's library if one is installed, else on the simulator. Set `ASCENDCL_LIBRARY` to choose.

mod digits;

use ascendcl::{
    BoundModel, Brand, Current, Error, Event, HostBuffer, Library, Pending, Stream, event::Recorded,
    stream::DefaultAllocator,
};
use digits::{CLASSES, PIXELS, data, lines, most_likely};
use indicatif::{ProgressBar, ProgressStyle};
use std::collections::VecDeque;
use std::num::{NonZero, ParseFloatError};
use std::process::ExitCode;
use std::time::{Duration, Instant};

const BATCH: usize = 90;
const ROUNDS: usize = 200;
const REPEATS: usize = 5;

type Failure = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    let rounds = std::env::args().nth(1).map_or(Ok(ROUNDS), |rounds| rounds.parse().map(NonZero::get));
    match rounds.map_err(Failure::from).and_then(compare) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn compare(rounds: usize) -> Result<(), Failure> {
    let images: Vec<_> = lines()?.into_iter().map(|(label, text)| Image { label, text }).collect();
    let [one, two] = ascendcl::run(Library::VendorOrSimulator, |current| {
        let bar = progress(REPEATS * 2 * rounds * images.len().div_ceil(BATCH));
        // The first run includes the library's one-time set-up, so it is not measured.
        classify(current, &images, 1, 1, &ProgressBar::hidden())?;
        let mut fastest = [Report::default(), Report::default()];
        // Alternate, so that other load on the machine affects both.
        for _ in 0..REPEATS {
            for (streams, fastest) in (1..).zip(&mut fastest) {
                let report = classify(current, &images, rounds, streams, &bar)?;
                if fastest.images == 0 || report.elapsed < fastest.elapsed {
                    *fastest = report;
                }
            }
        }
        bar.finish_and_clear();
        Ok::<_, Failure>(fastest)
    })?;
    one.print("one stream");
    two.print("two streams");
    let part = 100.0 * two.elapsed.as_secs_f64() / one.elapsed.as_secs_f64();
    println!("two streams take {part:.0} % of the time of one (the fastest of {REPEATS} runs each)");
    Ok(())
}

/// Classifies all images `rounds` times, on this number of streams in turn.
fn classify<C: Brand>(
    current: &Current<C>,
    images: &[Image],
    rounds: usize,
    streams: usize,
    bar: &ProgressBar,
) -> Result<Report, Failure> {
    let mut report = Report::default();
    let mut idle: Vec<_> = (0..streams).map(|_| Slot::new(current)).collect::<Result<_, _>>()?;
    let mut flying = VecDeque::new();
    let batches = images.chunks(BATCH);
    let start = Instant::now();
    for batch in (0..rounds).flat_map(|_| batches.clone()) {
        // Take free memory for this batch, or wait for the oldest batch and take its memory.
        let oldest = || flying.pop_front().map(|oldest: Flying<'_, _>| oldest.finish(current, &mut report)).transpose();
        let Some(mut slot) = idle.pop().map_or_else(oldest, |free| Ok(Some(free)))? else { break };
        slot.decode(current, batch, &mut report)?;
        flying.push_back(slot.begin(current, batch)?);
        bar.inc(1);
    }
    for oldest in flying {
        oldest.finish(current, &mut report)?;
    }
    report.elapsed = start.elapsed();
    Ok(report)
}

/// Prints to stderr, and only if stderr is a terminal.
fn progress(batches: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} batches, {per_sec}, {eta} left");
    ProgressBar::new(batches as u64).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// A stream with memory for one batch: pixels on the host, the model with its memory on the device, scores on the host.
struct Slot<C: Brand> {
    stream: Stream<C, DefaultAllocator>,
    pixels: HostBuffer<C, f32>,
    model: BoundModel<C>,
    scores: HostBuffer<C, f32>,
    marks: Marks<C>,
}

/// A slot with a batch in flight. The `Pending` holds the buffers that the work uses.
struct Flying<'d, C: Brand> {
    stream: Stream<C, DefaultAllocator>,
    work: Pending<C, ((BoundModel<C>, HostBuffer<C, f32>), HostBuffer<C, f32>)>,
    marks: Marks<C>,
    batch: &'d [Image],
}

/// Events before the first step on the device, between the steps, and after the last step.
type Marks<C> = [Event<C, Recorded>; 4];

impl<C: Brand> Slot<C> {
    fn new(current: &Current<C>) -> Result<Self, Error> {
        let stream = current.stream()?.without_allocator();
        let model = current.load_model(data("digits.onnx"))?;
        let model = model.bind(current, &[&[BATCH, PIXELS]], &[&[BATCH, CLASSES]])?;
        let (pixels, scores) = (current.host_buffer(BATCH * PIXELS)?, current.host_buffer(BATCH * CLASSES)?);
        let mark = || Ok::<_, Error>(stream.record(current, current.event()?)?);
        let marks = [mark()?, mark()?, mark()?, mark()?];
        Ok(Self { stream, pixels, model, scores, marks })
    }

    fn decode(&mut self, current: &Current<C>, batch: &[Image], report: &mut Report) -> Result<(), Failure> {
        let start = Instant::now();
        let pixels = self.pixels.slice_mut(current)?;
        pixels.chunks_mut(PIXELS).zip(batch).try_for_each(|(pixels, image)| image.decode(pixels))?;
        report.decoding += start.elapsed();
        Ok(())
    }

    /// Queues the three steps of the batch.
    fn begin<'d>(self, current: &Current<C>, batch: &'d [Image]) -> Result<Flying<'d, C>, Error> {
        let Self { stream, pixels, model, scores, marks: [start, copied, executed, end] } = self;
        let start = stream.record(current, start)?;
        let (pixels, model) = stream.copy_to_input(current, pixels, model, 0)?.split();
        let copied = stream.record(current, copied)?;
        let model = stream.execute(current, model)?;
        let executed = stream.record(current, executed)?;
        let scores = stream.copy_from_output(current, model, 0, scores)?;
        let end = stream.record(current, end)?;
        Ok(Flying { work: scores.join(pixels)?, stream, marks: [start, copied, executed, end], batch })
    }
}

impl<C: Brand> Flying<'_, C> {
    /// Waits for the batch and evaluates its scores.
    fn finish(self, current: &Current<C>, report: &mut Report) -> Result<Slot<C>, Error> {
        let Self { stream, work, marks, batch } = self;
        let ((model, scores), pixels) = work.wait_within(current, Duration::from_secs(60))?;
        for (spent, step) in report.on_the_device.iter_mut().zip(marks.windows(2)) {
            let [before, after] = step else { continue };
            *spent += Duration::from_secs_f32(after.milliseconds_since(current, before)? / 1e3);
        }
        report.images += batch.len();
        let each = scores.slice(current)?.chunks(CLASSES).zip(batch);
        report.right += each.filter(|(scores, image)| most_likely(scores) == image.label).count();
        Ok(Slot { stream, pixels, model, scores, marks })
    }
}

/// The result of a run, and the time of its steps.
#[derive(Default)]
struct Report {
    images: usize,
    right: usize,
    elapsed: Duration,
    decoding: Duration,
    /// Copy in, execute, copy out.
    on_the_device: [Duration; 3],
}

impl Report {
    fn print(&self, title: &str) {
        let seconds = self.elapsed.as_secs_f64();
        println!(
            "{title}: {} of {} images right, {seconds:.2} s, {:.0} images/s",
            self.right,
            self.images,
            self.images as f64 / seconds
        );
        let names = ["copy in", "execute", "copy out"];
        let steps = std::iter::once(("decode", &self.decoding)).chain(names.into_iter().zip(&self.on_the_device));
        let busy: f64 = steps
            .map(|(name, spent)| {
                println!("  {name:8} {:6.3} s", spent.as_secs_f64());
                spent.as_secs_f64()
            })
            .sum();
        println!("  together {busy:6.3} s, {:.2} of the time that passed", busy / seconds);
    }
}

/// An encoded image: numbers as text.
struct Image {
    label: usize,
    text: String,
}

impl Image {
    fn decode(&self, pixels: &mut [f32]) -> Result<(), ParseFloatError> {
        pixels.iter_mut().zip(self.text.split(',')).try_for_each(|(pixel, number)| {
            *pixel = number.parse()?;
            Ok(())
        })
    }
}
