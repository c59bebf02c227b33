// DEV-05: a stream of the default context is not used after the scope that its device was borrowed for.
use ascendcl::{Device, Scoped, Stream, Thread};

fn stream<'a>(device: &'a Device<'_>, thread: &mut Thread) -> Stream<Scoped<'a>> {
    let stream = device.default_context(thread, |context, thread| context.enter(thread, |current| current.stream()));
    stream.unwrap().unwrap().unwrap()
}

fn main() {}
