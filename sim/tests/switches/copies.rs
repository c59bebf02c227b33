//! Asynchronous copies of memory that is not pinned.

use super::support::*;
use super::switched;

const BYTES: usize = 64;
const TO_DEVICE: aclrtMemcpyKind = aclrtMemcpyKind::ACL_MEMCPY_HOST_TO_DEVICE;

#[test]
fn a_copy_can_take_place_in_the_call() {
    let _switched = switched(|config| config.copy_at_once(true));
    let (place, stream) = (malloc(BYTES), stream());
    let open = block(stream);
    let bytes = [7_u8; BYTES];
    // The work before it on the stream is not waited for.
    ok!(aclrtMemcpyAsync(place, BYTES, bytes.as_ptr().cast(), BYTES, TO_DEVICE, stream));
    assert_eq!(read(place, BYTES), bytes);
    // The stream may be of a context that is not current, but not of none.
    let _other = context(0);
    let more = [9_u8; BYTES];
    ok!(aclrtMemcpyAsync(place, BYTES, more.as_ptr().cast(), BYTES, TO_DEVICE, stream));
    assert_eq!(read(place, BYTES), more);
    drop(open);
    ok!(aclrtSynchronizeStream(stream));
    let dead = self::stream();
    ok!(aclrtDestroyStream(dead));
    assert_eq!(
        acl!(aclrtMemcpyAsync(place, BYTES, more.as_ptr().cast(), BYTES, TO_DEVICE, dead)),
        ACL_ERROR_RT_INVALID_HANDLE
    );
}

#[test]
fn pinned_memory_is_copied_in_turn_all_the_same() {
    let _switched = switched(|config| config.copy_at_once(true));
    let (place, pinned, stream) = (malloc(BYTES), malloc_host(BYTES), stream());
    ok!(aclrtMemset(place, BYTES, 1, BYTES));
    ok!(aclrtMemset(pinned, BYTES, 2, BYTES));
    let open = block(stream);
    ok!(aclrtMemcpyAsync(place, BYTES, pinned, BYTES, TO_DEVICE, stream));
    assert_eq!(read(place, BYTES), [1; BYTES]);
    drop(open);
    ok!(aclrtSynchronizeStream(stream));
    assert_eq!(read(place, BYTES), [2; BYTES]);
}

#[test]
fn without_the_switch_the_stream_has_to_be_of_the_current_context() {
    let _switched = switched(|config| config);
    let (place, stream) = (malloc(BYTES), stream());
    let _other = context(0);
    let bytes = [7_u8; BYTES];
    assert_eq!(
        acl!(aclrtMemcpyAsync(place, BYTES, bytes.as_ptr().cast(), BYTES, TO_DEVICE, stream)),
        ACL_ERROR_RT_STREAM_CONTEXT
    );
}
