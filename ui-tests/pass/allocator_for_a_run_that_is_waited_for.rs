// ALLOC-05: an allocator serves what runs on its stream; a run that is waited for has no stream.
use ascendcl::{Current, DeviceAllocator, Error, Model, Stream, With};

pub fn classify<'c, A: DeviceAllocator>(
    current: &mut Current<'c>,
    stream: &Stream<'c, With<A>>,
    model: Model<'c>,
    image: &[f32; 64],
) -> Result<Vec<f32>, Error> {
    let mut model = model.prepare(current, &[&[1, 64]], &[&[1, 10]])?;
    model.write(current, 0, image)?;
    stream.execute(current, model)?.wait(current)?.read(current, 0)
}

fn main() {}
