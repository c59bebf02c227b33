//! The library refuses a call: the object is returned unchanged, and a second try succeeds.

use super::{collect, fail, inside, nothing_fails, upload, with_device};
use crate::common::{alone, c_library, library_at};
use crate::null::{WORK_FAILED, books, in_books, refusal};
use ascendcl::operator::{Attribute, Operator};
use ascendcl::{Acl, ElementType, Error, Failed, ScopeError, Thread};
use ascendcl_macros::proves;
use std::mem;

const REFUSED: i32 = 507_899;

/// The object of a refused call.
#[track_caller]
fn given_back<T, R>(result: Result<R, Failed<T>>, call: &str) -> T {
    let Err(failed) = result else { panic!("{call} was not refused") };
    let (refused, code) = refusal(&failed.error);
    assert_eq!((refused, code), (call, REFUSED));
    failed.value
}

#[test]
fn a_stream_that_cannot_be_destroyed_comes_back_and_works() {
    let books = books();
    in_books(&books, |current| {
        let stream = current.stream().unwrap();
        books.refuse("aclrtDestroyStream", REFUSED, 1);
        let stream = given_back(stream.destroy(current), "aclrtDestroyStream");
        upload(current, &stream).wait(current).unwrap();
        stream.destroy(current).unwrap();
    });
}

#[proves(STREAM_05)]
#[test]
fn a_stream_that_cannot_be_synchronised_is_not_destroyed() {
    let books = books();
    in_books(&books, |current| {
        let stream = current.stream().unwrap();
        drop(upload(current, &stream));
        books.refuse("aclrtSynchronizeStreamWithTimeout", REFUSED, 1);
        let stream = given_back(stream.destroy(current), "aclrtSynchronizeStreamWithTimeout");
        assert_eq!(books.calls("aclrtDestroyStream"), 0);
        stream.destroy(current).unwrap();
    });
}

#[proves(MEM_03)]
#[test]
fn buffers_that_cannot_be_freed_come_back_and_work() {
    let books = books();
    in_books(&books, |current| {
        let (target, mut host) = (current.upload(&[1_i64, 2]).unwrap(), current.host_buffer::<i64>(2).unwrap());
        books.refuse("aclrtFree", REFUSED, 1);
        books.refuse("aclrtFreeHost", REFUSED, 1);
        let target = given_back(target.free(current), "aclrtFree");
        host = given_back(host.free(current), "aclrtFreeHost");
        host.fill(3);
        assert_eq!(target.to_vec(current).unwrap(), [1, 2]);
        target.free(current).unwrap();
        host.free(current).unwrap();
    });
}

#[test]
fn a_model_that_cannot_be_unloaded_comes_back() {
    let books = books();
    in_books(&books, |current| {
        let model = current.load_model("model").unwrap();
        books.refuse("aclmdlUnload", REFUSED, 1);
        given_back(model.unload(current), "aclmdlUnload").unload(current).unwrap();
    });
}

#[test]
fn a_refused_object_that_is_then_dropped_or_forgotten_goes_with_its_scope() {
    let books = books();
    in_books(&books, |current| {
        books.refuse("aclrtFree", REFUSED, 2);
        books.refuse("aclrtDestroyStream", REFUSED, 1);
        mem::forget(current.upload(&[1_u8]).unwrap().free(current).unwrap_err());
        drop(current.upload(&[1_u8]).unwrap().free(current).unwrap_err());
        mem::forget(current.stream().unwrap().destroy(current).unwrap_err());
    });
}

#[proves(STREAM_01)]
#[test]
fn what_a_collection_could_not_take_down_is_reported_and_tried_again() {
    let books = books();
    in_books(&books, |current| {
        drop(current.stream().unwrap());
        drop(current.upload(&[1_u8]).unwrap());
        drop(current.load_model("model").unwrap());
        for call in ["aclrtDestroyStream", "aclrtFree", "aclmdlUnload"] {
            books.refuse(call, REFUSED, 1);
        }
        let errors = current.collect();
        let calls: Vec<_> = errors.iter().map(|error| refusal(error).0).collect();
        assert_eq!(calls, ["aclrtDestroyStream", "aclmdlUnload", "aclrtFree"]);
        collect(current);
        assert_eq!(books.live(), "1 context + device 0 taken 1 time(s) + initialised");
    });
}

