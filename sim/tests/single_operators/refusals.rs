//! What is refused before anything is queued, and what fails when it runs.

use crate::support::*;
use crate::tensors::*;
use ascendcl_sim::control;
use ascendcl_sim::exports::{base::*, operator::*, tensor_desc::*};
use std::ptr::{null, null_mut};

const DEFAULT: aclrtStream = aclrtStream::NULL;

#[test]
fn an_operator_that_is_not_there_is_named_with_those_that_are() {
    let _machine = device();
    let [a, y] = [input(&[1], &[1.0_f32]), output::<f32>(&[1], 1)];
    fails!(ACL_ERROR_GE_FAILURE, "found operator type `Gelu`", execute("Gelu", &[a], y, NO_ATTRIBUTES, DEFAULT));
    fails!(ACL_ERROR_GE_FAILURE, "\"SoftmaxV2\"", compile("Gelu", &[a.desc], y.desc, NO_ATTRIBUTES));
}

#[test]
fn types_and_formats_are_checked() {
    let _machine = device();
    let [a, b] = [input(&[1], &[1.0_f32]), input(&[1], &[1_i32])];
    let [y, wrong] = [output::<f32>(&[1], 1), output::<i32>(&[1], 1)];
    let run = |name, inputs: &[Tensor], y| execute(name, inputs, y, NO_ATTRIBUTES, DEFAULT);
    fails!(ACL_ERROR_GE_FAILURE, "found f32 and i32, expected inputs of one type", run("Add", &[a, b], y));
    fails!(ACL_ERROR_GE_FAILURE, "output 0: found i32, expected f32", run("Add", &[a, a], wrong));
    let wide = input(&[1], &[1_i64]);
    fails!(ACL_ERROR_GE_FAILURE, "input 0: found i64, expected one of f16, f32, i32", run("Add", &[wide, wide], y));
    fails!(ACL_ERROR_GE_FAILURE, "found i32, expected one of f16, f32", run("SoftmaxV2", &[b], wrong));
    let brain = Tensor { desc: desc(aclDataType::ACL_BF16, &[1]), ..a };
    fails!(ACL_ERROR_GE_FAILURE, "Relu, input 0: found ACL_BF16", run("Relu", &[brain], y));
    let fractal =
        Tensor { desc: acl!(aclCreateTensorDesc(f32::TYPE, 0, null(), aclFormat::ACL_FORMAT_FRACTAL_NZ)), ..a };
    fails!(ACL_ERROR_GE_FAILURE, "found format 29, expected a plain one", run("Relu", &[fractal], y));
    let stored = desc(f32::TYPE, &[1]);
    ok!(aclSetTensorFormat(stored, aclFormat::ACL_FORMAT_NC1HWC0));
    fails!(ACL_ERROR_GE_FAILURE, "found format 3", run("Relu", &[Tensor { desc: stored, ..a }], y));
}

