//! What the operators calculate.

use crate::support::*;
use crate::tensors::*;
use ascendcl_sim::control;
use ascendcl_sim::exports::{base::*, dump::*, operator::*, tensor_desc::*};
use half::f16;
use std::ptr::null_mut;

const EMPTY: *mut aclopAttr = NO_ATTRIBUTES;

#[test]
fn the_four_calculations_work_element_by_element_in_each_type() {
    let _machine = device();
    let [a, b] = [input(&[3], &[6.0_f32, -1.0, 0.5]), input(&[3], &[2.0_f32, 4.0, 0.25])];
    assert_eq!(calculate::<f32>("Add", &[a, b], &[3], EMPTY), [8.0, 3.0, 0.75]);
    assert_eq!(calculate::<f32>("Sub", &[a, b], &[3], EMPTY), [4.0, -5.0, 0.25]);
    assert_eq!(calculate::<f32>("Mul", &[a, b], &[3], EMPTY), [12.0, -4.0, 0.125]);
    assert_eq!(calculate::<f32>("Div", &[a, b], &[3], EMPTY), [3.0, -0.25, 2.0]);
    assert_eq!(calculate::<f32>("RealDiv", &[a, b], &[3], EMPTY), [3.0, -0.25, 2.0]);

    let [a, b] = [input(&[2, 2], &[7_i32, -7, 1 << 30, 5]), input(&[2, 2], &[2_i32, 2, 1, -1])];
    assert_eq!(calculate::<i32>("Add", &[a, b], &[2, 2], EMPTY), [9, -5, (1 << 30) + 1, 4]);
    assert_eq!(calculate::<i32>("Sub", &[a, b], &[2, 2], EMPTY), [5, -9, (1 << 30) - 1, 6]);
    assert_eq!(calculate::<i32>("Mul", &[a, b], &[2, 2], EMPTY), [14, -14, 1 << 30, -5]);
    assert_eq!(calculate::<i32>("Div", &[a, b], &[2, 2], EMPTY), [3, -3, 1 << 30, -5]);

    let half = |values: [f32; 2]| values.map(f16::from_f32);
    let [a, b] = [input(&[2], &half([1.5, 2048.0])), input(&[2], &half([0.25, 1.0]))];
    // 2049 is halfway between two halves, and goes to the even one.
    assert_eq!(calculate::<f16>("Add", &[a, b], &[2], EMPTY), half([1.75, 2048.0]));
}

#[test]
fn operands_of_other_shapes_are_spread_over_each_other() {
    let _machine = device();
    let [column, row] = [input(&[2, 1], &[10_i32, 20]), input(&[3], &[1_i32, 2, 3])];
    assert_eq!(calculate::<i32>("Add", &[column, row], &[2, 3], EMPTY), [11, 12, 13, 21, 22, 23]);
    assert_eq!(calculate::<i32>("Sub", &[row, column], &[2, 3], EMPTY), [-9, -8, -7, -19, -18, -17]);
    let scalar = input(&[], &[5_i32]);
    assert_eq!(calculate::<i32>("Mul", &[row, scalar], &[3], EMPTY), [5, 10, 15]);
    assert_eq!(calculate::<i32>("Mul", &[scalar, scalar], &[], EMPTY), [25]);
}

#[test]
fn matrices_are_multiplied_and_transposed_first_where_asked() {
    let _machine = device();
    // 2 by 3 and 3 by 2.
    let [a, b] = [input(&[2, 3], &[1.0_f32, 2., 3., 4., 5., 6.]), input(&[3, 2], &[7.0_f32, 8., 9., 10., 11., 12.])];
    assert_eq!(calculate::<f32>("MatMul", &[a, b], &[2, 2], EMPTY), [58.0, 64.0, 139.0, 154.0]);
    let first = flags(&["transpose_x1"]);
    assert_eq!(calculate::<f32>("MatMul", &[a, a], &[3, 3], first), [17., 22., 27., 22., 29., 36., 27., 36., 45.]);
    let second = flags(&["transpose_x2"]);
    assert_eq!(calculate::<f32>("MatMul", &[a, a], &[2, 2], second), [14.0, 32.0, 32.0, 77.0]);
    let both = flags(&["transpose_x1", "transpose_x2"]);
    assert_eq!(calculate::<f32>("MatMul", &[a, b], &[3, 3], both), [39., 49., 59., 54., 68., 82., 69., 87., 105.]);

    let stack = input(&[2, 1, 2], &[1.0_f32, 2.0, 3.0, 4.0]);
    assert_eq!(calculate::<f32>("BatchMatMul", &[stack, stack], &[2, 1, 1], flags(&["adj_x2"])), [5.0, 25.0]);
    let one = input(&[2, 1], &[1.0_f32, 10.0]);
    assert_eq!(calculate::<f32>("BatchMatMul", &[stack, one], &[2, 1, 1], EMPTY), [21.0, 43.0]);
}

