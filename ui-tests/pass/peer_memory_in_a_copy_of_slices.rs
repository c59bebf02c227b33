// COPY-08: memory of another device is copied with access to it.
use ascendcl::peer::PeerAccess;
use ascendcl::{Brand, Current, DeviceBuffer, Error, Stream};

pub fn moves_over<C: Brand, P: Brand>(
    current: &mut Current<C>,
    stream: &Stream<C>,
    access: &PeerAccess<C, P>,
    source: &DeviceBuffer<P, f32>,
) -> Result<Vec<f32>, Error> {
    let target = current.device_buffer(source.len())?;
    current.copy_scope(|current, copies| {
        copies.copy_from_peer(current, stream, access, source, target)?.wait(current)?.to_vec(current)
    })?
}

fn main() {}
