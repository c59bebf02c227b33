// STREAM-09, MEM-11: a copy is work of one context: its stream's and its buffers'.
use ascendcl::{Current, DeviceBuffer, Error, Fresh, HostBuffer, Stream};

ascendcl::names! { pub Vision, pub Speech }

pub fn mix<'v, 's>(
    vision: &Current<'v, Vision>,
    stream: &Stream<'v, Fresh, Vision>,
    image: HostBuffer<'v, f32, Vision>,
    seen: DeviceBuffer<'v, f32, Vision>,
    heard: DeviceBuffer<'s, f32, Speech>,
) -> Result<(), Error> {
    let _ = (&seen, &heard);
    stream.copy_to_device(vision, image, seen)?.wait(vision)?;
    Ok(())
}

fn main() {}
