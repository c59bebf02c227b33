//! A machine for one test, and the objects that tests are made of.

use ascendcl_sim::{Config, control};
use ascendcl_sys::types::*;
use core::ffi::c_void;
use core::ptr::null_mut;
use std::ffi::{CStr, CString};
use std::sync::{Mutex, MutexGuard, PoisonError};

pub(crate) const DIGITS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/data/digits.onnx");
const IMAGES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/data/digits-test.csv");
pub(crate) const TO_DEVICE: aclrtMemcpyKind = aclrtMemcpyKind::ACL_MEMCPY_HOST_TO_DEVICE;
pub(crate) const TO_HOST: aclrtMemcpyKind = aclrtMemcpyKind::ACL_MEMCPY_DEVICE_TO_HOST;

/// `group::function(arguments)`: calls a function of the simulator.
macro_rules! call {
    ($group:ident::$function:ident($($argument:expr),* $(,)?)) => {
        // SAFETY: a test passes null, addresses of its own memory that outlive their use and have the size it says,
        // or handles; the simulator looks handles up and never follows one, live or not.
        unsafe { ascendcl_sim::exports::$group::$function($($argument),*) }
    };
}

/// A call that succeeds.
macro_rules! ok {
    ($group:ident::$function:ident($($argument:expr),* $(,)?)) => {
        assert_eq!(call!($group::$function($($argument),*)), 0, "{}: {}", stringify!($function), $crate::world::text())
    };
}

/// A call that fails with this code and these words in its text.
macro_rules! fails {
    ($code:expr, $words:expr, $group:ident::$function:ident($($argument:expr),* $(,)?)) => {{
        let code = call!($group::$function($($argument),*));
        let text = $crate::world::text();
        assert_eq!(code, $code, "{}: {text}", stringify!($function));
        assert!(text.contains($words), "{}: {text}", stringify!($function));
    }};
}

/// The machine is one for the whole process: one test at a time has it, from a fresh start.
pub(crate) struct World(#[expect(dead_code)] MutexGuard<'static, ()>);

pub(crate) fn world() -> World {
    configured(Config::new())
}

pub(crate) fn configured(config: Config) -> World {
    static ALONE: Mutex<()> = Mutex::new(());
    let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    control::reset();
    control::configure(config).unwrap();
    ok!(process::aclInit(core::ptr::null()));
    ok!(device::aclrtSetDevice(0));
    World(alone)
}

pub(crate) fn text() -> String {
    let text = call!(process::aclGetRecentErrMsg());
    if text.is_null() { String::new() } else { string(text) }
}

pub(crate) fn string(text: *const core::ffi::c_char) -> String {
    assert!(!text.is_null());
    // SAFETY: the simulator's texts are terminated and stay in place until they are copied here.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

pub(crate) fn c(text: &str) -> CString {
    CString::new(text).unwrap()
}

/// A number that never was a handle.
pub(crate) fn bogus<T>() -> *mut T {
    core::ptr::without_provenance_mut(0x1234)
}

pub(crate) fn context() -> aclrtContext {
    let mut context = aclrtContext::NULL;
    ok!(device::aclrtGetCurrentContext(&mut context));
    context
}

pub(crate) fn device_memory(size: usize) -> *mut c_void {
    let mut address = null_mut();
    ok!(memory::aclrtMalloc(&mut address, size, aclrtMemMallocPolicy::ACL_MEM_MALLOC_HUGE_FIRST));
    address
}

pub(crate) fn free_bytes() -> usize {
    let (mut free, mut total) = (0, 0);
    ok!(memory::aclrtGetMemInfo(aclrtMemAttr::ACL_HBM_MEM, &mut free, &mut total));
    free
}

pub(crate) fn on_device(bytes: &[u8]) -> *mut c_void {
    let address = device_memory(bytes.len());
    ok!(copy::aclrtMemcpy(address, bytes.len(), bytes.as_ptr().cast(), bytes.len(), TO_DEVICE));
    address
}

pub(crate) fn from_device(address: *const c_void, size: usize) -> Vec<u8> {
    let mut bytes = vec![0_u8; size];
    ok!(copy::aclrtMemcpy(bytes.as_mut_ptr().cast(), size, address, size, TO_HOST));
    bytes
}

pub(crate) fn load(file: &[u8]) -> u32 {
    let mut id = 0;
    ok!(model::aclmdlLoadFromMem(file.as_ptr().cast(), file.len(), &mut id));
    id
}

pub(crate) fn digits() -> u32 {
    let mut id = 0;
    ok!(model::aclmdlLoadFromFile(c(DIGITS).as_ptr(), &mut id));
    id
}

/// A dataset of these areas.
pub(crate) fn dataset(areas: &[(*mut c_void, usize)]) -> *mut aclmdlDataset {
    let dataset = call!(model::aclmdlCreateDataset());
    for &(address, size) in areas {
        let buffer = call!(base::aclCreateDataBuffer(address, size));
        ok!(model::aclmdlAddDatasetBuffer(dataset, buffer));
    }
    dataset
}

/// Destroys a dataset and its data buffers.
pub(crate) fn destroy(dataset: *mut aclmdlDataset) {
    for index in 0..call!(model::aclmdlGetDatasetNumBuffers(dataset)) {
        ok!(base::aclDestroyDataBuffer(call!(model::aclmdlGetDatasetBuffer(dataset, index))));
    }
    ok!(model::aclmdlDestroyDataset(dataset));
}

/// Attaches these dims.
pub(crate) fn attach(dataset: *mut aclmdlDataset, index: usize, dims: &[i64]) {
    let desc = call!(tensor_desc::aclCreateTensorDesc(
        aclDataType::ACL_FLOAT,
        dims.len() as i32,
        dims.as_ptr(),
        aclFormat::ACL_FORMAT_ND
    ));
    ok!(model::aclmdlSetDatasetTensorDesc(dataset, desc, index));
    call!(tensor_desc::aclDestroyTensorDesc(desc));
}

/// The dims that a run left in its output dataset.
pub(crate) fn dims_of(dataset: *mut aclmdlDataset, index: usize) -> Vec<i64> {
    let desc = call!(model::aclmdlGetDatasetTensorDesc(dataset, index));
    assert!(!desc.is_null());
    let count = call!(tensor_desc::aclGetTensorDescNumDims(desc));
    (0..count).map(|axis| call!(tensor_desc::aclGetTensorDescDim(desc, axis))).collect()
}

pub(crate) fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks().0.iter().map(|chunk| f32::from_le_bytes(*chunk)).collect()
}

pub(crate) fn bytes(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

/// The labelled test images: labels, and pixels as bytes, 256 an image.
pub(crate) fn images() -> (Vec<usize>, Vec<u8>) {
    let text = std::fs::read_to_string(IMAGES).unwrap();
    let (mut labels, mut pixels) = (Vec::new(), Vec::new());
    for line in text.lines() {
        let (label, rest) = line.split_once(',').unwrap();
        labels.push(label.parse().unwrap());
        pixels.extend(rest.split(',').flat_map(|pixel| pixel.parse::<f32>().unwrap().to_le_bytes()));
    }
    (labels, pixels)
}

/// How many rows of ten probabilities have their most at the label.
pub(crate) fn recognised(probabilities: &[u8], labels: &[usize]) -> usize {
    let values = floats(probabilities);
    assert_eq!(values.len(), labels.len() * 10);
    let best = |row: &[f32]| (0..10).max_by(|&a, &b| row[a].total_cmp(&row[b])).unwrap();
    values.chunks(10).zip(labels).filter(|(row, label)| best(row) == **label).count()
}