#[test]
fn shapes_and_counts_are_checked() {
    let _machine = device();
    let [two, three] = [input(&[2], &[1.0_f32; 2]), input(&[3], &[1.0_f32; 3])];
    let y = output::<f32>(&[3], 3);
    let run = |name, inputs: &[Tensor], y| execute(name, inputs, y, NO_ATTRIBUTES, DEFAULT);
    fails!(ACL_ERROR_GE_FAILURE, "found [2] and [3], expected shapes", run("Add", &[two, three], y));
    fails!(ACL_ERROR_GE_FAILURE, "found [2] and [3], expected two axes each", run("MatMul", &[two, three], y));
    let [a, b] = [[2, 3], [2, 3]].map(|dims| input(&dims, &[1.0_f32; 6]));
    fails!(ACL_ERROR_GE_FAILURE, "the columns of the first", run("MatMul", &[a, b], y));
    fails!(ACL_ERROR_GE_FAILURE, "found dims [3], expected [2]", run("Relu", &[two], y));
    let half_open = Tensor { desc: desc(f32::TYPE, &[-1, 3]), ..y };
    fails!(ACL_ERROR_GE_FAILURE, "found dims [-1, 3], expected [2]", run("Relu", &[two], half_open));
    let open = Tensor { desc: desc(f32::TYPE, &[-1]), ..two };
    fails!(ACL_ERROR_OP_NOT_FOUND, "found dims [-1], expected sizes without -1", run("Relu", &[open], y));
    let empty = Tensor { desc: desc(f32::TYPE, &[0]), ..two };
    fails!(ACL_ERROR_GE_FAILURE, "found dims [0]", run("Relu", &[empty], y));
    let deep = Tensor { desc: desc(f32::TYPE, &[1; 9]), ..two };
    fails!(ACL_ERROR_GE_FAILURE, "at most 8 axes", run("Relu", &[deep], y));
    fails!(ACL_ERROR_GE_FAILURE, "found 1 inputs, expected 2", run("Add", &[two], y));
    fails!(ACL_ERROR_GE_FAILURE, "found 3 inputs, expected 2", run("Add", &[two, two, two], y));
    let mut descs = [two.desc];
    let mut buffers = [two.buffer];
    let (descs, buffers) = (descs.as_mut_ptr(), buffers.as_mut_ptr());
    let code = acl!(aclopExecuteV2(
        c("Relu").as_ptr(),
        1,
        descs,
        buffers,
        2,
        [y.desc, y.desc].as_mut_ptr(),
        [y.buffer, y.buffer].as_mut_ptr(),
        NO_ATTRIBUTES,
        DEFAULT
    ));
    fails!(ACL_ERROR_OP_NOT_FOUND, "found 2 outputs, expected 1", code);
}

#[test]
fn memory_is_checked() {
    let _machine = device();
    let [a, y] = [input(&[4], &[1.0_f32; 4]), output::<f32>(&[4], 4)];
    let run = |inputs: &[Tensor], y| execute("Relu", inputs, y, NO_ATTRIBUTES, DEFAULT);
    let buffer = |tensor: Tensor, address, size| Tensor { buffer: acl!(aclCreateDataBuffer(address, size)), ..tensor };
    fails!(
        ACL_ERROR_OP_INPUT_NOT_MATCH,
        "found 15 bytes in its data buffer, expected 16 for f32 [4]",
        run(&[buffer(a, a.address, 15)], y)
    );
    fails!(ACL_ERROR_OP_OUTPUT_NOT_MATCH, "output 0: found 12 bytes", run(&[a], buffer(y, y.address, 12)));
    fails!(ACL_ERROR_INVALID_PARAM, "input 0: found a null address", run(&[buffer(a, null_mut(), 0)], y));
    fails!(ACL_ERROR_INVALID_PARAM, "output 0: found a null address", run(&[a], buffer(y, null_mut(), 0)));
    let mut host = [0_f32; 4];
    let there = host.as_mut_ptr().cast();
    fails!(ACL_ERROR_GE_EXEC_MODEL_ADDR_INVALID, "host memory", run(&[buffer(a, there, 16)], y));
    fails!(ACL_ERROR_GE_EXEC_MODEL_ADDR_INVALID, "host memory", run(&[a], buffer(y, there, 16)));
    fails!(ACL_ERROR_GE_EXEC_MODEL_ADDR_INVALID, "run over the block's end", run(&[buffer(a, a.address, 1 << 20)], y));
    let as_host = desc(f32::TYPE, &[4]);
    ok!(aclSetTensorPlaceMent(as_host, aclMemType::ACL_MEMTYPE_HOST));
    fails!(
        ACL_ERROR_OP_INPUT_NOT_MATCH,
        "found memory of device 0, expected host memory",
        run(&[Tensor { desc: as_host, ..a }], y)
    );
    let constant = desc(f32::TYPE, &[4]);
    ok!(aclSetTensorConst(constant, there, 8));
    fails!(ACL_ERROR_OP_INPUT_NOT_MATCH, "found a constant of 8 bytes", run(&[Tensor { desc: constant, ..a }], y));
    ok!(aclrtFree(a.address));
    fails!(ACL_ERROR_GE_EXEC_MODEL_ADDR_INVALID, "in no block of it (any more)", run(&[a], y));
    assert_eq!(control::live().device_blocks, 1, "nothing was taken for what was refused");
}

