//! The network of `examples/data`, on its test images.

use crate::model::{Element, Format, Input, Model, Output, serve};
use std::sync::Arc;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/data");

#[test]
fn the_description_is_what_the_file_declares() {
    let model = model();
    let [images] = model.inputs() else { panic!("{:?}", model.inputs()) };
    assert_eq!((images.name.as_str(), images.element, images.format), ("images", Element::F32, Format::Nd));
    assert_eq!((images.dims.as_slice(), images.bytes(), images.bytes_for(&[7, 64])), (&[-1, 64][..], None, Some(1792)));
    let [probabilities] = model.outputs() else { panic!("{:?}", model.outputs()) };
    assert_eq!((probabilities.name.as_str(), probabilities.dims.as_slice()), ("probabilities", &[-1, 10][..]));
    assert_eq!(model.output_dims(&[[7, 64]]), [[7, 10]]);
    assert_eq!(model.work_bytes(&[[7, 64]]), Some(7 * 64 * 4 + 7 * 10 * 4));
    assert!((60_000..70_100).contains(&model.weight_bytes()), "{}", model.weight_bytes());
    assert!(model.gears().is_none());
}

#[test]
fn digits_are_recognised_alike_in_every_batch_size() {
    let (model, images) = (model(), Images::read());
    let alone = images.predictions(&model, 1);
    assert_eq!(alone.len(), 360);
    let right = alone.iter().zip(&images.labels).filter(|(found, label)| found == label).count();
    assert!(right * 100 >= 360 * 95, "{right} of 360");
    assert_eq!(images.predictions(&model, 7), alone);
    assert_eq!(images.predictions(&model, 360), alone);
}

#[test]
fn a_run_gives_the_same_bytes_each_time_and_on_every_thread() {
    let (model, images) = (Arc::new(model()), Images::read());
    let run = || images.run(&model, 0, 360).to_bytes().unwrap();
    let expected = run();
    assert_eq!(run(), expected);
    assert_eq!(serve(run), expected);
    std::thread::scope(|scope| {
        let runs = [scope.spawn(run), scope.spawn(|| serve(run)), scope.spawn(|| serve(run))];
        for run in runs {
            assert_eq!(run.join().unwrap(), expected);
        }
    });
}

#[test]
fn a_panic_inside_serve_reaches_the_caller_and_leaves_runs_possible() {
    let (model, images) = (model(), Images::read());
    let panic = std::panic::catch_unwind(|| serve(|| std::panic::resume_unwind(Box::new("stop"))));
    assert_eq!(panic.unwrap_err().downcast_ref(), Some(&"stop"));
    assert_eq!(serve(|| serve(|| images.run(&model, 0, 1).len())), 40);
}

struct Images {
    labels: Vec<usize>,
    pixels: Vec<u8>,
}

impl Images {
    fn read() -> Self {
        let text = std::fs::read_to_string(format!("{FOLDER}/digits-test.csv")).unwrap();
        let (mut labels, mut pixels) = (Vec::new(), Vec::new());
        for line in text.lines() {
            let (label, rest) = line.split_once(',').unwrap();
            labels.push(label.parse().unwrap());
            pixels.extend(rest.split(',').flat_map(|pixel| pixel.parse::<f32>().unwrap().to_le_bytes()));
        }
        Self { labels, pixels }
    }

    fn predictions(&self, model: &Model, batch: usize) -> Vec<usize> {
        let starts = (0..self.labels.len()).step_by(batch);
        starts.flat_map(|start| rows(&self.run(model, start, batch.min(self.labels.len() - start)))).collect()
    }

    fn run(&self, model: &Model, start: usize, count: usize) -> Output {
        let bytes = &self.pixels[start * 256..(start + count) * 256];
        let mut outputs = model.run(&[Input { dims: &[count as i64, 64], bytes }]).unwrap();
        assert_eq!((outputs.len(), outputs[0].dims(), outputs[0].len()), (1, vec![count as i64, 10], count * 40));
        outputs.remove(0)
    }
}

/// The most probable digit of each row.
fn rows(output: &Output) -> Vec<usize> {
    let bytes = output.to_bytes().unwrap();
    let values: Vec<f32> = bytes.as_chunks().0.iter().map(|chunk| f32::from_le_bytes(*chunk)).collect();
    let best = |row: &[f32]| (0..10).max_by(|&a, &b| row[a].total_cmp(&row[b])).unwrap();
    values.chunks(10).map(best).collect()
}

fn model() -> Model {
    Model::parse(std::fs::read(format!("{FOLDER}/digits.onnx")).unwrap()).unwrap()
}
