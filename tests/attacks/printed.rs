//! `{:?}` into a writer of the program: code of the program, which may use what is being printed, or may wait.

use super::common::{acl, alone, data, library};
use super::{collect, finish, hold, in_context, inside, set, with_device};
use ascendcl::allocator::PoolAllocator;
use ascendcl::model::ModelSource;
use ascendcl::raw::{AllocatorSlot, LastUse, LibraryUser};
use ascendcl::runtime::Actor;
use ascendcl::{Brand, Current, DeviceBuffer, Input, Runtime, Thread};
use std::cell::{Cell, RefCell};
use std::fmt::{self, Debug, Write};
use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

ascendcl::names!(Worker, Digits);

static ANOTHER: LibraryUser = LibraryUser { why: "another library is in use: close it first", rules: &[] };

/// A writer that runs code for each piece of text.
struct Uses<F>(F);

impl<F: FnMut()> Write for Uses<F> {
    fn write_str(&mut self, _: &str) -> fmt::Result {
        (self.0)();
        Ok(())
    }
}

/// Prints the value into a writer that uses it, in both forms.
#[track_caller]
fn print(value: &dyn Debug, mut uses: impl FnMut()) {
    let times = Cell::new(0);
    let mut writer = Uses(|| {
        times.set(times.get() + 1);
        uses();
    });
    write!(writer, "{value:?} {value:#?}").unwrap();
    assert!(times.get() > 2, "the value has printed something");
}

/// Runs the program on a thread. Panics if it does not come back.
#[track_caller]
fn comes_back(program: impl FnOnce() + Send + 'static) {
    let (end, ended) = channel::<()>();
    let running = thread::spawn(move || {
        let _dropped_at_the_end = end;
        program();
    });
    match ended.recv_timeout(Duration::from_secs(30)) {
        Err(RecvTimeoutError::Disconnected) => running.join().unwrap(),
        _ => panic!("the program does not come back"),
    }
}

#[test]
fn a_library_that_is_printed_takes_a_device_and_is_held_meanwhile() {
    let alone = alone();
    comes_back(|| {
        let (acl, thread) = (acl(), RefCell::new(Thread::new().unwrap()));
        print(&acl, || {
            let thread = &mut *thread.borrow_mut();
            acl.device(thread, 0).unwrap().reset(thread).unwrap();
            drop(acl.hold(&ANOTHER).unwrap());
        });
        let held = acl.hold(&ANOTHER).unwrap();
        print(&held, || drop(acl.hold(&ANOTHER).unwrap()));
        drop(held);
        drop(thread);
        acl.close().unwrap();
    });
    alone.assert_nothing_lives();
}

#[test]
fn a_device_that_is_printed_opens_a_context_meanwhile() {
    let alone = alone();
    comes_back(|| {
        with_device(acl(), |device, thread| {
            let thread = RefCell::new(thread);
            print(device, || {
                let length = device
                    .with_current(&mut **thread.borrow_mut(), |current| current.upload(&[1_u8; 3]).unwrap().len());
                assert_eq!(length.unwrap(), 3);
            });
        });
    });
    alone.assert_nothing_lives();
}

#[test]
fn a_pool_that_is_printed_tells_its_statistics_meanwhile() {
    let alone = alone();
    comes_back(|| {
        inside(|current| {
            let pool = PoolAllocator::new(current, 1 << 16).unwrap();
            print(&pool, || assert!(pool.statistics().reserved_bytes >= 1 << 16));
            let stream = current.stream().unwrap().register(current, pool).unwrap();
            stream.with_allocator(|pool| print(pool, || stream.grow_pool(current, 512).unwrap())).unwrap();
            let (_stream, pool) = stream.unregister(current).unwrap();
            pool.release(current).unwrap();
        });
    });
    alone.assert_nothing_lives();
}

#[test]
fn a_workspace_of_threads_that_is_printed_gives_turns_meanwhile() {
    let alone = alone();
    comes_back(|| {
        let runtime = Runtime::<Worker>::open(library()).unwrap();
        runtime
            .with(|current| {
                let file = data("digits-8.onnx");
                let source = ModelSource::file(&file);
                let workspace = current.workspace(2 * current.model_size(source).unwrap().workspace).unwrap();
                let lane = current.stored_workspace_mutex::<Digits>(workspace);
                let mut model = lane.load(current, source.into()).unwrap();
                let pixels = [0.5_f32; 8 * 64];
                print(&lane, || {
                    let image = [Input::new(&[8, 64], &pixels).unwrap()];
                    let outputs = lane.run(current, &mut model, &image).unwrap();
                    assert_eq!(outputs.get(0).unwrap().to_vec::<f32>().unwrap().len(), 80);
                });
                model.unload(current).unwrap();
            })
            .unwrap();
        runtime.close().unwrap();
    });
    alone.assert_nothing_lives();
}

