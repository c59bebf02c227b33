//! What calls about operators look at before the operator itself, and in which order.

use crate::support::*;
use crate::tensors::*;
use ascendcl_sim::exports::{base::*, op_compiler::*, operator::*, tensor_desc::*};
use std::ptr::{null, null_mut};

const DEFAULT: aclrtStream = aclrtStream::NULL;

#[test]
fn engines_and_ways_to_compile_that_do_not_exist_are_refused() {
    let _machine = device();
    let (relu, a, y) = (c("Relu"), input(&[1], &[1.0_f32]), output::<f32>(&[1], 1));
    let none = null::<std::ffi::c_char>();
    let compile = |name, inputs, engine, way, path| {
        let (input, output) = (a.desc.cast_const(), y.desc.cast_const());
        acl!(aclopCompile(name, inputs, &input, 1, &output, NO_ATTRIBUTES, engine, way, path))
    };
    let (engine, way) = (aclopEngineType::ACL_ENGINE_SYS, aclopCompileType::ACL_COMPILE_SYS);
    fails!(ACL_ERROR_GE_FAILURE, "no engine 7", compile(relu.as_ptr(), 1, aclopEngineType(7), way, none));
    let unregistered = aclopCompileType::ACL_COMPILE_UNREGISTERED;
    let own = |path| compile(relu.as_ptr(), 1, engine, unregistered, path);
    fails!(ACL_ERROR_INVALID_PARAM, "code is null", own(none));
    fails!(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "does not have", own(relu.as_ptr()));
    // The way comes before the name, and behind the numbers.
    fails!(ACL_ERROR_API_NOT_SUPPORT, "no compile type 2", compile(none, 1, engine, aclopCompileType(2), none));
    fails!(ACL_ERROR_INVALID_PARAM, "no -1 inputs", compile(none, -1, engine, aclopCompileType(2), none));
    for with_execution in [aclopCompileAndExecute_of, aclopCompileAndExecuteV2_of] {
        let run = |name, way| with_execution(name, a, y, way);
        fails!(ACL_ERROR_API_NOT_SUPPORT, "no compile type 2", run(none, aclopCompileType(2)));
        fails!(ACL_ERROR_INVALID_PARAM, "code is null", run(relu.as_ptr(), unregistered));
        assert_eq!(run(relu.as_ptr(), way), ACL_SUCCESS, "{}", message());
    }
}

#[allow(non_snake_case)]
fn aclopCompileAndExecute_of(name: *const std::ffi::c_char, a: Tensor, y: Tensor, way: aclopCompileType) -> aclError {
    let (from, to, engine) = (a.desc.cast_const(), y.desc.cast_const(), aclopEngineType::ACL_ENGINE_SYS);
    let (input, output) = (a.buffer.cast_const(), y.buffer);
    acl!(aclopCompileAndExecute(name, 1, &from, &input, 1, &to, &output, NO_ATTRIBUTES, engine, way, null(), DEFAULT))
}

#[allow(non_snake_case)]
fn aclopCompileAndExecuteV2_of(name: *const std::ffi::c_char, a: Tensor, y: Tensor, way: aclopCompileType) -> aclError {
    let (mut from, mut to, engine) = (a.desc, y.desc, aclopEngineType::ACL_ENGINE_SYS);
    let (mut input, mut output) = (a.buffer, y.buffer);
    acl!(aclopCompileAndExecuteV2(
        name,
        1,
        &mut from,
        &mut input,
        1,
        &mut to,
        &mut output,
        NO_ATTRIBUTES,
        engine,
        way,
        null(),
        DEFAULT
    ))
}

#[test]
fn what_is_compiled_before_it_is_executed_is_in_memory_of_the_device() {
    let _machine = device();
    let [on_host, there] = [desc(f32::TYPE, &[1]), desc(f32::TYPE, &[1])];
    ok!(aclSetTensorPlaceMent(on_host, aclMemType::ACL_MEMTYPE_HOST_COMPILE_INDEPENDENT));
    let refused = ACL_ERROR_API_NOT_SUPPORT;
    fails!(refused, "no operands in host memory", compile("Relu", &[on_host], there, NO_ATTRIBUTES));
    fails!(refused, "no operands in host memory", compile("Relu", &[there], on_host, NO_ATTRIBUTES));
    let mut constant = 1.0_f32;
    ok!(aclSetTensorConst(on_host, (&raw mut constant).cast(), 4));
    assert_eq!(compile("Relu", &[on_host], there, NO_ATTRIBUTES), ACL_SUCCESS, "{}", message());
}

