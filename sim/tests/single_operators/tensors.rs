//! Operands of tests, and calls of operators.

use crate::support::*;
use ascendcl_sim::exports::{base::*, op_compiler::*, operator::*, tensor_desc::*};
use half::f16;
use std::ffi::{CString, c_void};
use std::ptr::null_mut;
use std::sync::mpsc;

pub(crate) const ND: aclFormat = aclFormat::ACL_FORMAT_ND;

/// A call that fails with this code and these words in its text.
macro_rules! fails {
    ($code:expr, $words:expr, $call:expr) => {{
        let code = $call;
        let text = crate::support::message();
        assert_eq!(code, $code, "{text}");
        assert!(text.contains($words), "{text}");
    }};
}

/// An operand: a description, a data buffer, and the memory.
#[derive(Clone, Copy)]
pub(crate) struct Tensor {
    pub(crate) desc: *mut aclTensorDesc,
    pub(crate) buffer: *mut aclDataBuffer,
    pub(crate) address: *mut c_void,
    pub(crate) size: usize,
}

/// Something with a C data type.
pub(crate) trait Scalar: Copy {
    const TYPE: aclDataType;
    fn bytes(self) -> Vec<u8>;
    fn of(bytes: &[u8]) -> Self;
}

macro_rules! scalars {
    ($($ty:ty: $name:ident),* $(,)?) => { $(
        impl Scalar for $ty {
            const TYPE: aclDataType = aclDataType::$name;
            fn bytes(self) -> Vec<u8> {
                self.to_le_bytes().to_vec()
            }
            fn of(bytes: &[u8]) -> Self {
                Self::from_le_bytes(bytes.try_into().unwrap())
            }
        }
    )* };
}
/// A truth value.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Truth(pub(crate) u8);

impl Scalar for Truth {
    const TYPE: aclDataType = aclDataType::ACL_BOOL;
    fn bytes(self) -> Vec<u8> {
        vec![self.0]
    }
    fn of(bytes: &[u8]) -> Self {
        Self(bytes[0])
    }
}

scalars!(f32: ACL_FLOAT, i32: ACL_INT32, f16: ACL_FLOAT16, i64: ACL_INT64, u8: ACL_UINT8);

pub(crate) fn desc(data_type: aclDataType, dims: &[i64]) -> *mut aclTensorDesc {
    let desc = acl!(aclCreateTensorDesc(data_type, dims.len() as i32, dims.as_ptr(), ND));
    assert!(!desc.is_null());
    desc
}

/// An input with these elements.
pub(crate) fn input<T: Scalar>(dims: &[i64], elements: &[T]) -> Tensor {
    let bytes: Vec<u8> = elements.iter().flat_map(|element| element.bytes()).collect();
    let address = malloc(bytes.len());
    let kind = aclrtMemcpyKind::ACL_MEMCPY_HOST_TO_DEVICE;
    ok!(aclrtMemcpy(address, bytes.len(), bytes.as_ptr().cast(), bytes.len(), kind));
    let buffer = acl!(aclCreateDataBuffer(address, bytes.len()));
    Tensor { desc: desc(T::TYPE, dims), buffer, address, size: bytes.len() }
}

/// An output with room for so many elements.
pub(crate) fn output<T: Scalar>(dims: &[i64], room: usize) -> Tensor {
    let size = room * size_of::<T>();
    let address = malloc(size);
    let buffer = acl!(aclCreateDataBuffer(address, size));
    Tensor { desc: desc(T::TYPE, dims), buffer, address, size }
}

impl Tensor {
    pub(crate) fn elements<T: Scalar>(&self) -> Vec<T> {
        read(self.address, self.size).chunks(size_of::<T>()).map(T::of).collect()
    }

    pub(crate) fn dims(&self) -> Vec<i64> {
        let count = acl!(aclGetTensorDescNumDims(self.desc));
        (0..count).map(|axis| acl!(aclGetTensorDescDim(self.desc, axis))).collect()
    }

    pub(crate) fn destroy(self) {
        acl!(aclDestroyTensorDesc(self.desc));
        ok!(aclDestroyDataBuffer(self.buffer));
        ok!(aclrtFree(self.address));
    }
}

pub(crate) fn c(text: &str) -> CString {
    CString::new(text).unwrap()
}

pub(crate) const NO_ATTRIBUTES: *mut aclopAttr = null_mut();

