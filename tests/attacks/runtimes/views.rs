//! Runtimes in one default context, and failures of work that the library tells one of them.

use super::*;

const FAILED: i32 = 507_015;

fn setup() -> Setup {
    Setup::builder().library(library()).device(0).default_context(true).build()
}

fn set(current: &Current<Worker>, stream: &ascendcl::stream::StreamOps<Worker>) {
    drop(stream.set_bytes(current, current.device_buffer::<u8>(8).unwrap(), 1).unwrap());
}

#[track_caller]
fn is_told(waited: Result<(), Error>) {
    assert_eq!(waited.unwrap_err().code().unwrap().number(), FAILED);
}

/// A failure of work in a context that the crate has created concerns no work in the default one.
#[proves(ERR_02)]
#[test]
fn a_failure_in_a_context_of_its_own_is_not_told_in_the_default_context() {
    let alone = alone();
    let shared = Runtime::<Worker>::open(setup()).unwrap();
    let own = Runtime::<Worker>::open(Setup::builder().library(library()).device(0).build()).unwrap();
    let stream = shared.with(|current| {
        let stream = current.stream().unwrap();
        set(current, &stream);
        stream
    });
    let fails = |current: &mut Current<Worker>| {
        set(current, &current.stream().unwrap());
        fail("aclrtSynchronizeDevice#1=after:507015,aclrtSynchronizeDeviceWithTimeout#1=after:507015");
        is_told(current.synchronize());
        nothing_fails();
    };
    own.with(fails).unwrap();
    shared.with(|current| stream.unwrap().synchronize(current).unwrap()).unwrap();
    own.close().unwrap();
    shared.close().unwrap();
    alone.assert_nothing_lives();
}

/// A wait for a stream of one runtime says nothing of the default stream that both have.
#[proves(ERR_02)]
#[test]
fn a_failure_on_a_stream_is_not_told_on_the_default_stream_of_another_runtime() {
    let alone = alone();
    let (one, two) = (Runtime::<Worker>::open(setup()).unwrap(), Runtime::<Worker>::open(setup()).unwrap());
    two.with(|current| set(current, &current.default_stream())).unwrap();
    let fails = |current: &mut Current<Worker>| {
        let stream = current.stream().unwrap();
        set(current, &stream);
        fail("aclrtSynchronizeStream#1=after:507015,aclrtSynchronizeStreamWithTimeout#1=after:507015");
        is_told(stream.synchronize(current));
        nothing_fails();
    };
    one.with(fails).unwrap();
    two.with(|current| current.default_stream().synchronize(current).unwrap()).unwrap();
    one.close().unwrap();
    two.close().unwrap();
    alone.assert_nothing_lives();
}

/// The call failed, and the wait behind it is told of a failure. The caller has heard of that.
#[proves(ERR_02)]
#[test]
fn a_failed_call_on_the_default_stream_is_not_told_a_second_time() {
    let alone = alone();
    let one = Runtime::<Worker>::open(setup()).unwrap();
    let fails = |current: &mut Current<Worker>| {
        let stream = current.default_stream();
        let buffer = current.device_buffer::<u8>(8).unwrap();
        fail(
            "aclrtMemsetAsync#1=after:507899,aclrtSynchronizeStream#1=after:507015,\
             aclrtSynchronizeStreamWithTimeout#1=after:507015",
        );
        drop(stream.set_bytes(current, buffer, 1).unwrap_err());
        nothing_fails();
        stream.synchronize(current).unwrap();
    };
    one.with(fails).unwrap();
    one.close().unwrap();
    alone.assert_nothing_lives();
}