#[test]
fn attributes_are_checked() {
    let _machine = device();
    let [a, y] = [input(&[2, 2], &[1.0_f32; 4]), output::<f32>(&[2, 2], 4)];
    let wrong = ACL_ERROR_GE_FAILURE;
    let run = |name, inputs: &[Tensor], attributes| execute(name, inputs, y, attributes, DEFAULT);
    fails!(wrong, "found attribute `alpha`, expected none but []", run("Add", &[a, a], int("alpha", 1)));
    fails!(wrong, "found attribute `adj_x1`", run("MatMul", &[a, a], flags(&["adj_x1"])));
    fails!(wrong, "`transpose_x1`: found Int(1), expected a Bool", run("MatMul", &[a, a], int("transpose_x1", 1)));
    fails!(wrong, "`dst_type` is missing", run("Cast", &[a], NO_ATTRIBUTES));
    fails!(wrong, "found 27, expected the number of f16", run("Cast", &[a], int("dst_type", 27)));
    fails!(wrong, "found true", run("Cast", &[a], flags(&["truncate", "dst_type"])));
    fails!(wrong, "found Bool(true), expected an Int", run("Cast", &[a], flags(&["dst_type"])));
    fails!(wrong, "found axis 2, expected one of an input with 2 axes", run("Softmax", &[a], ints("axes", &[2])));
    fails!(wrong, "found axis -3", run("Softmax", &[a], ints("axes", &[-3])));
    fails!(wrong, "expected a list of one Int", run("Softmax", &[a], ints("axes", &[0, 1])));
    fails!(wrong, "expected a list of one Int", run("Softmax", &[a], int("axes", 1)));
    fails!(wrong, "found f32, expected i32", run("Cast", &[a], int("dst_type", 3)));
}

#[test]
fn null_arguments_and_unknown_objects_are_refused() {
    let _machine = device();
    let [a, y] = [input(&[1], &[1.0_f32]), output::<f32>(&[1], 1)];
    let relu = c("Relu");
    let name = relu.as_ptr();
    let invalid = ACL_ERROR_INVALID_PARAM;
    let (mut descs, mut buffers) = ([a.desc], [a.buffer]);
    let (descs, buffers) = (descs.as_mut_ptr(), buffers.as_mut_ptr());
    let (mut out_desc, mut out_buffer) = (y.desc, y.buffer);
    let (out_desc, out_buffer) = (&raw mut out_desc, &raw mut out_buffer);
    let none = NO_ATTRIBUTES;
    let call = |name, count, descs, buffers, outputs, out_desc, out_buffer, attributes| {
        acl!(aclopExecuteV2(name, count, descs, buffers, outputs, out_desc, out_buffer, attributes, DEFAULT))
    };
    fails!(invalid, "the operator type is null", call(null(), 1, descs, buffers, 1, out_desc, out_buffer, none));
    fails!(invalid, "-1", call(name, -1, descs, buffers, 1, out_desc, out_buffer, none));
    fails!(invalid, "a list of them is null", call(name, 1, null_mut(), buffers, 1, out_desc, out_buffer, none));
    fails!(invalid, "a list of them is null", call(name, 1, descs, null_mut(), 1, out_desc, out_buffer, none));
    fails!(invalid, "a list of them is null", call(name, 1, descs, buffers, 1, null_mut(), out_buffer, none));
    fails!(invalid, "a list of them is null", call(name, 1, descs, buffers, 1, out_desc, null_mut(), none));
    let mut no_desc = null_mut();
    let no_desc = &raw mut no_desc;
    fails!(
        invalid,
        "Relu, input 0: the tensor description is null",
        call(name, 1, no_desc, buffers, 1, out_desc, out_buffer, none)
    );
    fails!(
        invalid,
        "Relu, output 0: the data buffer is null",
        execute("Relu", &[a], Tensor { buffer: null_mut(), ..y }, none, DEFAULT)
    );
    fails!(
        invalid,
        "input 0: the data buffer is null",
        execute("Relu", &[Tensor { buffer: null_mut(), ..a }], y, none, DEFAULT)
    );
    let stale = aclrtStream(std::ptr::without_provenance_mut(0x1234));
    fails!(ACL_ERROR_RT_INVALID_HANDLE, "stream", execute("Relu", &[a], y, none, stale));
}

