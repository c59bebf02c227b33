//! What ends at an odd place: behind a wait of another context, and in calls that are refused.

use super::*;
use ascendcl::capture::{CaptureMode, Tasks};
use ascendcl::memory::bytes_in_arena;
use ascendcl::operator::Operator;
use ascendcl::raw::{Attach, EndingContext, EndsBefore};
use ascendcl::{Error, Runtime};
use ascendcl_macros::proves;
use std::error::Error as AnyError;
use std::sync::mpsc::channel;
use std::time::Duration;

ascendcl::names!(Worker);

fn open() -> Runtime<Worker> {
    Runtime::open(library()).unwrap()
}

#[proves(EVENT_06, EVENT_07)]
#[test]
fn a_context_whose_event_a_stream_of_another_still_waits_for_is_closed() {
    let alone = alone();
    let (own, other) = (open(), open());
    let event = other
        .with(|current| {
            let stream = current.stream().unwrap();
            drop(stream.set_bytes(current, current.device_buffer::<u8>(4).unwrap(), 1).unwrap());
            stream.record(current, current.event().unwrap()).map_err(Error::from).unwrap()
        })
        .unwrap();
    let (go, waits) = channel::<()>();
    let stream = own
        .with(|current| {
            let stream = current.stream().unwrap();
            drop(stream.launch_host_fn(current, move || waits.recv_timeout(Duration::from_secs(20)).is_ok()).unwrap());
            stream.wait_across_contexts(current, &event).unwrap();
            stream
        })
        .unwrap();
    other.close().unwrap();
    let gone = own.with(|current| stream.wait_across_contexts(current, &event).unwrap_err()).unwrap();
    assert!(matches!(gone, Error::Gone { .. }), "{gone}");
    go.send(()).unwrap();
    own.with(|current| stream.synchronize(current).unwrap()).unwrap();
    own.close().unwrap();
    alone.assert_nothing_lives();
}

#[proves(MEM_13)]
#[test]
fn an_arena_that_could_not_be_freed_hands_out_what_it_had() {
    let alone = alone();
    inside(|current| {
        let mut arena = current.device_arena(2 * bytes_in_arena::<u8>(64)).unwrap();
        drop(arena.take::<u8>(64).unwrap());
        let before = arena.remaining();
        fail("aclrtFree#1=507899");
        let refused = arena.free(current).unwrap_err();
        nothing_fails();
        assert!(matches!(refused.error, Error::Vendor(_)), "{}", refused.error);
        let mut arena = refused.value;
        assert_eq!(arena.remaining(), before);
        let buffer = arena.take::<u8>(64).unwrap().write(current, &[5; 64]).unwrap();
        assert_eq!(buffer.to_vec(current).unwrap(), [5; 64]);
        let refused = arena.free(current).unwrap_err();
        assert!(matches!(refused.error, Error::StillShared), "{}", refused.error);
        buffer.free(current).unwrap();
        refused.value.free(current).unwrap();
        assert_lives!(device_blocks, 0);
    });
    alone.assert_nothing_lives();
}

struct Object;

// SAFETY: it stands for nothing in the library.
unsafe impl Attach for Object {
    const NAME: &'static str = "object";
    const ENDS_BEFORE: EndsBefore = EndsBefore::Memory;

    fn take_down(&self, _: &EndingContext<'_>) -> Result<(), Box<dyn AnyError + Send + Sync>> {
        Ok(())
    }
}

#[proves(MEM_02)]
#[test]
fn shared_memory_of_an_object_is_one_owners_again_when_it_was_refused_or_taken_down() {
    let alone = alone();
    let (own, other) = (open(), open());
    let shared = own.with(|current| current.upload(&[1.0_f32; 16]).unwrap().into_shared()).unwrap();
    let shared = other
        .with(|current| {
            let refused = current.attach(Object, (shared,)).map(drop).unwrap_err();
            assert!(matches!(refused.error, Error::WrongContext { .. }), "{}", refused.error);
            refused.value.1.0
        })
        .unwrap();
    own.with(|current| {
        let shared = shared.try_unshare(current).unwrap().into_shared();
        let attached = current.attach(Object, (shared,)).map_err(Error::from).unwrap();
        let again = attached.uses().0.clone();
        assert!(matches!(again.try_unshare(current).unwrap_err().error, Error::StillShared));
        let (shared,) = attached.take_down(current).map_err(Error::from).unwrap();
        shared.try_unshare(current).unwrap().free(current).unwrap();
    })
    .unwrap();
    own.close().unwrap();
    other.close().unwrap();
    alone.assert_nothing_lives();
}

#[proves(GRAPH_09)]
#[test]
fn a_stream_of_another_context_of_the_name_updates_no_graph() {
    let alone = alone();
    let (own, other) = (open(), open());
    let mut theirs = other.with(|current| current.stream().unwrap().without_allocator()).unwrap();
    own.with(|current| {
        let operator = |number: f32| {
            let (x, y) = (current.upload_tensor(&[2], &[number; 2]), current.upload_tensor(&[2], &[9.0_f32; 2]));
            Operator::new("Relu").bind(current, x.unwrap(), y.unwrap()).unwrap()
        };
        let operands = (operator(1.0), operator(2.0));
        let (mut stream, mut group) = (current.stream().unwrap().without_allocator(), None);
        let graph = stream.capture(current, CaptureMode::Relaxed, operands, |capture, (mut first, _)| {
            group = Some(capture.task_group(Tasks::new().launch(&mut first))?);
            Ok(())
        });
        let (graph, group) = (graph.unwrap(), group.unwrap());
        let refused = theirs.update(current, graph, &group, |tasks, (_, mut second)| tasks.launch(&mut second));
        let refused = refused.unwrap_err();
        assert!(matches!(refused.error, Error::WrongContext { .. }), "{}", refused.error);
        let mut graph = stream.replay(current, refused.value).unwrap().wait(current).unwrap();
        assert_eq!(graph.operands(current).unwrap().0.tensors().1.to_vec(current).unwrap(), [1.0; 2]);
    })
    .unwrap();
    other
        .with(|current| {
            let buffer = theirs.set_bytes(current, current.device_buffer::<u8>(4).unwrap(), 3).unwrap();
            assert_eq!(buffer.wait(current).unwrap().to_vec(current).unwrap(), [3; 4]);
        })
        .unwrap();
    own.close().unwrap();
    other.close().unwrap();
    alone.assert_nothing_lives();
}
