//! Callbacks that call the library.

use crate::files;
use crate::models::{dataset, load};
use crate::pool::*;
use crate::support::*;
use crate::tensors::*;
use ascendcl_rules as rules;
use ascendcl_sim::exports::{base::*, model::*};
use std::ptr::null_mut;
use std::sync::Mutex;

/// What a callback works with; there is one test at a time.
static ITEMS: Mutex<Option<Shared<(aclrtStream, Tensor, Tensor, aclrtContext)>>> = Mutex::new(None);
static ANSWERS: Mutex<Vec<aclError>> = Mutex::new(Vec::new());

fn ready() -> (aclrtStream, &'static Pool) {
    let (stream, pool) = (stream(), Pool::new(1 << 16));
    pool.register(stream);
    let mut context = aclrtContext::NULL;
    ok!(aclrtGetCurrentContext(&mut context));
    *ITEMS.lock().unwrap() = Some(Shared((stream, input(&[1], &[-7_i32]), output::<i32>(&[1], 1), context)));
    ANSWERS.lock().unwrap().clear();
    (stream, pool)
}

fn items() -> (aclrtStream, Tensor, Tensor, aclrtContext) {
    ITEMS.lock().unwrap().as_ref().unwrap().get()
}

fn run() -> aclError {
    let (stream, a, y, _) = items();
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
    let _machine = watched_device();
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
    assert_eq!(findings(), [rules::ALLOC_18; 3]);

    pool.inside_free(|_| answer(run()));
    assert_eq!(run(), ACL_SUCCESS, "outside the callback it may again");
    ok!(aclrtSynchronizeStream(stream));
    assert_eq!(answers(), [REFUSED; 4]);
}

#[test]
fn a_callback_may_allocate_copy_and_free_device_memory() {
    let _machine = watched_device();
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
    let _machine = watched_device();
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
    let _machine = watched_device();
    let (stream, pool) = ready();
    pool.inside_free(|_| {
        answer(acl!(aclrtSynchronizeStream(items().0)));
    });
    assert_eq!(run(), ACL_SUCCESS);
    ok!(aclrtSynchronizeStream(stream));
    assert_eq!(answers(), [ACL_ERROR_RT_CONTEXT_NULL], "a thread of the library has no context");

    pool.inside_free(|_| {
        ok!(aclrtSetCurrentContext(items().3));
        answer(acl!(aclrtSynchronizeStream(items().0)));
    });
    assert_eq!(run(), ACL_SUCCESS);
    ok!(aclrtSynchronizeStream(stream));
    assert_eq!(answers(), [ACL_ERROR_RT_CONTEXT_NULL, REFUSED]);
}

#[test]
fn a_callback_that_destroys_the_stream_makes_the_call_fail() {
    let _machine = watched_device();
    let (_, pool) = ready();
    pool.inside_allocate(|_| answer(acl!(aclrtDestroyStream(items().0))));
    fails!(ACL_ERROR_RT_INVALID_HANDLE, "stream", run());
    assert_eq!((answers(), pool.out()), (vec![ACL_SUCCESS], 0));
}

#[test]
fn a_run_that_needs_a_block_from_an_allocator_that_waits_for_it_fails_and_nothing_hangs() {
    static GATE: Mutex<Option<std::sync::mpsc::Sender<()>>> = Mutex::new(None);
    let _machine = watched_device();
    let (stream, pool) = ready();
    // How many positions there will be, only the run tells.
    let (id, x, y) = (load(&files::positions()), input(&[4], &[1.0_f32; 4]), acl!(aclCreateDataBuffer(null_mut(), 0)));
    let (inputs, outputs) = (dataset(x.buffer), dataset(y));
    *GATE.lock().unwrap() = Some(hold_up(stream));
    ok!(aclmdlExecuteAsync(id, inputs, outputs, stream));
    pool.inside_allocate(|_| {
        drop(GATE.lock().unwrap().take());
        answer(acl!(aclrtSynchronizeStream(items().0)));
    });
    assert_eq!(run(), ACL_SUCCESS, "{}", message());
    assert_eq!(answers(), [REFUSED]);
    ok!(aclrtSynchronizeStream(stream));
    assert_eq!(items().2.elements::<i32>(), [0]);
    assert_eq!((acl!(aclGetDataBufferAddr(y)), pool.out()), (null_mut(), 0));
}

#[test]
fn an_allocator_may_free_device_memory_in_its_free_function() {
    static BLOCK: Mutex<Option<Shared<*mut std::ffi::c_void>>> = Mutex::new(None);
    let _machine = watched_device();
    let (stream, pool) = ready();
    *BLOCK.lock().unwrap() = Some(Shared(malloc(64)));
    pool.inside_free(|_| {
        if let Some(block) = BLOCK.lock().unwrap().take() {
            answer(acl!(aclrtFree(block.get())));
        }
    });
    assert_eq!(run(), ACL_SUCCESS, "{}", message());
    ok!(aclrtSynchronizeStream(stream));
    assert_eq!(answers(), [ACL_SUCCESS]);
    let found = ascendcl_sim::control::findings();
    assert!(found.iter().all(|finding| finding.rule != rules::CB_01), "{}", found[0]);
}

static GATE: Mutex<Option<std::sync::mpsc::Sender<()>>> = Mutex::new(None);
static EVENT: Mutex<Option<Shared<aclrtEvent>>> = Mutex::new(None);

/// The stream runs a model that needs a block, while this code runs inside the allocator.
fn inside_while_a_model_needs_a_block(code: fn(&'static Pool)) {
    let _machine = watched_device();
    let (stream, pool) = ready();
    let (id, x, y) = (load(&files::positions()), input(&[4], &[1.0_f32; 4]), acl!(aclCreateDataBuffer(null_mut(), 0)));
    let (inputs, outputs) = (dataset(x.buffer), dataset(y));
    let mut event = aclrtEvent::NULL;
    ok!(aclrtCreateEventExWithFlag(&mut event, ACL_EVENT_IPC));
    *EVENT.lock().unwrap() = Some(Shared(event));
    *GATE.lock().unwrap() = Some(hold_up(stream));
    ok!(aclmdlExecuteAsync(id, inputs, outputs, stream));
    pool.inside_allocate(code);
    assert_eq!(run(), ACL_SUCCESS, "{}", message());
    assert_eq!(acl!(aclrtSynchronizeStream(stream)), REFUSED, "the model gets no block: {}", message());
    assert_eq!(items().2.elements::<i32>(), [0]);
}

#[test]
fn an_allocator_that_waits_for_room_on_a_stream_that_needs_its_block_goes_on() {
    inside_while_a_model_needs_a_block(|_| {
        drop(GATE.lock().unwrap().take());
        let recorded = event();
        for _ in 0..5000 {
            ok!(aclrtRecordEvent(recorded, items().0));
        }
    });
}

#[test]
fn an_allocator_that_waits_for_an_event_of_several_processes_goes_on() {
    inside_while_a_model_needs_a_block(|_| {
        let event = EVENT.lock().unwrap().take().unwrap().get();
        ok!(aclrtRecordEvent(event, items().0));
        drop(GATE.lock().unwrap().take());
        ok!(aclrtSynchronizeEvent(event));
    });
}
