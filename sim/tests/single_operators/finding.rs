//! Which operators a program may execute: those it compiled or loaded.

use crate::support::*;
use crate::tensors::*;
use ascendcl_sim::exports::{op_compiler::*, operator::*};
use std::ptr::null;

const DEFAULT: aclrtStream = aclrtStream::NULL;

#[test]
fn an_operator_is_executed_once_it_was_compiled() {
    let _machine = device();
    let [a, y] = [input(&[2], &[-1.0_f32, 1.0]), output::<f32>(&[2], 2)];
    fails!(ACL_ERROR_OP_NOT_FOUND, "aclopCompile makes one", execute_known("Relu", &[a], y, NO_ATTRIBUTES, DEFAULT));
    assert_eq!(compile("Relu", &[a.desc], y.desc, NO_ATTRIBUTES), ACL_SUCCESS, "{}", message());
    assert_eq!(execute_known("Relu", &[a], y, NO_ATTRIBUTES, DEFAULT), ACL_SUCCESS, "{}", message());
    ok!(aclrtSynchronizeStream(DEFAULT));
    assert_eq!(y.elements::<f32>(), [0.0, 1.0]);

    // For these types, shapes and attributes only.
    let [b, z] = [input(&[3], &[1.0_f32; 3]), output::<f32>(&[3], 3)];
    fails!(ACL_ERROR_OP_NOT_FOUND, "no model of it", execute_known("Relu", &[b], z, NO_ATTRIBUTES, DEFAULT));
    let [b, z] = [input(&[2], &[1_i32; 2]), output::<i32>(&[2], 2)];
    fails!(ACL_ERROR_OP_NOT_FOUND, "no model of it", execute_known("Relu", &[b], z, NO_ATTRIBUTES, DEFAULT));
    let square = input(&[2, 2], &[1.0_f32; 4]);
    let product = output::<f32>(&[2, 2], 4);
    let pair = [square.desc, square.desc];
    assert_eq!(compile("MatMul", &pair, product.desc, flags(&["transpose_x1"])), ACL_SUCCESS);
    let plain = execute_known("MatMul", &[square, square], product, NO_ATTRIBUTES, DEFAULT);
    fails!(ACL_ERROR_OP_NOT_FOUND, "no model of it", plain);
}

#[test]
fn compiled_for_open_shapes_it_serves_all_that_fit() {
    let _machine = device();
    let open = desc(f32::TYPE, &[-1, 2]);
    assert_eq!(compile("Relu", &[open], open, NO_ATTRIBUTES), ACL_SUCCESS, "{}", message());
    let run = |dims: &[i64], count: usize| {
        let [a, y] = [input(dims, &vec![1.0_f32; count]), output::<f32>(dims, count)];
        execute_known("Relu", &[a], y, NO_ATTRIBUTES, DEFAULT)
    };
    assert_eq!(run(&[1, 2], 2), ACL_SUCCESS);
    assert_eq!(run(&[3, 2], 6), ACL_SUCCESS);
    fails!(ACL_ERROR_OP_NOT_FOUND, "no model", run(&[3, 3], 9));
    fails!(ACL_ERROR_OP_NOT_FOUND, "no model", run(&[2], 2));
    fails!(
        ACL_ERROR_GE_FAILURE,
        "found axis 8",
        compile("Softmax", &[desc(f32::TYPE, &[-2])], open, ints("axes", &[8]))
    );
}

#[test]
fn the_fuzzy_flag_compiles_for_any_sizes() {
    let _machine = device();
    ok!(aclopSetCompileFlag(aclOpCompileFlag::ACL_OP_COMPILE_FUZZ));
    let [a, y] = [input(&[2], &[1.0_f32; 2]), output::<f32>(&[2], 2)];
    assert_eq!(compile("Relu", &[a.desc], y.desc, NO_ATTRIBUTES), ACL_SUCCESS);
    let [b, z] = [input(&[3], &[1.0_f32; 3]), output::<f32>(&[3], 3)];
    assert_eq!(execute_known("Relu", &[b], z, NO_ATTRIBUTES, DEFAULT), ACL_SUCCESS, "{}", message());
    ok!(aclopSetCompileFlag(aclOpCompileFlag::ACL_OP_COMPILE_DEFAULT));
    assert_eq!(compile("Add", &[a.desc, a.desc], y.desc, NO_ATTRIBUTES), ACL_SUCCESS);
    fails!(ACL_ERROR_OP_NOT_FOUND, "no model", execute_known("Add", &[b, b], z, NO_ATTRIBUTES, DEFAULT));
    // No flag is refused. Others than that one are the usual way.
    ok!(aclopSetCompileFlag(aclOpCompileFlag::ACL_OP_COMPILE_FUZZ));
    ok!(aclopSetCompileFlag(aclOpCompileFlag(2)));
    assert_eq!(compile("Mul", &[a.desc, a.desc], y.desc, NO_ATTRIBUTES), ACL_SUCCESS);
    fails!(ACL_ERROR_OP_NOT_FOUND, "no model", execute_known("Mul", &[b, b], z, NO_ATTRIBUTES, DEFAULT));
}

