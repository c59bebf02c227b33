//! The vendor's own C functions instead of the shim: the functions that exist work, and errors name the missing ones.

use crate::common;
use crate::support::{Seen, World, at, images, watched, world};
use ascendcl::{Brand, Current, Error, Scoped, allocator::PoolAllocator};
use ascendcl_ge::kinds::GRAPH;
use ascendcl_ge::{
    Added, Engine, EngineError, Graph, GraphSource, LoadError, Options, Place, Provider, RawInputs, RawOutputTensors,
    Session,
};
use ascendcl_ge_double::{Double, GraphObject, TensorObject, Upset, free_tensors, tensor_memory};
use ascendcl_sim::exports::{copy, memory};
use ascendcl_sys::types::{aclrtMemMallocPolicy, aclrtMemcpyKind};
use core::ffi::c_void;
use core::ptr::null_mut;
use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;

/// Runs a program in a session through this library; nothing is left afterwards.
#[track_caller]
fn session_through<R>(
    world: &World,
    place: &Place,
    options: &Options,
    program: impl for<'c> FnOnce(&mut Session<Scoped<'c>>, &mut Current<Scoped<'c>>) -> R,
) -> R {
    let result = world.with_engine(place, options, |engine, device, thread| {
        engine.session(thread, device, &Options::new(), program).unwrap()
    });
    world.assert_nothing_lives();
    result
}

#[track_caller]
fn session<R>(
    world: &World,
    program: impl for<'c> FnOnce(&mut Session<Scoped<'c>>, &mut Current<Scoped<'c>>) -> R,
) -> R {
    session_through(world, &at(world.double.wrapper()), &Options::new(), program)
}

#[track_caller]
fn engine_error(error: Error) -> &'static EngineError {
    let error: &Error = Box::leak(Box::new(error));
    error.extension().unwrap_or_else(|| panic!("{error}"))
}

#[track_caller]
fn lacks(error: Error, function: &str) {
    let said = error.to_string();
    let error = engine_error(error);
    assert!(matches!(error, EngineError::OnlyWrapper { call, .. } if *call == function), "{said}");
    for part in [function, "libge_runtime_wrapper.so", "install the CANN toolkit", "ASCEND_HOME_PATH"] {
        assert!(said.contains(part), "{said}");
    }
}

/// A graph that other code has made, added.
fn digits_of_others<C: Brand>(double: Double, session: &mut Session<C>, current: &Current<C>) -> Graph<C, Added> {
    let object = GraphObject::new(double, &common::digits_in_batches_of(2));
    // SAFETY: a graph of the double, there until the call has returned, and added once.
    let source = unsafe { GraphSource::graph(object.as_ptr()) };
    session.add(current, source, &Options::new()).unwrap()
}

/// Two images on the device, as a tensor that other code has made.
struct Images(*mut c_void, TensorObject);

impl Images {
    fn new(double: Double) -> Self {
        let (_, pixels) = common::digits();
        let (mut address, bytes) = (null_mut(), 2 * 64 * 4);
        // SAFETY: a place for the address, and memory of the stated size on both sides.
        unsafe {
            assert_eq!(memory::aclrtMalloc(&raw mut address, bytes, aclrtMemMallocPolicy(0)), 0);
            let kind = aclrtMemcpyKind::ACL_MEMCPY_HOST_TO_DEVICE;
            assert_eq!(copy::aclrtMemcpy(address, bytes, pixels.as_ptr().cast(), bytes, kind), 0);
        }
        Self(address, TensorObject::new(double, 0, &[2, 64], address.expose_provenance(), bytes))
    }

    fn inputs(&self) -> RawInputs {
        // SAFETY: a tensor of the double over device memory, which is freed when the stream was synchronised.
        unsafe { RawInputs::new([self.1.as_ptr()]) }
    }

    fn free(self) {
        // SAFETY: freed once.
        assert_eq!(unsafe { memory::aclrtFree(self.0) }, 0);
    }
}

/// The digits in the one output, which is released.
fn digits_in(double: Double, outputs: RawOutputTensors) -> Vec<usize> {
    assert_eq!(outputs.len(), 1);
    let mut probabilities = vec![0.0_f32; 20];
    let tensors = outputs.into_raw();
    // SAFETY: the stream was synchronised; the array has one tensor, and is released once.
    unsafe {
        let (address, bytes) = tensor_memory(double, tensors, 0);
        assert_eq!(bytes, 20 * 4);
        let kind = aclrtMemcpyKind::ACL_MEMCPY_DEVICE_TO_HOST;
        assert_eq!(copy::aclrtMemcpy(probabilities.as_mut_ptr().cast(), bytes, address, bytes, kind), 0);
        free_tensors(double, tensors, 1);
    }
    common::predictions(&probabilities)
}

