//! Safe programs that try to leak an object, to use an object after its end, or to free memory in use.
//!
//! None of them may succeed. At the end of each test nothing is alive, and no rule of the library was broken.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

#[path = "../common/mod.rs"]
mod common;
#[path = "../null/mod.rs"]
mod null;

mod allocators;
mod any_in_flight;
mod any_tensors;
mod arguments;
mod asked;
mod asynchronous;
mod attached;
mod borrowed;
mod captures;
mod casts;
mod chosen;
mod collections;
mod copied_rows;
mod corners;
mod crossed;
mod defaults;
mod door;
mod door_addresses;
mod door_lists;
mod door_missing;
mod door_streams;
mod dropped;
mod dropping;
mod ended_inside;
mod endings;
mod event_kinds;
mod extensions;
mod forced;
mod foreign;
mod forget;
mod futures;
mod given_up;
mod in_place;
mod kept_events;
mod leaving;
mod left_current;
mod lost_outputs;
mod memory;
mod mixed;
mod model_outputs;
mod models;
mod nesting;
mod noted;
mod order;
mod owed;
mod pageable;
mod pairs;
mod panics;
mod parts;
mod peers;
mod ports;
mod printed;
mod reentered;
mod refusals;
mod registered;
mod registrations;
mod reports;
mod reset_on_demand;
mod rows;
mod run_buffers;
mod runs;
mod runtimes;
mod seams;
mod several_takes;
mod shared;
mod shared_devices;
mod sharing;
mod swap;
mod taken;
mod teardown;
mod thread_locals;
mod threads;
mod together;
mod told;
mod visits;
mod waits;
mod wakers;
mod what_is_left;

use ascendcl::{Brand, Current, DeviceBuffer, Error, HostBuffer, Model, Pending, Scoped, Stream, stream::StreamOps};
use common::plans::{begin, fail, must_not_call, nothing_fails};
use common::scopes::{in_context, inside, with_device};
use common::{Alone, alone, data};
use null::{Books, books};
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

/// A queued copy to the device.
type Upload<C> = Pending<C, (HostBuffer<C, f32>, DeviceBuffer<C, f32>)>;

/// Alone, and with no other library at work (each test that has one of its own keeps `books`, too): the crate counts
/// the resets of a device by its number, and forgets then what it left current, whichever library it was.
fn undisturbed() -> (Alone, Books) {
    (alone(), books())
}

/// Nothing that is queued behind this runs before something is sent.
fn hold<C: Brand>(current: &Current<C>, stream: &StreamOps<C>) -> Sender<()> {
    let (release, released) = channel::<()>();
    let held = move || released.recv_timeout(Duration::from_secs(20)).is_ok();
    std::mem::forget(stream.launch_host_fn(current, held).unwrap());
    release
}

fn upload<C: Brand>(current: &Current<C>, stream: &Stream<C>) -> Upload<C> {
    let host = current.host_buffer(1024).unwrap();
    stream.copy_to_device(current, host, current.device_buffer(1024).unwrap()).unwrap()
}

fn model<C: Brand>(current: &Current<C>) -> Model<C> {
    current.load_model(data("digits.onnx")).unwrap()
}

/// Collects the objects without a handle. This must not fail.
#[track_caller]
fn collect(current: &Current<impl Brand>) {
    let errors: Vec<_> = current.collect().iter().map(Error::to_string).collect();
    assert_eq!(errors, [""; 0]);
}

/// Leaves work in flight on the default stream, a stream and an event without a handle.
fn forgets_work<C: Brand>(current: &mut Current<C>) {
    let buffer = current.device_buffer::<u8>(64).unwrap();
    std::mem::forget(current.default_stream().set_bytes(current, buffer, 1).unwrap());
    Box::leak(Box::new(current.stream().unwrap()));
    std::mem::forget(current.event().unwrap());
}

/// A set of four bytes, in flight.
fn set<'c>(
    current: &Current<Scoped<'c>>,
    stream: &StreamOps<Scoped<'c>>,
    value: u8,
) -> Pending<Scoped<'c>, DeviceBuffer<Scoped<'c>, u8>> {
    stream.set_bytes(current, current.device_buffer::<u8>(4).unwrap(), value).unwrap()
}

/// Runs a future on this thread, which sleeps until it is woken.
#[track_caller]
fn finish<F: Future>(future: F) -> F::Output {
    common::block_on(future).0
}
