//! An engine with `open`, `infer` and `close`, whose fields are in any order.

use crate::common::{alone, data, digits, library};
use ascendcl::runtime::CloseError;
use ascendcl::{BoundModel, Error, Runtime, Stream, stream::DefaultAllocator};
use std::path::Path;
use std::sync::mpsc::channel;
use std::time::Duration;

ascendcl::names!(Vision);

const PIXELS: usize = 64;
const CLASSES: usize = 10;
const LONG: Duration = Duration::from_secs(30);

struct Engine {
    model: BoundModel<Vision>,
    runtime: Runtime<Vision>,
    stream: Stream<Vision, DefaultAllocator>,
}

impl Engine {
    fn open(file: &Path) -> Result<Self, Error> {
        let (runtime, (model, stream)) = Runtime::open_with(library(), |current| {
            let model = current.load_model(file)?.bind(current, &[&[1, PIXELS]], &[&[1, CLASSES]])?;
            Ok((model, current.stream()?.without_allocator()))
        })?;
        Ok(Self { model, runtime, stream })
    }

    /// The digit in an image. After an error the next image is tried as if nothing had happened.
    fn infer(&mut self, image: &[f32], limit: Duration) -> Result<usize, Error> {
        self.runtime.with(|current| {
            if self.model.write(current, 0, image).is_err() {
                // The image before this one took too long, and may still be on the device.
                self.stream.synchronize_within(current, limit)?;
                self.model.write(current, 0, image)?;
            }
            self.stream.run_bound_within(current, &mut self.model, limit)?;
            Ok(best(&self.model.read(current, 0)?))
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
    let right = images.filter(|(image, label)| engine.infer(image, LONG).unwrap() == **label).count();
    assert!(right > 45, "{right} of 50 are right");
    // The first engine is used while there is a second one, and closed beside it.
    let mut second = Engine::open(&data("digits.onnx")).unwrap();
    assert_eq!(second.infer(&pixels[..PIXELS], LONG).unwrap(), engine.infer(&pixels[..PIXELS], LONG).unwrap());
    // An image that takes too long is given up, and the next one is answered.
    let (release, released) = channel::<()>();
    let held = engine.runtime.with(|current| {
        let held = move || released.recv_timeout(LONG).is_ok();
        std::mem::forget(engine.stream.launch_host_fn(current, held).unwrap());
    });
    held.unwrap();
    for _ in 0..2 {
        let error = engine.infer(&pixels[..PIXELS], Duration::from_millis(20)).unwrap_err();
        assert!(error.code().is_some_and(|code| code.is_timeout()), "{error}");
    }
    release.send(()).unwrap();
    assert_eq!(engine.infer(&pixels[..PIXELS], LONG).unwrap(), labels[0]);
    engine.close().unwrap();
    // An engine that cannot be opened leaves nothing open.
    assert!(Engine::open(Path::new("no such file")).is_err());
    assert!(matches!(engine.infer(&pixels[..PIXELS], LONG), Err(Error::Gone { .. })));
    second.close().unwrap();
    drop((engine, second));
    alone.assert_nothing_lives();
}
