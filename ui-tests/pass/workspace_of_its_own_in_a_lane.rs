// MODEL-04: models of a lane all work in the workspace of the lane.
use ascendcl::{Current, Error, InLane, Lane, Load, Model, ModelSource, Plain, Scoped, Unnamed, Workspace};

fn load<'c, 'l>(
    current: &Current<Scoped<'c>>,
    lane: &mut Lane<'l, Scoped<'c>, Plain>,
    _own: Workspace<Scoped<'c>>,
) -> Result<Model<Scoped<'c, Unnamed>, InLane<'l>>, Error> {
    let load = Load::builder().source(ModelSource::file("model.om")).build();
    lane.load(current, load)
}

fn main() {}
