//! The arguments that the safe layer passes to the library.

use super::{collect, inside, upload, with_device};
use crate::common::{acl, alone, c_library, library_at, scratch};
use crate::null::{books, in_books};
use ascendcl::capture::{CaptureMode, Tasks};
use ascendcl::event::Waiting;
use ascendcl::stream::StreamOptions;
use ascendcl::{Acl, Current, Error, ScopeError, Scoped, Thread};
use ascendcl_macros::proves;
use ascendcl_rules as rules;
use ascendcl_sim::{Config, control};
use std::ffi::{CStr, c_char};
use std::time::Duration;

#[proves(COPY_02)]
#[test]
fn a_copy_states_the_direction_of_its_buffers() {
    let books = books();
    in_books(&books, |current| {
        let stream = current.stream().unwrap();
        let (host, device) = upload(current, &stream).wait(current).unwrap();
        let (mut device, _) = stream.copy_to_host(current, device, host).unwrap().wait(current).unwrap();
        device.copy_from(current, &[1.0; 1024]).unwrap();
        assert_eq!(device.to_vec(current).unwrap(), [1.0; 1024]);
        assert_eq!((books.calls("aclrtMemcpyAsync"), books.calls("aclrtMemcpy")), (2, 2));
    });
}

#[proves(MEM_04)]
#[test]
fn a_buffer_without_elements_is_some_memory_that_is_freed() {
    let (alone, books) = (alone(), books());
    in_books(&books, |current| {
        current.device_buffer::<f32>(0).unwrap().free(current).unwrap();
        drop(current.host_buffer::<f32>(0).unwrap());
        assert_eq!((books.calls("aclrtMalloc"), books.calls("aclrtMallocHost")), (1, 1));
    });
    // The simulator refuses to allocate nothing, as the vendor's library does.
    inside(|current| {
        let (host, device) = (current.host_buffer::<u8>(0).unwrap(), current.device_buffer::<u8>(0).unwrap());
        assert_eq!((host.len(), device.len()), (0, 0));
    });
    alone.assert_nothing_lives();
}

#[proves(STREAM_16)]
#[test]
fn a_wait_for_no_time_at_all_is_a_wait_for_a_millisecond() {
    let books = books();
    in_books(&books, |current| {
        let stream = current.stream().unwrap();
        stream.synchronize_within(current, Duration::ZERO).unwrap();
        upload(current, &stream).wait_within(current, Duration::from_nanos(1)).unwrap();
        stream.synchronize_within(current, Duration::MAX).unwrap();
        assert_eq!(books.calls("aclrtSynchronizeStreamWithTimeout"), 3);
    });
}

#[proves(MEM_16)]
#[test]
fn zeroing_sets_all_of_a_buffer_and_no_more() {
    let alone = alone();
    inside(|current| {
        let (before, after) = (current.upload(&[7_u8; 100]).unwrap(), current.upload(&[7_u8; 100]).unwrap());
        let zeroed = current.device_buffer::<u32>(25).unwrap().zero(current).unwrap();
        assert_eq!(zeroed.to_vec(current).unwrap(), [0; 25]);
        assert_eq!([before, after].map(|buffer| buffer.to_vec(current).unwrap()), [[7; 100]; 2]);
    });
    alone.assert_nothing_lives();
}

