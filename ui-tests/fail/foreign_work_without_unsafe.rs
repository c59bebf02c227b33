// MEM-02: who queues work by hand vouches for the memory that it uses.
use ascendcl::{Brand, Current, DeviceBuffer, Error, Stream};

pub fn queue<C: Brand>(current: &Current<C>, stream: &Stream<C>, buffer: DeviceBuffer<C, f32>) -> Result<(), Error> {
    let work = stream.submit(current, "launch", buffer, |_stream, _memory| 0)?;
    work.wait(current)?;
    Ok(())
}

fn main() {}
