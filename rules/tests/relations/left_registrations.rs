//! Registrations that streams leave at their end.

use super::allocators::with;
use super::support::*;
use ascendcl_rules::*;

#[test]
fn a_stream_that_is_destroyed_by_force_leaves_no_registration_behind() {
    let run = |unregistered: bool| {
        move |p: &mut Program| {
            let (s, _) = with(p, 1);
            p.allocating_work(s);
            p.sync(s);
            if unregistered {
                p.unregister(s);
            }
            p.call("aclrtDestroyStreamForce", s, Op::DestroyForce);
        }
    };
    breaks(ALLOC_16, run(false), run(true));
}

#[test]
fn streams_that_a_forced_reset_ends_leave_no_registration_to_later_ones() {
    let force = |p: &mut Program| {
        p.call("aclrtResetDeviceForce", Object::device(0), Op::ResetForce);
        *p.context() = None;
    };
    let run = |unregistered: bool, by: Outcome, later: &'static [u64]| {
        move |p: &mut Program| {
            let ((a, _), (b, _)) = (with(p, 1), with(p, 2));
            // This work hangs.
            p.allocating_work(a);
            force(p);
            for stream in [a, b].into_iter().filter(|_| unregistered) {
                let unregister = p.event("aclrtAllocatorUnregister", stream, Op::Unregister);
                p.see(&unregister, by);
            }
            for device in later {
                p.set(*device);
                p.stream();
                p.stream();
            }
        }
    };
    breaks(ALLOC_16, run(false, Outcome::Success, &[0]), run(true, Outcome::Success, &[0]));
    // The library may refuse it. And what another device's streams inherit is known when this device is set again.
    assert_eq!(broken(run(true, Outcome::Refused, &[0])), []);
    assert_eq!(broken(run(false, Outcome::Success, &[1])), []);
    assert_eq!(broken(run(false, Outcome::Success, &[1, 0])), [ALLOC_16]);
    // A stream in a context that the program made lives on.
    let created = |p: &mut Program| {
        p.new_context(0);
        with(p, 1);
        force(p);
        p.set(0);
        p.stream();
    };
    assert_eq!(broken(created), []);
}

/// That a stream is left over is one mistake, whatever is registered for it.
#[test]
fn a_stream_that_is_left_over_with_an_allocator_is_told_once() {
    let in_context = |p: &mut Program| {
        let context = p.new_context(0);
        with(p, 1);
        p.destroy_context(context);
    };
    assert_eq!(broken(in_context), [CTX_10]);
    let on_device = |p: &mut Program| {
        with(p, 1);
        p.reset(0);
    };
    assert_eq!(broken(on_device), [DEV_02]);
}
