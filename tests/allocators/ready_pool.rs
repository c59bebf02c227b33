//! The pool that the crate provides.

use super::null::{TIMEOUT, books, in_books, refusal};
use super::pool::work;
use ascendcl::{
    DeviceAllocator, Error, Thread,
    allocator::{PoolAllocator, PoolBlock},
    stream::AllocatorGroup,
};
use std::collections::BTreeMap;
use std::mem;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The range of a block of this many bytes.
fn range(pool: &PoolAllocator, block: &PoolBlock, bytes: usize) -> (usize, usize) {
    let start = pool.address(block).number();
    (start, start + bytes)
}

#[test]
fn blocks_that_are_out_lie_inside_the_pool_are_aligned_and_never_overlap() {
    let books = books();
    in_books(&books, |current| {
        let mut pool = PoolAllocator::new(current, 1 << 20).unwrap();
        pool.grow(current, 1 << 18).unwrap();
        let mut out: BTreeMap<usize, (usize, PoolBlock)> = BTreeMap::new();
        let (mut random, mut wanted, mut refused) = (1_u64, 0, 0);
        for _ in 0..20_000 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let dice = (random >> 33) as usize;
            if dice % 5 < 2 {
                if let Some(start) = out.keys().nth(dice % out.len().max(1)).copied() {
                    pool.free(out.remove(&start).unwrap().1);
                }
                continue;
            }
            let bytes = dice % (1 << (dice % 17));
            wanted += 1;
            let Some(block) = pool.allocate(bytes) else {
                refused += 1;
                continue;
            };
            let (start, end) = range(&pool, &block, bytes);
            assert_eq!(start % 512, 0);
            let below = out.range(..=start).next_back().map_or(0, |(_, (end, _))| *end);
            let above = out.range(start..).next().map_or(usize::MAX, |(start, _)| *start);
            assert!(below <= start && end + 32 <= above, "with the bytes that the vendor wants behind it (MEM-08)");
            out.insert(start, (end, block));
        }
        let used = pool.statistics();
        assert_eq!((used.hits + used.misses + used.refused, used.refused), (wanted, refused));
        assert!(used.hits > used.misses && used.refused > 0, "{used:?}");
        assert_eq!((used.blocks_in_use, used.reserved_bytes, used.chunks), (out.len(), (1 << 20) + (1 << 18), 2));
        let needed: usize = out.iter().map(|(start, (end, _))| end - start).sum();
        assert!(
            used.bytes_in_use >= needed
                && used.peak_bytes >= used.bytes_in_use
                && used.peak_bytes <= used.reserved_bytes,
            "{used:?}"
        );
        out.into_values().for_each(|(_, block)| pool.free(block));
        assert_eq!((pool.statistics().blocks_in_use, pool.statistics().bytes_in_use), (0, 0));
    });
}

#[test]
fn a_pool_that_is_cut_into_small_pieces_is_whole_again_when_all_are_back() {
    let books = books();
    in_books(&books, |current| {
        let pool = PoolAllocator::new(current, 64 << 10).unwrap();
        let mut small: Vec<_> = std::iter::from_fn(|| pool.allocate(400)).collect();
        assert!(small.len() >= 127, "{}", small.len());
        let last = small.pop().unwrap();
        small.into_iter().for_each(|block| pool.free(block));
        assert!(pool.allocate(48 << 10).is_none(), "one small piece is in the way");
        pool.free(last);
        let block = pool.allocate(48 << 10).unwrap();
        assert!(pool.allocate(usize::MAX).is_none());
        assert_eq!(pool.statistics().largest_refused, usize::MAX);
        pool.free(block);
        pool.release(current).unwrap();
    });
}