#[test]
fn matrices_of_integers_are_multiplied_exactly() {
    let _machine = device();
    // Beyond the 24 bits that a float keeps.
    let large = (1 << 24) + 1;
    let [a, b] = [input(&[2, 3], &[1, 2, 3, 4, 5, large]), input(&[3, 2], &[7, 8, 9, 10, 11, 1])];
    assert_eq!(calculate::<i32>("MatMul", &[a, b], &[2, 2], EMPTY), [58, 31, 73 + 11 * large, 82 + large]);
    let first = flags(&["transpose_x1"]);
    assert_eq!(calculate::<i32>("MatMul", &[b, b], &[2, 2], first), [251, 157, 157, 165]);

    let stack = input(&[2, 1, 2], &[1, 2, 3, 4]);
    assert_eq!(calculate::<i32>("BatchMatMul", &[stack, stack], &[2, 1, 1], flags(&["adj_x2"])), [5, 25]);
    let one = input(&[2, 1], &[1, 10]);
    assert_eq!(calculate::<i32>("BatchMatMul", &[stack, one], &[2, 1, 1], EMPTY), [21, 43]);
}

#[test]
fn casts_cut_off_fractions_and_round_to_the_nearest_half() {
    let _machine = device();
    let to = |data_type: aclDataType| int("dst_type", data_type.0.into());
    let floats = input(&[4], &[1.9_f32, -1.9, 0.1, 300.0]);
    assert_eq!(calculate::<i32>("Cast", &[floats], &[4], to(i32::TYPE)), [1, -1, 0, 300]);
    assert_eq!(calculate::<i64>("Cast", &[floats], &[4], to(i64::TYPE)), [1, -1, 0, 300]);
    let halves = [1.9_f32, -1.9, 0.1, 300.0].map(f16::from_f32);
    assert_eq!(calculate::<f16>("Cast", &[floats], &[4], to(f16::TYPE)), halves);
    let small = input(&[3], &[0_u8, 7, 255]);
    assert_eq!(calculate::<f32>("Cast", &[small], &[3], to(f32::TYPE)), [0.0, 7.0, 255.0]);
    assert_eq!(calculate::<i32>("Cast", &[small], &[3], to(i32::TYPE)), [0, 7, 255]);
    let wide = input(&[2], &[-5_i64, i64::from(i32::MAX)]);
    assert_eq!(calculate::<i32>("Cast", &[wide], &[2], to(i32::TYPE)), [-5, i32::MAX]);
    assert_eq!(calculate::<f32>("Cast", &[wide], &[2], to(f32::TYPE)), [-5.0, 2_147_483_648.0]);
    assert_eq!(calculate::<u8>("Cast", &[input(&[2], &[3.7_f32, 250.2])], &[2], to(u8::TYPE)), [3, 250]);

    let truths = input(&[3], &[Truth(1), Truth(0), Truth(1)]);
    assert_eq!(calculate::<f32>("Cast", &[truths], &[3], to(f32::TYPE)), [1.0, 0.0, 1.0]);
    let numbers = input(&[3], &[2.5_f32, 0.0, -1.0]);
    assert_eq!(calculate::<Truth>("Cast", &[numbers], &[3], to(Truth::TYPE)), [Truth(1), Truth(0), Truth(1)]);

    // The attribute may also be set as a data type, and a cast has a function of its own.
    let attributes = acl!(aclopCreateAttr());
    ok!(aclopSetAttrDataType(attributes, c("dst_type").as_ptr(), i32::TYPE));
    assert_eq!(calculate::<i32>("Cast", &[floats], &[4], attributes), [1, -1, 0, 300]);
    let y = output::<i32>(&[4], 4);
    let call = |y: Tensor| acl!(aclopCast(floats.desc, floats.buffer, y.desc, y.buffer, 0, aclrtStream::NULL));
    let bytes = output::<u8>(&[4], 4);
    fails!(ACL_ERROR_OP_NOT_FOUND, "Cast: no model", call(bytes));
    assert_eq!(compile("Cast", &[floats.desc], y.desc, to(i32::TYPE)), ACL_SUCCESS);
    assert_eq!(call(y), ACL_SUCCESS, "{}", message());
    ok!(aclrtSynchronizeStream(aclrtStream::NULL));
    assert_eq!(y.elements::<i32>(), [1, -1, 0, 300]);
}

