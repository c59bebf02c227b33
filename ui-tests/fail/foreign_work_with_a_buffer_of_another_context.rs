// MEM-11: foreign work, too, uses memory of its stream's own context.
use ascendcl::{Current, DeviceBuffer, Error, Scoped, Stream};

ascendcl::names!(Vision, Speech);

pub fn queue<'v, 's>(
    vision: &Current<Scoped<'v, Vision>>,
    stream: &Stream<Scoped<'v, Vision>>,
    heard: DeviceBuffer<Scoped<'s, Speech>, f32>,
    _speech: &Current<Scoped<'s, Speech>>,
) -> Result<(), Error> {
    // SAFETY: nothing is queued.
    let work = unsafe { stream.submit(vision, "launch", (heard, vision.device_buffer::<f32>(1)?), |_, _| 0) };
    work.map(drop).map_err(|failed| failed.error)
}

fn main() {}
