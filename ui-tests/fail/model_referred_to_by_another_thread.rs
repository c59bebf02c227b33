// MODEL-16: one thread at a time has a model: it can be sent, not shared.
use ascendcl::{Context, Current, Error, Model, Scoped, Thread};

pub fn share<'c>(context: &'c Context<Scoped<'c>>, model: Model<Scoped<'c>>) {
    std::thread::scope(|scope| {
        scope.spawn(|| enter(context, |_| Ok(println!("{:?}", model.inputs()))));
    });
}

fn enter<'c>(
    context: &'c Context<Scoped<'c>>,
    look: impl FnOnce(&mut Current<Scoped<'c>>) -> Result<(), Error>,
) -> Result<(), Error> {
    context.enter(&mut Thread::new()?, look)?
}

fn main() {}
