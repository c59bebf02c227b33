//! Attacks on the shared default context.

use super::common::alone;
use super::{collect, forgets_work, with_device};
use crate::common;
use ascendcl::{Context, Current, Error, Scoped, Thread, allocator::PoolAllocator};
use ascendcl_macros::proves;

fn fills<'c>(current: &Current<Scoped<'c>>, value: u8) {
    let buffer = current.device_buffer::<u8>(64).unwrap();
    let filled = current.default_stream().set_bytes(current, buffer, value).unwrap();
    assert_eq!(filled.wait(current).unwrap().to_vec(current).unwrap(), [value; 64]);
}

fn leaves_work<'c>(context: &'c Context<Scoped<'c>>, thread: &mut impl ascendcl::thread::ThreadToken) {
    context.enter(thread, forgets_work).unwrap();
}

#[proves(CTX_02, DEV_04)]
#[test]
fn scopes_on_one_default_context_in_each_other_take_down_their_own() {
    let alone = alone();
    with_device(common::acl(), |device, thread| {
        let outer = device.default_context(thread, |outer, thread| {
            leaves_work(outer, thread);
            let entered = outer.enter(thread, |current| {
                let kept = current.upload(&[5_u8; 64]).unwrap();
                let (stream, event) = (current.stream().unwrap(), current.event().unwrap());
                let inner = device.default_context(current, |inner, current| {
                    leaves_work(inner, current);
                    inner.enter(current, |current| fills(current, 2)).unwrap();
                });
                inner.unwrap();
                // The outer scope's things are all there, and so is its context.
                fills(current, 3);
                let event = stream.record(current, event).unwrap();
                event.synchronize(current).unwrap();
                assert_eq!(kept.to_vec(current).unwrap(), [5; 64]);
                collect(current);
            });
            entered.unwrap();
        });
        outer.unwrap();
    });
    alone.assert_nothing_lives();
}

#[proves(CTX_06, DEV_02)]
#[test]
fn a_second_take_that_is_given_back_in_the_default_context_leaves_it_alone() {
    let alone = alone();
    let other = common::acl();
    with_device(common::acl(), |device, thread| {
        let scope = device.default_context(thread, |context, thread| {
            context.enter(thread, |current| {
                let again = other.device(current, 0).unwrap();
                again.default_context(current, leaves_work).unwrap();
                fills(current, 1);
                again.reset(current).unwrap();
                fills(current, 2);
                // One that is dropped goes with its library, in the middle of this one's context.
                drop(other.device(current, 0).unwrap());
                other.close().unwrap();
                fills(current, 3);
            })
        });
        scope.unwrap().unwrap();
    });
    alone.assert_nothing_lives();
}

#[proves(CTX_05, DEV_04)]
#[test]
fn threads_with_scopes_of_their_own_on_one_default_context_do_not_meet() {
    let alone = alone();
    with_device(common::acl(), |device, _thread| {
        std::thread::scope(|scope| {
            for value in 1..5 {
                scope.spawn(move || {
                    let mut thread = Thread::new().unwrap();
                    for _ in 0..8 {
                        let scope = device.default_context(&mut thread, |context, thread| {
                            leaves_work(context, thread);
                            context.enter(thread, |current| fills(current, value)).unwrap();
                        });
                        scope.unwrap();
                    }
                });
            }
        });
    });
    alone.assert_nothing_lives();
}

#[proves(ALLOC_14, CTX_02)]
#[test]
fn a_pool_of_one_scope_on_the_default_context_serves_no_other_scope_there() {
    let alone = alone();
    with_device(common::acl(), |device, thread| {
        let pool = device.default_context(thread, |context, thread| {
            context.enter(thread, |current| PoolAllocator::new(current, 4096).unwrap()).unwrap()
        });
        let mut pool = pool.unwrap();
        let second = device.default_context(thread, |context, thread| {
            let entered = context.enter(thread, |current| {
                assert!(matches!(pool.grow(current, 64), Err(Error::AllocatorOfOtherContext { .. })));
                let refused = current.stream().unwrap().register(current, pool).unwrap_err();
                assert!(matches!(refused.error, Error::AllocatorOfOtherContext { .. }));
                assert!(matches!(
                    refused.value.1.release(current).unwrap_err().error,
                    Error::AllocatorOfOtherContext { .. }
                ));
            });
            entered.unwrap();
        });
        second.unwrap();
    });
    alone.assert_nothing_lives();
}
