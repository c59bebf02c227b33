// MODEL-04: models on one working memory run one after the other, in their own lane.
use ascendcl::{Current, Error, Input, Model, Outputs, Scoped, Unnamed, lane::{SharedWorkspace, WorkspaceMutex}};

ascendcl::names! { Left, Right }

fn cross<'c, 'l, 'r>(
    current: &mut Current<Scoped<'c>>,
    left: &WorkspaceMutex<'l, Scoped<'c, Unnamed>, Left>,
    right: &WorkspaceMutex<'r, Scoped<'c, Unnamed>, Right>,
    model: &mut Model<Scoped<'c, Unnamed>, SharedWorkspace<'l, Left>>,
    inputs: &[Input<'_>],
) -> Result<Outputs, Error> {
    let _ = (left, right);
    left.run(current, model, inputs)
}

fn main() {}