fn counts(seen: &Arc<Seen>) -> (usize, usize) {
    (seen.allocated.load(SeqCst), seen.freed.load(SeqCst))
}

#[test]
fn engine_and_sessions_live_and_end_through_the_wrapper() {
    let world = world();
    let acl = common::acl();
    let place = at(world.double.wrapper());
    let engine = Engine::init(&acl, &place, &Options::new().with("ge.exec.precision_mode", "x")).unwrap();
    assert_eq!(engine.provider(), Provider::Wrapper);
    assert_eq!(engine.library(), world.double.wrapper());
    engine.close().unwrap();
    acl.close().unwrap();
    session(&world, |_, _| assert_eq!(world.double.count("sessions"), 1));
    // The first session is nobody's: its id is that of a session that could not be made.
    let session = ["Session", "~Session", "Session", "~Session"];
    let twice = [&["GEInitialize", "GEFinalize", "GEInitialize"], &session[..], &["GEFinalize"]].concat();
    assert_eq!(world.calls(), twice);
}

#[test]
fn what_the_wrapper_lacks_is_named_with_what_to_install() {
    let world = world();
    session(&world, |session, current| {
        let none = Options::new();
        let model = common::digits_in_batches_of(2);
        lacks(session.add(current, GraphSource::onnx(&model), &none).unwrap_err(), "aclgrphParseONNXFromMem");
        lacks(session.add(current, GraphSource::onnx_file("a.onnx"), &none).unwrap_err(), "aclgrphParseONNX");
        lacks(session.add(current, GraphSource::air_file("a.air"), &none).unwrap_err(), "Graph::LoadFromFile");
        let refused = digits_of_others(world.double, session, current).compile(session, current).unwrap_err();
        lacks(refused.error, "CompileGraph");
        refused.value.remove(session, current).unwrap();
    });
    assert!(!world.calls().contains(&"CompileGraph".to_owned()), "the engine was not called");
}

#[test]
fn a_graph_that_other_code_has_made_runs_in_memory_of_the_callers_allocator() {
    let world = world();
    let double = world.double;
    let (labels, _) = common::digits();
    session(&world, |session, current| {
        let (allocator, seen) = watched(current);
        let mut registered = session.register(current, current.stream().unwrap(), allocator).unwrap();
        assert_eq!(double.count("allocators"), 1);
        let mut graph = digits_of_others(double, session, current);
        let images = Images::new(double);
        let outputs = registered.run(session, current, &mut graph, &images.inputs()).unwrap();
        assert_eq!(counts(&seen), (2, 1), "the output, and a piece that is freed at once");
        drop(registered.idle(session, current).unwrap());

        let refused = registered.unregister(session, current).unwrap_err();
        assert!(matches!(refused.error, Error::BlocksInUse { count: 1 }), "{}", refused.error);
        assert_eq!(digits_in(double, outputs), labels[..2]);
        graph.remove(session, current).unwrap();
        let (_stream, allocator) = refused.value.unregister(session, current).unwrap();
        assert_eq!((counts(&seen), double.count("allocators")), ((2, 2), 0));
        assert!(seen.dropped.lock().unwrap().is_empty(), "the allocator came back");
        drop(allocator);
        images.free();
    });
}

#[test]
fn graph_options_go_through() {
    let world = world();
    session(&world, |session, current| {
        let object = GraphObject::new(world.double, &common::digits_in_batches_of(2));
        // SAFETY: a graph of the double, there until the call has returned, and added once.
        let source = unsafe { GraphSource::graph(object.as_ptr()) };
        let _left = session.add(current, source, &Options::new().with("double.key", "value")).unwrap();
        assert_eq!(world.double.count("graphs"), 1);
    });
}

#[test]
fn the_last_registration_serves_and_the_replaced_allocator_comes_back() {
    let world = world();
    let double = world.double;
    session(&world, |session, current| {
        let ((first, seen_first), (second, seen_second)) = (watched(current), watched(current));
        let registered = session.register(current, current.stream().unwrap(), first).unwrap();
        let (mut registered, first) = registered.replace(session, current, second).unwrap();
        drop(first);
        assert_eq!(*seen_first.dropped.lock().unwrap(), [0]);
        assert_eq!(double.count("allocators"), 1);
        let mut graph = digits_of_others(double, session, current);
        let images = Images::new(double);
        let outputs = registered.run(session, current, &mut graph, &images.inputs()).unwrap();
        drop(registered.idle(session, current).unwrap());
        digits_in(double, outputs);
        assert_eq!((counts(&seen_first), counts(&seen_second)), ((0, 0), (2, 2)));
        images.free();
    });
}

