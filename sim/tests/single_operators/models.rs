//! Models whose shapes vary take their memory from the stream's allocator; others never do.

use crate::files;
use crate::pool::*;
use crate::support::*;
use crate::tensors::*;
use ascendcl_rules as rules;
use ascendcl_sim::control;
use ascendcl_sim::exports::{base::*, model::*};
use std::ptr::{null_mut, without_provenance_mut};
use std::sync::Mutex;

const DIGITS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/data/digits.onnx");

fn digits() -> u32 {
    let mut id = 0;
    ok!(aclmdlLoadFromFile(c(DIGITS).as_ptr(), &mut id));
    id
}

pub(crate) fn load(file: &[u8]) -> u32 {
    let mut id = 0;
    ok!(aclmdlLoadFromMem(file.as_ptr().cast(), file.len(), &mut id));
    id
}

pub(crate) fn dataset(buffer: *mut aclDataBuffer) -> *mut aclmdlDataset {
    let dataset = acl!(aclmdlCreateDataset());
    ok!(aclmdlAddDatasetBuffer(dataset, buffer));
    dataset
}

/// Blank images: `batch` of them.
fn images(batch: i64) -> (Tensor, *mut aclmdlDataset) {
    let images = input(&[batch, 64], &vec![0.0_f32; batch as usize * 64]);
    let dataset = dataset(images.buffer);
    ok!(aclmdlSetDatasetTensorDesc(dataset, images.desc, 0));
    (images, dataset)
}

fn open() -> (*mut aclDataBuffer, *mut aclmdlDataset) {
    let buffer = acl!(aclCreateDataBuffer(null_mut(), 0));
    (buffer, dataset(buffer))
}

fn work(batch: usize) -> usize {
    batch * (64 + 10) * 4
}

#[test]
fn working_memory_and_open_outputs_come_from_the_allocator() {
    let _machine = watched_device();
    let (id, stream, pool) = (digits(), stream(), Pool::new(1 << 20));
    pool.register(stream);
    // With a batch of 8, the output comes right after the working memory.
    for batch in [1, 7, 8, 300] {
        let before = pool.calls().len();
        let (images, inputs) = images(batch);
        let (buffer, outputs) = open();
        ok!(aclmdlExecuteAsync(id, inputs, outputs, stream));
        ok!(aclrtSynchronizeStream(stream));
        let bytes = batch as usize * 40;
        let [first, second, freed] = pool.calls()[before..] else { panic!("{:?}", pool.calls()) };
        assert_eq!(first, Call::Allocate(work(batch as usize)));
        assert_eq!(second, Call::Advise(bytes, pool.region()), "near the working memory");
        assert_eq!(freed, Call::Free(pool.region()), "the working memory");
        let y = acl!(aclGetDataBufferAddr(buffer));
        assert_eq!(acl!(aclGetDataBufferSizeV2(buffer)), bytes);
        assert!((pool.region()..pool.region() + (1 << 20)).contains(&y.addr()));
        let rows: Vec<f32> = read(y, bytes).chunks(4).map(f32::of).collect();
        assert!(rows.chunks(10).all(|row| (row.iter().sum::<f32>() - 1.0).abs() < 1e-5), "probabilities");
        assert_eq!(pool.out(), 1, "the output is in use");
        ok!(aclDestroyDataBuffer(buffer));
        assert_eq!(pool.calls().last(), Some(&Call::Free(y.addr())), "it goes back with its data buffer");
        assert_eq!(pool.out(), 0);
        ok!(aclmdlDestroyDataset(inputs));
        ok!(aclmdlDestroyDataset(outputs));
        images.destroy();
    }
    ok!(aclmdlUnload(id));
    assert_eq!(findings(), []);
}

