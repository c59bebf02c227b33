// COPY-08: a copy between devices needs access from one to the other.
use ascendcl::{Current, DeviceBuffer, Error, Runtime, Stream};

ascendcl::names!(Vision, Speech);

fn fetch(
    current: &mut Current<Vision>,
    stream: &Stream<Vision>,
    speech: &Runtime<Speech>,
    sound: DeviceBuffer<Speech, u8>,
) -> Result<DeviceBuffer<Vision, u8>, Error> {
    let _ = speech;
    let room = current.device_buffer::<u8>(sound.len())?;
    let (_sound, copied) = stream.copy_on_device(current, sound, room)?.wait(current)?;
    Ok(copied)
}

fn main() {}
