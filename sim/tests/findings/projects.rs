//! Mistakes that public programs have made: each is one finding, and the program without it has none.

use crate::files;
use crate::support::*;
use ascendcl_sim::exports::{model_instance::*, operator::*};
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

const GLOBAL: aclmdlRICaptureMode = aclmdlRICaptureMode::ACL_MODEL_RI_CAPTURE_MODE_GLOBAL;

unsafe extern "C" fn nothing(_: *mut c_void) {}

fn ex_event() -> aclrtEvent {
    let mut event = aclrtEvent::NULL;
    ok!(aclrtCreateEventExWithFlag(&mut event, ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE));
    event
}

fn end(stream: aclrtStream) {
    let mut graph = aclmdlRI::NULL;
    ok!(aclmdlRICaptureEnd(stream, &mut graph));
    ok!(aclmdlRIDestroy(graph));
}

#[test]
fn an_allocation_of_no_bytes_is_one_mistake_whatever_is_freed_for_it() {
    let run = |sizes: &[usize], frees: usize| {
        broken(|| {
            let mut blocks = vec![];
            for size in sizes {
                let mut block = null_mut();
                let made = acl!(aclrtMalloc(&mut block, *size, aclrtMemMallocPolicy::ACL_MEM_MALLOC_HUGE_FIRST));
                assert_eq!(made == 0, *size > 0);
                blocks.push(block);
            }
            blocks.resize(frees, null_mut());
            for block in blocks {
                acl!(aclrtFree(block));
            }
        })
    };
    assert_eq!(run(&[64], 1), []);
    assert_eq!(run(&[0], 1), [rules::MEM_04]);
    assert_eq!(run(&[0, 64, 0], 3), [rules::MEM_04]);
    assert_eq!(run(&[0], 2), [rules::MEM_04, rules::MEM_05], "more is freed than was to be allocated");
    assert_eq!(run(&[], 1), [rules::MEM_05]);
}

// SAFETY: part of POSIX.
unsafe extern "C" {
    safe fn pthread_self() -> usize;
}

/// A thread that runs a callback for each message, and tells that it has.
struct Reporting {
    id: u64,
    work: Sender<()>,
    done: Receiver<()>,
}

impl Reporting {
    fn begin() -> Self {
        let ((work, coming), (tell, done), (say, id)) = (channel(), channel(), channel());
        thread::spawn(move || {
            say.send(pthread_self() as u64).unwrap();
            for () in coming {
                ok!(aclrtProcessReport(5000));
                tell.send(()).unwrap();
            }
        });
        Self { id: id.recv().unwrap(), work, done }
    }

    fn begin_report(&self) {
        self.work.send(()).unwrap();
    }

    fn end_report(&self) {
        self.done.recv().unwrap();
    }
}

const BLOCK: aclrtCallbackBlockType = aclrtCallbackBlockType::ACL_CALLBACK_BLOCK;
const NO_BLOCK: aclrtCallbackBlockType = aclrtCallbackBlockType::ACL_CALLBACK_NO_BLOCK;

/// The stream does not wait for a callback without blocking, so its reporting thread may not have run it.
#[test]
fn a_reporting_thread_stays_until_it_has_run_its_callbacks() {
    let run = |kind: aclrtCallbackBlockType, report: bool| {
        broken_by(|| {
            let (stream, thread) = (stream(), Reporting::begin());
            ok!(aclrtSubscribeReport(thread.id, stream));
            ok!(aclrtLaunchCallback(Some(nothing), null_mut(), kind, stream));
            if report {
                thread.begin_report();
            }
            sync(stream);
            if report {
                thread.end_report();
            }
            ok!(aclrtUnSubscribeReport(thread.id, stream));
        })
    };
    assert_eq!(run(NO_BLOCK, false), [(rules::CB_06, "aclrtUnSubscribeReport")]);
    assert_eq!(run(NO_BLOCK, true), []);
    assert_eq!(run(BLOCK, true), []);
}