#[test]
fn a_graph_that_may_run_is_neither_run_compiled_nor_removed() {
    let world = world();
    let double = world.double;
    session(&world, |session, current| {
        let (allocator, _seen) = watched(current);
        let mut registered = session.register(current, current.stream().unwrap(), allocator).unwrap();
        let mut graph = digits_of_others(double, session, current);
        let images = Images::new(double);
        double.hold(true);
        let outputs = registered.run(session, current, &mut graph, &images.inputs()).unwrap();
        let refused = registered.run(session, current, &mut graph, &images.inputs()).unwrap_err();
        assert!(matches!(refused, Error::StillRunning { what } if what == GRAPH), "{refused}");
        let refused = graph.compile(session, current).unwrap_err();
        assert!(matches!(refused.error, Error::StillRunning { what } if what == GRAPH), "{}", refused.error);
        let refused = refused.value.remove(session, current).unwrap_err();
        assert!(matches!(refused.error, Error::StillRunning { what } if what == GRAPH), "{}", refused.error);
        double.hold(false);
        drop(registered.idle(session, current).unwrap());
        digits_in(double, outputs);
        refused.value.remove(session, current).unwrap();
        images.free();
    });
}

#[test]
fn a_panic_of_the_allocator_is_a_run_that_fails_and_the_next_one_works() {
    let world = world();
    let double = world.double;
    session(&world, |session, current| {
        let (allocator, seen) = watched(current);
        let mut registered = session.register(current, current.stream().unwrap(), allocator).unwrap();
        let mut graph = digits_of_others(double, session, current);
        let images = Images::new(double);
        seen.panics_at.store(2, SeqCst);
        let refused = registered.run(session, current, &mut graph, &images.inputs()).unwrap_err();
        let said = refused.to_string();
        assert!(said.contains("RunGraphWithStreamAsync") && said.ends_with("the allocator has no memory"), "{said}");
        assert!(registered.allocator_misbehaved());
        assert_eq!(counts(&seen), (1, 1), "what it had given came back");
        let outputs = registered.run(session, current, &mut graph, &images.inputs()).unwrap();
        drop(registered.idle(session, current).unwrap());
        digits_in(double, outputs);
        images.free();
    });
}

#[test]
fn what_is_dropped_in_a_session_is_taken_down_with_it() {
    let world = world();
    let double = world.double;
    let (seen, outputs) = session(&world, |session, current| {
        let (allocator, seen) = watched(current);
        let mut registered = session.register(current, current.stream().unwrap(), allocator).unwrap();
        let mut graph = digits_of_others(double, session, current);
        let images = Images::new(double);
        let outputs = registered.run(session, current, &mut graph, &images.inputs()).unwrap();
        drop(registered.idle(session, current).unwrap());
        images.free();
        (seen, outputs.into_raw().expose_provenance())
    });
    let calls = world.calls();
    let last: Vec<_> = calls.iter().rev().take(4).rev().collect();
    assert_eq!(last, ["RemoveGraph", "UnregisterExternalAllocator", "~Session", "GEFinalize"]);
    assert_eq!(*seen.dropped.lock().unwrap(), [], "the engine has a block of the allocator, which is there");
    // SAFETY: the array has one tensor, and is released once.
    unsafe { free_tensors(double, core::ptr::with_exposed_provenance_mut(outputs), 1) };
    assert_eq!(*seen.dropped.lock().unwrap(), [0]);
}

#[test]
fn a_registration_that_fails_gives_everything_back_and_uses_nothing_up() {
    let world = world();
    session(&world, |session, current| {
        let (mut stream, (mut allocator, seen)) = (current.stream().unwrap(), watched(current));
        for _ in 0..2 * ascendcl_ge_sys::ALLOCATORS {
            world.fails("RegisterExternalAllocator");
            let refused = session.register(current, stream, allocator).unwrap_err();
            let said = "could not register an allocator: RegisterExternalAllocator answered 0xFFFFFFFF (failed); the \
                        engine says: the double was told to fail in RegisterExternalAllocator";
            assert_eq!(refused.to_string(), said);
            (stream, allocator) = refused.value;
        }
        let registered = session.register(current, stream, allocator).unwrap();
        assert!(seen.dropped.lock().unwrap().is_empty());
        let _left = registered.unregister(session, current).unwrap();
    });
}