/// Where a call looks at buffers before it looks at the outputs, wrong buffers are refused all the same.
#[test]
fn nothing_is_executed_if_no_output_has_elements() {
    let _machine = device();
    let a = input(&[1], &[1.0_f32]);
    let [y, z] = [[2, 0], [0, 1]].map(|dims| Tensor { desc: desc(f32::TYPE, &dims), ..output::<f32>(&[1], 1) });
    // Not even the operator is looked for.
    assert_eq!(execute_known("Gelu", &[a], y, NO_ATTRIBUTES, DEFAULT), ACL_SUCCESS, "{}", message());
    assert_eq!(execute("Gelu", &[a], y, NO_ATTRIBUTES, DEFAULT), ACL_SUCCESS, "{}", message());
    let nowhere = Tensor { buffer: acl!(aclCreateDataBuffer(null_mut(), 4)), ..a };
    assert_eq!(execute_known("Gelu", &[nowhere], y, NO_ATTRIBUTES, DEFAULT), ACL_SUCCESS, "{}", message());
    let invalid = ACL_ERROR_INVALID_PARAM;
    fails!(invalid, "input 0: found a null address", execute("Gelu", &[nowhere], y, NO_ATTRIBUTES, DEFAULT));
    let gelu = c("Gelu");
    let (from, to) = ([a.desc.cast_const()], [y.desc.cast_const(), z.desc.cast_const()]);
    let run = |outputs| {
        let (from, to, name) = (from.as_ptr(), to.as_ptr(), gelu.as_ptr());
        acl!(aclopExecute(name, 1, from, null(), outputs, to, null(), NO_ATTRIBUTES, DEFAULT))
    };
    assert_eq!(run(2), ACL_SUCCESS, "{}", message());
    fails!(invalid, "a list of them is null", run(0));
    ok!(aclopCast(a.desc, null_mut(), y.desc, null_mut(), 0, DEFAULT));
}

#[test]
fn a_graph_is_not_written_and_takes_no_options() {
    let _machine = device();
    let [a, y] = [input(&[1], &[1.0_f32]), output::<f32>(&[1], 1)];
    let empty = Tensor { desc: desc(f32::TYPE, &[0]), ..y };
    let (options, path) = (acl!(aclCreateGraphDumpOpt()), c("graph.txt"));
    let write = |inputs, y: Tensor, path, options| {
        let (from, to, engine) = (a.desc.cast_const(), y.desc.cast_const(), aclopEngineType::ACL_ENGINE_SYS);
        let (input, output, relu) = (a.buffer.cast_const(), y.buffer, c("Relu"));
        let (name, none) = (relu.as_ptr(), NO_ATTRIBUTES);
        acl!(aclGenGraphAndDumpForOp(name, inputs, &from, &input, 1, &to, &output, none, engine, path, options))
    };
    let (invalid, to) = (ACL_ERROR_INVALID_PARAM, path.as_ptr());
    fails!(invalid, "have to be null", write(-1, y, null(), options));
    fails!(invalid, "no -1 inputs", write(-1, y, null(), null()));
    fails!(invalid, "path is null", write(1, y, null(), null()));
    fails!(invalid, "data buffer is null", write(1, Tensor { buffer: null_mut(), ..y }, to, null()));
    fails!(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "no graphs", write(1, y, to, null()));
    assert_eq!(write(1, Tensor { buffer: null_mut(), ..empty }, to, null()), ACL_SUCCESS, "{}", message());
    ok!(aclDestroyGraphDumpOpt(options));
    fails!(invalid, "were destroyed", acl!(aclDestroyGraphDumpOpt(options)));
    fails!(invalid, "no options", acl!(aclDestroyGraphDumpOpt(null())));
}

#[test]
fn shapes_are_inferred_from_elements_that_are_given() {
    let _machine = device();
    let [a, b] = [input(&[2], &[1.0_f32; 2]), input(&[3], &[1.0_f32; 3])];
    let y = desc(f32::TYPE, &[-2]);
    let infer = |name: &str, inputs: [Tensor; 2]| {
        let (mut descs, mut buffers, mut outcome) = (inputs.map(|a| a.desc), inputs.map(|a| a.buffer), y);
        let (descs, buffers, name) = (descs.as_mut_ptr(), buffers.as_mut_ptr(), c(name));
        acl!(aclopInferShape(name.as_ptr(), 2, descs, buffers, 1, &mut outcome, NO_ATTRIBUTES))
    };
    let empty = Tensor { buffer: acl!(aclCreateDataBuffer(a.address, 0)), ..a };
    fails!(ACL_ERROR_INVALID_PARAM, "input 1: found an empty buffer", infer("Add", [a, empty]));
    fails!(ACL_ERROR_INVALID_PARAM, "buffer is null", infer("Add", [Tensor { buffer: null_mut(), ..a }, a]));
    fails!(ACL_ERROR_INVALID_PARAM, "found operator type `Gelu`", infer("Gelu", [a, a]));
    fails!(ACL_ERROR_GE_FAILURE, "expected shapes", infer("Add", [a, b]));
    assert_eq!(infer("Add", [a, a]), ACL_SUCCESS, "{}", message());
}
