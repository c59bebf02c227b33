//! Allocators that are looked at while work runs, that cross contexts, or that the library refuses to let go.

use super::common::{alone, data};
use super::inside;
use ascendcl::{Acl, Current, Error, Library, Permit, PoolAllocator, Room, Stream, Thread, With};
use ascendcl_macros::proves;
use ascendcl_sim::{Plan, control};

fn pool<'c>(current: &Current<'c>) -> PoolAllocator {
    PoolAllocator::new(current, 1 << 20).unwrap()
}

fn pooled<'c>(current: &Current<'c>) -> Stream<'c, With<PoolAllocator>> {
    current.stream().unwrap().register(current, pool(current)).unwrap()
}

#[test]
fn a_pool_of_another_device_is_not_freed_through_this_one() {
    let alone = alone();
    let acl = Acl::init(Library::Simulator).unwrap();
    let mut thread = Thread::new().unwrap();
    let (zero, one) = (acl.device(&mut thread, 0).unwrap(), acl.device(&mut thread, 1).unwrap());
    zero.context(&mut thread, |a, thread| {
        one.context(thread, |b, thread| {
            let theirs = a.enter(thread, |current| pool(current)).unwrap();
            b.enter(thread, |current| {
                let undone = Permit::new(current, theirs).unwrap_err();
                assert!(matches!(undone.error, Error::OtherContext { context } if context == current.id()));
            })
            .unwrap();
        })
        .unwrap();
    })
    .unwrap();
    zero.reset(&mut thread).unwrap();
    one.reset(&mut thread).unwrap();
    acl.close().unwrap();
    alone.assert_nothing_lives();
}

#[proves(ALLOC_18)]
#[test]
fn a_program_that_waits_while_it_looks_at_its_allocator_gets_its_answer() {
    let alone = alone();
    inside(|current| {
        let stream = pooled(current);
        let model = current.load_model(data("digits.onnx")).unwrap();
        let mut model = model.prepare_with(current, &[&[300, 64]], &[Room::AtMost(3000)]).unwrap();
        model.write(current, 0, &[0.0_f32; 300 * 64]).unwrap();
        control::fail("*=slow:50ms".parse().unwrap()).unwrap();
        let running = stream.execute(current, model).unwrap();
        let used = stream.with_allocator(|pool| {
            stream.synchronize(current).unwrap();
            pool.statistics()
        });
        control::fail(Plan::new()).unwrap();
        assert_eq!(used.unwrap().blocks, 0);
        drop(running.wait(current).unwrap());
    });
    alone.assert_nothing_lives();
}

#[test]
fn an_allocator_comes_back_after_two_refusals() {
    let alone = alone();
    inside(|current| {
        let stream = pooled(current);
        control::fail("aclrtAllocatorRegister#1=507899, aclrtAllocatorRegister#2=507899".parse().unwrap()).unwrap();
        let (stream, other) = stream.replace(current, pool(current)).unwrap_err().value;
        control::fail(Plan::new()).unwrap();
        other.release(current).unwrap();
        let (stream, first) = stream.unregister(current).unwrap();
        first.release(current).unwrap();
        stream.destroy(current).unwrap();
    });
    alone.assert_nothing_lives();
}
