//! Arenas: one block that is handed out in buffers, each of which is written on its own.

use super::super::{collect, inside};
use super::{Other, held, held_at_work, still_running, still_shared};
use crate::common::{alone, assert_lives, difference, library};
use ascendcl::capture::CaptureMode;
use ascendcl::memory::{DeviceArena, bytes_in_arena};
use ascendcl::model::ModelSource;
use ascendcl::operator;
use ascendcl::{Brand, Current, Element, Error, Runtime, error::ObjectKind};
use ascendcl_macros::proves;
use std::mem;

/// An arena with room for so many buffers of four numbers.
fn arena<C: Brand>(current: &Current<C>, buffers: usize) -> DeviceArena<C> {
    current.device_arena(buffers * bytes_in_arena::<f32>(4)).unwrap()
}

#[track_caller]
fn not_reset<C: Brand>(current: &Current<C>, arena: &mut DeviceArena<C>, why: impl Fn(&Error) -> bool) {
    let (before, error) = (arena.remaining(), arena.reset(current).unwrap_err());
    assert!(why(&error), "{error}");
    assert_eq!(arena.remaining(), before, "a refused reset changes nothing");
}

#[proves(MEM_02, MEM_08)]
#[test]
fn two_buffers_are_written_on_two_streams_at_once_and_neither_touches_the_other() {
    let alone = alone();
    inside(|current| {
        let ((first, go), (second, on)) = (held_at_work(current), held(current));
        let mut arena = arena(current, 2);
        let (one, two) = (arena.take::<f32>(4).unwrap(), arena.take::<f32>(4).unwrap());
        let upload = |numbers: [f32; 4]| {
            let mut host = current.host_buffer::<f32>(4).unwrap();
            host.copy_from_slice(&numbers);
            host
        };
        let one = first.copy_to_device(current, upload([1.0; 4]), one).unwrap();
        let two = second.copy_to_device(current, upload([2.0; 4]), two).unwrap();
        go.send(()).unwrap();
        on.send(()).unwrap();
        let ((_, mut one), (_, two)) = (one.wait(current).unwrap(), two.wait(current).unwrap());
        assert_eq!((one.to_vec(current).unwrap(), two.to_vec(current).unwrap()), (vec![1.0; 4], vec![2.0; 4]));
        one.copy_from(current, &[3.0; 4]).unwrap();
        assert_eq!(two.to_vec(current).unwrap(), [2.0; 4]);
    });
    alone.assert_nothing_lives();
}

/// Of any lengths and element types.
#[proves(MEM_08)]
#[test]
fn buffers_begin_at_multiples_of_64_and_have_spare_bytes_behind_them() {
    fn takes<E: Element>(arena: &mut DeviceArena<impl Brand>, length: usize) {
        let (before, room) = (arena.remaining(), bytes_in_arena::<E>(length));
        assert!(room >= (length * size_of::<E>()).next_multiple_of(32) + 32);
        drop(arena.take::<E>(length).unwrap());
        assert_eq!(before - arena.remaining(), room);
    }
    let alone = alone();
    inside(|current| {
        let mut arena = current.device_arena(1 << 16).unwrap();
        let mut behind = 0;
        for length in (0..70).chain([127, 128, 129, 1000]) {
            let buffer = arena.take::<u8>(length).unwrap();
            let start = buffer.as_raw().addr();
            assert!(start.is_multiple_of(64) && start >= behind, "{length}: {start:#x} after {behind:#x}");
            behind = start + length.next_multiple_of(32) + 32;
            takes::<i64>(&mut arena, length);
            takes::<u16>(&mut arena, length);
        }
    });
    alone.assert_nothing_lives();
}

#[proves(MEM_02)]
#[test]
fn an_arena_is_not_reset_while_a_buffer_is_there_or_work_may_use_one() {
    let alone = alone();
    inside(|current| {
        let (stream, go) = held(current);
        let mut arena = arena(current, 3);
        let (kept, used) = (arena.take::<f32>(4).unwrap(), arena.take::<f32>(4).unwrap().zero(current).unwrap());
        not_reset(current, &mut arena, still_shared);
        let pending = stream.set_bytes(current, used, 1).unwrap();
        drop(kept);
        not_reset(current, &mut arena, still_shared);
        drop(pending);
        not_reset(current, &mut arena, still_running);
        go.send(()).unwrap();
        stream.synchronize(current).unwrap();
        let last = arena.remaining();
        arena.reset(current).unwrap();
        assert_eq!((last, arena.remaining()), (bytes_in_arena::<f32>(4), arena.capacity()));
        let again = arena.take::<f32>(4).unwrap().write(current, &[4.0; 4]).unwrap();
        assert_eq!(again.to_vec(current).unwrap(), [4.0; 4]);
    });
    alone.assert_nothing_lives();
}

