//! An operator runs with memory from a pool of the program.
//!
//! Repair it: the pool comes too late. The vendor's library would ignore it and report success.

use ascendcl::{Error, Library, RunError, allocator::PoolAllocator, operator};

fn main() -> Result<(), RunError<Error>> {
    ascendcl::run(Library::Simulator, |current| {
        let stream = current.stream()?.without_allocator();
        let x = current.upload_tensor(&[2], &[-1.0_f32, 2.0])?;
        let work = stream.launch(current, operator::relu(current, x)?)?;
        let (_x, y) = work.wait(current)?.into_tensors(current)?;
        assert_eq!(y.to_vec(current)?, [0.0, 2.0]);
        let pool = PoolAllocator::new(current, 64 << 10)?;
        let stream = stream.register(current, pool)?;
        assert!(stream.pool_statistics()?.misses > 0, "the pool was not asked");
        Ok(())
    })
}