#[test]
fn relu_takes_away_what_is_negative() {
    let _machine = device();
    assert_eq!(calculate::<f32>("Relu", &[input(&[3], &[-1.5_f32, 0.0, 2.5])], &[3], EMPTY), [0.0, 0.0, 2.5]);
    assert_eq!(calculate::<i32>("Relu", &[input(&[1, 3], &[-2_i32, 0, 3])], &[1, 3], EMPTY), [0, 0, 3]);
    assert_eq!(calculate::<i32>("Relu", &[input(&[], &[-2_i32])], &[], EMPTY), [0]);
}

#[test]
fn softmax_adds_up_to_one_along_its_axis() {
    let _machine = device();
    let close = |found: Vec<f32>, expected: &[f32]| {
        let near = found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-6);
        assert!(near && found.len() == expected.len(), "{found:?}");
    };
    let ln = f32::ln;
    let x = input(&[2, 2], &[ln(1.0), ln(3.0), ln(2.0), ln(2.0)]);
    close(calculate("SoftmaxV2", &[x], &[2, 2], EMPTY), &[0.25, 0.75, 0.5, 0.5]);
    close(calculate("Softmax", &[x], &[2, 2], ints("axes", &[1])), &[0.25, 0.75, 0.5, 0.5]);
    close(calculate("SoftmaxV2", &[x], &[2, 2], ints("axes", &[0])), &[1.0 / 3.0, 0.6, 2.0 / 3.0, 0.4]);
    close(calculate("SoftmaxV2", &[x], &[2, 2], ints("axes", &[-2])), &[1.0 / 3.0, 0.6, 2.0 / 3.0, 0.4]);
}

#[test]
fn an_open_output_gets_its_shape_and_is_there_when_the_call_returns() {
    let _machine = device();
    let [column, row] = [input(&[2, 1], &[10_i32, 20]), input(&[3], &[1_i32, 2, 3])];
    for open in [&[-1, -1][..], &[2, -1], &[-2]] {
        let y = output::<i32>(open, 6);
        assert_eq!(execute("Add", &[column, row], y, EMPTY, aclrtStream::NULL), ACL_SUCCESS, "{}", message());
        assert_eq!(y.dims(), [2, 3]);
        assert_eq!(y.elements::<i32>(), [11, 12, 13, 21, 22, 23]);
    }
    let y = desc(i32::TYPE, &[-2]);
    let mut descs = [column.desc, row.desc];
    let mut elements = [column.buffer, row.buffer];
    let (descs, elements, mut outcome) = (descs.as_mut_ptr(), elements.as_mut_ptr(), y);
    ok!(aclopInferShape(c("Add").as_ptr(), 2, descs, elements, 1, &mut outcome, EMPTY));
    assert_eq!(acl!(aclGetTensorDescDim(y, 1)), 3);
}

#[test]
fn an_operator_may_write_over_its_input() {
    let _machine = device();
    let a = input(&[3], &[1.0_f32, 2.0, 3.0]);
    let column = input(&[2, 1], &[10_i32, 20]);
    assert_eq!(execute("Add", &[a, a], a, EMPTY, aclrtStream::NULL), ACL_SUCCESS);
    let shrunk = Tensor { desc: desc(i32::TYPE, &[2, 1]), ..column };
    assert_eq!(execute("Mul", &[column, column], shrunk, EMPTY, aclrtStream::NULL), ACL_SUCCESS);
    ok!(aclrtSynchronizeStream(aclrtStream::NULL));
    assert_eq!(a.elements::<f32>(), [2.0, 4.0, 6.0]);
    assert_eq!(column.elements::<i32>(), [100, 400]);
}

#[test]
fn host_inputs_and_constants_are_read_when_the_call_comes() {
    let _machine = device();
    let stream = stream();
    let mut host = [5_i32, 6];
    let on_host = desc(i32::TYPE, &[2]);
    ok!(aclSetTensorPlaceMent(on_host, aclMemType::ACL_MEMTYPE_HOST));
    let there = host.as_mut_ptr().cast();
    let buffer = acl!(aclCreateDataBuffer(there, 8));
    let a = Tensor { desc: on_host, buffer, address: there, size: 8 };
    let constant = desc(i32::TYPE, &[2]);
    let mut ten = [10_i32, 10];
    ok!(aclSetTensorConst(constant, ten.as_mut_ptr().cast(), 8));
    let b = Tensor { desc: constant, buffer: acl!(aclCreateDataBuffer(null_mut(), 0)), address: null_mut(), size: 0 };
    let y = output::<i32>(&[2], 2);
    let open = hold_up(stream);
    assert_eq!(execute("Add", &[a, b], y, EMPTY, stream), ACL_SUCCESS, "{}", message());
    host[0] = 99;
    drop(open);
    ok!(aclrtSynchronizeStream(stream));
    assert_eq!(y.elements::<i32>(), [15, 16]);
    assert_eq!(host, [99, 6]);
}