#[test]
fn a_stream_with_host_functions_has_no_reporting_thread() {
    let run = |subscribes: bool, launches: bool| {
        broken_by(|| {
            let (stream, thread) = (stream(), Reporting::begin());
            ok!(aclrtLaunchHostFunc(stream, Some(nothing), null_mut()));
            sync(stream);
            if subscribes {
                assert_ne!(acl!(aclrtSubscribeReport(thread.id, stream)), 0);
            }
            if launches {
                assert_ne!(acl!(aclrtLaunchCallback(Some(nothing), null_mut(), BLOCK, stream)), 0);
            }
        })
    };
    assert_eq!(run(true, true), [(rules::CB_03, "aclrtSubscribeReport")]);
    assert_eq!(run(false, true), [(rules::CB_03, "aclrtLaunchCallback")]);
    assert_eq!(run(false, false), []);
}

#[test]
fn a_thread_reports_for_the_streams_of_one_device() {
    let run = |other: i32| {
        broken_by(|| {
            let (first, thread) = (stream(), Reporting::begin());
            ok!(aclrtSubscribeReport(thread.id, first));
            ok!(aclrtSetDevice(other));
            let second = stream();
            assert_eq!(acl!(aclrtSubscribeReport(thread.id, second)) == 0, other == 0);
            // The program goes on as if it were subscribed.
            let launched = acl!(aclrtLaunchCallback(Some(nothing), null_mut(), BLOCK, second));
            if launched == 0 {
                thread.begin_report();
                sync(second);
                thread.end_report();
                ok!(aclrtUnSubscribeReport(thread.id, second));
            }
        })
    };
    assert_eq!(run(1), [(rules::CB_04, "aclrtSubscribeReport")]);
    assert_eq!(run(0), []);
}

/// A model of 64 rows of four columns, loaded on device 0.
fn model() -> u32 {
    let (file, mut id) = (files::sum("64", None), 0);
    ok!(aclmdlLoadFromMem(file.as_ptr().cast(), file.len(), &mut id));
    id
}

#[test]
fn a_run_uses_memory_of_its_device_whether_it_is_queued_or_not() {
    let run = |queued: bool, device: i32| {
        broken_by(|| {
            ok!(aclrtSetDevice(device));
            let [input, output] = [(); 2].map(|()| {
                let (memory, dataset) = (malloc(1024), acl!(aclmdlCreateDataset()));
                ok!(aclrtMemset(memory, 1024, 0, 1024));
                ok!(aclmdlAddDatasetBuffer(dataset, acl!(aclCreateDataBuffer(memory, 1024))));
                dataset
            });
            ok!(aclrtSetDevice(0));
            let (id, stream) = (model(), stream());
            for _ in 0..2 {
                let done = match queued {
                    true => acl!(aclmdlExecuteAsync(id, input, output, stream)),
                    false => acl!(aclmdlExecute(id, input, output)),
                };
                assert_eq!(done == 0, device == 0);
            }
            sync(stream);
        })
    };
    assert_eq!(run(false, 1), [(rules::MEM_11, "aclmdlExecute")]);
    assert_eq!(run(true, 1), [(rules::MEM_11, "aclmdlExecuteAsync")]);
    assert_eq!(run(false, 0), []);
}

/// What is found when a model is loaded into working memory of this device, and run as if it were there.
#[test]
fn working_memory_is_of_the_device_of_the_model() {
    let run = |device: i32| {
        broken_by(|| {
            ok!(aclrtSetDevice(device));
            let work = malloc(4096);
            ok!(aclrtSetDevice(0));
            let (file, mut id) = (files::sum("64", None), 77);
            let (image, size) = (file.as_ptr().cast(), file.len());
            let loaded = acl!(aclmdlLoadFromMemWithMem(image, size, &mut id, work, 4096, null_mut(), 0));
            assert_eq!(loaded == 0, device == 0);
            acl!(aclmdlUnload(id));
        })
    };
    assert_eq!(run(1), [(rules::MEM_11, "aclmdlLoadFromMemWithMem")]);
    assert_eq!(run(0), []);
}

