// MEM-11: each buffer of a list is read while its own context is current.
use ascendcl::{DeviceBuffer, Error, Runtime};

ascendcl::names!(Vision, Speech);

pub fn all(runtimes: (&Runtime<Vision>, &Runtime<Speech>), sounds: &[DeviceBuffer<Speech, f32>]) -> Result<Vec<Vec<f32>>, Error> {
    runtimes.0.with(|current| {
        let mut all = Vec::new();
        for sound in sounds {
            all.push(sound.to_vec(current)?);
        }
        Ok(all)
    })?
}

fn main() {}
