// DATA-10: the inputs of a queued model stay as they are until its stream was synchronised.
use ascendcl::{Current, Error, Plain, Prepared, Stream};

pub fn classify<'c>(
    current: &Current<'c>,
    stream: &Stream<'c, Plain>,
    mut model: Prepared<'c>,
    image: &[f32],
) -> Result<(), Error> {
    let running = stream.execute(current, model)?;
    model = running.wait(current)?;
    model.write(current, 0, image)
}

fn main() {}
