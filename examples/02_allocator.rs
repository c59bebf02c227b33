//! Memory from a pool of your own: `cargo run --release --example 02_allocator`.
//!
//! AscendCL asks an allocator of the caller's for the memory of single operators and of models whose shapes are chosen at
//! each run. Its C interface takes any order of calls, and most mistakes in it are silent. This program does the same job
//! in the order in which one would get it wrong: each step names the mistake, what the vendor's library makes of it, and
//! what the compiler says here; what follows is the repair, which runs.
//!
//! Runs on the vendor's library if one is installed, else on the simulator. `ASCENDCL_LIBRARY` chooses.

mod digits;

use ascendcl::{Brand, Current, Error, Library, Permit, PoolAllocator, PoolStatistics, Room, Stream, With, operator};
use digits::{Digits, data};
use std::process::ExitCode;

type Pooled<C> = Stream<C, With<PoolAllocator>>;

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

/// Step 1: register, on a stream, before anything runs there.
fn register<C: Brand>(current: &Current<C>) -> Result<Pooled<C>, Error> {
    // `aclrtAllocatorRegister(NULL, desc)`: the default stream is null, and the library refuses it.
    // Refused: `ui-tests/fail/allocator_on_the_default_stream.rs`:
    //     error[E0277]: an allocator cannot be registered on the default stream

    // A descriptor without its free function is registered without complaint: the slot is not initialised, and what is
    // called later is whatever stood in the memory.
    // Refused: `ui-tests/fail/descriptor_without_free.rs`:
    //     error[E0277]: this descriptor has no free function

    // First a run to warm up, then the registration: the library has decided by then, and ignores it without a word.
    // Refused: `ui-tests/fail/register_after_the_first_operator.rs`:
    //     error[E0277]: an allocator cannot be registered on a stream in state `Plain`

    let pool = PoolAllocator::new(current, 64 << 10)?;
    Ok(current.stream()?.register(current, pool)?)
}

/// Step 2: run single operators on that very stream.
fn operators<C: Brand>(current: &Current<C>, stream: Pooled<C>) -> Result<Pooled<C>, Error> {
    // Registered on one stream, executed on another: the allocator is never asked, and nothing says so.
    // Refused: `ui-tests/fail/execution_on_another_stream_than_the_registered_one.rs`:
    //     error[E0277]: a stream in state `Fresh` cannot run work that allocates memory yet

    // The call returns before the operator ran; in C, the output is an ordinary buffer that can be read at once.
    // Refused: `ui-tests/fail/operator_outputs_read_in_flight.rs`:
    //     error[E0599]: no method named `into_tensors` found for struct `ascendcl::Pending<C, T>` in the current scope

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

/// Step 3: run a model with batches of different sizes; a pool without room is a failure that can be mended.
fn batches<C: Brand>(current: &Current<C>, stream: Pooled<C>, digits: &Digits) -> Result<Pooled<C>, Error> {
    let model = current.load_model(data("digits.onnx"))?;
    let mut model = model.prepare_with(current, &[&[300, 64]], &[Room::AtMost(3000)])?;
    for batch in [1, 7, 300] {
        model.reshape(current, &[&[batch, 64]])?;
        model.write(current, 0, digits.first(batch))?;
        model = match stream.execute(current, model) {
            Ok(running) => running.wait(current)?,
            Err(refused) => {
                // The callback answered null; in C, the failed call's inputs and outputs are in an unknown state. Here the
                // model comes back as it was, and the pool knows what was missing.
                let missing = stream.pool_statistics()?.largest_refused;
                println!("batch {batch:3}: the pool had no {missing} bytes; it grows");
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

/// Step 4: give memory back to the system, while the registration goes on.
fn trim<C: Brand>(current: &Current<C>, mut stream: Pooled<C>) -> Result<Pooled<C>, Error> {
    // A free callback that calls `aclrtFree`, or a pool that is trimmed whenever it looks empty: queued work still writes
    // there, and the next owner of the memory finds its numbers changed.
    // Refused: `ui-tests/fail/pool_trimmed_without_a_proof.rs`:
    //     error[E0277]: `&ascendcl::Current<C>` does not prove that the stream of this pool is idle

    // Synchronised, and then something queued before the memory is gone: the proof holds the stream meanwhile.
    // Refused: `ui-tests/fail/operator_launched_under_a_proof_of_idleness.rs`:
    //     error[E0502]: cannot borrow `*stream` as immutable because it is also borrowed as mutable

    let bytes = stream.idle(current)?.trim(current)?;
    println!("trimmed {bytes} bytes");
    show("after trimming", &stream.pool_statistics()?);
    Ok(stream)
}

/// Step 5: end the registration, then the stream; the pool is yours again.
fn end<C: Brand>(current: &Current<C>, stream: Pooled<C>) -> Result<(), Error> {
    // The allocator object deleted while it is registered: the next callback runs in freed memory. Destroying the stream
    // does not end a registration either: the next stream at that address inherits it.
    // Refused: `ui-tests/fail/pool_released_while_it_is_registered.rs`:
    //     error[E0382]: use of moved value: `pool`

    let (stream, pool) = stream.unregister(current)?;
    stream.destroy(current)?;
    Ok(pool.release(current)?)
}

/// Step 6: one pool for two streams, one after the other.
fn share(current: &Current<impl Brand>) -> Result<(), Error> {
    // The same allocator on both streams, both running: a block that one frees is handed to the other while it is in use.
    // Refused: `ui-tests/fail/two_streams_of_an_allocator_at_once.rs`:
    //     error[E0382]: use of moved value: `permit`

    let mut permit = Permit::new(current, PoolAllocator::new(current, 64 << 10)?)?;
    let (one, two) = (permit.attach(current, current.stream()?)?, permit.attach(current, current.stream()?)?);
    for member in [&one, &two, &one] {
        let turn = permit.begin(member)?;
        let x = current.upload_tensor(&[4], &[1_i32, 2, 3, 4])?;
        let y = current.upload_tensor(&[1], &[10_i32])?;
        let running = turn.launch(current, operator::mul(current, x, y)?)?;
        permit = turn.finish(current)?;
        let (_factors, product) = running.wait(current)?.into_tensors(current)?;
        println!("in turn: {:?}", product.to_vec(current)?);
    }
    permit.idle().with_allocator(|pool| show("after three turns", &pool.statistics()));
    Ok(())
}

fn show(when: &str, pool: &PoolStatistics) {
    println!(
        "{when}: {} bytes in {} piece(s), at most {} in use; {} block(s) new, {} again, {} refused; {} out",
        pool.reserved, pool.chunks, pool.peak, pool.misses, pool.hits, pool.refused, pool.blocks
    );
}