/// Calls whose refusal is all that a program gets for such a mistake.
#[test]
fn what_only_the_code_tells_is_found() {
    let open = || files::sum("rows", None);
    let (file, image) = (files::sum("64", None), open());
    let lent = |file: &[u8]| {
        // Whether a model has a size may be asked.
        acl!(aclmdlQuerySizeFromMem(file.as_ptr().cast(), file.len(), &mut 0, &mut 0));
        let (image, size, mut id) = (file.as_ptr().cast(), file.len(), 77);
        acl!(aclmdlLoadFromMemWithMem(image, size, &mut id, malloc(4096), 4096, null_mut(), 0));
        acl!(aclmdlUnload(id));
    };
    assert_eq!(broken_by(|| lent(&image)), [(rules::MODEL_19, "aclmdlLoadFromMemWithMem")]);
    assert_eq!(broken_by(|| lent(&file)), []);

    let configured = |way: bool| {
        broken_by(|| {
            let (settings, mut id) = (acl!(aclmdlCreateConfigHandle()), 77);
            let kind = ACL_MDL_LOAD_FROM_MEM as usize;
            let attributes = [
                (aclmdlConfigAttr::ACL_MDL_LOAD_TYPE_SIZET, kind),
                (aclmdlConfigAttr::ACL_MDL_MEM_ADDR_PTR, file.as_ptr().addr()),
                (aclmdlConfigAttr::ACL_MDL_MEM_SIZET, file.len()),
            ];
            for (attribute, value) in attributes.into_iter().skip(usize::from(!way)) {
                ok!(aclmdlSetConfigOpt(settings, attribute, std::ptr::from_ref(&value).cast(), 8));
            }
            assert_eq!(acl!(aclmdlLoadWithConfig(settings, &mut id)) == 0, way);
            acl!(aclmdlUnload(id));
            ok!(aclmdlDestroyConfigHandle(settings));
        })
    };
    assert_eq!(configured(false), [(rules::MODEL_21, "aclmdlLoadWithConfig")]);
    assert_eq!(configured(true), []);

    let beyond = |size: usize| {
        let image = malloc_host(file.len());
        // SAFETY: both are this long, and apart.
        unsafe { std::ptr::copy_nonoverlapping(file.as_ptr(), image.cast(), file.len()) };
        acl!(aclmdlLoadFromMem(image, size, &mut 0));
    };
    assert_eq!(broken_by(|| beyond(1 << 20)), [(rules::MODEL_11, "aclmdlLoadFromMem")]);
    assert_eq!(broken_by(|| beyond(file.len())), []);

    let directory = |times: usize| {
        broken_by(|| {
            for _ in 0..times {
                acl!(aclopSetModelDir(c"/tmp".as_ptr()));
            }
        })
    };
    assert_eq!(directory(2), [(rules::OP_05, "aclopSetModelDir")]);
    assert_eq!(directory(1), []);

    let dumps = |begun: bool| {
        broken_by(|| {
            if begun {
                ok!(aclmdlInitDump());
            }
            acl!(aclmdlSetDump(c"/nowhere".as_ptr()));
            acl!(aclmdlFinalizeDump());
        })
    };
    assert_eq!(dumps(false), [(rules::INIT_12, "aclmdlSetDump")]);
    assert_eq!(dumps(true), []);
}

