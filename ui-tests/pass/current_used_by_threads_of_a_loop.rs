// THREAD-01: each thread of a loop enters the context itself.
use ascendcl::{Current, DeviceBuffer, Error, Runtime};

ascendcl::names!(Vision);

pub fn upload_all(runtime: &Runtime<Vision>, current: &Current<Vision>, images: &[Vec<f32>]) {
    let _ = current;
    std::thread::scope(|scope| {
        for image in images {
            scope.spawn(move || entered(runtime, image));
        }
    });
}

pub fn upload(current: &Current<Vision>, image: &[f32]) -> Result<DeviceBuffer<Vision, f32>, Error> {
    current.upload(image)
}

pub fn entered(runtime: &Runtime<Vision>, image: &[f32]) -> Result<DeviceBuffer<Vision, f32>, Error> {
    runtime.with(|current| upload(current, image))?
}

fn main() {}
