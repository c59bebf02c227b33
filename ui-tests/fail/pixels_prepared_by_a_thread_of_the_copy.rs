// THREAD-01: a thread that fills host memory enters the context itself.
use ascendcl::{Context, Current, Error, HostBuffer, Scoped, Thread};

pub fn prepare<'c>(
    context: &Context<Scoped<'c>>,
    current: &Current<Scoped<'c>>,
    mut pixels: HostBuffer<Scoped<'c>, u8>,
) -> Result<HostBuffer<Scoped<'c>, u8>, Error> {
    let _ = (context, current, Thread::new);
    std::thread::scope(|scope| {
        let filled = scope.spawn(|| Ok(pixels.slice_mut(current)?.fill(7)));
        filled.join().unwrap_or(Ok(()))
    })?;
    Ok(pixels)
}

fn main() {}
