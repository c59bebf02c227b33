//! Programs with several devices, contexts, runtimes and threads, in which each call fails once.

use crate::common::{block_on, scratch};
use crate::harness::{self, Mode, Pairs, Program, Tally, at_each_pair, at_each_position};
use crate::lent;
use crate::models;
use crate::others::again;
use ascendcl::capture::CaptureMode;
use ascendcl::lane::{SharedWorkspace, WorkspaceLane};
use ascendcl::model::ModelSource;
use ascendcl::raw::{Attach, EndingContext, EndsBefore};
use ascendcl::runtime::{self, Actor, CloseError};
use ascendcl::stream::DefaultAllocator;
use ascendcl::{
    Acl, BoundModel, Current, Error, Event, Input, Library, Model, Runtime, ScopeError, Setup, Stream, Thread,
};
use std::mem;
use std::time::Duration;

ascendcl::names!(Seen, Heard, Digits);

const LONG: Duration = Duration::from_secs(10);

/// Programs in which two failed waits end the process, or that make it the caller's turn to give something back.
const ALONE: &[(&str, Program)] =
    &[("borrowed slices", lent::borrowed_slices), ("adopted objects", lent::adopted_objects)];

type Whole = fn(&Acl) -> Result<(), Error>;

const WHOLE: &[(&str, Whole)] = &[
    ("two devices", two_devices),
    ("two contexts", two_contexts),
    ("two views of a default context", two_views),
    ("a directory of operators", directory_of_operators),
    ("two runtimes", two_runtimes),
    ("an actor", actor),
];

fn inside<R>(scope: Result<Result<R, Error>, ScopeError<Result<R, Error>>>) -> Result<R, Error> {
    match scope {
        Ok(result) => result,
        Err(ScopeError::NotOpened(error)) => Err(error),
        Err(ScopeError::Teardown { mut errors, .. }) => Err(errors.remove(0)),
    }
}

fn two_devices(acl: &Acl) -> Result<(), Error> {
    let mut thread = Thread::new()?;
    acl.device_properties(acl.device_count()?.saturating_sub(1))?;
    let first = acl.device(&mut thread, 0)?;
    let second = match acl.device(&mut thread, 1) {
        Ok(second) => second,
        Err(error) => return first.reset(&mut thread).map_err(Error::from).and(Err(error)),
    };
    let seen = inside(first.named_context::<Seen, _, _>(&mut thread, |seen, thread| {
        inside(second.named_context::<Heard, _, _>(thread, |heard, thread| {
            let mut sound = heard.enter(thread, |current| current.upload(&[1_u8, 2, 3]))??;
            let back = seen.enter(thread, |current| {
                let stream = current.stream()?;
                current.with_peer(heard, |current, access| {
                    let room = current.device_buffer(3)?;
                    let copied = current
                        .copy_scope(|current, copies| copies.copy_from_peer(current, &stream, access, &sound, room));
                    let copied = copied??;
                    let doubled = current.upload(&[2_u8, 4, 6])?;
                    let sent = current.copy_scope(|current, copies| {
                        copies.copy_to_peer(current, &stream, access, doubled, &mut sound)
                    });
                    again(sent??, |sent| sent.wait(current))?;
                    again(copied, |copied| copied.wait(current))?.to_vec(current)
                })?
            })??;
            assert_eq!(heard.enter(thread, |current| sound.to_vec(current))??, [2, 4, 6]);
            Ok(back)
        }))
    }));
    let reset = first.reset(&mut thread).map_err(Error::from).and(second.reset(&mut thread).map_err(Error::from));
    assert!(seen.as_ref().map_or(true, |seen| seen == &[1, 2, 3]));
    seen.map(drop).and(reset)
}

