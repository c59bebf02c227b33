//! Registrations of allocators with a library that reports a failure although the call took effect.

use super::common::allocators::{Watch, Watched};
use super::common::alone;
use super::{collect, inside, model};
use crate::common::{assert_lives, c_library, library_at};
use crate::null::books;
use ascendcl::operator::Operator;
use ascendcl::{
    Acl, Brand, Current, Stream, Thread,
    allocator::{Descriptor, PoolAllocator},
    model::OutputBuffer,
    stream::StreamState,
};
use ascendcl_macros::proves;
use std::ffi::c_void;
use std::mem;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

/// A pool behind C functions, whose blocks are boxes.
mod c {
    use ascendcl::{
        DeviceAllocator,
        allocator::{PoolAllocator, PoolBlock},
        memory::DeviceAddress,
    };
    use std::ffi::c_void;
    use std::ptr;
    use std::sync::Mutex;

    pub(super) static POOL: Mutex<Option<PoolAllocator>> = Mutex::new(None);

    type Block = (PoolBlock, DeviceAddress);

    pub(super) unsafe extern "C" fn allocate(_: *mut c_void, size: usize) -> *mut c_void {
        let pool = POOL.lock().unwrap();
        let pool = pool.as_ref().unwrap();
        let block = pool.allocate(size).unwrap();
        let address = pool.address(&block);
        Box::into_raw(Box::new((block, address))).cast()
    }

    pub(super) unsafe extern "C" fn near(object: *mut c_void, size: usize, _: *mut c_void) -> *mut c_void {
        // SAFETY: it takes any object.
        unsafe { allocate(object, size) }
    }

    pub(super) unsafe extern "C" fn free(_: *mut c_void, block: *mut c_void) {
        // SAFETY: the library gives each block back once.
        let (block, _) = *unsafe { Box::from_raw(block.cast::<Block>()) };
        POOL.lock().unwrap().as_ref().unwrap().free(block);
    }

    pub(super) unsafe extern "C" fn address(block: *mut c_void) -> *mut c_void {
        // SAFETY: the library asks for blocks that it has.
        let (_, address) = unsafe { &*block.cast::<Block>() };
        ptr::with_exposed_provenance_mut(address.number())
    }
}

/// The library does what this function asks for once, and says that it failed.
fn fails_after(function: &str) {
    crate::fail(&format!("{function}#1=after:507899"));
}

fn all_is_well() {
    crate::nothing_fails();
}

fn pool<C: Brand>(current: &Current<C>) -> PoolAllocator {
    PoolAllocator::new(current, 1 << 20).unwrap()
}

/// Runs an operator that asks the stream's allocator for memory, if the stream has one.
pub(super) fn multiply<C: Brand, S: StreamState + ascendcl::stream::CanExecute>(
    current: &Current<C>,
    stream: &Stream<C, S>,
) {
    let matrix = || current.upload_tensor(&[16, 16], &[1.0_f32; 256]).unwrap();
    let product = current.tensor::<f32>(&[16, 16]).unwrap();
    let operator = Operator::new("MatMul").with("transpose_x1", false).with("transpose_x2", false);
    let bound = operator.bind(current, (matrix(), matrix()), product).unwrap();
    let (_, product) = stream.launch(current, bound).unwrap().wait(current).unwrap().into_tensors(current).unwrap();
    assert_eq!(product.to_vec(current).unwrap(), [16.0; 256]);
}

#[proves(ALLOC_12)]
#[test]
fn an_allocator_that_came_back_from_a_registration_that_failed_halfway_is_not_called() {
    let alone = alone();
    inside(|current| {
        fails_after("aclrtAllocatorRegister");
        let (stream, allocator) = current.stream().unwrap().register(current, pool(current)).unwrap_err().value;
        all_is_well();
        allocator.release(current).unwrap();
        multiply(current, &stream.without_allocator());
    });
    alone.assert_nothing_lives();
}

#[proves(ALLOC_09, ALLOC_12)]
#[test]
fn the_allocator_that_was_to_be_replaced_serves_when_that_failed_halfway() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap().register(current, pool(current)).unwrap();
        fails_after("aclrtAllocatorRegister");
        let (stream, other) = stream.replace(current, pool(current)).unwrap_err().value;
        all_is_well();
        assert_eq!(other.statistics().misses, 0);
        other.release(current).unwrap();
        multiply(current, &stream);
        let (_stream, allocator) = stream.unregister(current).unwrap();
        assert_eq!(allocator.statistics().misses, 1, "asked for the operator's workspace");
    });
    alone.assert_nothing_lives();
}