#[test]
fn an_updated_data_buffer_gives_its_block_back() {
    let _machine = watched_device();
    let (id, stream, pool) = (digits(), stream(), Pool::new(1 << 20));
    pool.register(stream);
    let (_, inputs) = images(7);
    let (buffer, outputs) = open();
    for _ in 0..3 {
        ok!(aclmdlExecuteAsync(id, inputs, outputs, stream));
        ok!(aclrtSynchronizeStream(stream));
        assert_eq!(pool.out(), 1);
        ok!(aclUpdateDataBuffer(buffer, null_mut(), 0));
        assert_eq!(pool.out(), 0);
    }
    assert_eq!(pool.calls().len(), 12);
}

#[test]
fn an_output_in_use_keeps_no_other_stream_from_running() {
    let _machine = watched_device();
    let (id, [first, second], pool) = (digits(), [(); 2].map(|()| stream()), Pool::new(1 << 20));
    pool.register(first);
    pool.register(second);
    let (_, inputs) = images(1);
    let (buffer, outputs) = open();
    ok!(aclmdlExecuteAsync(id, inputs, outputs, first));
    ok!(aclrtSynchronizeStream(first));
    add(second);
    ok!(aclrtSynchronizeStream(second));
    assert_eq!(findings(), []);
    let open = hold_up(second);
    add(second);
    ok!(aclUpdateDataBuffer(buffer, null_mut(), 0));
    ok!(aclmdlExecuteAsync(id, inputs, outputs, first));
    assert_eq!(findings(), [rules::ALLOC_10]);
    drop(open);
    ok!(aclrtSynchronizeDevice());
}

#[test]
fn an_allocator_that_is_not_advised_is_asked_plainly() {
    let _machine = watched_device();
    let (id, stream, pool) = (digits(), stream(), Pool::new(1 << 20));
    let desc = pool.describe(false);
    ok!(aclrtAllocatorRegister(stream, desc));
    let ((_, inputs), (buffer, outputs)) = (images(1), open());
    ok!(aclmdlExecuteAsync(id, inputs, outputs, stream));
    ok!(aclrtSynchronizeStream(stream));
    assert_eq!(pool.calls()[..2], [Call::Allocate(work(1)), Call::Allocate(40)]);
    ok!(aclDestroyDataBuffer(buffer));
}

#[test]
fn memory_of_the_caller_for_the_output_leaves_one_block_to_take() {
    let _machine = watched_device();
    let (id, stream, pool) = (digits(), stream(), Pool::new(1 << 20));
    pool.register(stream);
    let ((_, inputs), y) = (images(7), output::<f32>(&[7, 10], 70));
    ok!(aclmdlExecuteAsync(id, inputs, dataset(y.buffer), stream));
    ok!(aclrtSynchronizeStream(stream));
    assert_eq!(pool.calls(), [Call::Allocate(work(7)), Call::Free(pool.region())]);
}

#[test]
fn a_synchronous_execution_leaves_the_allocator_alone() {
    let _machine = watched_device();
    let (id, stream, pool) = (digits(), stream(), Pool::new(1 << 20));
    pool.register(stream);
    let ((_, inputs), (buffer, outputs)) = (images(7), open());
    ok!(aclmdlExecute(id, inputs, outputs));
    assert_eq!(pool.calls(), []);
    ok!(aclrtFree(acl!(aclGetDataBufferAddr(buffer))));
}

#[test]
fn another_stream_leaves_the_allocator_alone() {
    let _machine = watched_device();
    let (id, [mine, other], pool) = (digits(), [(); 2].map(|()| stream()), Pool::new(1 << 20));
    pool.register(mine);
    let ((_, inputs), (_, outputs)) = (images(7), open());
    ok!(aclmdlExecuteAsync(id, inputs, outputs, other));
    ok!(aclrtSynchronizeStream(other));
    assert_eq!(pool.calls(), []);
}

#[test]
fn without_blocks_the_call_fails_and_takes_nothing() {
    let _machine = watched_device();
    let (id, stream) = (digits(), stream());
    let ((_, inputs), (buffer, outputs)) = (images(7), open());
    // Room for the working memory, and not for the output.
    let pool = Pool::new(work(7));
    pool.register(stream);
    let code = acl!(aclmdlExecuteAsync(id, inputs, outputs, stream));
    fails!(ACL_ERROR_RT_MEMORY_ALLOCATION, "no block of 280 bytes", code);
    assert_eq!(pool.calls().len(), 3);
    assert_eq!(pool.out(), 0, "the first block went back at once");
    ok!(aclrtSynchronizeStream(stream));
    assert_eq!(acl!(aclGetDataBufferAddr(buffer)), null_mut());
    ok!(aclmdlUnload(id));
}