fn two_contexts(acl: &Acl) -> Result<(), Error> {
    let mut thread = Thread::new()?;
    let device = acl.device(&mut thread, 0)?;
    let ended = inside(device.named_context::<Seen, _, _>(&mut thread, |seen, thread| {
        inside(device.named_context::<Heard, _, _>(thread, |heard, thread| {
            seen.enter(thread, |outer| {
                let (stream, event) = (outer.stream()?, outer.event()?);
                let work = stream.set_bytes(outer, outer.device_buffer::<u8>(64)?, 1)?;
                let event = stream.record(outer, event)?;
                heard.enter(outer, |inner| {
                    let own = inner.stream()?;
                    own.wait_across_contexts(inner, &event)?;
                    let set = own.set_bytes(inner, inner.device_buffer::<u8>(64)?, 2)?;
                    assert_eq!(again(set, |set| set.wait(inner))?.to_vec(inner)?, [2; 64]);
                    inner.synchronize_within(LONG)
                })??;
                let left = outer.foreign(|| ());
                left.refused.map_or(Ok(()), Err)?;
                assert_eq!(again(work, |work| work.wait(outer))?.to_vec(outer)?, [1; 64]);
                again(event, |event: Event<_, _>| event.destroy(outer))
            })?
        }))
    }));
    ended.and(device.reset(&mut thread).map_err(Error::from))
}

fn two_views(acl: &Acl) -> Result<(), Error> {
    let mut thread = Thread::new()?;
    let device = acl.device(&mut thread, 0)?;
    let ended = inside(device.named_default_context::<Seen, _, _>(&mut thread, |seen, thread| {
        inside(device.named_default_context::<Heard, _, _>(thread, |heard, thread| {
            seen.enter(thread, |outer| {
                let work = outer.default_stream().set_bytes(outer, outer.device_buffer::<u8>(64)?, 1)?;
                heard.enter(outer, |inner| {
                    let set = inner.default_stream().set_bytes(inner, inner.device_buffer::<u8>(64)?, 2)?;
                    inner.synchronize()?;
                    assert_eq!(again(set, |set| set.wait(inner))?.to_vec(inner)?, [2; 64]);
                    Ok::<_, Error>(())
                })??;
                assert_eq!(again(work, |work| work.wait(outer))?.to_vec(outer)?, [1; 64]);
                mem::forget(outer.default_stream().set_bytes(outer, outer.device_buffer::<u8>(64)?, 3)?);
                Ok(())
            })?
        }))
    }));
    ended.and(device.reset(&mut thread).map_err(Error::from))
}

fn directory_of_operators(acl: &Acl) -> Result<(), Error> {
    let mut thread = Thread::new()?;
    let device = acl.device(&mut thread, 0)?;
    let ended = inside(device.context(&mut thread, |context, thread| {
        context.enter(thread, |current| {
            let folder = scratch("every-call-fails-operators");
            current.load_operators(&folder).or_else(|_| current.load_operators(&folder))
        })?
    }));
    ended.and(device.reset(&mut thread).map_err(Error::from))
}

type Lane = WorkspaceLane<'static, Seen, DefaultAllocator, Digits>;
type LaneModel = Model<Seen, SharedWorkspace<'static, Digits>>;

/// What a service keeps beside its runtime.
struct Kept {
    lane: Lane,
    model: LaneModel,
    own: BoundModel<Seen>,
    stream: Stream<Seen, DefaultAllocator>,
}

/// An object of other code that has nothing to end.
struct Plain;

// SAFETY: there is nothing to end.
unsafe impl Attach for Plain {
    const NAME: &'static str = "nothing";
    const ENDS_BEFORE: EndsBefore = EndsBefore::Streams;

    fn take_down(&self, _: &EndingContext<'_>) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        Ok(())
    }
}

fn kept(current: &mut Current<Seen>) -> Result<Kept, Error> {
    let image = models::in_batches_of(Some(4));
    let source = ModelSource::memory(&image);
    let workspace = current.workspace(2 * current.model_size(source)?.workspace)?;
    let mut lane = current.stored_workspace_lane(current.stream()?.without_allocator(), workspace);
    let model = lane.load(current, source.into())?;
    let own = again(current.load(source.into())?, |model| model.bind(current, &[&[4, 64]], &[&[4, 10]]))?;
    Ok(Kept { lane, model, own, stream: current.stream()?.without_allocator() })
}

