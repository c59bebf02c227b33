//! The program's own marks and ranges in the file of a session.

use crate::support::*;
use crate::world::*;
use ascendcl_sys::error_codes::*;
use ascendcl_sys::types::*;
use core::ffi::c_char;

/// Runs `program` in a session, and answers with what the file says of ranges.
fn recorded(name: &str, program: impl FnOnce()) -> String {
    let folder = std::env::temp_dir().join(format!("ascendcl-sim-{name}-{}", std::process::id()));
    let path = c(folder.to_str().unwrap());
    ok!(profiling::aclprofInit(path.as_ptr(), path.as_bytes().len()));
    program();
    ok!(profiling::aclprofFinalize());
    let written = std::fs::read_to_string(folder.join("ascendcl-sim-profile.json")).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    written.split_once(r#""ranges":"#).unwrap().1.to_owned()
}

fn stamp(message: &str) -> *mut core::ffi::c_void {
    let stamp = call!(profiling::aclprofCreateStamp());
    let (start, length) = (message.as_ptr().cast::<c_char>(), message.len() as u32);
    ok!(profiling::aclprofSetStampTraceMessage(stamp, start, length));
    stamp
}

#[test]
fn ranges_and_moments_stand_in_the_file_under_their_texts() {
    let _world = world();
    let ranges = recorded("stamps", || {
        let (outer, inner) = (stamp("load \"a\""), stamp("run"));
        let mut number = 0;
        ok!(profiling::aclprofRangeStart(outer, &mut number));
        ok!(profiling::aclprofPush(inner));
        std::thread::sleep(std::time::Duration::from_millis(5));
        ok!(profiling::aclprofPop());
        ok!(profiling::aclprofMark(inner));
        ok!(profiling::aclprofRangeStop(number));
        call!(profiling::aclprofDestroyStamp(outer));
        call!(profiling::aclprofDestroyStamp(inner));
    });
    let texts: Vec<&str> =
        ranges.split(r#"{"text":""#).skip(1).map(|range| range.split(r#"","start"#).next().unwrap()).collect();
    assert_eq!(texts, ["run", "run", r#"load \"a\""#]);
    let time = |key: &str| -> Vec<u64> {
        let numbers = ranges.split(key).skip(1).map(|rest| rest.split([',', '}']).next().unwrap().parse().unwrap());
        numbers.collect()
    };
    let (starts, ends) = (time(r#""start_us":"#), time(r#""end_us":"#));
    assert!(ends[0] - starts[0] >= 5_000 && ends[1] == starts[1], "{ranges}");
    assert!(starts[2] <= starts[0] && ends[2] >= ends[0], "{ranges}");
}

#[test]
fn a_mark_on_a_stream_waits_for_its_turn() {
    let _world = world();
    let ranges = recorded("marks", || {
        let stream = stream();
        let (open, gate) = std::sync::mpsc::channel::<()>();
        launch(stream, move || gate.recv().unwrap());
        let message = "behind";
        ok!(profiling::aclprofMarkEx(message.as_ptr().cast(), message.len(), stream));
        open.send(()).unwrap();
        synchronize(stream);
    });
    assert!(ranges.contains(r#""text":"behind""#), "{ranges}");
}

#[test]
fn what_was_not_started_cannot_be_ended() {
    let _world = world();
    fails!(ACL_ERROR_INVALID_PARAM, "no range 4711", profiling::aclprofRangeStop(4711));
    fails!(ACL_ERROR_INVALID_PARAM, "pushed no range", profiling::aclprofPop());
    let gone = stamp("gone");
    call!(profiling::aclprofDestroyStamp(gone));
    fails!(ACL_ERROR_INVALID_PARAM, "or it was destroyed", profiling::aclprofMark(gone));
}

#[test]
fn the_attributes_of_the_release_are_listed_and_answered() {
    let _world = world();
    let (mut list, mut count) = (core::ptr::null(), 0);
    ok!(base::aclGetCannAttributeList(&mut list, &mut count));
    // SAFETY: the simulator's list has as many elements as it says, and stays in place.
    let attributes = unsafe { core::slice::from_raw_parts(list, count) };
    assert!(attributes.contains(&aclCannAttr::ACL_CANN_ATTR_BF16));
    for attribute in attributes {
        let mut value = -1;
        ok!(base::aclGetCannAttribute(*attribute, &mut value));
        assert!(value == 0 || value == 1);
    }
    let mut value = -1;
    fails!(ACL_ERROR_INVALID_FILE, "no attribute 99", base::aclGetCannAttribute(aclCannAttr(99), &mut value));
}
