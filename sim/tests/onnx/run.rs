//! One case through the C functions.

use crate::case::Case;
use crate::compare::difference;
use crate::table::Outcome;
use crate::tensor::{Tensor, read_all};
use ascendcl_sim::{Config, control};
use ascendcl_sys::types::*;
use core::ffi::c_void;
use core::ptr::null_mut;
use rten_onnx::onnx::DataType;
use std::ffi::CStr;

/// `group::function(arguments)`: calls a function of the simulator.
macro_rules! call {
    ($group:ident::$function:ident($($argument:expr),* $(,)?)) => {
        // SAFETY: every pointer is null, a handle of the simulator, or the address of memory here that outlives the call
        // and has the size that is said; the simulator keeps none of them.
        unsafe { ascendcl_sim::exports::$group::$function($($argument),*) }
    };
}

/// A call that succeeds, or the end of the case with this outcome.
macro_rules! step {
    ($outcome:expr, $group:ident::$function:ident($($argument:expr),* $(,)?)) => {
        match call!($group::$function($($argument),*)) {
            0 => {}
            code => return Err(($outcome, format!("{} {code}: {}", stringify!($function), text()))),
        }
    };
}

type End = (Outcome, String);

/// Runs the model on the data of the case, as it is or with all inputs but the first as constants.
pub(crate) fn run(case: &Case, file: &[u8], inputs: Option<usize>) -> End {
    match attempt(case, file, inputs) {
        Ok(()) => (Outcome::Right, String::new()),
        Err(end) => end,
    }
}

fn attempt(case: &Case, file: &[u8], count: Option<usize>) -> Result<(), End> {
    control::reset();
    control::configure(Config::new()).unwrap();
    step!(Outcome::Failed, process::aclInit(core::ptr::null()));
    step!(Outcome::Failed, device::aclrtSetDevice(0));
    let mut id = 0;
    step!(Outcome::Refused, model::aclmdlLoadFromMem(file.as_ptr().cast(), file.len(), &mut id));
    let desc = call!(model::aclmdlCreateDesc());
    step!(Outcome::Failed, model::aclmdlGetDesc(desc, id));
    for folder in case.data_sets() {
        let tensors = read_all(&folder, "input").zip(read_all(&folder, "output"));
        let (inputs, expected) =
            tensors.ok_or_else(|| (Outcome::Failed, "a value of the data set is no tensor of numbers".to_string()))?;
        let inputs = inputs.get(..count.unwrap_or(inputs.len())).unwrap_or(&inputs);
        execute(id, desc, inputs, &expected, case.tolerance)?;
    }
    Ok(())
}

fn execute(
    id: u32,
    desc: *mut aclmdlDesc,
    inputs: &[Tensor],
    expected: &[Tensor],
    tolerance: Option<(f64, f64)>,
) -> Result<(), End> {
    let given = call!(model::aclmdlCreateDataset());
    for (index, tensor) in inputs.iter().enumerate() {
        let declared = call!(model::aclmdlGetInputDataType(desc, index));
        if declared != acl_type(tensor.kind) {
            let text = format!("input {index} is described as type {}, the data are {}", declared.0, tensor.kind);
            return Err((Outcome::Wrong, text));
        }
        let address = memory(tensor.bytes.len())?;
        let bytes = &tensor.bytes;
        if !bytes.is_empty() {
            let kind = aclrtMemcpyKind::ACL_MEMCPY_HOST_TO_DEVICE;
            step!(Outcome::Failed, copy::aclrtMemcpy(address, bytes.len(), bytes.as_ptr().cast(), bytes.len(), kind));
        }
        let buffer = call!(base::aclCreateDataBuffer(address, bytes.len()));
        step!(Outcome::Failed, model::aclmdlAddDatasetBuffer(given, buffer));
    }
    for (index, tensor) in inputs.iter().enumerate() {
        if !is_dynamic(desc, index) {
            continue;
        }
        let (rank, dims) = (tensor.dims.len() as i32, tensor.dims.as_ptr());
        let shape =
            call!(tensor_desc::aclCreateTensorDesc(acl_type(tensor.kind), rank, dims, aclFormat::ACL_FORMAT_ND));
        step!(Outcome::Failed, model::aclmdlSetDatasetTensorDesc(given, shape, index));
    }
    let results = call!(model::aclmdlCreateDataset());
    for _ in expected {
        step!(Outcome::Failed, model::aclmdlAddDatasetBuffer(results, call!(base::aclCreateDataBuffer(null_mut(), 0))));
    }
    step!(Outcome::Failed, model::aclmdlExecute(id, given, results));
    for (index, tensor) in expected.iter().enumerate() {
        check(desc, results, index, tensor, tolerance)?;
    }
    Ok(())
}

