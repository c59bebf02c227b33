//! Single operators: attributes and handles after their end, and buffers that are too short.

use crate::support::*;
use ascendcl_sim::exports::{op_compiler::*, operator::*, tensor_desc::*};
use std::ffi::c_void;
use std::ptr::null;

const FLOATS: usize = 8;
const BYTES: usize = 4 * FLOATS;

fn tensor() -> *mut aclTensorDesc {
    let dims = [FLOATS as i64];
    acl!(aclCreateTensorDesc(aclDataType::ACL_FLOAT, 1, dims.as_ptr(), aclFormat::ACL_FORMAT_ND))
}

/// A data buffer that says so many bytes, and its memory.
fn buffer(memory: usize, said: usize) -> (*mut c_void, *mut aclDataBuffer) {
    let block = malloc(memory);
    ok!(aclrtMemset(block, memory, 0, memory));
    (block, acl!(aclCreateDataBuffer(block, said)))
}

/// Runs `Relu` with buffers of these sizes, and releases everything but the attributes.
fn relu(sizes: [usize; 2], attributes: *mut aclopAttr) -> aclError {
    relu_in(sizes, sizes, attributes)
}

/// The same, with memory of these sizes.
fn relu_in(memory: [usize; 2], sizes: [usize; 2], attributes: *mut aclopAttr) -> aclError {
    let [x, y] = [tensor(), tensor()];
    let [(from, input), (to, output)] = [0, 1].map(|at| buffer(memory[at], sizes[at]));
    let code = acl!(aclopCompileAndExecuteV2(
        c"Relu".as_ptr(),
        1,
        &mut x.cast(),
        &mut input.cast(),
        1,
        &mut y.cast(),
        &mut output.cast(),
        attributes,
        aclopEngineType::ACL_ENGINE_SYS,
        aclopCompileType::ACL_COMPILE_SYS,
        null(),
        aclrtStream::NULL
    ));
    sync(aclrtStream::NULL);
    [x, y].iter().for_each(|desc| acl!(aclDestroyTensorDesc(*desc)));
    [input, output].iter().for_each(|buffer| ok!(aclDestroyDataBuffer(*buffer)));
    [from, to].iter().for_each(|block| ok!(aclrtFree(*block)));
    code
}

#[test]
fn a_buffer_is_as_large_as_the_description_of_its_tensor_says() {
    let run = |sizes, right| broken_by(|| assert_eq!(relu(sizes, std::ptr::null_mut()) == 0, right));
    assert_eq!(run([BYTES, BYTES], true), []);
    assert_eq!(run([BYTES - 4, BYTES], false), [(rules::DATA_08, "aclopCompileAndExecuteV2")]);
    assert_eq!(run([BYTES, BYTES - 4], false), [(rules::DATA_08, "aclopCompileAndExecuteV2")]);
}

/// The library gives more memory than it is asked for, so these runs succeed.
#[test]
fn a_buffer_says_no_more_bytes_than_its_memory_has() {
    let run = |memory| broken_by(|| assert_eq!(relu_in(memory, [BYTES; 2], std::ptr::null_mut()), 0));
    assert_eq!(run([BYTES, BYTES]), []);
    assert_eq!(run([BYTES - 4, BYTES]), [(rules::DATA_08, "aclopCompileAndExecuteV2")]);
    assert_eq!(run([BYTES, BYTES - 4]), [(rules::DATA_08, "aclopCompileAndExecuteV2")]);
}

/// `s`et, `r`un, `d`estroy.
#[test]
fn attributes_are_destroyed_once_after_their_last_use() {
    let used = |steps: &str| {
        broken_by(|| {
            let attributes = acl!(aclopCreateAttr());
            for step in steps.chars() {
                match step {
                    's' => drop(acl!(aclopSetAttrBool(attributes, c"some".as_ptr(), 1))),
                    'r' => drop(relu([4 * FLOATS; 2], attributes)),
                    _ => acl!(aclopDestroyAttr(attributes)),
                }
            }
        })
    };
    assert_eq!(used("sd"), []);
    assert_eq!(used("rd"), []);
    assert_eq!(used("dd"), [(rules::DATA_05, "aclopDestroyAttr")]);
    assert_eq!(used("dsd"), [(rules::DATA_05, "aclopSetAttrBool")]);
    assert_eq!(used("drd"), [(rules::DATA_05, "aclopCompileAndExecuteV2")]);
}

