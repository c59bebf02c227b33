//! Wakers that poll, values of threads that end, limits without end and failures that several pieces of work share.

mod ends;
mod failures;
mod limits;
mod polls;
mod several;

use super::common::{alone, library};
use super::lost_outputs::{assert_lost, subtracts};
use super::{fail, finish, nothing_fails};
use ascendcl::model::ModelSource;
use ascendcl::stream::DefaultAllocator;
use ascendcl::{BoundModel, Brand, Current, DeviceBuffer, Error, Runtime, Stream};
use ascendcl_macros::proves;
use std::mem;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

ascendcl::names!(Worker);

const LONG: Duration = Duration::from_secs(20);

fn open() -> Runtime<Worker> {
    Runtime::open(library()).unwrap()
}

fn stream<C: Brand>(current: &Current<C>) -> Stream<C, DefaultAllocator> {
    current.stream().unwrap().without_allocator()
}

/// The stream does nothing until something is sent.
fn hold<C: Brand>(current: &Current<C>, stream: &Stream<C, DefaultAllocator>) -> Sender<()> {
    let (release, released) = channel::<()>();
    mem::forget(stream.launch_host_fn(current, move || released.recv_timeout(LONG).is_ok()).unwrap());
    release
}

/// A model that has been executed.
fn executed<C: Brand>(current: &Current<C>, stream: &Stream<C, DefaultAllocator>) -> BoundModel<C> {
    let model = stream.execute(current, subtracts(current)).unwrap().wait(current).unwrap();
    assert_eq!(model.read::<f32>(current, 0).unwrap(), [3.0; 4]);
    model
}
