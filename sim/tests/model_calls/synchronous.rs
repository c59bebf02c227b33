//! `aclmdlExecute`.

use crate::files;
use crate::world::*;
use ascendcl_macros::proves;
use ascendcl_sim::control;
use ascendcl_sys::types::*;
use core::ptr::null_mut;
use std::thread;

#[test]
fn digits_are_recognised_with_outputs_of_the_caller() {
    let _world = world();
    let (labels, pixels) = images();
    let id = digits();
    let (x, y) = (on_device(&pixels), device_memory(labels.len() * 40));
    let (input, output) = (dataset(&[(x, pixels.len())]), dataset(&[(y, labels.len() * 40)]));
    attach(input, 0, &[labels.len() as i64, 64]);
    ok!(model::aclmdlExecute(id, input, output));
    assert!(recognised(&from_device(y, labels.len() * 40), &labels) >= 350);
    assert_eq!(dims_of(output, 0), [labels.len() as i64, 10]);
    let desc = call!(model::aclmdlGetDatasetTensorDesc(output, 0));
    assert_eq!(string(call!(tensor_desc::aclGetTensorDescName(desc))), "probabilities");
    assert_eq!(call!(tensor_desc::aclGetTensorDescSize(desc)), labels.len() * 40);

    ok!(model::aclmdlExecute(id, input, output));
    assert_eq!(call!(tensor_desc::aclGetTensorDescSize(desc)), 0, "replaced by the next run (DATA-09)");
    ok!(model::aclmdlUnload(id));
    destroy(input);
    destroy(output);
    ok!(memory::aclrtFree(x));
    ok!(memory::aclrtFree(y));
    assert!(control::live().is_empty(), "{:?}", control::live());
}

#[proves(DATA_06)]
#[test]
fn the_library_allocates_an_open_output() {
    let _world = world();
    let (labels, pixels) = images();
    let id = digits();
    let x = on_device(&pixels);
    let (input, output) = (dataset(&[(x, pixels.len())]), dataset(&[(null_mut(), 0)]));
    attach(input, 0, &[labels.len() as i64, 64]);
    ok!(model::aclmdlExecute(id, input, output));
    let buffer = call!(model::aclmdlGetDatasetBuffer(output, 0));
    assert_eq!(call!(base::aclGetDataBufferSizeV2(buffer)), labels.len() * 40);
    let y = call!(base::aclGetDataBufferAddr(buffer));
    assert!(recognised(&from_device(y, labels.len() * 40), &labels) >= 350);
    // It is the caller's from now on, and too small for more.
    ok!(memory::aclrtFree(y));
    fails!(145007, "no block", model::aclmdlExecute(id, input, output));
    ok!(base::aclUpdateDataBuffer(buffer, null_mut(), 0));
    ok!(model::aclmdlExecute(id, input, output));
    ok!(memory::aclrtFree(call!(base::aclGetDataBufferAddr(buffer))));
}

#[test]
fn a_size_that_only_the_run_tells_is_checked_then() {
    let _world = world();
    let id = load(&files::positions());
    let x = on_device(&bytes(&[0.0, 1.0, 0.0, 2.0]));
    let input = dataset(&[(x, 16)]);
    let output = dataset(&[(null_mut(), 0)]);
    ok!(model::aclmdlExecute(id, input, output));
    assert_eq!(dims_of(output, 0), [1, 2]);
    let found = call!(model::aclmdlGetDatasetBuffer(output, 0));
    let at = from_device(call!(base::aclGetDataBufferAddr(found)), 16);
    assert_eq!(at, [1_i64, 3].iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<_>>());
    let small = dataset(&[(device_memory(8), 8)]);
    fails!(100018, "needs 16 bytes, and its data buffer has 8", model::aclmdlExecute(id, input, small));
    let before = free_bytes();
    let two = dataset(&[(device_memory(16), 16)]);
    ok!(model::aclmdlExecute(id, input, two));
    assert_eq!(before - free_bytes(), 64, "working memory of a run is given back");
}

#[test]
fn what_does_not_fit_is_refused() {
    let _world = world();
    let id = load(&files::sum("2", None));
    let (x, y) = (device_memory(32), device_memory(32));
    let (input, output) = (dataset(&[(x, 32)]), dataset(&[(y, 32)]));
    ok!(model::aclmdlExecute(id, input, output));
    let run = |input, output| (call!(model::aclmdlExecute(id, input, output)), text());
    let refused = |(code, text): (i32, String), wanted: i32, words: &str| {
        assert_eq!(code, wanted, "{text}");
        assert!(text.contains(words), "{text}");
    };
    refused(run(null_mut(), output), 100000, "null");
    refused(run(input, null_mut()), 100000, "null");
    refused(run(bogus(), output), 100000, "no dataset");
    refused(run(dataset(&[]), output), 100017, "1 inputs, and the dataset 0 buffers");
    refused(run(dataset(&[(x, 32), (x, 32)]), output), 100017, "2 buffers");
    refused(run(input, dataset(&[])), 100018, "1 outputs");
    refused(run(dataset(&[(x, 31)]), output), 100017, "needs 32 bytes, and its data buffer has 31");
    refused(run(input, dataset(&[(y, 31)])), 100018, "needs 32 bytes, and its data buffer has 31");
    refused(run(dataset(&[(null_mut(), 0)]), output), 100000, "null address");
    refused(run(dataset(&[(null_mut(), 32)]), output), 100000, "null address");
    refused(run(input, dataset(&[(null_mut(), 32)])), 100018, "DATA-03");
    let mut host = [0_u8; 32];
    let mut pinned = null_mut();
    ok!(memory::aclrtMallocHost(&mut pinned, 32));
    refused(run(dataset(&[(host.as_mut_ptr().cast(), 32)]), output), 145007, "host memory");
    refused(run(dataset(&[(pinned, 32)]), output), 145007, "pinned host memory");
    refused(run(input, dataset(&[(host.as_mut_ptr().cast(), 32)])), 145007, "host memory");
    refused(run(dataset(&[(x, 1 << 20)]), output), 145007, "x");
    refused((call!(model::aclmdlExecute(id + 1, input, output)), text()), 145003, "no model");
    attach(input, 0, &[3, 4]);
    refused(run(input, output), 145021, "[3, 4]");
    let gone = dataset(&[(x, 32)]);
    ok!(base::aclDestroyDataBuffer(call!(model::aclmdlGetDatasetBuffer(gone, 0))));
    refused(run(gone, output), 100000, "buffer 0 of the dataset");
    ok!(memory::aclrtFree(x));
    refused(run(dataset(&[(x, 32)]), output), 145007, "x");
}

