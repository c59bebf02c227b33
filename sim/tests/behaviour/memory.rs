//! Memory: allocating, copying, setting and freeing.

use crate::case::saw;
use crate::objects::{ANY_PAGES, bogus, device_0, stream};
use ascendcl_sys::types::*;
use core::ffi::c_void;
use core::ptr::null_mut;

pub(crate) const CASES: &[(&str, fn())] = &[("memory: misuse", misuse)];

const HOST_TO_HOST: aclrtMemcpyKind = aclrtMemcpyKind::ACL_MEMCPY_HOST_TO_HOST;
const HOST_TO_DEVICE: aclrtMemcpyKind = aclrtMemcpyKind::ACL_MEMCPY_HOST_TO_DEVICE;
const DEVICE_TO_HOST: aclrtMemcpyKind = aclrtMemcpyKind::ACL_MEMCPY_DEVICE_TO_HOST;
const DEVICE_TO_DEVICE: aclrtMemcpyKind = aclrtMemcpyKind::ACL_MEMCPY_DEVICE_TO_DEVICE;
const NO_KIND: aclrtMemcpyKind = aclrtMemcpyKind(99);

/// Two blocks on the device and a pinned one on the host, of 100 bytes each.
struct Blocks {
    p: *mut c_void,
    q: *mut c_void,
    h: *mut c_void,
}

fn misuse() {
    device_0();
    let stream = stream();
    refused_sizes();
    let blocks = allocate();
    copy_now(&blocks);
    set_now(&blocks);
    copy_later(&blocks, stream);
    free(&blocks);
    memory_info();
    other_allocations();
}

fn refused_sizes() {
    let (mut p, mut h) = (core::ptr::without_provenance_mut(1), null_mut());
    row!("Malloc(&p, 0)", memory::aclrtMalloc(&mut p, 0, ANY_PAGES));
    saw(format!("p after failure={p:p}"));
    row!("Malloc(NULL, 64)", memory::aclrtMalloc(null_mut(), 64, ANY_PAGES));
    row!("Malloc(&p, 64, policy 12345)", memory::aclrtMalloc(&mut p, 64, aclrtMemMallocPolicy(12345)));
    row!("Malloc(&p, 1<<60)", memory::aclrtMalloc(&mut p, 1 << 60, ANY_PAGES));
    row!("Malloc(&p, SIZE_MAX)", memory::aclrtMalloc(&mut p, usize::MAX, ANY_PAGES));
    row!("MallocHost(&h, 0)", memory::aclrtMallocHost(&mut h, 0));
    row!("MallocHost(NULL, 64)", memory::aclrtMallocHost(null_mut(), 64));
    row!("Free(NULL)", memory::aclrtFree(null_mut()));
    row!("FreeHost(NULL)", memory::aclrtFreeHost(null_mut()));
}

fn allocate() -> Blocks {
    let (mut p, mut q, mut h) = (null_mut(), null_mut(), null_mut());
    row!("Malloc(&p,100)", memory::aclrtMalloc(&mut p, 100, ANY_PAGES));
    row!("Malloc(&q,100)", memory::aclrtMalloc(&mut q, 100, ANY_PAGES));
    row!("MallocHost(&h,100)", memory::aclrtMallocHost(&mut h, 100));
    Blocks { p, q, h }
}