#[test]
fn registrations_are_told_apart_up_to_a_number_and_each_that_ends_makes_room() {
    let world = world();
    session(&world, |session, current| {
        let pool = || PoolAllocator::new(current, 4096).unwrap();
        let mut all: Vec<_> = (0..ascendcl_ge_sys::ALLOCATORS)
            .map(|_| session.register(current, current.stream().unwrap(), pool()).unwrap())
            .collect();
        let refused = session.register(current, current.stream().unwrap(), pool()).unwrap_err();
        let (stream, allocator) = refused.value;
        let error = engine_error(refused.error);
        assert!(matches!(error, EngineError::TooManyAllocators), "{error}");
        assert!(error.to_string().contains("64 allocators"), "{error}");
        let _left = all.pop().unwrap().unregister(session, current).unwrap();
        let _left = session.register(current, stream, allocator).unwrap().unregister(session, current).unwrap();
    });
}

#[test]
fn the_shim_takes_a_graph_of_others_and_executes_it_and_says_so() {
    let world = world();
    let double = world.double;
    let (labels, _) = common::digits();
    session_through(&world, &world.place(), &Options::new(), |session, current| {
        let (allocator, _seen) = watched(current);
        let mut registered = session.register(current, current.stream().unwrap(), allocator).unwrap();
        let mut graph = digits_of_others(double, session, current);
        let tensor = Images::new(double);
        let refused = engine_error(registered.run(session, current, &mut graph, &tensor.inputs()).unwrap_err());
        assert!(matches!(refused, EngineError::OnlyWithWrapper { .. }), "{refused}");
        assert!(refused.to_string().contains("graph.compile(session, current)"), "{refused}");
        let _left = registered.unregister(session, current).unwrap();
        let graph = graph.compile(session, current).unwrap();
        let graph = graph.load_on(session, current, current.stream().unwrap()).unwrap();
        let done = graph.execute(session, current, images(current, 2)).unwrap().wait(current).unwrap();
        assert_eq!(common::predictions(&done.outputs.to_vec::<f32>(current, 0).unwrap()), labels[..2]);
        tensor.free();
    });
}

#[test]
fn a_wrapper_of_an_earlier_release_is_refused_by_what_it_lacks() {
    let world = world();
    let acl = common::acl();
    let place = at(world.double.old_wrapper());
    let error = engine_error(Engine::init(&acl, &place, &Options::new()).unwrap_err());
    assert!(matches!(&error, EngineError::Load(LoadError::OldWrapper { .. })), "{error}");
    assert!(error.to_string().contains("it has no `GeApiWrapper_GEGetErrorMsg`"), "{error}");
    acl.close().unwrap();
}

#[test]
fn one_wrapper_serves_a_process_by_whatever_name() {
    let world = world();
    session(&world, |_, _| ());
    let folder = common::scratch("wrappers");
    let (link, copy) = (folder.join("link.so"), folder.join("copy.so"));
    let _ = std::fs::remove_file(&link);
    std::os::unix::fs::symlink(world.double.wrapper(), &link).unwrap();
    session_through(&world, &at(link), &Options::new(), |_, _| ());

    std::fs::copy(world.double.wrapper(), &copy).unwrap();
    let acl = common::acl();
    let error = engine_error(Engine::init(&acl, &at(copy.clone()), &Options::new()).unwrap_err());
    assert!(matches!(&error, EngineError::Load(LoadError::SecondWrapper { path }) if *path == copy), "{error}");
    acl.close().unwrap();
}

/// In a process of its own: the wrapper lets exceptions through, and nothing on this side can go on after one.
#[test]
fn an_exception_of_the_wrapper_ends_the_process_and_nothing_runs_on() {
    const CHILD: &str = "GE_WRAPPER_CHILD";
    if std::env::var_os(CHILD).is_some() {
        let world = world();
        world.double.upset("Session", Upset::ThrowException);
        session(&world, |_, _| ());
        return;
    }
    let name = "wrapper::an_exception_of_the_wrapper_ends_the_process_and_nothing_runs_on";
    let mut child = std::process::Command::new(std::env::current_exe().unwrap());
    let ended = child.args(["--exact", name, "--nocapture"]).env(CHILD, "1").output().unwrap();
    let said = String::from_utf8_lossy(&ended.stderr);
    use std::os::unix::process::ExitStatusExt;
    assert_eq!(ended.status.signal(), Some(libc::SIGABRT), "{said}");
}
