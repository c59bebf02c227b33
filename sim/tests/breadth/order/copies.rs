//! Copies.

use super::*;
use core::ffi::c_void;

#[test]
fn a_copy_onto_itself_needs_no_stream_of_this_context_and_a_copy_on_the_host_has_none() {
    const ON_DEVICE: aclrtMemcpyKind = aclrtMemcpyKind::ACL_MEMCPY_DEVICE_TO_DEVICE;
    const H2H: aclrtMemcpyKind = aclrtMemcpyKind::ACL_MEMCPY_HOST_TO_HOST;
    let _world = world();
    let (stream, capturing, dead, device) = (stream(), stream(), dead(), device_memory(16));
    let (from, to) = (pinned(&[1; 16]), pinned(&[2; 16]));
    let place: *const c_void = device;
    let same = [
        row!(Nowhere, copy::aclrtMemcpy(device, 16, place, 16, ON_DEVICE) => 0),
        row!(Own, copy::aclrtMemcpy(device, 16, place, 16, ON_DEVICE) => 0),
        row!(Own, copy::aclrtMemcpy(device, 8, place, 16, ON_DEVICE) => REFUSED),
        row!(Nowhere, copy::aclrtMemcpyAsync(device, 16, place, 16, ON_DEVICE, stream) => NO_CONTEXT),
        row!(Other, copy::aclrtMemcpyAsync(device, 16, place, 16, ON_DEVICE, stream) => 0),
        row!(Own, copy::aclrtMemcpyAsync(device, 16, place, 16, ON_DEVICE, stream) => 0),
        row!(Other, copy::aclrtMemcpyAsync(device, 16, place, 16, ON_DEVICE, dead) => DEAD),
        row!(Other, copy::aclrtMemcpyAsync(device, 8, place, 16, ON_DEVICE, stream) => REFUSED),
    ];
    check(same);
    begin(capturing);
    check([
        row!(Own, copy::aclrtMemcpy(device, 16, place, 16, ON_DEVICE) => 0),
        row!(Own, copy::aclrtMemcpy(device, 16, from, 16, TO_DEVICE) => ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT),
    ]);
    end(capturing);
    check([
        row!(Nowhere, copy::aclrtMemcpyAsync(to, 16, from, 16, H2H, stream) => NO_CONTEXT),
        row!(Other, copy::aclrtMemcpyAsync(to, 16, from, 16, H2H, stream) => UNSUPPORTED),
        row!(Own, copy::aclrtMemcpyAsync(to, 16, from, 16, H2H, stream) => UNSUPPORTED),
        row!(Own, copy::aclrtMemcpyAsync(to, 16, to, 16, H2H, stream) => UNSUPPORTED),
        row!(Other, copy::aclrtMemcpyAsync(to, 16, from, 16, H2H, dead) => DEAD),
        row!(Other, copy::aclrtMemcpyAsync(to, 8, from, 16, H2H, stream) => REFUSED),
        row!(Other, copy::aclrtMemcpyAsync(device, 16, from, 16, TO_DEVICE, stream) => OTHER_CONTEXT),
    ]);
    assert_eq!(host(to, 16), [2; 16]);
}
