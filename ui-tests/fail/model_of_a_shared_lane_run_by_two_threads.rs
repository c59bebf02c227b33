// MODEL-16: threads that share a model take turns for its inputs and its run.
use ascendcl::{Context, Current, Error, InLane, Model, Scoped, SharedLane, Thread, Unnamed};

fn both<'c, 'l>(
    context: &'c Context<Scoped<'c>>,
    lane: &SharedLane<'l, Scoped<'c>>,
    models: [Model<Scoped<'c, Unnamed>, InLane<'l>>; 2],
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
