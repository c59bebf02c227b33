// THREAD-01: each thread says for itself which context is current on it.
use ascendcl::{Context, Error, Scoped, Thread};

pub fn hand_over<'c>(context: &'c Context<Scoped<'c>>, thread: &mut Thread) {
    let _ = &thread;
    std::thread::scope(|scope| {
        scope.spawn(|| enter(context, thread));
    });
}

fn enter<'c>(context: &'c Context<Scoped<'c>>, thread: &mut Thread) -> Result<(), Error> {
    context.enter(thread, |current| drop(current.stream()))
}

fn main() {}
