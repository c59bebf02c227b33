//! Calls that are given null or a key of nothing: one finding each, and none where an earlier one has told why the program
//! has no more than that.

use crate::files;
use crate::support::*;
use ascendcl_rules::RuleId;
use ascendcl_sim::exports::model_instance::*;
use ascendcl_sim::{Calls, Fault, Plan, control};
use std::ffi::c_void;
use std::ptr::{null_mut, without_provenance_mut};

type Found = Vec<(RuleId, &'static str)>;

/// Work with 64 bytes at this address.
type Work = fn(*mut c_void, aclrtStream) -> aclError;

const WORK: [(RuleId, &str, Work); 6] = [
    (rules::COPY_01, "aclrtMemcpy", |at, _| acl!(aclrtMemcpy(at, 64, bytes(), 64, TO_DEVICE))),
    (rules::COPY_01, "aclrtMemcpy", |at, _| acl!(aclrtMemcpy(bytes(), 64, at, 64, TO_HOST))),
    (rules::COPY_01, "aclrtMemcpyAsync", |at, stream| acl!(aclrtMemcpyAsync(at, 64, bytes(), 64, TO_DEVICE, stream))),
    (rules::COPY_01, "aclrtMemcpy2d", |at, _| acl!(aclrtMemcpy2d(at, 8, bytes(), 8, 8, 8, TO_DEVICE))),
    (rules::MEM_16, "aclrtMemset", |at, _| acl!(aclrtMemset(at, 64, 0, 64))),
    (rules::MEM_16, "aclrtMemsetAsync", |at, stream| acl!(aclrtMemsetAsync(at, 64, 0, 64, stream))),
];

fn bytes() -> *mut c_void {
    Box::leak(Box::new([1_u8; 64])).as_mut_ptr().cast()
}

#[test]
fn a_copy_or_a_fill_is_given_memory() {
    for (rule, name, work) in WORK {
        let run = |null: bool| {
            broken_by(|| {
                let (memory, stream) = (malloc(64), stream());
                ok!(aclrtMemset(memory, 64, 0, 64));
                let at = if null { null_mut() } else { memory };
                assert_eq!([(); 2].map(|()| work(at, stream) == 0), [!null; 2]);
                sync(stream);
            })
        };
        assert_eq!(run(true), [(rule, name)]);
        assert_eq!(run(false), []);
    }
    // The same null pointer is one mistake, wherever it is used.
    let all = broken_by(|| {
        let stream = stream();
        WORK.iter().for_each(|(.., work)| assert_ne!(work(null_mut(), stream), 0));
    });
    assert_eq!(all, [(rules::COPY_01, "aclrtMemcpy")]);
}

#[test]
fn memory_that_could_not_be_had_is_no_second_mistake() {
    let run = |size: usize, plan: Plan| {
        broken_by(|| {
            control::fail(plan).unwrap();
            let (mut memory, policy) = (null_mut(), aclrtMemMallocPolicy::ACL_MEM_MALLOC_HUGE_FIRST);
            assert_ne!(acl!(aclrtMalloc(&mut memory, size, policy)), 0);
            for (.., work) in WORK {
                assert_ne!(work(memory, aclrtStream::NULL), 0);
            }
        })
    };
    assert_eq!(run(0, Plan::new()), [(rules::MEM_04, "aclrtMalloc")]);
    let full = Plan::new().at(Calls::of("aclrtMalloc").nth(1), Fault::Fails(ACL_ERROR_RT_MEMORY_ALLOCATION));
    assert_eq!(run(64, full), [], "that a device is full is no mistake of the program");
    let without_context = broken_by(|| {
        on_a_thread(|| {
            let (mut memory, policy) = (null_mut(), aclrtMemMallocPolicy::ACL_MEM_MALLOC_HUGE_FIRST);
            assert_ne!(acl!(aclrtMalloc(&mut memory, 64, policy)), 0);
            assert_ne!(acl!(aclrtMemset(memory, 64, 0, 64)), 0);
        });
    });
    assert_eq!(without_context, [(rules::MEM_06, "aclrtMalloc")]);
}

#[test]
fn a_graph_that_runs_was_captured() {
    let run = |begins: bool, plan: Plan| {
        broken_by(|| {
            control::fail(plan).unwrap();
            let (stream, mut graph) = (stream(), aclmdlRI::NULL);
            if begins {
                let mode = aclmdlRICaptureMode::ACL_MODEL_RI_CAPTURE_MODE_RELAXED;
                acl!(aclmdlRICaptureBegin(stream, mode));
                acl!(aclmdlRICaptureEnd(stream, &mut graph));
            }
            let runs = acl!(aclmdlRIExecuteAsync(graph, stream)) == 0;
            assert_eq!(runs, !graph.is_null());
            acl!(aclrtSynchronizeStream(stream));
            // To destroy what there is not harms nothing.
            acl!(aclmdlRIDestroy(graph));
        })
    };
    assert_eq!(run(false, Plan::new()), [(rules::MODEL_12, "aclmdlRIExecuteAsync")]);
    assert_eq!(run(true, Plan::new()), []);
    for name in ["aclmdlRICaptureBegin", "aclmdlRICaptureEnd"] {
        let fails = Plan::new().at(Calls::of(name).nth(1), Fault::Fails(ACL_ERROR_RT_MEMORY_ALLOCATION));
        assert_eq!(run(true, fails), [], "{name}");
    }
    let never_begun = broken_by(|| {
        let (stream, mut graph) = (stream(), aclmdlRI::NULL);
        assert_ne!(acl!(aclmdlRICaptureEnd(stream, &mut graph)), 0);
        assert_ne!(acl!(aclmdlRIExecuteAsync(graph, stream)), 0);
    });
    assert_eq!(never_begun, [(rules::GRAPH_01, "aclmdlRICaptureEnd")]);
}

#[test]
fn a_description_that_is_filled_was_created() {
    let (file, mut id) = (files::sum("64", None), 0);
    let mut run = |null: bool, plan: Plan| {
        broken_by(|| {
            ok!(aclmdlLoadFromMem(file.as_ptr().cast(), file.len(), &mut id));
            control::fail(plan).unwrap();
            let desc = if null { null_mut() } else { acl!(aclmdlCreateDesc()) };
            let filled = acl!(aclmdlGetDesc(desc, id)) == 0;
            assert_eq!((filled, acl!(aclmdlGetNumInputs(desc))), (!desc.is_null(), usize::from(filled)));
            acl!(aclmdlDestroyDesc(desc));
            ok!(aclmdlUnload(id));
        })
    };
    assert_eq!(run(true, Plan::new()), [(rules::DATA_05, "aclmdlGetDesc")]);
    assert_eq!(run(false, Plan::new()), []);
    let fails = Plan::new().at(Calls::of("aclmdlCreateDesc").nth(1), Fault::Fails(ACL_ERROR_BAD_ALLOC));
    assert_eq!(run(false, fails), []);
}

/// Imports under a key that nobody has given out, and what a program does with what it believes to have.
#[test]
fn what_is_imported_is_exported_by_another_process() {
    // A number of a process that there is not.
    let nowhere = (1 << 22) - 1;
    let imports: [(&str, &dyn Fn()); 5] = [
        ("aclrtIpcMemImportByKey", &|| {
            let mut block = null_mut();
            assert_ne!(acl!(aclrtIpcMemImportByKey(&mut block, c"nonsense".as_ptr(), 0)), 0);
            assert_ne!(acl!(aclrtMemset(block, 64, 0, 64)), 0);
            assert_ne!(acl!(aclrtIpcMemClose(c"nonsense".as_ptr())), 0);
        }),
        ("aclrtMemImportFromShareableHandle", &|| {
            let (start, mut memory) = (crate::mapped::reserve(1), aclrtDrvMemHandle::NULL);
            assert_ne!(acl!(aclrtMemImportFromShareableHandle(nowhere, 0, &mut memory)), 0);
            used_and_freed(start, memory);
        }),
        ("aclrtMemImportFromShareableHandleV2", &|| {
            let (start, mut memory, mut number) = (crate::mapped::reserve(1), aclrtDrvMemHandle::NULL, nowhere);
            let (number, kind) =
                (std::ptr::from_mut(&mut number).cast(), aclrtMemSharedHandleType::ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT);
            assert_ne!(acl!(aclrtMemImportFromShareableHandleV2(number, kind, 0, &mut memory)), 0);
            used_and_freed(start, memory);
        }),
        ("aclrtNotifyImportByKey", &|| {
            let mut notify = aclrtNotify(without_provenance_mut(0x1234_5670));
            assert_ne!(acl!(aclrtNotifyImportByKey(&mut notify, c"nonsense".as_ptr(), 0)), 0);
            assert_ne!(acl!(aclrtRecordNotify(notify, stream())), 0);
            assert_ne!(acl!(aclrtDestroyNotify(notify)), 0);
        }),
        ("aclrtIpcOpenEventHandle", &|| {
            let (handle, mut event) = (aclrtIpcEventHandle { reserved: [0; 64] }, aclrtEvent::NULL);
            assert_ne!(acl!(aclrtIpcOpenEventHandle(handle, &mut event)), 0);
            assert_ne!(acl!(aclrtStreamWaitEvent(stream(), event)), 0);
            assert_ne!(acl!(aclrtDestroyEvent(event)), 0);
        }),
    ];
    for (name, import) in imports {
        let found: Found = broken_by(import);
        assert_eq!(found, [(rules::IPC_01, name)]);
    }
}

/// What a program does with memory that it believes to have imported.
fn used_and_freed(start: *mut c_void, memory: aclrtDrvMemHandle) {
    assert_ne!(acl!(aclrtMapMem(start, crate::mapped::UNIT, 0, memory, 0)), 0);
    assert_ne!(acl!(aclrtMemset(start, 64, 0, 64)), 0);
    assert_ne!(acl!(aclrtUnmapMem(start)), 0);
    assert_ne!(acl!(aclrtFreePhysical(memory)), 0);
    ok!(aclrtReleaseMemAddress(start));
}
