// OP-01: operators run on an explicit stream.
use ascendcl::{Current, Error, Plain, Stream, operator};

pub fn activate<'c>(current: &Current<'c>, stream: &Stream<'c, Plain>) -> Result<(), Error> {
    let relu = operator::relu(current, current.upload_tensor(&[2], &[-1.0_f32, 1.0])?)?;
    let _ = &stream;
    let _ = current.default_stream().launch(current, relu);
    Ok(())
}

fn main() {}
