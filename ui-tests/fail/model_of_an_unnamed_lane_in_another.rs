// MODEL-04: models on one working memory run one after the other, in their own lane.
use ascendcl::{Current, Error, BoundModel, Scoped, Unnamed, lane::{SharedWorkspace, WorkspaceLane}, stream::DefaultAllocator};

fn cross<'c, 'l, 'r>(
    current: &Current<Scoped<'c>>,
    left: &mut WorkspaceLane<'l, Scoped<'c>, DefaultAllocator>,
    right: &mut WorkspaceLane<'r, Scoped<'c>, DefaultAllocator>,
    model: BoundModel<Scoped<'c, Unnamed>, SharedWorkspace<'l>>,
) -> Result<(), Error> {
    let _ = (&left, &right);
    right.execute(current, model)?.wait(current)?;
    Ok(())
}

fn main() {}
