// COPY-03: what a copy of rows writes is read after a wait.
use ascendcl::memory::Rows;
use ascendcl::{Current, DeviceBuffer, Error, HostBuffer, Scoped, Stream};

fn cut<'c>(
    current: &Current<Scoped<'c>>,
    stream: &Stream<Scoped<'c>>,
    from: DeviceBuffer<Scoped<'c>, u8>,
    to: HostBuffer<Scoped<'c>, u8>,
) -> Result<u8, Error> {
    let rows = Rows::builder().width(2).height(2).from_pitch(4).to_pitch(2).build();
    let (_from, to) = stream.copy_rows_to_host(current, from, to, rows)?.split();
    Ok(to[0])
}

fn main() {}
