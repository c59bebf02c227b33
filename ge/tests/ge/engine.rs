//! The life of the engine in a process.

use crate::common;
use crate::common::under_watch;
use crate::support::{at, images, loaded_with, two_digits, world};
use ascendcl::{Error, Thread, allocator::PoolAllocator};
use ascendcl_ge::{Engine, EngineError, LoadError, Options};
use ascendcl_macros::proves;
use ascendcl_sim::{Config, control};

#[track_caller]
fn engine_error(error: Error) -> &'static EngineError {
    let error: &Error = Box::leak(Box::new(error));
    error.extension().unwrap_or_else(|| panic!("{error}"))
}

#[test]
#[proves(GE_07)]
fn products_that_the_vendor_lists_take_an_allocator_in_the_engine() {
    let world = world();
    for product in ["Simulator910B3", "Simulator910_9391", "Simulator310P3", "Simulator910A", "Simulator950PR"] {
        control::reset();
        control::configure(under_watch(Config::new().soc(product))).unwrap();
        world.session(|session, current| {
            let pool = PoolAllocator::new(current, 1 << 20).unwrap();
            let graph = loaded_with(session, current, pool);
            let done = graph.execute(session, current, images(current, 2)).unwrap().wait(current).unwrap();
            done.outputs.release(session, current).unwrap();
            let (_stream, pool) = done.graph.remove(session, current).unwrap();
            assert!(pool.statistics().misses > 0, "{product}");
        });
    }
}

#[test]
#[proves(GE_07)]
fn a_product_without_allocators_in_the_engine_runs_graphs_without_one() {
    let world = world();
    control::reset();
    control::configure(under_watch(Config::new().soc("Simulator310B4"))).unwrap();
    world.session(|session, current| {
        let graph = two_digits(session, current).compile(session, current).unwrap();
        let pool = PoolAllocator::new(current, 1 << 20).unwrap();
        let refused = graph.register(session, current, current.stream().unwrap(), pool).unwrap_err();
        let (graph, stream, pool) = refused.value;
        let error = engine_error(refused.error);
        assert_eq!(
            error.to_string(),
            "the graph engine does not support external allocators on Simulator310B4, an Atlas 200I/500 A2 inference \
             product; load the graph without one, with `load_on` [GE-07]"
        );
        let refused = session.register(current, stream, pool).unwrap_err();
        let (stream, _pool) = refused.value;
        assert!(matches!(engine_error(refused.error), EngineError::Product { .. }));
        assert!(!world.calls().contains(&"RegisterExternalAllocator".to_owned()), "before the engine is asked");
        let graph = graph.load_on(session, current, stream).unwrap();
        let done = graph.execute(session, current, images(current, 2)).unwrap().wait(current).unwrap();
        assert_eq!(done.outputs.to_vec::<f32>(current, 0).unwrap().len(), 20);
    });
}

#[test]
#[proves(GE_10)]
fn there_is_one_engine_and_one_that_was_dropped_is_finalised_before_the_next() {
    let world = world();
    let acl = common::acl();
    let engine = Engine::init(&acl, &world.place(), &Options::new()).unwrap();
    let second = engine_error(Engine::init(&acl, &world.place(), &Options::new()).unwrap_err());
    assert!(matches!(second, EngineError::Taken), "{second}");
    assert!(second.to_string().ends_with("[GE-10]"), "{second}");
    assert_eq!(world.calls(), ["GEInitialize"]);
    drop(engine);
    assert_eq!(world.double.count("initialised"), 1, "dropping calls nothing");
    Engine::init(&acl, &world.place(), &Options::new()).unwrap().close().unwrap();
    assert_eq!(world.calls(), ["GEInitialize", "GEFinalize", "GEInitialize", "GEFinalize"]);
    acl.close().unwrap();
    world.assert_nothing_lives();
}

#[test]
#[proves(GE_10, INIT_02)]
fn the_library_is_not_finalised_under_an_engine_that_was_dropped() {
    let world = world();
    let acl = common::acl();
    drop(Engine::init(&acl, &world.place(), &Options::new()).unwrap());
    let refused = acl.close().unwrap_err();
    let said = refused.error.to_string();
    assert!(said.contains("still initialised") && said.ends_with("[INIT-02, GE-10]"), "{said}");
    assert_eq!(world.calls(), ["GEInitialize"]);
    let acl = refused.value;
    assert!(acl.device_count().is_ok(), "the library goes on");
    // Another thread cannot end it, nor take it over.
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let other = engine_error(Engine::init(&acl, &world.place(), &Options::new()).unwrap_err());
            assert!(matches!(other, EngineError::OtherThread), "{other}");
        });
    });
    assert_eq!(world.calls(), ["GEInitialize"]);
    Engine::init(&acl, &world.place(), &Options::new()).unwrap().close().unwrap();
    acl.close().unwrap();
    world.assert_nothing_lives();
}