#[test]
fn the_oldest_compiled_operators_are_forgotten_first() {
    let _machine = device();
    ok!(aclopSetMaxOpQueueNum(2));
    let run = |name: &str, count: usize| {
        let a = input(&[1], &[1.0_f32]);
        let inputs = vec![a; count];
        execute_known(name, &inputs, output::<f32>(&[1], 1), NO_ATTRIBUTES, DEFAULT)
    };
    let one = desc(f32::TYPE, &[1]);
    assert_eq!(compile("Add", &[one, one], one, NO_ATTRIBUTES), ACL_SUCCESS);
    assert_eq!(compile("Mul", &[one, one], one, NO_ATTRIBUTES), ACL_SUCCESS);
    assert_eq!(compile("Add", &[one, one], one, NO_ATTRIBUTES), ACL_SUCCESS, "it is the newest now");
    assert_eq!(compile("Relu", &[one], one, NO_ATTRIBUTES), ACL_SUCCESS);
    fails!(ACL_ERROR_OP_NOT_FOUND, "no model", run("Mul", 2));
    assert_eq!(run("Add", 2), ACL_SUCCESS);
    assert_eq!(run("Relu", 1), ACL_SUCCESS);
    fails!(ACL_ERROR_INVALID_PARAM, "at least one", acl!(aclopSetMaxOpQueueNum(0)));
}

#[test]
fn the_configuration_says_how_many_compiled_operators_are_kept() {
    let _machine = device();
    let path = std::env::temp_dir().join(format!("ascendcl-sim-kept-{}.json", std::process::id()));
    std::fs::write(&path, r#"{"max_opqueue_num": "1"}"#).unwrap();
    ok!(aclInit(c(path.to_str().unwrap()).as_ptr()));
    std::fs::remove_file(path).unwrap();
    let [a, y] = [input(&[1], &[1.0_f32]), output::<f32>(&[1], 1)];
    assert_eq!(compile("Add", &[a.desc, a.desc], y.desc, NO_ATTRIBUTES), ACL_SUCCESS);
    assert_eq!(execute_known("Add", &[a, a], y, NO_ATTRIBUTES, DEFAULT), ACL_SUCCESS, "{}", message());
    assert_eq!(compile("Relu", &[a.desc], y.desc, NO_ATTRIBUTES), ACL_SUCCESS);
    fails!(ACL_ERROR_OP_NOT_FOUND, "no model", execute_known("Add", &[a, a], y, NO_ATTRIBUTES, DEFAULT));
    ok!(aclFinalize());
}

#[test]
fn a_directory_brings_operators_once() {
    let _machine = device();
    let run = || {
        let [a, y] = [input(&[1], &[1.0_f32]), output::<f32>(&[1], 1)];
        execute_known("Relu", &[a], y, NO_ATTRIBUTES, DEFAULT)
    };
    fails!(ACL_ERROR_INVALID_PARAM, "the directory is null", acl!(aclopSetModelDir(null())));
    let missing = acl!(aclopSetModelDir(c("no/such/directory").as_ptr()));
    fails!(ACL_ERROR_READ_MODEL_FAILURE, "no directory `no/such/directory`", missing);
    fails!(ACL_ERROR_OP_NOT_FOUND, "no model", run());
    let here = c(env!("CARGO_MANIFEST_DIR"));
    ok!(aclopSetModelDir(here.as_ptr()));
    assert_eq!(run(), ACL_SUCCESS);
    fails!(ACL_ERROR_REPEAT_INITIALIZE, "once in a process", acl!(aclopSetModelDir(here.as_ptr())));
}

#[test]
fn an_image_brings_operators() {
    let _machine = device();
    fails!(ACL_ERROR_INVALID_PARAM, "an address and a size", acl!(aclopLoad(null(), 4)));
    fails!(ACL_ERROR_INVALID_PARAM, "an address and a size", acl!(aclopLoad([0_u8; 4].as_ptr().cast(), 0)));
    ok!(aclopLoad([0_u8; 4].as_ptr().cast(), 4));
    let [a, y] = [input(&[1], &[1.0_f32]), output::<f32>(&[1], 1)];
    assert_eq!(execute_known("Relu", &[a], y, NO_ATTRIBUTES, DEFAULT), ACL_SUCCESS, "{}", message());
}

#[test]
fn the_call_for_fixed_shapes_refuses_open_ones() {
    let _machine = device();
    let [a, y] = [input(&[2], &[-1.0_f32, 1.0]), output::<f32>(&[2], 2)];
    let open = Tensor { desc: desc(f32::TYPE, &[-1]), ..y };
    assert_eq!(compile("Relu", &[a.desc], y.desc, NO_ATTRIBUTES), ACL_SUCCESS);
    let relu = c("Relu");
    let run = |y: Tensor| {
        let (inputs, buffers) = (&a.desc.cast_const(), &a.buffer.cast_const());
        let (outputs, room) = (&y.desc.cast_const(), &raw const y.buffer);
        acl!(aclopExecute(relu.as_ptr(), 1, inputs, buffers, 1, outputs, room, NO_ATTRIBUTES, DEFAULT))
    };
    fails!(ACL_ERROR_OP_NOT_FOUND, "no model", run(open));
    assert_eq!(compile("Relu", &[a.desc], open.desc, NO_ATTRIBUTES), ACL_SUCCESS);
    fails!(ACL_ERROR_OP_NOT_FOUND, "found open dims, expected [2]", run(open));
    assert_eq!(run(y), ACL_SUCCESS, "{}", message());
    ok!(aclrtSynchronizeStream(DEFAULT));
    assert_eq!(y.elements::<f32>(), [0.0, 1.0]);

    let (inputs, buffers) = (&a.desc.cast_const(), &a.buffer.cast_const());
    let (outputs, room) = (&open.desc.cast_const(), &raw const y.buffer);
    let (engine, kind) = (aclopEngineType::ACL_ENGINE_SYS, aclopCompileType::ACL_COMPILE_SYS);
    let (name, path, none) = (relu.as_ptr(), null(), NO_ATTRIBUTES);
    let code =
        acl!(aclopCompileAndExecute(name, 1, inputs, buffers, 1, outputs, room, none, engine, kind, path, DEFAULT));
    fails!(ACL_ERROR_OP_NOT_FOUND, "found open dims", code);
}
