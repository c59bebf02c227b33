// ALLOC-05: an allocator serves what runs on its stream; a run that is waited for has no stream.
use ascendcl::{Brand, Current, DeviceAllocator, Error, Model, Stream, stream::CustomAllocator};

pub fn classify<C: Brand, A: DeviceAllocator>(
    current: &mut Current<C>,
    stream: &Stream<C, CustomAllocator<A>>,
    model: Model<C>,
    image: &[f32; 64],
) -> Result<Vec<f32>, Error> {
    let mut model = model.bind(current, &[&[1, 64]], &[&[1, 10]])?;
    model.write(current, 0, image)?;
    stream.execute(current, model)?.wait(current)?.read(current, 0)
}

fn main() {}
