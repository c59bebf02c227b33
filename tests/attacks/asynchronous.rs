//! Callbacks, futures and lent memory with a library that refuses, loses callbacks, or hangs.

use super::with_device;
use crate::null::{TIMEOUT, WORK_FAILED, books, in_books, refusal};
use ascendcl::Error;
use ascendcl_macros::proves;
use std::mem;
use std::pin::pin;
use std::process::Command;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

const REFUSED: i32 = 107_000;
/// Set in the process that is expected to abort.
const DOOMED: &str = "ASCENDCL_TEST_LENDS_WHAT_CANNOT_BE_WAITED_FOR";

#[proves(CB_08)]
#[test]
fn a_refused_callback_comes_back_and_one_that_may_have_been_taken_is_kept() {
    let books = books();
    let captured = Arc::new(());
    in_books(&books, |current| {
        let stream = current.stream().unwrap();
        let keeps = Arc::clone(&captured);
        books.refuse("aclrtLaunchHostFunc", REFUSED, 1);
        let failed = stream.launch_host_fn(current, move || drop(keeps)).unwrap_err();
        assert_eq!(refusal(&failed.error), ("aclrtLaunchHostFunc", REFUSED));
        let callback = failed.value.unwrap();
        assert_eq!(Arc::strong_count(&captured), 2);
        books.refuse("aclrtLaunchHostFunc", WORK_FAILED, 1);
        assert!(stream.launch_host_fn(current, callback).unwrap_err().value.is_none());
        assert_eq!(Arc::strong_count(&captured), 2, "the library may call it yet: not freed");
    });
}

#[proves(CB_08)]
#[test]
fn a_lost_callback_is_an_error_and_nothing_that_it_captured_is_freed() {
    let books = books();
    let captured = Arc::new(());
    in_books(&books, |current| {
        let stream = current.stream().unwrap();
        let keeps = Arc::clone(&captured);
        books.lose_callbacks();
        let reply = stream.launch_host_fn(current, move || drop(keeps)).unwrap();
        let lost = reply.wait(current).unwrap().into_result();
        assert!(matches!(lost, Err(Error::CallbackLost)));
    });
    assert_eq!(Arc::strong_count(&captured), 2);
}

#[test]
fn a_future_that_cannot_ask_whether_it_is_done_gives_its_work_back() {
    let books = books();
    in_books(&books, |current| {
        let mut stream = current.stream().unwrap();
        books.refuse("aclrtQueryEventStatus", REFUSED, -1);
        books.refuse("aclrtStreamQuery", REFUSED, 1);
        let work = stream.set_bytes(current, current.device_buffer::<u8>(4).unwrap(), 1).unwrap();
        let mut work = pin!(work.into_future(current, &mut stream).unwrap());
        let polled = work.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        let Poll::Ready(Err(failed)) = polled else { panic!("the query was refused") };
        assert_eq!(refusal(&failed.error), ("aclrtStreamQuery", REFUSED));
        assert_eq!(failed.value.wait(current).unwrap().to_vec(current).unwrap(), [1; 4]);
        assert!(work.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending(), "polled once too often");
    });
}

#[test]
fn a_refused_future_gives_its_work_back() {
    let books = books();
    in_books(&books, |current| {
        let (mut one, mut two) = (current.stream().unwrap(), current.stream().unwrap());
        let work = one.set_bytes(current, current.device_buffer::<u8>(4).unwrap(), 1).unwrap();
        let failed = work.into_future(current, &mut two).unwrap_err();
        assert!(matches!(failed.error, Error::OtherStream { .. }));
        let mut work = failed.value;
        for call in ["aclrtCreateEvent", "aclrtRecordEvent"] {
            books.refuse(call, REFUSED, 1);
            let failed = work.into_future(current, &mut one).unwrap_err();
            assert_eq!(refusal(&failed.error), (call, REFUSED));
            work = failed.value;
        }
        drop(work.wait(current).unwrap());
    });
}

#[proves(COPY_04, ERR_02)]
#[test]
fn failed_work_on_lent_memory_is_an_error_once_the_second_wait_succeeds() {
    let books = books();
    in_books(&books, |current| {
        let image = [1_u8; 4];
        let lent = current.copy_scope(|current, copies| {
            let stream = current.stream().unwrap();
            let target = current.device_buffer(4).unwrap();
            mem::forget(copies.copy_to_device(current, &stream, &image, target).unwrap());
            books.refuse("aclrtSynchronizeStreamWithTimeout", WORK_FAILED, 1);
        });
        assert_eq!(refusal(&lent.unwrap_err()), ("aclrtSynchronizeStreamWithTimeout", WORK_FAILED));
    });
}

#[proves(COPY_04)]
#[test]
fn memory_that_was_lent_and_cannot_be_waited_for_ends_the_process() {
    if std::env::var_os(DOOMED).is_some() {
        lends_what_cannot_be_waited_for();
    }
    let test = "asynchronous::memory_that_was_lent_and_cannot_be_waited_for_ends_the_process";
    let doomed = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture", "--test-threads=1"])
        .env(DOOMED, "1")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&doomed.stderr);
    assert_eq!(std::os::unix::process::ExitStatusExt::signal(&doomed.status), Some(libc::SIGABRT), "{said}");
    assert!(
        said.contains("ascendcl: aborting the process: memory that was lent to a copy may still be in use"),
        "{said}"
    );
    assert!(!said.contains("the lending is over"), "{said}");
}

fn lends_what_cannot_be_waited_for() {
    let books = books();
    with_device(books.acl(), |device, thread| {
        let _ = device.with_current(thread, |current| {
            let mut copy = [0_u8; 4];
            let _ = current.copy_scope(|current, copies| {
                let (stream, source) = (current.stream().unwrap(), current.upload(&[1_u8; 4]).unwrap());
                drop(copies.copy_to_host(current, &stream, source, &mut copy).unwrap());
                books.refuse_to_synchronize(TIMEOUT);
            });
            eprintln!("the lending is over");
        });
    });
}
