//! Blocks with several names: when a name may free or write them.

use super::ffi::sharing::{HandleStamp, NotOnly, Stamped};
use super::ffi::stamp::LastUse;
use super::ffi::unreferenced::unreferenced;
use super::{CONTEXT, OTHER, STREAM, Stream, counted, of_three_threads};
use ascendcl_macros::proves;
use loom::sync::Arc;
use loom::sync::atomic::Ordering;
use loom::thread;

/// A block's row, as the ledger and the names have it.
type Row = counted::Arc<LastUse>;

impl Stamped for Row {
    fn last_use(&self) -> &LastUse {
        self
    }
}

struct Streams([Stream; 2]);

impl Streams {
    fn new() -> Arc<Self> {
        Arc::new(Self([STREAM, OTHER].map(Stream::new)))
    }

    fn at(&self, id: u64) -> &Stream {
        self.0.iter().find(|stream| stream.timeline.id() == id).unwrap()
    }

    fn has_done(&self, id: u64, number: u64) -> bool {
        self.at(id).timeline.clock().has_done(number)
    }

    fn are_idle(&self) -> bool {
        self.0.iter().all(|stream| stream.timeline.clock().is_idle())
    }

    /// The library has done this piece of work.
    fn is_complete(&self, id: u64, place: u64) -> bool {
        self.at(id).complete.load(Ordering::Acquire) >= place
    }

    /// As `RawBuffer::free` asks.
    fn says_over(&self, row: &LastUse) -> bool {
        row.is_over(|id, number| self.has_done(id, number), || self.are_idle())
    }

    /// As `RawBuffer::into_only` does it.
    fn only<'a>(&self, name: &'a mut HandleStamp<Row>) -> Result<&'a Row, NotOnly> {
        name.only(|id, number| self.has_done(id, number), || self.are_idle())
    }
}

/// A thread that queues work on a stream with a name of its own, and drops it without a wait.
fn leaves(streams: &Arc<Streams>, name: HandleStamp<Row>, id: u64) -> thread::JoinHandle<u64> {
    let streams = Arc::clone(streams);
    thread::spawn(move || {
        let place = streams.at(id).submit(&name);
        drop(name);
        place
    })
}

fn waits(streams: &Arc<Streams>, id: u64) -> thread::JoinHandle<()> {
    let streams = Arc::clone(streams);
    thread::spawn(move || streams.at(id).synchronize().unwrap())
}

#[proves(MEM_02)]
#[test]
fn a_block_whose_names_went_on_two_threads_is_free_only_when_the_work_of_both_is_complete() {
    of_three_threads(|| {
        let (streams, row) = (Streams::new(), Row::new(LastUse::of(CONTEXT)));
        let first = HandleStamp::first(row.clone());
        let second = first.another();
        let readers = [leaves(&streams, first, STREAM), leaves(&streams, second, OTHER)];
        // As `Ledger::collect` does it, at any moment.
        let collect = |places: Option<[u64; 2]>| {
            for row in unreferenced([&row].into_iter()) {
                let is_complete = |at: usize, id| streams.is_complete(id, places.map_or(1, |places| places[at]));
                let both = is_complete(0, STREAM) && is_complete(1, OTHER);
                assert!(!streams.says_over(&row) || both, "a block was freed under a reader");
            }
        };
        collect(None);
        let places = readers.map(|reader| reader.join().unwrap());
        collect(Some(places));
        streams.at(STREAM).synchronize().unwrap();
        collect(Some(places));
        assert!(!streams.says_over(&row), "the work of one reader was lost");
        streams.at(OTHER).synchronize().unwrap();
        assert_eq!(unreferenced([&row].into_iter()).len(), 1);
        assert!(streams.says_over(&row), "it is never freed");
    });
}

#[proves(MEM_02)]
#[test]
fn an_owner_takes_a_block_back_only_when_the_readers_that_went_are_done() {
    of_three_threads(|| {
        let (streams, row) = (Streams::new(), Row::new(LastUse::of(CONTEXT)));
        let mut own = HandleStamp::first(row.clone());
        let readers = [leaves(&streams, own.another(), STREAM), leaves(&streams, own.another(), OTHER)];
        if streams.only(&mut own).is_ok() {
            assert!(streams.is_complete(STREAM, 1) && streams.is_complete(OTHER, 1), "taken back under a reader");
        }
        for reader in readers {
            reader.join().unwrap();
        }
        assert_eq!(streams.only(&mut own).err(), Some(NotOnly::InUse));
        streams.at(STREAM).synchronize().unwrap();
        assert_eq!(streams.only(&mut own).err(), Some(NotOnly::InUse), "the work of one reader was lost");
        streams.at(OTHER).synchronize().unwrap();
        assert!(streams.only(&mut own).is_ok());
        drop(own);
        assert!(row.is_marked_idle(), "what was over is awaited");
    });
}

#[proves(MEM_02)]
#[test]
fn an_owner_that_takes_a_block_back_while_another_thread_waits_sees_work_that_is_complete() {
    of_three_threads(|| {
        let (streams, row) = (Streams::new(), Row::new(LastUse::of(CONTEXT)));
        let mut own = HandleStamp::first(row.clone());
        let reader = leaves(&streams, own.another(), STREAM);
        let waiter = waits(&streams, STREAM);
        if streams.only(&mut own).is_ok() {
            assert!(streams.is_complete(STREAM, 1), "taken back under a reader");
        }
        reader.join().unwrap();
        waiter.join().unwrap();
        if streams.only(&mut own).is_ok() {
            assert!(streams.is_complete(STREAM, 1), "taken back under a reader");
        }
    });
}

