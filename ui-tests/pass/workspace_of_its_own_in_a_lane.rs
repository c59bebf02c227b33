// MODEL-04: models of a lane all work in the workspace of the lane.
use ascendcl::{Current, Error, Model, Scoped, Unnamed, lane::{SharedWorkspace, WorkspaceLane}, model::{Load, ModelSource, Workspace}, stream::DefaultAllocator};

fn load<'c, 'l>(
    current: &Current<Scoped<'c>>,
    lane: &mut WorkspaceLane<'l, Scoped<'c>, DefaultAllocator>,
    _own: Workspace<Scoped<'c>>,
) -> Result<Model<Scoped<'c, Unnamed>, SharedWorkspace<'l>>, Error> {
    let load = Load::builder().source(ModelSource::file("model.om")).build();
    lane.load(current, load)
}

fn main() {}
