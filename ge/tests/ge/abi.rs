//! Calls the shim's C functions in any order, as a C program could. The engine has to refuse the mistakes that the
//! types of the safe layer prevent; the double answers as the vendor documents.

use crate::common;
use crate::support::world;
use ascendcl_ge_double::Upset;
use ascendcl_ge_sys::{
    Allocator, Calls, EXCEPTION, FAILED, Format, Library, MAX_RANK, Options, Outputs, SUCCESS, Session, Source, Status,
    Summary, Tensor,
};
use ascendcl_macros::proves;
use ascendcl_sim::exports::{copy, device, memory, stream};
use ascendcl_sys::types::*;
use core::ffi::{CStr, c_void};
use core::ptr::{null, null_mut};
use std::sync::Mutex;

const NONE: Options = Options { keys: null(), values: null(), count: 0 };

/// A session with one compiled graph of fixed shapes, on a stream of the default context.
struct Program {
    shim: &'static Library,
    session: *mut Session,
    stream: aclrtStream,
    /// The default context. The engine makes another one current.
    context: aclrtContext,
}

/// What the C allocator of these tests has given out.
#[derive(Default)]
struct Pool(Mutex<Vec<usize>>);

unsafe extern "C" fn allocate(pool: *mut c_void, bytes: usize) -> *mut c_void {
    let mut address = null_mut();
    // SAFETY: `address` is a place for the address; the object is a `Pool` that outlives its registration.
    unsafe {
        assert_eq!(memory::aclrtMalloc(&raw mut address, bytes, aclrtMemMallocPolicy(0)), 0);
        (*pool.cast::<Pool>()).0.lock().unwrap().push(address.addr());
    }
    address
}

unsafe extern "C" fn advise(pool: *mut c_void, bytes: usize, _near: *mut c_void) -> *mut c_void {
    // SAFETY: `allocate` asks for a `Pool` that outlives its registration: the library passes the registered object.
    unsafe { allocate(pool, bytes) }
}

unsafe extern "C" fn free(pool: *mut c_void, block: *mut c_void) {
    // SAFETY: the object is a `Pool` that outlives its registration. The library gives each block back once.
    unsafe {
        (*pool.cast::<Pool>()).0.lock().unwrap().retain(|known| *known != block.addr());
        assert_eq!(memory::aclrtFree(block), 0);
    }
}

unsafe extern "C" fn address_of(block: *mut c_void) -> *mut c_void {
    block
}

impl Pool {
    fn calls(&self) -> Calls {
        Calls { object: (&raw const *self).cast_mut().cast(), allocate, advise, free, address_of }
    }

    fn out(&self) -> usize {
        self.0.lock().unwrap().len()
    }
}

impl Program {
    fn begin() -> Self {
        let double = ascendcl_ge_double::Double::load().unwrap();
        let model = common::digits_in_batches_of(2);
        let (mut session, mut stream, mut context) = (null_mut(), aclrtStream::NULL, aclrtContext::NULL);
        // SAFETY: places for the handles, terminated strings, an image that is read during the call.
        unsafe {
            let shim = Library::load(&double.place()).unwrap();
            assert_eq!(device::aclrtSetDevice(0), 0);
            assert_eq!(device::aclrtGetCurrentContext(&raw mut context), 0);
            assert_eq!(stream::aclrtCreateStream(&raw mut stream), 0);
            assert_eq!((shim.initialize)(&NONE), SUCCESS);
            assert_eq!((shim.session_create)(&NONE, &raw mut session), SUCCESS);
            assert_eq!(device::aclrtSetCurrentContext(context), 0);
            let (start, bytes) = (model.as_ptr().cast(), model.len());
            let source = Source { format: Format::OnnxMemory, path: null(), start, bytes };
            assert_eq!((shim.add_graph)(session, 7, &raw const source, &NONE), SUCCESS);
            assert_eq!(device::aclrtSetCurrentContext(context), 0);
            assert_eq!((shim.compile_graph)(session, 7), SUCCESS);
            assert_eq!(device::aclrtSetCurrentContext(context), 0);
            Self { shim, session, stream, context }
        }
    }

    fn register(&self, pool: &Pool) -> *mut Allocator {
        let mut made = null_mut();
        // SAFETY: the pool outlives the registration in each of these tests.
        let status =
            unsafe { (self.shim.register_allocator)(self.session, self.stream.0, &pool.calls(), &raw mut made) };
        assert_eq!(status, SUCCESS);
        made
    }

    fn load(&self) -> Status {
        // SAFETY: session, stream and context are alive.
        unsafe {
            let status = (self.shim.load_graph)(self.session, 7, &NONE, self.stream.0);
            assert_eq!(device::aclrtSetCurrentContext(self.context), 0);
            status
        }
    }

