//! An engine with `open`, `infer` and `close`, whose fields are in any order.

use crate::common::{alone, data, digits, library};
use ascendcl::runtime::CloseError;
use ascendcl::{BoundModel, Error, HostBuffer, Pending, Runtime, Stream, stream::DefaultAllocator};
use std::path::Path;
use std::time::Duration;

ascendcl::names!(Vision);

const PIXELS: usize = 64;
const CLASSES: usize = 10;

struct Engine {
    model: Option<BoundModel<Vision>>,
    pixels: Option<HostBuffer<Vision, f32>>,
    runtime: Runtime<Vision>,
    stream: Stream<Vision, DefaultAllocator>,
}

type Inference = Pending<Vision, (BoundModel<Vision>, HostBuffer<Vision, f32>)>;

impl Engine {
    fn open(file: &Path) -> Result<Self, Error> {
        let (runtime, (model, pixels, stream)) = Runtime::open_with(library(), |current| {
            let model = current.load_model(file)?.bind(current, &[&[1, PIXELS]], &[&[1, CLASSES]])?;
            Ok((model, current.host_buffer(PIXELS)?, current.stream()?.without_allocator()))
        })?;
        Ok(Self { model: Some(model), pixels: Some(pixels), runtime, stream })
    }

    fn infer(&mut self, image: &[f32]) -> Result<usize, Error> {
        let (Some(model), Some(mut pixels)) = (self.model.take(), self.pixels.take()) else {
            return Err(Error::NotExecuted);
        };
        self.runtime.with(|current| {
            pixels.slice_mut(current)?.copy_from_slice(image);
            let (pixels, model) = self.stream.copy_to_input(current, pixels, model, 0)?.split();
            let scores = current.host_buffer::<f32>(CLASSES)?;
            let model = self.stream.execute(current, model)?;
            let work: Inference = self.stream.copy_from_output(current, model, 0, scores)?;
            let ((model, scores), pixels) = work.join(pixels)?.wait_within(current, Duration::from_secs(30))?;
            let best = best(scores.slice(current)?);
            scores.free(current)?;
            (self.model, self.pixels) = (Some(model), Some(pixels));
            Ok(best)
        })?
    }

    fn close(&self) -> Result<(), CloseError> {
        self.runtime.close()
    }
}

pub(crate) fn best(scores: &[f32]) -> usize {
    (0..scores.len()).max_by(|a, b| scores[*a].total_cmp(&scores[*b])).unwrap()
}

#[test]
fn an_engine_infers_again_and_again_and_is_closed() {
    let alone = alone();
    let (labels, pixels) = digits();
    let mut engine = Engine::open(&data("digits.onnx")).unwrap();
    let images = pixels.chunks(PIXELS).zip(&labels).take(50);
    let right = images.filter(|(image, label)| engine.infer(image).unwrap() == **label).count();
    assert!(right > 45, "{right} of 50 are right");
    // The first engine is used while there is a second one, and closed beside it.
    let mut second = Engine::open(&data("digits.onnx")).unwrap();
    assert_eq!(second.infer(&pixels[..PIXELS]).unwrap(), engine.infer(&pixels[..PIXELS]).unwrap());
    engine.close().unwrap();
    // An engine that cannot be opened leaves nothing open.
    assert!(Engine::open(Path::new("no such file")).is_err());
    assert!(matches!(engine.infer(&pixels[..PIXELS]), Err(Error::Gone { .. })));
    second.close().unwrap();
    drop((engine, second));
    alone.assert_nothing_lives();
}