#[test]
fn nothing_is_left_of_an_operator() {
    let _machine = device();
    let [a, b, y] = [input(&[1], &[1_i32]), input(&[1], &[2_i32]), output::<i32>(&[1], 1)];
    let attributes = acl!(aclopCreateAttr());
    assert_eq!(control::live().operator_attributes, 1);
    let before = control::live().device_blocks;
    assert_eq!(execute("Add", &[a, b], y, attributes, aclrtStream::NULL), ACL_SUCCESS);
    ok!(aclrtSynchronizeStream(aclrtStream::NULL));
    assert_eq!(control::live().device_blocks, before, "the workspace went with the run");
    acl!(aclopDestroyAttr(attributes));
    [a, b, y].into_iter().for_each(Tensor::destroy);
    assert!(control::live().is_empty(), "{:?}", control::live());
}

#[test]
fn what_operators_were_given_is_written_where_it_was_asked_for() {
    let _machine = device();
    let folder = std::env::temp_dir().join(format!("ascendcl-sim-operators-{}", std::process::id()));
    let path = std::ffi::CString::new(folder.join("deep").to_str().unwrap()).unwrap();
    let [a, b] = [input(&[3], &[6.0_f32, -1.0, 0.5]), input(&[3], &[2.0_f32, 4.0, 0.25])];
    let matrix = input(&[2, 3], &[1_i32, 2, 3, 4, 5, 6]);
    let refused = ACL_ERROR_FAILURE;
    fails!(refused, "null", acl!(aclopStartDumpArgs(2, std::ptr::null())));
    fails!(refused, "type 2", acl!(aclopStartDumpArgs(2, path.as_ptr())));
    fails!(refused, "empty", acl!(aclopStartDumpArgs(1, c("").as_ptr())));
    let file = std::env::current_exe().unwrap();
    fails!(refused, "cannot be written", acl!(aclopStartDumpArgs(1, c(file.to_str().unwrap()).as_ptr())));
    calculate::<f32>("Sub", &[a, b], &[3], EMPTY);
    // What else the type names is not looked at.
    ok!(aclopStartDumpArgs(3, path.as_ptr()));
    fails!(refused, "noted already", acl!(aclopStartDumpArgs(1, path.as_ptr())));
    ok!(aclopStopDumpArgs(2));
    calculate::<f32>("Add", &[a, b], &[3], EMPTY);
    calculate::<f32>("Add", &[b, a], &[3], EMPTY);
    calculate::<i32>("MatMul", &[matrix, matrix], &[2, 2], flags(&["transpose_x2"]));
    assert_eq!(std::fs::read_dir(folder.join("deep")).unwrap().count(), 0, "the files come at the end");
    ok!(aclopStopDumpArgs(1));
    calculate::<f32>("Mul", &[a, b], &[3], EMPTY);
    ok!(aclopStopDumpArgs(1));
    let mut files: Vec<_> = std::fs::read_dir(folder.join("deep"))
        .unwrap()
        .map(|entry| {
            let entry = entry.unwrap();
            (entry.file_name().into_string().unwrap(), std::fs::read_to_string(entry.path()).unwrap())
        })
        .collect();
    files.sort();
    std::fs::remove_dir_all(&folder).unwrap();
    let three = r#"{"format": "ND", "dtype": "float32", "shape": [3]}"#;
    let six = r#"{"format": "ND", "dtype": "int32", "shape": [2, 3]}"#;
    let four = r#"{"format": "ND", "dtype": "int32", "shape": [2, 2]}"#;
    let expected = [
        format!("{{\"op\": \"Add\", \"inputs\": [{three}, {three}], \"outputs\": [{three}], \"attributes\": {{}}}}\n"),
        format!(
            "{{\"op\": \"MatMul\", \"inputs\": [{six}, {six}], \"outputs\": [{four}], \"attributes\": {{\"transpose_x2\": true}}}}\n"
        ),
    ];
    let names = ["Add.0.json", "MatMul.1.json"].map(str::to_owned);
    assert_eq!(files, names.into_iter().zip(expected).collect::<Vec<_>>());
}
