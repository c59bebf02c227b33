// DEV-01: memory belongs to a context of the device.
use ascendcl::{Device, Thread};

pub fn first(device: &Device<'_>, thread: &mut Thread) -> Result<f32, Box<dyn std::error::Error>> {
    let numbers = device.with_current(thread, |current| {
        let buffer = current.upload(&[1.0_f32, 2.0])?;
        buffer.to_vec(current)
    })?;
    Ok(numbers?.first().copied().unwrap_or_default())
}

fn main() {}