    /// Executes on two images, or runs; answers with the status and how many elements the first output has.
    fn execute(&self, run: bool) -> (Status, usize) {
        let (mut address, bytes) = (null_mut(), 2 * 64 * 4);
        let mut outputs: *mut Outputs = null_mut();
        // SAFETY: the input is device memory of the stated size, freed after the stream was synchronised.
        unsafe {
            assert_eq!(memory::aclrtMalloc(&raw mut address, bytes, aclrtMemMallocPolicy(0)), 0);
            assert_eq!(copy::aclrtMemset(address, bytes, 0, bytes), 0);
            let input = Tensor { element: 0, dims: [2_i64, 64].as_ptr(), rank: 2, address, bytes };
            let call = if run { self.shim.run_graph } else { self.shim.execute_graph };
            let status = call(self.session, 7, self.stream.0, &raw const input, 1, &raw mut outputs);
            assert_eq!(device::aclrtSetCurrentContext(self.context), 0);
            assert_eq!(stream::aclrtSynchronizeStream(self.stream), 0);
            let mut elements = 0;
            if status == SUCCESS {
                assert_eq!((self.shim.outputs_count)(outputs), 1);
                let mut output = Tensor { element: -1, dims: null(), rank: 0, address: null_mut(), bytes: 0 };
                (self.shim.outputs_get)(outputs, 1, &raw mut output);
                assert_eq!(output.element, -1, "there is no second output, and the place stays as it was");
                (self.shim.outputs_get)(outputs, 0, &raw mut output);
                assert!(output.element == 0 && !output.address.is_null());
                elements = core::slice::from_raw_parts(output.dims, output.rank).iter().product::<i64>() as usize;
                assert_eq!(output.bytes, elements * 4);
                (self.shim.outputs_release)(outputs);
            }
            assert_eq!(memory::aclrtFree(address), 0);
            (status, elements)
        }
    }

    fn said(&self) -> String {
        // SAFETY: the answer is copied before the next call.
        unsafe { CStr::from_ptr((self.shim.last_error)()) }.to_string_lossy().into_owned()
    }

    fn end(self) {
        self.end_and_then(|| ());
    }

    /// Calls `free` after the session was destroyed, while the device is still set.
    fn end_and_then(self, free: impl FnOnce()) {
        // SAFETY: each is ended once, in this order.
        unsafe {
            // The engine's table of allocators does not end with the session.
            assert_eq!((self.shim.unregister_allocator)(self.session, self.stream.0), SUCCESS);
            assert_eq!((self.shim.session_destroy)(self.session), SUCCESS);
            assert_eq!(device::aclrtSetCurrentContext(self.context), 0);
            free();
            assert_eq!((self.shim.finalize)(), SUCCESS);
            assert_eq!(stream::aclrtDestroyStream(self.stream), 0);
            assert_eq!(device::aclrtResetDevice(0), 0);
        }
    }
}

#[test]
#[proves(GE_01)]
fn an_allocator_that_is_registered_after_the_load_is_not_asked_and_nothing_says_so() {
    let world = world();
    let acl = common::acl();
    let (program, pool) = (Program::begin(), Pool::default());
    assert_eq!(program.load(), SUCCESS);
    let allocator = program.register(&pool);
    assert_eq!(program.execute(false), (SUCCESS, 20));
    assert_eq!(pool.out(), 0, "nothing was taken from it, now or before");
    // SAFETY: made by `register`, closed once.
    unsafe { (program.shim.allocator_close)(allocator) };
    program.end();
    acl.close().unwrap();
    world.assert_nothing_lives();
}

#[test]
fn a_graph_is_loaded_once() {
    let world = world();
    let acl = common::acl();
    let program = Program::begin();
    assert_eq!(program.execute(false).0, FAILED);
    assert_eq!(program.said(), "only a loaded graph is executed");
    assert_eq!(program.load(), SUCCESS);
    assert_eq!(program.load(), FAILED);
    assert_eq!(program.said(), "only a compiled graph is loaded, and once");
    assert_eq!(program.execute(false), (SUCCESS, 20));
    program.end();
    acl.close().unwrap();
    world.assert_nothing_lives();
}

#[test]
fn the_other_way_to_run_takes_outputs_from_the_allocator_and_needs_no_load() {
    let world = world();
    let acl = common::acl();
    let (program, pool) = (Program::begin(), Pool::default());
    let allocator = program.register(&pool);
    assert_eq!(program.execute(true), (SUCCESS, 20));
    assert_eq!(pool.out(), 0);
    // SAFETY: made by `register`; from now on it has no memory for the engine.
    unsafe { (program.shim.allocator_close)(allocator) };
    assert_eq!(program.execute(true).0, FAILED);
    assert_eq!(program.said(), "the allocator has no memory");
    // SAFETY: session and stream are alive.
    unsafe { assert_eq!((program.shim.unregister_allocator)(program.session, program.stream.0), SUCCESS) };
    assert_eq!(program.execute(true), (SUCCESS, 20), "in memory of the engine's own");
    program.end();
    acl.close().unwrap();
    world.assert_nothing_lives();
}