/// `r`un, `w`ait, `d`estroy.
#[test]
fn an_operator_handle_is_destroyed_once_after_the_last_call_that_uses_it() {
    let run = |steps: &str| {
        broken_by(|| {
            let [x, y] = [tensor(), tensor()];
            let (from, to) = ([x.cast_const()], [y.cast_const()]);
            let attributes = acl!(aclopCreateAttr());
            ok!(aclopCompile(
                c"Relu".as_ptr(),
                1,
                from.as_ptr(),
                1,
                to.as_ptr(),
                attributes,
                aclopEngineType::ACL_ENGINE_SYS,
                aclopCompileType::ACL_COMPILE_SYS,
                null()
            ));
            let mut handle = std::ptr::null_mut();
            ok!(aclopCreateHandle(c"Relu".as_ptr(), 1, from.as_ptr(), 1, to.as_ptr(), attributes, &mut handle));
            let ([(_, input), (result, output)], stream) = ([BYTES; 2].map(|bytes| buffer(bytes, bytes)), stream());
            ok!(aclrtMemset(result, BYTES, 1, BYTES));
            for step in steps.chars() {
                match step {
                    'r' => {
                        let (from, to) = ([input.cast_const()], [output]);
                        let _ = acl!(aclopExecWithHandle(handle, 1, from.as_ptr(), 1, to.as_ptr(), stream));
                    }
                    'w' => sync(stream),
                    _ => acl!(aclopDestroyHandle(handle)),
                }
            }
            sync(stream);
            let mut host = [1_u8; BYTES];
            ok!(aclrtMemcpy(host.as_mut_ptr().cast(), BYTES, result, BYTES, TO_HOST));
            assert_eq!(host == [0; BYTES], steps.starts_with('r'), "{steps}");
        })
    };
    assert_eq!(run("d"), []);
    assert_eq!(run("rwd"), []);
    // The manual asks for no wait, and what is queued does not need the handle.
    assert_eq!(run("rd"), []);
    assert_eq!(run("dd"), [(rules::DATA_05, "aclopDestroyHandle")]);
    assert_eq!(run("dr"), [(rules::OP_07, "aclopExecWithHandle")]);
}

#[test]
fn the_operands_of_an_operator_are_in_memory_of_the_device() {
    let run = |place: fn() -> *mut c_void| {
        broken_by(|| {
            let ([x, y], (to, output)) = ([tensor(), tensor()], buffer(4 * FLOATS, 4 * FLOATS));
            let from = place();
            let input = acl!(aclCreateDataBuffer(from, 4 * FLOATS));
            relu_of([x, y], [input, output]);
            // The output is told in the same way.
            relu_of([y, x], [input, output]);
            ok!(aclDestroyDataBuffer(input));
            ok!(aclDestroyDataBuffer(output));
            ok!(aclrtFree(to));
        })
    };
    let once = [(rules::MEM_10, "aclopCompileAndExecuteV2")];
    assert_eq!(run(|| vec![0_u8; 4 * FLOATS].leak().as_mut_ptr().cast()), once);
    assert_eq!(run(|| malloc_host(4 * FLOATS)), once);
    assert_eq!(run(|| buffer(4 * FLOATS, 4 * FLOATS).0), []);
}

fn relu_of([x, y]: [*mut aclTensorDesc; 2], [input, output]: [*mut aclDataBuffer; 2]) {
    acl!(aclopCompileAndExecuteV2(
        c"Relu".as_ptr(),
        1,
        &mut x.cast(),
        &mut input.cast(),
        1,
        &mut y.cast(),
        &mut output.cast(),
        std::ptr::null_mut(),
        aclopEngineType::ACL_ENGINE_SYS,
        aclopCompileType::ACL_COMPILE_SYS,
        null(),
        aclrtStream::NULL
    ));
    sync(aclrtStream::NULL);
}

#[test]
fn the_description_of_an_operand_is_alive_and_has_as_many_axes_as_its_list() {
    let run = |early: bool| {
        broken_by(|| {
            let ([x, y], input, output) =
                ([tensor(), tensor()], buffer(4 * FLOATS, 4 * FLOATS).1, buffer(4 * FLOATS, 4 * FLOATS).1);
            if early {
                acl!(aclDestroyTensorDesc(x));
            }
            relu_of([x, y], [input, output]);
            if !early {
                acl!(aclDestroyTensorDesc(x));
            }
        })
    };
    assert_eq!(run(true), [(rules::DATA_05, "aclopCompileAndExecuteV2")]);
    assert_eq!(run(false), []);
    let axes = |count: i32| {
        let dims = [1_i64];
        let format = aclFormat::ACL_FORMAT_ND;
        broken(|| {
            acl!(aclCreateTensorDesc(aclDataType::ACL_FLOAT, count, dims.as_ptr(), format));
        })
    };
    assert_eq!(axes(-1), [rules::DATA_11]);
    assert_eq!(axes(1), []);
}
