//! Waiting for streams, and asking and destroying them.

use super::*;
use crate::building::persistent;

/// The update is a mark of the stream and no capture: other threads of the process wait for streams meanwhile.
#[test]
fn a_stream_that_updates_a_task_group_is_waited_for_asked_and_destroyed() {
    let _world = world();
    let (updater, group) = (stream(), group());
    ok!(model_instance::aclmdlRICaptureTaskUpdateBegin(updater, group));
    let mut status = aclrtStreamStatus::ACL_STREAM_STATUS_NOT_READY;
    let status: *mut aclrtStreamStatus = &mut status;
    check([
        row!(Own, device::aclrtSynchronizeDevice() => 0),
        row!(Own, device::aclrtSynchronizeDeviceWithTimeout(1000) => 0),
        row!(Own, stream::aclrtSynchronizeStream(updater) => 0),
        row!(Other, stream::aclrtSynchronizeStreamWithTimeout(updater, 1000) => 0),
        row!(Own, stream::aclrtStreamQuery(updater, status) => 0),
        row!(Nowhere, stream::aclrtSynchronizeStream(updater) => NO_CONTEXT),
        row!(Own, model_instance::aclmdlRICaptureTaskUpdateEnd(updater) => 0),
        row!(Own, model_instance::aclmdlRICaptureTaskUpdateBegin(updater, group) => 0),
        row!(Own, stream::aclrtDestroyStream(updater) => 0),
    ]);
}

#[test]
fn a_captured_stream_says_so_before_the_context_is_looked_at() {
    let _world = world();
    let (stream, kept, unused) = (stream(), persistent(), persistent());
    let mut status = aclrtStreamStatus::ACL_STREAM_STATUS_NOT_READY;
    let status: *mut aclrtStreamStatus = &mut status;
    begin(stream);
    begin(kept);
    for on in ANYWHERE {
        for stream in [stream, kept] {
            check([
                row!(on, stream::aclrtSynchronizeStream(stream) => CAPTURED),
                row!(on, stream::aclrtSynchronizeStreamWithTimeout(stream, 100) => CAPTURED),
                row!(on, stream::aclrtSynchronizeStreamWithTimeout(stream, 0) => REFUSED),
                row!(on, stream::aclrtStreamQuery(stream, status) => CAPTURED),
                row!(on, stream::aclrtDestroyStream(stream) => CAPTURED),
                row!(on, stream::aclrtDestroyStreamForce(stream) => CAPTURED),
            ]);
        }
        // Nothing of such a stream runs by itself, so there is nothing to wait for, wherever.
        check([
            row!(on, stream::aclrtSynchronizeStream(unused) => 0),
            row!(on, stream::aclrtSynchronizeStreamWithTimeout(unused, 100) => 0),
            row!(on, stream::aclrtSynchronizeStreamWithTimeout(unused, 0) => REFUSED),
            row!(on, stream::aclrtStreamQuery(unused, status) => 0),
        ]);
    }
    end(stream);
    end(kept);
    check([
        row!(Nowhere, stream::aclrtSynchronizeStream(stream) => NO_CONTEXT),
        row!(Nowhere, stream::aclrtStreamQuery(stream, status) => NO_CONTEXT),
        row!(Nowhere, stream::aclrtDestroyStream(stream) => NO_CONTEXT),
        row!(Other, stream::aclrtDestroyStream(stream) => OTHER_CONTEXT),
    ]);
}
