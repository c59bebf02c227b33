// DATA-10, DATA-02: the memory of a model stays with it while the device may use it.
use ascendcl::stream::DefaultAllocator;
use ascendcl::{BoundModel, Brand, Current, DeviceBuffer, Error, Stream};

pub fn next<C: Brand>(
    current: &Current<C>,
    stream: &Stream<C, DefaultAllocator>,
    model: BoundModel<C>,
    image: DeviceBuffer<C, f32>,
) -> Result<(), Error> {
    let mut model = stream.execute(current, model)?;
    let old: DeviceBuffer<C, f32> = model.exchange_input(current, 0, image)?;
    drop(old);
    Ok(())
}

fn main() {}
