//! Working memory that models are given for a run, or by the stream on which they run.

use crate::models::dataset;
use crate::support::*;
use std::ffi::{CString, c_void};

/// A model for eight images, whose shapes are fixed.
const DIGITS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/data/digits-8.onnx");
const INPUT: usize = 8 * 64 * 4;
const OUTPUT: usize = 8 * 10 * 4;

/// The model, and how many bytes of working memory it needs.
fn load() -> (u32, usize) {
    let path = CString::new(DIGITS).unwrap();
    let (mut id, mut work, mut weights) = (0, 0, 0);
    ok!(aclmdlQuerySize(path.as_ptr(), &mut work, &mut weights));
    ok!(aclmdlLoadFromFile(path.as_ptr(), &mut id));
    (id, work)
}

fn datasets() -> [*mut aclmdlDataset; 2] {
    let input = malloc(INPUT);
    ok!(aclrtMemset(input, INPUT, 0, INPUT));
    [dataset(input, INPUT), dataset(malloc(OUTPUT), OUTPUT)]
}

/// Settings for runs with this memory.
fn settings(work: *mut c_void, bytes: usize) -> *mut aclmdlExecConfigHandle {
    use aclmdlExecConfigAttr as Run;
    let handle = acl!(aclmdlCreateExecConfigHandle());
    ok!(aclmdlSetExecConfigOpt(handle, Run::ACL_MDL_WORK_ADDR_PTR, (&raw const work).cast(), 8));
    ok!(aclmdlSetExecConfigOpt(handle, Run::ACL_MDL_WORK_SIZET, (&raw const bytes).cast(), 8));
    handle
}

/// A stream on which models run with this memory.
fn stream_with(work: *mut c_void, bytes: usize) -> aclrtStream {
    use aclrtStreamConfigAttr as Stream;
    let (handle, mut stream) = (acl!(aclrtCreateStreamConfigHandle()), aclrtStream::NULL);
    ok!(aclrtSetStreamConfigOpt(handle, Stream::ACL_RT_STREAM_WORK_ADDR_PTR, (&raw const work).cast(), 8));
    ok!(aclrtSetStreamConfigOpt(handle, Stream::ACL_RT_STREAM_WORK_SIZE, (&raw const bytes).cast(), 8));
    ok!(aclrtCreateStreamV2(&mut stream, handle));
    ok!(aclrtDestroyStreamConfigHandle(handle));
    stream
}

/// The manual has such memory for several runs of one loaded model at the same time.
#[test]
fn runs_of_one_model_go_on_at_once_if_each_has_working_memory_of_its_own() {
    breaks_without(rules::MODEL_05, |apart| {
        let ((id, need), streams) = (load(), [stream(), stream()]);
        let first = malloc(need);
        let areas = [first, if apart { malloc(need) } else { first }];
        for (stream, area) in streams.into_iter().zip(areas) {
            let ([input, output], handle) = (datasets(), settings(area, need));
            ok!(aclmdlExecuteAsyncV2(id, input, output, stream, handle));
            ok!(aclmdlDestroyExecConfigHandle(handle));
        }
        streams.into_iter().for_each(sync);
    });
    // One of the runs uses what the library has for the model.
    breaks_without(rules::MODEL_15, |apart| {
        let ((id, need), streams) = (load(), [stream(), stream()]);
        let [[input, output], [x, y]] = [datasets(), datasets()];
        ok!(aclmdlExecuteAsync(id, input, output, streams[0]));
        let area = if apart { malloc(need) } else { std::ptr::null_mut() };
        if apart {
            sync(streams[0]);
        }
        ok!(aclmdlExecuteAsyncV2(id, x, y, streams[1], settings(area, need)));
        streams.into_iter().for_each(sync);
    });
}

#[test]
fn working_memory_of_a_run_is_freed_after_the_run() {
    for of_stream in [false, true] {
        breaks_without(rules::MODEL_02, |waits| {
            let ((id, need), [input, output]) = (load(), datasets());
            let area = malloc(need);
            let stream = match of_stream {
                true => {
                    let stream = stream_with(area, need);
                    ok!(aclmdlExecuteAsync(id, input, output, stream));
                    stream
                }
                false => {
                    let stream = stream();
                    ok!(aclmdlExecuteAsyncV2(id, input, output, stream, settings(area, need)));
                    stream
                }
            };
            if waits {
                sync(stream);
            }
            ok!(aclrtFree(area));
            sync(stream);
        });
    }
}

#[test]
fn working_memory_of_a_run_is_large_enough_on_the_device_and_alive() {
    let run = |make: &dyn Fn(usize) -> (*mut c_void, usize)| {
        broken_by(|| {
            let ((id, need), [input, output], stream) = (load(), datasets(), stream());
            let (area, bytes) = make(need);
            acl!(aclmdlExecuteAsyncV2(id, input, output, stream, settings(area, bytes)));
            sync(stream);
        })
    };
    let by = "aclmdlExecuteAsyncV2";
    assert_eq!(run(&|need| (malloc(need), need)), []);
    assert_eq!(run(&|need| (std::ptr::null_mut(), need)), []);
    assert_eq!(run(&|need| (malloc(need), need - 1)), [(rules::MODEL_07, by)]);
    assert_eq!(run(&|need| (malloc(need / 2), need)), [(rules::MODEL_07, by)]);
    assert_eq!(run(&|need| (malloc_host(need), need)), [(rules::MEM_10, by)]);
    let freed = |need| {
        let area = malloc(need);
        ok!(aclrtFree(area));
        (area, need)
    };
    assert_eq!(run(&freed), [(rules::MODEL_02, by)]);
}

/// Of the two, the memory of the run comes first.
#[test]
fn models_on_one_stream_share_its_working_memory() {
    let found = broken(|| {
        let ((first, need), (second, _)) = (load(), load());
        let area = malloc(need);
        let stream = stream_with(area, need);
        for id in [first, second] {
            let [input, output] = datasets();
            ok!(aclmdlExecuteAsync(id, input, output, stream));
        }
        sync(stream);
    });
    assert_eq!(found, []);
    let run = |given: bool| {
        broken_by(|| {
            let ((id, need), [input, output]) = (load(), datasets());
            let stream = stream_with(malloc(need), need - 1);
            let area = if given { malloc(need) } else { std::ptr::null_mut() };
            acl!(aclmdlExecuteV2(id, input, output, stream, settings(area, need)));
        })
    };
    assert_eq!(run(false), [(rules::MODEL_07, "aclmdlExecuteV2")]);
    assert_eq!(run(true), []);
}

#[test]
fn a_load_with_too_little_working_memory_is_found_once() {
    let run = |enough: bool| {
        broken_by(|| {
            let path = CString::new(DIGITS).unwrap();
            let (mut id, mut work, mut weights) = (0, 0, 0);
            ok!(aclmdlQuerySize(path.as_ptr(), &mut work, &mut weights));
            let bytes = if enough { work } else { work / 2 };
            let none = std::ptr::null_mut();
            acl!(aclmdlLoadFromFileWithMem(path.as_ptr(), &mut id, malloc(bytes), bytes, none, 0));
            let [input, output] = datasets();
            acl!(aclmdlExecute(id, input, output));
            acl!(aclmdlUnload(id));
        })
    };
    assert_eq!(run(true), []);
    assert_eq!(run(false), [(rules::MODEL_07, "aclmdlLoadFromFileWithMem")]);
}
