// ALLOC-05: an allocator serves what runs on its stream; a run that is waited for has no stream.
use ascendcl::{Current, DeviceAllocator, Error, Input, Model, Stream, With};

pub fn classify<'c, A: DeviceAllocator>(
    current: &mut Current<'c>,
    stream: &Stream<'c, With<A>>,
    mut model: Model<'c>,
    image: &[f32; 64],
) -> Result<Vec<f32>, Error> {
    let outputs = stream.run(current, &mut model, &[Input::new(&[1, 64], image)?])?;
    outputs.get(0)?.to_vec()
}

fn main() {}
