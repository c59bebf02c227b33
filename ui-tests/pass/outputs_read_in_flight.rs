// MODEL-17: outputs are read after a synchronise only.
use ascendcl::{Current, Error, Plain, Prepared, Stream};

fn classify<'c>(current: &Current<'c>, stream: &Stream<'c, Plain>, model: Prepared<'c>) -> Result<Vec<f32>, Error> {
    let running = stream.execute(current, model)?;
    running.wait(current)?.read(current, 0)
}

fn main() {}
