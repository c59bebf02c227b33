// MODEL-06: synchronous execution on one working memory is under mutual exclusion.
use ascendcl::{Current, Error, BoundModel, Scoped, Unnamed, lane::{SharedWorkspace, WorkspaceMutex}};

fn alone<'c, 'l>(
    current: &mut Current<Scoped<'c>>,
    lane: &WorkspaceMutex<'l, Scoped<'c>>,
    model: &mut BoundModel<Scoped<'c, Unnamed>, SharedWorkspace<'l>>,
) -> Result<(), Error> {
    let _ = lane;
    lane.run_bound(current, model)
}

fn main() {}