#[test]
#[proves(GE_10, GE_11)]
fn after_a_panic_in_a_session_the_thread_that_initialised_the_engine_gets_it_back() {
    let world = world();
    let acl = common::acl();
    let mut thread = Thread::new().unwrap();
    let device = acl.device(&mut thread, 0).unwrap();
    let ran = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let engine = Engine::init(&acl, &world.place(), &Options::new()).unwrap();
        let _ = engine.session(&mut thread, &device, &Options::new(), |_, current| {
            std::mem::forget(current.stream().unwrap());
            panic!("the program panics in the session");
        });
    }));
    assert!(ran.is_err());
    assert_eq!((world.double.count("sessions"), world.double.count("initialised")), (0, 1));
    Engine::init(&acl, &world.place(), &Options::new()).unwrap().close().unwrap();
    device.reset(&mut thread).unwrap();
    acl.close().unwrap();
    world.assert_nothing_lives();
}

#[test]
#[proves(GE_18)]
fn a_session_works_in_the_default_context_and_the_programs_own_is_current_again_afterwards() {
    let world = world();
    world.with_engine(&world.place(), &Options::new(), |engine, device, thread| {
        let outer = device.with_current(thread, |outer| {
            let buffer = outer.upload(&[1_u8, 2, 3]).unwrap();
            let inner = engine.session(outer, device, &Options::new(), |_, current| {
                let _stream = current.stream().unwrap();
                control::live().contexts
            });
            assert_eq!(inner.unwrap(), 2, "the program's own context, and the engine's: this crate made none");
            buffer.to_vec(outer).unwrap()
        });
        assert_eq!(outer.unwrap(), [1, 2, 3]);
    });
    world.assert_nothing_lives();
}

#[test]
fn a_session_is_of_the_device_that_it_was_opened_on() {
    let world = world();
    control::reset();
    control::configure(Config::new().devices(2)).unwrap();
    let acl = common::acl();
    let mut thread = Thread::new().unwrap();
    let device = acl.device(&mut thread, 1).unwrap();
    let engine = Engine::init(&acl, &world.place(), &Options::new()).unwrap();
    let on = engine.session(&mut thread, &device, &Options::new(), |session, current| {
        let graph = two_digits(session, current).compile(session, current).unwrap();
        let graph = graph.load_on(session, current, current.stream().unwrap()).unwrap();
        let _left = graph.execute(session, current, images(current, 2)).unwrap().wait(current).unwrap();
        current.device_id()
    });
    assert_eq!(on.unwrap(), 1);
    engine.close().unwrap();
    device.reset(&mut thread).unwrap();
    acl.close().unwrap();
    world.assert_nothing_lives();
}

#[test]
fn a_library_that_is_not_there_or_is_another_one_is_named_in_the_error() {
    let world = world();
    let acl = common::acl();
    let at = |path: std::path::PathBuf| engine_error(Engine::init(&acl, &at(path), &Options::new()).unwrap_err());
    let absent = at("/nowhere/libascendcl_ge.so".into());
    assert!(matches!(&absent, EngineError::Load(LoadError::Refused { .. })), "{absent}");
    assert!(absent.to_string().contains("/nowhere/libascendcl_ge.so") && absent.to_string().contains("set_env.sh"));
    let other = at(world.double.shim().with_file_name("libfmk_onnx_parser.so"));
    assert!(matches!(&other, EngineError::Load(LoadError::Unfit { .. })), "{other}");
    assert!(other.to_string().contains("ascendcl_ge_abi"), "{other}");
    Engine::init(&acl, &world.place(), &Options::new()).unwrap().close().unwrap();
    acl.close().unwrap();
}

#[test]
fn without_a_toolkit_the_error_says_where_it_was_looked_for_and_what_to_install() {
    let error = LoadError::NotBuilt {
        looked: vec!["/opt/toolkit".into()],
        reason: "libge_runtime_wrapper.so: no such file".into(),
    };
    let said = error.to_string();
    for part in
        ["/opt/toolkit,", "include/ge/ge_api.h", "install the CANN toolkit", "ASCEND_HOME_PATH", "is not there either"]
    {
        assert!(said.contains(part), "{said}");
    }
}
