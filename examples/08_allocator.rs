//! Memory from a pool of your own: `cargo run --release --example 08_allocator`.
//!
//! AscendCL asks an allocator of the caller for the memory of single operators and of models with dynamic shapes. Its C
//! interface accepts any order of calls, and most mistakes cause no error. This program has one step per mistake. Each
//! step names the mistake, its consequence in the vendor's library, and the compiler's message for this crate. Then it
//! runs the correct code.
//!
//! Runs on the vendor's library if one is installed, else on the simulator. Set `ASCENDCL_LIBRARY` to choose.

mod digits;

use ascendcl::{
    Brand, Current, Error, Library, Stream,
    allocator::{PoolAllocator, PoolStatistics},
    model::OutputBuffer,
    operator,
    stream::{AllocatorGroup, CustomAllocator},
};
use digits::{Digits, data};
use std::process::ExitCode;

type Pooled<C> = Stream<C, CustomAllocator<PoolAllocator>>;

fn main() -> ExitCode {
    match teach() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn teach() -> Result<(), Box<dyn std::error::Error>> {
    let digits = Digits::read()?;
    ascendcl::run(Library::VendorOrSimulator, |current| {
        let stream = register(current)?;
        let stream = operators(current, stream)?;
        let stream = batches(current, stream, &digits)?;
        let stream = trim(current, stream)?;
        end(current, stream)?;
        share(current)
    })?;
    Ok(())
}

/// Step 1: register the allocator on a stream before any work runs there.
fn register<C: Brand>(current: &Current<C>) -> Result<Pooled<C>, Error> {
    // Mistake: `aclrtAllocatorRegister(NULL, desc)`. Null is the default stream, and the library refuses it.
    // Refused: `ui-tests/fail/allocator_on_the_default_stream.rs`:
    //     error[E0277]: an allocator cannot be registered on the default stream

    // Mistake: a descriptor without a free function. The library accepts it and later calls an uninitialised pointer.
    // Refused: `ui-tests/fail/descriptor_without_free.rs`:
    //     error[E0277]: this descriptor has no free function

    // Mistake: a warm-up run before the registration. The library then uses its own allocator and ignores the
    // registration.
    // Refused: `ui-tests/fail/register_after_the_first_operator.rs`:
    //     error[E0277]: an allocator cannot be registered on a stream in state `DefaultAllocator`

    let pool = PoolAllocator::new(current, 64 << 10)?;
    Ok(current.stream()?.register(current, pool)?)
}

/// Step 2: run single operators on the same stream.
fn operators<C: Brand>(current: &Current<C>, stream: Pooled<C>) -> Result<Pooled<C>, Error> {
    // Mistake: register on one stream and execute on another. The library never calls the allocator and reports no
    // error.
    // Refused: `ui-tests/fail/execution_on_another_stream_than_the_registered_one.rs`:
    //     error[E0277]: a stream in state `Undecided` cannot run work that allocates memory yet

    // Mistake: read the output before the operator has run. In C, the output is an ordinary buffer that can be read
    // any time.
    // Refused: `ui-tests/fail/operator_outputs_read_in_flight.rs`:
    //     error[E0277]: this work is in flight: the host can use its buffers, models and tensors after a wait

    let x = current.upload_tensor(&[2, 3], &[1.0_f32, -2.0, 3.0, -4.0, 5.0, -6.0])?;
    let y = current.upload_tensor(&[3, 2], &[1.0_f32, 0.0, 0.0, 1.0, 1.0, 1.0])?;
    let product = stream.launch(current, operator::mat_mul(current, x, y)?)?.wait(current)?;
    let (_factors, product) = product.into_tensors(current)?;
    let relu = stream.launch(current, operator::relu(current, product)?)?.wait(current)?;
    let (_product, result) = relu.into_tensors(current)?;
    println!("relu(x · y) = {:?}", result.to_vec(current)?);
    show("after two operators", &stream.pool_statistics()?);
    Ok(stream)
}

/// Step 3: run a model with batches of different sizes, and grow the pool when it is full.
fn batches<C: Brand>(current: &Current<C>, stream: Pooled<C>, digits: &Digits) -> Result<Pooled<C>, Error> {
    let model = current.load_model(data("digits.onnx"))?;
    let mut model = model.bind_with(current, &[&[300, 64]], &[OutputBuffer::AtMost(3000)])?;
    for batch in [1, 7, 300] {
        model.reshape(current, &[&[batch, 64]])?;
        model.write(current, 0, digits.first(batch))?;
        model = match stream.execute(current, model) {
            Ok(running) => running.wait(current)?,
            Err(refused) => {
                // The pool had no memory. In C, the state of the failed call's inputs and outputs is unknown. Here the
                // error returns the model unchanged, and the pool reports the missing size.
                let missing = stream.pool_statistics()?.largest_refused;
                println!("batch {batch:3}: the pool lacked {missing} bytes; it grows");
                stream.grow_pool(current, 2 * missing)?;
                stream.execute(current, refused.value)?.wait(current)?
            }
        };
        let right = digits.right(&model.read::<f32>(current, 0)?);
        println!("batch {batch:3}: {right} right, output {:?}", model.output_shape(current, 0)?);
    }
    show("after three batches", &stream.pool_statistics()?);
    model.into_model(current)?.unload(current)?;
    Ok(stream)
}

/// Step 4: return memory to the system while the allocator stays registered.
fn trim<C: Brand>(current: &Current<C>, mut stream: Pooled<C>) -> Result<Pooled<C>, Error> {
    // Mistake: a free callback that calls `aclrtFree`, or a pool that is trimmed when it looks empty. Queued work
    // still writes to the memory and corrupts the data of its next owner.
    // Refused: `ui-tests/fail/pool_trimmed_without_a_proof.rs`:
    //     error[E0277]: `&ascendcl::Current<C>` does not prove that the stream of this pool is idle

    // Mistake: queue work between the synchronise and the release of the memory. Here the proof borrows the stream.
    // Refused: `ui-tests/fail/operator_launched_under_a_proof_of_idleness.rs`:
    //     error[E0502]: cannot borrow `*stream` as immutable because it is also borrowed as mutable

    let bytes = stream.idle(current)?.trim(current)?;
    println!("trimmed {bytes} bytes");
    show("after trimming", &stream.pool_statistics()?);
    Ok(stream)
}

/// Step 5: end the registration and then the stream. The pool is returned.
fn end<C: Brand>(current: &Current<C>, stream: Pooled<C>) -> Result<(), Error> {
    // Mistake: delete the allocator while it is registered. The next callback uses freed memory. Destroying the
    // stream does not end the registration: the next stream at that address inherits it.
    // Refused: `ui-tests/fail/pool_released_while_it_is_registered.rs`:
    //     error[E0382]: use of moved value: `pool`

    let (stream, pool) = stream.unregister(current)?;
    stream.destroy(current)?;
    Ok(pool.release(current)?)
}

/// Step 6: share one pool between two streams, one after the other.
fn share(current: &Current<impl Brand>) -> Result<(), Error> {
    // Mistake: the same allocator on two running streams. A block that one stream frees goes to the other while work
    // uses it.
    // Refused: `ui-tests/fail/two_streams_of_an_allocator_at_once.rs`:
    //     error[E0382]: use of moved value: `group`

    let mut group = AllocatorGroup::new(current, PoolAllocator::new(current, 64 << 10)?)?;
    let (one, two) = (group.attach(current, current.stream()?)?, group.attach(current, current.stream()?)?);
    for member in [&one, &two, &one] {
        let turn = group.begin(member)?;
        let x = current.upload_tensor(&[4], &[1_i32, 2, 3, 4])?;
        let y = current.upload_tensor(&[1], &[10_i32])?;
        let running = turn.launch(current, operator::mul(current, x, y)?)?;
        group = turn.finish(current)?;
        let (_factors, product) = running.wait(current)?.into_tensors(current)?;
        println!("in turn: {:?}", product.to_vec(current)?);
    }
    group.idle().with_allocator(|pool| show("after three turns", &pool.statistics()));
    Ok(())
}

fn show(when: &str, pool: &PoolStatistics) {
    println!(
        "{when}: {} bytes in {} piece(s), at most {} in use; {} block(s) new, {} again, {} refused; {} out",
        pool.reserved_bytes, pool.chunks, pool.peak_bytes, pool.misses, pool.hits, pool.refused, pool.blocks_in_use
    );
}