#[proves(DEV_10, CTX_03)]
#[test]
fn whatever_refuses_at_the_end_of_a_scope_is_reported_and_keeps_the_device() {
    for call in [
        "aclrtDestroyStream",
        "aclmdlUnload",
        "aclrtFree",
        "aclrtFreeHost",
        "aclrtDestroyContext",
        "aclrtSetCurrentContext",
    ] {
        let books = books();
        let acl = books.acl();
        let mut thread = Thread::new().unwrap();
        let device = acl.device(&mut thread, 0).unwrap();
        let scope = device.with_current(&mut thread, |current| {
            mem::forget(current.load_model("model").unwrap());
            mem::forget(upload(current, &current.stream().unwrap()));
            books.refuse(call, REFUSED, -1);
        });
        let Err(ScopeError::Teardown { errors, result: Some(()) }) = scope else { panic!("{call}: {scope:?}") };
        assert_eq!(errors.iter().map(refusal).collect::<Vec<_>>(), [(call, REFUSED)]);
        let failed = device.reset(&mut thread).unwrap_err();
        assert!(matches!(failed.error, Error::ObjectsLeft { .. }), "{call}: {}", failed.error);
        assert_eq!(books.calls("aclrtResetDevice"), 0);
        books.refuse_no_more(call);
        failed.value.reset(&mut thread).unwrap();
        acl.close().unwrap();
        books.assert_closed();
    }
}

#[proves(MODEL_02, MODEL_03)]
#[test]
fn memory_stays_while_a_model_in_it_cannot_be_unloaded() {
    let books = books();
    let acl = books.acl();
    let mut thread = Thread::new().unwrap();
    let device = acl.device(&mut thread, 0).unwrap();
    let scope = device.with_current(&mut thread, |current| {
        mem::forget((current.load_model("model").unwrap(), current.upload(&[0_u8; 4]).unwrap()));
        books.refuse("aclmdlUnload", REFUSED, 1);
    });
    assert!(matches!(scope, Err(ScopeError::Teardown { .. })), "{scope:?}");
    assert_eq!(books.calls("aclrtFree"), 0, "the model may be working there");
    // Giving the device back tries once more, and the library agrees.
    device.reset(&mut thread).unwrap();
    assert_eq!(books.calls("aclrtFree"), 1);
    acl.close().unwrap();
    books.assert_closed();
}

#[proves(DEV_06)]
#[test]
fn a_device_that_cannot_be_reset_comes_back_and_works() {
    let books = books();
    let acl = books.acl();
    let mut thread = Thread::new().unwrap();
    let device = acl.device(&mut thread, 0).unwrap();
    books.refuse("aclrtResetDevice", REFUSED, 1);
    let device = given_back(device.reset(&mut thread), "aclrtResetDevice");
    device.with_current(&mut thread, |current| drop(current.stream().unwrap())).unwrap();
    device.reset(&mut thread).unwrap();
    acl.close().unwrap();
    books.assert_closed();
}

#[proves(INIT_02, INIT_07)]
#[test]
fn a_library_that_cannot_be_finalised_comes_back_and_works() {
    let books = books();
    let acl = books.acl();
    let mut thread = Thread::new().unwrap();
    mem::forget(acl.device(&mut thread, 0).unwrap());
    mem::forget(acl.device(&mut thread, 1).unwrap());
    books.refuse("aclrtResetDevice", REFUSED, 1);
    books.refuse("aclFinalizeReference", REFUSED, 1);
    let acl = given_back(acl.close(), "aclrtResetDevice");
    let acl = given_back(acl.close(), "aclFinalizeReference");
    assert_eq!(books.calls("aclrtResetDevice"), 3, "each device was given back once");
    let again = acl.device(&mut thread, 1).unwrap();
    again.reset(&mut thread).unwrap();
    acl.close().unwrap();
    books.assert_closed();
}

#[test]
fn what_could_not_begin_leaves_nothing() {
    let books = books();
    for call in ["aclInit", "aclrtSetDevice", "aclrtCreateContext"] {
        books.refuse(call, REFUSED, 1);
    }
    let Err(error) = Acl::init(books.library()) else { panic!("initialised") };
    assert_eq!(refusal(&error), ("aclInit", REFUSED));
    let acl = books.acl();
    let mut thread = Thread::new().unwrap();
    assert_eq!(refusal(&acl.device(&mut thread, 0).unwrap_err()), ("aclrtSetDevice", REFUSED));
    let device = acl.device(&mut thread, 0).unwrap();
    let scope = device.with_current(&mut thread, |_| panic!("the program does not run"));
    let Err::<(), _>(ScopeError::NotOpened(error)) = scope else { panic!("opened") };
    assert_eq!(refusal(&error), ("aclrtCreateContext", REFUSED));
    device.reset(&mut thread).unwrap();
    acl.close().unwrap();
    books.assert_closed();
}

