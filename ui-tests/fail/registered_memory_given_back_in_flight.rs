// COPY-04, MEM-14: registered memory is unregistered when no copy uses it.
use ascendcl::memory::Pages;
use ascendcl::{Brand, Current, DeviceBuffer, Error, Stream};

fn upload<C: Brand>(
    current: &Current<C>,
    stream: &Stream<C>,
    pages: Pages<f32>,
    device: DeviceBuffer<C, f32>,
) -> Result<Pages<f32>, Error> {
    let host = current.register(pages)?;
    let (host, _device) = stream.copy_to_device(current, host, device)?.split();
    host.unregister(current)
}

fn main() {}