/// Uses all of what is kept, and leaves work behind.
#[allow(clippy::result_large_err, reason = "a graph comes back with its operands")]
fn serves(current: &mut Current<Seen>, mut kept: Kept) -> Result<(), Error> {
    let zeros = [0.0_f32; 256];
    let inputs = [Input::new(&[4, 64], &zeros)?];
    let outputs = kept
        .lane
        .run(current, &mut kept.model, &inputs)
        .or_else(|_| kept.lane.run(current, &mut kept.model, &inputs))?;
    assert_eq!(outputs.get(0)?.shape(), [4, 10]);
    kept.own.write(current, 0, &zeros)?;
    let graph =
        kept.stream.capture(current, CaptureMode::Relaxed, kept.own, |capture, mut own| capture.execute(&mut own));
    let replay = kept.stream.replay(current, graph?)?;
    let done = block_on(again(replay, |replay| replay.when_done(current, &kept.stream))?).0;
    let graph = again(done, |done| done.wait(current))?;
    mem::forget(current.attach(Plain, current.upload(&[1_u8])?)?);
    drop(kept.stream.replay(current, graph)?);
    mem::forget(kept.lane);
    Ok(())
}

fn setup() -> Setup {
    Setup::builder().library(Library::Simulator).device(1).build()
}

fn first(error: CloseError) -> Error {
    match error {
        CloseError::Refused(error) => error,
        CloseError::Teardown { mut errors } => errors.remove(0),
        other => panic!("{other}"),
    }
}

/// Whatever the first attempt leaves, the second releases.
fn closes(errors: Vec<Error>) -> Result<(), Error> {
    match runtime::sweep(Some(LONG)).into_iter().next() {
        Some(error) => Err(error),
        None => errors.into_iter().next().map_or(Ok(()), Err),
    }
}

fn two_runtimes(_: &Acl) -> Result<(), Error> {
    let ran = Runtime::<Seen>::open_with(setup(), kept).and_then(|(runtime, kept)| {
        let other = Runtime::<Heard>::open(setup())?;
        let worked = runtime.with(|current| {
            other.enter(current, |inner| {
                let set = inner.default_stream().set_bytes(inner, inner.device_buffer::<u8>(64)?, 2)?;
                again(set, |set| set.wait(inner)).map(drop)
            })??;
            serves(current, kept)
        });
        let closed = runtime.close().or_else(|_| runtime.close());
        drop(other);
        worked.and_then(|worked| worked).and(closed.map_err(first))
    });
    closes(ran.err().into_iter().collect())
}

fn actor(_: &Acl) -> Result<(), Error> {
    let ran = Actor::<Seen, _>::open(setup(), |current| kept(current).map(Some)).and_then(|actor| {
        let worked = actor.call(|current, state| state.take().map_or(Ok(()), |kept| serves(current, kept)));
        let closed = actor.close().map_err(first);
        worked.and_then(|worked| worked).and(closed)
    });
    closes(ran.err().into_iter().collect())
}

#[test]
fn each_call_fails_once_where_the_program_lends_memory_of_its_own() {
    let mut sum = Tally::default();
    for (name, program) in ALONE {
        for code in crate::CODES {
            sum += harness::everywhere(name, *program, &format!("{code}"), harness::How::Once);
        }
        sum += harness::everywhere_in(Mode::Device, name, *program, "507899");
    }
    assert!(sum.positions > 100, "{sum:?}");
}

#[test]
fn each_call_of_a_program_with_several_contexts_fails_once_and_nothing_is_left() {
    let mut sum = Tally::default();
    for (name, program) in WHOLE {
        for code in crate::CODES {
            sum += at_each_position("*", name, &format!("{code}"), |plan| {
                harness::run(Mode::Host, program, plan, harness::How::Once)
            });
        }
    }
    assert!(sum.positions > 400, "{sum:?}");
}

#[test]
fn two_calls_of_a_program_with_several_contexts_fail_and_nothing_is_left() {
    let mut sum = Tally::default();
    for (name, program) in WHOLE.iter().filter(|(name, _)| *name != "two devices") {
        sum += at_each_pair(Pairs { next: 4, one_of: 31 }, name, "507899", |plan| {
            harness::run(Mode::Host, program, plan, harness::How::Once)
        });
    }
    assert!(sum.positions > 400, "{sum:?}");
}
