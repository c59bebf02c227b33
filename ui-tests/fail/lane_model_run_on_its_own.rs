// MODEL-06: synchronous execution on one working memory is under mutual exclusion.
use ascendcl::{Current, Error, InLane, Prepared, Scoped, SharedLane, Unnamed};

fn alone<'c, 'l>(
    current: &mut Current<Scoped<'c>>,
    lane: &SharedLane<'l, Scoped<'c>>,
    model: &mut Prepared<Scoped<'c, Unnamed>, InLane<'l>>,
) -> Result<(), Error> {
    let _ = lane;
    model.run(current)
}

fn main() {}
