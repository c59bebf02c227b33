// MODEL-05: models that share a working memory all use its one stream.
use ascendcl::{Current, Error, BoundModel, Scoped, Stream, Unnamed, lane::{SharedWorkspace, WorkspaceLane}, stream::DefaultAllocator};

fn outside<'c, 'l>(
    current: &Current<Scoped<'c>>,
    lane: &mut WorkspaceLane<'l, Scoped<'c>, DefaultAllocator>,
    stream: &Stream<Scoped<'c>, DefaultAllocator>,
    model: BoundModel<Scoped<'c, Unnamed>, SharedWorkspace<'l>>,
) -> Result<(), Error> {
    let _ = (&lane, stream);
    stream.execute(current, model)?.wait(current)?;
    Ok(())
}

fn main() {}
