// MODEL-04: models on one working memory run one after the other, in their own lane.
use ascendcl::{Current, Error, InLane, Lane, Plain, Prepared, Scoped, Unnamed};

fn cross<'c, 'l, 'r>(
    current: &Current<Scoped<'c>>,
    left: &mut Lane<'l, Scoped<'c>, Plain>,
    right: &mut Lane<'r, Scoped<'c>, Plain>,
    model: Prepared<Scoped<'c, Unnamed>, InLane<'l>>,
) -> Result<(), Error> {
    let _ = (&left, &right);
    right.execute(current, model)?.wait(current)?;
    Ok(())
}

fn main() {}
