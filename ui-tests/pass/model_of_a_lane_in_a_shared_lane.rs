// MODEL-04: models on one working memory run one after the other, in their own lane.
use ascendcl::{Current, Error, InLane, Input, Model, Outputs, SharedLane, Unnamed};

ascendcl::names! { Left, Right }

fn cross<'c, 'l, 'r>(
    current: &mut Current<'c>,
    left: &SharedLane<'c, 'l, Unnamed, Left>,
    right: &SharedLane<'c, 'r, Unnamed, Right>,
    model: &mut Model<'c, Unnamed, InLane<'l, Left>>,
    inputs: &[Input<'_>],
) -> Result<Outputs, Error> {
    let _ = (left, right);
    left.run(current, model, inputs)
}

fn main() {}
