// MODEL-06: synchronous execution on one working memory is under mutual exclusion.
use ascendcl::{Current, Error, InLane, Prepared, SharedLane, Unnamed};

fn alone<'c, 'l>(
    current: &mut Current<'c>,
    lane: &SharedLane<'c, 'l>,
    model: &mut Prepared<'c, Unnamed, InLane<'l>>,
) -> Result<(), Error> {
    let _ = lane;
    lane.run_prepared(current, model)
}

fn main() {}
