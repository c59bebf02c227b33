//! What a context still has after calls that failed halfway, and what a device says of a context that could not end.

use super::{collect, fail, in_context, inside, nothing_fails, set, undisturbed};
use crate::common::{acl, alone, assert_lives, difference, under_watch};
use ascendcl::capture::CaptureMode;
use ascendcl::memory::{Pages, bytes_in_arena};
use ascendcl::model::ModelSource;
use ascendcl::operator::{Operator, relu};
use ascendcl::raw::{Attach, EndingContext, EndsBefore};
use ascendcl::{Current, Error, ScopeError, Scoped, Thread};
use ascendcl_macros::proves;
use ascendcl_sim::{Config, control};
use std::mem;
use std::sync::mpsc::channel;
use std::time::Duration;

const BRIEFLY: Duration = Duration::from_millis(20);
const LONG: Duration = Duration::from_secs(20);

/// What the device keeps of a scope whose work did not come to an end, besides one stream with that work.
fn kept_beside_a_stream(program: impl FnOnce(&mut Current<Scoped<'_>>)) -> Vec<String> {
    let (alone, _others) = undisturbed();
    let (acl, mut thread) = (acl(), Thread::new().unwrap());
    let device = acl.device(&mut thread, 0).unwrap().with_teardown_timeout(BRIEFLY);
    let scope = device.with_current(&mut thread, |current| {
        let stream = current.stream().unwrap();
        program(current);
        let (release, released) = channel::<()>();
        mem::forget(stream.launch_host_fn(current, move || released.recv_timeout(LONG).is_ok()).unwrap());
        release
    });
    let Err(ScopeError::Teardown { result: release, .. }) = scope else { panic!("it was taken down") };
    let Err(refused) = device.reset(&mut thread) else { panic!("it was reset") };
    let Error::ObjectsLeft { stuck, .. } = refused.error else { panic!("{}", refused.error) };
    drop(release);
    let device = refused.value.with_teardown_timeout(LONG);
    device.reset(&mut thread).unwrap();
    acl.close().unwrap();
    alone.assert_nothing_lives();
    let mut kept: Vec<_> = stuck.split(", ").map(str::to_owned).collect();
    let stream = kept.iter().position(|what| what == "1 stream(s)").unwrap_or_else(|| panic!("{stuck}"));
    kept.remove(stream);
    kept
}

#[proves(DEV_10)]
#[test]
fn what_was_taken_back_or_never_came_to_be_is_not_kept_with_a_device() {
    let nothing = kept_beside_a_stream(|_| ());
    let vector = |current: &mut Current<Scoped<'_>>| {
        drop(current.pageable_buffer(vec![1_u8; 64]).into_vec(current).unwrap());
    };
    assert_eq!(kept_beside_a_stream(vector), nothing);
    let pages = |current: &mut Current<Scoped<'_>>| {
        let pages = current.register(Pages::copied_from(&[1_u8; 64]).unwrap()).unwrap();
        drop(pages.unregister(current).unwrap());
    };
    assert_eq!(kept_beside_a_stream(pages), nothing);
    // The library has no captures.
    let capture = |current: &mut Current<Scoped<'_>>| {
        let mut stream = current.stream().unwrap().without_allocator();
        fail("aclmdlRICaptureBegin=207000");
        drop(stream.capture(current, CaptureMode::Relaxed, (), |_, ()| Ok(())).unwrap_err());
        nothing_fails();
        stream.destroy(current).unwrap();
    };
    assert_eq!(kept_beside_a_stream(capture), nothing);
}

#[proves(DEV_10)]
#[test]
fn a_context_that_the_library_does_not_destroy_is_kept_with_its_device() {
    let (alone, _others) = undisturbed();
    let (acl, mut thread) = (acl(), Thread::new().unwrap());
    let device = acl.device(&mut thread, 0).unwrap();
    fail("aclrtDestroyContext=507899");
    device.with_current(&mut thread, |_| ()).unwrap_err();
    let refused = device.reset(&mut thread).unwrap_err();
    nothing_fails();
    let Error::ObjectsLeft { stuck, .. } = &refused.error else { panic!("{}", refused.error) };
    assert_eq!(&**stuck, "a context");
    refused.value.reset(&mut thread).unwrap();
    acl.close().unwrap();
    alone.assert_nothing_lives();
}

/// Parts that the library has made before a call fails are destroyed at once.
#[proves(OP_03, DATA_05)]
#[test]
fn an_operator_and_a_binding_that_fail_halfway_leave_no_records() {
    let alone = alone();
    inside(|current| {
        let x = current.upload_tensor(&[2], &[1.0_f32; 2]).unwrap();
        fail("aclopCompile=507899");
        drop(relu(current, x).unwrap_err());
        nothing_fails();
        assert_lives!(tensor_descriptions, 0);
        assert_lives!(data_buffers, 0);
        assert_lives!(operator_attributes, 0);
        let image = difference();
        let model = current.load(ModelSource::memory(&image).into()).unwrap();
        fail("aclCreateDataBuffer#2=507899");
        drop(model.bind(current, &[&[4], &[4]], &[&[4]]).unwrap_err());
        nothing_fails();
        assert_lives!(data_buffers, 0);
        assert_lives!(datasets, 0);
    });
    alone.assert_nothing_lives();
}