#[test]
fn blocks_that_are_out_come_back_to_an_allocator_that_was_closed() {
    let world = world();
    let acl = common::acl();
    let (program, pool) = (Program::begin(), Pool::default());
    let allocator = program.register(&pool);
    assert_eq!(program.load(), SUCCESS);
    assert_eq!(pool.out(), 2);
    // SAFETY: made by `register`, closed once; its blocks are out, and the pool stays.
    unsafe { (program.shim.allocator_close)(allocator) };
    assert_eq!(pool.out(), 2);
    program.end();
    assert_eq!(pool.out(), 0);
    acl.close().unwrap();
    world.assert_nothing_lives();
}

/// The engine may know an allocator whose registration failed. The caller has it back, so the engine gets no memory from it.
#[test]
#[proves(GE_08, GE_09)]
fn an_allocator_whose_registration_threw_when_it_had_taken_effect_lends_nothing() {
    let world = world();
    let acl = common::acl();
    let (program, pool) = (Program::begin(), Pool::default());
    let mut made = null_mut();
    world.double.upset("RegisterExternalAllocator", Upset::ThrowAfter);
    // SAFETY: the pool outlives the session.
    let status =
        unsafe { (program.shim.register_allocator)(program.session, program.stream.0, &pool.calls(), &raw mut made) };
    assert_eq!((status, made.is_null()), (EXCEPTION, true));
    assert_eq!(program.load(), FAILED);
    assert_eq!(program.said(), "the allocator has no memory");
    assert_eq!(pool.out(), 0);
    program.end();
    acl.close().unwrap();
    world.assert_nothing_lives();
}

/// The executor's shapes check nothing.
#[test]
#[proves(GE_19)]
fn an_input_with_more_sizes_than_a_shape_has_room_for_is_refused_before_the_engine_is_asked() {
    let world = world();
    let acl = common::acl();
    let program = Program::begin();
    assert_eq!(program.load(), SUCCESS);
    let (dims, mut outputs) = ([1_i64; MAX_RANK + 1], null_mut());
    let input = Tensor { element: 0, dims: dims.as_ptr(), rank: dims.len(), address: null_mut(), bytes: 0 };
    // SAFETY: session and stream are alive; the input is refused before its memory is used.
    let status = unsafe {
        (program.shim.execute_graph)(program.session, 7, program.stream.0, &raw const input, 1, &raw mut outputs)
    };
    assert_eq!((status, outputs.is_null()), (FAILED, true));
    assert!(program.said().contains("more sizes"), "{}", program.said());
    assert!(!world.calls().contains(&"ExecuteGraphWithStreamAsync".to_owned()));
    program.end();
    acl.close().unwrap();
    world.assert_nothing_lives();
}

#[test]
fn memory_bases_are_set_once_and_on_compiled_graphs() {
    let world = world();
    let acl = common::acl();
    let program = Program::begin();
    let mut needs = Summary::default();
    let mut block = null_mut();
    // SAFETY: the block holds what the graph needs, and is freed after the session has ended.
    unsafe {
        assert_eq!((program.shim.graph_summary)(program.session, 7, &raw mut needs), SUCCESS);
        assert_eq!((program.shim.graph_summary)(program.session, 8, &raw mut needs), FAILED);
        assert_eq!(memory::aclrtMalloc(&raw mut block, needs.const_bytes, aclrtMemMallocPolicy(0)), 0);
        let set = |id| (program.shim.set_const_memory)(program.session, id, block, needs.const_bytes);
        assert_eq!([set(8), set(7), set(7)], [FAILED, SUCCESS, FAILED]);
    }
    assert_eq!(program.load(), SUCCESS);
    // SAFETY: freed once.
    program.end_and_then(|| assert_eq!(unsafe { memory::aclrtFree(block) }, 0));
    acl.close().unwrap();
    world.assert_nothing_lives();
}

#[test]
fn null_and_unknown_things_are_refused_with_words() {
    let world = world();
    let acl = common::acl();
    let (program, pool) = (Program::begin(), Pool::default());
    let mut made = null_mut();
    // SAFETY: the calls are refused before anything is used.
    unsafe {
        let on_null = (program.shim.register_allocator)(program.session, null_mut(), &pool.calls(), &raw mut made);
        assert_eq!((on_null, made.is_null()), (FAILED, true));
        assert_eq!(program.said(), "a null stream or allocator");
        assert_eq!((program.shim.remove_graph)(program.session, 8), FAILED);
        assert_eq!(program.said(), "there is no such graph");
        (program.shim.allocator_close)(null_mut());
        assert_eq!((program.shim.initialize)(&NONE), FAILED);
        assert_eq!((program.shim.finalize)(), FAILED);
        assert_eq!(program.said(), "a session is left");
    }
    program.end();
    let mut session = null_mut();
    // SAFETY: `session` is a place for the handle.
    let without = unsafe {
        let shim = Library::load(&world.double.place()).unwrap();
        (shim.session_create)(&NONE, &raw mut session)
    };
    assert_eq!((without, session.is_null()), (FAILED, true), "a session before the engine is initialised");
    acl.close().unwrap();
    world.assert_nothing_lives();
}
