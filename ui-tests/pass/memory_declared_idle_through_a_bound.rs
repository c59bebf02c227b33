// MEM-02: being in flight opens no way to say that the work is done.
use ascendcl::{Current, DeviceBuffer, Error, Payload};

fn is_payload<P: Payload>(_payload: &P) {}

fn free<'c>(current: &Current<'c>, buffer: DeviceBuffer<'c, f32>) -> Result<(), Error> {
    is_payload(&buffer);
    Ok(buffer.free(current)?)
}

fn main() {}
