// THREAD-01: the current context is per thread; a new thread has none.
use ascendcl::{Context, Current, Error, Input, Model, Outputs, Scoped, Thread};

fn on_a_worker<'c>(
    context: &'c Context<Scoped<'c>>,
    current: &mut Current<Scoped<'c>>,
    model: &mut Model<Scoped<'c>>,
    image: &[f32],
) {
    let outputs = std::thread::scope(|scope| {
        let worker = scope.spawn(|| context.enter(&mut Thread::new()?, |current| classify(current, model, image))?);
        worker.join()
    });
    let _ = (context, outputs);
}

fn classify<'c>(
    current: &mut Current<Scoped<'c>>,
    model: &mut Model<Scoped<'c>>,
    image: &[f32],
) -> Result<Outputs, Error> {
    model.run(current, &[Input::new(&[1, 64], image)?])
}

fn main() {}