#[test]
fn a_context_that_cannot_be_entered_does_not_run_its_program_and_is_taken_down() {
    let books = books();
    with_device(books.acl(), |device, thread| {
        device
            .context(thread, |context, thread| {
                books.refuse("aclrtSetCurrentContext", REFUSED, 1);
                let entered = context.enter(thread, |_| panic!("the program does not run"));
                let Err::<(), _>(error) = entered else { panic!("entered") };
                assert_eq!(refusal(&error), ("aclrtSetCurrentContext", REFUSED));
                context.enter(thread, |current| drop(current.stream().unwrap())).unwrap();
            })
            .unwrap();
    });
    books.assert_closed();
}

#[proves(MODEL_12)]
#[test]
fn what_cannot_be_created_leaves_the_context_usable() {
    let books = books();
    in_books(&books, |current| {
        for call in ["aclrtCreateStream", "aclrtMalloc", "aclrtMallocHost", "aclmdlLoadFromFile", "aclmdlGetDesc"] {
            books.refuse(call, REFUSED, 1);
        }
        assert_eq!(refusal(&current.stream().unwrap_err()), ("aclrtCreateStream", REFUSED));
        assert_eq!(refusal(&current.device_buffer::<u8>(1).unwrap_err()), ("aclrtMalloc", REFUSED));
        assert_eq!(refusal(&current.host_buffer::<u8>(1).unwrap_err()), ("aclrtMallocHost", REFUSED));
        assert_eq!(refusal(&current.load_model("model").unwrap_err()), ("aclmdlLoadFromFile", REFUSED));
        assert_eq!(refusal(&current.load_model("model").unwrap_err()), ("aclmdlGetDesc", REFUSED));
        assert_eq!(books.live(), "1 context + device 0 taken 1 time(s) + initialised", "the model was unloaded again");
        drop(upload(current, &current.stream().unwrap()));
    });
}

#[test]
fn a_refused_copy_gives_both_buffers_back() {
    let books = books();
    in_books(&books, |current| {
        let stream = current.stream().unwrap();
        let (host, target) = (current.host_buffer::<u8>(4).unwrap(), current.device_buffer::<u8>(4).unwrap());
        books.refuse("aclrtMemcpyAsync", REFUSED, 1);
        let (host, target) = given_back(stream.copy_to_device(current, host, target), "aclrtMemcpyAsync");
        // A call that failed may have queued something: the stream was synchronised before the buffers came back.
        assert_eq!(books.calls("aclrtSynchronizeStreamWithTimeout"), 1);
        host.free(current).unwrap();
        books.refuse("aclrtMemcpy", REFUSED, 1);
        let target = given_back(target.write(current, &[0; 4]), "aclrtMemcpy");
        books.refuse("aclrtMemset", REFUSED, 1);
        let target = given_back(target.zero(current), "aclrtMemset");
        target.zero(current).unwrap().free(current).unwrap();
    });
}

#[proves(MEM_02, COPY_04)]
#[test]
fn buffers_of_a_refused_copy_that_cannot_be_waited_for_are_out_of_reach_and_not_freed() {
    let books = books();
    in_books(&books, |current| {
        let stream = current.stream().unwrap();
        let (host, target) = (current.host_buffer::<u8>(4).unwrap(), current.upload(&[0_u8; 4]).unwrap());
        books.refuse("aclrtMemcpyAsync", REFUSED, 1);
        books.refuse_to_synchronize(WORK_FAILED);
        let (mut target, mut host) = given_back(stream.copy_to_host(current, target, host), "aclrtMemcpyAsync");
        assert_eq!((host.len(), host.iter_mut().count()), (0, 0), "a copy may be writing to it");
        assert_eq!(
            target.to_vec(current).unwrap_err().to_string(),
            "a failed call may have queued work that uses the device memory, and the wait for that work failed too: \
             it cannot be used any more; free it after its stream is synchronised, and use another [MEM-02]"
        );
        assert!(matches!(target.copy_from(current, &[1; 4]), Err(Error::InDoubt { .. })));
        assert!(matches!(target.free(current).unwrap_err().error, Error::StillRunning { .. }));
        let refused = host.into_vec(current).unwrap_err();
        assert!(matches!(refused.error, Error::InDoubt { .. }), "{}", refused.error);
        drop(refused.value);
        collect(current);
        assert_eq!((books.calls("aclrtFree"), books.calls("aclrtFreeHost")), (0, 0));
        books.synchronize_again();
        stream.destroy(current).unwrap();
    });
}