fn check(
    desc: *mut aclmdlDesc,
    results: *mut aclmdlDataset,
    index: usize,
    expected: &Tensor,
    tolerance: Option<(f64, f64)>,
) -> Result<(), End> {
    let wrong = |text: String| (Outcome::Wrong, format!("output {index}: {text}"));
    let declared = call!(model::aclmdlGetOutputDataType(desc, index));
    if declared != acl_type(expected.kind) {
        return Err(wrong(format!("described as type {}, expected {}", declared.0, expected.kind)));
    }
    // A run describes an output only if the model does not say its dims.
    let mut dims = dims_of(|dims| call!(model::aclmdlGetOutputDims(desc, index, dims)));
    if dims.iter().any(|&dim| dim < 0) {
        let shape = call!(model::aclmdlGetDatasetTensorDesc(results, index));
        let rank = call!(tensor_desc::aclGetTensorDescNumDims(shape));
        dims = (0..rank).map(|axis| call!(tensor_desc::aclGetTensorDescDim(shape, axis))).collect();
    }
    let buffer = call!(model::aclmdlGetDatasetBuffer(results, index));
    let size = call!(base::aclGetDataBufferSizeV2(buffer));
    let mut bytes = vec![0_u8; size];
    if size > 0 {
        let (from, kind) = (call!(base::aclGetDataBufferAddr(buffer)), aclrtMemcpyKind::ACL_MEMCPY_DEVICE_TO_HOST);
        step!(Outcome::Failed, copy::aclrtMemcpy(bytes.as_mut_ptr().cast(), size, from, size, kind));
    }
    let need = dims.iter().product::<i64>() as usize * crate::tensor::size(expected.kind).unwrap_or(1);
    if size != need {
        return Err(wrong(format!("{size} bytes for dims {dims:?}")));
    }
    difference(expected, &dims, &bytes, tolerance).map_or(Ok(()), |text| Err(wrong(text)))
}

fn is_dynamic(desc: *mut aclmdlDesc, index: usize) -> bool {
    dims_of(|dims| call!(model::aclmdlGetInputDims(desc, index, dims))).iter().any(|&dim| dim < 0)
}

fn dims_of(get: impl FnOnce(*mut aclmdlIODims) -> aclError) -> Vec<i64> {
    // SAFETY: all fields are numbers, for which zero is a value.
    let mut dims: aclmdlIODims = unsafe { core::mem::zeroed() };
    get(&mut dims);
    dims.dims[..dims.dimCount].to_vec()
}

/// Device memory; the reset of the machine frees it.
fn memory(size: usize) -> Result<*mut c_void, End> {
    let (mut address, policy) = (null_mut(), aclrtMemMallocPolicy::ACL_MEM_MALLOC_HUGE_FIRST);
    step!(Outcome::Failed, memory::aclrtMalloc(&mut address, size.max(1), policy));
    Ok(address)
}

fn acl_type(kind: DataType) -> aclDataType {
    match kind {
        DataType::FLOAT => aclDataType::ACL_FLOAT,
        DataType::FLOAT16 => aclDataType::ACL_FLOAT16,
        DataType::DOUBLE => aclDataType::ACL_DOUBLE,
        DataType::BFLOAT16 => aclDataType::ACL_BF16,
        DataType::INT8 => aclDataType::ACL_INT8,
        DataType::INT16 => aclDataType::ACL_INT16,
        DataType::INT32 => aclDataType::ACL_INT32,
        DataType::INT64 => aclDataType::ACL_INT64,
        DataType::UINT8 => aclDataType::ACL_UINT8,
        DataType::UINT16 => aclDataType::ACL_UINT16,
        DataType::UINT32 => aclDataType::ACL_UINT32,
        DataType::UINT64 => aclDataType::ACL_UINT64,
        DataType::BOOL => aclDataType::ACL_BOOL,
        _ => aclDataType::ACL_DT_UNDEFINED,
    }
}

fn text() -> String {
    let text = call!(process::aclGetRecentErrMsg());
    if text.is_null() {
        return String::new();
    }
    // SAFETY: the simulator's texts are terminated and stay in place until they are copied here.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}