#[test]
fn attributes_that_are_null_or_destroyed_are_refused() {
    let _machine = device();
    let [a, y] = [input(&[1], &[1.0_f32]), output::<f32>(&[1], 1)];
    let relu = c("Relu");
    let (name, invalid) = (relu.as_ptr(), ACL_ERROR_INVALID_PARAM);
    let gone = flags(&[]);
    acl!(aclopDestroyAttr(gone));
    fails!(invalid, "were destroyed", execute("Relu", &[a], y, gone, DEFAULT));
    fails!(invalid, "were destroyed", acl!(aclopSetAttrInt(gone, name, 1)));
    fails!(invalid, "attributes are null", acl!(aclopSetAttrInt(null_mut(), name, 1)));
    let attributes = flags(&[]);
    fails!(invalid, "name is null", acl!(aclopSetAttrInt(attributes, null(), 1)));
    fails!(invalid, "value is null", acl!(aclopSetAttrString(attributes, name, null())));
    fails!(invalid, "list of them is null", acl!(aclopSetAttrListInt(attributes, name, 2, null())));
    let texts = [name, null()];
    fails!(
        invalid,
        "one of the values is null",
        acl!(aclopSetAttrListString(attributes, name, 2, texts.as_ptr().cast_mut()))
    );
    let lists = |number, lengths, values| acl!(aclopSetAttrListListInt(attributes, name, number, lengths, values));
    let (one, lists_of_one) = ([7_i64], [null()]);
    fails!(invalid, "numbers of values are null", lists(0, null(), null()));
    fails!(invalid, "numbers of values are null", lists(1, null(), [one.as_ptr()].as_ptr()));
    fails!(invalid, "list of them is null", lists(1, [1].as_ptr(), null()));
    fails!(invalid, "one of the lists is null", lists(1, [0].as_ptr(), lists_of_one.as_ptr()));
}

/// Lists of plain values may be null then; lists of pointers may not.
#[test]
fn a_negative_number_of_values_stands_for_none() {
    let _machine = device();
    let [x, y] = [input(&[1], &[1.0_f32]), output::<f32>(&[1], 1)];
    let attributes = flags(&[]);
    let key = c("dst_type");
    let key = key.as_ptr();
    let arrived = |value: &str| {
        let expected = format!("found {value}, expected an Int");
        fails!(ACL_ERROR_GE_FAILURE, &expected, execute("Cast", &[x], y, attributes, DEFAULT));
    };
    ok!(aclopSetAttrListBool(attributes, key, -1, null()));
    arrived("Bools([])");
    ok!(aclopSetAttrListInt(attributes, key, -2, [1].as_ptr()));
    arrived("Ints([])");
    ok!(aclopSetAttrListFloat(attributes, key, -2, null()));
    arrived("Floats([])");
    ok!(aclopSetAttrListDataType(attributes, key, i32::MIN, null()));
    arrived("DataTypes([])");
    let text = c("text");
    let mut texts = [text.as_ptr()];
    ok!(aclopSetAttrListString(attributes, key, -1, texts.as_mut_ptr()));
    arrived("Strings([])");
    let invalid = ACL_ERROR_INVALID_PARAM;
    fails!(invalid, "list of them is null", acl!(aclopSetAttrListString(attributes, key, -1, null_mut())));
    let one = [7_i64];
    ok!(aclopSetAttrListListInt(attributes, key, -1, [1].as_ptr(), [one.as_ptr()].as_ptr()));
    arrived("IntLists([])");
    ok!(aclopSetAttrListListInt(attributes, key, 1, [-1].as_ptr(), [one.as_ptr()].as_ptr()));
    arrived("IntLists([[]])");
    let none = acl!(aclopSetAttrListListInt(attributes, key, -1, [1].as_ptr(), null()));
    fails!(invalid, "list of them is null", none);
}

