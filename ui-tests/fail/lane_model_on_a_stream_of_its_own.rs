// MODEL-05: models that share a working memory all use its one stream.
use ascendcl::{Current, Error, InLane, Lane, Plain, Prepared, Stream, Unnamed};

fn outside<'c, 'l>(
    current: &Current<'c>,
    lane: &mut Lane<'c, 'l, Plain>,
    stream: &Stream<'c, Plain>,
    model: Prepared<'c, Unnamed, InLane<'l>>,
) -> Result<(), Error> {
    let _ = (&lane, stream);
    stream.execute(current, model)?.wait(current)?;
    Ok(())
}

fn main() {}
