// MODEL-16: threads that share a model take turns for its inputs and its run.
use ascendcl::{Context, Current, Error, InLane, Model, SharedLane, Thread, Unnamed};

fn both<'c, 'l>(context: &'c Context<'c>, lane: &SharedLane<'c, 'l>, models: [Model<'c, Unnamed, InLane<'l>>; 2]) {
    let [mut one, mut two] = models;
    std::thread::scope(|scope| {
        scope.spawn(|| work(context, |current| lane.run(current, &mut one, &[]).map(drop)));
        scope.spawn(|| work(context, |current| lane.run(current, &mut two, &[]).map(drop)));
    });
}

fn work<'c>(context: &'c Context<'c>, run: impl FnOnce(&mut Current<'c>) -> Result<(), Error>) -> Result<(), Error> {
    context.enter(&mut Thread::new()?, run)?
}

fn main() {}
