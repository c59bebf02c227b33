//! Shared buffers, and queues that take them. They belong to programs that run on the device's own processor: the vendor's
//! library answers 200006 to one on the host, and so do these, whatever the run mode is.

use super::wanted;
use crate::abi::{Address, Out};
use crate::failure::{Answer, Failure};
use ascendcl_sys::error_codes::ACL_ERROR_FEATURE_UNSUPPORTED;
use ascendcl_sys::types::*;
use core::ffi::c_void;

pub(crate) fn acltdtAllocBuf(_size: usize, kind: u32, buf: Out<'_, acltdtBuf>) -> Answer {
    if kind > acltdtAllocBufType::ACL_TDT_DVPP_MEM.0 {
        return Err(Failure::invalid(format!("there is no kind of buffer {kind}")));
    }
    wanted(&buf)?;
    not_on_a_host()
}

pub(crate) fn acltdtFreeBuf(_buf: acltdtBuf) -> Answer {
    not_on_a_host()
}

pub(crate) fn acltdtGetBufData(_buf: acltdtBuf, _data: Out<'_, *mut c_void>, _size: Out<'_, usize>) -> Answer {
    not_on_a_host()
}

pub(crate) fn acltdtGetBufUserData(_buf: acltdtBuf, _data: Address, _size: usize, _offset: usize) -> Answer {
    not_on_a_host()
}

pub(crate) fn acltdtSetBufUserData(_buf: acltdtBuf, _data: Address, _size: usize, _offset: usize) -> Answer {
    not_on_a_host()
}

pub(crate) fn acltdtGetBufDataLen(_buf: acltdtBuf, _len: Out<'_, usize>) -> Answer {
    not_on_a_host()
}

pub(crate) fn acltdtSetBufDataLen(_buf: acltdtBuf, _len: usize) -> Answer {
    not_on_a_host()
}

pub(crate) fn acltdtCopyBufRef(_buf: acltdtBuf, _new_buf: Out<'_, acltdtBuf>) -> Answer {
    not_on_a_host()
}

pub(crate) fn acltdtAppendBufChain(_head: acltdtBuf, _buf: acltdtBuf) -> Answer {
    not_on_a_host()
}

pub(crate) fn acltdtGetBufChainNum(_head: acltdtBuf, _num: Out<'_, u32>) -> Answer {
    not_on_a_host()
}

pub(crate) fn acltdtGetBufFromChain(_head: acltdtBuf, _index: u32, _buf: Out<'_, acltdtBuf>) -> Answer {
    not_on_a_host()
}

pub(crate) fn acltdtEnqueue(_qid: u32, _buf: acltdtBuf, _timeout: i32) -> Answer {
    not_on_a_host()
}

pub(crate) fn acltdtDequeue(_qid: u32, _buf: Out<'_, acltdtBuf>, _timeout: i32) -> Answer {
    not_on_a_host()
}

fn not_on_a_host() -> Answer {
    let text = "shared buffers are for programs that run on the device; acltdtEnqueueData and acltdtDequeueData take any memory";
    Err(Failure::new(ACL_ERROR_FEATURE_UNSUPPORTED, text))
}
