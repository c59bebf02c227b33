// DEV-05: a stream of the default context is not used after the scope that its device was borrowed for.
use ascendcl::{Device, Thread};

fn stream(device: &Device<'_>, thread: &mut Thread) -> String {
    let stream = device.default_context(thread, |context, thread| {
        context.enter(thread, |current| current.stream().map(|stream| format!("{stream:?}")))
    });
    stream.unwrap().unwrap().unwrap()
}

fn main() {}