#[proves(MEM_08, OP_03)]
#[test]
fn an_arena_is_used_again_although_an_operator_that_was_dropped_has_a_buffer_of_it() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap().without_allocator();
        let mut arena = current.device_arena(bytes_in_arena::<f32>(2)).unwrap();
        let room = arena.take::<f32>(2).unwrap().into_tensor(&[2]).unwrap();
        let x = current.upload_tensor(&[2], &[1.0_f32; 2]).unwrap();
        let operator = Operator::new("Relu").bind(current, x, room).map_err(Error::from).unwrap();
        drop(stream.launch(current, operator).unwrap());
        stream.synchronize(current).unwrap();
        arena.reset(current).unwrap();
    });
    alone.assert_nothing_lives();
}

/// Only a device that has no more of them is a reason to destroy what was dropped.
#[proves(STREAM_11, EVENT_08)]
#[test]
fn a_creation_that_fails_for_another_reason_than_room_destroys_nothing() {
    let alone = alone();
    inside(|current| {
        drop(current.event().unwrap());
        drop(current.stream().unwrap());
        fail("aclrtCreateEvent#1=507899, aclrtCreateStream#1=507899");
        let (event, stream) = (current.event().map(drop), current.stream().map(drop));
        assert!(event.is_err() && stream.is_err());
        nothing_fails();
        assert_lives!(events, 1);
        assert_lives!(streams, 1);
        let (release, released) = channel::<()>();
        let slow = current.stream().unwrap();
        drop(slow.launch_host_fn(current, move || released.recv_timeout(LONG).is_ok()).unwrap());
        drop(slow);
        for (code, is_told) in [(507_899, false), (207_008, true)] {
            fail(&format!("aclrtCreateStream={code}"));
            let refused = current.stream().map(drop).unwrap_err().to_string();
            nothing_fails();
            assert_eq!(refused.contains("stream(s) still work"), is_told, "{refused}");
        }
        release.send(()).unwrap();
    });
    alone.assert_nothing_lives();
}

/// A wait that is refused because the stream is captured says nothing of its work.
#[proves(ERR_02)]
#[test]
fn a_wait_that_a_capture_refuses_is_no_failure_of_work() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap();
        let work = set(current, &stream, 1);
        while !stream.is_complete(current).unwrap() {
            std::thread::yield_now();
        }
        fail("aclrtSynchronizeStreamWithTimeout=107027, aclrtSynchronizeStream=107027");
        collect(current);
        nothing_fails();
        drop(work.wait(current).unwrap());
    });
    alone.assert_nothing_lives();
}

/// Its end is refused, and then the device is reset by force.
struct Refuses;

// SAFETY: it stands for nothing in the library.
unsafe impl Attach for Refuses {
    const NAME: &'static str = "object that goes on";
    const ENDS_BEFORE: EndsBefore = EndsBefore::Everything;

    fn take_down(&self, _: &EndingContext<'_>) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        Err("not now".into())
    }
}

#[proves(DEV_08, DEV_10)]
#[test]
fn an_object_of_other_code_that_did_not_end_is_lost_with_a_default_context() {
    /// No other test leaves it taken.
    const DEVICE: i32 = 3;
    let (alone, _books) = undisturbed();
    control::configure(under_watch(Config::new().devices(4))).unwrap();
    let (acl, mut thread) = (acl(), Thread::new().unwrap());
    let device = acl.device(&mut thread, DEVICE).unwrap().with_teardown_timeout(BRIEFLY);
    let scope = device.default_context(&mut thread, |context, thread| {
        context.enter(thread, |current| drop(current.attach(Refuses, ()).unwrap())).unwrap();
    });
    scope.unwrap_err();
    let recovered = device.recover(&mut thread, BRIEFLY).unwrap();
    let ascendcl::Recovered::Reset { lost } = recovered else { panic!("it was not reset") };
    assert!(lost.iter().any(|lost| lost.contains("object that goes on")), "{lost:?}");
    acl.close().unwrap();
    control::reset();
    alone.assert_nothing_but_the_end_was_found();
}

/// The library gives its text of the last error to whoever asks next.
#[proves(ERR_01)]
#[test]
fn the_text_of_an_error_that_was_handled_is_not_left_to_other_code() {
    let alone = alone();
    in_context(|context, thread| {
        let entered = context.enter(thread, |current| {
            let functions = current.library().as_raw();
            let text = || {
                // SAFETY: takes no arguments, and the answer is a text of the library or null.
                let text = unsafe { functions.aclGetRecentErrMsg() }.unwrap();
                // SAFETY: the text ends with a zero byte, and stays until the next call of the library on this thread.
                (!text.is_null()).then(|| unsafe { std::ffi::CStr::from_ptr(text) }.to_owned())
            };
            text();
            let stream = current.stream().unwrap();
            for limit in [None, Some(Duration::from_secs(20))] {
                let slow = stream.launch_host_fn(current, || std::thread::sleep(Duration::from_millis(400))).unwrap();
                match limit {
                    None => drop(slow.wait(current).unwrap()),
                    Some(limit) => drop(slow.wait_within(current, limit).unwrap()),
                }
                assert_eq!(text(), None, "{limit:?}");
            }
        });
        entered.unwrap();
    });
    alone.assert_nothing_lives();
}