/// A collection of attributes: flags, numbers, lists.
pub(crate) fn flags(names: &[&str]) -> *mut aclopAttr {
    let attributes = acl!(aclopCreateAttr());
    for name in names {
        ok!(aclopSetAttrBool(attributes, c(name).as_ptr(), 1));
    }
    attributes
}

pub(crate) fn int(name: &str, value: i64) -> *mut aclopAttr {
    let attributes = acl!(aclopCreateAttr());
    ok!(aclopSetAttrInt(attributes, c(name).as_ptr(), value));
    attributes
}

pub(crate) fn ints(name: &str, values: &[i64]) -> *mut aclopAttr {
    let attributes = acl!(aclopCreateAttr());
    ok!(aclopSetAttrListInt(attributes, c(name).as_ptr(), values.len() as i32, values.as_ptr()));
    attributes
}

/// Compiles an operator and queues it.
pub(crate) fn execute(
    name: &str,
    inputs: &[Tensor],
    output: Tensor,
    attributes: *mut aclopAttr,
    stream: aclrtStream,
) -> aclError {
    let (mut descs, mut buffers) = lists(inputs);
    acl!(aclopCompileAndExecuteV2(
        c(name).as_ptr(),
        inputs.len() as i32,
        descs.as_mut_ptr(),
        buffers.as_mut_ptr(),
        1,
        &mut output.desc.cast(),
        &mut output.buffer.cast(),
        attributes,
        aclopEngineType::ACL_ENGINE_SYS,
        aclopCompileType::ACL_COMPILE_SYS,
        std::ptr::null(),
        stream
    ))
}

/// Queues an operator that is known.
pub(crate) fn execute_known(
    name: &str,
    inputs: &[Tensor],
    output: Tensor,
    attributes: *mut aclopAttr,
    stream: aclrtStream,
) -> aclError {
    let (mut descs, mut buffers) = lists(inputs);
    acl!(aclopExecuteV2(
        c(name).as_ptr(),
        inputs.len() as i32,
        descs.as_mut_ptr(),
        buffers.as_mut_ptr(),
        1,
        &mut output.desc.cast(),
        &mut output.buffer.cast(),
        attributes,
        stream
    ))
}

pub(crate) fn compile(
    name: &str,
    inputs: &[*mut aclTensorDesc],
    output: *mut aclTensorDesc,
    attributes: *mut aclopAttr,
) -> aclError {
    let inputs: Vec<_> = inputs.iter().map(|desc| desc.cast_const()).collect();
    acl!(aclopCompile(
        c(name).as_ptr(),
        inputs.len() as i32,
        inputs.as_ptr(),
        1,
        &output.cast_const(),
        attributes,
        aclopEngineType::ACL_ENGINE_SYS,
        aclopCompileType::ACL_COMPILE_SYS,
        std::ptr::null()
    ))
}

fn lists(inputs: &[Tensor]) -> (Vec<*mut aclTensorDesc>, Vec<*mut aclDataBuffer>) {
    inputs.iter().map(|input| (input.desc, input.buffer)).unzip()
}

/// Holds a stream up until the answer is dropped.
pub(crate) fn hold_up(stream: aclrtStream) -> mpsc::Sender<()> {
    let (open, closed) = mpsc::channel::<()>();
    launch(stream, move || assert!(closed.recv().is_err()));
    open
}

/// The sum of two numbers: the least that needs a workspace. Answers the output.
pub(crate) fn add(stream: aclrtStream) -> Tensor {
    let [a, b] = [input(&[1], &[1.0_f32]), input(&[1], &[2.0_f32])];
    let y = output::<f32>(&[1], 1);
    assert_eq!(execute("Add", &[a, b], y, NO_ATTRIBUTES, stream), ACL_SUCCESS, "{}", message());
    y
}

/// Runs an operator on the default stream and gives its elements.
pub(crate) fn calculate<T: Scalar>(name: &str, inputs: &[Tensor], dims: &[i64], attributes: *mut aclopAttr) -> Vec<T> {
    let count = dims.iter().product::<i64>() as usize;
    let y = output::<T>(dims, count);
    assert_eq!(execute(name, inputs, y, attributes, aclrtStream::NULL), ACL_SUCCESS, "{}", message());
    ok!(aclrtSynchronizeStream(aclrtStream::NULL));
    let elements = y.elements();
    y.destroy();
    elements
}