#[test]
fn attributes_of_every_kind_arrive_as_they_were_set() {
    let _machine = device();
    let [x, y] = [input(&[1], &[1.0_f32]), output::<f32>(&[1], 1)];
    let attributes = flags(&[]);
    let key = c("dst_type");
    let key = key.as_ptr();
    let arrived = |value: &str| {
        let expected = format!("found {value}, expected an Int");
        fails!(ACL_ERROR_GE_FAILURE, &expected, execute("Cast", &[x], y, attributes, DEFAULT));
    };
    let [one, two] = [c("one"), c("two")];
    let texts = [one.as_ptr(), two.as_ptr()];
    ok!(aclopSetAttrFloat(attributes, key, 1.5));
    arrived("Float(1.5)");
    ok!(aclopSetAttrString(attributes, key, one.as_ptr()));
    arrived("String(\"one\")");
    ok!(aclopSetAttrBool(attributes, key, 9));
    arrived("Bool(true)");
    ok!(aclopSetAttrListBool(attributes, key, 2, [0, 1].as_ptr()));
    arrived("Bools([false, true])");
    ok!(aclopSetAttrListFloat(attributes, key, 1, [2.5].as_ptr()));
    arrived("Floats([2.5])");
    ok!(aclopSetAttrListInt(attributes, key, 2, [-1, 1].as_ptr()));
    arrived("Ints([-1, 1])");
    ok!(aclopSetAttrListInt(attributes, key, 0, null()));
    arrived("Ints([])");
    ok!(aclopSetAttrListDataType(attributes, key, 1, [f32::TYPE].as_ptr()));
    arrived("DataTypes([aclDataType(0)])");
    ok!(aclopSetAttrListString(attributes, key, 2, texts.as_ptr().cast_mut()));
    arrived("Strings([\"one\", \"two\"])");
    let (short, long) = ([1_i64], [2_i64, 3]);
    ok!(aclopSetAttrListListInt(attributes, key, 2, [1, 2].as_ptr(), [short.as_ptr(), long.as_ptr()].as_ptr()));
    arrived("IntLists([[1], [2, 3]])");
}

#[test]
fn a_division_of_integers_by_zero_is_what_the_next_wait_answers() {
    let _machine = device();
    let [a, b, y] = [input(&[2], &[1_i32, 2]), input(&[2], &[1_i32, 0]), output::<i32>(&[2], 2)];
    assert_eq!(execute("Div", &[a, b], y, NO_ATTRIBUTES, DEFAULT), ACL_SUCCESS);
    fails!(ACL_ERROR_GE_INTERNAL_ERROR, "Div: it failed while running", acl!(aclrtSynchronizeStream(DEFAULT)));
    ok!(aclrtSynchronizeStream(DEFAULT));
    let [a, b, y] = [input(&[2], &[1.0_f32, -2.0]), input(&[2], &[0.0_f32; 2]), output::<f32>(&[2], 2)];
    assert_eq!(execute("Div", &[a, b], y, NO_ATTRIBUTES, DEFAULT), ACL_SUCCESS);
    ok!(aclrtSynchronizeStream(DEFAULT));
    assert_eq!(y.elements::<f32>(), [f32::INFINITY, f32::NEG_INFINITY]);
}
