//! Parts of parts, and parts of nothing.

use super::*;
use ascendcl::memory::bytes_in_arena;
use ascendcl_macros::proves;

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
