//! Graphs that were captured on a stream with an allocator. The library gives the memory of a captured task back as soon
//! as it has recorded it, and the graph keeps it from the allocator.

use super::null::{Books, books, in_books};
use super::pool::{Pool, steps, work};
use ascendcl::capture::{CaptureMode, CapturedGraph};
use ascendcl::stream::CustomAllocator;
use ascendcl::{Current, DeviceBuffer, Error, HostBuffer, Scoped, Stream};
use ascendcl_macros::proves;

type Io<'c> = (HostBuffer<Scoped<'c>, u8>, DeviceBuffer<Scoped<'c>, u8>);
type Pooled<'c> = Stream<Scoped<'c>, CustomAllocator<Pool>>;

fn pooled<'c>(current: &Current<Scoped<'c>>, name: &'static str) -> Pooled<'c> {
    current.stream().unwrap().register(current, Pool::new(name)).unwrap()
}

/// So many copies, each of which gets a block.
fn copies<'c>(
    current: &mut Current<Scoped<'c>>,
    stream: &mut Pooled<'c>,
    number: usize,
) -> CapturedGraph<Scoped<'c>, Io<'c>> {
    let operands = (current.host_buffer::<u8>(8).unwrap(), current.upload(&[0_u8; 8]).unwrap());
    stream
        .capture(current, CaptureMode::Relaxed, operands, |capture, (input, mut device)| {
            (0..number).try_for_each(|_| capture.copy_to_device(&input, &mut device))
        })
        .unwrap()
}

fn live(stream: &Pooled<'_>) -> usize {
    stream.with_allocator(Pool::live).unwrap()
}

/// What the allocator and the graphs did since the last look.
fn told(books: &Books) -> Vec<String> {
    let is_told = |step: &String| step.contains(":allocate") || step.contains(":free") || step.starts_with("graph:");
    steps(books).into_iter().filter(is_told).collect()
}

#[proves(GRAPH_05, ALLOC_14)]
#[test]
fn blocks_that_the_library_gives_back_after_recording_stay_until_the_graph_is_destroyed() {
    let books = books();
    in_books(&books, |current| {
        let mut stream = pooled(current, "pool");
        let graph = copies(current, &mut stream, 2);
        assert_eq!((live(&stream), told(&books)), (2, vec!["pool:allocate".into(); 2]));
        let graph = stream.replay(current, graph).unwrap().wait(current).unwrap();
        drop(stream.replay(current, graph).unwrap().wait(current).unwrap().into_operands(current).unwrap());
        let expected = ["graph:runs", "graph:runs", "graph:destroyed", "pool:free", "pool:free"];
        assert_eq!((live(&stream), told(&books)), (0, expected.map(str::to_owned).to_vec()));
        assert!(!stream.allocator_misbehaved());
    });
}

#[proves(GRAPH_05, ALLOC_14)]
#[test]
fn blocks_from_before_the_capture_stay_and_blocks_from_after_it_do_not() {
    let books = books();
    in_books(&books, |current| {
        books.keep_blocks();
        let mut stream = pooled(current, "pool");
        // The library has this block while the stream is captured, and could use it for a captured task.
        drop(work(current, &stream));
        let graph = copies(current, &mut stream, 0);
        stream.synchronize(current).unwrap();
        assert_eq!((live(&stream), told(&books)), (1, vec!["pool:allocate".to_owned()]));
        drop(work(current, &stream));
        stream.synchronize(current).unwrap();
        assert_eq!((live(&stream), told(&books)), (1, vec!["pool:allocate".into(), "pool:free".to_owned()]));
        drop(graph.into_operands(current).unwrap());
        assert_eq!((live(&stream), told(&books)), (0, vec!["graph:destroyed".into(), "pool:free".to_owned()]));
    });
}

#[proves(GRAPH_05, ALLOC_14)]
#[test]
fn a_block_of_two_graphs_stays_until_both_are_destroyed() {
    let books = books();
    in_books(&books, |current| {
        books.keep_blocks();
        let mut stream = pooled(current, "pool");
        for is_first in [true, false] {
            drop(work(current, &stream));
            let (first, second) = (copies(current, &mut stream, 0), copies(current, &mut stream, 0));
            stream.synchronize(current).unwrap();
            let (one, other) = if is_first { (first, second) } else { (second, first) };
            drop(one.into_operands(current).unwrap());
            assert_eq!(live(&stream), 1, "the graph that is left has the block");
            drop(other.into_operands(current).unwrap());
            assert_eq!(live(&stream), 0);
        }
    });
}