#[proves(ALLOC_12)]
#[test]
fn a_stream_that_may_still_have_an_allocator_that_came_back_queues_nothing_any_more() {
    let alone = alone();
    inside(|current| {
        let plan = "aclrtAllocatorRegister#1=after:507899, aclrtAllocatorUnregister#1=507899";
        crate::fail(plan);
        let (stream, allocator) = current.stream().unwrap().register(current, pool(current)).unwrap_err().value;
        all_is_well();
        allocator.release(current).unwrap();
        let matrix = || current.upload_tensor(&[16, 16], &[1.0_f32; 256]).unwrap();
        let product = ascendcl::operator::mat_mul(current, matrix(), matrix()).unwrap();
        let refused = stream.without_allocator().launch(current, product).unwrap_err();
        assert_eq!(
            refused.error.to_string(),
            "the library failed to change this stream's allocator and failed to undo the change, so the allocator \
             that it calls is unknown; register or unregister again, or use another stream [ALLOC-09, ALLOC-12]"
        );
    });
    alone.assert_nothing_lives();
}

#[proves(ALLOC_09)]
#[test]
fn a_stream_that_may_still_have_an_allocator_that_came_back_works_with_another() {
    let alone = alone();
    inside(|current| {
        let plan = "aclrtAllocatorRegister#1=after:507899, aclrtAllocatorUnregister#1=507899";
        crate::fail(plan);
        let (stream, allocator) = current.stream().unwrap().register(current, pool(current)).unwrap_err().value;
        all_is_well();
        let stream = stream.register(current, pool(current)).unwrap();
        multiply(current, &stream);
        assert_eq!((stream.pool_statistics().unwrap().misses, allocator.statistics().misses), (1, 0));
    });
    alone.assert_nothing_lives();
}

#[proves(ALLOC_12)]
#[test]
fn a_stream_whose_registration_ended_although_the_library_said_no_can_be_destroyed() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap().register(current, pool(current)).unwrap();
        fails_after("aclrtAllocatorUnregister");
        let stream = stream.unregister(current).unwrap_err().value;
        all_is_well();
        stream.destroy(current).unwrap();
    });
    alone.assert_nothing_lives();
}

/// The library has ended the registration before it refused, so the crate registers the allocator again.
#[proves(ALLOC_12)]
#[test]
fn a_stream_that_could_not_be_destroyed_because_of_its_registration_has_its_allocator() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap().register(current, pool(current)).unwrap();
        fails_after("aclrtAllocatorUnregister");
        let stream = stream.destroy(current).unwrap_err().value;
        all_is_well();
        multiply(current, &stream);
        assert_eq!(stream.pool_statistics().unwrap().misses, 1, "asked for the operator's workspace");
        stream.destroy(current).unwrap();
    });
    alone.assert_nothing_lives();
}

#[proves(DATA_06, MEM_03)]
#[test]
fn an_output_of_c_functions_goes_back_to_them_although_their_registration_or_their_stream_is_gone() {
    let alone = alone();
    for destroys in [false, true] {
        inside(|current| {
            *c::POOL.lock().unwrap() = Some(pool(current));
            let object = std::ptr::NonNull::dangling();
            let functions = Descriptor::new().object(object).allocate(c::allocate).allocate_near(c::near);
            let functions = functions.free(c::free).address(c::address);
            // SAFETY: the functions are there for ever, and so is the pool while the library has a block of it.
            let stream = unsafe { current.stream().unwrap().register_descriptor(current, functions) }.unwrap();
            let [kept, dropped] = [(), ()].map(|()| {
                let rooms = [OutputBuffer::ByLibrary];
                let mut prepared = model(current).bind_with(current, &[&[1, 64]], &rooms).unwrap();
                prepared.write(current, 0, &[0.0_f32; 64]).unwrap();
                stream.execute(current, prepared).unwrap().wait(current).unwrap()
            });
            if destroys {
                stream.destroy(current).unwrap();
            } else {
                drop(stream.unregister(current).unwrap());
            }
            kept.into_model(current).unwrap().unload(current).unwrap();
            drop(dropped);
            collect(current);
            let pool = c::POOL.lock().unwrap().take().unwrap();
            assert_eq!(pool.statistics().blocks_in_use, 0);
            pool.release(current).unwrap();
            assert_lives!(device_blocks, 0);
        });
    }
    alone.assert_nothing_lives();
}