#[test]
fn a_scope_of_copies_that_is_printed_queues_a_copy_meanwhile() {
    let alone = alone();
    let numbers = [7_u8; 64];
    inside(|current| {
        let stream = current.stream().unwrap();
        let mut filled = Vec::new();
        current
            .copy_scope(|current, copies| {
                print(copies, || {
                    let room = current.device_buffer(64).unwrap();
                    filled.push(copies.copy_to_device(current, &stream, &numbers, room).unwrap());
                });
            })
            .unwrap();
        for copy in filled {
            assert_eq!(copy.wait(current).unwrap().to_vec(current).unwrap(), numbers);
        }
    });
    alone.assert_nothing_lives();
}

#[test]
fn a_last_use_that_is_printed_is_asked_meanwhile() {
    let alone = alone();
    comes_back(|| {
        inside(|current| {
            let last_use = LastUse::never(current);
            print(&last_use, || assert!(last_use.is_over(current)));
        });
    });
    alone.assert_nothing_lives();
}

/// A thread whose writer waits, for example for a pipe that is full, holds up no other thread.
#[test]
fn a_writer_that_waits_for_another_thread_comes_back() {
    let alone = alone();
    comes_back(|| {
        in_context(|context, thread| {
            let lane = context
                .enter(thread, |current| {
                    let workspace = current.workspace(1 << 20).unwrap();
                    let pool = PoolAllocator::new(current, 1 << 12).unwrap();
                    current.workspace_mutex(workspace, |_, lane| {
                        let others = || {
                            thread::scope(|scope| {
                                let shown = scope.spawn(|| (format!("{lane:?}"), pool.statistics().chunks));
                                assert_eq!(shown.join().unwrap().1, 1);
                            });
                        };
                        print(&lane, others);
                        print(&pool, others);
                    });
                    pool.release(current)
                })
                .unwrap();
            lane.unwrap();
        });
    });
    alone.assert_nothing_lives();
}

#[test]
fn a_runtime_that_is_printed_is_entered_and_closed_meanwhile() {
    let alone = alone();
    comes_back(|| {
        let runtime = Runtime::<Worker>::open(library()).unwrap();
        print(&runtime, || assert_eq!(runtime.with(|current| current.upload(&[1_u8; 3]).unwrap().len()).unwrap(), 3));
        print(&runtime, || runtime.close().unwrap());
    });
    alone.assert_nothing_lives();
}

#[test]
fn an_actor_and_an_answer_that_are_printed_go_on_meanwhile() {
    let alone = alone();
    comes_back(|| {
        let actor = Actor::<Worker, u32>::open(library(), |_| Ok(0)).unwrap();
        let count = || actor.call(|_, count| std::mem::replace(count, *count + 1)).unwrap();
        let answer = actor.start(|_, count| *count).unwrap();
        print(&actor, || assert!(count() < 1000));
        print(&answer, || assert!(count() > 0));
        print(&actor, || assert!(actor.close_by_force(Duration::from_secs(5)).unwrap().is_empty()));
        assert_eq!(finish(answer).unwrap(), 0);
    });
    alone.assert_nothing_lives();
}

#[test]
fn work_and_what_it_runs_on_that_are_printed_go_on_meanwhile() {
    let alone = alone();
    comes_back(|| {
        inside(|current| {
            let stream = current.stream().unwrap();
            let held = hold(current, &stream);
            let work = set(current, &stream, 3);
            let event = stream.record(current, current.event().unwrap()).unwrap();
            let done = set(current, &stream, 4).when_done(current, &stream).unwrap();
            let goes_on = || {
                drop(set(current, &stream, 5));
                assert!(!stream.is_complete(current).unwrap());
                collect(current);
            };
            for value in [&stream as &dyn Debug, &*stream, &work, &event, &done, &current.default_stream()] {
                print(value, goes_on);
            }
            held.send(()).unwrap();
            print(&stream, || stream.synchronize(current).unwrap());
            print(&event, || event.synchronize(current).unwrap());
            assert_eq!(work.wait(current).unwrap().to_vec(current).unwrap(), [3; 4]);
            assert_eq!(finish(done).wait(current).unwrap().to_vec(current).unwrap(), [4; 4]);
        });
    });
    alone.assert_nothing_lives();
}

