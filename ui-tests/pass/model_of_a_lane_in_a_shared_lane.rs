// MODEL-04: models on one working memory run one after the other, in their own lane.
use ascendcl::{Current, Error, InLane, Input, Model, Outputs, Scoped, SharedLane, Unnamed};

ascendcl::names! { Left, Right }

fn cross<'c, 'l, 'r>(
    current: &mut Current<Scoped<'c>>,
    left: &SharedLane<'l, Scoped<'c, Unnamed>, Left>,
    right: &SharedLane<'r, Scoped<'c, Unnamed>, Right>,
    model: &mut Model<Scoped<'c, Unnamed>, InLane<'l, Left>>,
    inputs: &[Input<'_>],
) -> Result<Outputs, Error> {
    let _ = (left, right);
    left.run(current, model, inputs)
}

fn main() {}
