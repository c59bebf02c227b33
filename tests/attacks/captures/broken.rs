//! Captures that come to nothing: the operands come back, nothing has run, and the stream goes on.

use super::super::with_device;
use super::*;
use crate::common::{assert_lives, c_library, library_at};
use crate::null::books;
use ascendcl::capture::{Capture, Captured};
use ascendcl::{Acl, Scoped};
use ascendcl_macros::proves;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The operands of a refused capture, after which the stream takes work as before.
#[track_caller]
fn assert_goes_on<C: Brand>(current: &mut Current<C>, stream: &mut Stream<C, DefaultAllocator>, operands: Io<C>) {
    let (mut input, device, output) = operands;
    input.slice_mut(current).unwrap().fill(9.0);
    let (_, device) = stream.copy_to_device(current, input, device).unwrap().wait(current).unwrap();
    let (_, output) = stream.copy_to_host(current, device, output).unwrap().wait(current).unwrap();
    assert_eq!(output.slice(current).unwrap()[0], 9.0);
    let graph = echo(current, stream);
    drop(assert_echoes(current, stream, graph, 4.0).into_operands(current).unwrap());
}

fn program<'g, C: Brand>(
    capture: &mut Capture<'g, C>,
    (input, mut device, mut output): (
        Captured<'g, HostBuffer<C, f32>>,
        Captured<'g, DeviceBuffer<C, f32>>,
        Captured<'g, HostBuffer<C, f32>>,
    ),
) -> Result<(), Error> {
    capture.copy_to_device(&input, &mut device)?;
    capture.copy_to_host(&device, &mut output)
}

#[proves(GRAPH_01)]
#[test]
fn a_program_that_fails_leaves_no_capture() {
    let alone = alone();
    inside(|current| {
        let mut stream = stream(current);
        let operands = io(current);
        let failed = stream.capture(current, CaptureMode::Global, operands, |capture, operands| {
            program(capture, operands)?;
            Err(Error::NotExecuted)
        });
        let failed = failed.unwrap_err();
        assert!(matches!(failed.error, Error::NotExecuted), "{}", failed.error);
        assert_goes_on(current, &mut stream, failed.value);
    });
    alone.assert_nothing_lives();
}

#[proves(GRAPH_01)]
#[test]
fn a_panic_inside_ends_the_capture_and_goes_on() {
    let alone = alone();
    inside(|current| {
        let (mut stream, mut side) = (stream(current), stream(current));
        let operands = io(current);
        let capture = AssertUnwindSafe(|| {
            let captured = stream.capture(current, CaptureMode::ThreadLocal, operands, |capture, operands| {
                program(capture, operands)?;
                capture.fork(&mut side, |_, _| std::panic::panic_any("enough"))
            });
            drop(captured);
        });
        let panic = catch_unwind(capture).unwrap_err();
        assert_eq!(panic.downcast_ref(), Some(&"enough"));
        side.synchronize(current).unwrap();
        let operands = io(current);
        assert_goes_on(current, &mut stream, operands);
        collect(current);
    });
    alone.assert_nothing_lives();
}

#[test]
fn a_library_that_cannot_capture_says_so_before_anything_has_changed() {
    let alone = alone();
    inside(|current| {
        let mut stream = stream(current);
        let operands = io(current);
        fail("aclmdlRICaptureBegin=207000");
        let refused = stream.capture(current, CaptureMode::Relaxed, operands, program).unwrap_err();
        assert!(matches!(refused.error, Error::CaptureUnsupported(_)), "{}", refused.error);
        fail("");
        assert_goes_on(current, &mut stream, refused.value);
    });
    alone.assert_nothing_lives();
}

#[test]
fn a_begin_that_took_place_and_is_told_to_have_failed_is_ended() {
    let alone = alone();
    inside(|current| {
        let mut stream = stream(current);
        let operands = io(current);
        fail("aclmdlRICaptureBegin=after:507899");
        let refused = stream.capture(current, CaptureMode::Relaxed, operands, program).unwrap_err();
        assert_eq!(refused.error.code().unwrap().number(), 507_899);
        fail("");
        assert_goes_on(current, &mut stream, refused.value);
        collect(current);
    });
    alone.assert_nothing_lives();
}