#[proves(INIT_11, DEV_01)]
#[test]
fn a_device_is_set_before_its_context_is_created_also_when_the_configuration_names_one() {
    let books = books();
    let config = scratch("default-device").join("acl.json");
    std::fs::write(&config, r#"{"defaultDevice": {"default_device": "0"}}"#).unwrap();
    let acl = Acl::init_with(books.library(), Some(&config)).unwrap();
    with_device(acl, |device, thread| {
        device.with_current(thread, |current| drop(current.stream().unwrap())).unwrap();
    });
    let makes = ["aclInit", "aclrtSetDevice", "aclrtCreateContext", "aclrtCreateStream"];
    let made: Vec<_> = books.log().into_iter().filter(|call| makes.contains(&call.as_str())).collect();
    assert_eq!(made, makes);
    books.assert_closed();
}

#[proves(CTX_12, STREAM_11, EVENT_08)]
#[test]
fn what_a_device_has_no_more_of_is_told_and_can_be_made_again_later() {
    let alone = alone();
    control::configure(Config::new().streams(4).events(3)).unwrap();
    inside(|current| {
        let mut streams = Vec::new();
        let refused = loop {
            match current.stream() {
                Ok(stream) => streams.push(stream),
                Err(error) => break error,
            }
        };
        assert!(!streams.is_empty());
        assert_eq!(refused.rules(), [rules::CTX_12, rules::STREAM_11]);
        assert!(refused.to_string().ends_with(" [CTX-12, STREAM-11]"), "{refused}");
        let events: Vec<_> = (0..3).map(|_| current.event().unwrap()).collect();
        assert_eq!(current.event().unwrap_err().rules(), [rules::EVENT_08]);
        drop((streams, events));
        collect(current);
        drop((current.stream().unwrap(), current.event().unwrap()));
    });
    alone.assert_nothing_lives();
}

#[proves(INIT_04)]
#[test]
fn a_dropped_library_stays_initialised_because_destructors_call_nothing() {
    let books = books();
    let acl = books.acl();
    // It counts as taken for the rest of the process, so no other test recovers this one.
    drop(acl.device(&mut Thread::new().unwrap(), 1).unwrap());
    books.log();
    drop(acl);
    assert_eq!((books.log(), books.live().as_str()), (vec![], "device 1 taken 1 time(s) + initialised"));
}

#[proves(INIT_09)]
#[test]
fn libraries_that_many_threads_open_and_close_do_not_finalise_each_other() {
    let alone = alone();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..50 {
                    let acl = acl();
                    assert_eq!(acl.device_count().unwrap(), 2);
                    acl.close().unwrap();
                }
            });
        }
    });
    let last = acl();
    assert!(!last.joined(), "each was closed once");
    last.close().unwrap();
    alone.assert_nothing_lives();
}

#[proves(ALLOC_06, ERR_06)]
#[test]
fn a_descriptor_that_the_library_cannot_create_is_an_error_and_the_stream_comes_back() {
    let books = books();
    in_books(&books, |current| {
        books.refuse("aclrtAllocatorCreateDesc", 1, 1);
        let failed = current.stream().unwrap().register(current, super::common::allocators::Empty(())).unwrap_err();
        assert!(matches!(failed.error, Error::NullAnswer { .. }), "{}", failed.error);
        assert_eq!(books.calls("aclrtAllocatorSetObjToDesc"), 0);
        let (stream, allocator) = failed.value;
        drop(stream.register(current, allocator).unwrap());
    });
}

/// The library lacks both functions, so there is nothing to take back and nothing to doubt.
#[proves(ALLOC_03)]
#[test]
fn a_stream_that_a_library_cannot_give_an_allocator_works_on() {
    let lacks = include_str!("../null/library.c")
        .replace("aclrtAllocatorRegister(", "lacks_register(")
        .replace("aclrtAllocatorUnregister(", "lacks_unregister(");
    assert_eq!(lacks.matches("lacks_").count(), 2);
    let _others = books();
    let acl = Acl::init(library_at(c_library("lacks-allocators", &lacks))).unwrap();
    with_device(acl, |device, thread| {
        let program = |current: &mut Current<Scoped<'_>>| {
            let stream = current.stream().unwrap();
            let failed = stream.register(current, super::common::allocators::Empty(())).unwrap_err();
            assert!(matches!(failed.error, Error::MissingFunction(_)), "{}", failed.error);
            let (stream, _allocator) = failed.value;
            let bytes = current.upload(&[0_u8; 4]).unwrap();
            drop(stream.set_bytes(current, bytes, 1).unwrap().wait(current).unwrap());
            stream.destroy(current).unwrap();
        };
        device.with_current(thread, program).unwrap();
    });
}

/// A thread without a context: the library answers success, and null. Null is not made current afterwards.
#[proves(CTX_09)]
#[test]
fn a_current_context_without_a_handle_is_none() {
    let answers_null = include_str!("../null/library.c").replace("return current ? 0 : 107002;", "return 0;").replace(
        "aclrtSetCurrentContext(handle context) {",
        "aclrtSetCurrentContext(handle context) { if (!context) abort();",
    );
    assert_eq!((answers_null.matches("current; return 0; }").count(), answers_null.matches("abort()").count()), (1, 1));
    let _others = books();
    let acl = Acl::init(library_at(c_library("answers-no-context", &answers_null))).unwrap();
    let program = |current: &mut Current<Scoped<'_>>| drop(current.upload(&[1_u8]).unwrap());
    std::thread::scope(|threads| {
        let own = || {
            let mut thread = Thread::new().unwrap();
            let device = acl.device(&mut thread, 0).unwrap();
            device.with_current(&mut thread, program).unwrap();
            device.reset(&mut thread).unwrap();
        };
        threads.spawn(own).join().unwrap();
    });
    acl.close().unwrap();
}