/// Calls of frameworks on a thread of their own, which has no context; and with a stream of another context.
#[test]
fn what_is_refused_for_the_context_is_found_whatever_the_call() {
    type Call = fn(aclrtStream, aclmdlRI) -> aclError;
    let calls: [(&str, bool, Call); 5] = [
        ("aclmdlRICaptureBegin", true, |stream, _| acl!(aclmdlRICaptureBegin(stream, GLOBAL))),
        ("aclmdlRIExecuteAsync", true, |stream, graph| acl!(aclmdlRIExecuteAsync(graph, stream))),
        ("aclrtSetStreamFailureMode", true, |stream, _| acl!(aclrtSetStreamFailureMode(stream, 1))),
        ("aclmdlRIDestroy", false, |_, graph| acl!(aclmdlRIDestroy(graph))),
        ("aclrtDeviceEnablePeerAccess", false, |_, _| acl!(aclrtDeviceEnablePeerAccess(1, 0))),
    ];
    for (name, of_stream, call) in calls {
        let run = |chosen: Option<bool>| {
            broken_by(|| {
                let (own, stream) = (Shared(current()), Shared(stream()));
                ok!(aclmdlRICaptureBegin(stream.get(), GLOBAL));
                let mut graph = aclmdlRI::NULL;
                ok!(aclmdlRICaptureEnd(stream.get(), &mut graph));
                let graph = Shared(graph);
                on_a_thread(move || {
                    let other = chosen.map(|own_one| if own_one { own.get() } else { context(0) });
                    if let Some(context) = other {
                        ok!(aclrtSetCurrentContext(context));
                    }
                    // The same mistake is made twice.
                    let codes = [(); 2].map(|()| call(stream.get(), graph.get()));
                    assert!(chosen == Some(true) || !codes.contains(&0), "{name}: {codes:?}");
                    if let (Some(false), Some(context)) = (chosen, other) {
                        ok!(aclrtDestroyContext(context));
                    }
                });
            })
        };
        assert_eq!(run(None), [(rules::THREAD_01, name)]);
        if of_stream && name != "aclmdlRIExecuteAsync" {
            assert_eq!(run(Some(false)), [(rules::STREAM_09, name)]);
        }
    }
    // Whether there is a context may be asked.
    let asks = || on_a_thread(|| assert_ne!(acl!(aclrtGetDevice(&mut 0)), 0));
    assert_eq!(broken_by(asks), []);
}

/// Only events of the newest creating call lead other streams into a capture.
#[test]
fn an_older_event_leads_no_stream_into_a_capture() {
    let run = |make: fn() -> aclrtEvent| {
        broken_by(|| {
            let (first, second, fork, join) = (stream(), stream(), make(), make());
            ok!(aclmdlRICaptureBegin(first, GLOBAL));
            let forked = acl!(aclrtRecordEvent(fork, first));
            ok!(aclrtStreamWaitEvent(second, fork));
            if forked == 0 {
                ok!(aclrtRecordEvent(join, second));
                ok!(aclrtStreamWaitEvent(first, join));
            }
            end(first);
        })
    };
    let older = || {
        let mut event = aclrtEvent::NULL;
        ok!(aclrtCreateEventWithFlag(&mut event, ACL_EVENT_SYNC));
        event
    };
    assert_eq!(run(older), [(rules::GRAPH_06, "aclrtRecordEvent")]);
    assert_eq!(run(ex_event), []);
}

#[test]
fn a_capture_that_failed_at_its_end_is_one_mistake_when_it_is_ended_again() {
    let run = |joined: bool| {
        broken_by(|| {
            let (first, second, fork, join) = (stream(), stream(), ex_event(), ex_event());
            ok!(aclmdlRICaptureBegin(first, GLOBAL));
            ok!(aclrtRecordEvent(fork, first));
            ok!(aclrtStreamWaitEvent(second, fork));
            if joined {
                ok!(aclrtRecordEvent(join, second));
                ok!(aclrtStreamWaitEvent(first, join));
            }
            let mut graph = aclmdlRI::NULL;
            match acl!(aclmdlRICaptureEnd(first, &mut graph)) {
                0 => ok!(aclmdlRIDestroy(graph)),
                _ => assert_ne!(acl!(aclmdlRICaptureEnd(first, &mut graph)), 0),
            }
        })
    };
    assert_eq!(run(false), [(rules::GRAPH_06, "aclmdlRICaptureEnd")]);
    assert_eq!(run(true), []);
}