#[test]
fn an_end_that_took_place_and_is_told_to_have_failed_leaves_no_graph() {
    let alone = alone();
    inside(|current| {
        let mut stream = stream(current);
        let operands = io(current);
        fail("aclmdlRICaptureEnd=after:507899");
        let failed = stream.capture(current, CaptureMode::Relaxed, operands, program).unwrap_err();
        fail("");
        assert_goes_on(current, &mut stream, failed.value);
    });
    alone.assert_nothing_lives();
}

#[proves(GRAPH_01, STREAM_18)]
#[test]
fn an_end_that_is_refused_shuts_the_stream_until_it_is_destroyed() {
    let alone = alone();
    inside(|current| {
        let (mut main, mut side) = (stream(current), stream(current));
        let operands = io(current);
        fail("aclmdlRICaptureEnd=507899");
        let failed = main.capture(current, CaptureMode::Relaxed, operands, |capture, operands| {
            program(capture, operands)?;
            capture.fork(&mut side, |_, _| Ok(()))
        });
        let (input, device, _) = failed.unwrap_err().value;
        let refused = main.copy_to_device(current, input, device).unwrap_err();
        assert!(matches!(refused.error, Error::Capturing), "{}", refused.error);
        assert!(matches!(side.synchronize(current), Err(Error::Capturing)));
        assert!(matches!(main.is_complete(current), Err(Error::Capturing)));
        fail("");
        main.destroy(current).unwrap();
        side.synchronize(current).unwrap();
        let operands = io(current);
        assert_goes_on(current, &mut side, operands);
    });
    alone.assert_nothing_lives();
}

#[test]
fn an_open_capture_that_was_left_is_ended_with_its_scope() {
    let alone = alone();
    inside(|current| {
        let mut stream = stream(current);
        let operands = io(current);
        fail("aclmdlRICaptureEnd=507899");
        drop(stream.capture(current, CaptureMode::Relaxed, operands, program));
        std::mem::forget(stream);
        fail("");
    });
    alone.assert_nothing_lives();
}

#[test]
fn an_open_capture_that_was_left_is_collected() {
    let alone = alone();
    inside(|current| {
        let mut stream = stream(current);
        let operands = io(current);
        fail("aclmdlRICaptureEnd=507899");
        drop(stream.capture(current, CaptureMode::Relaxed, operands, program));
        drop(stream);
        fail("");
        drop(current.collect());
        collect(current);
        let live = control::live();
        assert_eq!((live.streams, live.host_blocks, live.device_blocks), (0, 0, 0));
    });
    alone.assert_nothing_lives();
}

#[test]
fn an_ignored_failure_of_a_call_breaks_the_capture() {
    let alone = alone();
    inside(|current| {
        let mut stream = stream(current);
        let operands = io(current);
        let failed = stream.capture(current, CaptureMode::Relaxed, operands, |capture, operands| {
            fail("aclrtMemcpyAsync=507899");
            assert!(program(capture, operands).is_err());
            fail("");
            Ok(())
        });
        let failed = failed.unwrap_err();
        assert!(matches!(failed.error, Error::CaptureBroken { .. }), "{}", failed.error);
        assert_goes_on(current, &mut stream, failed.value);
    });
    alone.assert_nothing_lives();
}

#[test]
fn a_callback_that_was_taken_by_a_call_that_failed_is_never_called() {
    let alone = alone();
    inside(|current| {
        let mut stream = stream(current);
        let failed = stream.capture(current, CaptureMode::Relaxed, (), |capture, ()| {
            fail("aclrtLaunchHostFunc=after:507899");
            let failed = capture.launch_host_fn((), |()| unreachable!());
            fail("");
            failed
        });
        assert!(failed.is_err());
        stream.synchronize(current).unwrap();
    });
    alone.assert_nothing_lives();
}