#[test]
fn blocks_of_a_discarded_run_come_back_and_its_output_stays_open() {
    let _machine = watched_device();
    let (id, stream, pool) = (digits(), stream(), Pool::new(1 << 20));
    pool.register(stream);
    let ((_, inputs), (buffer, outputs)) = (images(7), open());
    let open = hold_up(stream);
    ok!(aclmdlExecuteAsync(id, inputs, outputs, stream));
    assert_eq!(pool.out(), 2);
    ok!(aclrtStreamAbort(stream));
    assert_eq!(pool.out(), 0);
    assert_eq!(acl!(aclGetDataBufferAddr(buffer)), null_mut());
    drop(open);
    ok!(aclrtSynchronizeStream(stream));
}

#[test]
fn a_data_buffer_destroyed_meanwhile_gives_the_block_back() {
    let _machine = watched_device();
    let (id, stream, pool) = (digits(), stream(), Pool::new(1 << 20));
    pool.register(stream);
    let ((_, inputs), (buffer, outputs)) = (images(7), open());
    let open = hold_up(stream);
    ok!(aclmdlExecuteAsync(id, inputs, outputs, stream));
    ok!(aclDestroyDataBuffer(buffer));
    drop(open);
    fails!(ACL_ERROR_MODEL_OUTPUT_NOT_MATCH, "DATA-10", acl!(aclrtSynchronizeStream(stream)));
    assert_eq!(pool.out(), 0);
}

#[test]
fn freeing_the_region_under_an_output_in_use_is_noticed() {
    let _machine = watched_device();
    let (id, stream, pool) = (digits(), stream(), Pool::new(1 << 20));
    pool.register(stream);
    let ((_, inputs), (buffer, outputs)) = (images(7), open());
    ok!(aclmdlExecuteAsync(id, inputs, outputs, stream));
    ok!(aclrtSynchronizeStream(stream));
    let y = acl!(aclGetDataBufferAddr(buffer)).addr();
    ok!(aclrtFree(without_provenance_mut(pool.region())));
    let found = control::findings();
    assert!(found.iter().any(|finding| finding.found.contains(&format!("bytes at {y:#x} of it"))), "{found:?}");
    assert_eq!(findings(), [rules::ALLOC_11]);
}