/// What is out is counted where the allocator cannot be taken.
#[proves(ALLOC_11, ALLOC_12)]
#[test]
fn a_block_that_came_back_with_its_graph_does_not_count_as_out() {
    let books = books();
    in_books(&books, |current| {
        let mut stream = pooled(current, "pool");
        drop(copies(current, &mut stream, 2).into_operands(current).unwrap());
        books.leak_blocks();
        drop(work(current, &stream));
        stream.synchronize(current).unwrap();
        let refused = stream.unregister(current).unwrap_err();
        assert!(matches!(refused.error, Error::BlocksInUse { count: 1 }), "{}", refused.error);
    });
}

#[proves(ALLOC_11, ALLOC_12, GRAPH_05)]
#[test]
fn an_allocator_is_neither_replaced_nor_given_back_while_a_graph_has_its_memory() {
    let books = books();
    in_books(&books, |current| {
        let mut stream = pooled(current, "pool");
        let graph = copies(current, &mut stream, 1);
        let refused = stream.unregister(current).unwrap_err();
        assert!(matches!(refused.error, Error::BlocksInUse { count: 1 }), "{}", refused.error);
        let refused = refused.value.replace(current, Pool::new("other")).unwrap_err();
        assert!(matches!(refused.error, Error::BlocksInUse { count: 1 }), "{}", refused.error);
        let (stream, _other) = refused.value;
        // The graph is as it was.
        let graph = stream.replay(current, graph).unwrap().wait(current).unwrap();
        drop(graph.into_operands(current).unwrap());
        let (_stream, pool) = stream.unregister(current).unwrap();
        assert_eq!(pool.live(), 0);
    });
}

#[proves(ALLOC_12, GRAPH_05)]
#[test]
fn an_allocator_whose_stream_is_destroyed_lives_as_long_as_a_graph_has_its_memory() {
    let books = books();
    in_books(&books, |current| {
        let mut stream = pooled(current, "pool");
        let graph = copies(current, &mut stream, 1);
        steps(&books);
        stream.destroy(current).unwrap();
        let gone = |steps: &[String]| steps.iter().any(|step| step == "pool:drop");
        assert!(!gone(&steps(&books)));
        drop(graph.into_operands(current).unwrap());
        let steps = steps(&books);
        assert_eq!(steps, ["graph:destroyed", "pool:free", "pool:drop"]);
    });
}

#[proves(GRAPH_05, STREAM_05)]
#[test]
fn graphs_and_streams_that_are_forgotten_end_with_the_context_and_the_blocks_come_back_before_the_allocator_ends() {
    let books = books();
    in_books(&books, |current| {
        let mut stream = pooled(current, "pool");
        let graph = copies(current, &mut stream, 2);
        std::mem::forget(stream.replay(current, graph).unwrap());
        std::mem::forget(stream);
        steps(&books);
    });
    let steps = steps(&books);
    let at = |wanted: &str| steps.iter().position(|step| step == wanted).unwrap();
    assert!(at("SynchronizeStreamWithTimeout") < at("graph:destroyed"), "{steps:?}");
    assert!(at("graph:destroyed") < at("pool:free"), "{steps:?}");
    assert_eq!(steps.iter().filter(|step| *step == "pool:free").count(), 2);
    assert_eq!(steps.last().map(String::as_str), Some("pool:drop"));
}

#[proves(GRAPH_05)]
#[test]
fn blocks_stay_while_the_library_refuses_to_destroy_the_graph() {
    let books = books();
    in_books(&books, |current| {
        let mut stream = pooled(current, "pool");
        let graph = copies(current, &mut stream, 1);
        books.refuse("aclmdlRIDestroy", 507_000, 1);
        let refused = graph.into_operands(current).unwrap_err();
        assert_eq!(live(&stream), 1);
        drop(refused.value.into_operands(current).unwrap());
        assert_eq!(live(&stream), 0);
        // The same for a capture that came to nothing, whose operands are back.
        books.refuse("aclmdlRIDestroy", 507_000, 2);
        let operands = (current.host_buffer::<u8>(8).unwrap(), current.upload(&[0_u8; 8]).unwrap());
        let failed = stream.capture(current, CaptureMode::Relaxed, operands, |capture, (input, mut device)| {
            capture.copy_to_device(&input, &mut device)?;
            Err(Error::NotExecuted)
        });
        let failed = failed.unwrap_err();
        assert_eq!(live(&stream), 1);
        drop(failed.value);
        assert!(current.collect().is_empty());
        assert_eq!(live(&stream), 0);
    });
}

