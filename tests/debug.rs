//! What `{:?}` prints of values that stand for objects: their type, what they are about, and no address. So logs can be
//! compared.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use ascendcl::allocator::PoolAllocator;
use ascendcl::allocator::descriptor::Descriptor;
use ascendcl::capture::{CaptureMode, Tasks};
use ascendcl::memory::{Pages, bytes_in_arena};
use ascendcl::model::{Load, ModelSource};
use ascendcl::operator::AnyInput;
use ascendcl::raw::{KeptMemory, LastUse, LibraryUser};
use ascendcl::runtime::Actor;
use ascendcl::stream::AllocatorGroup;
use ascendcl::{Acl, Brand, Current, Error, Input, Library, Runtime, Scoped, Thread, operator};
use common::scopes::inside;
use common::{alone, difference};
use std::fmt::Debug;

ascendcl::names!(Vision, Digits);

static ANOTHER: LibraryUser = LibraryUser { why: "another library is in use: close it first", rules: &[] };

/// It begins with the type's name, and has no address in it.
#[track_caller]
fn names(value: &impl Debug, name: &str) {
    let text = format!("{value:?}");
    let rest = text.strip_prefix(name).unwrap_or_else(|| panic!("{name}: {text}"));
    assert!(!rest.starts_with(char::is_alphanumeric), "{name}: {text}");
    assert!(!text.contains("0x"), "an address: {text}");
    assert!(text.len() < 400, "a line of a log: {text}");
}

#[test]
fn values_of_the_library_and_its_contexts() {
    let alone = alone();
    let acl = Acl::init(Library::Simulator).unwrap();
    names(&acl, "Acl");
    names(&acl.hold(&ANOTHER).unwrap(), "LibraryHold");
    names(&acl.library(), "Loaded");
    let mut thread = Thread::new().unwrap();
    let device = acl.device(&mut thread, 0).unwrap();
    names(&device, "Device");
    device
        .context(&mut thread, |context, thread| {
            names(context, "Context");
            context.enter(thread, |current| names(current, "Current")).unwrap();
        })
        .unwrap();
    device.reset(&mut thread).unwrap();
    drop(thread);
    acl.close().unwrap();
    let runtime = Runtime::<Vision>::open(Library::Simulator).unwrap();
    names(&runtime, "Runtime");
    assert!(format!("{runtime:?}").contains("closed: false"), "{runtime:?}");
    runtime.close().unwrap();
    let actor = Actor::<Vision, ()>::open(Library::Simulator, |_| Ok(())).unwrap();
    names(&actor, "Actor");
    names(&actor.start(|_, ()| ()).unwrap(), "Answer");
    actor.close().unwrap();
    alone.assert_nothing_lives();
}

#[test]
fn values_of_memory() {
    let alone = alone();
    inside(|current| {
        let buffer = current.upload(&[1.0_f32; 4]).unwrap();
        names(&buffer, "DeviceBuffer");
        assert!(format!("{buffer:?}").contains("length: 4"), "{buffer:?}");
        names(&buffer.into_shared(), "SharedBuffer");
        names(&current.host_buffer::<f32>(4).unwrap(), "HostBuffer");
        names(&Pages::<f32>::zeroed(4).unwrap(), "Pages");
        let mut arena = current.device_arena(2 * bytes_in_arena::<f32>(4)).unwrap();
        names(&arena.take::<f32>(4).unwrap(), "DeviceBuffer");
        assert!(format!("{arena:?}").contains("capacity: 128, remaining: 64"), "{arena:?}");
        names(&current.upload_tensor(&[2, 2], &[1.0_f32; 4]).unwrap().into_shared(), "SharedTensor");
        names(&current.upload_tensor(&[2, 2], &[1.0_f32; 4]).unwrap(), "DeviceTensor");
        let any = current.upload_tensor(&[2, 2], &[1.0_f32; 4]).unwrap().into_any();
        names(&any, "AnyTensor");
        assert!(format!("{any:?}").contains("element: F32, shape: [2, 2]"), "{any:?}");
        let any = any.into_shared();
        names(&AnyInput::from(any.clone()), "Shared");
        names(&AnyInput::<Scoped<'_>>::Absent, "Absent");
        names(&any, "SharedAnyTensor");
        current.copy_scope(|_, copies| names(copies, "CopyScope")).unwrap();
        let kept: KeptMemory = current.upload(&[1.0_f32; 4]).unwrap().keep();
        names(&kept, "KeptMemory");
        names(&LastUse::never(current), "LastUse");
    });
    alone.assert_nothing_lives();
}

#[test]
fn values_of_streams_and_their_work() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap();
        names(&stream, "Stream");
        names(&current.default_stream(), "DefaultStream");
        let kept = current.stream().unwrap().keep();
        names(&kept, "KeptStream");
        names(&kept.lend(current).unwrap(), "LentStream");
        let event = current.event().unwrap();
        names(&event, "Event");
        names(&stream.record(current, event).unwrap(), "Event");
        let pending = stream.set_bytes(current, current.device_buffer::<u8>(4).unwrap(), 1).unwrap();
        names(&pending, "Pending");
        let pending = pending.map(|buffer| buffer);
        names(&pending, "Mapped");
        drop(pending);
        let reply = stream.launch_host_fn(current, || 1).unwrap().wait(current).unwrap();
        names(&reply, "HostFnResult");
        let refused = stream.copy_to_host(current, buffer(current, 4), current.host_buffer(5).unwrap()).unwrap_err();
        names(&refused, "LengthMismatch");
        assert!(format!("{refused:?}").contains("LengthMismatch"), "{refused:?}");
    });
    alone.assert_nothing_lives();
}

