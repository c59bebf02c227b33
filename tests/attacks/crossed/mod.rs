//! Wakers that poll, values of threads that end, limits without end and failures that several pieces of work share.

mod ends;
mod failures;
mod limits;
mod polls;
mod several;

use super::common::{alone, difference, library};
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

/// A model that subtracts 2 from 5.
fn subtracts<C: Brand>(current: &Current<C>) -> BoundModel<C> {
    let model = current.load(ModelSource::memory(&difference()).into()).unwrap();
    let mut model = model.bind(current, &[&[4], &[4]], &[&[4]]).unwrap();
    model.write(current, 0, &[5.0_f32; 4]).unwrap();
    model.write(current, 1, &[2.0_f32; 4]).unwrap();
    model
}

/// A model that has been executed.
fn executed<C: Brand>(current: &Current<C>, stream: &Stream<C, DefaultAllocator>) -> BoundModel<C> {
    let model = stream.execute(current, subtracts(current)).unwrap().wait(current).unwrap();
    assert_eq!(model.read::<f32>(current, 0).unwrap(), [3.0; 4]);
    model
}

#[track_caller]
fn is_lost<C: Brand>(current: &Current<C>, model: &BoundModel<C>) {
    let refused = model.read::<f32>(current, 0).unwrap_err();
    assert!(matches!(refused, Error::NotExecuted), "{refused}");
}
