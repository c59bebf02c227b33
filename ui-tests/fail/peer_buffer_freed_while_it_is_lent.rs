// MEM-02: a buffer that is lent to a copy between devices stays until the scope has waited.
use ascendcl::{Current, DeviceBuffer, Error, Runtime, Stream};

ascendcl::names!(Vision, Speech);

fn fetch(
    current: &mut Current<Vision>,
    stream: &Stream<Vision>,
    speech: &Runtime<Speech>,
    sound: DeviceBuffer<Speech, u8>,
) -> Result<(), Error> {
    current.with_peer(speech, |current, access| {
        let room = current.device_buffer::<u8>(sound.len())?;
        current.copy_scope(|current, copies| {
            let copied = copies.copy_from_peer(current, stream, access, &sound, room)?;
            drop(sound);
            copied.wait(current)?;
            Ok(())
        })?
    })?
}

fn main() {}
