// MODEL-05: models that share a working memory all use its one stream.
use ascendcl::{Current, Error, InLane, Lane, Plain, Prepared, Scoped, Stream, Unnamed};

fn outside<'c, 'l>(
    current: &Current<Scoped<'c>>,
    lane: &mut Lane<'l, Scoped<'c>, Plain>,
    stream: &Stream<Scoped<'c>, Plain>,
    model: Prepared<Scoped<'c, Unnamed>, InLane<'l>>,
) -> Result<(), Error> {
    let _ = (&lane, stream);
    lane.execute(current, model)?.wait(current)?;
    Ok(())
}

fn main() {}
