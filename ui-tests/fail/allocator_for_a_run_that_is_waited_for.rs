// ALLOC-05: an allocator serves what runs on its stream; a run that is waited for has no stream.
use ascendcl::{Brand, Current, DeviceAllocator, Error, Input, Model, Stream, stream::CustomAllocator};

pub fn classify<C: Brand, A: DeviceAllocator>(
    current: &mut Current<C>,
    stream: &Stream<C, CustomAllocator<A>>,
    mut model: Model<C>,
    image: &[f32; 64],
) -> Result<Vec<f32>, Error> {
    let outputs = stream.run(current, &mut model, &[Input::new(&[1, 64], image)?])?;
    outputs.get(0)?.to_vec()
}

fn main() {}