/// A library in which one function at a time answers with success, and writes null.
struct Writer {
    acl: Acl,
    writes_null: unsafe extern "C" fn(*const c_char),
}

impl Writer {
    fn load() -> Self {
        const MORE: &str = r#"
            aclError aclrtCreateStreamWithConfig(handle *to, uint32_t a, uint32_t b) { (void)a; (void)b; WRITES }
            aclError aclrtCreateEventWithFlag(handle *to, uint32_t flag) { (void)flag; WRITES }
            aclError aclmdlRIBuildBegin(handle *to, uint32_t flag) { (void)flag; WRITES }
            aclError aclrtCreateLabel(handle *to) { WRITES }
            aclError aclrtCreateLabelList(handle *labels, size_t n, handle *to) { (void)labels; (void)n; WRITES }
            aclError aclmdlRICaptureTaskGrpBegin(handle stream) { (void)stream; return 0; }
            aclError aclmdlRICaptureTaskGrpEnd(handle stream, handle *to) { (void)stream; WRITES }
            aclError aclmdlRICondHandleCreate(handle g, uint32_t a, unsigned b, handle *to) { (void)g; (void)a; (void)b; WRITES }
            aclError aclmdlRICondHandleGetCondPtr(handle g, uint64_t **to) { (void)g; (void)to; abort(); }
            aclError aclmdlRIAddCondTask(handle g) { (void)g; abort(); }
            aclError aclmdlRICaptureToModelRIBegin(handle g) { (void)g; abort(); }
            aclError aclmdlRIBindStream(handle g, handle s, uint32_t a) { (void)a; return g && s ? 0 : (abort(), 1); }
            aclError aclmdlRIEndTask(handle g, handle s) { (void)g; (void)s; return 0; }
            aclError aclmdlRIBuildEnd(handle g, void *none) { (void)g; (void)none; return 0; }
            aclError aclmdlRIUnbindStream(handle g, handle s) { return g && s ? 0 : (abort(), 1); }
            aclError aclrtSetLabel(handle l, handle s) { (void)s; return l ? 0 : (abort(), 1); }
            aclError aclrtSwitchLabelByIndex(void *p, uint32_t n, handle l, handle s) { (void)p; (void)n; (void)l; (void)s; abort(); }
            aclError aclrtDestroyLabelList(handle l) { return l ? 0 : (abort(), 1); }
            aclError aclrtDestroyLabel(handle l) { return l ? 0 : (abort(), 1); }
        "#;
        const BEGIN: &str = "static handle fresh(void)";
        let mut source = include_str!("../null/library.c").replace(
            BEGIN,
            "#include <string.h>\nstatic const char *nothing = \"\";\n\
             void writes_null(const char *name) { nothing = name; }\n\
             static handle fresh(void);\n\
             static handle made(const char *name) { return strcmp(nothing, name) ? fresh() : NULL; }\nstatic handle fresh(void)",
        );
        for (name, honest) in [
            ("aclrtCreateContext", "*context = current = fresh()"),
            ("aclrtCreateStream", "*stream = fresh()"),
            ("aclrtCreateEvent", "aclrtCreateEvent(handle *event) { *event = fresh()"),
            ("aclrtCreateEventExWithFlag", "(void)flag; *event = fresh()"),
            ("aclmdlRICaptureGetInfo", "*graph = NULL"),
        ] {
            assert_eq!(source.matches(honest).count(), 1, "{name}");
            let writes = honest.replace("fresh()", &format!("made(\"{name}\")"));
            source = source.replace(honest, &writes.replace("= NULL", &format!("= made(\"{name}\")")));
        }
        for line in MORE.lines() {
            let name = line.split('(').next().unwrap().rsplit(' ').next().unwrap();
            source += &line.replace("WRITES", &format!("*to = made(\"{name}\"); return 0;"));
            source.push('\n');
        }
        let path = c_library("writes-null", &source);
        // SAFETY: the library has no initialisers, and the function has this signature.
        let writes_null = unsafe {
            let library = Box::leak(Box::new(libloading::Library::new(&path).unwrap()));
            *library.get("writes_null").unwrap()
        };
        Self { acl: Acl::init(library_at(path)).unwrap(), writes_null }
    }

