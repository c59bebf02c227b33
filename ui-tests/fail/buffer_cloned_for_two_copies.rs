// MEM-01: memory has one owner, who frees it once; a second handle would free it again.
use ascendcl::{Brand, Current, DeviceBuffer, Error, HostBuffer, Stream};

pub fn fan_out<C: Brand>(
    current: &Current<C>,
    streams: [Stream<C>; 2],
    image: HostBuffer<C, f32>,
    devices: [DeviceBuffer<C, f32>; 2],
) -> Result<(), Error> {
    for (stream, device) in streams.iter().zip(devices) {
        stream.copy_to_device(current, image.clone(), device)?.wait(current)?;
    }
    Ok(())
}

fn main() {}
