// MEM-11: a copy works on buffers of the stream's own context.
use ascendcl::{Current, DeviceBuffer, Error, HostBuffer, Stream};

ascendcl::names!(Vision, Speech);

pub struct Job {
    pub image: HostBuffer<Vision, f32>,
    pub sound: HostBuffer<Speech, f32>,
    pub device: DeviceBuffer<Vision, f32>,
}

pub fn upload(current: &Current<Vision>, stream: &Stream<Vision>, job: Job) -> Result<(), Error> {
    let Job { image, sound, device } = job;
    let _ = (&image, &sound);
    stream.copy_to_device(current, sound, device)?.wait(current)?;
    Ok(())
}

fn main() {}