    /// What `program` gives while this function writes null.
    #[track_caller]
    fn refuses<R>(
        writes_null: unsafe extern "C" fn(*const c_char),
        call: &'static CStr,
        program: impl FnOnce() -> Result<R, Error>,
    ) {
        // SAFETY: the function keeps the pointer, and the texts stay in place.
        unsafe { writes_null(call.as_ptr()) };
        let refused = program().err();
        // SAFETY: the function keeps the pointer, and the text stays in place.
        unsafe { writes_null(c"".as_ptr()) };
        let name = call.to_str().unwrap();
        assert!(matches!(refused, Some(Error::NullAnswer { call }) if call == name), "{name}: {refused:?}");
    }
}

/// Null is the default stream, or nothing: no later call gets it.
#[proves(ERR_06)]
#[test]
fn a_handle_that_is_null_although_the_call_succeeded_is_an_error() {
    let _others = books();
    let Writer { acl, writes_null } = Writer::load();
    with_device(acl, |device, thread| {
        let program = |current: &mut Current<Scoped<'_>>| {
            for _ in ["with all checks", "at once"] {
                Writer::refuses(writes_null, c"aclrtCreateStream", || current.stream());
                Writer::refuses(writes_null, c"aclrtCreateEvent", || current.event());
                drop((current.stream().unwrap(), current.event().unwrap()));
            }
            let mut options = StreamOptions::default();
            options.fast_sync = true;
            Writer::refuses(writes_null, c"aclrtCreateStreamWithConfig", || current.stream_with(options));
            Writer::refuses(writes_null, c"aclrtCreateEventWithFlag", || current.event_for(Waiting));
            for call in [c"aclmdlRIBuildBegin", c"aclrtCreateStreamWithConfig"] {
                Writer::refuses(writes_null, call, || current.build_graph(()).map_err(|failed| failed.error));
            }
            let index = current.upload(&[0_u32; 16]).unwrap();
            let mut build = current.build_graph(index).unwrap();
            for call in [c"aclrtCreateLabel", c"aclrtCreateLabelList"] {
                Writer::refuses(writes_null, call, || {
                    build.add(current, |tasks, index| tasks.switch(&index, 2, |_, _| Ok(())))
                });
                let index = build.into_operands(current).unwrap();
                build = current.build_graph(index).unwrap();
            }
            let mut operands = Some(build.into_operands(current).unwrap());
            let [mut main, mut side] = [(); 2].map(|()| current.stream().unwrap().without_allocator());
            for call in [
                c"aclmdlRICaptureTaskGrpEnd",
                c"aclrtCreateEventExWithFlag",
                c"aclmdlRICaptureGetInfo",
                c"aclmdlRICondHandleCreate",
            ] {
                Writer::refuses(writes_null, call, || {
                    let index = operands.take().unwrap();
                    let captured = main.capture(current, CaptureMode::Relaxed, index, |capture, index| match call {
                        _ if call == c"aclmdlRICaptureTaskGrpEnd" => capture.task_group(Tasks::new()).map(drop),
                        _ if call == c"aclrtCreateEventExWithFlag" => capture.fork(&mut side, |_, _| Ok(())),
                        _ => capture.run_if(&mut side, &index, |_| Ok(())),
                    });
                    captured.map(drop).map_err(|failed| {
                        operands = Some(failed.value);
                        failed.error
                    })
                });
            }
        };
        device.with_current(thread, program).unwrap();
        // SAFETY: the function keeps the pointer, and the text stays in place.
        unsafe { writes_null(c"aclrtCreateContext".as_ptr()) };
        let refused = device.with_current(thread, |_: &mut Current<Scoped<'_>>| ()).unwrap_err();
        assert!(matches!(refused, ScopeError::NotOpened(Error::NullAnswer { .. })), "{refused:?}");
    });
}
