//! Contexts whose streams all stop at the first failure, and that only force ends (STREAM-15).

use super::{alone as alone_on_all_devices, *};
use crate::collect;
use crate::common::onnx;
use crate::null::{books, in_books};
use ascendcl::model::{Load, ModelSource};
use ascendcl::stream::{DefaultAllocator, StreamOptions};
use ascendcl::{Brand, DeviceBuffer, Recovered};
use ascendcl_sim::Config;
use std::sync::mpsc::Sender;

pub(super) const BRIEFLY: Duration = Duration::from_millis(20);

/// A device that no other test takes: it is reset by force here.
const DEVICE: i32 = 4;

pub(super) fn alone() -> crate::common::Alone {
    let alone = alone_on_all_devices();
    control::configure(crate::common::under_watch(Config::new().devices(5))).unwrap();
    alone
}

pub(super) fn open() -> Runtime<Worker> {
    Runtime::open(Setup::builder().library(library()).device(DEVICE).build()).unwrap()
}

pub(super) fn stops() -> StreamOptions {
    StreamOptions::builder().stop_on_failure(true).build()
}

pub(super) fn plain<C: Brand>(current: &Current<C>) -> Stream<C, DefaultAllocator> {
    current.stream().unwrap().without_allocator()
}

/// Makes the work of this stream fail: a model looks for the tenth of four floats.
#[track_caller]
pub(super) fn fails<C: Brand>(current: &Current<C>, stream: &Stream<C, DefaultAllocator>) {
    let image = onnx::pick();
    let model = current.load(Load::builder().source(ModelSource::memory(&image)).build()).unwrap();
    let mut model = model.bind(current, &[&[4], &[1]], &[&[1]]).unwrap();
    model.write(current, "x", &[1.0_f32; 4]).unwrap();
    model.write(current, "i", &[9_i64]).unwrap();
    stopped(stream.execute(current, model).unwrap().wait(current));
}

/// The library answers with the failure of the model.
#[track_caller]
pub(super) fn stopped<T, E: Into<Error>>(result: Result<T, E>) {
    let Err(error) = result.map_err(E::into) else { panic!("it has not stopped") };
    let code = error.code().unwrap_or_else(|| panic!("{error}"));
    assert!(!code.is_timeout(), "{error}");
}

type HeldCopy<C> = Pending<C, (DeviceBuffer<C, u8>, HostBuffer<C, u8>)>;

/// A stream that works until something is sent, and a copy behind that.
fn held_copy<C: Brand>(current: &Current<C>) -> (HeldCopy<C>, Sender<()>) {
    let (release, released) = channel::<()>();
    let stream = plain(current);
    let held = move || released.recv_timeout(Duration::from_secs(20)).is_ok();
    mem::forget(stream.launch_host_fn(current, held).unwrap());
    let (from, to) = (current.upload(&[7_u8; 64]).unwrap(), current.host_buffer(64).unwrap());
    (stream.copy_to_host(current, from, to).unwrap(), release)
}

/// The waits fail at once, while the work of the other stream has not ended. What it uses is neither read nor freed.
#[proves(STREAM_15, STREAM_05, MEM_02, DEV_10)]
#[test]
fn what_nobody_can_wait_for_keeps_its_memory_until_its_runtime_is_closed_by_force() {
    let alone = alone();
    let runtime = open();
    let (release, copy, buffer) = runtime
        .with(|current| {
            let failing = current.stream_with(stops()).unwrap().without_allocator();
            let (copy, release) = held_copy(current);
            fails(current, &failing);
            let blocks = control::live().device_blocks;
            // A library may answer with the failure at once, or wait for the task that runs: neither is an end.
            let failed = copy.wait_within(current, BRIEFLY).unwrap_err();
            stopped(failing.synchronize(current));
            stopped(current.synchronize());
            // No stream takes work, and what it was to use is given to nobody else.
            let refused = failing.set_bytes(current, current.device_buffer::<u8>(4).unwrap(), 1).unwrap_err();
            stopped::<(), _>(Err(refused.error));
            let buffer = refused.value.zero(current).unwrap_err();
            assert!(matches!(buffer.error, Error::InDoubt { .. }), "{}", buffer.error);
            let new = plain(current);
            stopped(new.set_bytes(current, current.device_buffer::<u8>(4).unwrap(), 1));
            stopped(failing.destroy(current));
            assert!(control::live().device_blocks >= blocks, "{:?}", control::live());
            (release, failed.value, buffer.value)
        })
        .unwrap();
    let Err(CloseError::Teardown { .. }) = runtime.close() else { panic!("nobody knows what still runs") };
    drop(release);
    runtime.close_by_force(BRIEFLY).unwrap();
    runtime.close().unwrap();
    drop((copy, buffer, runtime));
    sweep();
    alone.assert_nothing_lives();
}