fn buffer<C: Brand>(current: &Current<C>, length: usize) -> ascendcl::DeviceBuffer<C, f32> {
    current.upload(&vec![1.0; length]).unwrap()
}

#[test]
fn values_of_allocators() {
    let alone = alone();
    inside(|current| {
        let pool = || PoolAllocator::new(current, 64 << 10).unwrap();
        names(&pool(), "PoolAllocator");
        let stream = current.stream().unwrap().register(current, pool()).unwrap();
        names(&stream, "Stream");
        drop(stream.unregister(current).unwrap());
        let group = AllocatorGroup::new(current, pool()).unwrap();
        names(&group, "AllocatorGroup");
        let stream = group.attach(current, current.stream().unwrap()).unwrap();
        names(&stream, "GroupStream");
        let turn = group.begin(&stream).unwrap();
        names(&turn, "GroupTurn");
        drop(turn.finish(current).unwrap());
        names(&Descriptor::new(), "Descriptor");
    });
    alone.assert_nothing_lives();
}

#[test]
fn values_of_models_and_operators() {
    let alone = alone();
    inside(|current| {
        let file = difference();
        let source: Load<'_, Scoped<'_>> = ModelSource::memory(&file).into();
        names(&source, "Load");
        let model = current.load(source).unwrap();
        names(&model, "Model");
        let input = [1.0_f32; 1000];
        names(&Input::new(&[1000], &input).unwrap(), "Input");
        let bound = model.bind(current, &[&[4], &[4]], &[&[4]]).unwrap();
        names(&bound, "BoundModel");
        assert!(format!("{bound:?}").contains("subtrahend"), "{bound:?}");
        let tensor = || current.upload_tensor(&[4], &[1.0_f32; 4]).unwrap();
        names(&operator::add(current, tensor(), tensor()).unwrap(), "BoundOperator");
        let workspace = current.workspace(1 << 20).unwrap();
        names(&workspace, "Workspace");
        let stream = current.stream().unwrap().without_allocator();
        let lane = current.stored_workspace_lane::<Digits, _>(stream, workspace);
        names(&lane, "WorkspaceLane");
        let mutex = current.stored_workspace_mutex::<Digits>(current.workspace(1 << 20).unwrap());
        names(&mutex, "WorkspaceMutex");
    });
    alone.assert_nothing_lives();
}

#[test]
fn values_of_graphs() {
    let alone = alone();
    inside(|current| {
        let mut stream = current.stream().unwrap().without_allocator();
        let operands = (current.host_buffer::<f32>(4).unwrap(), buffer(current, 4));
        let graph = stream.capture(current, CaptureMode::Relaxed, operands, |capture, (host, mut device)| {
            names(capture, "Capture");
            names(&host, "Captured");
            capture.copy_to_device(&host, &mut device)?;
            names(&capture.task_group(Tasks::new())?, "TaskGroup");
            Ok::<_, Error>(())
        });
        names(&graph.unwrap(), "CapturedGraph");
        names(&current.build_graph(buffer(current, 4)).unwrap(), "GraphBuild");
    });
    alone.assert_nothing_lives();
}
