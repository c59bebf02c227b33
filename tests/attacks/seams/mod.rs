//! Features that meet: runtimes, threads, callbacks, panics, graphs, parts and values that are swapped or forgotten.

mod callbacks;
mod closing;
mod guards;
mod nested;
mod swaps;
mod values;

use super::{collect, fail, finish, model, nothing_fails, upload};
use crate::common::{acl, alone, library};
use ascendcl::capture::CaptureMode;
use ascendcl::runtime::{self, CloseError};
use ascendcl::stream::DefaultAllocator;
use ascendcl::{Current, DeviceBuffer, Error, HostBuffer, Runtime, Stream};
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

ascendcl::names!(Worker, Other);

const LONG: Duration = Duration::from_secs(20);

fn open() -> Runtime<Worker> {
    Runtime::open(library()).unwrap()
}

fn stream(current: &Current<Worker>) -> Stream<Worker, DefaultAllocator> {
    current.stream().unwrap().without_allocator()
}

/// The stream does nothing until something is sent.
fn hold(current: &Current<Worker>, stream: &Stream<Worker, DefaultAllocator>) -> Sender<()> {
    let (release, released) = channel::<()>();
    mem::forget(stream.launch_host_fn(current, move || released.recv_timeout(LONG).is_ok()).unwrap());
    release
}

#[track_caller]
fn sweep() {
    let errors: Vec<_> = runtime::sweep(Some(LONG)).iter().map(Error::to_string).collect();
    assert_eq!(errors, [""; 0]);
}

#[track_caller]
fn is_of_another<T>(result: Result<T, Error>) {
    let Err(error) = result else { panic!("a value was used in another context") };
    assert!(matches!(error, Error::WrongContext { .. }), "{error}");
}
