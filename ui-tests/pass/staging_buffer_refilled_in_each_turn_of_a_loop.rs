// COPY-04: a host buffer is filled again after its copy was waited for.
use ascendcl::{Brand, Current, Error, Stream};

pub fn upload_indices<C: Brand>(current: &Current<C>, stream: &Stream<C>, batches: &[Vec<u32>]) -> Result<(), Error> {
    let mut staging = current.host_buffer::<u32>(1024)?;
    for batch in batches {
        staging.slice_mut(current)?[..batch.len()].copy_from_slice(batch);
        let device = current.device_buffer::<u32>(1024)?;
        (staging, _) = stream.copy_to_device(current, staging, device)?.wait(current)?;
    }
    Ok(())
}

fn main() {}