#[test]
fn graphs_and_builds_that_are_printed_leave_others_to_be_replayed_and_destroyed() {
    let alone = alone();
    comes_back(|| {
        inside(|current| {
            let stream = current.stream().unwrap().without_allocator();
            let mut build = current.build_graph(current.upload(&[0_u8; 4]).unwrap()).unwrap();
            let sets = || {
                let mut build = current.build_graph(current.upload(&[0_u8; 4]).unwrap()).unwrap();
                build.add(current, |tasks, mut bytes| tasks.set_bytes(&mut bytes, 9)).unwrap();
                let graph = stream.replay(current, build.end(current).unwrap()).unwrap().wait(current).unwrap();
                assert_eq!(graph.into_operands(current).unwrap().to_vec(current).unwrap(), [9; 4]);
            };
            print(&build, sets);
            build.add(current, |tasks, mut bytes| tasks.set_bytes(&mut bytes, 1)).unwrap();
            let graph = build.end(current).unwrap();
            print(&graph, sets);
            let replay = stream.replay(current, graph).unwrap();
            print(&replay, sets);
            let graph = replay.wait(current).unwrap();
            assert_eq!(graph.into_operands(current).unwrap().to_vec(current).unwrap(), [1; 4]);
        });
    });
    alone.assert_nothing_lives();
}

#[test]
fn slots_and_what_is_kept_for_other_crates_are_used_while_they_are_printed() {
    let alone = alone();
    comes_back(|| {
        inside(|current| {
            let (slot, keeper) = AllocatorSlot::new();
            slot.put(PoolAllocator::new(current, 1 << 12).unwrap()).unwrap();
            let taken = Cell::new(0);
            let takes = || {
                let pool = slot.take().unwrap();
                taken.set(taken.get() + 1);
                slot.put(pool).unwrap();
            };
            print(&slot, takes);
            print(&keeper, takes);
            slot.with_allocator(|pool| print(pool, || assert!(slot.take().is_err(), "it is looked at"))).unwrap();
            assert!(taken.get() > 4);
            slot.take().unwrap().release(current).unwrap();
            let kept = current.stream().unwrap().keep();
            let lends = || drop(kept.lend(current).unwrap().set_bytes(current, room(current), 2).unwrap());
            print(&kept, lends);
            print(&kept.lend(current).unwrap(), lends);
            kept.into_stream(current).unwrap().destroy(current).unwrap();
            let memory = current.upload(&[1_u8; 4]).unwrap().keep();
            print(&memory, || assert!(memory.clone().into_buffer::<u8, _>(current).is_err(), "there are two handles"));
            assert_eq!(memory.into_buffer::<u8, _>(current).unwrap().to_vec(current).unwrap(), [1; 4]);
        });
    });
    alone.assert_nothing_lives();
}

fn room<C: Brand>(current: &Current<C>) -> DeviceBuffer<C, MaybeUninit<u8>> {
    current.device_buffer(4).unwrap()
}

#[test]
fn a_writer_that_panics_or_fails_leaves_what_it_printed_usable() {
    let alone = alone();
    inside(|current| {
        let pool = PoolAllocator::new(current, 1 << 12).unwrap();
        let lane = current.stored_workspace_mutex::<Digits>(current.workspace(1 << 12).unwrap());
        let stream = current.stream().unwrap();
        let numbers = [3_u8; 4];
        let copied = current.copy_scope(|current, copies| {
            for value in [&pool as &dyn Debug, &lane, &stream, copies, current] {
                let panics = || print(value, || std::panic::panic_any("the writer"));
                assert!(catch_unwind(AssertUnwindSafe(panics)).is_err());
                struct Fails;
                impl Write for Fails {
                    fn write_str(&mut self, _: &str) -> fmt::Result {
                        Err(fmt::Error)
                    }
                }
                assert!(write!(Fails, "{value:?}").is_err());
                assert!(!format!("{value:?}").is_empty());
            }
            copies.copy_to_device(current, &stream, &numbers, room(current)).unwrap()
        });
        assert_eq!(copied.unwrap().wait(current).unwrap().to_vec(current).unwrap(), numbers);
        assert_eq!(pool.statistics().chunks, 1);
        pool.release(current).unwrap();
    });
    alone.assert_nothing_lives();
}