/// The memory of a run without a stream is the library's own, whatever allocator served the execution before.
#[proves(DATA_06, ALLOC_05)]
#[test]
fn an_output_of_a_run_is_freed_although_c_functions_served_the_execution_before() {
    let alone = alone();
    inside(|current| {
        *c::POOL.lock().unwrap() = Some(pool(current));
        let object = std::ptr::NonNull::dangling();
        let functions = Descriptor::new().object(object).allocate(c::allocate).allocate_near(c::near);
        let functions = functions.free(c::free).address(c::address);
        // SAFETY: the functions are there for ever, and so is the pool while the library has a block of it.
        let stream = unsafe { current.stream().unwrap().register_descriptor(current, functions) }.unwrap();
        let mut prepared = model(current).bind_with(current, &[&[1, 64]], &[OutputBuffer::ByLibrary]).unwrap();
        prepared.write(current, 0, &[0.0_f32; 64]).unwrap();
        for _ in 0..2 {
            prepared = stream.execute(current, prepared).unwrap().wait(current).unwrap();
            (0..3).for_each(|_| prepared.run(current).unwrap());
        }
        prepared.into_model(current).unwrap().unload(current).unwrap();
        drop(stream.unregister(current).unwrap());
        let pool = c::POOL.lock().unwrap().take().unwrap();
        assert_eq!(pool.statistics().blocks_in_use, 0);
        pool.release(current).unwrap();
        collect(current);
        assert_lives!(device_blocks, 0);
    });
    alone.assert_nothing_lives();
}

/// The library still has a block when everything else has ended, and gives it back later. The allocator ends inside of that
/// call of the library, which a panic must not leave.
#[proves(CB_09, ALLOC_12)]
#[test]
fn an_allocator_that_ends_with_its_last_block_and_panics_does_not_unwind_into_the_library() {
    static ENDED: AtomicUsize = AtomicUsize::new(0);
    struct Panics;
    impl Watch for Panics {}
    impl Drop for Panics {
        fn drop(&mut self) {
            ENDED.fetch_add(1, SeqCst);
            panic!("the allocator panics when it ends");
        }
    }
    let keeps = concat!(
        include_str!("../null/library.c"),
        "void *null_out(size_t size) { return registered.allocate(registered.object, size); }\n\
         void null_back(void *block) { registered.release(registered.object, block); }\n"
    );
    let _others = books();
    let path = c_library("keeps-a-block", keeps);
    // SAFETY: the library has no initialisers.
    let library = unsafe { libloading::Library::new(&path) }.unwrap();
    // SAFETY: the functions have these signatures.
    let (out, back) = unsafe {
        let out = *library.get::<unsafe extern "C" fn(usize) -> *mut c_void>("null_out").unwrap();
        (out, *library.get::<unsafe extern "C" fn(*mut c_void)>("null_back").unwrap())
    };
    let acl = Acl::init(library_at(path)).unwrap();
    let mut thread = Thread::new().unwrap();
    let device = acl.device(&mut thread, 0).unwrap();
    let mut block = std::ptr::null_mut();
    let ended = device.with_current(&mut thread, |current| {
        let stream = current.stream().unwrap();
        mem::forget(stream.register(current, Watched::new(current, 4096, Panics)).unwrap());
        // SAFETY: an allocator is registered.
        block = unsafe { out(64) };
        assert!(!block.is_null());
    });
    ended.unwrap();
    assert_eq!(ENDED.load(SeqCst), 0, "the library has a block");
    // SAFETY: it is the block of above, once.
    unsafe { back(block) };
    assert_eq!(ENDED.load(SeqCst), 1);
    device.reset(&mut thread).unwrap();
    acl.close().unwrap();
}

/// A descriptor is destroyed as soon as no registration uses it.
#[proves(ALLOC_08)]
#[test]
fn a_descriptor_that_is_not_used_is_not_kept_until_its_stream_ends() {
    let alone = alone();
    inside(|current| {
        let mut stream = current.stream().unwrap();
        for refused in ["aclrtAllocatorSetObjToDesc#1=507899", "aclrtAllocatorRegister#1=507899"] {
            crate::fail(refused);
            let (undecided, allocator) = stream.register(current, pool(current)).unwrap_err().value;
            all_is_well();
            assert_lives!(allocator_descriptors, 0, "{refused}");
            allocator.release(current).unwrap();
            stream = undecided;
        }
        let stream = stream.register(current, pool(current)).unwrap();
        let (_stream, first) = stream.replace(current, pool(current)).unwrap();
        assert_lives!(allocator_descriptors, 1);
        first.release(current).unwrap();
    });
    alone.assert_nothing_lives();
}