#[proves(MEM_02)]
#[test]
fn of_two_names_that_went_on_one_stream_the_later_work_counts() {
    of_three_threads(|| {
        let (streams, row) = (Streams::new(), Row::new(LastUse::of(CONTEXT)));
        let mut own = HandleStamp::first(row.clone());
        let (first, second) = (own.another(), own.another());
        streams.at(STREAM).submit(&first);
        let waiter = waits(&streams, STREAM);
        let last = streams.at(STREAM).submit(&second);
        let drops = [thread::spawn(move || drop(first)), thread::spawn(move || drop(second))];
        drops.into_iter().for_each(|drops| drops.join().unwrap());
        waiter.join().unwrap();
        if streams.only(&mut own).is_ok() {
            assert!(streams.is_complete(STREAM, last), "taken back under a reader");
        }
        streams.at(STREAM).synchronize().unwrap();
        assert!(streams.only(&mut own).is_ok());
    });
}

#[proves(MEM_02)]
#[test]
fn a_reader_that_waited_leaves_nothing_and_one_that_is_there_keeps_the_block() {
    loom::model(|| {
        let (streams, row) = (Streams::new(), Row::new(LastUse::of(CONTEXT)));
        let mut own = HandleStamp::first(row.clone());
        let reader = {
            let (streams, name) = (Arc::clone(&streams), own.another());
            thread::spawn(move || {
                let place = streams.at(STREAM).submit(&name);
                streams.at(STREAM).synchronize().unwrap();
                name.mark_idle();
                drop(name);
                place
            })
        };
        match streams.only(&mut own) {
            Ok(_) => assert!(streams.is_complete(STREAM, 1), "taken back under a reader"),
            Err(why) => assert_eq!(why, NotOnly::Shared),
        }
        reader.join().unwrap();
        assert!(streams.only(&mut own).is_ok());
        let kept = own.another();
        assert_eq!(streams.only(&mut own).err(), Some(NotOnly::Shared));
        drop(own);
        assert!(unreferenced([&row].into_iter()).is_empty(), "a block with a name is there");
        drop(kept);
        assert_eq!(unreferenced([&row].into_iter()).len(), 1);
    });
}

#[proves(MEM_02)]
#[test]
fn more_streams_than_are_told_apart_are_all_waited_for() {
    loom::model(|| {
        let streams: Vec<_> = (1..=6).map(Stream::new).collect();
        let row = Row::new(LastUse::of(CONTEXT));
        let own = HandleStamp::first(row.clone());
        for stream in &streams {
            let name = own.another();
            stream.submit(&name);
        }
        drop(own);
        let is_over = || {
            let has_done = |id: u64, number| streams[id as usize - 1].timeline.clock().has_done(number);
            row.is_over(has_done, || streams.iter().all(|stream| stream.timeline.clock().is_idle()))
        };
        for stream in &streams {
            assert!(!is_over(), "the work of one reader was lost");
            stream.synchronize().unwrap();
        }
        assert!(is_over());
    });
}

#[proves(MEM_02)]
#[test]
fn more_streams_than_are_told_apart_keep_an_owner_from_taking_the_block_back() {
    loom::model(|| {
        let streams: Vec<_> = (1..=5).map(Stream::new).collect();
        let mut own = HandleStamp::first(Row::new(LastUse::of(CONTEXT)));
        for stream in &streams {
            stream.submit(&own.another());
        }
        let has_done = |id: u64, number| streams[id as usize - 1].timeline.clock().has_done(number);
        let are_idle = || streams.iter().all(|stream| stream.timeline.clock().is_idle());
        for stream in &streams {
            assert_eq!(own.only(has_done, are_idle).err(), Some(NotOnly::InUse), "the work of one reader was lost");
            stream.synchronize().unwrap();
        }
        assert!(own.only(has_done, are_idle).is_ok());
    });
}

#[proves(MEM_02)]
#[test]
fn what_a_block_awaited_before_it_was_shared_is_awaited_after_it() {
    loom::model(|| {
        let (streams, row) = (Streams::new(), Row::new(LastUse::of(CONTEXT)));
        // A call that failed and was waited for leaves a stamp; here nobody waited.
        streams.at(OTHER).submit(&row);
        let name = HandleStamp::first(row.clone());
        streams.at(STREAM).submit(&name);
        drop(name);
        streams.at(STREAM).synchronize().unwrap();
        assert!(!streams.says_over(&row), "the work of the owner was lost");
        streams.at(OTHER).synchronize().unwrap();
        assert!(streams.says_over(&row));
    });
}

#[proves(MEM_02)]
#[test]
fn the_own_work_of_the_last_name_is_awaited() {
    loom::model(|| {
        let streams = Streams::new();
        let mut own = HandleStamp::first(Row::new(LastUse::of(CONTEXT)));
        streams.at(STREAM).submit(&own);
        assert_eq!(streams.only(&mut own).err(), Some(NotOnly::InUse));
        streams.at(STREAM).synchronize().unwrap();
        assert!(streams.only(&mut own).is_ok());
    });
}
