// MODEL-06: models of one workspace run one at a time, through their lane.
use ascendcl::{BoundModel, Current, Error, Scoped, Unnamed, lane::{SharedWorkspace, WorkspaceMutex}};

pub fn all<'c, 'l>(
    current: &mut Current<Scoped<'c>>,
    lane: &WorkspaceMutex<'l, Scoped<'c>>,
    models: &mut [BoundModel<Scoped<'c, Unnamed>, SharedWorkspace<'l>>],
) -> Result<(), Error> {
    let _ = lane;
    for model in models {
        lane.run_bound(current, model)?;
    }
    Ok(())
}

fn main() {}
