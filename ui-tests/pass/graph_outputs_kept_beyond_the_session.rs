// GE-21: outputs are released before the session and its allocator go; what is kept is a copy.
use ascendcl_ge::{Engine, Options, Outputs, Session};
use ascendcl::{Current, Device, Scoped, Thread};

pub fn program(
    engine: &Engine<'_>,
    thread: &mut Thread,
    device: &Device<'_>,
    execute: impl for<'c> Fn(&mut Session<Scoped<'c>>, &mut Current<Scoped<'c>>) -> Outputs<Scoped<'c>>,
) {
    let kept = engine.session(thread, device, &Options::new(), |session, current| {
        execute(session, current).to_vec::<f32>(current, 0).ok()
    });
    drop(kept);
}

fn main() {}
