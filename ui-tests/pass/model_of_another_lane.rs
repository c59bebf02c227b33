// MODEL-04: models on one working memory run one after the other, in their own lane.
use ascendcl::{Current, Error, BoundModel, Scoped, Unnamed, lane::{SharedWorkspace, WorkspaceLane}, stream::DefaultAllocator};

ascendcl::names! { Left, Right }

fn cross<'c, 'l, 'r>(
    current: &Current<Scoped<'c>>,
    left: &mut WorkspaceLane<'l, Scoped<'c, Unnamed>, DefaultAllocator, Left>,
    right: &mut WorkspaceLane<'r, Scoped<'c, Unnamed>, DefaultAllocator, Right>,
    model: BoundModel<Scoped<'c, Unnamed>, SharedWorkspace<'l, Left>>,
) -> Result<(), Error> {
    let _ = (&left, &right);
    left.execute(current, model)?.wait(current)?;
    Ok(())
}

fn main() {}