#[test]
fn an_open_shape_has_to_be_set() {
    let _world = world();
    let id = digits();
    let (input, output) = (dataset(&[(device_memory(256), 256)]), dataset(&[(device_memory(40), 40)]));
    fails!(145021, "its shape was not set", model::aclmdlExecute(id, input, output));
    for wrong in [&[1, 63][..], &[-1, 64], &[64], &[1, 1, 64]] {
        attach(input, 0, wrong);
        fails!(145021, "`images`", model::aclmdlExecute(id, input, output));
    }
    let nothing = dataset(&[(device_memory(1), 0)]);
    attach(nothing, 0, &[0, 64]);
    ok!(model::aclmdlExecute(id, nothing, output));
    attach(input, 0, &[2, 64]);
    fails!(100017, "needs 512 bytes", model::aclmdlExecute(id, input, output));
    attach(input, 0, &[1, 64]);
    ok!(model::aclmdlExecute(id, input, output));
    ok!(model::aclmdlSetDatasetTensorDesc(input, null_mut(), 0));
    fails!(145021, "its shape was not set", model::aclmdlExecute(id, input, output));
}

#[proves(MODEL_01)]
#[test]
fn a_model_is_its_contexts_alone() {
    let _world = world();
    let id = load(&files::sum("2", None));
    let (input, output) = (dataset(&[(device_memory(32), 32)]), dataset(&[(device_memory(32), 32)]));
    thread::scope(|scope| {
        let [input, output] = [input.addr(), output.addr()];
        let other = scope.spawn(move || {
            let at = |number| core::ptr::without_provenance_mut::<aclmdlDataset>(number);
            fails!(107002, "no current context", model::aclmdlExecute(id, at(input), at(output)));
            fails!(107002, "no current context", model::aclmdlUnload(id));
        });
        other.join().unwrap();
    });
    let first = context();
    let mut second = aclrtContext::NULL;
    ok!(device::aclrtCreateContext(&mut second, 0));
    fails!(107004, "another context", model::aclmdlExecute(id, input, output));
    fails!(107004, "another context", model::aclmdlExecuteAsync(id, input, output, aclrtStream::NULL));
    fails!(107004, "another context", model::aclmdlUnload(id));
    let mine = load(&files::sum("2", None));
    assert_eq!(control::live().models, 2);
    ok!(device::aclrtDestroyContext(second));
    assert_eq!(control::live().models, 1, "a model goes with its context");
    ok!(device::aclrtSetCurrentContext(first));
    fails!(145003, "no model", model::aclmdlUnload(mine));
    ok!(model::aclmdlExecute(id, input, output));
    ok!(model::aclmdlUnload(id));
    fails!(145003, "unloaded", model::aclmdlUnload(id));
    fails!(145003, "unloaded", model::aclmdlExecute(id, input, output));
    load(&files::sum("2", None));
    ok!(device::aclrtResetDevice(0));
    assert_eq!((control::live().models, control::live().device_blocks), (0, 0));
}

#[test]
fn one_model_runs_from_many_threads() {
    let _world = world();
    let id = load(&files::sum("rows", None));
    let number = context().0.addr();
    thread::scope(|scope| {
        for rows in 1..5_usize {
            scope.spawn(move || {
                ok!(device::aclrtSetCurrentContext(aclrtContext(core::ptr::without_provenance_mut(number))));
                let x = on_device(&bytes(&vec![rows as f32; rows * 4]));
                let (input, output) = (dataset(&[(x, rows * 16)]), dataset(&[(device_memory(rows * 16), rows * 16)]));
                attach(input, 0, &[rows as i64, 4]);
                for _ in 0..50 {
                    ok!(model::aclmdlExecute(id, input, output));
                    assert_eq!(dims_of(output, 0), [rows as i64, 4]);
                }
                let y = call!(base::aclGetDataBufferAddr(call!(model::aclmdlGetDatasetBuffer(output, 0))));
                assert_eq!(floats(&from_device(y, rows * 16)), vec![rows as f32 + 10.0; rows * 4]);
            });
        }
    });
}

#[test]
fn a_model_with_many_inputs_needs_no_more_of_the_stack() {
    const MANY: usize = 3000;
    let _world = world();
    let (id, context) = (load(&files::sum_of_many(MANY)), context().0.addr());
    let run = move || {
        ok!(device::aclrtSetCurrentContext(aclrtContext(core::ptr::without_provenance_mut(context))));
        let (x, y) = (on_device(&bytes(&[2.0])), device_memory(4));
        let (input, output) = (dataset(&[(x, 4); MANY]), dataset(&[(y, 4)]));
        ok!(model::aclmdlExecute(id, input, output));
        assert_eq!(floats(&from_device(y, 4)), [2.0 * MANY as f32]);
    };
    thread::Builder::new().stack_size(256 << 10).spawn(run).unwrap().join().unwrap();
}
