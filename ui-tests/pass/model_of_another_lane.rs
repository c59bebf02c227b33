// MODEL-04: models on one working memory run one after the other, in their own lane.
use ascendcl::{Current, Error, InLane, Lane, Plain, Prepared, Unnamed};

ascendcl::names! { Left, Right }

fn cross<'c, 'l, 'r>(
    current: &Current<'c>,
    left: &mut Lane<'c, 'l, Plain, Unnamed, Left>,
    right: &mut Lane<'c, 'r, Plain, Unnamed, Right>,
    model: Prepared<'c, Unnamed, InLane<'l, Left>>,
) -> Result<(), Error> {
    let _ = (&left, &right);
    left.execute(current, model)?.wait(current)?;
    Ok(())
}

fn main() {}