fn copy_now(&Blocks { p, q, h }: &Blocks) {
    let pageable = [7_u8; 100];
    let default = aclrtMemcpyKind::ACL_MEMCPY_DEFAULT;
    row!("Memcpy destMax 50 < count 100 (H2D)", copy::aclrtMemcpy(p, 50, h, 100, HOST_TO_DEVICE));
    row!("Memcpy count 0", copy::aclrtMemcpy(p, 100, h, 0, HOST_TO_DEVICE));
    row!("Memcpy destMax 0 count 0", copy::aclrtMemcpy(p, 0, h, 0, HOST_TO_DEVICE));
    row!("Memcpy dst NULL", copy::aclrtMemcpy(null_mut(), 100, h, 100, HOST_TO_DEVICE));
    row!("Memcpy src NULL", copy::aclrtMemcpy(p, 100, null_mut(), 100, HOST_TO_DEVICE));
    row!("Memcpy wrong kind (D2H given H->D pointers)", copy::aclrtMemcpy(p, 100, h, 100, DEVICE_TO_HOST));
    row!("Memcpy wrong kind (H2H given H->D pointers)", copy::aclrtMemcpy(p, 100, h, 100, HOST_TO_HOST));
    row!("Memcpy kind 99", copy::aclrtMemcpy(p, 100, h, 100, NO_KIND));
    row!("Memcpy D2D", copy::aclrtMemcpy(q, 100, p, 100, DEVICE_TO_DEVICE));
    row!("Memcpy ACL_MEMCPY_DEFAULT H->D", copy::aclrtMemcpy(p, 100, h, 100, default));
    row!(
        "Memcpy H2D from pageable stack memory",
        copy::aclrtMemcpy(p, 100, pageable.as_ptr().cast(), 100, HOST_TO_DEVICE)
    );
}

fn set_now(&Blocks { p, .. }: &Blocks) {
    row!("Memset maxCount 50 < count 100", copy::aclrtMemset(p, 50, 0, 100));
    row!("Memset NULL", copy::aclrtMemset(null_mut(), 100, 0, 100));
    row!("Memset count 0", copy::aclrtMemset(p, 100, 0, 0));
}

fn copy_later(&Blocks { p, h, .. }: &Blocks, stream: aclrtStream) {
    let pageable = [7_u8; 100];
    let default = aclrtStream::NULL;
    row!("MemcpyAsync destMax 50 < count 100", copy::aclrtMemcpyAsync(p, 50, h, 100, HOST_TO_DEVICE, stream));
    row!("MemcpyAsync NULL stream", copy::aclrtMemcpyAsync(p, 100, h, 100, HOST_TO_DEVICE, default));
    row!("MemcpyAsync count 0", copy::aclrtMemcpyAsync(p, 100, h, 0, HOST_TO_DEVICE, stream));
    row!(
        "MemcpyAsync H2D from pageable stack memory",
        copy::aclrtMemcpyAsync(p, 100, pageable.as_ptr().cast(), 100, HOST_TO_DEVICE, stream)
    );
    row!("MemcpyAsync kind 99", copy::aclrtMemcpyAsync(p, 100, h, 100, NO_KIND, stream));
    row!("MemcpyAsync kind H2H", copy::aclrtMemcpyAsync(h, 100, h, 100, HOST_TO_HOST, stream));
    row!("MemsetAsync maxCount<count", copy::aclrtMemsetAsync(p, 50, 0, 100, stream));
    row!("SynchronizeStream", stream::aclrtSynchronizeStream(stream));
    prepare!(stream::aclrtSynchronizeStream(default));
}

fn free(&Blocks { p, h, .. }: &Blocks) {
    row!("FreeHost(device ptr) [driver-decided]", memory::aclrtFreeHost(p));
    row!("Free(p)", memory::aclrtFree(p));
    row!("Free(p) twice [driver-decided]", memory::aclrtFree(p));
    row!("Free(bogus 0x1234) [driver-decided]", memory::aclrtFree(bogus()));
    row!("Free(host ptr from MallocHost) [driver-decided]", memory::aclrtFree(h));
}

fn memory_info() {
    let (mut free, mut total) = (0, 0);
    let hbm = aclrtMemAttr::ACL_HBM_MEM;
    row!("GetMemInfo(ACL_HBM_MEM)", memory::aclrtGetMemInfo(hbm, &mut free, &mut total));
    row!("GetMemInfo(99)", memory::aclrtGetMemInfo(aclrtMemAttr(99), &mut free, &mut total));
    row!("GetMemInfo(HBM,NULL,NULL)", memory::aclrtGetMemInfo(hbm, null_mut(), null_mut()));
}

fn other_allocations() {
    let mut p = null_mut();
    row!("MallocAlign32(&p,0)", memory::aclrtMallocAlign32(&mut p, 0, ANY_PAGES));
    row!("MallocCached(&p,64)", memory::aclrtMallocCached(&mut p, 64, ANY_PAGES));
}