#[test]
fn a_callback_cannot_unload_the_model_that_is_being_executed() {
    let _machine = watched_device();
    let (stream, pool) = (stream(), Pool::new(1 << 20));
    static ID: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    let id = digits();
    ID.store(id, std::sync::atomic::Ordering::SeqCst);
    pool.register(stream);
    pool.inside_allocate(|_| {
        let code = acl!(aclmdlUnload(ID.load(std::sync::atomic::Ordering::SeqCst)));
        assert_eq!(code, ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    });
    let ((_, inputs), (buffer, outputs)) = (images(7), open());
    ok!(aclmdlExecuteAsync(id, inputs, outputs, stream));
    ok!(aclrtSynchronizeStream(stream));
    ok!(aclDestroyDataBuffer(buffer));
    ok!(aclmdlUnload(id));
}

#[test]
fn an_output_whose_size_only_the_run_tells_is_taken_then() {
    let _machine = watched_device();
    let (stream, pool) = (stream(), Pool::new(1 << 20));
    let id = load(&files::positions());
    pool.register(stream);
    let (x, (buffer, outputs)) = (input(&[4], &[0.0_f32, 5.0, 0.0, 6.0]), open());
    let open = hold_up(stream);
    ok!(aclmdlExecuteAsync(id, dataset(x.buffer), outputs, stream));
    assert_eq!(pool.calls(), []);
    drop(open);
    ok!(aclrtSynchronizeStream(stream));
    assert_eq!(pool.calls(), [Call::Allocate(16)]);
    assert_ne!(pool.threads()[0], std::thread::current().id());
    let y = read(acl!(aclGetDataBufferAddr(buffer)), 16);
    assert_eq!(y.chunks(8).map(i64::of).collect::<Vec<_>>(), [1, 3]);
    ok!(aclDestroyDataBuffer(buffer));
    assert_eq!(pool.out(), 0);
}

#[test]
fn a_callback_in_the_middle_of_a_run_cannot_wait_for_that_run() {
    static PLACE: Mutex<Option<Shared<(aclrtContext, aclrtStream)>>> = Mutex::new(None);
    let _machine = watched_device();
    let (stream, pool) = (stream(), Pool::new(1 << 20));
    let mut context = aclrtContext::NULL;
    ok!(aclrtGetCurrentContext(&mut context));
    *PLACE.lock().unwrap() = Some(Shared((context, stream)));
    pool.register(stream);
    pool.inside_allocate(|_| {
        let (context, stream) = PLACE.lock().unwrap().unwrap().get();
        ok!(aclrtSetCurrentContext(context));
        assert_eq!(acl!(aclrtSynchronizeStream(stream)), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    });
    let (x, (buffer, outputs)) = (input(&[4], &[1.0_f32; 4]), open());
    ok!(aclmdlExecuteAsync(load(&files::positions()), dataset(x.buffer), outputs, stream));
    ok!(aclrtSynchronizeStream(stream));
    assert_eq!(acl!(aclGetDataBufferSizeV2(buffer)), 32);
    assert_eq!(pool.calls(), [Call::Allocate(32)]);
}

#[test]
fn a_fresh_machine_calls_no_allocator_of_former_times() {
    let _machine = watched_device();
    let (id, stream, pool) = (digits(), stream(), Pool::new(1 << 20));
    pool.register(stream);
    let ((_, inputs), (_, outputs)) = (images(7), open());
    ok!(aclmdlExecuteAsync(id, inputs, outputs, stream));
    ok!(aclrtSynchronizeStream(stream));
    let calls = pool.calls();
    assert_eq!(pool.out(), 1);
    control::reset();
    assert_eq!(pool.calls(), calls, "the block is not given back");
    ok!(aclrtSetDevice(0));
    let (stream, pool) = (self::stream(), Pool::new(1 << 20));
    pool.register(stream);
    add(stream);
    ok!(aclrtSynchronizeStream(stream));
    assert_eq!((pool.calls().len(), findings()), (2, vec![]));
}

#[test]
fn models_of_fixed_shapes_leave_the_allocator_alone() {
    let _machine = watched_device();
    let (stream, pool) = (stream(), Pool::new(1 << 20));
    let id = load(&files::sum("2", None));
    pool.register(stream);
    let (x, (buffer, outputs)) = (input(&[2, 4], &[1.0_f32; 8]), open());
    ok!(aclmdlExecuteAsync(id, dataset(x.buffer), outputs, stream));
    ok!(aclrtSynchronizeStream(stream));
    assert_eq!(pool.calls(), [], "not even for an open output");
    ok!(aclrtFree(acl!(aclGetDataBufferAddr(buffer))));

    // Shapes that the model was compiled for are fixed ones.
    let id = load(&files::sum("rows", Some(("ascendcl.dynamic_batch", "1,2"))));
    let (buffer, outputs) = open();
    let inputs = dataset(x.buffer);
    let gear = input(&[1], &[0_i64]);
    ok!(aclmdlAddDatasetBuffer(inputs, gear.buffer));
    ok!(aclmdlSetDynamicBatchSize(id, inputs, 1, 2));
    ok!(aclmdlExecuteAsync(id, inputs, outputs, stream));
    ok!(aclrtSynchronizeStream(stream));
    assert_eq!(pool.calls(), []);
    ok!(aclrtFree(acl!(aclGetDataBufferAddr(buffer))));
}
