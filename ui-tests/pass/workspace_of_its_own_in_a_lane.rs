// MODEL-04: models of a lane all work in the workspace of the lane.
use ascendcl::{Current, Error, InLane, Lane, Load, Model, ModelSource, Plain, Unnamed, Workspace};

fn load<'c, 'l>(
    current: &Current<'c>,
    lane: &mut Lane<'c, 'l, Plain>,
    _own: Workspace<'c>,
) -> Result<Model<'c, Unnamed, InLane<'l>>, Error> {
    let load = Load::builder().source(ModelSource::file("model.om")).build();
    lane.load(current, load)
}

fn main() {}