#[test]
fn threads_that_share_a_pool_never_have_overlapping_blocks() {
    let books = books();
    in_books(&books, |current| {
        let pool = PoolAllocator::new(current, 1 << 16).unwrap();
        let base = pool.allocate(1).map(|block| (pool.address(&block).number(), pool.free(block)).0).unwrap();
        // Who has each grain of the pool.
        let has: Vec<_> = (0..1 << 7).map(|_| AtomicUsize::new(0)).collect();
        let works = |thread: usize| {
            for round in 0..5_000 {
                let bytes = [100, 900, 3_000, 100, 9_000][(thread + round) % 5];
                let blocks: Vec<_> = (0..1 + round % 6).filter_map(|_| pool.allocate(bytes)).collect();
                let grains = |block: &PoolBlock| {
                    let (start, end) = range(&pool, block, bytes);
                    &has[(start - base) / 512..(end - base).div_ceil(512)]
                };
                for grain in blocks.iter().flat_map(grains) {
                    assert_eq!(grain.swap(thread, Ordering::Relaxed), 0, "two threads have it");
                }
                blocks.iter().flat_map(grains).for_each(|grain| grain.store(0, Ordering::Relaxed));
                blocks.into_iter().for_each(|block| pool.free(block));
                if round % 100 == 0 {
                    let used = pool.statistics();
                    assert!(used.bytes_in_use <= used.peak_bytes && used.peak_bytes <= used.reserved_bytes, "{used:?}");
                }
            }
        };
        std::thread::scope(|scope| (1..4).for_each(|thread| drop(scope.spawn(move || works(thread)))));
        let used = pool.statistics();
        assert_eq!((used.blocks_in_use, used.bytes_in_use), (0, 0));
        assert!(pool.allocate(50_000).is_some(), "it is whole again");
    });
}

#[test]
fn a_chunk_of_which_all_blocks_came_back_is_freed_and_one_with_a_block_that_is_out_stays() {
    let books = books();
    in_books(&books, |current| {
        let pool = PoolAllocator::new(current, 4096).unwrap();
        let mut stream = current.stream().unwrap().register(current, pool).unwrap();
        let allocate = |pool: &PoolAllocator| pool.allocate(3000).unwrap();
        let out = stream.with_allocator(allocate).unwrap();
        stream.grow_pool(current, 4096).unwrap();
        stream.with_allocator(|pool| pool.free(allocate(pool))).unwrap();
        assert_eq!(stream.idle(current).unwrap().trim(current).unwrap(), 4096);
        let used = stream.pool_statistics().unwrap();
        assert_eq!((used.chunks, used.blocks_in_use, used.reserved_bytes), (1, 1, 4096));
        stream.with_allocator(|pool| assert!(pool.allocate(3000).is_none())).unwrap();
        stream.with_allocator(|pool| pool.free(out)).unwrap();
        assert_eq!(stream.idle(current).unwrap().trim(current).unwrap(), 4096);
    });
}

#[test]
fn a_block_of_another_pool_is_not_taken() {
    let books = books();
    in_books(&books, |current| {
        let one = PoolAllocator::new(current, 2048).unwrap();
        let two = PoolAllocator::new(current, 2048).unwrap();
        let (block, kept) = (one.allocate(1).unwrap(), two.allocate(1).unwrap());
        let address = one.address(&block);
        two.free(block);
        assert_eq!((one.statistics().blocks_in_use, two.statistics().blocks_in_use), (1, 1));
        let next = two.allocate(1).unwrap();
        assert_ne!(two.address(&next), address);
        two.free(kept);
        two.free(next);
        let failed = one.release(current).unwrap_err();
        assert!(matches!(failed.error, Error::BlocksInUse { count: 1 }), "the lost block keeps its memory");
    });
}

#[test]
fn a_pool_serves_its_own_context_only_and_none_after_its_scope() {
    let books = books();
    let acl = books.acl();
    let mut thread = Thread::new().unwrap();
    let device = acl.device(&mut thread, 0).unwrap();
    let pool = device.with_current(&mut thread, |current| PoolAllocator::new(current, 4096).unwrap()).unwrap();
    assert_eq!(books.live(), "device 0 taken 1 time(s) + initialised", "the scope freed its memory");
    device
        .with_current(&mut thread, |current| {
            let failed = current.stream().unwrap().register(current, pool).unwrap_err();
            assert!(matches!(failed.error, Error::AllocatorOfOtherContext { context } if context == current.id()));
            assert!(failed.error.to_string().contains("memory belongs to another context"), "{}", failed.error);
            let (stream, mut pool) = failed.value;
            let frees = books.calls("aclrtMalloc");
            assert!(matches!(pool.grow(current, 1), Err(Error::AllocatorOfOtherContext { .. })));
            assert_eq!(books.calls("aclrtMalloc"), frees);
            let failed = pool.release(current).unwrap_err();
            let failed = AllocatorGroup::new(current, failed.value).unwrap_err();
            assert!(matches!(failed.error, Error::AllocatorOfOtherContext { .. }), "{}", failed.error);
            drop((stream, failed.value));
            assert_eq!(books.calls("aclrtAllocatorRegister"), 0, "before the library is called");
        })
        .unwrap();
    device.reset(&mut thread).unwrap();
    acl.close().unwrap();
    books.assert_closed();
}

