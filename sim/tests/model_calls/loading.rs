//! Loading, with memory of the library's and of the caller's.

use crate::files;
use crate::world::*;
use ascendcl_macros::proves;
use ascendcl_sim::{Config, control};
use core::ptr::{null, null_mut};
use std::thread;

#[test]
fn arguments_are_checked() {
    let _world = world();
    let file = files::sum("2", None);
    let (image, size) = (file.as_ptr().cast(), file.len());
    let mut id = 7;
    fails!(100000, "null", model::aclmdlLoadFromFile(null(), &mut id));
    fails!(100000, "null", model::aclmdlLoadFromFile(c(DIGITS).as_ptr(), null_mut()));
    fails!(100000, "null", model::aclmdlLoadFromMem(null(), size, &mut id));
    fails!(100000, "null", model::aclmdlLoadFromMem(image, size, null_mut()));
    fails!(145006, "no bytes", model::aclmdlLoadFromMem(image, 0, &mut id));
    fails!(145002, "/no/such/file", model::aclmdlLoadFromFile(c("/no/such/file").as_ptr(), &mut id));
    fails!(145002, "cannot be read", model::aclmdlLoadFromFile(c("").as_ptr(), &mut id));
    fails!(145002, "cannot be read", model::aclmdlLoadFromFile(c(env!("CARGO_MANIFEST_DIR")).as_ptr(), &mut id));
    fails!(100013, "cut off", model::aclmdlLoadFromMem(image, size - 1, &mut id));
    fails!(100013, "not an ONNX file", model::aclmdlLoadFromMem(b"IMOD".as_ptr().cast(), 4, &mut id));
    let (mut work, mut weights) = (0, 0);
    fails!(100000, "null", model::aclmdlQuerySize(null(), &mut work, &mut weights));
    fails!(100000, "null", model::aclmdlQuerySize(c(DIGITS).as_ptr(), null_mut(), &mut weights));
    fails!(100000, "null", model::aclmdlQuerySizeFromMem(image, size, &mut work, null_mut()));
    fails!(145006, "no bytes", model::aclmdlQuerySizeFromMem(image, 0, &mut work, &mut weights));
    fails!(145002, "cannot be read", model::aclmdlQuerySize(c("/no").as_ptr(), &mut work, &mut weights));
    fails!(145003, "no model", model::aclmdlUnload(id));
    assert_eq!((id, control::live().models), (7, 0));
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut id = 0;
            fails!(107002, "context", model::aclmdlLoadFromFile(c(DIGITS).as_ptr(), &mut id));
        });
    });
}

#[proves(MODEL_12)]
#[test]
fn ids_are_never_given_twice() {
    let _world = world();
    let file = files::sum("2", None);
    let ids: Vec<u32> = (0..3).map(|_| load(&file)).collect();
    assert!(ids[0] > 0 && ids[0] < ids[1] && ids[1] < ids[2]);
    ok!(model::aclmdlUnload(ids[2]));
    assert!(load(&file) > ids[2]);
    assert_eq!(control::live().models, 3);
}

#[test]
fn the_librarys_memory_counts_until_the_model_goes() {
    let _world = configured(Config::new().memory(1 << 20));
    let file = files::sum("2", None);
    let before = free_bytes();
    let id = load(&file);
    assert_eq!(
        (before - free_bytes(), control::live().device_blocks),
        (128 + 64, 2),
        "working memory and weights, in whole blocks"
    );
    ok!(model::aclmdlUnload(id));
    assert_eq!((before - free_bytes(), control::live().device_blocks), (0, 0));

    let _rest = device_memory(before - 128 - 32);
    let mut id = 0;
    let (image, size) = (file.as_ptr().cast(), file.len());
    // There is room for the working memory, and then none for the weights.
    fails!(207001, "left", model::aclmdlLoadFromMem(image, size, &mut id));
    assert_eq!((control::live().models, control::live().device_blocks), (0, 1), "nothing is left of a failed load");
}

#[proves(MODEL_07)]
#[test]
fn memory_of_the_caller_is_checked() {
    let _world = world();
    let file = files::sum("2", None);
    let (image, size) = (file.as_ptr().cast(), file.len());
    let (mut work, mut weight) = (0, 0);
    ok!(model::aclmdlQuerySizeFromMem(image, size, &mut work, &mut weight));
    assert_eq!((work, weight), (64, 16));
    let (w, g) = (device_memory(work), device_memory(weight));
    let mut host = [0_u8; 64];
    let host = host.as_mut_ptr().cast();
    let mut id = 0;
    let loaded =
        |w, ws, g, gs, id: &mut u32| (call!(model::aclmdlLoadFromMemWithMem(image, size, id, w, ws, g, gs)), text());
    for (case, words) in [
        (loaded(host, 64, g, weight, &mut id), "working memory"),
        (loaded(w, work, host, 64, &mut id), "weight memory"),
        (loaded(w, work - 1, g, weight, &mut id), "64 bytes of working memory, and 63 were given"),
        (loaded(w, work, g, weight - 1, &mut id), "16 bytes of weight memory, and 15 were given"),
        (loaded(w, 1 << 20, g, weight, &mut id), "promised"),
    ] {
        assert_eq!(case.0, 145000, "{}", case.1);
        assert!(case.1.contains(words), "{}", case.1);
    }
    assert_eq!(control::live().device_blocks, 2);
    assert_eq!(loaded(w, work, g, weight, &mut id).0, 0);
    assert_eq!(control::live().device_blocks, 2, "nothing is allocated beside it");
    let (mut system, mut mixed) = (0, 0);
    assert_eq!(loaded(null_mut(), 1, null_mut(), 1, &mut system).0, 0, "the size of null is ignored (MODEL-08)");
    assert_eq!(loaded(w, work, null_mut(), 0, &mut mixed).0, 0);
    assert_eq!(control::live().device_blocks, 5);

    let (x, y) = (on_device(&bytes(&[1.0; 8])), device_memory(32));
    let (input, output) = (dataset(&[(x, 32)]), dataset(&[(y, 32)]));
    for id in [id, system, mixed] {
        ok!(model::aclmdlExecute(id, input, output));
        assert_eq!(floats(&from_device(y, 32)), [11.0; 8]);
    }
    ok!(memory::aclrtFree(g));
    fails!(145007, "weight memory", model::aclmdlExecute(id, input, output));
    ok!(model::aclmdlExecute(mixed, input, output));
    for id in [id, system, mixed] {
        ok!(model::aclmdlUnload(id));
    }
    ok!(memory::aclrtFree(w));
}