#[proves(MEM_02)]
#[test]
fn a_forgotten_buffer_keeps_its_arena_from_being_used_again() {
    let alone = alone();
    inside(|current| {
        let (stream, go) = held(current);
        let mut arena = arena(current, 2);
        let buffer = arena.take::<f32>(4).unwrap().zero(current).unwrap();
        mem::forget(stream.set_bytes(current, buffer, 1).unwrap());
        go.send(()).unwrap();
        stream.synchronize(current).unwrap();
        not_reset(current, &mut arena, still_shared);
        let refused = arena.free(current).unwrap_err();
        assert!(still_shared(&refused.error), "{}", refused.error);
        assert_eq!(refused.value.remaining(), bytes_in_arena::<f32>(4), "it comes back as it was");
        drop(refused);
        collect(current);
        assert_lives!(device_blocks, 1, "a forgotten buffer keeps it");
    });
    alone.assert_nothing_lives();
}

#[proves(MEM_02, MEM_12)]
#[test]
fn buffers_outlive_their_arena_and_the_last_one_frees_it_after_its_work() {
    let alone = alone();
    inside(|current| {
        let (stream, go) = held(current);
        let mut arena = arena(current, 2);
        let (one, two) = (arena.take::<f32>(4).unwrap(), arena.take::<f32>(4).unwrap());
        drop(arena);
        one.free(current).unwrap();
        collect(current);
        assert_lives!(device_blocks, 1, "a buffer keeps all of it");
        drop(stream.set_bytes(current, two.zero(current).unwrap(), 1).unwrap());
        collect(current);
        assert_lives!(device_blocks, 1, "freed under a writer");
        go.send(()).unwrap();
        stream.synchronize(current).unwrap();
        collect(current);
        assert_lives!(device_blocks, 0);
    });
    alone.assert_nothing_lives();
}

#[proves(MEM_08)]
#[test]
fn what_has_no_room_is_refused_and_takes_nothing() {
    let alone = alone();
    inside(|current| {
        let mut arena = arena(current, 1);
        for length in [5_000, usize::MAX / 4, usize::MAX / 8, usize::MAX, isize::MAX as usize] {
            let refused = arena.take::<f32>(length).unwrap_err();
            assert!(matches!(refused, Error::TooShort { .. }), "{refused}");
            assert!(bytes_in_arena::<f32>(length) > arena.capacity());
        }
        // It has the bytes of the buffer, and not the spare ones.
        let tight = arena.capacity() - 31;
        let Err(Error::TooShort { what: ObjectKind::DEVICE_MEMORY, need, have }) = arena.take::<u8>(tight) else {
            panic!("MEM-08")
        };
        assert_eq!((need, have), (bytes_in_arena::<u8>(tight), arena.capacity()));
        assert_eq!(arena.take::<f32>(4).unwrap().len(), 4);
        assert_eq!(arena.remaining(), 0);
        assert!(arena.take::<f32>(0).is_err(), "nor has an empty one spare bytes");
        arena.free(current).unwrap();
        assert!(matches!(current.device_arena(usize::MAX), Err(Error::TooShort { .. })));
    });
    alone.assert_nothing_lives();
}

#[proves(MEM_11, CTX_06)]
#[test]
fn an_arena_of_another_runtime_of_the_same_name_is_neither_used_nor_reset() {
    let alone = alone();
    let (one, two) = (Runtime::<Other>::open(library()).unwrap(), Runtime::<Other>::open(library()).unwrap());
    let mut arena = one.with(|current| arena(current, 2)).unwrap();
    let wrong = |error: &Error| matches!(error, Error::WrongContext { .. });
    two.with(|current| {
        not_reset(current, &mut arena, wrong);
        let buffer = arena.take::<f32>(4).unwrap();
        let refused = buffer.zero(current).unwrap_err();
        assert!(wrong(&refused.error), "{}", refused.error);
        let refused = refused.value.free(current).unwrap_err();
        assert!(wrong(&refused.error), "{}", refused.error);
    })
    .unwrap();
    let refused = two.with(|current| mem::replace(&mut arena, self::arena(current, 1)).free(current)).unwrap();
    let refused = refused.unwrap_err();
    assert!(wrong(&refused.error), "{}", refused.error);
    one.with(|current| refused.value.free(current).unwrap()).unwrap();
    one.close().unwrap();
    two.close().unwrap();
    // Its context has gone, and its memory with it. It hands out names of nothing, which no context takes.
    let late = arena.take::<f32>(4).unwrap();
    let next = Runtime::<Other>::open(library()).unwrap();
    next.with(|current| assert!(wrong(&late.zero(current).unwrap_err().error))).unwrap();
    next.with(|current| not_reset(current, &mut arena, wrong)).unwrap();
    next.close().unwrap();
    alone.assert_nothing_lives();
}