#[test]
fn memory_goes_back_to_the_system_when_the_stream_is_idle_and_not_before() {
    let books = books();
    in_books(&books, |current| {
        let pool = PoolAllocator::new(current, 4096).unwrap();
        let mut stream = current.stream().unwrap().register(current, pool).unwrap();
        books.keep_blocks();
        drop(work(current, &stream));
        assert_eq!(stream.pool_statistics().unwrap().blocks_in_use, 1);

        books.refuse_to_synchronize(TIMEOUT);
        let frees = books.calls("aclrtFree");
        assert_eq!(refusal(&stream.idle(current).unwrap_err()), ("aclrtSynchronizeStreamWithTimeout", TIMEOUT));
        assert_eq!(stream.pool_statistics().unwrap().reserved_bytes, 4096, "no proof, no trim");
        assert_eq!(books.calls("aclrtFree"), frees);

        books.synchronize_again();
        let idle = stream.idle(current).unwrap();
        assert_eq!(idle.with_allocator(|pool| pool.statistics().blocks_in_use), Some(0));
        assert_eq!(idle.trim(current).unwrap(), 4096);
        assert_eq!(idle.trim(current).unwrap(), 0);
        assert_eq!(books.calls("aclrtFree"), frees + 1);
        idle.grow(current, 8192).unwrap();
        drop(work(current, &stream));
        assert_eq!(stream.pool_statistics().unwrap().reserved_bytes, 8192);
    });
}

#[test]
fn a_proof_that_is_still_in_a_variable_does_not_keep_the_allocator() {
    let books = books();
    in_books(&books, |current| {
        let pool = PoolAllocator::new(current, 4096).unwrap();
        let mut stream = current.stream().unwrap().register(current, pool).unwrap();
        let idle = stream.idle(current).unwrap();
        idle.grow(current, 4096).unwrap();
        // `idle` is dropped at the end of this block, and is not used from here on.
        let (stream, pool) = stream.replace(current, PoolAllocator::new(current, 4096).unwrap()).unwrap();
        assert_eq!(pool.statistics().reserved_bytes, 8192);
        let (_, pool) = stream.unregister(current).unwrap();
        let mut group = AllocatorGroup::new(current, pool).unwrap();
        let idle = group.idle();
        idle.trim(current).unwrap();
        assert!(group.into_allocator().is_ok());
    });
}

#[test]
fn what_the_library_refuses_to_free_stays_with_the_scope() {
    let books = books();
    in_books(&books, |current| {
        let pool = PoolAllocator::new(current, 4096).unwrap();
        let mut stream = current.stream().unwrap().register(current, pool).unwrap();
        books.refuse("aclrtFree", TIMEOUT, 1);
        assert_eq!(refusal(&stream.idle(current).unwrap().trim(current).unwrap_err()), ("aclrtFree", TIMEOUT));
        assert_eq!(stream.pool_statistics().unwrap().reserved_bytes, 0, "the pool no longer hands it out");
        assert!(current.collect().is_empty());
        assert_eq!(books.calls("aclrtFree"), 2);
    });
}

#[test]
fn a_pool_that_is_dropped_forgotten_or_shared_leaves_its_memory_to_the_scope() {
    let books = books();
    in_books(&books, |current| {
        drop(PoolAllocator::new(current, 1024).unwrap());
        assert!(current.collect().is_empty());
        assert_eq!(books.calls("aclrtFree"), 1);
        mem::forget(PoolAllocator::new(current, 1024).unwrap());
        let pool = PoolAllocator::new(current, 1024).unwrap();
        mem::forget(current.stream().unwrap().register(current, pool).unwrap());

        let mut group = AllocatorGroup::new(current, PoolAllocator::new(current, 2048).unwrap()).unwrap();
        let member = group.attach(current, current.stream().unwrap()).unwrap();
        group.idle().grow(current, 1024).unwrap();
        assert_eq!(group.idle().trim(current).unwrap(), 3072);
        drop((group, member));
    });
}
