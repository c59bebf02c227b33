//! Replays of graphs: one stamp stands for all that a graph's tasks use, and the graph's row keeps the rows of that.

use super::ffi::stamp::LastUse;
use super::ffi::unreferenced::unreferenced;
use super::{CONTEXT, STREAM, Stream, counted, of_three_threads};
use ascendcl_macros::proves;
use loom::sync::atomic::{AtomicBool, Ordering};
use loom::sync::{Arc, Mutex};
use loom::thread;

/// A block of memory that replays use. It has no stamp of its own.
#[derive(Default)]
struct Block {
    is_freed: AtomicBool,
}

/// As `RawGraph`: the stamp of the replays, and what they need.
struct Graph {
    last_use: LastUse,
    needs: Mutex<Vec<counted::Arc<Block>>>,
    is_destroyed: AtomicBool,
}

/// What the ledger has.
struct Rows {
    graph: counted::Arc<Graph>,
    block: counted::Arc<Block>,
}

impl Rows {
    /// A graph that is the only one to name its memory.
    fn new() -> Self {
        let block = counted::Arc::new(Block::default());
        let (last_use, needs) = (LastUse::of(CONTEXT), Mutex::new(vec![block.clone()]));
        Self { graph: counted::Arc::new(Graph { last_use, needs, is_destroyed: AtomicBool::new(false) }), block }
    }

    /// As `Ledger::collect` does it, at any moment: first graphs, then memory. `RawGraph::destroy` gives the names of the
    /// memory away behind the stamp.
    fn collect(&self, stream: &Stream) {
        for graph in unreferenced([&self.graph].into_iter()) {
            if stream.calls_idle(&graph.last_use) {
                assert!(stream.complete.load(Ordering::Acquire) >= 1, "a graph was destroyed in its replay");
                graph.is_destroyed.store(true, Ordering::Relaxed);
                drop(std::mem::take(&mut *graph.needs.lock().unwrap()));
            }
        }
        for block in unreferenced([&self.block].into_iter()) {
            assert!(stream.complete.load(Ordering::Acquire) >= 1, "memory was freed under a replay");
            block.is_freed.store(true, Ordering::Relaxed);
        }
    }

    fn are_gone(&self) -> bool {
        self.graph.is_destroyed.load(Ordering::Relaxed) && self.block.is_freed.load(Ordering::Relaxed)
    }
}

#[proves(GRAPH_05, GRAPH_07, MEM_02)]
#[test]
fn a_graph_that_is_dropped_in_its_replay_goes_with_its_memory_when_the_replay_is_complete() {
    of_three_threads(|| {
        let (stream, rows) = (Arc::new(Stream::new(STREAM)), Rows::new());
        let (handle, queues, waits) = (rows.graph.clone(), Arc::clone(&stream), Arc::clone(&stream));
        let replays = thread::spawn(move || {
            queues.submit(&handle.last_use);
            drop(handle);
        });
        let waits = thread::spawn(move || waits.synchronize().unwrap());
        rows.collect(&stream);
        waits.join().unwrap();
        rows.collect(&stream);
        replays.join().unwrap();
        stream.synchronize().unwrap();
        rows.collect(&stream);
        assert!(rows.are_gone(), "a graph stays although nothing uses it");
    });
}

#[proves(GRAPH_05, GRAPH_07)]
#[test]
fn a_graph_that_came_back_from_a_wait_and_is_replayed_again_is_not_destroyed_before_that() {
    loom::model(|| {
        let (stream, rows) = (Arc::new(Stream::new(STREAM)), Rows::new());
        let (handle, queues) = (rows.graph.clone(), Arc::clone(&stream));
        let place = queues.submit(&handle.last_use);
        stream.synchronize().unwrap();
        // As `Pending::wait` gives the graph back.
        handle.last_use.mark_idle();
        let replays = thread::spawn(move || {
            let place = queues.submit(&handle.last_use);
            drop(handle);
            place
        });
        if unreferenced([&rows.graph].into_iter()).iter().any(|graph| stream.calls_idle(&graph.last_use)) {
            assert!(stream.complete.load(Ordering::Acquire) > place, "a graph was destroyed in its second replay");
        }
        let second = replays.join().unwrap();
        assert!(!stream.calls_idle(&rows.graph.last_use), "a replay that nobody waited for is over");
        stream.synchronize().unwrap();
        stream.collect(&rows.graph.last_use, second);
        rows.collect(&stream);
        assert!(rows.are_gone());
    });
}
