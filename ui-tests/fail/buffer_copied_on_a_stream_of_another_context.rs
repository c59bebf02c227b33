// STREAM-09, MEM-11: a copy is work of one context: its stream's and its buffers'.
use ascendcl::{Current, DeviceBuffer, Error, HostBuffer, Scoped, Stream, stream::Undecided};

ascendcl::names! { pub Vision, pub Speech }

pub fn mix<'v, 's>(
    vision: &Current<Scoped<'v, Vision>>,
    stream: &Stream<Scoped<'v, Vision>, Undecided>,
    image: HostBuffer<Scoped<'v, Vision>, f32>,
    seen: DeviceBuffer<Scoped<'v, Vision>, f32>,
    heard: DeviceBuffer<Scoped<'s, Speech>, f32>,
) -> Result<(), Error> {
    let _ = (&seen, &heard);
    stream.copy_to_device(vision, image, heard)?.wait(vision)?;
    Ok(())
}

fn main() {}