#[test]
fn a_join_that_is_refused_breaks_the_capture_and_both_streams_go_on() {
    let alone = alone();
    inside(|current| {
        let (mut main, mut side) = (stream(current), stream(current));
        let operands = io(current);
        let failed = main.capture(current, CaptureMode::Relaxed, operands, |capture, operands| {
            program(capture, operands)?;
            let _ = capture.fork(&mut side, |_, side| {
                side.launch_host_fn((), |()| ())?;
                fail("aclrtStreamWaitEvent=507899");
                Ok(())
            });
            fail("");
            Ok(())
        });
        assert_goes_on(current, &mut main, failed.unwrap_err().value);
        side.synchronize(current).unwrap();
        let operands = io(current);
        assert_goes_on(current, &mut side, operands);
    });
    alone.assert_nothing_lives();
}

#[test]
fn a_graph_that_the_library_refuses_to_destroy_keeps_what_it_uses() {
    let alone = alone();
    inside(|current| {
        let mut stream = stream(current);
        let graph = echo(current, &mut stream);
        fail("aclmdlRIDestroy=507899");
        let refused = graph.into_operands(current).unwrap_err();
        assert_eq!(refused.error.code().unwrap().number(), 507_899);
        drop(refused.value);
        let told: Vec<_> = current.collect();
        assert_eq!(told.len(), 1, "{told:?}");
        assert_lives!(host_blocks, 2, "the graph uses them");
        fail("");
        collect(current);
        assert_lives!(host_blocks, 0);
    });
    alone.assert_nothing_lives();
}

#[test]
fn a_replay_that_is_refused_gives_the_graph_back() {
    let alone = alone();
    inside(|current| {
        let mut stream = stream(current);
        let graph = echo(current, &mut stream);
        fail("aclmdlRIExecuteAsync=207001");
        let refused = stream.replay(current, graph).unwrap_err();
        fail("");
        drop(assert_echoes(current, &stream, refused.value, 3.0));
    });
    alone.assert_nothing_lives();
}

#[proves(GRAPH_07)]
#[test]
fn a_replay_in_doubt_keeps_the_graph_shut_until_its_stream_is_idle() {
    let alone = alone();
    inside(|current| {
        let mut stream = stream(current);
        let graph = echo(current, &mut stream);
        fail("aclmdlRIExecuteAsync=after:507899,aclrtSynchronizeStreamWithTimeout=507899");
        let mut graph = stream.replay(current, graph).unwrap_err().value;
        let refused = graph.operands(current).map(drop).unwrap_err();
        assert!(matches!(refused, Error::InDoubt { .. }), "{refused}");
        let refused = stream.replay(current, graph).unwrap_err();
        assert!(matches!(refused.error, Error::InDoubt { .. }), "{}", refused.error);
        let refused = refused.value.into_operands(current).unwrap_err();
        assert!(matches!(refused.error, Error::StillRunning { .. }), "{}", refused.error);
        fail("aclmdlRIDestroy=507899");
        stream.synchronize(current).unwrap();
        let refused = refused.value.into_operands(current).unwrap_err();
        let refused = stream.replay(current, refused.value).unwrap_err();
        assert!(matches!(refused.error, Error::InDoubt { .. }), "{}", refused.error);
        fail("");
        let (_, device, _) = refused.value.into_operands(current).unwrap();
        device.free(current).unwrap();
    });
    alone.assert_nothing_lives();
}

#[test]
fn a_lost_device_takes_nothing_of_an_open_capture_along() {
    let alone = alone();
    inside(|current| {
        let mut stream = stream(current);
        let operands = io(current);
        let failed = stream.capture(current, CaptureMode::Relaxed, operands, |capture, operands| {
            fail("aclrtMemcpyAsync=lost");
            program(capture, operands)
        });
        assert!(failed.is_err());
        drop(failed);
        fail("");
        drop(current.collect());
    });
    alone.assert_nothing_lives();
}

