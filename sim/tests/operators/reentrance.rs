//! Callbacks that call the library.

use crate::pool::*;
use crate::support::*;
use crate::tensors::*;
use ascendcl_sim::control::Notice;
use std::sync::Mutex;

/// What a callback works with; there is one test at a time.
static ITEMS: Mutex<Option<Shared<(aclrtStream, Tensor, Tensor)>>> = Mutex::new(None);
static ANSWERS: Mutex<Vec<aclError>> = Mutex::new(Vec::new());

fn ready() -> (aclrtStream, &'static Pool) {
    let (stream, pool) = (stream(), Pool::new(1 << 16));
    pool.register(stream);
    *ITEMS.lock().unwrap() = Some(Shared((stream, input(&[1], &[-7_i32]), output::<i32>(&[1], 1))));
    ANSWERS.lock().unwrap().clear();
    (stream, pool)
}

fn items() -> (aclrtStream, Tensor, Tensor) {
    ITEMS.lock().unwrap().as_ref().unwrap().get()
}

fn run() -> aclError {
    let (stream, a, y) = items();
    execute("Relu", &[a], y, NO_ATTRIBUTES, stream)
}

fn answer(code: aclError) {
    ANSWERS.lock().unwrap().push(code);
}

fn answers() -> Vec<aclError> {
    ANSWERS.lock().unwrap().clone()
}

const REFUSED: aclError = ACL_ERROR_RT_FEATURE_NOT_SUPPORT;

#[test]
fn a_callback_neither_executes_nor_registers() {
    let _machine = device();
    let (stream, pool) = ready();
    pool.inside_allocate(|pool| {
        answer(run());
        assert!(message().contains("aclopCompileAndExecuteV2 was called from inside a callback of an allocator"));
        let (stream, ..) = items();
        answer(acl!(aclrtAllocatorUnregister(stream)));
        let desc = pool.describe(true);
        answer(acl!(aclrtAllocatorRegister(stream, desc)));
        ok!(aclrtAllocatorDestroyDesc(desc));
    });
    assert_eq!(run(), ACL_SUCCESS, "{}", message());
    ok!(aclrtSynchronizeStream(stream));
    assert_eq!(answers(), [REFUSED; 3]);
    assert_eq!(items().2.elements::<i32>(), [0]);
    let found = findings();
    assert!(matches!(found[..], [Notice::Reentered(_), Notice::Reentered(_), Notice::Reentered(_)]), "{found:?}");
    assert!(matches!(found[0], Notice::Reentered(by) if by.stream == stream.0.addr() && by.allocator == pool.number()));

    pool.inside_free(|_| answer(run()));
    assert_eq!(run(), ACL_SUCCESS, "outside the callback it may again");
    ok!(aclrtSynchronizeStream(stream));
    assert_eq!(answers().len(), 4);
    assert_ne!(answers()[3], ACL_SUCCESS);
}

#[test]
fn a_callback_may_allocate_copy_and_free_device_memory() {
    let _machine = device();
    let (stream, pool) = ready();
    pool.inside_allocate(|_| {
        let block = malloc(64);
        ok!(aclrtMemset(block, 64, 1, 64));
        ok!(aclrtFree(block));
    });
    assert_eq!(run(), ACL_SUCCESS);
    ok!(aclrtSynchronizeStream(stream));
    assert_eq!(findings(), []);
}

#[test]
fn an_allocate_callback_may_synchronise_the_stream_to_get_blocks_back() {
    let _machine = device();
    let (stream, pool) = ready();
    let open = hold_up(stream);
    assert_eq!(run(), ACL_SUCCESS);
    drop(open);
    pool.inside_allocate(|_| answer(acl!(aclrtSynchronizeStream(items().0))));
    assert_eq!(run(), ACL_SUCCESS);
    assert_eq!(answers(), [ACL_SUCCESS]);
    ok!(aclrtSynchronizeStream(stream));
    // The block of the first run went back when the thread was out of its callback: no two calls at a time.
    soon("the return of both blocks", || pool.out() == 0);
    assert_eq!(pool.calls().len(), 4);
}

#[test]
fn a_free_callback_that_waits_for_its_own_stream_is_refused() {
    let _machine = device();
    let (stream, pool) = ready();
    pool.inside_free(|_| {
        answer(acl!(aclrtSynchronizeStream(items().0)));
    });
    assert_eq!(run(), ACL_SUCCESS);
    ok!(aclrtSynchronizeStream(stream));
    assert_eq!(answers().len(), 1);
    assert_ne!(answers(), [ACL_SUCCESS]);
}

#[test]
fn a_callback_that_destroys_the_stream_makes_the_call_fail() {
    let _machine = device();
    let (_, pool) = ready();
    pool.inside_allocate(|_| answer(acl!(aclrtDestroyStream(items().0))));
    fails!(ACL_ERROR_RT_INVALID_HANDLE, "stream", run());
    assert_eq!((answers(), pool.out()), (vec![ACL_SUCCESS], 0));
}
