//! Any bytes as a model file: a typed error, or a model that can be run and unloaded.

#![no_main]

use ascendcl::model::{Load, ModelSource};
use ascendcl::{Brand, Current, Error, Input, Library};
use libfuzzer_sys::fuzz_target;

/// More elements than this cost time, and show nothing new.
const ELEMENTS: usize = 1 << 12;

fuzz_target!(|bytes: &[u8]| {
    ascendcl::run(Library::Simulator, |current| {
        try_model(current, bytes)?;
        assert!(current.collect().is_empty());
        Ok::<_, Error>(())
    })
    .expect("the library works after any model");
});

/// Sizes that a model leaves open are one here.
fn try_model<C: Brand>(current: &mut Current<C>, bytes: &[u8]) -> Result<(), Error> {
    let source = ModelSource::memory(bytes);
    let Ok(mut model) = current.load(Load::from(source)) else { return Ok(()) };
    let shapes: Vec<Vec<usize>> =
        model.inputs().iter().map(|input| input.shape.iter().map(|size| size.unwrap_or(1)).collect()).collect();
    let elements = |shape: &[usize]| shape.iter().try_fold(1_usize, |all, size| all.checked_mul(*size));
    if shapes.iter().all(|shape| elements(shape).is_some_and(|elements| elements <= ELEMENTS)) {
        let zeros = vec![0.0_f32; ELEMENTS];
        let inputs: Result<Vec<_>, _> =
            shapes.iter().map(|shape| Input::new(shape, &zeros[..elements(shape).unwrap_or(0)])).collect();
        // A model of other types than floats refuses these inputs.
        let _ = model.run(current, &inputs?);
    }
    model.unload(current).map(drop).map_err(|failed| failed.error)
}