#[test]
fn a_graph_that_fails_on_the_device_is_told_to_its_replay_and_goes_on() {
    let alone = alone();
    inside(|current| {
        let mut stream = stream(current);
        let graph = echo(current, &mut stream);
        fail("aclrtSynchronizeStreamWithTimeout=507011");
        let failed = stream.replay(current, graph).unwrap().wait(current).unwrap_err();
        fail("");
        let graph = failed.value.wait(current).unwrap();
        drop(assert_echoes(current, &stream, graph, 1.0));
    });
    alone.assert_nothing_lives();
}

/// A library that answers success and no address: for the number of a condition, and for its bodies.
#[proves(GRAPH_10)]
#[test]
fn a_condition_without_a_number_or_a_body_is_an_error() {
    const SLOTS: &str =
        "typedef struct { handle condition; unsigned kind; uint32_t size; handle *bodies; } condition;\n";
    let conditional = include_str!("../../null/library.c")
        .replace("*status = 0;\n    *graph = NULL;", "*status = 1;\n    *graph = fresh();");
    assert_eq!(conditional.matches("*status = 1;\n    *graph").count(), 1);
    let _others = books();
    for (name, number, call) in
        [("no-number", "NULL", "aclmdlRICondHandleGetCondPtr"), ("no-body", "fresh()", "aclmdlRIAddCondTask")]
    {
        let source = format!(
            "{conditional}{SLOTS}\
             aclError aclmdlRICondHandleCreate(handle graph, uint32_t first, unsigned flag, handle *made) {{\n\
             (void)graph; (void)first; (void)flag; *made = fresh(); return 0; }}\n\
             aclError aclmdlRICondHandleGetCondPtr(handle made, handle *number) {{ (void)made; *number = {number}; return 0; }}\n\
             aclError aclmdlRICaptureToModelRIBegin(handle stream, handle graph, unsigned mode) {{\n\
             (void)stream; (void)graph; (void)mode; return 0; }}\n\
             aclError aclmdlRIAddCondTask(condition added, handle stream, uint32_t flags) {{\n\
             (void)stream; (void)flags; for (uint32_t i = 1; i < added.size; i++) added.bodies[i] = fresh(); return 0; }}\n"
        );
        let acl = Acl::init(library_at(c_library(name, &source))).unwrap();
        with_device(acl, |device, thread| {
            let program = |current: &mut Current<Scoped<'_>>| {
                let (mut main, mut side) = (stream(current), stream(current));
                let number = current.upload(&[0_u32; 16]).unwrap();
                let mut told = String::new();
                let captured = main.capture(current, CaptureMode::Relaxed, number, |capture, number| {
                    let refused = capture.run_if_else(&mut side, &number, |_, _| panic!("no body is asked for"));
                    told = refused.unwrap_err().to_string();
                    Ok(())
                });
                drop(captured);
                told
            };
            let told = device.with_current(thread, program).unwrap();
            assert_eq!(told, format!("{call} failed: it returned a null pointer [ERR-06]"));
        });
    }
}

/// A library that answers success and no instance.
#[test]
fn a_capture_that_ends_without_an_instance_is_an_error() {
    let source =
        include_str!("../../null/library.c").replace("*graph = fresh(); return 0;", "*graph = NULL; return 0;");
    let _others = books();
    let acl = Acl::init(library_at(c_library("no-instance", &source))).unwrap();
    with_device(acl, |device, thread| {
        let captured = |current: &mut Current<Scoped<'_>>| {
            let operands = io(current);
            stream(current).capture(current, CaptureMode::Relaxed, operands, program).map(drop).unwrap_err().error
        };
        let error = device.with_current(thread, captured).unwrap();
        assert_eq!(error.to_string(), "aclmdlRICaptureEnd failed: it returned a null pointer [ERR-06]");
    });
}
