// MEM-02: being in flight opens no way to say that the work is done.
use ascendcl::{Brand, Current, DeviceBuffer, Error, stream::Payload};

fn is_payload<P: Payload>(_payload: &P) {}

fn free<C: Brand>(current: &Current<C>, buffer: DeviceBuffer<C, f32>) -> Result<(), Error> {
    is_payload(&buffer);
    Ok(buffer.free(current)?)
}

fn main() {}
