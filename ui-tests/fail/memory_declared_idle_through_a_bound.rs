// MEM-02: being in flight opens no way to say that the work is done.
use ascendcl::{Brand, Current, DeviceBuffer, Error, stream::Payload};

fn declare_idle<P: Payload>(payload: &P) {
    payload.mark_work_done();
}

fn free<C: Brand>(current: &Current<C>, buffer: DeviceBuffer<C, f32>) -> Result<(), Error> {
    declare_idle(&buffer);
    Ok(buffer.free(current)?)
}

fn main() {}
