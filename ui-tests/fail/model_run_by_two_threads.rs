// MODEL-16: one thread at a time runs a model.
use ascendcl::{Context, Error, Input, Model, Outputs, Scoped, Thread};

pub fn share<'c>(
    context: &'c Context<Scoped<'c>>,
    model: &mut Model<Scoped<'c>>,
    other: &mut Model<Scoped<'c>>,
    image: &[f32],
) {
    std::thread::scope(|scope| {
        scope.spawn(|| classify(context, model, image));
        scope.spawn(|| classify(context, model, image));
        let _ = &other;
    });
}

fn classify<'c>(
    context: &'c Context<Scoped<'c>>,
    model: &mut Model<Scoped<'c>>,
    image: &[f32],
) -> Result<Outputs, Error> {
    context.enter(&mut Thread::new()?, |current| model.run(current, &[Input::new(&[1, 64], image)?]))?
}

fn main() {}
