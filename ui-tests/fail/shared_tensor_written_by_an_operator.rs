// MEM-02: an operator writes no tensor that others read.
use ascendcl::operator::{DeviceTensor, Operator, SharedTensor};
use ascendcl::{Brand, Current, Error, Stream, stream::DefaultAllocator};

pub fn clip<C: Brand>(
    current: &Current<C>,
    stream: &Stream<C, DefaultAllocator>,
    from: DeviceTensor<C, f32>,
    to: SharedTensor<C, f32>,
) -> Result<(), Error> {
    let to = to;
    stream.launch(current, Operator::new("Relu").bind(current, from, to)?)?.wait(current)?;
    Ok(())
}

fn main() {}