#[proves(MEM_08, OP_03)]
#[test]
fn an_operator_and_a_model_have_their_memory_in_one_arena() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap().without_allocator();
        let mut arena = arena(current, 4);
        let tensor = |arena: &mut DeviceArena<_>, number: f32| {
            let buffer = arena.take::<f32>(4).unwrap().write(current, &[number; 4]).unwrap();
            buffer.into_tensor(&[4]).unwrap()
        };
        let (two, three) = (tensor(&mut arena, 2.0), tensor(&mut arena, 3.0));
        let product = stream.launch(current, operator::mul(current, two, three).unwrap()).unwrap();
        let (_, product) = product.wait(current).unwrap().into_tensors(current).unwrap();
        assert_eq!(product.to_vec(current).unwrap(), [6.0; 4]);
        let model = current.load(ModelSource::memory(&difference()).into()).unwrap();
        let mut model = model.bind(current, &[&[4], &[4]], &[&[4]]).unwrap();
        let input = arena.take::<f32>(4).unwrap().write(current, &[9.0; 4]).unwrap();
        drop(model.exchange_input::<f32>(current, 0, input).unwrap());
        model.write(current, 1, &[1.0_f32; 4]).unwrap();
        let model = stream.execute(current, model).unwrap().wait(current).unwrap();
        assert_eq!(model.read::<f32>(current, 0).unwrap(), [8.0; 4]);
        not_reset(current, &mut arena, still_shared);
        drop((model, product));
        collect(current);
        arena.reset(current).unwrap();
    });
    alone.assert_nothing_lives();
}

#[proves(GRAPH_05)]
#[test]
fn a_graph_keeps_its_buffers_of_an_arena() {
    let alone = alone();
    inside(|current| {
        let mut stream = current.stream().unwrap().without_allocator();
        let mut arena = arena(current, 1);
        let operands = (current.host_buffer::<f32>(4).unwrap(), arena.take::<f32>(4).unwrap().zero(current).unwrap());
        let graph = stream.capture(current, CaptureMode::Relaxed, operands, |capture, (host, mut device)| {
            capture.copy_to_device(&host, &mut device)
        });
        let graph = stream.replay(current, graph.unwrap()).unwrap().wait(current).unwrap();
        not_reset(current, &mut arena, still_shared);
        drop(graph.into_operands(current).unwrap());
        arena.reset(current).unwrap();
    });
    alone.assert_nothing_lives();
}

/// The names go on several threads while one of them asks.
#[proves(MEM_02)]
#[test]
fn buffers_that_go_on_other_threads_are_waited_for() {
    let alone = alone();
    let runtime = Runtime::<Other>::open(library()).unwrap();
    let mut arena = runtime.with(|current| arena(current, 4)).unwrap();
    for _ in 0..20 {
        let buffers = [(); 4].map(|()| arena.take::<f32>(4).unwrap());
        std::thread::scope(|scope| {
            for buffer in buffers {
                scope.spawn(|| {
                    let runtime = &runtime;
                    runtime.with(move |current| {
                        let stream = current.stream().unwrap();
                        drop(stream.set_bytes(current, buffer.zero(current).unwrap(), 7).unwrap());
                        drop(stream);
                    })
                });
            }
        });
        runtime
            .with(|current| {
                collect(current);
                arena.reset(current).unwrap();
                assert_lives!(device_blocks, 1);
            })
            .unwrap();
    }
    drop(arena);
    runtime.close().unwrap();
    alone.assert_nothing_lives();
}

/// The function that frees memory is known.
#[proves(MEM_01, MEM_02)]
#[test]
fn a_buffer_of_an_arena_that_is_freed_leaves_the_others_their_memory() {
    let alone = alone();
    inside(|current| {
        (0..2).for_each(|_| current.upload(&[1_u8]).unwrap().free(current).unwrap());
        let mut arena = current.device_arena(2 * bytes_in_arena::<u8>(64)).unwrap();
        let first = arena.take::<u8>(64).unwrap().zero(current).unwrap();
        let second = arena.take::<u8>(64).unwrap().write(current, &[2; 64]).unwrap();
        first.free(current).unwrap();
        assert_eq!(second.to_vec(current).unwrap(), [2; 64]);
        drop(arena);
        second.free(current).unwrap();
    });
    alone.assert_nothing_lives();
}
