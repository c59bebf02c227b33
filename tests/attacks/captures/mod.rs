//! Captured graphs.

mod allocators;
mod beside;
mod branches;
mod broken;
mod broken_bodies;
mod build_branches;
mod builds;
mod conditions;
mod contents;
mod ends;
mod given_back;
mod group_types;
mod groups;
mod lent;
mod lifetimes;
mod meanwhile;
mod mixed;
mod others;
mod ports;
mod refused_ends;
mod shared;
mod split;
mod switches;
mod taken_over;
mod updates;

use super::{collect, fail, in_context, inside, undisturbed};
use crate::common::{alone, data, digits_in_batches_of};
use ascendcl::capture::{CaptureMode, CapturedGraph};
use ascendcl::{Brand, Current, DeviceBuffer, Error, HostBuffer, Stream, stream::DefaultAllocator};
use ascendcl_sim::control;

const LENGTH: usize = 64;

/// In, on the device, out.
type Io<C> = (HostBuffer<C, f32>, DeviceBuffer<C, f32>, HostBuffer<C, f32>);

fn io<C: Brand>(current: &Current<C>) -> Io<C> {
    let device = current.upload(&[0.0; LENGTH]).unwrap();
    (current.host_buffer(LENGTH).unwrap(), device, current.host_buffer(LENGTH).unwrap())
}

fn stream<C: Brand>(current: &Current<C>) -> Stream<C, DefaultAllocator> {
    current.stream().unwrap().without_allocator()
}

/// There and back.
fn echo<C: Brand>(current: &mut Current<C>, stream: &mut Stream<C, DefaultAllocator>) -> CapturedGraph<C, Io<C>> {
    let operands = io(current);
    stream
        .capture(current, CaptureMode::Relaxed, operands, |capture, (input, mut device, mut output)| {
            capture.copy_to_device(&input, &mut device)?;
            capture.copy_to_host(&device, &mut output)
        })
        .unwrap()
}

/// Replays the graph with this input, and compares what comes out.
fn assert_echoes<C: Brand>(
    current: &Current<C>,
    stream: &Stream<C, DefaultAllocator>,
    mut graph: CapturedGraph<C, Io<C>>,
    number: f32,
) -> CapturedGraph<C, Io<C>> {
    graph.operands(current).unwrap().0.fill(number);
    let mut graph = stream.replay(current, graph).unwrap().wait(current).unwrap();
    assert_eq!(graph.operands(current).unwrap().2, [number; LENGTH]);
    graph
}