#[proves(MEM_02, ERR_02)]
#[test]
fn a_failed_wait_does_not_count_as_done() {
    let books = books();
    in_books(&books, |current| {
        let stream = current.stream().unwrap();
        let copy = upload(current, &stream);
        books.refuse("aclrtSynchronizeStreamWithTimeout", WORK_FAILED, 1);
        let failed = copy.wait(current).unwrap_err();
        assert_eq!(refusal(&failed.error), ("aclrtSynchronizeStreamWithTimeout", WORK_FAILED));
        drop(failed);
        collect(current);
        assert_eq!((books.calls("aclrtFree"), books.calls("aclrtFreeHost")), (0, 0));
    });
}

#[proves(CTX_05, STREAM_09)]
#[test]
fn an_outer_context_that_cannot_be_made_current_again_is_not_used_in_the_inner_one() {
    let books = books();
    with_device(books.acl(), |device, thread| {
        device
            .context(thread, |inner, thread| {
                let outer = device.with_current(thread, |current| {
                    let stream = current.stream().unwrap();
                    inner.enter(current, |_| books.refuse("aclrtSetCurrentContext", REFUSED, 1)).unwrap();
                    let _error_or_in_order = stream.synchronize(current);
                });
                outer.unwrap();
            })
            .unwrap();
    });
    books.assert_closed();
}

/// On a thread without a context the library's text is about that, whatever failed. It is left out then, unless the
/// missing context is what failed.
#[proves(ERR_03)]
#[test]
fn a_text_about_a_missing_context_is_told_only_where_that_is_the_failure() {
    const TEXT: &str = "the current Context is null";
    const OTHER: &str = "the driver is too old";
    let _others = books();
    let libraries = [
        ("says-no-context", TEXT, 107_002, Some(TEXT)),
        ("says-no-context-always", TEXT, 507_899, None),
        ("says-something-else", OTHER, 507_899, Some(OTHER)),
    ];
    for (name, text, code, told) in libraries {
        let source = include_str!("../null/library.c")
            .replace(
                "GetRecentErrMsg(void) { return NULL; }",
                &format!("GetRecentErrMsg(void) {{ return \"{text}\"; }}"),
            )
            .replace("*count = 1; return 0;", &format!("static int n; *count = 1; return n++ == 1 ? 0 : {code};"));
        let acl = Acl::init(library_at(c_library(name, &source))).unwrap();
        let failure = || {
            let Error::Vendor(error) = acl.device_count().unwrap_err() else { panic!("another error") };
            (error.code.number(), error.text.as_deref().map(str::to_owned))
        };
        assert_eq!(failure(), (code, told.map(str::to_owned)));
        // With a context the text is about the failure, whatever it says.
        let mut thread = Thread::new().unwrap();
        let device = acl.device(&mut thread, 0).unwrap();
        assert_eq!(device.with_current(&mut thread, |_| failure()).unwrap(), (code, Some(text.to_owned())));
        device.reset(&mut thread).unwrap();
        acl.close().unwrap();
    }
}

/// What the library refuses while a description is put together: the description does not come to be without it.
#[proves(ALLOC_06)]
#[test]
fn a_part_of_a_description_that_the_library_refuses_is_an_error() {
    let alone = alone();
    inside(|current| {
        let setters = ["Obj", "AllocFunc", "FreeFunc", "AllocAdviseFunc", "GetAddrFromBlockFunc"];
        for setter in setters.map(|part| format!("aclrtAllocatorSet{part}ToDesc")) {
            fail(&format!("{setter}=507899"));
            let (stream, allocator) = (current.stream().unwrap(), super::common::allocators::Empty(()));
            let refused = stream.register(current, allocator).unwrap_err();
            nothing_fails();
            let (call, code) = refusal(&refused.error);
            assert_eq!((call, code), (setter.as_str(), REFUSED));
            drop(refused.value.0.register(current, refused.value.1).unwrap());
        }
        let attributes = [
            ("Bool", Attribute::Bool(true)),
            ("Int", Attribute::Int(1)),
            ("Float", Attribute::Float(1.0)),
            ("String", Attribute::Text("text".to_owned())),
            ("DataType", Attribute::Element(ElementType::F32)),
            ("ListBool", Attribute::Bools(vec![true])),
            ("ListInt", Attribute::Ints(vec![1])),
            ("ListFloat", Attribute::Floats(vec![1.0])),
            ("ListString", Attribute::Texts(vec!["text".to_owned()])),
        ];
        for (kind, value) in attributes {
            fail(&format!("aclopSetAttr{kind}=507899"));
            let [x, y] = [1.0, 0.0].map(|value| current.upload_tensor(&[4], &[value; 4]).unwrap());
            let refused = Operator::new("Relu").with("attribute", value).bind(current, x, y).unwrap_err();
            nothing_fails();
            assert_eq!(refusal(&refused.error).1, REFUSED, "{kind}");
        }
    });
    alone.assert_nothing_lives();
}
