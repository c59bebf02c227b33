//! Parts of parts, and parts of nothing.

use super::*;
use ascendcl::memory::bytes_in_arena;
use ascendcl_macros::proves;
use std::ptr::NonNull;

/// Each step leaves one element out.
#[proves(MEM_02)]
#[test]
fn memory_that_is_shared_and_cut_again_and_again_is_dropped_on_a_small_stack() {
    let alone = alone();
    inside(|current| {
        let mut buffer = current.upload(&[1_u8; 20_000]).unwrap();
        while buffer.len() > 1 {
            let shared = buffer.into_shared();
            let part = shared.slice(1..).unwrap();
            drop(shared);
            buffer = part.try_unshare(current).unwrap();
        }
        assert_eq!(buffer.to_vec(current).unwrap(), [1]);
        std::thread::scope(|scope| {
            let small = std::thread::Builder::new().stack_size(64 * 1024);
            small.spawn_scoped(scope, move || drop(buffer)).unwrap();
        });
        collect(current);
        assert_lives!(device_blocks, 0);
    });
    alone.assert_nothing_lives();
}

#[proves(MEM_08)]
#[test]
fn a_part_of_a_buffer_of_an_arena_keeps_the_arena_and_no_neighbour_loses_a_byte() {
    let alone = alone();
    inside(|current| {
        let mut arena = current.device_arena(2 * bytes_in_arena::<u8>(128)).unwrap();
        let first = arena.take::<u8>(128).unwrap().zero(current).unwrap();
        let second = arena.take::<u8>(128).unwrap().write(current, &[7; 128]).unwrap();
        let shared = first.into_shared();
        let part = shared.slice(64..).unwrap();
        drop(shared);
        let mut part = part.try_unshare(current).unwrap();
        part.copy_from(current, &[3; 64]).unwrap();
        assert!(arena.reset(current).is_err());
        assert_eq!(second.to_vec(current).unwrap(), [7; 128]);
        let again = part.into_shared();
        let cast = again.cast::<u32>().unwrap();
        drop((again, second));
        assert!(arena.reset(current).is_err());
        assert_eq!(cast.to_vec(current).unwrap(), [0x0303_0303; 16]);
        drop(cast);
        arena.reset(current).unwrap();
        arena.free(current).unwrap();
        assert_lives!(device_blocks, 0);
    });
    alone.assert_nothing_lives();
}

/// The library is told of one byte of an empty tensor.
#[proves(DATA_03)]
#[test]
fn an_empty_part_at_the_end_of_memory_begins_inside_that_memory() {
    let alone = alone();
    inside(|current| {
        let whole = current.upload(&[1.0_f32; 16]).unwrap().into_shared();
        let (start, end) = (whole.as_raw().addr(), whole.as_raw().addr() + 64);
        let half = whole.slice(..8).unwrap();
        for part in [whole.slice(16..).unwrap(), half.slice(8..8).unwrap(), whole.slice(3..3).unwrap()] {
            let at = part.as_raw().addr();
            assert!((start..end).contains(&at), "{:#x}", at - start);
            assert_eq!(part.to_vec(current).unwrap(), [0.0; 0]);
        }
        let nothing = current.upload::<f32>(&[]).unwrap().into_shared();
        assert_eq!(nothing.slice(0..).unwrap().as_raw(), nothing.as_raw());
    });
    alone.assert_nothing_lives();
}

/// A part may begin where its memory begins, and be shorter.
#[proves(MEM_08)]
#[test]
fn a_first_part_whose_whole_has_no_other_name_is_no_longer_than_it_was() {
    let alone = alone();
    inside(|current| {
        let all = current.upload(&[1_u8, 2, 3, 4]).unwrap().into_shared();
        let head = all.slice(..2).unwrap();
        drop(all);
        let head = head.try_unshare(current).unwrap();
        assert_eq!(head.to_vec(current).unwrap(), [1, 2]);
    });
    alone.assert_nothing_lives();
}

/// Memory of other code is no part, and need not begin where the library's blocks begin.
#[proves(MEM_08)]
#[test]
fn memory_of_other_code_is_a_tensor_wherever_it_begins() {
    let alone = alone();
    inside(|current| {
        let block = current.upload(&[1.0_f32, 2.0, 3.0]).unwrap();
        // SAFETY: these four bytes are inside of the block.
        let second = unsafe { NonNull::new(block.as_raw()).unwrap().byte_add(4) };
        // SAFETY: two elements are there, which were written, until `block` is freed. Nobody else uses it before.
        let adopted = unsafe { current.adopt_memory::<f32>(second, 2) }.unwrap();
        drop(adopted.into_tensor(&[2]).unwrap());
        collect(current);
        block.free(current).unwrap();
    });
    alone.assert_nothing_lives();
}

/// Where nothing is copied, no place is the wrong one.
#[proves(COPY_09)]
#[test]
fn a_copy_of_no_elements_from_an_odd_place_on_the_device_is_queued() {
    let alone = alone();
    inside(|current| {
        let own = current.stream().unwrap().without_allocator();
        let none = |at: usize| {
            let all = current.upload(&[1_u8; 64]).unwrap().into_shared();
            let part = all.slice(at..at).unwrap();
            drop(all);
            part.try_unshare(current).unwrap()
        };
        drop(own.copy_on_device(current, none(1), none(0)).unwrap().wait(current).unwrap());
    });
    alone.assert_nothing_lives();
}
