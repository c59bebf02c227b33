// MODEL-16: threads that share a model take turns for its inputs and its run.
use ascendcl::{Context, Current, Error, Model, Scoped, Thread, Unnamed, lane::{SharedWorkspace, WorkspaceMutex}};

fn both<'c, 'l>(
    context: &'c Context<Scoped<'c>>,
    lane: &WorkspaceMutex<'l, Scoped<'c>>,
    models: [Model<Scoped<'c, Unnamed>, SharedWorkspace<'l>>; 2],
) {
    let [mut one, mut two] = models;
    std::thread::scope(|scope| {
        scope.spawn(|| work(context, |current| lane.run(current, &mut one, &[]).map(drop)));
        scope.spawn(|| work(context, |current| lane.run(current, &mut one, &[]).map(drop)));
    });
}

fn work<'c>(
    context: &'c Context<Scoped<'c>>,
    run: impl FnOnce(&mut Current<Scoped<'c>>) -> Result<(), Error>,
) -> Result<(), Error> {
    context.enter(&mut Thread::new()?, run)?
}

fn main() {}