#[test]
fn a_file_is_loaded_with_memory_of_the_caller() {
    let _world = world();
    let folder = std::env::temp_dir().join(format!("ascendcl-model-calls-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("sum.onnx");
    std::fs::write(&path, files::sum("2", None)).unwrap();
    let path = c(path.to_str().unwrap());
    let (mut work, mut weight, mut id) = (0, 0, 0);
    ok!(model::aclmdlQuerySize(path.as_ptr(), &mut work, &mut weight));
    let (w, g) = (device_memory(work), device_memory(weight));
    ok!(model::aclmdlLoadFromFileWithMem(path.as_ptr(), &mut id, w, work, g, weight));
    ok!(model::aclmdlUnload(id));
    std::fs::remove_dir_all(folder).unwrap();
}

#[proves(MODEL_19)]
#[test]
fn an_open_shape_has_no_size() {
    let _world = world();
    let (mut work, mut weight, mut id) = (0, 0, 0);
    let path = c(DIGITS);
    fails!(145021, "MODEL-19", model::aclmdlQuerySize(path.as_ptr(), &mut work, &mut weight));
    let (w, none) = (device_memory(1 << 20), null_mut());
    fails!(145021, "MODEL-19", model::aclmdlLoadFromFileWithMem(path.as_ptr(), &mut id, w, 1 << 20, none, 0));
    fails!(145021, "MODEL-19", model::aclmdlLoadFromFileWithMem(path.as_ptr(), &mut id, none, 0, w, 1 << 20));
    ok!(model::aclmdlLoadFromFileWithMem(path.as_ptr(), &mut id, none, 0, none, 0));
    assert_eq!(control::live().device_blocks, 2, "the weights' size is known all the same");
}

#[proves(MODEL_10, MODE_02)]
#[test]
fn the_run_mode_says_where_an_image_is() {
    let file = files::sum("2", None);
    let mut id = 0;
    {
        let _world = world();
        let there = on_device(&file);
        fails!(145007, "host memory", model::aclmdlLoadFromMem(there, file.len(), &mut id));
        load(&file);
    }
    let _world = configured(Config::new().on_device(true));
    let there = on_device(&file);
    let desc = call!(model::aclmdlCreateDesc());
    fails!(145007, "device memory", model::aclmdlLoadFromMem(file.as_ptr().cast(), file.len(), &mut id));
    fails!(145007, "device memory", model::aclmdlGetDescFromMem(desc, file.as_ptr().cast(), file.len()));
    fails!(145006, "ends", model::aclmdlLoadFromMem(there, file.len() + 4096, &mut id));
    ok!(model::aclmdlLoadFromMem(there, file.len(), &mut id));
    ok!(model::aclmdlGetDescFromMem(desc, there, file.len()));
    ok!(model::aclmdlUnload(id));
}

#[test]
fn weights_beside_the_model_file_are_loaded_with_it() {
    let _world = world();
    let folder = std::env::temp_dir().join(format!("ascendcl-sim-weights-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = files::sum_with_weights_elsewhere();
    std::fs::write(folder.join("model.onnx"), &file).unwrap();
    let path = c(folder.join("model.onnx").to_str().unwrap());
    let mut id = 0;
    fails!(100013, "model.onnx.data` cannot be read", model::aclmdlLoadFromFile(path.as_ptr(), &mut id));
    fails!(100013, "load it from its file", model::aclmdlLoadFromMem(file.as_ptr().cast(), file.len(), &mut id));

    std::fs::write(folder.join("model.onnx.data"), bytes(&[0.0, 1.0, 2.0, 3.0, 4.0])).unwrap();
    ok!(model::aclmdlLoadFromFile(path.as_ptr(), &mut id));
    let (x, y) = (on_device(&bytes(&[10.0; 8])), device_memory(32));
    let (input, output) = (dataset(&[(x, 32)]), dataset(&[(y, 32)]));
    ok!(model::aclmdlExecute(id, input, output));
    assert_eq!(floats(&from_device(y, 32)), [11.0, 12.0, 13.0, 14.0, 11.0, 12.0, 13.0, 14.0]);
    let (mut work, mut weights) = (0, 0);
    ok!(model::aclmdlQuerySize(path.as_ptr(), &mut work, &mut weights));
    assert_eq!((work, weights), (64, 16));
    std::fs::remove_dir_all(&folder).unwrap();
}
