//! A graph compiled on this machine: `cargo run --release --example 19_graph_engine`.
//!
//! The graph engine reads an ONNX file, compiles it, and executes it on a stream with memory from a pool of this
//! program. The vendor's C++ interface ignores an allocator that is registered too late, and it reports no error. It
//! accesses freed memory if outputs outlive the allocator. Each step of this program names a mistake and the compiler's
//! message for this crate.
//!
//! The engine is part of the CANN toolkit. On a machine without it this program uses the simulator and a test double of
//! the engine. Set `ASCENDCL_LIBRARY` and `ASCENDCL_GE_LIBRARY` to choose.

mod digits;

use ascendcl::{
    Acl, Brand, Current, Error, Library, Thread,
    allocator::{PoolAllocator, PoolStatistics},
};
use ascendcl_ge::{Compiled, Engine, Graph, GraphSource, Loaded, Options, Place, Session, WithAllocator};
use ascendcl_ge_double::Double;
use digits::{Digits, data};
use std::process::ExitCode;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn std::error::Error>> {
    let digits = Digits::read()?;
    let acl = Acl::init(Library::VendorOrSimulator)?;
    let mut thread = Thread::new()?;
    let device = acl.device(&mut thread, 0)?;
    let engine = Engine::init(&acl, &engine_of(&acl)?, &Options::new())?;
    eprintln!("with {}", engine.library().display());

    // Mistake: finalise the engine while a session is open, or initialise a second engine. The result is undefined.
    // Refused: `ui-tests/fail/graph_engine_closed_in_a_session.rs`:
    //     error[E0505]: cannot move out of `engine` because it is borrowed
    engine.session(&mut thread, &device, &Options::new(), |session, current| {
        let graph = compile(session, current)?;
        let graph = load(session, current, graph)?;
        let graph = classify(session, current, graph, &digits)?;
        end(session, current, graph)
    })??;
    engine.close()?;
    device.reset(&mut thread)?;
    Ok(acl.close()?)
}

/// The toolkit's engine; on the simulator, its test double.
fn engine_of(acl: &Acl) -> Result<Place, ascendcl_ge_double::Missing> {
    let chosen = std::env::var_os("ASCENDCL_GE_LIBRARY").is_some();
    if chosen || !acl.library().is_simulator() { Ok(Place::Installed) } else { Ok(Double::load()?.place()) }
}

/// Step 1: from a file to a compiled graph.
fn compile<C: Brand>(session: &mut Session<C>, current: &Current<C>) -> Result<Graph<C, Compiled>, Error> {
    // Mistake: add one graph object under two ids, or two graphs under one id. The first shares one graph, the second
    // loses one. Here each add reads a new graph, and the session assigns the ids.
    let graph = session.add(current, GraphSource::onnx_file(&data("digits.onnx")), &Options::new())?;
    let graph = graph.compile(session, current)?;
    println!("compiled: {:?}", graph.summary(session, current)?);
    Ok(graph)
}

/// Step 2: register the allocator, then load.
fn load<C: Brand>(
    session: &mut Session<C>,
    current: &Current<C>,
    graph: Graph<C, Compiled>,
) -> Result<Graph<C, Loaded<WithAllocator<PoolAllocator>>>, Error> {
    // Mistake: load first and register afterwards. The engine returns success and never calls the allocator.
    // Refused: `ui-tests/fail/graph_allocator_registered_after_the_load.rs`:
    //     error[E0277]: an allocator cannot be registered for a graph in state `ascendcl_ge::Loaded<Compiled>`
    let pool = PoolAllocator::new(current, 8 << 10)?;
    let graph = graph.register(session, current, current.stream()?, pool)?;
    Ok(graph.load(session, current)?)
}

/// Step 3: execute with outputs from the pool, and grow the pool when it is full.
fn classify<C: Brand>(
    session: &mut Session<C>,
    current: &Current<C>,
    mut graph: Graph<C, Loaded<WithAllocator<PoolAllocator>>>,
    digits: &Digits,
) -> Result<Graph<C, Loaded<WithAllocator<PoolAllocator>>>, Error> {
    for batch in [1, 7, 7, 300] {
        // Mistake: free an input before the graph has run. The call returns earlier.
        // Refused: `ui-tests/fail/graph_input_freed_in_flight.rs`:
        //     error[E0382]: use of moved value: `images`
        let images = current.upload_tensor(&[batch, 64], digits.first(batch))?;
        let done = match graph.execute(session, current, images) {
            Ok(running) => running.wait(current)?,
            Err(refused) => {
                let (mut graph, images) = refused.value;
                let missing = graph.with_allocator(|pool| pool.statistics().largest_refused).unwrap_or_default();
                println!("batch {batch:3}: the pool lacked {missing} bytes; it grows");
                graph.idle(session, current)?.grow(current, 2 * missing)?;
                graph.execute(session, current, images)?.wait(current)?
            }
        };
        let right = digits.right(&done.outputs.to_vec::<f32>(current, 0)?);
        println!("batch {batch:3}: {right} right, output {:?}", done.outputs.shape(0)?);

        // Mistake: keep outputs longer than the session or the allocator. Nobody can free their memory.
        // Refused: `ui-tests/fail/graph_outputs_kept_beyond_the_session.rs`:
        //     error: lifetime may not live long enough
        done.outputs.release(session, current)?;
        graph = done.graph;
    }
    graph.with_allocator(|pool| show("after four executions", &pool.statistics()));
    Ok(graph)
}

/// Step 4: trim the pool and remove the graph. Stream and pool are returned.
fn end<C: Brand>(
    session: &mut Session<C>,
    current: &Current<C>,
    mut graph: Graph<C, Loaded<WithAllocator<PoolAllocator>>>,
) -> Result<(), Error> {
    // Mistake: trim the pool while the graph executes. Queued work still writes to the memory.
    // Refused: `ui-tests/fail/graph_pool_trimmed_while_it_executes.rs`:
    //     error[E0382]: borrow of moved value: `graph`
    println!("trimmed {} bytes", graph.idle(session, current)?.trim(current)?);
    let (stream, pool) = graph.remove(session, current)?;
    show("after the graph", &pool.statistics());
    pool.release(current)?;
    Ok(stream.destroy(current)?)
}

fn show(when: &str, pool: &PoolStatistics) {
    println!(
        "{when}: {} bytes in {} piece(s), at most {} in use; {} block(s) new, {} again, {} refused; {} out",
        pool.reserved_bytes, pool.chunks, pool.peak_bytes, pool.misses, pool.hits, pool.refused, pool.blocks_in_use
    );
}