#[proves(CB_09)]
#[test]
fn an_allocator_that_panics_when_a_graph_gives_a_block_back_is_said_to_misbehave() {
    let books = books();
    in_books(&books, |current| {
        let pool = Pool::panics_in("pool", "free");
        let mut stream = current.stream().unwrap().register(current, pool).unwrap();
        let graph = copies(current, &mut stream, 2);
        assert!(!stream.allocator_misbehaved());
        drop(graph.into_operands(current).unwrap());
        assert!(stream.allocator_misbehaved());
        // No block is given back twice.
        let (_stream, _pool) = stream.unregister(current).unwrap();
    });
}

#[test]
fn a_block_that_comes_back_twice_during_a_capture_is_ignored_the_second_time() {
    let books = books();
    in_books(&books, |current| {
        books.free_twice();
        let mut stream = pooled(current, "pool");
        let graph = copies(current, &mut stream, 1);
        assert!(stream.allocator_misbehaved());
        assert_eq!(live(&stream), 1);
        drop(graph.into_operands(current).unwrap());
        assert_eq!(live(&stream), 0);
    });
}

#[test]
fn a_block_that_the_library_never_gives_back_is_the_librarys_when_the_graph_is_gone() {
    let books = books();
    in_books(&books, |current| {
        books.leak_blocks();
        let mut stream = pooled(current, "pool");
        let graph = copies(current, &mut stream, 1);
        drop(graph.into_operands(current).unwrap());
        let refused = stream.unregister(current).unwrap_err();
        assert!(matches!(refused.error, Error::BlocksInUse { count: 1 }), "{}", refused.error);
    });
}

#[proves(ALLOC_10, GRAPH_05)]
#[test]
fn a_graph_with_memory_of_an_allocator_replays_on_its_own_stream_alone() {
    let books = books();
    in_books(&books, |current| {
        let mut stream = pooled(current, "pool");
        let graph = copies(current, &mut stream, 1);
        let (plain, other) = (current.stream().unwrap().without_allocator(), pooled(current, "other"));
        let refused = plain.replay(current, graph).unwrap_err();
        assert!(matches!(refused.error, Error::NotItsStream { .. }), "{}", refused.error);
        let refused = other.replay(current, refused.value).unwrap_err();
        assert!(matches!(refused.error, Error::NotItsStream { .. }), "{}", refused.error);
        let refused = current.default_stream().replay(current, refused.value).unwrap_err();
        assert!(matches!(refused.error, Error::NotItsStream { .. }), "{}", refused.error);
        assert_eq!(books.calls("aclmdlRIExecuteAsync"), 0);
        let graph = stream.replay(current, refused.value).unwrap().wait(current).unwrap();
        // A stream that comes in its place is another one.
        stream.destroy(current).unwrap();
        let next = pooled(current, "next");
        let refused = next.replay(current, graph).unwrap_err();
        assert!(matches!(refused.error, Error::NotItsStream { .. }), "{}", refused.error);
        assert_eq!(books.calls("aclmdlRIExecuteAsync"), 1);
    });
}

#[test]
fn a_stream_whose_allocator_is_in_doubt_is_not_captured() {
    let books = books();
    in_books(&books, |current| {
        // The first call is the registration, the second one takes it back.
        books.refuse("aclrtAllocatorRegister", 507_000, 1);
        books.refuse("aclrtAllocatorUnregister", 507_000, 1);
        let refused = current.stream().unwrap().register(current, Pool::new("pool")).unwrap_err();
        let mut stream = refused.value.0.without_allocator();
        let refused = stream.capture(current, CaptureMode::Relaxed, (), |_, ()| Ok(())).unwrap_err();
        assert!(matches!(refused.error, Error::AllocatorInDoubt), "{}", refused.error);
        assert_eq!(books.calls("aclmdlRICaptureBegin"), 0);
    });
}