/// The context ends by force, and its device is used again.
#[proves(STREAM_15, DEV_08, DEV_10)]
#[test]
fn a_scope_whose_streams_have_stopped_is_recovered() {
    let alone = alone();
    let acl = crate::common::acl();
    let mut thread = Thread::new().unwrap();
    let device = acl.device(&mut thread, DEVICE).unwrap().with_teardown_timeout(BRIEFLY);
    let ended = device.with_current(&mut thread, |current| {
        let failing = current.stream_with(stops()).unwrap().without_allocator();
        fails(current, &failing);
    });
    assert!(matches!(ended, Err(ascendcl::ScopeError::Teardown { .. })), "{ended:?}");
    let device = match device.recover(&mut thread, BRIEFLY).unwrap() {
        Recovered::Usable(device) => device,
        Recovered::Reset { .. } => acl.device(&mut thread, DEVICE).unwrap(),
    };
    // The next context has no such mode: its streams go on behind a failure.
    device
        .with_current(&mut thread, |current| {
            let stream = plain(current);
            fails(current, &stream);
            let set = stream.set_bytes(current, current.device_buffer::<u8>(4).unwrap(), 7).unwrap();
            assert_eq!(set.wait(current).unwrap().to_vec(current).unwrap(), [7; 4]);
        })
        .unwrap();
    device.reset(&mut thread).unwrap();
    acl.close().unwrap();
    alone.assert_nothing_lives();
}

/// Streams of another context of the device go on, and its close does not wait for the one that has stopped.
#[proves(STREAM_15)]
#[test]
fn a_second_context_goes_on_beside_one_that_has_stopped() {
    let alone = alone();
    let (stops_here, goes_on) =
        (open(), Runtime::<Other>::open(Setup::builder().library(library()).device(DEVICE).build()).unwrap());
    stops_here.with(|current| fails(current, &current.stream_with(stops()).unwrap().without_allocator())).unwrap();
    goes_on
        .with(|current| {
            let stream = plain(current);
            let set = stream.set_bytes(current, current.device_buffer::<u8>(4).unwrap(), 7).unwrap();
            assert_eq!(set.wait(current).unwrap().to_vec(current).unwrap(), [7; 4]);
        })
        .unwrap();
    let Err(CloseError::Teardown { errors }) = stops_here.close_by_force(BRIEFLY) else { panic!("under another one") };
    assert!(matches!(errors.last(), Some(Error::DeviceShared { .. })), "{errors:?}");
    goes_on.close().unwrap();
    stops_here.close_by_force(BRIEFLY).unwrap();
    drop((stops_here, goes_on));
    sweep();
    alone.assert_nothing_lives();
}

/// A stream without the mode would not be what was asked for.
#[proves(STREAM_15)]
#[test]
fn a_stream_that_does_not_get_its_mode_is_destroyed() {
    let alone = alone();
    let runtime = open();
    runtime
        .with(|current| {
            let before = control::live().streams;
            fail("aclrtSetStreamFailureMode#1=207000");
            let refused = current.stream_with(stops()).unwrap_err();
            assert_eq!(refused.code().unwrap().number(), 207_000);
            assert!(refused.to_string().contains("failure"), "{refused}");
            collect(current);
            assert_eq!(control::live().streams, before);
            nothing_fails();
            // The others have no mode, either.
            let stream = plain(current);
            fails(current, &stream);
            stopped(stream.synchronize(current));
            stream.synchronize(current).unwrap();
        })
        .unwrap();
    runtime.close().unwrap();
    drop(runtime);
    alone.assert_nothing_lives();
    let books = books();
    in_books(&books, |current| {
        let Err(Error::MissingFunction(missing)) = current.stream_with(stops()) else { panic!("it has it") };
        assert!(missing.symbol.starts_with("aclrt"), "{missing}");
    });
}

#[proves(STREAM_15)]
#[test]
fn a_stream_that_does_not_stop_is_made_without_a_mode() {
    let alone = alone();
    let runtime = open();
    runtime
        .with(|current| {
            crate::must_not_call("aclrtSetStreamFailureMode=207000");
            drop(current.stream_with(StreamOptions::builder().priority(1).build()).unwrap());
            nothing_fails();
        })
        .unwrap();
    runtime.close().unwrap();
    alone.assert_nothing_lives();
}
