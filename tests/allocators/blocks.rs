//! Libraries that return blocks twice, late, or never.

use super::null::{books, in_books};
use super::pool::{Pool, steps, work};
use ascendcl::{Error, allocator::PoolAllocator, model::OutputBuffer};

#[test]
fn a_block_that_the_library_gives_back_twice_is_freed_once() {
    let books = books();
    in_books(&books, |current| {
        books.free_twice();
        let stream = current.stream().unwrap().register(current, Pool::new("pool")).unwrap();
        steps(&books);
        drop(work(current, &stream));
        assert_eq!(steps(&books), ["MemcpyAsync", "pool:allocate", "pool:free"]);
        assert!(stream.allocator_misbehaved(), "it is told");
        assert_eq!(stream.with_allocator(|pool| pool.live()), Some(0));
    });
}

#[test]
fn a_registration_does_not_end_while_the_library_has_a_block() {
    let books = books();
    in_books(&books, |current| {
        let stream = current.stream().unwrap().register(current, Pool::new("pool")).unwrap();
        books.leak_blocks();
        drop(work(current, &stream));
        steps(&books);
        let failed = stream.unregister(current).unwrap_err();
        assert_eq!(
            failed.error.to_string(),
            "the library still has 1 block(s) of the allocator, although its stream is synchronised; first release the \
             object that holds them, for example a loaded model [ALLOC-12]"
        );
        let failed = failed.value.replace(current, Pool::new("next")).unwrap_err();
        assert!(matches!(failed.error, Error::BlocksInUse { count: 1 }));
        let (stream, next) = failed.value;
        assert_eq!(next.name, "next");
        drop(next);
        assert_eq!(
            steps(&books),
            ["SynchronizeStreamWithTimeout", "SynchronizeStreamWithTimeout", "next:drop"],
            "nothing was unregistered"
        );
        stream.destroy(current).unwrap();
        assert_eq!(
            steps(&books),
            ["SynchronizeStreamWithTimeout", "Unregister", "DestroyStream"],
            "and the pool is not dropped"
        );
    });
    assert!(steps(&books).iter().all(|step| step != "pool:drop"), "the library may still call it");
}

#[test]
fn a_pool_keeps_the_memory_of_which_the_library_has_a_block() {
    let books = books();
    in_books(&books, |current| {
        let pool = PoolAllocator::new(current, 4096).unwrap();
        let mut stream = current.stream().unwrap().register(current, pool).unwrap();
        stream.grow_pool(current, 8192).unwrap();
        books.leak_blocks();
        drop(work(current, &stream));
        assert_eq!(stream.idle(current).unwrap().trim(current).unwrap(), 8192, "the piece without a block");
        let left = stream.pool_statistics().unwrap();
        assert_eq!((left.chunks, left.reserved_bytes, left.blocks_in_use, left.bytes_in_use), (1, 4096, 1, 512));
    });
}

#[test]
fn an_output_that_the_library_left_without_memory_is_told_when_it_is_read() {
    let books = books();
    in_books(&books, |current| {
        books.have_an_output();
        let stream = current.stream().unwrap().without_allocator();
        let model = current.load_model("any").unwrap().bind_with(current, &[], &[OutputBuffer::ByLibrary]).unwrap();
        let model = stream.execute(current, model).unwrap().wait(current).unwrap();
        assert_eq!(
            model.read::<f32>(current, 0).unwrap_err().to_string(),
            "the library allocated no memory for output `y`: it does not have to for executions on a stream; \
             bind the model with memory for the output, `OutputBuffer::AtMost(elements)` [DATA-06]"
        );
        let unknown = model.output_shape(current, 0).unwrap_err();
        assert_eq!(unknown.to_string(), "the library did not report the shape of output `y`");
    });
}
